"""A disk that is full in mid-run: nothing paid for is lost, and the run says what is the matter."""

from __future__ import annotations

import os
import signal
import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from arena_cli import Arena, Running, asked_in, assert_acknowledged_is_stored, events_of, eventually

from arena_tui.store.reader import Reader
from arena_tui.store.verify import structural

MATCHES = 600
BALLAST = 7_900_000  # bytes that are given back when the disk is to have room again
USAGE = {"input_tokens": 100, "output_tokens": 10, "usd": 0.001}


@pytest.fixture
def small_disk(tmp_path: Path) -> Iterator[Path]:
    """A file system with room for half a megabyte, and for as much as a run needs without its ballast."""
    place = tmp_path / "disk"
    place.mkdir()
    mounted = subprocess.run(
        ["mount", "-t", "tmpfs", "-o", "size=8m", "arena-test", str(place)], capture_output=True
    )
    if mounted.returncode != 0:
        pytest.skip("mounting a small file system needs root")
    (place / "ballast").write_bytes(bytes(BALLAST))
    yield place
    subprocess.run(["umount", "-l", str(place)], check=True)


def fill_up(disk: Path, left: int = 16_384) -> None:
    """Leave `left` bytes."""
    state = os.statvfs(disk)
    (disk / "more").write_bytes(bytes(state.f_bavail * state.f_bsize - left))


class FullDisk:
    """A run whose database lies on the small disk, in trouble by now."""

    def __init__(self, arena: Arena, disk: Path, **limits: Any) -> None:
        self.arena, self.disk, self.db = arena, disk, disk / "run.db"
        self.events, self.calls = arena.folder / "events", arena.folder / "calls"
        judge = {"kind": "simulated", "mode": "pairwise", "usage": USAGE, "latency": 0.001}
        limits = {"matches": MATCHES, "concurrency": 8} | limits
        self.file = arena.tournament(judge=judge, limits=limits)
        self.running: Running = arena.start(
            *("--no-ui", "--json", "--events", self.events, "--db", self.db, self.file),
            driver={"calls": self.calls},
        )
        self.running.until_said("storage: ")

    def make_room(self) -> None:
        (self.disk / "ballast").unlink()

    def troubles(self) -> list[dict[str, Any]]:
        return [event for event in events_of(self.events) if event["kind"] == "storage"]

    def unbroken(self) -> str:
        assert self.arena.run("--no-ui", "--quiet", "--db", "whole.db", self.file).code == 3
        return self.arena.matches(self.arena.folder / "whole.db")


def test_full_disk_is_told_waited_out_and_changes_nothing(arena: Arena, small_disk: Path) -> None:
    full = FullDisk(arena, small_disk)
    (trouble,) = full.troubles()
    assert "the disk is full" in trouble["detail"]
    assert "kept in memory" in trouble["detail"]
    assert trouble["unsaved"] > 0
    assert_acknowledged_is_stored(full.db, events_of(full.events))
    # No more is paid for while results cannot be kept: what was in flight comes in, nothing follows.
    eventually(lambda: _quiet(full.calls), "no call in flight")
    assert len(asked_in(full.calls)) < MATCHES
    assert not full.running.ended
    full.make_room()
    done = full.running.wait()
    assert done.code == 3
    assert "storage: all is saved again" in done.err
    assert "Traceback" not in done.err
    assert sum(done.result["matches"].values()) == MATCHES
    calls = asked_in(full.calls)
    assert len(calls) == len(set(calls)) == MATCHES, "nothing is bought twice"
    assert_acknowledged_is_stored(full.db, events_of(full.events))
    arena.verify(full.db)
    assert arena.matches(full.db) == full.unbroken()


def _quiet(calls: Path) -> bool:
    words = [line.split()[0] for line in calls.read_text().splitlines()]
    return words.count("asked") == words.count("replied")


def test_giving_up_on_a_full_disk_is_exit_1_and_leaves_a_sound_prefix(arena: Arena, small_disk: Path) -> None:
    full = FullDisk(arena, small_disk)
    full.running.signal(signal.SIGINT)
    full.running.until_said("stopping")
    full.running.signal(signal.SIGINT)
    done = full.running.wait()
    assert done.code == 1
    assert done.out == ""
    assert "Traceback" not in done.err
    last = done.err.strip().splitlines()[-1]
    assert last.startswith("arena: ")
    assert "could not be saved" in last
    assert "resumed" in last
    assert_acknowledged_is_stored(full.db, events_of(full.events))
    assert structural(full.db) == []
    with Reader(full.db) as reader:
        kept = reader.applied()
        gapless = [entry.pos for entry in reader.journal()] == list(range(1, reader.last_pos() + 1))
    assert gapless
    assert 0 < kept < MATCHES
    full.make_room()
    done = arena.run("resume", full.db, "--no-ui", "--json")
    assert done.code == 3
    arena.verify(full.db)
    assert arena.matches(full.db) == full.unbroken()


def test_kill_on_a_full_disk_loses_only_what_was_never_acknowledged(arena: Arena, small_disk: Path) -> None:
    full = FullDisk(arena, small_disk)
    full.running.kill()
    assert_acknowledged_is_stored(full.db, events_of(full.events))
    full.make_room()
    arena.verify(full.db)
    assert arena.run("resume", full.db, "--quiet").code == 3
    arena.verify(full.db)
    assert arena.matches(full.db) == full.unbroken()


def test_run_that_does_not_fit_from_the_start_leaves_nothing(arena: Arena, small_disk: Path) -> None:
    fill_up(small_disk)
    before = sorted(path.name for path in small_disk.iterdir())
    for args in (("--db", small_disk / "run.db"), ("--db", small_disk / "new" / "run.db")):
        done = arena.run("--no-ui", *args, arena.tournament())
        assert done.code == 1
        assert len(done.err.strip().splitlines()) == 1
        assert "full" in done.err or "No space" in done.err
        assert "Traceback" not in done.err
    left = {path.name for path in small_disk.iterdir()} - {"new"}
    assert left == set(before)


def test_limit_on_file_sizes_is_told_like_a_full_disk(arena: Arena) -> None:
    judge = {"kind": "simulated", "mode": "pairwise", "usage": USAGE}
    file = arena.tournament(judge=judge, limits={"matches": MATCHES, "grace": 0.5})
    running = arena.start("--no-ui", "--json", "--db", "run.db", file, driver={"size": 300_000})
    running.until_said("storage: ")
    running.signal(signal.SIGTERM)  # once: it gives up by itself when the grace is over
    done = running.wait()
    assert done.code == 1
    assert "Traceback" not in done.err
    assert "could not be saved" in done.err
    arena.verify("run.db")
    resumed = arena.run("resume", "run.db", "--no-ui", "--json")
    assert resumed.code == 3
    assert sum(resumed.result["matches"].values()) == MATCHES
    arena.verify("run.db")


def test_events_on_a_full_disk_do_not_stop_the_run(arena: Arena, small_disk: Path) -> None:
    fill_up(small_disk)
    events = small_disk / "events"
    done = arena.run("--no-ui", "--json", "--events", events, arena.tournament(limits={"matches": MATCHES}))
    assert done.code == 3
    assert "events are no longer written" in done.err
    assert "Traceback" not in done.err
    assert events_of(events)[0]["kind"] == "run"


def test_read_only_run_is_read_and_refused_to_be_driven(arena: Arena, small_disk: Path) -> None:
    (small_disk / "ballast").unlink()
    db = small_disk / "run.db"
    assert arena.run("--no-ui", "--quiet", "--db", db, arena.tournament()).code == 3
    expected = arena.matches(db)
    for name in ("run.db-wal", "run.db-shm"):
        (small_disk / name).unlink(missing_ok=True)
    subprocess.run(["mount", "-o", "remount,ro", str(small_disk)], check=True)
    assert arena.matches(db) == expected
    arena.verify(db)
    assert arena.run("show", db).code == 0
    for command in (("resume", db), ("act", db, "pin", "amber"), ("delete", "--yes", db)):
        done = arena.run(*command)
        assert done.code == 1
        assert len(done.err.strip().splitlines()) == 1
        assert "Traceback" not in done.err
        assert "run.db" in done.err
    subprocess.run(["mount", "-o", "remount,rw", str(small_disk)], check=True)
