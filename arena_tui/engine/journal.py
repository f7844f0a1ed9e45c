"""The engine's pen: turns what happened into units for the one writer, and waits for commits.

Units are submitted in the order in which the formats were fed, so any crash leaves a prefix of the
run. Whatever must not be told before it is durable is hung behind a ticket with `then`.
"""

from __future__ import annotations

import asyncio
import json
import sqlite3
import time
from collections import deque
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import partial
from pathlib import Path

from arena_tui.engine.actions import Played
from arena_tui.engine.budget import Reserve
from arena_tui.engine.events import Event
from arena_tui.engine.group import Applied
from arena_tui.engine.stopping import Closing
from arena_tui.facts import Intervention, Match, RatingChange
from arena_tui.judging.base import Reply, Verdict
from arena_tui.judging.orders import Combined
from arena_tui.store import facts, fitted_rows, reservations
from arena_tui.store.crash_points import CrashPoint, reached
from arena_tui.store.fitted_rows import Fitted
from arena_tui.store.writer import Unit, Writer
from arena_tui.vocabulary import CandidateState, Orientation

SLICE = 0.002  # seconds of work before the event loop gets its turn: keys and clocks wait no longer

Callback = Callable[[], None]
Changes = list[tuple[int, RatingChange]]  # rating changes by number of application in the group
Ratings = Mapping[str, tuple[float, int]]  # entrant: rating, valid matches played


class Journal:
    """Writes one run. All methods but `close` return at once; a ticket says what to wait for."""

    def __init__(self, path: Path, run: str, *, retry_seconds: float = 5.0) -> None:
        self._path = path
        self._run = run
        self._retry_seconds = retry_seconds
        self._after: deque[tuple[int, Callback]] = deque()
        self._calling_back = False  # the rest of a long list of callbacks is on its way
        self._listeners: tuple[Callable[[Event], None], ...] = ()

    def start(
        self,
        *,
        on_commit: Callback,
        on_trouble: Callable[[str | None], None],
        listeners: Iterable[Callable[[Event], None]] = (),
    ) -> None:
        """Start the writer; both callbacks run on the calling event loop, `on_commit` once a batch."""
        loop = asyncio.get_running_loop()
        self._loop = loop
        self._on_commit = on_commit
        self._listeners = tuple(listeners)

        def commit_seen(_ticket: int) -> None:
            loop.call_soon_threadsafe(self._committed)

        def trouble_seen(detail: str | None) -> None:
            loop.call_soon_threadsafe(on_trouble, detail)

        self._writer = Writer(
            self._path,
            on_commit=commit_seen,
            on_trouble=trouble_seen,
            retry_seconds=self._retry_seconds,
        )
        self._writer.start()

    @property
    def heard(self) -> bool:
        """True when somebody listens to events."""
        return bool(self._listeners)

    @property
    def committed(self) -> int:
        """All tickets up to this one are durable."""
        return self._writer.committed

    @property
    def unsaved(self) -> int:
        """Units submitted and not committed yet."""
        return self._writer.backlog

    @property
    def failure(self) -> BaseException | None:
        """A unit failed for a reason that is not storage: a bug, and the end of the run."""
        return self._writer.failure

    @property
    def untold(self) -> bool:
        """True while callbacks wait, for their commits or for their turn."""
        return bool(self._after)

    def then(self, ticket: int, callback: Callback) -> None:
        """Call back on the loop once `ticket` is durable; callbacks keep the order of their tickets."""
        if not self._after and ticket <= self._writer.committed:
            self._loop.call_soon(callback)
        else:
            self._after.append((ticket, callback))

    async def durable(self, ticket: int) -> None:
        """Wait for a ticket's commit."""
        if ticket > self._writer.committed:
            future: asyncio.Future[None] = self._loop.create_future()
            self.then(ticket, partial(_resolve, future))
            await future

    def tell(self, ticket: int, event: Event) -> None:
        """Hand an event to the listeners once the fact behind it is durable."""
        if self._listeners:
            self.then(ticket, partial(self._hand_out, event))

    def tell_now(self, event: Event) -> None:
        """Hand out an event that states no stored fact (the disk is full, say)."""
        self._hand_out(event)

    def _hand_out(self, event: Event) -> None:
        for listener in self._listeners:
            listener(event)

    def _committed(self) -> None:
        if not self._calling_back:
            self._call_back()

    def _call_back(self) -> None:
        """Call back for what is durable by now; a batch may bring hundreds, so the loop gets its turns."""
        committed, after = self._writer.committed, self._after
        self._calling_back = False
        until = time.monotonic() + SLICE
        while after and after[0][0] <= committed:
            if time.monotonic() >= until:
                self._calling_back = True
                self._loop.call_soon(self._call_back)
                break
            after.popleft()[1]()
        self._on_commit()

    # --- facts --------------------------------------------------------------------------------

    def plan(self, pos: int, step_id: int, step: Match) -> int:
        """A chosen step."""
        match_id = facts.match_id(self._run, step.group, step.seq, step.a, step.b)
        return self._writer.submit(partial(_plan, pos, step_id, match_id, step))

    def reserve(self, step_id: int, costs: Mapping[Orientation, Reserve]) -> int:
        """The worst case of a match's comparisons, before its first call."""

        def unit(conn: sqlite3.Connection) -> None:
            for orientation, cost in costs.items():
                reservations.insert(conn, step_id, orientation, _reserved(cost))

        return self._writer.submit(unit)

    def release(self, step_id: int, orientations: tuple[Orientation, ...]) -> int:
        """Comparisons were reserved and will not be asked: they cost nothing."""

        def unit(conn: sqlite3.Connection) -> None:
            for orientation in orientations:
                reservations.settle(conn, step_id, orientation)

        return self._writer.submit(unit)

    def reserve_more(self, step_id: int, orientation: Orientation, cost: Reserve) -> int:
        """What a comparison under way has reserved from now on."""

        def unit(conn: sqlite3.Connection) -> None:
            reservations.settle(conn, step_id, orientation)
            reservations.insert(conn, step_id, orientation, _reserved(cost))

        return self._writer.submit(unit)

    def replies(
        self, step_id: int, orientation: Orientation, replies: Sequence[Reply], left: Reserve | None
    ) -> int:
        """Replies as they came, with what stays reserved for the rest; None closes the reservation."""

        def unit(conn: sqlite3.Connection) -> None:
            for reply in replies:
                _reply(conn, step_id, orientation, reply, left)
            if left is None:
                reservations.settle(conn, step_id, orientation)

        return self._writer.submit(unit)

    def verdict(self, step_id: int, orientation: Orientation, verdict: Verdict) -> int:
        """What a reply was read as."""
        return self._writer.submit(partial(_verdict, step_id, orientation, verdict))

    def outcome(
        self,
        pos: int,
        step_id: int,
        applied: Applied,
        said: Combined,
        played: tuple[int, int],
        fitted: Fitted | None = None,
    ) -> int:
        """An applied outcome with the ratings, the snapshot and the closing it brought.

        `played` are the valid matches of a and b after it, `fitted` is the fit that goes with a closing.
        """
        step = applied.outcome.step
        match_id = facts.match_id(self._run, step.group, step.seq, step.a, step.b)
        return self._writer.submit(
            partial(_outcome, pos, step_id, match_id, applied, said, played, fitted, time.time())
        )

    def actions(self, units: Sequence[Unit]) -> int:
        """The journaled actions of one request (`intervention_unit`, `overrule_unit`), all or none."""

        def unit(conn: sqlite3.Connection) -> None:
            for each in units:
                each(conn)

        return self._writer.submit(unit)

    def reopen_group(self, group: str) -> int:
        """A closed group goes on."""
        return self._writer.submit(lambda conn: facts.reopen_group(conn, group))

    def close_group(self, group: str, closing: Closing, fitted: Fitted) -> int:
        """A group ended, with that fit."""

        def unit(conn: sqlite3.Connection) -> None:
            facts.close_group(conn, group, closing.reason, closing.detail)
            fitted_rows.keep(conn, fitted)

        return self._writer.submit(unit)

    def event(self, event: Event) -> int:
        """An event that the journal does not imply, kept for later readers, then told."""
        payload, at = json.dumps(event.to_dict()), time.time()
        ticket = self._writer.submit(
            lambda conn: facts.insert_event(conn, event.pos, event.kind, payload, at)
        )
        self.tell(ticket, event)
        return ticket

    def meta(self, values: Mapping[str, str]) -> int:
        """Facts about the run as a whole."""

        def unit(conn: sqlite3.Connection) -> None:
            for key, value in values.items():
                facts.set_meta(conn, key, value)

        return self._writer.submit(unit)

    def book_lost(self) -> int:
        """Reservations of calls that will bring no reply are spent."""
        return self._writer.submit(reservations.book_lost)

    def close(self, timeout: float) -> bool:
        """Commit all that is left and close; False when storage did not allow it in time."""
        return self._writer.close(timeout)


def intervention_unit(
    pos: int,
    action: Intervention,
    after_applied: int,
    origin: str,
    at: float,
    new_state: CandidateState | None,
    rating: float | None,
) -> Unit:
    """The unit of an action other than an overrule; `rating` is the start value of an added one."""
    return lambda conn: facts.insert_intervention(
        conn, pos, action, after_applied, origin, at, new_state=new_state, rating=rating
    )


def overrule_unit(
    run: str,
    pos: int,
    action: Intervention,
    played: Played,
    after_applied: int,
    origin: str,
    at: float,
    changes: Changes,
    ratings: Ratings,
) -> Unit:
    """The unit of an overrule: the action, the outcome now in force, and the refold from there on."""
    winner = action.winner or played.winner
    match_id = facts.match_id(run, played.group, played.seq, played.a, played.b)

    def unit(conn: sqlite3.Connection) -> None:
        facts.insert_intervention(conn, pos, action, after_applied, origin, at)
        facts.mark_overruled(conn, match_id, winner, pos)
        facts.rewrite_ratings(conn, played.group, changes, ratings)
        reached(CrashPoint.IN_REFOLD)

    return unit


def _resolve(future: asyncio.Future[None]) -> None:
    if not future.done():
        future.set_result(None)


def _reserved(reserve: Reserve) -> reservations.Reserved:
    all_, stake = reserve.all, reserve.stake
    return reservations.Reserved(all_.usd, all_.tokens, stake.usd, stake.tokens)


def _reply(
    conn: sqlite3.Connection, step_id: int, orientation: Orientation, reply: Reply, left: Reserve | None
) -> None:
    usage = reply.usage
    facts.insert_reply(
        conn,
        step_id,
        orientation,
        text=reply.text,
        left=None if left is None else _reserved(left),
        failure=reply.failure,
        input_tokens=usage.input_tokens,
        cached_input_tokens=usage.cached_input_tokens,
        output_tokens=usage.output_tokens,
        usd=usage.usd,
        sample=reply.sample,
        attempt=reply.attempt,
        turn=reply.turn,
        member=reply.member,
        request_hash=reply.request_hash,
        stop_reason=reply.stop_reason,
        model=reply.model,
        from_cache=reply.from_cache,
        seconds=reply.seconds,
        logprobs=reply.logprobs,
        speaker=reply.speaker,
        slot=reply.slot,
    )


def _verdict(step_id: int, orientation: Orientation, verdict: Verdict, conn: sqlite3.Connection) -> None:
    facts.insert_verdict(
        conn, step_id, orientation, verdict.winner, verdict.p_first, verdict.reason, verdict.flags
    )


def _plan(pos: int, step_id: int, match_id: str, step: Match, conn: sqlite3.Connection) -> None:
    facts.insert_plan(conn, pos, step_id, match_id, step)


def _outcome(
    pos: int,
    step_id: int,
    match_id: str,
    applied: Applied,
    said: Combined,
    played: tuple[int, int],
    fitted: Fitted | None,
    at: float,
    conn: sqlite3.Connection,
) -> None:
    outcome, change, snapshot, closing = (
        applied.outcome,
        applied.change,
        applied.snapshot,
        applied.closing,
    )
    facts.insert_outcome(
        conn,
        pos,
        step_id,
        match_id,
        outcome,
        change,
        scope=outcome.step.group,
        played_a=played[0],
        played_b=played[1],
        rationale=said.rationale,
        flags=said.flags,
        order_consistent=said.order_consistent,
        at=at,
    )
    group = outcome.step.group
    if snapshot is not None:
        facts.insert_snapshot(conn, group, outcome.applied_no, snapshot.top, snapshot.stable)
    if closing is not None:
        facts.close_group(conn, group, closing.reason, closing.detail)
    if fitted is not None:
        fitted_rows.keep(conn, fitted)
