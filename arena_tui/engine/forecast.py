"""`arena plan`: what a run would take, found by running its real format against a simulated judge.

The same `Course`, lanes and start order as the engine uses, on a virtual clock instead of a judge's
time: there is no second formula for how many matches a format plays. Nothing is stored.
"""

from __future__ import annotations

import asyncio
import heapq
from collections import deque
from collections.abc import Iterable
from dataclasses import dataclass
from statistics import median
from typing import Literal

from arena_tui.candidate import Candidate, Pool
from arena_tui.engine.budget import Account, Budget, Caps, Cost
from arena_tui.engine.course import Course, Origin, questions_of, usual_lookahead
from arena_tui.engine.forecast_judge import StandIn
from arena_tui.engine.lane import Lane, Pending, StartQueue
from arena_tui.facts import Match
from arena_tui.judging.base import FREE, Question, Usage
from arena_tui.settings import Tournament
from arena_tui.vocabulary import PLAYING, StopReason

MOST_PER_CANDIDATE = 200  # matches per candidate after which a simulation is given up as endless


@dataclass(frozen=True, slots=True)
class Simulated:
    """One simulated run. `usage` sums what the judge says each comparison costs, `calls` its requests to
    models, `stop_reasons` holds what ended its groups and the run; not `ended`: it was given up as endless.

    `leaders_right` is the share of groups whose leader at the end is the strongest, None when nobody looked.
    `stands_for` is the number of groups that the figures were scaled to, 0 where all were simulated.
    """

    matches: int
    comparisons: int
    debates: int
    seconds: float
    usage: Usage
    stop_reasons: tuple[StopReason, ...]
    ended: bool
    calls: int = 0
    leaders_right: float | None = None
    stands_for: int = 0


@dataclass(frozen=True, slots=True)
class Range:
    """The least, the median and the most over the simulations."""

    low: float
    middle: float
    high: float

    @classmethod
    def over(cls, values: Iterable[float]) -> Range:
        """The range of `values`."""
        ordered = sorted(values)
        return cls(ordered[0], median(ordered), ordered[-1])


async def simulate(tournament: Tournament, pool: Pool, seed: int, *, leaders: bool = False) -> Simulated:
    """One run on a virtual clock. Limits cut it as they would: a match starts when its worst case fits.

    `leaders`: also look whether the strongest came out first, which may take a fit a group.
    """
    simulation = _Simulation(tournament, pool, seed)
    while (ended_by := simulation.start()) is None:
        await simulation.finish_one()
        await asyncio.sleep(0)  # nothing above waits for anything: here a forecast can be given up
    return simulation.result(ended_by, leaders=leaders)


EndedBy = Literal["ITSELF", "BUDGET", "WALL_CLOCK", "ENDLESS"]


class _Simulation:
    """The engine's rules on a virtual clock: `start` what may start, then `finish_one`, and again."""

    def __init__(self, tournament: Tournament, pool: Pool, seed: int) -> None:
        limits = self._limits = tournament.limits
        self._judge = StandIn(tournament, pool, seed)
        spent = (limits.usd, limits.tokens, limits.per_group.usd, limits.per_group.tokens)
        self._reserves = any(most is not None for most in spent)
        lookahead = usual_lookahead(tournament, pool)
        self._course = Course(Origin("forecast", tournament, seed, lookahead, pool.groups))
        self._lanes = {id_: Lane(group) for id_, group in self._course.groups.items()}
        self._starts = StartQueue(tournament.schedule, self._lanes)
        self._budget = Budget(Account(Caps()), {id_: Account(Caps()) for id_ in self._lanes})
        self._budget.cap(limits)
        self._most = MOST_PER_CANDIDATE * sum(len(group.entrants) for group in pool.playable)
        self._full: set[str] = set()  # groups whose next match does not fit their own limits
        self._busy: list[tuple[float, int, Lane, Pending, Question]] = []
        self._clock = 0.0
        self._usage = FREE
        self._comparisons = self._debates = self._calls = 0
        for lane in self._lanes.values():
            _advance(self._course, lane, self._starts)

    def start(self) -> EndedBy | None:
        """Fill the free slots, unless time is up; what ended the run when nothing is under way then."""
        limit = self._limits.wall_clock
        if limit is not None and self._clock >= limit:
            return None if self._busy else "WALL_CLOCK"
        why: EndedBy = "ITSELF"
        while len(self._busy) < self._limits.concurrency and (first := self._starts.first()) is not None:
            lane, pending = first
            if not pending.started:
                if self._budget.run.matches >= self._most:
                    why = "ENDLESS"
                    break
                self._price(pending)
                if self._budget.run.obstacle(pending.worst_case, new_match=True) is not None:
                    why = "BUDGET"
                    break
                if not self._begin(lane, pending):
                    continue
            self._ask(lane, pending)
        return None if self._busy else why

    def _begin(self, lane: Lane, pending: Pending) -> bool:
        """Reserve a match's worst case; False, and the group waits, when its own limits leave no room."""
        group, worst = lane.group.id, pending.worst_case
        if self._budget.groups[group].obstacle(worst, new_match=True) is not None:
            self._full.add(group)
            self._starts.set_aside(lane)
            return False
        self._budget.start(group, worst, new_match=True)
        pending.started = True
        self._debates += pending.step.mode == "debate"
        return True

    def _price(self, pending: Pending) -> None:
        """Note the worst case of a match's comparisons; nothing where no limit looks at it."""
        for orientation in pending.to_ask:
            worst = self._judge.worst(pending.questions[orientation]) if self._reserves else FREE
            pending.worst[orientation] = Cost.at_most(worst)

    def _ask(self, lane: Lane, pending: Pending) -> None:
        question = pending.questions[pending.to_ask.popleft()]
        self._starts.offer(lane)
        self._comparisons += 1
        self._calls += self._judge.calls(question)
        done = self._judge.done(question, self._clock)
        heapq.heappush(self._busy, (done, self._comparisons, lane, pending, question))

    async def finish_one(self) -> None:
        """Move the clock to the next reply and do what follows from it."""
        self._clock, _, lane, pending, question = heapq.heappop(self._busy)
        verdict = await self._judge.verdict(question)
        used = self._judge.usual(question)
        self._usage += used
        group, worst, spent = lane.group.id, pending.worst[question.orientation], Cost.of(used)
        self._budget.settle(group, worst, spent)
        if group in self._full and spent != worst:  # some of what was reserved came back
            self._full.remove(group)
            self._starts.offer(lane)
        if pending.take(question.orientation, verdict):
            lane.group.order.arrive(pending.step)
            _advance(self._course, lane, self._starts)

    def result(self, ended_by: EndedBy, *, leaders: bool) -> Simulated:
        """What the run amounts to."""
        closings = [group.closing or group.exhausted() for group in self._course.groups.values()]
        reasons = dict.fromkeys(closing.reason for closing in closings if closing is not None)
        if self._full:
            reasons["BUDGET"] = None
        if ended_by in ("BUDGET", "WALL_CLOCK"):
            reasons[ended_by] = None
        return Simulated(
            matches=self._budget.run.matches,
            comparisons=self._comparisons,
            debates=self._debates,
            seconds=self._clock,
            usage=self._usage,
            stop_reasons=tuple(reasons),
            ended=ended_by != "ENDLESS",
            calls=self._calls,
            leaders_right=self._leaders_right() if leaders else None,
        )

    def _leaders_right(self) -> float | None:
        """Among all classes of all groups, the share whose leader is the strongest of those who play.

        None where nobody has anybody to meet, and where systems are ranked by a fit over several groups.
        """
        course = self._course
        if course.tournament.compare == "systems" and course.texts is None:
            return None
        right = []
        for run in course.groups.values():
            ahead = {id_ for id_, _ in run.format.leaders(1).top}
            classes: dict[str | None, list[Candidate]] = {}
            for candidate in run.group.entrants:
                if candidate.state in PLAYING:
                    classes.setdefault(candidate.class_, []).append(candidate)
            for members in classes.values():
                if len(members) > 1:
                    right.append(max(members, key=self._strength).id in ahead)
        return sum(right) / len(right) if right else None

    def _strength(self, entrant: Candidate) -> float:
        """What the simulation gave the candidate, or a system's texts on average."""
        texts = self._course.texts
        written = [entrant] if texts is None else texts.written_by(entrant.id)
        return sum(map(self._judge.strength, written)) / len(written)


def _advance(course: Course, lane: Lane, starts: StartQueue) -> None:
    """The engine's rule: apply one due outcome, refill, look again."""
    _refill(course, lane)
    while (pending := lane.ready()) is not None:
        said = lane.outcome(pending)
        course.apply(lane.group, pending.step, said.winner, said.p_a, said.reason, lane.said(pending))
        lane.done(pending)
        _refill(course, lane)
    starts.offer(lane)


def _refill(course: Course, lane: Lane) -> None:
    while (planned := course.choose(lane.group)) is not None:
        _, step_id, step = planned
        lane.plan(_pending(course, step_id, step))


def _pending(course: Course, step_id: int, step: Match) -> Pending:
    return Pending(step, step_id, 0, questions_of(course, step), deque(step.orders))
