"""The facts of a run from its database, read in a thread of its own: implements `console.view.Facts`.

`open` loads everything, `look` brings what was committed since. New facts are folded on the event loop in
short slices, so that a screen that draws in between sees the run as it was at some moment, and keys are
never waited for.
"""

from __future__ import annotations

import asyncio
import time
from collections import deque
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Concatenate, ParamSpec, TypeVar

from arena_tui.candidate import Candidate
from arena_tui.console.fits import Fits, fit_all
from arena_tui.console.history import Piece, fold, load, load_at, read_piece, settle
from arena_tui.console.ledger import Ledger
from arena_tui.errors import RunNotFound, StoreError
from arena_tui.store import board_rows
from arena_tui.store.board_rows import ActFact, EntrantFact, MatchRow, TextFact
from arena_tui.store.match_rows import MatchRecord
from arena_tui.store.reader import Reader
from arena_tui.store.schema import readable

SLICE = 0.003  # seconds of folding before the event loop gets its turn
HANDFUL = 100  # matches between two looks at the clock: some 0.5 ms

P = ParamSpec("P")
T = TypeVar("T")


class Feed:
    """One run's facts. `ledger` is replaced as a whole when an overrule has rewritten what was read.

    Every method raises the store's errors for a database that has vanished or is damaged.
    """

    def __init__(self, db: Path) -> None:
        self.db = db
        self.ledger = Ledger()
        self._pool = ThreadPoolExecutor(1, "arena-facts")
        self._lock = asyncio.Lock()
        self._closed = False
        self._reader: Reader | None = None  # opened and used in the pool's thread
        self._version = -1  # of the data, when all of it had been read
        self._compared = 0  # the last comparison whose flags are known
        self._piece: Piece | None = None  # being folded
        self._unfolded: deque[ActFact | EntrantFact | Sequence[MatchRow]] = deque()
        self._fits = Fits()

    async def open(self) -> None:
        """Load everything there is."""
        async with self._lock:
            await self._reload()

    async def look(self) -> bool:
        """Bring what was committed since the last look, True when there was anything; and fits made since.

        One look at a time: a second one waits for the first. One that is cancelled loses nothing.
        """
        async with self._lock:
            new = await self._look()
            self._fits.look(self.ledger)
            return new

    async def _look(self) -> bool:
        if self._version < 0:
            await self._reload()
            return True
        if self._piece is not None:
            await self._fold(self._piece)
        version, fresh = await self._call(self._changed)
        if not fresh:
            return False
        while True:
            piece = await self._call(read_piece, self.ledger.pos, self._compared, self.ledger.rules)
            if piece.overruled(0):
                await self._reload()
                return True
            self._unfolded.extend(piece.in_order())
            self._piece = piece
            await self._fold(piece)
            if not piece.more:
                self._version = version
                return True

    async def match(self, group: str, seq: int) -> MatchRecord | None:
        """Everything stored of a match, planned ones included; None when there is none."""
        return await self._call(Reader.match, group, seq)

    async def candidate(self, group: str, id_: str) -> Candidate:
        """A candidate with its text, review and all; StoreError when there is none of that name."""
        found = await self._call(Reader.candidate, group, id_)
        if found is None:
            raise StoreError(f"{self.db.stem} has no candidate {id_!r} in group {group!r}")
        return found

    async def shown(self, record: MatchRecord, id_: str) -> Candidate:
        """What one of a match's two showed: itself or, where systems meet, its text in the match's group."""
        if record.at is None:
            return await self.candidate(record.group, id_)
        written = await self._call(Reader.facts, board_rows.text_of, record.at, id_)
        if written is None:
            raise StoreError(f"{self.db.stem} has no text of {id_!r} in group {record.at!r}")
        return await self.candidate(record.at, written)

    async def texts_of(self, system: str) -> Sequence[TextFact]:
        """What a system wrote, group by group."""
        return await self._call(Reader.facts, board_rows.texts_of, system)

    async def at(self, pos: int) -> Ledger:
        """The ledger as it was at a journal position, with the fit of that moment."""
        ledger = await self._call(load_at, pos)
        await asyncio.to_thread(fit_all, ledger)
        return ledger

    async def close(self) -> None:
        """Let go of the database; what is being read now is read to its end."""

        def closed() -> None:
            if self._reader is not None:
                self._reader.close()

        if not self._closed:
            self._closed = True
            await asyncio.get_running_loop().run_in_executor(self._pool, closed)
            self._pool.shutdown(wait=False)

    async def _fold(self, piece: Piece) -> None:
        """Fold what is left of a piece."""
        until = time.monotonic() + SLICE
        while self._unfolded:
            fact = self._unfolded.popleft()
            if not isinstance(fact, ActFact | EntrantFact) and len(fact) > HANDFUL:
                self._unfolded.appendleft(fact[HANDFUL:])
                fact = fact[:HANDFUL]
            with readable(self.db, "the journal"):
                fold(self.ledger, fact)
            if time.monotonic() >= until:
                await asyncio.sleep(0)
                until = time.monotonic() + SLICE
        with readable(self.db, "the journal"):
            settle(self.ledger, piece)
        self._compared = piece.compared
        self._piece = None

    async def _reload(self) -> None:
        def loaded(reader: Reader) -> tuple[int, Ledger, int]:
            version = reader.data_version()
            return version, *load(reader)

        self._version, self.ledger, self._compared = await self._call(loaded)
        self._unfolded.clear()
        self._piece = None

    def _changed(self, reader: Reader) -> tuple[int, bool]:
        if not self.db.exists():
            raise RunNotFound(f"{self.db} is gone: somebody deleted the run")
        version = reader.data_version()
        return version, version != self._version

    async def _call(self, read: Callable[Concatenate[Reader, P], T], *args: P.args, **options: P.kwargs) -> T:
        """Call with the reader, in its thread."""
        if self._closed:
            raise StoreError(f"{self.db.stem} was closed")

        def called() -> T:
            if self._reader is None:
                self._reader = Reader(self.db)
            return read(self._reader, *args, **options)

        return await asyncio.get_running_loop().run_in_executor(self._pool, called)
