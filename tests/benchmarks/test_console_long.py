"""The console with 10,000 candidates, and with 100,000 matches in the journal."""

from __future__ import annotations

import json
import re
import time
from pathlib import Path
from random import Random

import long_journal
import pytest
from console_probe import mark
from console_pty import KEY, Watched
from report import heading, quantile, show
from test_console_keys import ARENA, PROBE, Notes

pytestmark = pytest.mark.benchmark

ENTRANTS, MATCHES = 10_000, 100_000
ROUNDS = 5
RUN_SECONDS = 12.0  # of simulated matches that take no time
FLAT_OUT = """\
name: many
candidates: pool.jsonl
format: elo
format: elo
judge: {{kind: simulated}}
limits: {{concurrency: 64, matches: {matches}}}
stop: none
seed: 1
"""
RANKS = re.compile(r"^│ *1 .*\d- *\d+- *\d", re.MULTILINE)


def tournament(folder: Path, matches: int) -> Path:
    """A file of 10,000 candidates, a simulated judge that takes no time, and a limit on matches."""
    rng = Random(1)
    words = ["".join(rng.choices("abcdefghijklmnop", k=6)) for _ in range(5_000)]
    with (folder / "pool.jsonl").open("w", encoding="utf-8") as pool:
        for number in range(ENTRANTS):
            text = " ".join(rng.choices(words, k=60))
            row = {"id": f"c{number}", "title": f"Plan {number}", "text": text, "strength": rng.gauss(0, 1)}
            pool.write(json.dumps(row) + "\n")
    file = folder / "many.yaml"
    file.write_text(FLAT_OUT.format(matches=matches), encoding="utf-8")
    return file


def test_ten_thousand_candidates(tmp_path: Path) -> None:
    file, notes_file = tournament(tmp_path, 100_000), tmp_path / "notes"
    env = {"ARENA_HOME": str(tmp_path / "home")}
    with Watched([*PROBE, str(notes_file), str(file)], env=env, cwd=tmp_path) as watched:
        ready = watched.wait_text("Enter starts")
        started = watched.press("\r")
        running = watched.wait_text(lambda text: "RUNNING" in text and RANKS.search(text) is not None)
        time.sleep(0.5)
        before = len(Notes.read(notes_file).lags)
        time.sleep(RUN_SECONDS)
        during = Notes.read(notes_file)
        lags = during.lags[before:]
        painted = []
        number = max(during.actions, default=0)
        for _ in range(40):
            number += 1
            since = len(watched.bytes)
            at = watched.press(KEY["pagedown"])
            painted.append((watched.wait_bytes(mark(number), since, timeout=20) - at) / 1e6)
            time.sleep(0.05)
        actions = Notes.read(notes_file).actions
        watched.press("a")
        watched.wait_text("Abort the run?")
        watched.press("a")
        watched.wait_text("EXTERNAL")
    heading(f"{ENTRANTS:,} candidates, a simulated judge that takes no time")
    show("process start to Ready", (ready - watched.started) / 1e9, "s")
    show("Enter to the running board with its first outcomes", (running - started) / 1e9, "s")
    for name, share, bar in (("p50", 0.5, None), ("p99", 0.99, 20.0), ("max", 1.0, None)):
        show(f"loop lag {name} of {len(lags):,} looks", quantile(lags, share) / 1e6, "ms", at_most=bar)
    for name, share in (("p50", 0.5), ("p95", 0.95), ("max", 1.0)):
        show(f"PageDown to painted, {name}", quantile(painted, share), "ms")
    assert actions[number][0] == "page_rows_down"


def test_a_hundred_thousand_matches_are_opened_from_home(tmp_path: Path) -> None:
    runs = tmp_path / "home" / "runs"
    runs.mkdir(parents=True)
    long_journal.write(runs / f"{long_journal.RUN}.db", matches=MATCHES, entrants=64, words=20, whole=True)
    env = {"ARENA_HOME": str(tmp_path / "home")}
    opened, cpus, homes = [], [], []
    for _ in range(ROUNDS):
        with Watched(ARENA, env=env, cwd=tmp_path) as watched:
            home = watched.wait_text(lambda text: "100,000" in text)
            homes.append((home - watched.started) / 1e6)
            time.sleep(0.5)
            cpu, at = watched.cpu(), watched.press("\r")
            board = watched.wait_text(lambda text: "Leaderboard" in text and RANKS.search(text) is not None)
            opened.append((board - at) / 1e9)
            cpus.append(watched.cpu() - cpu)
    heading(f"{MATCHES:,} matches among 64, in a terminal, median of {ROUNDS}")
    show("`arena` to Home with the run in it", quantile(homes, 0.5), "ms")
    show("Enter in Home to the board with ranks", quantile(opened, 0.5), "s", at_most=1)
    show("CPU of that", quantile(cpus, 0.5), "s")
