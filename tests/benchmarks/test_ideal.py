"""How close a run comes to judges that are never kept waiting: 50 ms a comparison, 64 in flight."""

from __future__ import annotations

import asyncio
import statistics
import time
from pathlib import Path

import engine_runs
import pytest
from engine_runs import IN_FLIGHT, Measured, Sleep
from fixed_schedule import all_pairwise, replacing_elo
from law_alone import finish, play
from report import heading, show

from arena_tui.judging.base import Question
from arena_tui.judging.simulated import SimulatedJudge

pytestmark = pytest.mark.benchmark

LATENCY = 0.05
MATCHES = 100 * IN_FLIGHT


def runs_of(folder: Path, cv: float, sleep: Sleep | None = None) -> list[Measured]:
    runs = []
    for number in range(3):
        with replacing_elo(MATCHES):
            db = engine_runs.create(folder / f"{number}.db", 64, latency={"mean": LATENCY, "cv": cv})
            runs.append(engine_runs.run(db, sleep=sleep))
    assert {run.matches for run in runs} == {MATCHES}
    return runs


async def bare() -> float:
    """Seconds that asyncio alone takes for the same sleeps behind a semaphore."""
    free = asyncio.Semaphore(IN_FLIGHT)

    async def slept() -> None:
        await asyncio.sleep(LATENCY)
        free.release()

    start = time.perf_counter()
    async with asyncio.TaskGroup() as tasks:
        for _ in range(MATCHES):
            await free.acquire()
            tasks.create_task(slept())
    return time.perf_counter() - start


def test_wall_time_beside_the_ideal(tmp_path: Path) -> None:
    """The floor: comparisons x 50 ms / 64, as if a slot were never empty."""
    heading(f"Against the ideal: {MATCHES:,} comparisons of 50 ms, {IN_FLIGHT} in flight")
    runs = runs_of(tmp_path, 0.0)
    wall = statistics.median(run.wall for run in runs)
    ideal = MATCHES * LATENCY / IN_FLIGHT
    show("wall", wall, "s", floor=ideal, floor_is="never an empty slot", ratio_at_most=1.15)
    show("wall", wall, "s", floor=asyncio.run(bare()), floor_is="asyncio alone")
    show("of which CPU", statistics.median(run.cpu for run in runs), "s")


def test_wall_time_when_lengths_vary(tmp_path: Path) -> None:
    """At the default lookahead the order of outcomes itself costs time: that is the floor here."""
    heading(f"The same with lengths of cv 0.5, lookahead {2 * IN_FLIGHT}")
    lengths: dict[int, float] = {}

    async def sleep(judge: SimulatedJudge, question: Question) -> None:
        lengths[question.seq] = length = judge.latency(question)
        await asyncio.sleep(length)

    runs = runs_of(tmp_path, 0.5, sleep)
    law = play([lengths[seq] for seq in range(1, MATCHES + 1)], all_pairwise, "seq", 2 * IN_FLIGHT)
    wall = statistics.median(run.wall for run in runs)
    show("wall", wall, "s", floor=finish(law), floor_is="the law alone")
