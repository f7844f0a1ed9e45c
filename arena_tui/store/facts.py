"""One fact, one function: the SQL of everything a run writes down.

Each takes the connection of the transaction it runs in and commits nothing: the engine puts them
into units, and the writer commits units. SQL strings are constant, so that sqlite3 keeps them
prepared. States only move forward, and a fact that would move one back is a StoreError.
"""

from __future__ import annotations

import hashlib
import sqlite3
from collections.abc import Iterable, Mapping, Sequence

from arena_tui.candidate import Candidate, Group
from arena_tui.errors import StoreError
from arena_tui.facts import Intervention, Outcome, RatingChange, Step
from arena_tui.store import reservations
from arena_tui.store.payloads import encode, encode_intervention, encode_step, encode_vector
from arena_tui.values import whole_text
from arena_tui.vocabulary import CandidateState, Orientation, Said, StopReason, Winner


def match_id(run: str, group: str, seq: int, a: str, b: str) -> str:
    """The id of a match: sha256 over smaller id, larger id and round id, NUL-separated, in hex."""
    low, high = (a, b) if a <= b else (b, a)
    return hashlib.sha256(f"{low}\0{high}\0{run}:{group}:{seq}".encode()).hexdigest()


def insert_run(
    conn: sqlite3.Connection,
    *,
    meta: Mapping[str, str],
    groups: Sequence[Group],
    ratings: Mapping[tuple[str, str], float],
    arena: Group | None = None,
) -> None:
    """A new run: what it is, who competes (skipped groups with their reason), the start ratings.

    `ratings` maps (scope, entrant) to the start value. `arena`: the group of systems that play over the
    texts of the others, which then hold no match of their own.
    """
    conn.executemany(
        "INSERT INTO meta (key, value) VALUES (?, ?)",
        ((key, whole_text(value)) for key, value in meta.items()),
    )
    for ord_, group in enumerate(groups if arena is None else (*groups, arena)):
        plays = group.skipped is None and (arena is None or group is arena)
        conn.execute(
            "INSERT INTO groups (id, ord, prompt, category, criteria, meta, state, stop_detail)"
            " VALUES (?, ?, ?, ?, ?, ?, ?, ?)",
            (
                group.id,
                ord_,
                None if group.prompt is None else whole_text(group.prompt),
                None if group.category is None else whole_text(group.category),
                encode(dict(group.criteria)),
                encode(dict(group.meta)),
                "open" if plays else "skipped",
                whole_text(group.skipped or ""),
            ),
        )
        for place, candidate in enumerate(group.candidates):
            _insert_candidate(conn, candidate, place, None)
    conn.executemany(
        "INSERT INTO ratings (scope, entrant, rating, matches_played) VALUES (?, ?, ?, 0)",
        ((scope, entrant, rating) for (scope, entrant), rating in ratings.items()),
    )


def set_meta(conn: sqlite3.Connection, key: str, value: str) -> None:
    """One thing known about the run, replacing what was known before."""
    conn.execute(
        "INSERT INTO meta (key, value) VALUES (?, ?) ON CONFLICT (key) DO UPDATE SET value = excluded.value",
        (key, whole_text(value)),
    )


def insert_plan(conn: sqlite3.Connection, pos: int, step_id: int, match_id: str, step: Step) -> None:
    """A planned step, before its first call."""
    conn.execute(
        "INSERT INTO steps (id, pos, kind, group_id, group_seq, payload, state)"
        " VALUES (?, ?, 'match', ?, ?, ?, 'planned')",
        (step_id, pos, step.group, step.seq, encode_step(step)),
    )
    conn.execute(
        "INSERT INTO tournament_matches (step, id, group_id, seq, hyp_a, hyp_b, mode, similarity, round)"
        " VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)",
        (step_id, match_id, step.group, step.seq, step.a, step.b, step.mode, step.similarity, step.round),
    )


def insert_reply(
    conn: sqlite3.Connection,
    step_id: int,
    orientation: Orientation,
    *,
    text: str,
    left: reservations.Reserved | None = None,
    failure: str = "",
    input_tokens: int = 0,
    cached_input_tokens: int = 0,
    output_tokens: int = 0,
    usd: float | None = 0.0,
    sample: int = 0,
    attempt: int = 1,
    turn: int = 0,
    request_hash: str = "",
    stop_reason: str = "",
    member: int = 0,
    model: str = "",
    from_cache: bool = False,
    seconds: float = 0.0,
    logprobs: object = None,
    speaker: str = "",
    slot: int | None = None,
) -> None:
    """A paid reply, before anybody reads it.

    `left` is what stays reserved for the rest of the conversation; None closes the reservation. `usd` is
    None when the price is unknown; `failure` says why nothing usable came.
    """
    conn.execute(
        "INSERT INTO calls (step, orientation, request_hash, sample, attempt, turn, reply, stop_reason,"
        " failure, input_tokens, cached_input_tokens, output_tokens, cost, state, member, model,"
        " from_cache, seconds, logprobs, speaker, slot)"
        " VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
        (
            step_id,
            orientation,
            request_hash,
            sample,
            attempt,
            turn,
            whole_text(text),
            stop_reason,
            whole_text(failure),
            input_tokens,
            cached_input_tokens,
            output_tokens,
            usd,
            "failed" if failure else "done",
            member,
            model,
            from_cache,
            seconds,
            encode(logprobs) if logprobs else None,
            whole_text(speaker),
            slot,
        ),
    )
    if left is None:
        reservations.settle(conn, step_id, orientation)
    else:
        reservations.keep(conn, step_id, orientation, left)


def insert_verdict(
    conn: sqlite3.Connection,
    step_id: int,
    orientation: Orientation,
    verdict: Said,
    p_first: float | None = None,
    reason: str = "",
    flags: Sequence[str] = (),
) -> None:
    """What one comparison said."""
    conn.execute(
        "INSERT INTO comparisons (step, orientation, verdict, p_first, reason, flags)"
        " VALUES (?, ?, ?, ?, ?, ?)",
        (step_id, orientation, verdict, p_first, whole_text(reason), encode(list(flags)) if flags else "[]"),
    )


def insert_outcome(
    conn: sqlite3.Connection,
    pos: int,
    step_id: int,
    match_id: str,
    outcome: Outcome,
    change: RatingChange | None,
    *,
    scope: str,
    played_a: int,
    played_b: int,
    rationale: str = "",
    flags: Sequence[str] = (),
    order_consistent: bool | None = None,
    at: float,
) -> None:
    """An applied outcome: the match, its step, its journal row and both ratings.

    `played_a` and `played_b` are the matches the two have played after this one; without a `change`
    no rating is touched. `at` is in seconds since the epoch.
    """
    moved = conn.execute("UPDATE steps SET state = 'applied' WHERE id = ? AND state = 'planned'", (step_id,))
    if moved.rowcount != 1:
        raise StoreError(f"step {step_id} (match {match_id}) is not waiting for an outcome")
    before_after = (
        (None, None, None, None)
        if change is None
        else (change.a_before, change.a_after, change.b_before, change.b_after)
    )
    conn.execute(
        "UPDATE tournament_matches SET winner = ?, elo_a_before = ?, elo_a_after = ?, elo_b_before = ?,"
        " elo_b_after = ?, rationale = ?, applied_no = ?, p_a = ?, flags = ?, void_reason = ?,"
        " order_consistent = ?, applied_at = ? WHERE step = ?",
        (
            None if outcome.winner == "void" else outcome.winner,
            *before_after,
            whole_text(rationale),
            outcome.applied_no,
            outcome.p_a,
            encode(list(flags)) if flags else "[]",
            whole_text(outcome.reason) if outcome.reason else None,
            order_consistent,
            at,
            step_id,
        ),
    )
    expected_a, k = (None, None) if change is None else (change.expected_a, change.k)
    conn.execute(
        "INSERT INTO elo_journal (pos, match_id, scope, expected_a, k, results) VALUES (?, ?, ?, ?, ?, ?)",
        (pos, match_id, scope, expected_a, k, outcome.winner),
    )
    if change is not None:
        _set_rating(conn, scope, change.a, change.a_after, played_a)
        _set_rating(conn, scope, change.b, change.b_after, played_b)


def insert_snapshot(
    conn: sqlite3.Connection, group: str, applied_no: int, top: Iterable[tuple[str, float]], stable: bool
) -> None:
    """The top of a group's standings after `applied_no` outcomes, best first."""
    conn.execute(
        "INSERT INTO snapshots (group_id, applied_no, top, stable) VALUES (?, ?, ?, ?)",
        (group, applied_no, encode(list(top)), stable),
    )


def insert_intervention(
    conn: sqlite3.Connection,
    pos: int,
    action: Intervention,
    after_applied: int,
    origin: str,
    at: float,
    *,
    new_state: CandidateState | None = None,
    rating: float | None = None,
) -> None:
    """A journaled action, with what it does to the candidate.

    `new_state` is the state it brings the candidate to. A candidate that is added gets its row and,
    with `rating`, its start value (a twin has none of its own).
    """
    conn.execute(
        "INSERT INTO interventions (pos, kind, group_id, after_applied, payload, origin, at)"
        " VALUES (?, ?, ?, ?, ?, ?, ?)",
        (pos, action.kind, action.group, after_applied, encode_intervention(action), origin, at),
    )
    added = action.added
    if added is not None:
        place = conn.execute(
            "SELECT COALESCE(MAX(ord) + 1, 0) FROM candidates WHERE group_id = ?", (added.group,)
        ).fetchone()[0]
        _insert_candidate(conn, added, place, pos)
        if rating is not None:
            conn.execute(
                "INSERT INTO ratings (scope, entrant, rating, matches_played) VALUES (?, ?, ?, 0)",
                (action.group or added.group, added.id, rating),
            )
    elif new_state is not None:
        moved = conn.execute(
            "UPDATE candidates SET state = ? WHERE group_id = ? AND id = ?",
            (new_state, action.group, action.candidate),
        )
        if moved.rowcount != 1:
            raise StoreError(f"there is no candidate {action.candidate!r} in group {action.group!r}")


def mark_overruled(conn: sqlite3.Connection, match_id: str, winner: Winner, pos: int) -> None:
    """The outcome now in force of an applied match; the journal keeps the one that was played."""
    moved = conn.execute(
        "UPDATE tournament_matches SET winner = ?, overruled_by = ? WHERE id = ? AND applied_no IS NOT NULL",
        (None if winner == "void" else winner, pos, match_id),
    )
    if moved.rowcount != 1:
        raise StoreError(f"match {match_id} has no outcome to overrule")


def rewrite_ratings(
    conn: sqlite3.Connection,
    group: str,
    changes: Iterable[tuple[int, RatingChange]],
    ratings: Mapping[str, tuple[float, int]],
) -> None:
    """The refold after an overrule: `changes` by applied_no, `ratings` as entrant: (rating, played)."""
    for applied_no, change in changes:
        conn.execute(
            "UPDATE tournament_matches SET elo_a_before = ?, elo_a_after = ?, elo_b_before = ?,"
            " elo_b_after = ? WHERE group_id = ? AND applied_no = ?",
            (change.a_before, change.a_after, change.b_before, change.b_after, group, applied_no),
        )
        conn.execute(
            "UPDATE elo_journal SET expected_a = ?, k = ? WHERE match_id ="
            " (SELECT id FROM tournament_matches WHERE group_id = ? AND applied_no = ?)",
            (change.expected_a, change.k, group, applied_no),
        )
    for entrant, (rating, played) in ratings.items():
        _set_rating(conn, group, entrant, rating, played)


def close_group(conn: sqlite3.Connection, group: str, stop_reason: StopReason, detail: str) -> None:
    """A group has ended, and why."""
    _move_group(conn, group, "open", "closed", stop_reason, detail)


def reopen_group(conn: sqlite3.Connection, group: str) -> None:
    """A closed group goes on."""
    _move_group(conn, group, "closed", "open", None, "")


def insert_event(conn: sqlite3.Connection, pos: int, kind: str, payload: str, at: float) -> None:
    """Something that happened after journal position `pos`; `payload` is JSON."""
    conn.execute("INSERT INTO events (pos, kind, payload, at) VALUES (?, ?, ?, ?)", (pos, kind, payload, at))


def _set_rating(conn: sqlite3.Connection, scope: str, entrant: str, rating: float, played: int) -> None:
    moved = conn.execute(
        "UPDATE ratings SET rating = ?, matches_played = ? WHERE scope = ? AND entrant = ?",
        (rating, played, scope, entrant),
    )
    if moved.rowcount != 1:
        raise StoreError(f"{entrant!r} has no rating in {scope!r}")


def _move_group(
    conn: sqlite3.Connection, group: str, before: str, after: str, reason: StopReason | None, detail: str
) -> None:
    moved = conn.execute(
        "UPDATE groups SET state = ?, stop_reason = ?, stop_detail = ? WHERE id = ? AND state = ?",
        (after, reason, whole_text(detail), group, before),
    )
    if moved.rowcount != 1:
        raise StoreError(f"group {group!r} is not {before}, so it cannot become {after}")


def _insert_candidate(
    conn: sqlite3.Connection, candidate: Candidate, place: int, added_pos: int | None
) -> None:
    conn.execute(
        "INSERT INTO candidates (group_id, id, ord, system, title, text, chars, class, state,"
        " initial_state, added_pos, twin_of, parent_ids, generation, rating, strength, embedding,"
        " review, meta) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
        (
            candidate.group,
            candidate.id,
            place,
            candidate.system,
            whole_text(candidate.title),
            whole_text(candidate.text),
            len(candidate.text),
            candidate.class_,
            candidate.state,
            candidate.state,
            added_pos,
            candidate.twin_of,
            encode(list(candidate.parent_ids)),
            candidate.generation,
            candidate.rating,
            candidate.strength,
            encode_vector(candidate.embedding),
            None if candidate.review is None else whole_text(candidate.review),
            encode(dict(candidate.meta)),
        ),
    )
