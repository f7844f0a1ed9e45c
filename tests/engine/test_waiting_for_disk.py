"""A disk that is really full, by a limit on file sizes in a child and by a small file system."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
import small_run

from arena_tui.store.reader import Reader
from arena_tui.store.verify import structural

# Writes 40 matches with long rationales; room is made only after trouble was reported.
CHILD = """
import os, resource, sys, threading
from pathlib import Path
sys.path.insert(0, {tests!r})
import small_run
from arena_tui.store.facts import insert_verdict
from arena_tui.store.writer import Writer

{before}
said, troubled = [], threading.Event()

def hear(sentence):
    said.append(sentence)
    troubled.set()

writer = Writer(Path({path!r}), on_commit=lambda ticket: None, on_trouble=hear, retry_seconds=0.02)
writer.start()
for seq in range(1, 41):
    step = small_run.match(seq)
    writer.submit(small_run.plan(2 * seq - 1, seq, step))
    writer.submit(lambda conn, seq=seq: insert_verdict(conn, seq, "ab", "first", None, "r" * 30_000))
    writer.submit(small_run.applied(2 * seq, seq, step, seq))
assert troubled.wait(20), "no trouble was reported"
early = writer.committed
assert not writer.flush(0.1), "written although there is no room"
{room}
assert writer.flush(20), "not written although there is room again"
assert writer.failure is None, writer.failure
assert said[-1] is None and said.count(None) == 1, said
assert writer.close(20)
print(early, said[0])
"""


def run_child(path: Path, before: str, room: str) -> tuple[int, str]:
    script = CHILD.format(tests=str(Path(__file__).parent), path=str(path), before=before, room=room)
    environment = {**os.environ, "PYTHONPATH": str(small_run.ROOT)}
    done = subprocess.run(
        [sys.executable, "-c", script], capture_output=True, text=True, env=environment, timeout=60
    )
    assert done.returncode == 0, done.stderr
    early, sentence = done.stdout.strip().split(" ", 1)
    return int(early), sentence


def assert_all_stored_in_order(path: Path) -> None:
    assert structural(path) == []
    with Reader(path) as reader:
        assert [row["seq"] for row in reader.matches()] == list(range(1, 41))
        assert [len(row["reason"]) for row in reader.comparisons()] == [30_000] * 40
        assert reader.last_pos() == 80


def test_a_file_size_limit_is_waited_out_and_nothing_is_lost(tmp_path: Path) -> None:
    path = small_run.new(tmp_path / "run.db")
    early, sentence = run_child(
        path,
        "resource.setrlimit(resource.RLIMIT_FSIZE, (600_000, resource.RLIM_INFINITY))",
        "resource.setrlimit(resource.RLIMIT_FSIZE, (resource.RLIM_INFINITY, resource.RLIM_INFINITY))",
    )
    assert early < 120
    assert "kept in memory" in sentence
    assert_all_stored_in_order(path)


@pytest.fixture
def small_disk(tmp_path: Path) -> Iterator[Path]:
    """A file system of 1 MB."""
    place = tmp_path / "disk"
    place.mkdir()
    mounted = subprocess.run(
        ["mount", "-t", "tmpfs", "-o", "size=1m", "arena-test", str(place)], capture_output=True
    )
    if mounted.returncode != 0:
        pytest.skip("mounting a small file system needs root")
    yield place
    subprocess.run(["umount", str(place)], check=True)


def test_a_full_file_system_is_waited_out_and_nothing_is_lost(small_disk: Path) -> None:
    path = small_run.new(small_disk / "run.db")
    early, sentence = run_child(path, "", f"os.system('mount -o remount,size=16m {small_disk}')")
    assert 0 < early < 120
    assert "disk is full" in sentence
    assert_all_stored_in_order(path)
