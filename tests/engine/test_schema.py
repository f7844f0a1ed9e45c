"""The run's file: made once and for its owner only, opened only when it is ours, migrated whole or not."""

from __future__ import annotations

import os
import shutil
import sqlite3
import stat
import tempfile
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path

import pytest
import small_run

from arena_tui.errors import DiskTrouble, NewerSchema, NotARun, RunNotFound, StoreError, UsageError
from arena_tui.store import schema
from arena_tui.store.lock import RunLock
from arena_tui.store.reader import Reader

NOBODY = 65534
NEWEST = len(schema.migrations(schema.MIGRATIONS))


@pytest.fixture
def run(tmp_path: Path) -> Path:
    return small_run.new(tmp_path / "run.db")


@contextmanager
def unprivileged() -> Iterator[Path]:
    """A folder, and for its duration no right to write what is read-only, also under root."""
    folder = Path(tempfile.mkdtemp())
    folder.chmod(0o755)
    was = os.geteuid()
    try:
        yield folder
    finally:
        os.seteuid(was)
        folder.chmod(0o755)
        shutil.rmtree(folder)


def drop_privileges() -> None:
    if os.geteuid() == 0:
        os.seteuid(NOBODY)


def content(path: Path) -> bytes:
    return path.read_bytes()


def test_new_file_and_what_lies_beside_it_are_for_the_owner_only(tmp_path: Path) -> None:
    path = tmp_path / "data" / "runs" / "run.db"
    before = os.umask(0o022)
    try:
        schema.create(path)
        conn = schema.open_writing(path)
        conn.execute("BEGIN IMMEDIATE")
        conn.execute("INSERT INTO meta VALUES ('run', 'x')")
        conn.execute("COMMIT")
        modes = {file.name: stat.S_IMODE(file.stat().st_mode) for file in path.parent.iterdir()}
        conn.close()
    finally:
        os.umask(before)
    assert modes == {"run.db": 0o600, "run.db-wal": 0o600, "run.db-shm": 0o600}
    assert stat.S_IMODE(path.parent.stat().st_mode) == 0o700


def test_creation_never_touches_an_existing_file(tmp_path: Path) -> None:
    path = tmp_path / "thesis.md"
    path.write_text("years of work")
    with pytest.raises(UsageError, match="exists already"):
        schema.create(path)
    assert path.read_text() == "years of work"
    assert list(tmp_path.iterdir()) == [path]


def test_creation_refuses_a_dangling_link(tmp_path: Path) -> None:
    path = tmp_path / "run.db"
    path.symlink_to(tmp_path / "elsewhere.db")
    with pytest.raises(UsageError, match="exists already"):
        schema.create(path)


def test_a_failed_creation_leaves_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    broken = tmp_path / "migrations"
    broken.mkdir()
    (broken / "0001_initial.sql").write_text("CREATE TABLE a (x INTEGER) STRICT;\nCREATE TABEL b;\n")
    monkeypatch.setattr(schema, "MIGRATIONS", broken)
    with pytest.raises(StoreError):
        schema.create(tmp_path / "run.db")
    assert list(tmp_path.iterdir()) == [broken]


@pytest.mark.parametrize("name", ["a b.db", "what?.db", "no#1.db", "100%41.db", "é–.db", "x&mode=memory.db"])
def test_paths_with_marks_of_a_uri_work(tmp_path: Path, name: str) -> None:
    path = small_run.new(tmp_path / "odd ?#%20 folder" / name)
    with Reader(path) as reader:
        assert reader.meta() == {"run": small_run.RUN}
    assert path.exists()
    assert [entry.name for entry in tmp_path.iterdir()] == ["odd ?#%20 folder"]


def test_a_writing_connection_commits_durably(run: Path) -> None:
    conn = schema.open_writing(run)

    def pragma(name: str) -> object:
        return conn.execute(f"PRAGMA {name}").fetchone()[0]

    try:
        assert pragma("journal_mode") == "wal"
        assert pragma("synchronous") == 2  # FULL
        assert pragma("foreign_keys") == 1
        assert pragma("busy_timeout") == 5000
        assert pragma("trusted_schema") == 0
        assert pragma("application_id") == schema.APPLICATION_ID
        assert conn.isolation_level is None
    finally:
        conn.close()


def test_a_reading_connection_cannot_write(run: Path) -> None:
    conn = schema.open_reading(run)
    with pytest.raises(sqlite3.OperationalError, match="readonly"):
        conn.execute("DELETE FROM meta")
    conn.close()


def other_application(path: Path) -> None:
    conn = sqlite3.connect(path)
    conn.execute("CREATE TABLE bookmarks (url TEXT)")
    conn.execute("PRAGMA user_version = 1")
    conn.commit()
    conn.close()


@pytest.mark.parametrize("opening", [schema.open_writing, schema.open_reading])
@pytest.mark.parametrize(
    "make",
    [
        pytest.param(other_application, id="another application's database"),
        pytest.param(lambda path: path.write_bytes(b""), id="empty"),
        pytest.param(lambda path: path.write_text("hello\n" * 400), id="text"),
        pytest.param(lambda path: path.write_bytes(bytes(range(256)) * 64), id="binary"),
        pytest.param(lambda path: path.mkdir(), id="folder"),
    ],
)
def test_what_is_not_a_run_is_refused_and_left_as_it_was(tmp_path: Path, make, opening) -> None:
    path = tmp_path / "thing.db"
    make(path)
    before = content(path) if path.is_file() else None
    with pytest.raises(NotARun) as refused:
        opening(path)
    assert str(path) in str(refused.value)
    assert "\n" not in str(refused.value)
    assert (content(path) if path.is_file() else None) == before


@pytest.mark.parametrize("opening", [schema.open_writing, schema.open_reading])
def test_a_missing_run_is_not_made(tmp_path: Path, opening) -> None:
    with pytest.raises(RunNotFound, match="no such run"):
        opening(tmp_path / "gone.db")
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("opening", [schema.open_writing, schema.open_reading])
def test_a_newer_schema_is_refused_and_left_as_it_was(run: Path, opening) -> None:
    conn = sqlite3.connect(run)
    conn.execute("PRAGMA user_version = 99")
    conn.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchall()
    conn.close()
    before = content(run)
    with pytest.raises(NewerSchema, match="schema 99"):
        opening(run)
    assert content(run) == before


@pytest.mark.parametrize("opening", [schema.open_writing, schema.open_reading])
def test_a_run_with_a_broken_header_is_refused(run: Path, opening) -> None:
    whole = content(run)
    run.write_bytes(b"\0" * 32 + whole[32:])
    with pytest.raises(NotARun, match="damaged"):
        opening(run)


def test_a_read_only_file_is_disk_trouble() -> None:
    with unprivileged() as folder:
        run = small_run.new(folder / "run.db")
        run.chmod(0o444)
        folder.chmod(0o555)
        drop_privileges()
        with pytest.raises(DiskTrouble, match="read-only"):
            schema.open_writing(run)


def test_a_finished_run_on_read_only_media_can_be_read() -> None:
    with unprivileged() as folder:
        run = small_run.new(folder / "run.db")
        run.chmod(0o444)
        folder.chmod(0o555)
        drop_privileges()
        with Reader(run) as reader:
            assert reader.meta() == {"run": small_run.RUN}


def test_a_run_cannot_be_made_in_a_read_only_folder() -> None:
    with unprivileged() as folder:
        folder.chmod(0o555)
        drop_privileges()
        with pytest.raises(DiskTrouble, match="--db"):
            schema.create(folder / "run.db")


@pytest.fixture
def next_version(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The folder of migrations of an arena that knows one schema more; returns the file of that one."""
    folder = tmp_path / "migrations"
    shutil.copytree(schema.MIGRATIONS, folder)
    newest = folder / f"{NEWEST + 1:04}_notes.sql"
    newest.write_text(
        "CREATE TABLE notes (at REAL NOT NULL, text TEXT NOT NULL DEFAULT ';') STRICT;\n"
        "CREATE TRIGGER keep BEFORE DELETE ON notes BEGIN SELECT RAISE(ABORT, 'no; never'); END;\n"
        "INSERT INTO notes VALUES (1, 'a; b'); -- done; really\n"
    )
    monkeypatch.setattr(schema, "MIGRATIONS", folder)
    return newest


def test_an_older_run_is_brought_up_to_date_when_it_is_looked_at(run: Path, next_version: Path) -> None:
    with Reader(run) as reader:
        assert reader.meta() == {"run": small_run.RUN}
    with closing(sqlite3.connect(run)) as conn:
        assert conn.execute("PRAGMA user_version").fetchone() == (NEWEST + 1,)


def test_an_older_run_that_a_process_drives_is_left_to_it(run: Path, next_version: Path) -> None:
    with RunLock(run), pytest.raises(StoreError, match="older arena and cannot be brought up to date now"):
        schema.open_reading(run)


def test_an_older_run_is_migrated_when_it_is_opened_for_writing(run: Path, next_version: Path) -> None:
    conn = schema.open_writing(run)
    assert conn.execute("SELECT at, text FROM notes").fetchall() == [(1.0, "a; b")]
    assert conn.execute("PRAGMA user_version").fetchone() == (NEWEST + 1,)
    conn.close()
    with Reader(run) as reader:
        assert reader.meta() == {"run": small_run.RUN}


def test_a_failing_migration_leaves_no_trace(run: Path, next_version: Path) -> None:
    next_version.write_text("CREATE TABLE notes (x INTEGER) STRICT;\nINSERT INTO nowhere VALUES (1);\n")
    with pytest.raises(StoreError, match="nowhere"):
        schema.open_writing(run)
    conn = sqlite3.connect(run)
    assert conn.execute("SELECT COUNT(*) FROM sqlite_schema WHERE name = 'notes'").fetchone() == (0,)
    assert conn.execute("PRAGMA user_version").fetchone() == (NEWEST,)
    conn.close()


def test_statements_of_a_migration_are_split_where_sqlite_ends_them(next_version: Path) -> None:
    found = list(schema.statements(next_version.read_text()))
    assert [statement.split()[0] for statement in found] == ["CREATE", "CREATE", "INSERT"]
    with pytest.raises(StoreError, match="middle of a statement"):
        list(schema.statements("CREATE TABLE a (x INTEGER);\nCREATE TABLE b (x"))


def test_migrations_must_be_numbered_without_a_gap(next_version: Path) -> None:
    next_version.rename(next_version.with_name(f"{NEWEST + 2:04}_notes.sql"))
    with pytest.raises(StoreError, match="not numbered"):
        schema.migrations(schema.MIGRATIONS)
