"""How long `arena --help` takes beside an interpreter that does nothing."""

from __future__ import annotations

import resource
import statistics
import subprocess
import sys
import time
from pathlib import Path

import pytest
from report import heading, show

pytestmark = pytest.mark.benchmark

TIMES = 30


def timed(command: list[str]) -> tuple[float, float]:
    """Seconds of wall and of CPU that `command` takes."""
    before, start = resource.getrusage(resource.RUSAGE_CHILDREN), time.perf_counter()
    subprocess.run(command, check=True, stdout=subprocess.DEVNULL, timeout=60)
    wall, after = time.perf_counter() - start, resource.getrusage(resource.RUSAGE_CHILDREN)
    return wall, after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def test_help_comes_at_once() -> None:
    script = Path(sys.executable).with_name("arena")
    arena = [str(script)] if script.exists() else [sys.executable, "-m", "arena_tui"]
    commands = {"help": [*arena, "--help"], "nothing": [sys.executable, "-c", "pass"]}
    timed(commands["help"])  # compiles what is not compiled yet
    taken: dict[str, list[tuple[float, float]]] = {name: [] for name in commands}
    for _ in range(TIMES):
        for name, command in commands.items():
            taken[name].append(timed(command))
    heading(f"Start: `arena --help`, median of {TIMES}")
    for column, kind in enumerate(("wall", "CPU")):
        figure, floor = (statistics.median(row[column] for row in taken[name]) for name in commands)
        show(kind, figure * 1e3, "ms", floor=floor * 1e3, floor_is="python -c pass", ratio_at_most=8)
