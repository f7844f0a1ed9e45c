"""Interventions while a run is driven: asked for, checked, journaled, put to work, acknowledged.

They take effect between two outcomes and are acknowledged after their commit. Pure consequences are
the course's; here are those outside the formats: budgets, withdrawn calls, settings in force.
"""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import Callable, Iterable, Mapping
from concurrent.futures import Executor
from dataclasses import dataclass
from functools import partial
from typing import TypeVar

from arena_tui.engine import events
from arena_tui.engine.actions import CONTROLS, Action, FindMatch, Resolved, resolve
from arena_tui.engine.budget import Budget
from arena_tui.engine.calls import Calls
from arena_tui.engine.course import Course
from arena_tui.engine.journal import Journal
from arena_tui.engine.lane import Lane
from arena_tui.engine.telling import Teller
from arena_tui.errors import RefusedAction, UsageError
from arena_tui.facts import Intervention, Match
from arena_tui.store.crash_points import CrashPoint, reached

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Request:
    """An action asked for from outside; `answer` is called after its commit, or with the refusal."""

    action: Action
    origin: str
    answer: Callable[[bool, str], None]


class Steering:
    """Takes interventions of one run. `control` moves the gate, `configure` applies settings in force."""

    def __init__(
        self,
        *,
        course: Course,
        journal: Journal,
        calls: Calls,
        budget: Budget,
        lanes: Mapping[str, Lane],
        teller: Teller,
        planner: Executor,
        find_match: FindMatch,
        control: Callable[[Request], None],
        configure: Callable[[], None],
        look_at: Callable[[Lane], None],
    ) -> None:
        self._course = course
        self._journal = journal
        self._calls = calls
        self._budget = budget
        self._lanes = lanes
        self._teller = teller
        self._planner = planner
        self._find_match = find_match
        self._control = control
        self._configure = configure
        self._look_at = look_at
        self._requests: deque[Request] = deque()

    def ask(self, requests: Iterable[Request]) -> None:
        """Queue requests; they are taken in order."""
        self._requests.extend(requests)

    async def take_all(self) -> None:
        """Take what has been asked for until now."""
        while self._requests:
            request = self._requests.popleft()
            if request.action.verb in CONTROLS:
                self._control(request)
                continue
            try:
                resolved = await self._off_loop(resolve, request.action, self._course, self._find_match)
            except (RefusedAction, UsageError) as refusal:
                request.answer(False, str(refusal))
                continue
            ticket = 0
            for each in resolved:
                ticket = await self.take(each, request.origin)
            done = "; ".join(each.done for each in resolved)
            self._journal.then(ticket, partial(request.answer, True, done))

    async def take(self, resolved: Resolved, origin: str) -> int:
        """Journal one intervention and let it take effect; its ticket."""
        action, course = resolved.intervention, self._course
        reached(CrashPoint.INTERVENTION_QUEUED)
        new_state = course.roster.new_state(action)
        pos, withdrawn = await self._off_loop(course.intervene, action)
        group = course.groups.get(action.group or "")
        after = course.applied if group is None else group.order.applied
        if resolved.overruled is not None and group is not None:
            played = resolved.overruled
            changes, ratings = await self._off_loop(group.refolded, played.applied_no)
            ticket = self._journal.overrule(pos, action, played, after, origin, changes, ratings)
        else:
            rating = None if group is None else group.start_rating(action)
            ticket = self._journal.intervention(pos, action, after, origin, new_state, rating)
        who = action.candidate if action.added is None else action.added.id
        self._journal.tell(ticket, events.Intervened(pos, action.kind, action.group, who, after, origin))
        self._settle_in(action, withdrawn)
        return ticket

    def _settle_in(self, action: Intervention, withdrawn: list[Match]) -> None:
        """Put an intervention's consequences to work outside the formats."""
        for step in withdrawn:
            pending = self._lanes[step.group].withdraw(step)
            if pending.counted:
                pending.counted = False
                self._budget.withdraw(step.group)
            self._teller.state.held -= pending.combined is not None
        if action.kind == "overrule" and action.winner is not None and action.group is not None:
            self._teller.count(action.group, action.values["was"], -1)
            self._teller.count(action.group, action.winner, 1)
        if action.kind == "settings":
            self._configure()
            for lane in self._lanes.values():
                self._look_at(lane)
        elif action.group is not None:
            self._look_at(self._lanes[action.group])
        self._calls.retry_blocked()

    async def _off_loop(self, call: Callable[..., T], *args: object) -> T:
        return await asyncio.get_running_loop().run_in_executor(self._planner, call, *args)
