"""How much 100,000 matches grow the process, from the 10,000th to the 110,000th."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest
from report import heading, show

pytestmark = pytest.mark.benchmark

FIRST, LAST = 10_000, 110_000


def resident(what: str, folder: Path) -> tuple[float, float]:
    """Resident MB after the first and the last match counted, in a process of its own."""
    script = Path(__file__).with_name("long_run.py")
    command = [sys.executable, str(script), what, str(FIRST), str(LAST), str(folder)]
    done = subprocess.run(command, check=True, capture_output=True, text=True, timeout=900)
    before, after = json.loads(done.stdout)
    return before / 2**20, after / 2**20


def test_a_hundred_thousand_matches_grow_the_process_little(tmp_path: Path) -> None:
    heading("Memory: a zero-latency Elo run of 64, a listener on, match 10,000 to 110,000")
    alone = resident("format", tmp_path)
    whole = resident("engine", tmp_path)
    show(
        "growth",
        whole[1] - whole[0],
        "MB",
        floor=alone[1] - alone[0],
        floor_is="the format's own log",
        at_most=20,
    )
    show("resident at the end", whole[1], "MB", floor=alone[1], floor_is="the format alone")
    assert whole[0] > 0
