"""How long it takes from the start of a process to the console's first frame, and to the screen asked for.

Beside an app of four static panes, started the same way, in turns.
"""

from __future__ import annotations

import os
import statistics
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
from console_pty import Spent, spent_until
from console_runs import tournament
from report import heading, show

pytestmark = pytest.mark.benchmark

TIMES = 12
ARENA = [sys.executable, "-m", "arena_tui"]
BARE = [sys.executable, str(Path(__file__).with_name("bare_console.py"))]


def test_the_first_frame_comes_as_from_a_bare_app(tmp_path: Path) -> None:
    home = tmp_path / "home"
    file = str(tournament(tmp_path, matches=40, pairwise=0, debate=0))
    env = {"ARENA_HOME": str(home)}
    starts: dict[str, tuple[list[str], str | Callable[[str], bool]]] = {
        "bare": (BARE, "right pane two"),
        "`arena`, first frame": (ARENA, "arena"),
        "`arena`, Home": (ARENA, "examples that come"),
    }
    taken: dict[str, list[Spent]] = {}
    _alternate(starts, taken, env, tmp_path)
    subprocess.run(
        [*ARENA, "--no-ui", "--quiet", file], env={**os.environ, **env}, check=False, capture_output=True
    )
    starts = {
        "bare": (BARE, "right pane two"),
        "`arena FILE`, first frame": ([*ARENA, "--new", file], "arena"),
        "`arena FILE`, Ready": ([*ARENA, "--new", file], "Enter starts"),
        "`arena watch`, first frame": ([*ARENA, "watch"], "arena"),
        "`arena watch`, the board": ([*ARENA, "watch"], "BUDGET"),
    }
    _alternate(starts, taken, env, tmp_path)
    heading(f"First frame in a terminal of 120 x 40, median of {TIMES} starts in turns")
    floor = _median(taken.pop("bare"))
    for what, each in taken.items():
        figure = _median(each)
        bar = 1.3 if "first frame" in what else None
        for kind in ("wall", "cpu"):
            show(
                f"{what}, {kind}",
                getattr(figure, kind) * 1e3,
                "ms",
                floor=getattr(floor, kind) * 1e3,
                floor_is="four static panes",
                ratio_at_most=bar,
            )


def _alternate(
    starts: dict[str, tuple[list[str], str | Callable[[str], bool]]],
    taken: dict[str, list[Spent]],
    env: dict[str, str],
    folder: Path,
) -> None:
    for argv, wanted in starts.values():
        spent_until(argv, wanted, env=env, cwd=folder)  # compiles what is not compiled yet
    for _ in range(TIMES):
        for name, (argv, wanted) in starts.items():
            taken.setdefault(name, []).append(spent_until(argv, wanted, env=env, cwd=folder))


def _median(taken: list[Spent]) -> Spent:
    return Spent(
        statistics.median(each.wall for each in taken), statistics.median(each.cpu for each in taken)
    )
