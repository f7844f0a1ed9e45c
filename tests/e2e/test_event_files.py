"""`--events FILE` adds to files of events and to no others."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path

import pytest
from arena_cli import Arena, events_of, photograph

from arena_tui.errors import UsageError
from arena_tui.report.event_file import refuse_other_file

EVENT = '{"pos": 0, "kind": "run", "run": "x"}\n'


@pytest.mark.parametrize("target", ["t.yaml", "done.db", "pool.jsonl", "notes.txt", "new.db", "new.db-wal"])
def test_a_file_of_something_else_is_refused_and_left_as_it_is(arena: Arena, target: str) -> None:
    file = arena.tournament(limits={"matches": 5})
    assert arena.run("--no-ui", "--quiet", "--db", "done.db", file).code == 3
    (arena.folder / "pool.jsonl").write_text('{"id": "a", "text": "b"}\n')
    (arena.folder / "notes.txt").write_text("mine\n")
    before = photograph(arena.folder)
    done = arena.run("--no-ui", "--quiet", "--events", target, "--db", "new.db", file)
    assert (done.code, done.out) == (2, "")
    assert f"--events {target}: " in done.err
    assert done.err.count("\n") == 1
    assert photograph(arena.folder) == before
    resumed = arena.run("resume", "done.db", "--events", target.replace("new", "done"), "--quiet")
    assert resumed.code == 2
    assert photograph(arena.folder) == before


def test_events_of_several_sittings_and_runs_share_a_file(arena: Arena) -> None:
    file, events = arena.tournament(limits={"matches": 5}), arena.folder / "events"
    events.touch()
    for options in ((), ("--set", "limits.matches=8"), ("--new",)):
        assert arena.run("--no-ui", "--quiet", "--events", events, *options, file).code == 3
    told = events_of(events)
    assert [event["kind"] for event in told].count("run") == 3
    assert [event["kind"] for event in told].count("match") == 13


def pipe(path: Path) -> None:
    os.mkfifo(path)


@pytest.mark.parametrize(
    ("make", "good"),
    [
        (lambda path: None, True),
        (lambda path: path.touch(), True),
        (lambda path: path.write_text(EVENT), True),
        (pipe, True),
        (lambda path: path.symlink_to("/dev/null"), True),
        (lambda path: path.write_text(EVENT.replace("run", "sprint")), False),
        (lambda path: path.write_text('{"kind": "run"}\n'), False),
        (lambda path: path.write_text("\n" + EVENT), False),
        (lambda path: path.write_text("[" * 100_000), False),
        (lambda path: path.write_bytes(b"\xff\xfe\x00"), False),
    ],
)
def test_what_events_may_be_added_to(tmp_path: Path, make: Callable[[Path], object], good: bool) -> None:
    path = tmp_path / "events"
    make(path)
    if good:
        refuse_other_file(path, tmp_path / "run.db")
    else:
        with pytest.raises(UsageError, match="something else than events"):
            refuse_other_file(path, None)


@pytest.mark.parametrize("name", ["run.db", "run.db-wal", "run.db-shm", "run.db.lock", "link"])
def test_what_belongs_to_the_database_is_refused(tmp_path: Path, name: str) -> None:
    (tmp_path / "link").symlink_to("run.db")
    with pytest.raises(UsageError, match="belongs to the run's database"):
        refuse_other_file(tmp_path / name, tmp_path / "run.db")
