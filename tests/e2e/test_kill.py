"""kill -9, at random moments and at every named point: nothing paid for is lost, bought twice or doubled."""

from __future__ import annotations

import random
import shutil
import signal
import time
from collections import Counter
from pathlib import Path
from typing import Any

import pytest
from arena_cli import Arena, asked_in, assert_acknowledged_is_stored, events_of, eventually, lines_of

from arena_tui.store import inbox
from arena_tui.store.crash_points import CrashPoint
from arena_tui.store.reader import Reader

IN_FLIGHT = 32
USAGE = {"input_tokens": 100, "output_tokens": 10, "usd": 0.001}
LATENCIES: tuple[Any, ...] = (0, 0.005, 0.02, {"mean": 0.01, "cv": 0.5}, {"mean": 0.008, "cv": 1.0})
KILLS = 10  # of each run; five runs make fifty


def stored_comparisons(db: Path) -> set[tuple[str, ...]]:
    """Every comparison whose paid reply is in the database."""
    with Reader(db) as reader:
        rows = reader._conn.rows(
            "SELECT s.group_id, s.group_seq, c.orientation FROM calls c JOIN steps s ON s.id = c.step"
        )
    replies = [(group, str(seq), orientation) for group, seq, orientation in rows]
    assert len(replies) == len(set(replies)), "a reply is stored twice"
    return set(replies)


def in_flight(calls: Path, since: int) -> int:
    """How many calls had no reply yet when the sitting ended that began at line `since` of the log."""
    words = Counter(line.split()[0] for line in lines_of(calls)[since:])
    return words["asked"] - words["replied"]


@pytest.mark.parametrize("number", range(len(LATENCIES)))
def test_run_killed_ten_times_at_random_moments_ends_like_the_unbroken_run(arena: Arena, number: int) -> None:
    moments = random.Random(f"kill:{number}")
    candidates = [{"id": f"c{i}", "text": f"text {i}"} for i in range(12)]
    judge = {"kind": "simulated", "latency": LATENCIES[number], "usage": USAGE}
    limits = {"wall_clock": "1h", "concurrency": IN_FLIGHT}
    file = arena.tournament(candidates=candidates, judge=judge, limits=limits)
    db, told, calls = arena.folder / "run.db", arena.folder / "events", arena.folder / "calls"
    kept: set[tuple[str, ...]] = set()
    for kill in range(KILLS):
        before, since = len(events_of(told)), len(lines_of(calls))
        running = arena.start(
            "--no-ui", "--quiet", "--db", db, "--events", told, file, driver={"calls": calls}
        )
        if kill % 3 == 0:  # in start-up, which takes about 0.3 s
            time.sleep(moments.uniform(0.05, 0.35))
        else:
            eventually(lambda b=before: len(lines_of(told)) > b + 40, "matches")  # type: ignore[misc]
            time.sleep(moments.uniform(0, 0.1))
        running.kill()
        again = set(asked_in(calls)[len(asked_in(calls)) - sum(
            line.startswith("asked ") for line in lines_of(calls)[since:]
        ) :])
        assert not again & kept, "a comparison that was stored is asked again"
        assert in_flight(calls, since) <= IN_FLIGHT
        if db.exists():
            assert_acknowledged_is_stored(db, events_of(told))
            kept = stored_comparisons(db)
    with Reader(db) as reader:
        enough = reader.counts().planned + 40
    assert arena.run("act", db, "limit", f"matches={enough}").code == 0
    assert arena.run("act", db, "limit", "concurrency=5").code == 0
    assert arena.run("resume", db, "--quiet", "--events", told, driver={"calls": calls}).code == 3
    assert_acknowledged_is_stored(db, events_of(told))
    arena.verify(db)
    asked = asked_in(calls)
    print("repeated", len(asked) - len(set(asked)), "of", len(asked))
    unbroken = arena.folder / "unbroken.db"
    whole = arena.run(
        *("--no-ui", "--quiet", "--db", unbroken, file),
        *("--set", "judge.latency=0", "--set", f"limits.matches={enough}"),
    )
    assert whole.code == 3, whole
    assert arena.matches(db) == arena.matches(unbroken)
