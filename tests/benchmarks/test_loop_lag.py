"""How long the event loop keeps others waiting while a run goes on: what a console on it would feel."""

from __future__ import annotations

import asyncio
import time
from pathlib import Path

import engine_runs
import pytest
from report import heading, quantile, show

pytestmark = pytest.mark.benchmark

PAUSE = 0.002  # seconds between two looks
IDLE = 2.0  # seconds that the loop is watched with nothing else on it


class Probe:
    """Asks to be woken every 2 ms and notes how much later it was."""

    def __init__(self) -> None:
        self.lags: list[float] = []

    async def watch(self) -> None:
        while True:
            asked = time.perf_counter()
            await asyncio.sleep(PAUSE)
            self.lags.append(time.perf_counter() - asked - PAUSE)


async def idle() -> list[float]:
    """The lags of a loop with nothing to do."""
    probe = Probe()
    try:
        async with asyncio.timeout(IDLE):
            await probe.watch()
    except TimeoutError:
        pass
    return probe.lags


@pytest.mark.parametrize("latency", [0.0, 0.05], ids=["flat-out", "50ms"])
@pytest.mark.parametrize("size", [64, 1_000])
def test_the_event_loop_answers_during_a_run(tmp_path: Path, size: int, latency: float) -> None:
    """Plain lines and event lines on; flat out, the judge takes no time and the engine is always busy."""
    heading(f"Loop lag: Elo among {size:,}, 64 in flight, judge takes {latency * 1e3:g} ms")
    floor = asyncio.run(idle())
    probe = Probe()
    matches = 12_000 if latency == 0 else 6_000
    db = engine_runs.create(tmp_path / "run.db", size, latency=latency, snapshots=True, matches=matches)
    with engine_runs.displays(tmp_path) as shown:
        run = engine_runs.run(db, shown=shown, beside=probe.watch)
    for name, share, bar in (("p50", 0.5, None), ("p99", 0.99, 20.0), ("max", 1.0, None)):
        show(
            f"{name} of {len(probe.lags):,} looks",
            quantile(probe.lags, share) * 1e3,
            "ms",
            floor=quantile(floor, share) * 1e3,
            floor_is="an idle loop",
            at_most=bar,
        )
    assert run.matches > matches / 2
