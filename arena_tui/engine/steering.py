"""Interventions while a run is driven: asked for, checked, journaled, put to work, acknowledged.

They take effect between two outcomes and are acknowledged after their commit. Pure consequences are
the course's; here are those outside the formats: budgets, withdrawn calls, settings in force.
"""

from __future__ import annotations

import asyncio
import time
from collections import deque
from collections.abc import Callable, Iterable, Mapping, Sequence
from concurrent.futures import Executor
from dataclasses import dataclass, replace
from functools import partial
from typing import TypeVar

from arena_tui.engine.actions import (
    CONTROLS,
    Action,
    FindMatch,
    Played,
    Resolved,
    acknowledgement,
    resolve,
)
from arena_tui.engine.budget import Budget
from arena_tui.engine.calls import Calls
from arena_tui.engine.course import Course
from arena_tui.engine.effects import Effect, take_effect, units_of
from arena_tui.engine.journal import SLICE, Journal
from arena_tui.engine.lane import Lane
from arena_tui.engine.telling import Teller
from arena_tui.errors import ArenaError
from arena_tui.facts import Match
from arena_tui.vocabulary import Winner

T = TypeVar("T")

MISFITS = (ArenaError, ArithmeticError, LookupError, TypeError, ValueError)
"""What a request may raise while it is only looked at: nothing has changed by then, so it is refused,
whatever another process has written into it, and the run goes on."""


@dataclass(frozen=True, slots=True)
class Request:
    """An action asked for from outside; `answer` is called after its commit, or with the refusal.

    `origin` is journaled with it, `asker` is who asks, for people; without one the origin says it.
    """

    action: Action
    origin: str
    answer: Callable[[bool, str], None]
    asker: str = ""


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
            except MISFITS as misfit:
                what = f"the request does not fit this run ({type(misfit).__name__}: {misfit})"
                request.answer(False, str(misfit) if isinstance(misfit, ArenaError) else what)
                continue
            ticket = await self.take(resolved, request.origin)
            self._journal.then(ticket, partial(request.answer, True, acknowledgement(resolved)))

    async def take(self, resolved: Sequence[Resolved], origin: str) -> int:
        """Journal the interventions of one request, all or none, and let them take effect; their ticket."""
        effects: list[Effect] = []
        while len(effects) < len(resolved):
            # A request may bring thousands: they take effect slice by slice, and the loop has its turns.
            effects += await self._off_loop(self._take_some, resolved[len(effects) :])
        units = await self._off_loop(units_of, self._course, effects, origin, time.time())
        self._settle_in(effects)
        ticket = self._journal.actions(units)
        if self._journal.heard:
            for effect in effects:
                self._journal.tell(ticket, effect.event(origin))
        return ticket

    def _take_some(self, resolved: Sequence[Resolved]) -> list[Effect]:
        """Let the first of these take effect, as many as a slice of time allows."""
        effects: list[Effect] = []
        until = time.monotonic() + SLICE
        for each in resolved:
            effects.append(take_effect(self._course, each))
            if each.overruled is not None:
                played = each.overruled
                self._overruled[played.group, played.seq] = each.intervention.winner or played.winner
            if time.monotonic() >= until:
                break
        return effects

    def _played(self, group: str, seq: int) -> Played | None:
        """The match as the store knows it, under an outcome that may not be committed yet."""
        played = self._find_match(group, seq)
        winner = self._overruled.get((group, seq))
        return played if played is None or winner is None else replace(played, winner=winner)

    def _settle_in(self, effects: Sequence[Effect]) -> None:
        """Put the consequences of interventions to work outside the formats."""
        for effect in effects:
            action = effect.resolved.intervention
            for step in effect.withdrawn:
                self._withdraw(step)
            if action.kind == "overrule" and action.winner is not None and action.group is not None:
                self._teller.count(action.group, action.values["was"], -1)
                self._teller.count(action.group, action.winner, 1)
            if action.kind == "settings":
                self._configure()
                self._teller.windows()
                for lane in self._lanes.values():
                    self._look_at(lane)
            elif action.group is not None:
                if action.kind in ("overrule", "reopen"):  # the stop window starts anew
                    self._teller.windows(action.group)
                self._look_at(self._lanes[action.group])
        self._calls.retry_blocked()

    def _withdraw(self, step: Match) -> None:
        lane = self._lanes[step.group]
        pending = lane.withdraw(step)
        self._calls.release(lane, pending)
        if pending.counted:
            pending.counted = False
            self._budget.withdraw(step.group)
        self._teller.state.held -= pending.held
        pending.held = False

    async def _off_loop(self, call: Callable[..., T], *args: object) -> T:
        return await asyncio.get_running_loop().run_in_executor(self._planner, call, *args)
