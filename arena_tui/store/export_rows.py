"""The rows of exports: applied matches and their comparisons, in an order that no latency changes.

Read in short pieces, for a reader that held one view of the database open would make the writer's
WAL grow without bound. What a cut run gives is, in each group, the beginning of what it gives whole.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from typing import Any

from arena_tui.store.schema import Reading, readable

PIECE = 2_000  # rows a query


def group_ids(conn: Reading) -> list[str]:
    """All groups, in group order."""
    return [id_ for (id_,) in conn.rows("SELECT id FROM groups ORDER BY ord")]


def pieces(conn: Reading, query: str, *fixed: str, start: int = 0) -> Iterator[tuple[Any, ...]]:
    """All rows of `query`, which is ordered by its first column.

    Its last two parameters are the last value of that column that was read, and a number of rows.
    """
    last = start
    while rows := conn.rows(query, (*fixed, last, PIECE)):
        yield from rows
        if len(rows) < PIECE:
            return
        last = rows[-1][0]


def matches(conn: Reading, times: bool) -> Iterator[dict[str, Any]]:
    """The applied matches in (group, applied_no) order, under the outcomes in force.

    `overruled_by` is 1 for the group's first overrule, 2 for the second, ...: a `pos` would depend
    on how the groups took turns. With `times` the second of the application is added.
    """
    for group in group_ids(conn):
        for row in pieces(conn, _MATCHES, group):
            match = _match(conn, group, row)
            if times:
                match["applied_at"] = row[-1]
            yield match


def comparisons(conn: Reading) -> Iterator[dict[str, Any]]:
    """The comparisons of applied matches in (group, applied_no, orientation) order.

    `a` is the one that was shown first, so `winner` is `a` for a verdict of `first`. `group` is the one
    whose texts were shown. `weight` is what a comparison counts in the run's own fit: a match weighs 1,
    shared out to the orders that were asked, or, once overruled, to those that could be read. `winner` and
    `p_a` stay the judge's where a person has overruled the match; `overruled` says what counts instead.
    `system_a` and `system_b` made the two texts.
    """
    systems = _systems(conn)
    for group in group_ids(conn):
        for row in pieces(conn, _COMPARISONS, group):
            yield from _comparisons(conn, row, systems, group)


def match(conn: Reading, group: str, applied_no: int) -> tuple[dict[str, Any], list[dict[str, Any]]]:
    """One applied match as `matches` shows it, and its comparisons."""
    which = (group, applied_no - 1, 1)
    return (
        _match(conn, group, conn.rows(_MATCHES, which)[0]),
        list(_comparisons(conn, conn.rows(_COMPARISONS, which)[0], _systems(conn), group)),
    )


_MATCHES = (
    "SELECT m.applied_no, m.seq, m.round, m.hyp_a, m.hyp_b, m.mode, m.winner, m.elo_a_before,"
    " m.elo_a_after, m.elo_b_before, m.elo_b_after, m.p_a, m.similarity, m.rationale, m.flags,"
    " m.order_consistent, CASE WHEN m.overruled_by IS NOT NULL THEN (SELECT COUNT(*) FROM"
    " interventions i WHERE i.kind = 'overrule' AND i.group_id = m.group_id"
    " AND i.pos <= m.overruled_by) END, json_extract(s.payload, '$.at'), json_extract(s.payload, '$.why'),"
    " m.applied_at FROM tournament_matches m JOIN steps s ON s.id = m.step"
    " WHERE m.group_id = ? AND m.applied_no > ? ORDER BY m.applied_no LIMIT ?"
)
_COMPARISONS = (
    "SELECT m.applied_no, COALESCE(json_extract(s.payload, '$.at'), m.group_id), m.hyp_a, m.hyp_b, m.seq,"
    " m.mode, m.winner, m.overruled_by IS NOT NULL, m.void_reason,"
    " ab.verdict, ab.p_first, ab.reason, ab.flags, ba.verdict, ba.p_first, ba.reason, ba.flags"
    " FROM tournament_matches m JOIN steps s ON s.id = m.step"
    " LEFT JOIN comparisons ab ON ab.step = m.step AND ab.orientation = 'ab'"
    " LEFT JOIN comparisons ba ON ba.step = m.step AND ba.orientation = 'ba'"
    " WHERE m.group_id = ? AND m.applied_no > ? ORDER BY m.applied_no LIMIT ?"
)


def _match(conn: Reading, group: str, row: tuple[Any, ...]) -> dict[str, Any]:
    applied_no, seq, round_, a, b, mode, winner, *ratings, p_a, similarity = row[:13]
    rationale, flags, consistent, overruled_by, at, why, _ = row[13:]
    return {
        "seq": seq,
        "applied_no": applied_no,
        "group": group,
        "round": round_,
        "hyp_a": a,
        "hyp_b": b,
        "mode": mode,
        "winner": winner or "void",
        "elo_a_before": ratings[0],
        "elo_a_after": ratings[1],
        "elo_b_before": ratings[2],
        "elo_b_after": ratings[3],
        "p_a": p_a,
        "similarity": similarity,
        "rationale": rationale,
        "flags": _flags(conn, flags),
        "order_consistent": None if consistent is None else bool(consistent),
        "overruled_by": overruled_by,
        "at": at,
        "why": why,
    }


def _systems(conn: Reading) -> dict[tuple[str, str], str]:
    """Who made each candidate, by (group, id), where that is known."""
    made = conn.rows("SELECT group_id, id, system FROM candidates WHERE system IS NOT NULL")
    return {(group, id_): system for group, id_, system in made}


def _comparisons(
    conn: Reading, row: tuple[Any, ...], systems: Mapping[tuple[str, str], str], of: str
) -> Iterator[dict[str, Any]]:
    """Those of one match of the group `of`."""
    _, group, a, b, seq, mode, winner, overruled, void_reason, *said = row
    # A match was void as it was played when it says why, whatever a person has made of it since.
    both = [(a, b, *said[:4]), (b, a, *said[4:])]
    asked = [each for each in both if each[2] is not None]
    if not asked and overruled and winner is not None:
        asked = [(a, b, "invalid", None, void_reason or "", "[]")]
    usable = sum(each[2] != "invalid" for each in asked) if not void_reason else 0
    counts_now = winner is not None
    share = 1.0 / max(1, usable if overruled else len(asked))
    for place, (first, second, verdict, p_first, reason, flags) in enumerate(asked):
        counts = verdict != "invalid" if usable else overruled and not place
        yield {
            "a": first,
            "b": second,
            "winner": {"first": "a", "second": "b"}.get(verdict, verdict),
            "p_a": p_first,
            "group": group,
            "seq": seq,
            "mode": mode,
            "reason": reason,
            "flags": _flags(conn, flags),
            "first": "a",
            "weight": share if counts and counts_now else 0.0,
            "match": seq,
            "overruled": _seen_from(winner, straight=first == a) if overruled else None,
            "system_a": systems.get((of, first)),
            "system_b": systems.get((of, second)),
        }


def _seen_from(winner: str | None, *, straight: bool) -> str:
    """A match's outcome from the side of the one that was shown first."""
    return {"a": "a" if straight else "b", "b": "b" if straight else "a"}.get(winner or "", winner or "void")


def _flags(conn: Reading, stored: str) -> Any:
    if stored == "[]":
        return []
    with readable(conn.path, "the flags of a verdict"):
        return json.loads(stored)
