"""How busy the slots are when some matches are debates, 15 times as long as the others.

Outcomes wait for their place in the order, so a long match in front may starve the window; applying by
virtual finish keeps it moving. The law alone, in virtual time and without an engine, is the floor; runs
that apply outcomes as they arrive stand beside it.
"""

from __future__ import annotations

import asyncio
import heapq
import time
from collections import deque
from pathlib import Path
from random import Random

import engine_runs
import pytest
from engine_runs import IN_FLIGHT
from fixed_schedule import debates, replacing_elo
from report import heading, show

from arena_tui.engine.order import AppliedOrder, Ordering
from arena_tui.facts import Match
from arena_tui.judging.base import Question
from arena_tui.judging.simulated import SimulatedJudge

pytestmark = pytest.mark.benchmark

PAIRWISE, TIMES_LONGER, SPREAD = 0.05, 15, 0.5  # seconds, factor, cv
LOOKAHEAD = 4 * IN_FLIGHT
SECONDS = 10  # of an ideal run
LATENCY = {
    "pairwise": {"mean": PAIRWISE, "cv": SPREAD},
    "debate": {"mean": TIMES_LONGER * PAIRWISE, "cv": SPREAD},
}
BARS = {0.05: 0.75, 0.20: 0.85, 0.50: 0.90}

Calls = list[tuple[float, float]]  # (start, length) of every comparison, in seconds


def busy_share(calls: Calls) -> float:
    """Slot seconds that judges needed, by the time slots had, until the last comparison started."""
    begun, until = calls[0][0], max(start for start, _ in calls)
    used = sum(min(start + length, until) - start for start, length in calls)
    return used / (IN_FLIGHT * (until - begun))


def matches_for(share: float) -> int:
    """How many matches keep all slots busy for `SECONDS`."""
    return int(SECONDS * IN_FLIGHT / (PAIRWISE * (1 + share * (TIMES_LONGER - 1))))


def real(db: Path, share: float, ordering: Ordering) -> Calls:
    """A whole run; the lengths asked of its judge."""
    calls: Calls = []

    async def sleep(judge: SimulatedJudge, question: Question) -> None:
        length = judge.latency(question)
        calls.append((time.perf_counter(), length))
        await asyncio.sleep(length)

    with replacing_elo(matches_for(share), debates(share)):
        engine_runs.create(db, 64, latency=LATENCY, lookahead=LOOKAHEAD, ordering=ordering)
        engine_runs.run(db, sleep=sleep)
    return calls


def by_law_alone(calls: Calls, share: float, ordering: Ordering) -> Calls:
    """The same lengths by the law in virtual time: nothing but the order takes any time."""
    mode_of = debates(share)
    order = AppliedOrder(
        ordering=ordering,
        durations={"pairwise": 1.0, "debate": float(TIMES_LONGER)},
        lookahead=LOOKAHEAD,
        windowed=True,
    )
    lengths = [length for _, length in calls]
    waiting: deque[Match] = deque()
    running: list[tuple[float, int, Match]] = []
    finished: set[int] = set()
    now, planned, placed = 0.0, 0, []
    while len(placed) < len(lengths) or running:
        while True:
            while order.room() and planned < len(lengths):
                planned += 1
                step = Match("main", planned, "a", "b", mode_of(planned))
                order.plan(step)
                waiting.append(step)
            due = order.due()
            if due is None or due.seq not in finished:
                break
            order.apply(due)
        while waiting and len(running) < IN_FLIGHT:
            step = waiting.popleft()
            length = lengths[step.seq - 1]
            placed.append((now, length))
            heapq.heappush(running, (now + length, step.seq, step))
        now, seq, step = heapq.heappop(running)
        finished.add(seq)
        order.arrive(step)
    return placed


@pytest.mark.parametrize("share", BARS)
def test_slots_stay_busy_when_some_matches_are_long(tmp_path: Path, share: float) -> None:
    count = matches_for(share)
    heading(f"Mixed lengths: {share:.0%} debates, {count:,} matches, lookahead {LOOKAHEAD}")
    in_order = real(tmp_path / "seq.db", share, "seq")
    arrival = real(tmp_path / "arrival.db", share, "arrival")
    assert len(in_order) == len(arrival) == count
    law = busy_share(by_law_alone(in_order, share, "seq"))
    show(
        "slots busy, one order at any latency",
        busy_share(in_order),
        floor=law,
        floor_is="the law alone",
        at_least=BARS[share],
    )
    law = busy_share(by_law_alone(in_order, share, "arrival"))
    show("slots busy, applied as they arrive", busy_share(arrival), floor=law, floor_is="the law alone")


def test_the_law_in_virtual_time_wastes_nothing_on_equal_lengths() -> None:
    """The yardstick itself: with equal lengths the slots are full from the first start to the last."""
    calls = by_law_alone([(0.0, 1.0)] * 640, 0.0, "seq")
    assert busy_share(calls) == 1.0
    assert Random("modes:1").random() != Random("modes:2").random()
