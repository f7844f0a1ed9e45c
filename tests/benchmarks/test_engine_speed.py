"""How many matches a second the whole engine makes durable, and what a match costs in CPU.

A zero-latency simulated judge, 64 in flight, synchronous=FULL. The floor of the speed is the disk: each
commit waits for an fdatasync. The floor of the CPU is the same rows through the writer alone.
"""

from __future__ import annotations

import statistics
import time
from pathlib import Path

import engine_runs
import pytest
from engine_runs import Measured
from fixed_schedule import replacing_elo
from report import fdatasync_seconds, heading, show
from test_writer_speed import Load

from arena_tui.engine.events import Event

pytestmark = pytest.mark.benchmark

MATCHES = 12_000
RUNS = 3


class Heard:
    """A listener that counts, as cheap as one can be."""

    def __init__(self) -> None:
        self.events = 0

    def __call__(self, event: Event) -> None:
        self.events += 1


def rows_alone(path: Path) -> float:
    """CPU seconds a match of the same plan, verdict and outcome rows through the writer, no engine."""
    load = Load(path)
    cpu = time.process_time()
    for seq in range(1, MATCHES + 1):
        load.match(seq)
        while load.writer.backlog > 3 * engine_runs.IN_FLIGHT:
            load.committed.wait(60)
            load.committed.clear()
    assert load.writer.close(60)
    return (time.process_time() - cpu) / MATCHES


def tell(what: str, runs: list[Measured], sync: float, rows: float) -> None:
    speed = statistics.median(run.matches / run.wall for run in runs)
    show(f"{what}: durable speed", speed, "matches/s", at_least=3_000)
    cpu = statistics.median(run.cpu / run.matches for run in runs)
    show(
        f"{what}: CPU a match",
        cpu * 1e3,
        "ms",
        floor=rows * 1e3,
        floor_is="the rows alone",
        at_most=1.0,
    )
    wall = statistics.median(run.wall for run in runs)
    commits = statistics.median(run.commits for run in runs)
    show(
        f"{what}: wall",
        wall,
        "s",
        floor=commits * sync,
        floor_is=f"{commits:,.0f} commits x fdatasync {sync * 1e3:.2f} ms",
    )


def test_durable_matches_a_second_with_a_fixed_schedule(tmp_path: Path) -> None:
    """Pair choice excluded, nobody listens."""
    heading("Durable engine, round robin of 64, 64 in flight, zero-latency judge")
    sync, rows = fdatasync_seconds(tmp_path), rows_alone(tmp_path / "rows.db")
    runs = []
    for number in range(RUNS):
        with replacing_elo(MATCHES):
            runs.append(engine_runs.run(engine_runs.create(tmp_path / f"{number}.db", 64)))
    assert {run.matches for run in runs} == {MATCHES}
    tell("round robin", runs, sync, rows)


@pytest.mark.parametrize("size", [64, 1_000])
def test_cpu_of_a_match_with_everything_on(tmp_path: Path, size: int) -> None:
    """Elo's own choice of pairs, a budget of tokens and money that every call reserves and settles, every
    reply stored before it is read, and a listener for every event."""
    heading(f"Everything on: Elo among {size:,}, budget, stored replies, listeners")
    sync, rows = fdatasync_seconds(tmp_path), rows_alone(tmp_path / "rows.db")
    heard = Heard()
    usage = {"input_tokens": 900, "output_tokens": 100, "usd": 0.001}
    runs = []
    for number in range(RUNS):
        db = engine_runs.create(
            tmp_path / f"{number}.db", size, usage=usage, matches=MATCHES, tokens=10**9, usd=1000
        )
        runs.append(engine_runs.run(db, listeners=[heard]))
    tell(f"Elo, N = {size:,}", runs, sync, rows)
    # The last few verdicts may be held behind a gap when the limit on matches is reached.
    assert all(MATCHES - 4 * engine_runs.IN_FLIGHT <= run.matches <= MATCHES for run in runs)
    assert heard.events >= 3 * sum(run.matches for run in runs)
