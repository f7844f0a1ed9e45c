"""Interventions while a run is driven: asked for, checked, journaled, put to work, acknowledged.

They take effect between two outcomes and are acknowledged after their commit. Pure consequences are
the course's; here are those outside the formats: budgets, withdrawn calls, settings in force.
"""

from __future__ import annotations

import asyncio
import time
from collections import deque
from collections.abc import Callable, Iterable, Mapping
from concurrent.futures import Executor
from dataclasses import dataclass, replace
from functools import partial
from typing import TypeVar

from arena_tui.engine import events
from arena_tui.engine.actions import CONTROLS, Action, FindMatch, Played, Resolved, resolve
from arena_tui.engine.budget import Budget
from arena_tui.engine.calls import Calls
from arena_tui.engine.course import Course
from arena_tui.engine.journal import Journal, intervention_unit, overrule_unit
from arena_tui.engine.lane import Lane
from arena_tui.engine.telling import Teller
from arena_tui.errors import RefusedAction, UsageError
from arena_tui.facts import Intervention, Match
from arena_tui.store.crash_points import CrashPoint, reached
from arena_tui.store.writer import Unit
from arena_tui.vocabulary import Winner

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
        self._overruled: dict[tuple[str, int], Winner] = {}  # by this process

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
                resolved = await self._off_loop(resolve, request.action, self._course, self._played)
            except (RefusedAction, UsageError) as refusal:
                request.answer(False, str(refusal))
                continue
            ticket = await self.take(resolved, request.origin)
            done = "; ".join(each.done for each in resolved)
            self._journal.then(ticket, partial(request.answer, True, done))

    async def take(self, resolved: Iterable[Resolved], origin: str) -> int:
        """Journal the interventions of one request, all or none, and let them take effect; their ticket."""
        taken = [await self._take(each, origin) for each in resolved]
        ticket = self._journal.actions([unit for unit, _ in taken])
        for _, event in taken:
            self._journal.tell(ticket, event)
        return ticket

    async def _take(self, resolved: Resolved, origin: str) -> tuple[Unit, events.Intervened]:
        """Let one intervention take effect; what is to be written and told of it."""
        action, course = resolved.intervention, self._course
        reached(CrashPoint.INTERVENTION_QUEUED)
        new_state = course.roster.new_state(action)
        pos, withdrawn = await self._off_loop(course.intervene, action)
        group = course.groups.get(action.group or "")
        after, at = course.applied if group is None else group.order.applied, time.time()
        if resolved.overruled is not None and group is not None:
            played = resolved.overruled
            self._overruled[played.group, played.seq] = action.winner or played.winner
            changes, ratings = await self._off_loop(group.refolded, played.applied_no)
            unit = overrule_unit(course.run, pos, action, played, after, origin, at, changes, ratings)
        else:
            rating = None if group is None else group.start_rating(action)
            unit = intervention_unit(pos, action, after, origin, at, new_state, rating)
        who = action.candidate if action.added is None else action.added.id
        self._settle_in(action, withdrawn)
        return unit, events.Intervened(pos, action.kind, action.group, who, after, origin)

    def _played(self, group: str, seq: int) -> Played | None:
        """The match as the store knows it, under an outcome that may not be committed yet."""
        played = self._find_match(group, seq)
        winner = self._overruled.get((group, seq))
        return played if played is None or winner is None else replace(played, winner=winner)

    def _settle_in(self, action: Intervention, withdrawn: list[Match]) -> None:
        """Put an intervention's consequences to work outside the formats."""
        for step in withdrawn:
            lane = self._lanes[step.group]
            pending = lane.withdraw(step)
            self._calls.release(lane, pending)
            if pending.counted:
                pending.counted = False
                self._budget.withdraw(step.group)
            self._teller.state.held -= pending.held
            pending.held = False
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
