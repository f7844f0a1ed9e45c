"""One writer: order, durability, group commit, defects and trouble with the storage, and kill -9."""

from __future__ import annotations

import os
import signal
import sqlite3
import subprocess
import sys
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest
import small_run

from arena_tui.errors import NotARun, StoreError
from arena_tui.store import crash_points, schema
from arena_tui.store.crash_points import CrashPoint
from arena_tui.store.facts import set_meta
from arena_tui.store.reader import Reader
from arena_tui.store.verify import structural
from arena_tui.store.writer import Writer

WAIT = 20.0  # seconds; a bound, never a duration


class Listening:
    """A writer with what it said."""

    def __init__(self, path: Path, retry_seconds: float = 0.01) -> None:
        self.commits: list[int] = []
        self.said: list[str | None] = []
        self.troubled = threading.Event()
        self.writer = Writer(
            path, on_commit=self.commits.append, on_trouble=self.hear, retry_seconds=retry_seconds
        )
        self.writer.start()

    def hear(self, sentence: str | None) -> None:
        self.said.append(sentence)
        self.troubled.set()


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return small_run.new(tmp_path / "run.db")


@pytest.fixture
def listening(path: Path) -> Iterator[Listening]:
    listening = Listening(path)
    yield listening
    listening.writer.close(WAIT)


def note(number: int):
    """A unit whose order of arrival can be read back: event ids count up."""

    def unit(conn: sqlite3.Connection) -> None:
        conn.execute("INSERT INTO events (pos, kind, payload, at) VALUES (?, 'note', '{}', 0)", (number,))

    return unit


def notes(path: Path) -> list[int]:
    with Reader(path) as reader:
        return [event.pos for event in reader.events()]


def test_units_are_stored_in_the_order_of_their_tickets(path: Path, listening: Listening) -> None:
    writer = listening.writer
    order: list[tuple[int, int]] = []

    def submit(first: int) -> None:
        order.extend((writer.submit(note(number)), number) for number in range(first, first + 200))

    threads = [threading.Thread(target=submit, args=(1000 * k,)) for k in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert writer.flush(WAIT)
    assert sorted(ticket for ticket, _ in order) == list(range(1, 801))
    assert notes(path) == [number for _, number in sorted(order)]
    assert writer.committed == 800
    assert writer.backlog == 0


def test_what_waits_is_committed_in_one_group_of_bounded_size(path: Path, listening: Listening) -> None:
    writer, gate, held = listening.writer, threading.Event(), threading.Event()

    def hold(conn: sqlite3.Connection) -> None:
        held.set()
        assert gate.wait(WAIT)

    writer.submit(hold)
    assert held.wait(WAIT)
    for number in range(700):
        writer.submit(note(number))
    assert writer.committed == 0
    gate.set()
    assert writer.flush(WAIT)
    assert listening.commits == [1, 513, 701]


def test_nothing_is_told_before_it_is_durable(path: Path) -> None:
    seen: list[tuple[int, int]] = []

    def look(ticket: int) -> None:
        seen.append((ticket, len(notes(path))))

    writer = Writer(path, on_commit=look, on_trouble=lambda sentence: None)
    writer.start()
    for number in range(50):
        writer.submit(note(number))
    assert writer.close(WAIT)
    assert seen
    assert all(stored >= ticket for ticket, stored in seen)


def test_a_defect_ends_the_writing_and_nothing_after_it_is_stored(path: Path, listening: Listening) -> None:
    writer, gate = listening.writer, threading.Event()

    def defect(conn: sqlite3.Connection) -> None:
        conn.execute("INSERT INTO events (pos, kind, payload, at) VALUES (99, 'note', '{}', 0)")
        raise ValueError("a bug")

    writer.submit(lambda conn: gate.wait(WAIT) and None)
    writer.submit(note(1))
    writer.submit(defect)
    writer.submit(note(2))
    gate.set()
    assert not writer.flush(WAIT)
    assert isinstance(writer.failure, ValueError)
    assert len(listening.said) == 1
    assert "ValueError: a bug" in str(listening.said[0])
    assert not writer.close(WAIT)
    assert notes(path) == [1]
    assert writer.committed == 2


def test_a_fact_that_breaks_a_constraint_is_a_defect_not_trouble(path: Path, listening: Listening) -> None:
    listening.writer.submit(small_run.plan(1, 1, small_run.match(1, "c0", "nobody")))
    assert not listening.writer.flush(WAIT)
    assert isinstance(listening.writer.failure, sqlite3.IntegrityError)


def test_a_full_disk_keeps_units_in_memory_and_stores_them_in_order_later(
    path: Path, listening: Listening
) -> None:
    writer, room = listening.writer, threading.Event()

    def large(number: int):
        def unit(conn: sqlite3.Connection) -> None:
            if room.is_set():
                conn.execute("PRAGMA max_page_count = 100000").fetchall()
            note(number)(conn)
            set_meta(conn, f"large {number}", "x" * 40_000)

        return unit

    writer.submit(lambda conn: conn.execute("PRAGMA max_page_count = 120").fetchall() and None)
    for number in range(1, 31):
        writer.submit(large(number))
        if number % 3 == 0:  # small ones would still fit, and must not overtake
            writer.submit(note(1000 + number))
    assert listening.troubled.wait(WAIT)
    first = notes(path)
    assert len(listening.said) == 1
    assert "disk is full" in str(listening.said[0])
    assert "kept in memory" in str(listening.said[0])
    assert not writer.flush(0.2)
    room.set()
    assert writer.flush(WAIT)
    everything = notes(path)
    expected = [k for n in range(1, 31) for k in ((n, 1000 + n) if n % 3 == 0 else (n,))]
    assert everything == expected
    assert first == expected[: len(first)]
    assert 0 < len(first) < len(everything)
    assert listening.said[-1] is None
    assert listening.said.count(None) == 1
    assert writer.failure is None


def test_a_database_held_by_another_program_is_waited_for(path: Path, listening: Listening) -> None:
    writer = listening.writer
    writer.submit(lambda conn: conn.execute("PRAGMA busy_timeout = 0").fetchall() and None)
    assert writer.flush(WAIT)
    other = sqlite3.connect(path, isolation_level=None)
    other.execute("BEGIN IMMEDIATE")
    writer.submit(note(1))
    assert listening.troubled.wait(WAIT)
    assert "another program" in str(listening.said[0])
    other.execute("ROLLBACK")
    other.close()
    assert writer.flush(WAIT)
    assert notes(path) == [1]
    assert listening.said[1:] == [None]


def test_close_folds_the_wal_and_may_be_called_again(path: Path, listening: Listening) -> None:
    for number in range(10):
        listening.writer.submit(note(number))
    assert listening.writer.close(WAIT)
    assert not Path(f"{path}-wal").exists()
    assert listening.writer.close(WAIT)
    with pytest.raises(StoreError, match="closed"):
        listening.writer.submit(note(11))
    assert notes(path) == list(range(10))


def test_close_gives_up_on_a_disk_that_stays_full(path: Path) -> None:
    listening = Listening(path, retry_seconds=60.0)
    writer = listening.writer

    def full(conn: sqlite3.Connection) -> None:
        conn.execute("PRAGMA max_page_count = 1").fetchall()
        set_meta(conn, "large", "x" * 400_000)

    writer.submit(note(1))
    writer.submit(full)
    assert listening.troubled.wait(WAIT)
    assert not writer.close(0.05)
    assert writer.backlog == 1
    assert notes(path) == [1]


def test_start_raises_what_opening_raised(tmp_path: Path) -> None:
    path = tmp_path / "junk.db"
    path.write_text("not a database, but long enough to have a header" * 20)
    writer = Writer(path, on_commit=lambda ticket: None, on_trouble=lambda sentence: None)
    with pytest.raises(NotARun):
        writer.start()


def test_every_point_of_the_writer_is_passed_once_a_commit(
    path: Path, listening: Listening, monkeypatch: pytest.MonkeyPatch
) -> None:
    passed: list[CrashPoint] = []
    monkeypatch.setattr(crash_points, "hook", passed.append)
    listening.writer.submit(note(1))
    assert listening.writer.close(WAIT)
    assert passed == list(CrashPoint)[:5]


# A child that writes whole matches, three units each, and prints each ticket that it was told is durable.
CHILD = """
import itertools, os, signal, sys
from pathlib import Path
sys.path.insert(0, {tests!r})
import small_run
from arena_tui.store import crash_points
from arena_tui.store.facts import insert_verdict
from arena_tui.store.writer import Writer

where, left = {where!r}, {after}

def hook(point):
    global left
    if point == where:
        left -= 1
        if left == 0:
            os.kill(os.getpid(), signal.SIGKILL)

crash_points.hook = hook
writer = Writer(
    Path({path!r}), on_commit=lambda ticket: os.write(1, b"%d\\n" % ticket), on_trouble=lambda sentence: None
)
writer.start()
for seq in itertools.count(1):
    step = small_run.match(seq)
    writer.submit(small_run.plan(2 * seq - 1, seq, step))
    writer.submit(lambda conn, seq=seq: insert_verdict(conn, seq, "ab", "first"))
    ticket = writer.submit(small_run.applied(2 * seq, seq, step, seq))
    if writer.backlog > 60:
        writer.flush(30)
"""


def start_child(path: Path, where: str, after: int) -> subprocess.Popen[bytes]:
    script = CHILD.format(tests=str(Path(__file__).parent), path=str(path), where=where, after=after)
    environment = {**os.environ, "PYTHONPATH": str(small_run.ROOT)}
    return subprocess.Popen([sys.executable, "-c", script], stdout=subprocess.PIPE, env=environment)


def assert_readable_prefix(path: Path, acknowledged: int) -> None:
    """The run is whole and stops after some unit at or past the last acknowledged one."""
    assert structural(path) == []
    with Reader(path) as reader:
        counts, pending = reader.counts(), reader.pending()
        assert counts.planned - counts.applied == len(pending) <= 1
        units = 3 * counts.applied + sum(1 + len(step.verdicts) for step in pending)
        assert units >= acknowledged
        assert [row["applied_no"] for row in reader.matches()] == list(range(1, counts.applied + 1))
    conn = schema.open_writing(path)  # and can be written on
    conn.close()


def test_kill_in_mid_batch_leaves_a_readable_prefix(path: Path) -> None:
    for round_, lines in enumerate((3, 10, 25)):
        run = path if round_ == 0 else small_run.new(path.with_name(f"{round_}.db"))
        child = start_child(run, "nowhere", 0)
        assert child.stdout is not None
        acknowledged = [int(child.stdout.readline()) for _ in range(lines)]
        child.send_signal(signal.SIGKILL)
        acknowledged += [int(line) for line in child.communicate(timeout=WAIT)[0].split(b"\n")[:-1]]
        assert child.returncode == -signal.SIGKILL
        assert_readable_prefix(run, acknowledged[-1])


@pytest.mark.parametrize("point", list(CrashPoint)[:5])
def test_kill_at_each_point_of_the_writer_leaves_a_readable_prefix(path: Path, point: CrashPoint) -> None:
    child = start_child(path, str(point), 7)
    told = child.communicate(timeout=WAIT)[0].split(b"\n")[:-1]
    assert child.returncode == -signal.SIGKILL
    assert_readable_prefix(path, int(told[-1]) if told else 0)
