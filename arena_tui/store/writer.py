"""The one writer of a run: a thread that owns the only writing connection and commits in groups.

Callers submit units (functions that run SQL on the connection) and get tickets; a ticket at or below
`committed` is durable. Units are committed in the order in which they were submitted, and none
without all before it, so whatever a crash leaves is a prefix. Trouble with the storage keeps units in
memory until they can be written; any other failure of a unit is a defect and ends the writing.
"""

from __future__ import annotations

import sqlite3
import threading
import time
from collections import deque
from collections.abc import Callable
from itertools import islice
from pathlib import Path

from arena_tui.errors import StoreError
from arena_tui.store import schema
from arena_tui.store.crash_points import CrashPoint, reached

Unit = Callable[[sqlite3.Connection], None]

_BATCH = 512  # units a transaction: bounds what a failure rolls back, and how long a commit takes
_REOPEN = {sqlite3.SQLITE_IOERR, sqlite3.SQLITE_CANTOPEN, sqlite3.SQLITE_READONLY}


class Writer:
    """See the module's docstring. All methods may be called from any thread.

    `on_commit(ticket)` is called on the writer's thread after each commit, with the last durable
    ticket; `on_trouble(sentence)` once when storage fails, `on_trouble(None)` when it is well again,
    and once for a defect. Neither may raise.
    """

    def __init__(
        self,
        path: Path,
        *,
        on_commit: Callable[[int], object],
        on_trouble: Callable[[str | None], object],
        retry_seconds: float = 5.0,
    ) -> None:
        self.committed = 0
        self.failure: BaseException | None = None
        self._path = path
        self._on_commit = on_commit
        self._on_trouble = on_trouble
        self._retry_seconds = retry_seconds
        self._waiting: deque[Unit] = deque()
        self._submitted = 0
        self._idle = False
        self._closing = False
        self._given_up = False
        self._opened = False
        self._ended = False
        self._troubled = False
        self._mutex = threading.Lock()
        self._work = threading.Condition(self._mutex)  # for the writer: units, or an end
        self._progress = threading.Condition(self._mutex)  # for those who wait on the writer
        self._thread = threading.Thread(target=self._live, name="arena-writer", daemon=True)

    @property
    def backlog(self) -> int:
        """How many units are submitted and not durable."""
        return self._submitted - self.committed

    def start(self) -> None:
        """Start the thread and wait until it has the database open; raises what opening raised."""
        self._thread.start()
        with self._mutex:
            while not (self._opened or self._ended):
                self._progress.wait(1.0)
        if not self._opened and self.failure is not None:
            raise self.failure

    def submit(self, unit: Unit) -> int:
        """Queue `unit` and return its ticket (1, 2, 3, ...). Never blocks on the disk.

        `unit` runs later, perhaps more than once: its effects outside the database must not matter.
        """
        with self._mutex:
            if self._closing:
                raise StoreError(f"{self._path}: the writer is closed")
            self._waiting.append(unit)
            self._submitted += 1
            if self._idle:
                self._work.notify()
            return self._submitted

    def flush(self, timeout: float) -> bool:
        """Wait until all that is submitted is durable; False after `timeout` seconds or a failure."""
        deadline = time.monotonic() + timeout
        with self._mutex:
            ticket = self._submitted
            while self.committed < ticket and self.failure is None and not self._ended:
                left = deadline - time.monotonic()
                if left <= 0:
                    break
                self._progress.wait(left)
            return self.committed >= ticket

    def close(self, timeout: float) -> bool:
        """Write what is waiting, fold the WAL into the database, close it, end the thread.

        False when something was not written within `timeout` seconds; it is then given up. Calling
        again is harmless.
        """
        with self._mutex:
            self._closing = True
        written = self.flush(timeout)
        with self._mutex:
            self._given_up = not written
            self._work.notify()
        if self._thread.ident is not None:
            self._thread.join(timeout=max(timeout, 10.0))
        return written and self.failure is None and not self._thread.is_alive()

    # On the writer's thread.

    def _live(self) -> None:
        conn: sqlite3.Connection | None = None
        try:
            conn = schema.open_writing(self._path)
            with self._mutex:
                self._opened = True
                self._progress.notify_all()
            conn = self._serve(conn)
        except BaseException as error:  # noqa: BLE001 - the thread's edge: whoever waits must learn of it
            self.failure = error
        finally:
            if conn is not None:
                self._put_away(conn)
            with self._mutex:
                self._ended = True
                self._progress.notify_all()

    def _serve(self, conn: sqlite3.Connection) -> sqlite3.Connection:
        """Commit what comes until the end; returns the connection then in use."""
        careful = 0  # units of a failed batch that are still to be tried one by one
        while True:
            with self._mutex:
                while not self._waiting and not self._closing:
                    self._idle = True
                    self._work.wait()
                    self._idle = False
                if self._given_up or not self._waiting:
                    return conn
                batch = list(islice(self._waiting, 1 if careful else _BATCH))
            error = self._commit(conn, batch)
            if error is None:
                careful = max(0, careful - 1)
                continue
            alone, careful = len(batch) == 1, max(careful, len(batch))
            if not alone:
                continue
            trouble = schema.storage_trouble(error)
            if trouble is None:
                self.failure = error
                self._on_trouble(
                    f"{self._path}: a result could not be stored ({type(error).__name__}: {error}); "
                    "nothing after it is written: stop the run and report this"
                )
                return conn
            self._wait_out(trouble)
            if isinstance(error, sqlite3.Error) and error.sqlite_errorcode & 0xFF in _REOPEN:
                conn = self._reopened(conn)

    def _commit(self, conn: sqlite3.Connection, batch: list[Unit]) -> BaseException | None:
        """One transaction for `batch`; what went wrong, in which case nothing of it is stored."""
        try:
            reached(CrashPoint.BEFORE_BEGIN)
            conn.execute("BEGIN IMMEDIATE")
            for unit in batch:
                unit(conn)
                reached(CrashPoint.IN_BATCH)
            reached(CrashPoint.BEFORE_COMMIT)
            conn.execute("COMMIT")
        except BaseException as error:  # noqa: BLE001 - whatever a unit raises, its batch must not be stored
            if conn.in_transaction:
                conn.execute("ROLLBACK")
            return error
        reached(CrashPoint.AFTER_COMMIT)
        with self._mutex:
            for _ in batch:
                self._waiting.popleft()
            self.committed += len(batch)
            self._progress.notify_all()
        if self._troubled:
            self._troubled = False
            self._on_trouble(None)
        self._on_commit(self.committed)
        reached(CrashPoint.AFTER_RESOLVE)
        return None

    def _wait_out(self, trouble: str) -> None:
        if not self._troubled:
            self._troubled = True
            self._on_trouble(
                f"{self._path}: {trouble}. Results are kept in memory and written as soon as possible."
            )
        deadline = time.monotonic() + self._retry_seconds
        with self._mutex:
            while not self._given_up and (left := deadline - time.monotonic()) > 0:
                self._work.wait(left)

    def _reopened(self, conn: sqlite3.Connection) -> sqlite3.Connection:
        """A fresh connection after a failure that may have spoiled this one; this one if none is had."""
        try:
            fresh = schema.open_writing(self._path)
        except StoreError:
            return conn
        conn.close()
        return fresh

    def _put_away(self, conn: sqlite3.Connection) -> None:
        try:
            if self.failure is None and not self._given_up:
                conn.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchall()
        except sqlite3.Error as error:
            # All is durable in the WAL, which the next opening folds in; the sentence says what to fix.
            if schema.storage_trouble(error) is None:
                self.failure = error
        finally:
            conn.close()
