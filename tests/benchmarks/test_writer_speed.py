"""How many small matches a second the writer makes durable, beside what the disk allows.

A match is three units (plan, verdict, outcome), each commit an fdatasync. Sources of the numbers to
expect: a prototype made 10,500 matches/s at 64 in flight on a disk with an fdatasync of 0.20 ms.
"""

from __future__ import annotations

import os
import statistics
import threading
import time
from pathlib import Path

import pytest

from arena_tui.candidate import Candidate, Group
from arena_tui.facts import Match, Outcome, RatingChange
from arena_tui.store import facts, schema
from arena_tui.store.reader import Reader
from arena_tui.store.verify import structural
from arena_tui.store.writer import Writer

pytestmark = pytest.mark.benchmark

PLAYERS = 32
MATCHES = 30_000


def fdatasync_ms(folder: Path) -> float:
    """The median time to make 8 KB durable at the end of a file."""
    times = []
    with open(folder / "floor", "wb", buffering=0) as file:
        for _ in range(200):
            file.write(b"\0" * 8192)
            start = time.perf_counter()
            os.fdatasync(file.fileno())
            times.append(time.perf_counter() - start)
    return statistics.median(times) * 1000


class Load:
    """A run, its writer, and matches to feed it."""

    def __init__(self, path: Path) -> None:
        self.commits = 0
        self.committed = threading.Event()
        schema.create(path)
        self.writer = Writer(path, on_commit=self.resolve, on_trouble=lambda sentence: None)
        self.writer.start()
        players = tuple(Candidate(f"c{n}", f"text {n}") for n in range(PLAYERS))
        self.writer.submit(
            lambda conn: facts.insert_run(
                conn,
                meta={"run": "speed"},
                groups=[Group("main", players)],
                ratings={("main", player.id): 1200.0 for player in players},
            )
        )
        assert self.writer.flush(60)

    def resolve(self, ticket: int) -> None:
        self.commits += 1
        self.committed.set()

    def match(self, seq: int) -> int:
        """Submit one whole match; its last ticket."""
        a, b = seq % PLAYERS, (seq + 1 + seq // PLAYERS % (PLAYERS - 1)) % PLAYERS
        step = Match("main", seq, f"c{a}", f"c{b}", "pairwise")
        match_id = facts.match_id("speed", "main", seq, step.a, step.b)
        change = RatingChange(step.a, step.b, 1200.0, 1216.0, 1200.0, 1184.0, 0.5, 32.0)
        outcome = Outcome(step, "a", seq)
        submit = self.writer.submit
        submit(lambda conn: facts.insert_plan(conn, 2 * seq - 1, seq, match_id, step))
        submit(lambda conn: facts.insert_verdict(conn, seq, "ab", "first", None, "clearer"))
        return submit(
            lambda conn: facts.insert_outcome(
                conn,
                2 * seq,
                seq,
                match_id,
                outcome,
                change,
                scope="main",
                played_a=seq,
                played_b=seq,
                rationale="clearer",
                at=0.0,
            )
        )


@pytest.mark.parametrize("in_flight", [8, 64, 512])
def test_durable_matches_a_second(tmp_path: Path, in_flight: int) -> None:
    floor = fdatasync_ms(tmp_path)
    load = Load(tmp_path / "run.db")
    matches = MATCHES if in_flight > 8 else MATCHES // 5
    start, cpu = time.perf_counter(), time.process_time()
    for seq in range(1, matches + 1):
        load.match(seq)
        # As an engine does: no more than so many matches are on their way to the disk.
        while load.writer.backlog > 3 * in_flight:
            load.committed.wait(60)
            load.committed.clear()
    assert load.writer.flush(120)
    wall, cpu = time.perf_counter() - start, time.process_time() - cpu
    commits = load.commits
    assert load.writer.close(60)
    print(
        f"\nin flight {in_flight:3}: {matches / wall:8.0f} durable matches/s,"
        f" {cpu / matches * 1e6:5.0f} us CPU a match, {3 * matches / commits:5.0f} units a commit;"
        f" fdatasync {floor:.2f} ms, {wall / (commits * floor / 1000):5.1f} x the floor of {commits} commits"
    )


def test_reading_and_checking_a_long_run(tmp_path: Path) -> None:
    load = Load(tmp_path / "run.db")
    for seq in range(1, MATCHES + 1):
        load.match(seq)
    assert load.writer.close(120)

    start = time.perf_counter()
    with Reader(tmp_path / "run.db") as reader:
        entries = sum(1 for _ in reader.journal())
    journal = time.perf_counter() - start
    start = time.perf_counter()
    assert structural(tmp_path / "run.db") == []
    check = time.perf_counter() - start
    print(
        f"\n{entries} journal entries: read in {journal:.2f} s ({journal / entries * 1e6:.0f} us each),"
        f" structural check of {MATCHES} matches in {check:.2f} s"
    )
