"""Making, opening and migrating the database file of a run.

The file is opened by SQLite and by nothing else: closing any other descriptor of it would drop the
locks that SQLite holds in this process. Used by the writer, the reader, `folder` and `verify`.
"""

from __future__ import annotations

import os
import re
import secrets
import sqlite3
import struct
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from threading import Lock
from typing import Any

from arena_tui.errors import DiskTrouble, NewerSchema, NotARun, RunNotFound, StoreError, UsageError
from arena_tui.store.lock import RunLock, refuse_remote

APPLICATION_ID = 0x4172656E  # "Aren", in the file's header
MIGRATIONS = Path(__file__).with_name("migrations")

_SETTINGS = (
    "journal_mode = WAL",
    "synchronous = FULL",  # NORMAL may lose the last commits with the power, and each is a paid call
    "foreign_keys = ON",
    "wal_autocheckpoint = 1000",
    "journal_size_limit = 67108864",
    "temp_store = MEMORY",
    "trusted_schema = OFF",
    "cell_size_check = ON",
)

_STORAGE = {
    sqlite3.SQLITE_FULL: "the disk is full; free some space and go on",
    sqlite3.SQLITE_IOERR: "the disk reports a failure; check the disk, or whether it is full",
    sqlite3.SQLITE_READONLY: "it is read-only; make the file and its folder writable",
    sqlite3.SQLITE_CANTOPEN: "it cannot be opened; check the permissions of the file and its folder",
    sqlite3.SQLITE_PERM: "it cannot be opened; check the permissions of the file and its folder",
    sqlite3.SQLITE_BUSY: "another program holds it; close that program",
    sqlite3.SQLITE_LOCKED: "another program holds it; close that program",
}
_DAMAGED = {sqlite3.SQLITE_NOTADB, sqlite3.SQLITE_CORRUPT}


class Reading(sqlite3.Connection):
    """A connection that only reads, and says what is wrong with its file in a sentence."""

    path: Path

    def __init__(self, *arguments: Any, **options: Any) -> None:
        super().__init__(*arguments, **options)
        self._busy = Lock()  # to close it under a query would end the process

    def rows(self, query: str, parameters: Sequence[object] = ()) -> list[Any]:
        """All rows of a query, so that no statement stays open; StoreError for a damaged file."""
        try:
            with self._busy:
                return self.execute(query, parameters).fetchall()
        except sqlite3.Error as error:
            raise as_store_error(error, self.path) from error

    def close(self) -> None:
        """Let go of the file, after a query that another thread is busy with."""
        with self._busy:
            super().close()


def storage_trouble(error: BaseException) -> str | None:
    """What is wrong with the storage and what to do, or None when `error` has another cause."""
    if not isinstance(error, sqlite3.Error):
        return None
    return _STORAGE.get(getattr(error, "sqlite_errorcode", 0) & 0xFF)


def as_store_error(error: sqlite3.Error, path: Path) -> StoreError:
    """The error to show for what SQLite said about `path`."""
    if (getattr(error, "sqlite_errorcode", 0) & 0xFF) in _DAMAGED:
        return NotARun(f"{path} is not a run of arena, or is damaged: restore it from a copy")
    trouble = storage_trouble(error)
    if trouble is not None:
        return DiskTrouble(f"{path}: {trouble}")
    return StoreError(f"{path} cannot be used: {error}")


@contextmanager
def store_errors(path: Path) -> Iterator[None]:
    """Whatever SQLite raises inside becomes a StoreError that says what is wrong with `path`."""
    try:
        yield
    except sqlite3.Error as error:
        raise as_store_error(error, path) from error


@contextmanager
def readable(path: Path, what: str) -> Iterator[None]:
    """What a damaged value makes of the code that reads it becomes NotARun, which names the file.

    For code that only takes stored values apart: there, such an error has no other cause.
    """
    try:
        yield
    except (LookupError, ValueError, TypeError, RecursionError, struct.error) as error:
        told = " ".join(str(error).split())[:200]
        raise NotARun(
            f"{path} is damaged: {what} cannot be read ({type(error).__name__}: {told}): "
            "restore the file from a copy"
        ) from error


def migrations(folder: Path) -> list[tuple[int, Path]]:
    """The numbered SQL files of `folder`: (schema version, file), from 1 without a gap."""
    found = sorted(folder.glob("[0-9][0-9][0-9][0-9]_*.sql"))
    numbered = [(int(re.split("_", file.name)[0]), file) for file in found]
    if [number for number, _ in numbered] != list(range(1, len(numbered) + 1)):
        raise StoreError(f"{folder}: the migrations are not numbered 1, 2, 3, ...: install arena again")
    return numbered


def statements(script: str) -> Iterator[str]:
    """The single statements of an SQL script; `executescript` would commit half a migration."""
    statement = ""
    for piece in re.split("(?<=;)", script):
        statement += piece
        if sqlite3.complete_statement(statement):
            yield statement
            statement = ""
    if re.sub(r"--.*|\s", "", statement):
        raise StoreError(f"a migration ends in the middle of a statement: {statement.strip()[:60]!r}")


def migrate(conn: sqlite3.Connection, folder: Path) -> None:
    """Bring the schema up to date, one transaction a migration; a failed one leaves no trace."""
    for version, file in migrations(folder):
        conn.execute("BEGIN IMMEDIATE")
        try:
            if version > _number(conn, "user_version"):
                for statement in statements(file.read_text(encoding="utf-8")):
                    conn.execute(statement)
                conn.execute(f"PRAGMA application_id = {APPLICATION_ID}")
                conn.execute(f"PRAGMA user_version = {version}")
            conn.execute("COMMIT")
        finally:
            if conn.in_transaction:
                conn.execute("ROLLBACK")


def create(path: Path, fill: Callable[[sqlite3.Connection], None] | None = None) -> None:
    """Make the database of a new run at `path`, whole or not at all, and never over an existing file.

    `fill` writes what the run starts with; the file gets its name after that is in it.

    Readable by its owner only; SQLite gives -wal and -shm the mode of the database. Folders that are
    missing are made, also for the owner only. UsageError when something is at `path` already.
    """
    path = path.absolute()
    _refuse_existing(path)
    refuse_remote(path)
    building = path.with_name(f".{path.name}.{secrets.token_hex(4)}.new")
    try:
        path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        # Until SQLite opens it, nobody can hold a lock on a file of this name.
        os.close(os.open(building, os.O_CREAT | os.O_EXCL | os.O_WRONLY | os.O_CLOEXEC, 0o600))
        try:
            conn = sqlite3.connect(_uri(building, "mode=rw"), uri=True, isolation_level=None)
            try:
                conn.execute("PRAGMA journal_mode = WAL")
                conn.execute("PRAGMA synchronous = FULL")
                migrate(conn, MIGRATIONS)
                if fill is not None:
                    conn.execute("BEGIN IMMEDIATE")
                    fill(conn)
                    conn.execute("COMMIT")
            finally:
                conn.close()
            _name(building, path)
        finally:
            for leftover in (building, *(Path(f"{building}{end}") for end in ("-wal", "-shm"))):
                leftover.unlink(missing_ok=True)
    except FileExistsError:
        _refuse_existing(path)
        raise
    except OSError as error:
        raise DiskTrouble(
            f"{path}: the run's file cannot be made ({error.strerror}): choose another place with --db"
        ) from error
    except sqlite3.Error as error:
        raise as_store_error(error, path) from error


def open_writing(path: Path) -> sqlite3.Connection:
    """The writing connection, migrated and set for durable commits (`isolation_level` None).

    RunNotFound, NotARun, NewerSchema or DiskTrouble; a file that is not ours is left as it was. The
    caller holds the run's lock, and uses the connection in the thread that opened it.
    """
    path = path.absolute()
    _identify(path).close()
    if not os.access(path, os.W_OK):
        # SQLite would open it for reading and take BEGIN IMMEDIATE for a plain BEGIN.
        raise DiskTrouble(f"{path}: {_STORAGE[sqlite3.SQLITE_READONLY]}")
    conn: sqlite3.Connection | None = None
    try:
        conn = sqlite3.connect(_uri(path, "mode=rw"), uri=True, isolation_level=None, cached_statements=256)
        conn.execute("PRAGMA busy_timeout = 5000")
        for setting in _SETTINGS:
            conn.execute(f"PRAGMA {setting}").fetchall()
        migrate(conn, MIGRATIONS)  # takes the write lock in any case, so a read-only file shows here
    except sqlite3.Error as error:
        if conn is not None:
            conn.close()
        raise as_store_error(error, path) from error
    return conn


def open_reading(path: Path) -> Reading:
    """A connection that cannot write, for views, exports and checks; works beside a live writer.

    A run that an older arena wrote is brought up to date first; StoreError where that cannot be done now.
    """
    path = path.absolute()
    conn = _identify(path)
    version, newest = _number(conn, "user_version"), len(migrations(MIGRATIONS))
    if version == newest:
        return conn
    conn.close()
    try:
        with RunLock(path):
            open_writing(path).close()
    except StoreError as error:
        raise StoreError(
            f"{path} was written by an older arena and cannot be brought up to date now: {error}"
        ) from error
    return _identify(path)


def _identify(path: Path) -> Reading:
    """A reading connection to a file that is known to be a run of arena, of this version or older."""
    if not path.exists():
        raise RunNotFound(f"{path}: there is no such run; `arena runs` lists them")
    if not path.is_file():
        raise NotARun(f"{path} is not a file, so it is no run of arena: `arena runs` lists the runs")
    try:
        conn = _connect_reading(path)
    except sqlite3.Error as error:
        raise as_store_error(error, path) from error
    try:
        ours = _number(conn, "application_id") == APPLICATION_ID
        version, newest = _number(conn, "user_version"), len(migrations(MIGRATIONS))
    except sqlite3.Error as error:
        conn.close()
        raise as_store_error(error, path) from error
    if ours and version <= newest:
        return conn
    conn.close()
    if not ours:
        raise NotARun(f"{path} is not a run of arena: give a run's id (`arena runs` lists them) or its file")
    raise NewerSchema(
        f"{path} was written by a newer arena (schema {version}, this one knows {newest}): update arena"
    )


def _connect_reading(path: Path) -> Reading:
    try:
        return _connected(path, "mode=ro")
    except sqlite3.OperationalError as error:
        wal = Path(f"{path}-wal")
        # A finished run on read-only media: there is no room for -shm, and nothing in -wal to miss.
        no_room = error.sqlite_errorcode & 0xFF in (sqlite3.SQLITE_CANTOPEN, sqlite3.SQLITE_READONLY)
        if not no_room or (wal.exists() and wal.stat().st_size):
            raise
        return _connected(path, "mode=ro&immutable=1")


def _connected(path: Path, query: str) -> Reading:
    conn = sqlite3.connect(
        _uri(path, query),
        uri=True,
        isolation_level=None,
        factory=Reading,
        check_same_thread=False,  # a run is opened in one thread and read in another, never in two at once
    )
    conn.path = path
    try:
        for setting in ("busy_timeout = 5000", "trusted_schema = OFF", "query_only = ON"):
            conn.execute(f"PRAGMA {setting}").fetchall()
        conn.execute("SELECT COUNT(*) FROM sqlite_schema").fetchone()  # the first statement that reads
    except sqlite3.Error:
        conn.close()
        raise
    return conn


def _uri(path: Path, query: str) -> str:
    return f"{path.as_uri()}?{query}"  # as_uri quotes ?, #, % and spaces


def _number(conn: sqlite3.Connection, pragma: str) -> int:
    return int(conn.execute(f"PRAGMA {pragma}").fetchone()[0])


def _refuse_existing(path: Path) -> None:
    if os.path.lexists(path):
        raise UsageError(f"{path} exists already: give --db a new name, or go on with `arena resume {path}`")


def _name(building: Path, path: Path) -> None:
    """Give a finished file its name, durably, unless that name is taken."""
    try:
        os.link(building, path)
    except FileExistsError:
        raise
    except OSError:  # a file system without hard links
        _refuse_existing(path)
        building.rename(path)
    folder = os.open(path.parent, os.O_RDONLY | os.O_DIRECTORY)
    try:
        os.fsync(folder)
    finally:
        os.close(folder)
