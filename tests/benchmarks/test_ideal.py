"""How close a run comes to judges that are never kept waiting: 50 ms a comparison, 64 in flight."""

from __future__ import annotations

import statistics
from pathlib import Path

import engine_runs
import pytest
from fixed_schedule import replacing_elo
from report import heading, show

pytestmark = pytest.mark.benchmark

LATENCY = 0.05
MATCHES = 100 * engine_runs.IN_FLIGHT


@pytest.mark.parametrize("cv", [0.0, 0.5])
def test_wall_time_beside_the_ideal(tmp_path: Path, cv: float) -> None:
    """The floor: comparisons x 50 ms / 64, as if a slot were never empty."""
    heading(f"Against the ideal: {MATCHES:,} comparisons of 50 ms (cv {cv:g}), 64 in flight")
    runs = []
    for number in range(3):
        with replacing_elo(MATCHES):
            db = engine_runs.create(tmp_path / f"{number}.db", 64, latency={"mean": LATENCY, "cv": cv})
            runs.append(engine_runs.run(db))
    assert {run.matches for run in runs} == {MATCHES}
    show(
        "wall",
        statistics.median(run.wall for run in runs),
        "s",
        floor=MATCHES * LATENCY / engine_runs.IN_FLIGHT,
        floor_is="never an empty slot",
        ratio_at_most=1.15,
    )
    show("of which CPU", statistics.median(run.cpu for run in runs), "s")
