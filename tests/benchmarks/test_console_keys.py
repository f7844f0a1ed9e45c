"""What the console costs and how soon it answers while 64 debates stream: keys, the event loop, the CPU."""

from __future__ import annotations

import json
import sys
import time
from dataclasses import dataclass, field
from pathlib import Path
from random import Random

import pytest
from console_probe import mark
from console_pty import KEY, Watched
from report import heading, quantile, show

pytestmark = pytest.mark.benchmark

STREAMS, ENTRANTS = 64, 96
ARENA = [sys.executable, "-m", "arena_tui"]
PROBE = [sys.executable, str(Path(__file__).with_name("console_probe.py"))]
WINDOW = 20.0  # seconds over which CPU time is taken
WARM = 4.0  # seconds until 64 debates are under way
FILE = """\
name: streams
task: Which plan is better?
candidates: pool.jsonl
format: elo
judge:
  kind: llm
  mode: debate
  model: mock:panel
  latency: {{mean: {seconds}, cv: 0.3}}
limits: {{concurrency: {streams}, matches: 100000}}
stop: none
seed: 5
"""
# Each with as many presses as make it come up again and again; every one leads to one action.
ROUND = (
    ("1", *("down",) * 8, *("up",) * 5, ">", "<", "r", "r"),
    ("2", "[", "[", "]", "[", "]", "f", "down", "up"),
    ("3", *("down",) * 6, *("up",) * 4),
    ("4", "space", "space", "z", "z"),
)


def tournament(folder: Path, seconds: float = 6.0) -> Path:
    """A file of debates between candidates that have parents; a call takes `seconds` on average."""
    rng = Random(1)
    words = ["".join(rng.choices("abcdefghijklmnop", k=6)) for _ in range(500)]
    with (folder / "pool.jsonl").open("w", encoding="utf-8") as pool:
        for number in range(ENTRANTS):
            row = {
                "id": f"c{number}",
                "title": f"Plan {number} of {rng.choice(words)}",
                "text": " ".join(rng.choices(words, k=60)),
                "strength": rng.gauss(0, 1),
            }
            if number >= 24:
                row["parent_ids"] = [f"c{rng.randrange(number)}"]
            pool.write(json.dumps(row) + "\n")
    file = folder / "streams.yaml"
    file.write_text(FILE.format(streams=STREAMS, seconds=seconds), encoding="utf-8")
    return file


@dataclass
class Notes:
    """What a probe wrote down."""

    actions: dict[int, tuple[str, int, int]] = field(default_factory=dict)
    lags: list[int] = field(default_factory=list)
    deltas: int = 0

    @classmethod
    def read(cls, file: Path) -> Notes:
        """Of the lines that are whole."""
        notes = cls()
        for line in file.read_text(encoding="utf-8").splitlines(keepends=True):
            if not line.endswith("\n"):
                continue
            kind, *rest = json.loads(line)
            if kind == "action":
                notes.actions[rest[0]] = (rest[1], rest[2], rest[3])
            elif kind == "lag":
                notes.lags += rest
            else:
                notes.deltas = rest[0]
        return notes


def started(watched: Watched) -> None:
    """Ready, Enter, and the debates are under way."""
    watched.wait_bytes(b"Enter starts")
    watched.press("\r")
    watched.wait_bytes(b"RUNNING")
    time.sleep(WARM)


def test_keys_are_answered_while_64_debates_stream(tmp_path: Path) -> None:
    file, notes_file = tournament(tmp_path), tmp_path / "notes"
    env = {"ARENA_HOME": str(tmp_path / "home")}
    rng = Random(2)
    pressed: list[tuple[str, int, int]] = []  # key, when written, when its mark came
    with Watched([*PROBE, str(notes_file), str(file)], env=env, cwd=tmp_path, draws=False) as watched:
        started(watched)
        before, began = len(watched.bytes), time.monotonic()
        deltas = Notes.read(notes_file).deltas
        first = max(Notes.read(notes_file).actions, default=0)
        number = first
        for _ in range(6):
            for part in ROUND:
                for key in part:
                    number += 1
                    since = len(watched.bytes)
                    at = watched.press(KEY.get(key, key))
                    painted = watched.wait_bytes(mark(number), since, timeout=10)
                    pressed.append((key, at, painted))
                    time.sleep(rng.uniform(0.03, 0.12))
        seconds, written = time.monotonic() - began, len(watched.bytes) - before
        time.sleep(0.5)
        notes = Notes.read(notes_file)
    actions = [notes.actions[first + at] for at in range(1, len(pressed) + 1)]
    to_action = [(done - at) / 1e6 for (_, at, _), (_, _, done) in zip(pressed, actions, strict=True)]
    to_paint = [(painted - at) / 1e6 for _, at, painted in pressed]
    heading(
        f"{len(pressed)} keys in a terminal of 120 x 40 while {STREAMS} debates stream "
        f"({(notes.deltas - deltas) / seconds / STREAMS:.0f} pieces/s each; {written / seconds / 1024:.0f} "
        "KB/s to the terminal)"
    )
    for what, times, bar in (("key to action done", to_action, 100.0), ("key to painted", to_paint, None)):
        for name, share in (("p50", 0.5), ("p95", 0.95), ("max", 1.0)):
            show(f"{what}, {name}", quantile(times, share), "ms", at_most=bar if name == "p95" else None)
    slowest = sorted(zip(to_action, to_paint, actions, strict=True), reverse=True)[:3]
    print("  slowest:", ", ".join(f"{action[0]} {a:.0f} ms, painted {p:.0f}" for a, p, action in slowest))
    lags = [lag / 1e6 for lag in notes.lags]
    for name, share, most in (("p50", 0.5, None), ("p99", 0.99, 20.0), ("max", 1.0, None)):
        show(f"loop lag {name} of {len(lags):,} looks", quantile(lags, share), "ms", at_most=most)
    assert [name for name, _, _ in actions]


def cpu_share(watched: Watched) -> float:
    """CPU time of the process over a while, in % of a processor."""
    cpu, start = watched.cpu(), time.monotonic()
    time.sleep(WINDOW)
    return 100 * (watched.cpu() - cpu) / (time.monotonic() - start)


@pytest.mark.parametrize(("columns", "rows"), [(120, 40), (200, 60)])
def test_the_console_takes_a_part_of_a_processor(tmp_path: Path, columns: int, rows: int) -> None:
    file, env = tournament(tmp_path), {"ARENA_HOME": str(tmp_path / "home")}
    with Watched([*ARENA, "--no-ui", "--new", str(file)], env=env, cwd=tmp_path, draws=False) as watched:
        time.sleep(WARM)
        headless = cpu_share(watched)
    with Watched(
        [*ARENA, "--new", str(file)], env=env, cwd=tmp_path, draws=False, columns=columns, rows=rows
    ) as watched:
        started(watched)
        whole = cpu_share(watched)
    heading(f"CPU with {STREAMS} debates that stream, {WINDOW:g} s each, {columns} x {rows}")
    show("the whole console process", whole, "%", floor=headless, floor_is="the same run headless")
    show("the console's own share", whole - headless, "%", at_most=30)
