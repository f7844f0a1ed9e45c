"""Paid replies that later runs may use again: an SQLite file of its own beside the runs.

Keys are made by `client` from everything that shapes a reply; what is stored has the prompt's random
labels and fence ids replaced. Several processes may use the file at once. One thread owns the
connection, so that no access to the file holds up the event loop.
"""

from __future__ import annotations

import asyncio
import json
import os
import sqlite3
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from pathlib import Path
from typing import Any

from arena_tui.errors import UsageError
from arena_tui.providers.base import Completion, TokenLogprobs, Tokens

APPLICATION_ID = 0x41726E52  # "ArnR", in the file's header
VERSION = 1
BUSY_MS = 10_000
_SCHEMA = """
    CREATE TABLE replies (
        key TEXT PRIMARY KEY,
        completion TEXT NOT NULL,
        stored_at TEXT NOT NULL DEFAULT (strftime('%Y-%m-%dT%H:%M:%SZ', 'now'))
    ) STRICT
"""


class ReplyCache:
    """Completions by key. The file is made when first used, readable by its owner only.

    Looking a reply up raises `UsageError`, one sentence, for a file that is damaged or something else:
    before anything is paid. Storing never fails a call that was paid: what went wrong is then in
    `trouble`, as a sentence.
    """

    def __init__(self, path: Path) -> None:
        self.path = path.absolute()
        self.trouble = ""
        self._thread = ThreadPoolExecutor(max_workers=1, thread_name_prefix="reply-cache")
        self._conn: sqlite3.Connection | None = None

    async def open(self) -> None:
        """Make sure that the file can be used, or raise `UsageError`. Optional: `get` does it too."""
        await asyncio.get_running_loop().run_in_executor(self._thread, self._connected)

    async def get(self, key: str) -> Completion | None:
        """The reply stored under `key`."""
        return await asyncio.get_running_loop().run_in_executor(self._thread, self._find, key)

    def put(self, key: str, completion: Completion) -> None:
        """Store a reply, over an older one. Returns at once; a later `get` of this cache sees it."""
        self._thread.submit(self._store, key, completion)

    async def forget(self, key: str) -> None:
        """Remove what is stored under `key`, so that it is never served again."""
        await asyncio.get_running_loop().run_in_executor(self._thread, self._delete, key)

    async def close(self) -> None:
        """Finish what was to be stored and let go of the file; twice does no harm."""
        with suppress(RuntimeError):  # the thread has ended
            await asyncio.get_running_loop().run_in_executor(self._thread, self._disconnect)
        self._thread.shutdown(wait=False)

    # In the thread.

    def _connected(self) -> sqlite3.Connection:
        if self._conn is None:
            self._conn = _open(self.path)
        return self._conn

    def _find(self, key: str) -> Completion | None:
        conn = self._connected()
        try:
            row = conn.execute("SELECT completion FROM replies WHERE key = ?", (key,)).fetchone()
            return None if row is None else _decoded(row[0])
        except sqlite3.Error as error:
            raise _sentence(self.path, error) from error
        except (ValueError, KeyError, TypeError):
            return None  # one damaged row is a reply that is bought anew, and then replaces it

    def _store(self, key: str, completion: Completion) -> None:
        try:
            self._connected().execute(
                "INSERT OR REPLACE INTO replies (key, completion) VALUES (?, ?)", (key, _encoded(completion))
            )
        except sqlite3.Error as error:
            self.trouble = str(_sentence(self.path, error))
        except UsageError as error:
            self.trouble = str(error)

    def _delete(self, key: str) -> None:
        conn = self._connected()
        try:
            conn.execute("DELETE FROM replies WHERE key = ?", (key,))
        except sqlite3.Error as error:
            raise _sentence(self.path, error) from error

    def _disconnect(self) -> None:
        if self._conn is not None:
            self._conn.close()
            self._conn = None


def _open(path: Path) -> sqlite3.Connection:
    """The connection to the file at `path`, which is made if there is none; UsageError if it is not ours."""
    try:
        path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        with suppress(FileExistsError):  # made before, or by another process just now
            os.close(os.open(path, os.O_CREAT | os.O_EXCL | os.O_WRONLY | os.O_CLOEXEC, 0o600))
    except OSError as error:
        raise UsageError(
            f"{path}: the cache of replies cannot be made ({error.strerror}): "
            "make its folder writable, or use `cache: off`"
        ) from error
    conn: sqlite3.Connection | None = None
    try:
        conn = sqlite3.connect(f"{path.as_uri()}?mode=rw", uri=True, isolation_level=None)
        for setting in (f"busy_timeout = {BUSY_MS}", "trusted_schema = OFF", "cell_size_check = ON"):
            conn.execute(f"PRAGMA {setting}").fetchall()
        if _is_new(conn):
            conn.execute("BEGIN IMMEDIATE")
            if _is_new(conn):  # still, now that no other process can be making it
                conn.execute(_SCHEMA)
                conn.execute(f"PRAGMA application_id = {APPLICATION_ID}")
                conn.execute(f"PRAGMA user_version = {VERSION}")
            conn.execute("COMMIT")
        if _number(conn, "application_id") != APPLICATION_ID:
            raise _damaged(path)
        if (found := _number(conn, "user_version")) != VERSION:
            raise UsageError(
                f"{path} was written by another version of arena (cache version {found}, this one uses "
                f"{VERSION}): delete it, that is safe"
            )
        # Of a file with our mark only. A reply that is lost with the power is paid again, no worse.
        for setting in ("journal_mode = WAL", "synchronous = NORMAL"):
            conn.execute(f"PRAGMA {setting}").fetchall()
    except (sqlite3.Error, UsageError) as error:
        if conn is not None:
            conn.close()
        raise _sentence(path, error) if isinstance(error, sqlite3.Error) else error from error
    return conn


def _is_new(conn: sqlite3.Connection) -> bool:
    """True when nothing was written to the file."""
    tables = conn.execute("SELECT COUNT(*) FROM sqlite_schema").fetchone()[0]
    return not tables and not _number(conn, "application_id") and not _number(conn, "user_version")


def _number(conn: sqlite3.Connection, pragma: str) -> int:
    return int(conn.execute(f"PRAGMA {pragma}").fetchone()[0])


def _sentence(path: Path, error: sqlite3.Error) -> UsageError:
    """What SQLite said about the file, as a user can act on it."""
    code = getattr(error, "sqlite_errorcode", 0) & 0xFF
    if code in (sqlite3.SQLITE_NOTADB, sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_ERROR):
        return _damaged(path)  # SQLITE_ERROR: the table is not as we made it
    return UsageError(
        f"{path}: the cache of replies cannot be used ({error}): mend that, or use `cache: off`"
    )


def _damaged(path: Path) -> UsageError:
    return UsageError(
        f"{path} is damaged or no cache of replies: delete it, that is safe, since every run keeps its own "
        "replies"
    )


def _encoded(completion: Completion) -> str:
    """JSON in ASCII, so that half a surrogate pair in a reply can be stored too."""
    tokens = completion.tokens
    stored = {
        "text": completion.text,
        "stop_reason": completion.stop_reason,
        "tokens": [tokens.input, tokens.cached_input, tokens.cache_write, tokens.output],
        "logprobs": [[t.token, t.logprob, [list(pair) for pair in t.top]] for t in completion.logprobs],
        "model": completion.model,
    }
    return json.dumps(stored, separators=(",", ":"))


def _decoded(stored: str) -> Completion:
    found: dict[str, Any] = json.loads(stored)
    return Completion(
        text=found["text"],
        stop_reason=found["stop_reason"],
        tokens=Tokens(*found["tokens"]),
        logprobs=tuple(
            TokenLogprobs(token, logprob, tuple((word, value) for word, value in top))
            for token, logprob, top in found["logprobs"]
        ),
        model=found["model"],
    )
