"""Finding or making the run that a tournament file is to drive: what `arena FILE` does before it starts.

Looking (`Start`) refuses what can be refused and writes nothing; `begin` makes the run's database, safely
beside another process that starts the same file.
"""

from __future__ import annotations

import asyncio
from functools import partial
from pathlib import Path

from arena_tui.embedding import fetch_vectors
from arena_tui.engine import opening
from arena_tui.errors import FileProblems, UsageError
from arena_tui.judging.build import Person
from arena_tui.resumption import NO_DIFFERENCES, Differences, asked_of, differences_of, run_to_resume
from arena_tui.running import discard_unbegun, model_problems, prove_judge
from arena_tui.store import folder
from arena_tui.store.lock import StartLock
from arena_tui.tournament_file import Loaded

PATIENCE = 30.0  # seconds to wait for another process that is just making a run of the same file


class Start:
    """The start of a tournament file. `path` is the run that goes on, None when a new one is made.

    `db` names the new run's file, `options` what was given beside the file (see `resumption.options_of`).
    `as_written` is the file where `loaded` has limits that a person edited: a run is compared with that.
    Raises what `differences_of`, `model_problems` and `prove_judge` do.
    """

    def __init__(
        self,
        loaded: Loaded,
        *,
        db: str | None = None,
        new: bool = False,
        extend: bool = False,
        options: dict[str, str] | None = None,
        person: Person = "terminal",
        as_written: Loaded | None = None,
    ) -> None:
        if new and extend:
            raise UsageError(
                "--new and --extend exclude each other: a fresh run, or the last one with more candidates"
            )
        self._loaded, self._db, self._new, self._extend = loaded, db, new, extend
        self._chosen = None if db is None else Path(db)
        self._written = as_written or loaded
        self._compare = partial(differences_of, self._written, extend=extend, options=options or {})
        self._made: Path | None = None
        source = loaded.path or loaded.folder
        self._lock = StartLock(folder.start_lock(source, self._chosen))
        self.notes = list(loaded.notes)
        self.path = None if new else run_to_resume(loaded, db, extend)
        if self.path is None and extend:
            raise UsageError(f"{source} has no run yet that could be extended: leave --extend out")
        if self.path is None:
            if problems := model_problems(loaded):
                raise FileProblems(problems)
            prove_judge(loaded.tournament, loaded.pool, loaded.folder, person=person)
        self._differences = NO_DIFFERENCES
        if self.path is not None:
            self._differences = self._compare(self.path)
            self.notes.append(f"going on with run {self.path.stem}; --new would start a fresh one")

    @property
    def db(self) -> Path | None:
        """Where the run's database is or will be, if that is known."""
        return self.path or self._chosen

    def begin(self) -> tuple[Path, Differences]:
        """The run's database, made if need be, and what the file asks for that the run does not have yet.

        Blocks while another process makes a run of the same file; no event loop may run in the thread.
        """
        if self.path is not None:
            return self.path, self._differences
        if not self._new:
            self._lock.acquire(PATIENCE)
            other = run_to_resume(self._loaded, self._db, self._extend)  # of a process that began meanwhile
            if other is not None:
                return other, self._compare(other)
        tournament, pool = self._loaded.tournament, self._loaded.pool
        vectors = asyncio.run(fetch_vectors(tournament, pool))
        self._made = opening.create(
            tournament, pool, source=self._loaded.path, db=self._chosen, vectors=vectors
        )
        if self._written is self._loaded:
            return self._made, NO_DIFFERENCES
        return self._made, Differences({}, asked_of(self._written.tournament), ())

    def driven(self) -> None:
        """The run is locked by this process: others may look again."""
        self._lock.release()

    def failed(self) -> None:
        """Driving was refused: a run that was made and never begun goes, or the next start would take it
        for one to go on with."""
        if self._made is not None:
            discard_unbegun(self._made)

    def close(self) -> None:
        """Let go of the file."""
        self._lock.release()
