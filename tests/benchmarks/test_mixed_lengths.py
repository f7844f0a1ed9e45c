"""How busy the slots are when some matches are debates, 15 times as long as the others.

Outcomes wait for their place in the order, so a long match in front may starve the window; applying by
virtual finish keeps it moving. The law alone, in virtual time and without an engine, is the floor; runs
that apply outcomes as they arrive stand beside it.
"""

from __future__ import annotations

import asyncio
import time
from pathlib import Path

import engine_runs
import pytest
from engine_runs import IN_FLIGHT
from fixed_schedule import debates, replacing_elo
from law_alone import Calls, busy_share, finish, play
from report import heading, show

from arena_tui.engine.order import Ordering
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


@pytest.mark.parametrize("share", BARS)
def test_slots_stay_busy_when_some_matches_are_long(tmp_path: Path, share: float) -> None:
    count = matches_for(share)
    heading(f"Mixed lengths: {share:.0%} debates, {count:,} matches, lookahead {LOOKAHEAD}")
    in_order = real(tmp_path / "seq.db", share, "seq")
    arrival = real(tmp_path / "arrival.db", share, "arrival")
    assert len(in_order) == len(arrival) == count
    lengths, mode_of = [length for _, length in in_order], debates(share)
    by_law = play(lengths, mode_of, "seq", LOOKAHEAD)
    show(
        "slots busy, one order at any latency",
        busy_share(in_order),
        floor=busy_share(by_law),
        floor_is="the law alone",
        at_least=BARS[share],
    )
    show("seconds, the last long matches included", finish(in_order), "s", floor=finish(by_law))
    by_law = play(lengths, mode_of, "arrival", LOOKAHEAD)
    show(
        "slots busy, applied as they arrive",
        busy_share(arrival),
        floor=busy_share(by_law),
        floor_is="the law alone",
    )
    narrow = play(lengths, mode_of, "seq", 2 * IN_FLIGHT)
    show("the law alone at the default lookahead, 2x", busy_share(narrow))
