"""Making a run's database and opening one to drive it: what is stored, what is locked, what is resumed.

`create` writes a new run; `Driver` holds the lock, replays the journal and builds the engine.
"""

from __future__ import annotations

import json
import os
import secrets
from collections.abc import Callable, Iterable, Mapping
from contextlib import closing as closing_
from dataclasses import replace
from datetime import UTC, datetime
from functools import partial
from pathlib import Path
from types import TracebackType
from typing import Any, get_args

from arena_tui import __version__, exit_codes
from arena_tui.candidate import Candidate, Group, Pool
from arena_tui.engine.actions import Action, Played
from arena_tui.engine.course import Course, Origin, usual_lookahead
from arena_tui.engine.events import Event
from arena_tui.engine.journal import Journal
from arena_tui.engine.loading import Loaded
from arena_tui.engine.replay import load_pending, origin_of, replay, spent_by_group, unread_of
from arena_tui.engine.steering import Request
from arena_tui.engine.tournament import Engine
from arena_tui.errors import DiskTrouble, StoreError
from arena_tui.identity import identity
from arena_tui.judging.base import Judge
from arena_tui.pool_fields import CANDIDATE_FIELDS
from arena_tui.settings import Tournament
from arena_tui.store import facts, folder, inbox, reservations, schema
from arena_tui.store.lock import RunLock
from arena_tui.store.payloads import candidate_fields, candidate_of
from arena_tui.store.reader import Reader
from arena_tui.vocabulary import CandidateState

RUN_ENDED_ITSELF = frozenset({"ELO_STABLE", "CONFIDENT", "COMPLETED", "IDLE"})
"""Stop reasons after which going on means that closed groups open again."""


PYTHON_JUDGE = "python_judge"
"""What a run that was begun with a judge from Python has in its meta data: what that judge is called."""


JudgeOf = Callable[[Tournament, int, Iterable[Candidate], bytes], Judge]
"""Makes a run's judge from the tournament in force, the seed, all candidates and the run's secret."""


def create(
    tournament: Tournament,
    pool: Pool,
    *,
    source: Path | None,
    db: Path | None = None,
    python_judge: str | None = None,
    vectors: Mapping[str, tuple[float, ...]] = {},
) -> Path:
    """Write a new run's database and return its path; a seed left out is drawn here, once.

    `python_judge` is what the judge is called that stands in for the tournament's. `vectors`, by text
    hash, were fetched for candidates that bring none; they belong to the run, not to its identity.
    """
    groups = tuple(_with_vectors(group, vectors) for group in pool.groups) if vectors else pool.groups
    seed = tournament.seed if tournament.seed is not None else secrets.randbelow(2**31)
    now = datetime.now().astimezone()
    run, path = folder.new_run(tournament.name, now, secrets.token_hex(2))
    lookahead = usual_lookahead(tournament, pool)
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
        "secret": secrets.token_hex(16),  # what fences and labels are derived from; in no export
    }
    if python_judge is not None:
        meta[PYTHON_JUDGE] = python_judge
    path = path if db is None else db
    course = Course(Origin(run, tournament, seed, lookahead, groups))
    arena = None if course.texts is None else course.texts.arena
    ratings = {
        (id_, row.id): row.rating for id_, group in course.groups.items() for row in group.format.scores()
    }
    schema.create(
        path, lambda conn: facts.insert_run(conn, meta=meta, groups=groups, ratings=ratings, arena=arena)
    )
    return path


def _with_vectors(group: Group, vectors: Mapping[str, tuple[float, ...]]) -> Group:
    made = (
        replace(c, embedding=vectors.get(c.text_hash)) if c.embedding is None else c for c in group.candidates
    )
    return replace(group, candidates=tuple(made))


class Driver:
    """The right to drive a run: holds its lock from construction to `close`; a context manager.

    Without `judge_of` the run can be acted on, not run.
    """

    def __init__(
        self,
        path: Path,
        judge_of: JudgeOf | None = None,
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
                with schema.readable(path, "the run's secret"):
                    secret = bytes.fromhex(self.meta.get("secret", ""))
                self.judge = judge_of(
                    origin.tournament,
                    origin.seed,
                    [candidate for group in origin.groups for candidate in group.candidates],
                    secret,
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
        with closing_(schema.open_writing(self.path)) as conn, schema.store_errors(self.path):
            conn.execute("BEGIN IMMEDIATE")
            reservations.book_lost(conn)
            conn.execute("COMMIT")
        pending = load_pending(reader, self.course)
        with schema.readable(self.path, "how long the run has taken"):
            elapsed = float(self.meta.get("elapsed", 0))
        ended = self.meta.get("stop_reason", "")
        loaded = Loaded(
            pending=pending,
            unread=unread_of(pending, self.judge),
            spent=spent_by_group(reader),
            elapsed=elapsed,
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
    """The inbox folder as the engine sees it; `journaled` are ids that took effect before a crash.

    An answer that cannot be left (a full disk) ends no run: it is tried again at every look.
    """

    def __init__(self, db: Path, journaled: set[str]) -> None:
        self._db = db
        self._file = os.stat(db)
        self._taken: set[str] = set()
        self._unsent: dict[str, tuple[bool, str]] = {}
        self._journaled = journaled

    def requests(self) -> list[Request]:
        """New requests; one that is journaled already is answered without acting again.

        StoreError when the run's file is not there any more: nothing would be paid for that is kept.
        """
        self._refuse_lost()
        for id_, (ok, message) in list(self._unsent.items()):
            self._answer(id_, ok, message)
        fresh = []
        for stored in inbox.requests(self._db, known=self._taken):
            self._taken.add(stored.id)
            if stored.id in self._journaled:
                self._answer(stored.id, True, "done")
                continue
            fresh.append(
                Request(
                    action_from(stored.action),
                    stored.id,
                    partial(self._answer, stored.id),
                    stored.origin,
                )
            )
        return fresh

    def _refuse_lost(self) -> None:
        try:
            if os.path.samestat(os.stat(self._db), self._file):
                return
        except OSError:
            pass  # it is gone
        raise StoreError(
            f"{self._db} was moved, deleted or replaced while the run was being driven, so nothing more is "
            "asked: put the file back (with what lies beside it), then go on with `arena resume`"
        )

    def _answer(self, id_: str, ok: bool, message: str) -> None:
        try:
            inbox.answer(self._db, id_, ok, message)
        except DiskTrouble:
            self._unsent[id_] = ok, message
        else:
            self._unsent.pop(id_, None)
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
        candidates = tuple(_checked(candidate_of(fields)) for fields in stored.get("candidates", ()))
    except (LookupError, TypeError, ValueError):
        return Action(f"{verb} (unreadable)")
    return Action(verb, tuple(map(str, args)), candidates)


_MAY_BE_MISSING = frozenset({"system", "class", "rating", "strength", "embedding", "review"})


def _checked(candidate: Candidate) -> Candidate:
    """A candidate from outside with every value checked as a pool's is; ValueError says what is wrong.

    What passes can be rated and stored: an action is refused before it is journaled, or never.
    """
    values: dict[str, Any] = {}
    for name, kind in CANDIDATE_FIELDS.items():
        if name == "prompt":  # the group's, not the candidate's
            continue
        field = "class_" if name == "class" else name
        value = getattr(candidate, field)
        if not (value is None and name in _MAY_BE_MISSING) and not (value == "" and name == "title"):
            values[field] = kind(value)
    if candidate.state not in get_args(CandidateState):
        raise ValueError(f"no candidate can be {candidate.state!r}")
    return replace(candidate, **values, twin_of=None)
