"""Making a run's database and opening one to drive it: what is stored, what is locked, what is resumed.

`create` writes a new run; `Driver` holds the lock, replays the journal and builds the engine.
"""

from __future__ import annotations

import json
import secrets
from collections.abc import Callable, Iterable, Mapping
from contextlib import closing as closing_
from datetime import UTC, datetime
from functools import partial
from pathlib import Path
from types import TracebackType
from typing import Any

from arena_tui import __version__, exit_codes
from arena_tui.candidate import Candidate, Pool
from arena_tui.engine.actions import Action, Played
from arena_tui.engine.course import Course, Origin
from arena_tui.engine.events import Event
from arena_tui.engine.journal import Journal
from arena_tui.engine.loading import Loaded
from arena_tui.engine.order import default_lookahead
from arena_tui.engine.replay import load_pending, origin_of, replay, spent_by_group, unread_of
from arena_tui.engine.steering import Request
from arena_tui.engine.tournament import Engine
from arena_tui.identity import identity
from arena_tui.judging.base import Judge
from arena_tui.settings import Tournament
from arena_tui.store import facts, folder, inbox, schema
from arena_tui.store.lock import RunLock
from arena_tui.store.payloads import candidate_fields, candidate_of
from arena_tui.store.reader import Reader

RUN_ENDED_ITSELF = frozenset({"ELO_STABLE", "CONFIDENT", "COMPLETED", "IDLE"})
"""Stop reasons after which going on means that closed groups open again."""


def create(tournament: Tournament, pool: Pool, *, source: Path | None, db: Path | None = None) -> Path:
    """Write a new run's database and return its path; a seed left out is drawn here, once."""
    seed = tournament.seed if tournament.seed is not None else secrets.randbelow(2**31)
    now = datetime.now().astimezone()
    run, path = folder.new_run(tournament.name, now, secrets.token_hex(2))
    limits = tournament.limits
    lookahead = limits.lookahead or default_lookahead(limits.concurrency, len(pool.playable))
    meta = {
        "run": run,
        "name": tournament.name,
        "format": tournament.format.kind,
        "seed": str(seed),
        "created_at": now.astimezone(UTC).isoformat(timespec="seconds"),
        "version": __version__,
        "source": "" if source is None else str(source.resolve()),
        "tournament": tournament.model_dump_json(),
        "identity": json.dumps(identity(tournament, pool)),
        "lookahead": str(lookahead),
    }
    path = path if db is None else db
    course = Course(Origin(run, tournament, seed, lookahead, pool.groups))
    ratings = {
        (id_, row.id): row.rating for id_, group in course.groups.items() for row in group.format.standings()
    }
    schema.create(path, lambda conn: facts.insert_run(conn, meta=meta, groups=pool.groups, ratings=ratings))
    return path


class Driver:
    """The right to drive a run: holds its lock from construction to `close`; a context manager.

    `judge_of` makes the judge from the tournament in force, the seed and all candidates; without one
    the run can be acted on, not run.
    """

    def __init__(
        self,
        path: Path,
        judge_of: Callable[[Tournament, int, Iterable[Candidate]], Judge] | None = None,
    ) -> None:
        self.path = path
        self._lock = RunLock(path)
        self._reader: Reader | None = None
        schema.open_reading(path).close()  # a missing or foreign file is refused before a lock appears
        self._lock.acquire()
        try:
            schema.open_writing(path).close()  # migrates, and recovers what a killed writer left
            self._reader = reader = Reader(path)
            self.meta = reader.meta()
            self.judge: Judge | None = None
            told = None
            if judge_of is not None:
                origin = origin_of(reader)
                self.judge = judge_of(
                    origin.tournament,
                    origin.seed,
                    [candidate for group in origin.groups for candidate in group.candidates],
                )
                told = self.judge.planned
            self.course = replay(reader, told)
        except BaseException:
            self.close()
            raise

    def __enter__(self) -> Driver:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def close(self) -> None:
        """Let go of the run."""
        if self._reader is not None:
            self._reader.close()
            self._reader = None
        self._lock.release()

    @property
    def reader(self) -> Reader:
        """A reading view of the run."""
        assert self._reader is not None
        return self._reader

    def engine(
        self,
        *,
        listeners: Iterable[Callable[[Event], None]] = (),
        retry_seconds: float = 5.0,
        notes: Mapping[str, str] = {},
    ) -> Engine:
        """The engine of this run, ready to be awaited; what a killed process left is taken over.

        `notes` are meta values to be stored once what was prepared is journaled.
        """
        assert self.judge is not None
        reader = self.reader
        with closing_(schema.open_writing(self.path)) as conn:
            conn.execute("BEGIN IMMEDIATE")
            facts.book_lost_reservations(conn)
            conn.execute("COMMIT")
        pending = load_pending(reader, self.course)
        ended = self.meta.get("stop_reason", "")
        loaded = Loaded(
            pending=pending,
            unread=unread_of(pending, self.judge),
            spent=spent_by_group(reader),
            elapsed=float(self.meta.get("elapsed", 0)),
            resumed=self.course.pos > 0 or bool(ended),
            reopen=ended in RUN_ENDED_ITSELF and self.meta.get("exit_code") == str(exit_codes.OK),
            failed=ended == "IDLE" and self.meta.get("exit_code") == str(exit_codes.ERROR),
            notes=notes,
            closed=tuple(id_ for id_, end in reader.group_ends().items() if end.state == "closed"),
        )
        return Engine(
            self.course,
            self.judge,
            Journal(self.path, self.course.run, retry_seconds=retry_seconds),
            loaded,
            find_match=self.find_match,
            listeners=listeners,
            inbox=Inbox(self.path, {entry.origin for entry in reader.interventions()}).requests,
        )

    def find_match(self, group: str, seq: int) -> Played | None:
        """The applied match number `seq` of `group`; reads on a connection of the calling thread."""
        with Reader(self.path) as reader:
            row = reader.applied_match(group, seq)
        return None if row is None else Played(group, seq, *row)


class Inbox:
    """The inbox folder as the engine sees it; `journaled` are ids that took effect before a crash."""

    def __init__(self, db: Path, journaled: set[str]) -> None:
        self._db = db
        self._taken: set[str] = set()
        self._journaled = journaled

    def requests(self) -> list[Request]:
        """New requests; one that is journaled already is answered without acting again."""
        fresh = []
        for stored in inbox.requests(self._db):
            if stored.id in self._taken:
                continue
            self._taken.add(stored.id)
            if stored.id in self._journaled:
                self._answer(stored.id, True, "done")
                continue
            fresh.append(
                Request(
                    action_from(stored.action),
                    stored.id,
                    partial(self._answer, stored.id),
                )
            )
        return fresh

    def _answer(self, id_: str, ok: bool, message: str) -> None:
        inbox.answer(self._db, id_, ok, message)
        self._taken.discard(id_)


def action_to(action: Action) -> dict[str, Any]:
    """An action as the JSON of an inbox request."""
    return {
        "verb": action.verb,
        "args": list(action.args),
        "candidates": [candidate_fields(candidate) for candidate in action.candidates],
    }


def action_from(stored: Mapping[str, Any]) -> Action:
    """Back from `action_to`; what does not fit becomes an action that is refused by name."""
    verb, args = stored.get("verb"), stored.get("args", ())
    if not isinstance(verb, str) or not isinstance(args, list):
        return Action(str(verb))
    try:
        candidates = tuple(candidate_of(fields) for fields in stored.get("candidates", ()))
    except (KeyError, TypeError, ValueError):
        return Action(f"{verb} (unreadable)")
    return Action(verb, tuple(map(str, args)), candidates)
