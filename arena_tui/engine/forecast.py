"""`arena plan`: what a run would take, found by running its real format against a simulated judge.

The same `Course`, lanes and start order as the engine uses, on a virtual clock instead of a judge's
time: there is no second formula for how many matches a format plays. Nothing is stored.
"""

from __future__ import annotations

import heapq
from collections import deque
from collections.abc import Iterable
from dataclasses import dataclass
from statistics import median

from arena_tui.candidate import Pool
from arena_tui.engine.course import Course, Origin, questions_of
from arena_tui.engine.lane import Lane, Pending, StartQueue
from arena_tui.engine.order import default_lookahead
from arena_tui.facts import Match
from arena_tui.judging.base import Question, Usage
from arena_tui.judging.desk import judge_alone
from arena_tui.judging.simulated import SimulatedJudge
from arena_tui.settings import SimulatedJudge as SimulatedSettings
from arena_tui.settings import Tournament
from arena_tui.vocabulary import Mode, StopReason

SECONDS: dict[Mode, float] = {"pairwise": 2.0, "score": 2.0, "debate": 30.0}
"""What a comparison is taken to last where the judge's own latency is not known."""
MOST_PER_CANDIDATE = 200  # matches per candidate after which a simulation is given up as endless


@dataclass(frozen=True, slots=True)
class Simulated:
    """One simulated run. `usage` sums what the judge says each comparison costs."""

    matches: int
    comparisons: int
    debates: int
    seconds: float
    usage: Usage
    stop_reasons: tuple[StopReason, ...]
    ended: bool


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


async def simulate(tournament: Tournament, pool: Pool, seed: int) -> Simulated:
    """One run on a virtual clock. Limits of matches, tokens, money and time cut it as they would."""
    judge = _judge(tournament, pool, seed)
    limits = tournament.limits
    lookahead = limits.lookahead or default_lookahead(limits.concurrency, len(pool.playable))
    course = Course(Origin("forecast", tournament, seed, lookahead, pool.groups))
    lanes = {id_: Lane(group) for id_, group in course.groups.items()}
    starts = StartQueue(tournament.schedule, lanes)
    entrants = sum(len(group.entrants) for group in pool.playable)
    most = min(limits.matches or MOST_PER_CANDIDATE * entrants, MOST_PER_CANDIDATE * entrants)
    clock = 0.0
    counts = {"matches": 0, "comparisons": 0, "debates": 0}
    tokens, usd = [0, 0], 0.0
    busy: list[tuple[float, int, Lane, Pending, Question]] = []
    for lane in lanes.values():
        _advance(course, lane, starts)
    while True:
        while len(busy) < limits.concurrency and (first := starts.first()) is not None:
            lane, pending = first
            if not pending.started:
                if counts["matches"] >= most or _over(limits.usd, usd) or _over(limits.tokens, sum(tokens)):
                    break
                pending.started = True
                counts["matches"] += 1
                counts["debates"] += pending.step.mode == "debate"
            question = pending.questions[pending.to_ask.popleft()]
            starts.offer(lane)
            counts["comparisons"] += 1
            heapq.heappush(
                busy, (clock + _seconds(judge, question), counts["comparisons"], lane, pending, question)
            )
        if not busy or _over(limits.wall_clock, clock):
            break
        clock, _, lane, pending, question = heapq.heappop(busy)
        verdict, replies = await judge_alone(judge, question)
        for reply in replies:
            tokens[0] += reply.usage.input_tokens
            tokens[1] += reply.usage.output_tokens
            usd += reply.usage.usd or 0.0
        if pending.take(question.orientation, verdict):
            lane.group.order.arrive(pending.step)
            _advance(course, lane, starts)
    closings = [group.closing for group in course.groups.values()]
    return Simulated(
        **counts,
        seconds=clock,
        usage=Usage(tokens[0], 0, tokens[1], usd),
        stop_reasons=tuple(closing.reason for closing in closings if closing is not None),
        ended=all(closing is not None for closing in closings)
        or counts["matches"] >= (limits.matches or 1 << 60),
    )


def _advance(course: Course, lane: Lane, starts: StartQueue) -> None:
    """The engine's rule: apply one due outcome, refill, look again."""
    _refill(course, lane)
    while (pending := lane.ready()) is not None:
        said = lane.outcome(pending)
        course.apply(lane.group, pending.step, said.winner, said.p_a, said.reason)
        lane.done(pending)
        _refill(course, lane)
    starts.offer(lane)


def _refill(course: Course, lane: Lane) -> None:
    while (planned := course.choose(lane.group)) is not None:
        _, step_id, step = planned
        lane.plan(_pending(course, step_id, step))


def _pending(course: Course, step_id: int, step: Match) -> Pending:
    return Pending(step, step_id, 0, questions_of(course, step), deque(step.orders))


def _judge(tournament: Tournament, pool: Pool, seed: int) -> SimulatedJudge:
    """The tournament's own simulation, or a plain one that stands for any other judge."""
    settings = tournament.judge
    if not isinstance(settings, SimulatedSettings):
        settings = SimulatedSettings()
    everyone = [candidate for group in pool.groups for candidate in group.candidates]

    async def no_sleep(_question: Question) -> None:
        return None

    return SimulatedJudge(settings, seed=seed, candidates=everyone, sleep=no_sleep)


def _seconds(judge: SimulatedJudge, question: Question) -> float:
    return judge.latency(question) or SECONDS[question.mode]


def _over(limit: float | None, used: float) -> bool:
    return limit is not None and used >= limit
