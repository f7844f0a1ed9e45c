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

pytestmark = pytest.mark.benchmark

MATCHES = 12_000
RUNS = 3


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


def tell(what: str, runs: list[Measured], sync: float, rows: float, speed_bar: float | None = None) -> None:
    speed = statistics.median(run.matches / run.wall for run in runs)
    show(f"{what}: durable speed", speed, "matches/s", at_least=speed_bar)
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
    tell("round robin", runs, sync, rows, speed_bar=3_000)


@pytest.mark.parametrize("size", [64, 1_000])
def test_cpu_of_a_match_with_everything_on(tmp_path: Path, size: int) -> None:
    """Elo's own choice of pairs and the snapshots of its stop rule, a budget of tokens and money that every
    call reserves and settles, every reply stored before it is read, plain lines and event lines."""
    heading(f"Everything on: Elo among {size:,}, snapshots, budget, stored replies, both listeners")
    sync, rows = fdatasync_seconds(tmp_path), rows_alone(tmp_path / "rows.db")
    usage = {"input_tokens": 900, "output_tokens": 100, "usd": 0.001}
    runs = []
    for number in range(RUNS):
        db = engine_runs.create(
            tmp_path / f"{number}.db",
            size,
            usage=usage,
            snapshots=True,
            matches=MATCHES,
            tokens=10**9,
            usd=1000,
        )
        with engine_runs.displays(tmp_path) as shown:
            runs.append(engine_runs.run(db, shown=shown))
    tell(f"Elo, N = {size:,}", runs, sync, rows)
    # The last few verdicts may be held behind a gap when the limit on matches is reached.
    assert all(MATCHES - 4 * engine_runs.IN_FLIGHT <= run.matches <= MATCHES for run in runs)
    told = (tmp_path / "events.jsonl").read_text(encoding="utf-8").count('"kind": "match"')
    assert told == sum(run.matches for run in runs)
