"""Several processes start the same file at once: one makes the run and drives it, the others are told so."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest
from arena_cli import Arena, eventually

from arena_tui.errors import RunLocked
from arena_tui.store.lock import StartLock

SLOW = {"kind": "simulated", "mode": "pairwise", "latency": 0.15}
AT_ONCE = 5


@pytest.mark.parametrize("options", [(), ("--db", "one.db")])
def test_of_many_that_start_one_file_at_once_one_runs(arena: Arena, options: tuple[str, ...]) -> None:
    file = arena.tournament(judge=SLOW, limits={"matches": 40, "concurrency": 2})
    started = [arena.start("--no-ui", "--quiet", *options, file) for _ in range(AT_ONCE)]
    done = [running.wait() for running in started]
    assert sorted(each.code for each in done) == [3] + [4] * (AT_ONCE - 1), [each.err for each in done]
    (winner,) = (running.pid for running, each in zip(started, done, strict=True) if each.code == 3)
    for each in done:
        assert each.code == 3 or f"is driven by process {winner}" in each.err
    found = arena.folder if options else arena.home / "runs"
    assert len(list(found.glob("*.db"))) == 1
    assert not list(found.glob("*.starting")) + list(found.glob(".*.starting"))
    run = "one.db" if options else json.loads(arena.run("runs", "--json").out)[0]["run"]
    arena.verify(run)


def test_what_is_said_of_a_run_outside_the_data_folder_can_be_typed(arena: Arena) -> None:
    file = arena.tournament(judge=SLOW, limits={"matches": 400, "concurrency": 2})
    driving = arena.start("--no-ui", "--db", "my run.db", file)
    eventually(lambda: (arena.folder / "my run.db.lock").exists() or driving.ended)
    driving.until_said("beats")
    refused = arena.run("--no-ui", "--quiet", "--db", "my run.db", file)
    assert refused.code == 4
    named = re.search(r"`arena act '(.*)' \.\.\.`", refused.err)
    assert named is not None, refused.err
    assert arena.run("act", named[1], "abort").code == 0
    ended = driving.wait()
    assert ended.code == 130
    assert f"go on with: arena resume '{arena.folder / 'my run.db'}'" in ended.err


def test_the_start_of_a_file_is_held_by_one_and_leaves_nothing(tmp_path: Path) -> None:
    path = tmp_path / "folder" / ".x.starting"
    first, second = StartLock(path), StartLock(path)
    first.acquire(0.0)
    with pytest.raises(RunLocked, match="another process has been starting"):
        second.acquire(0.05)
    first.release()
    second.acquire(0.0)
    first.release()  # a second time: the file is the other's now
    assert path.exists()
    with pytest.raises(RunLocked):
        first.acquire(0.0)
    second.release()
    assert list(path.parent.iterdir()) == []


def test_runs_started_with_new_do_not_wait_for_each_other(arena: Arena) -> None:
    file = arena.tournament(limits={"matches": 5})
    started = [arena.start("--no-ui", "--quiet", "--new", file) for _ in range(3)]
    assert [running.wait().code for running in started] == [3, 3, 3]
    assert len(json.loads(arena.run("runs", "--json").out)) == 3
