"""The data folder: naming, listing, finding and deleting runs."""

from __future__ import annotations

from datetime import datetime
from pathlib import Path

import pytest
import small_run

from arena_tui.errors import NotARun, RunLocked, RunNotFound
from arena_tui.store import folder, inbox
from arena_tui.store.lock import RunLock

NOW = datetime(2026, 11, 30, 22, 48)


@pytest.fixture(autouse=True)
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("ARENA_HOME", str(tmp_path / "home"))
    return tmp_path / "home"


def make(name: str, day: int = 1, **meta: str) -> Path:
    run, path = folder.new_run(name, NOW, "k3f9")
    known = {"run": run, "name": name, "format": "elo", "created_at": f"2026-11-{day:02}T10:00:00+00:00"}
    return small_run.new(path, **{**known, **meta})


def test_the_data_folder_is_where_arena_home_says(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert folder.data_folder() == home
    monkeypatch.delenv("ARENA_HOME")
    assert folder.data_folder().name == "arena"
    assert folder.data_folder().is_absolute()


def test_a_run_is_named_after_its_tournament_and_the_time(home: Path) -> None:
    assert folder.new_run("longevity", NOW, "k3f9") == (
        "longevity-1130-2248-k3f9",
        home / "runs" / "longevity-1130-2248-k3f9.db",
    )
    assert not home.exists()


@pytest.mark.parametrize(
    ("name", "slug"),
    [
        ("../../etc/passwd", "etc-passwd"),
        ("Größe & Güte!", "groe-gute"),
        ("漢字", "run"),
        ("", "run"),
        ("\x1b[31mred\n", "31mred"),
        ("x" * 500, "x" * 40),
        ("a b\0c", "a-b-c"),
    ],
)
def test_run_ids_are_safe_file_names(name: str, slug: str, home: Path) -> None:
    run, path = folder.new_run(name, NOW, "k3f9")
    assert run == f"{slug}-1130-2248-k3f9"
    assert path.parent == home / "runs"


def test_run_ids_are_unique_even_at_the_same_minute() -> None:
    paths = {make("twice"), make("twice"), make("twice")}
    assert sorted(path.stem for path in paths) == [
        "twice-1130-2248-k3f9",
        "twice-1130-2248-k3f9-2",
        "twice-1130-2248-k3f9-3",
    ]


def test_runs_are_listed_newest_first_with_how_they_ended(home: Path) -> None:
    make("killed", 1)
    make("limited", 2, stop_reason="BUDGET", exit_code="3")
    make("done", 3, stop_reason="ELO_STABLE", exit_code="0", source="/x/done.yaml")
    resumed = make("live", 4, stop_reason="BUDGET", exit_code="3")
    (home / "runs" / "torn.db").write_bytes(b"\0" * 5000)
    (home / "runs" / ".half.db.12345678.new").write_bytes(b"")
    with RunLock(resumed):
        runs = folder.list_runs()
    assert [(run.name, run.status, run.stop_reason) for run in runs if run.status != "damaged"] == [
        ("live", "running", "BUDGET"),
        ("done", "finished", "ELO_STABLE"),
        ("limited", "stopped", "BUDGET"),
        ("killed", "interrupted", None),
    ]
    assert [run.run for run in runs if run.status == "damaged"] == ["torn"]
    done = next(run for run in runs if run.name == "done")
    assert (done.format, done.source, done.matches) == ("elo", "/x/done.yaml", 0)
    assert done.db == home / "runs" / "done-1130-2248-k3f9.db"


def test_applied_matches_are_counted() -> None:
    path = make("busy")
    step = small_run.match(1)
    small_run.write(path, small_run.plan(1, 1, step), small_run.applied(2, 1, step, 1))
    small_run.write(path, small_run.plan(3, 2, small_run.match(2)))
    assert folder.list_runs()[0].matches == 1


def test_no_runs_yet() -> None:
    assert folder.list_runs() == []
    with pytest.raises(RunNotFound, match="no run in"):
        folder.find_run(None)


def test_a_run_is_found_by_id_beginning_file_or_as_the_newest(tmp_path: Path) -> None:
    old, new = make("alpha", 1), make("beta", 2)
    elsewhere = small_run.new(tmp_path / "own.db")
    assert folder.find_run(None) == new
    assert folder.find_run("alpha-1130-2248-k3f9") == old
    assert folder.find_run("al") == old
    assert folder.find_run(str(elsewhere)) == elsewhere


def test_an_id_that_begins_another_is_itself() -> None:
    first = make("twice")
    make("twice")
    assert folder.find_run("twice-1130-2248-k3f9") == first


@pytest.mark.parametrize("text", ["gamma", "", "x" * 5000, "a\0b", "runs/none.db"])
def test_an_unknown_run_is_named(text: str) -> None:
    make("alpha")
    with pytest.raises(RunNotFound, match="arena runs"):
        folder.find_run(text)


def test_a_shortened_id_is_a_beginning_and_a_mistyped_one_gets_the_nearest_named() -> None:
    run = make("alpha")
    assert folder.find_run(run.stem[:9] + "…") == run
    for typed in ("alhpa", "alpha-1130-2284-k3f9", "alpah…"):
        with pytest.raises(RunNotFound, match=f"did you mean {run.stem}"):
            folder.find_run(typed)
    with pytest.raises(RunNotFound, match="arena runs"):
        folder.find_run("…")


def test_a_tournament_file_is_no_run_but_leads_to_its_newest(tmp_path: Path) -> None:
    file = tmp_path / "plans.yaml"
    file.write_text("task: x")
    with pytest.raises(RunNotFound, match="it has no run yet: start one with `arena "):
        folder.find_run(str(file))
    make("older", 1, source=str(file))
    newest = make("newer", 2, source=str(file))
    make("other", 3, source="/x/other.yaml")
    with pytest.raises(
        RunNotFound, match=rf"plans.yaml is a tournament file.* its newest run is {newest.stem}"
    ):
        folder.find_run(str(file))


def test_the_run_that_goes_on_unnamed_is_the_newest_that_is_not_finished(home: Path) -> None:
    with pytest.raises(RunNotFound, match="no run in"):
        folder.unfinished_run()
    finished = make("done", 5, stop_reason="ELO_STABLE", exit_code="0")
    (home / "runs" / "torn.db").write_bytes(b"\0" * 5000)
    with pytest.raises(RunNotFound, match=f"`arena resume {finished.stem}`"):
        folder.unfinished_run()
    make("killed", 1)
    limited = make("limited", 2, stop_reason="BUDGET", exit_code="3")
    assert folder.unfinished_run() == limited
    failed = make("failed", 3, stop_reason="IDLE", exit_code="1")
    assert folder.unfinished_run() == failed


def test_an_ambiguous_beginning_names_the_runs() -> None:
    make("alpha")
    make("alps")
    with pytest.raises(RunNotFound, match="alpha-1130-2248-k3f9, alps-1130-2248-k3f9"):
        folder.find_run("al")


def test_a_deleted_run_leaves_nothing(home: Path) -> None:
    path = make("gone")
    inbox.send(path, {"kind": "pin"}, "cli")
    folder.find_run("gone")
    folder.list_runs()  # a reader leaves -wal and -shm behind
    folder.delete_run(path)
    assert list((home / "runs").iterdir()) == []
    with pytest.raises(RunNotFound):
        folder.delete_run(path)


def test_a_run_deleted_by_a_link_leaves_nothing_but_the_link(tmp_path: Path, home: Path) -> None:
    path = make("linked")
    link = tmp_path / "link.db"
    link.symlink_to(path)
    folder.delete_run(link)
    assert list((home / "runs").iterdir()) == []


def test_a_driven_run_is_not_deleted() -> None:
    path = make("live")
    with RunLock(path), pytest.raises(RunLocked):
        folder.delete_run(path)
    assert path.exists()


def test_what_is_not_a_run_is_not_deleted(tmp_path: Path) -> None:
    thesis = tmp_path / "thesis.md"
    thesis.write_text("years of work")
    with pytest.raises(NotARun):
        folder.delete_run(thesis)
    assert sorted(path.name for path in tmp_path.iterdir()) == ["thesis.md"]


def test_a_damaged_run_in_the_data_folder_can_be_deleted(home: Path) -> None:
    path = make("torn")
    path.write_bytes(b"\0" * 5000)
    folder.delete_run(path)
    assert list((home / "runs").iterdir()) == []
