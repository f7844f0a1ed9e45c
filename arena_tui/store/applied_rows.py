"""The applied matches as they are stored, with what was said of them: what `arena verify` looks at."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from typing import Any, NamedTuple

from arena_tui.store.export_rows import pieces
from arena_tui.store.records import StoredVerdict
from arena_tui.store.schema import Reading
from arena_tui.vocabulary import Mode, Orientation, Winner


class AppliedRow(NamedTuple):
    """One applied match.

    `winner` is the outcome in force and `played` the one that was played; `numbers` are the ratings of
    a before and after and of b before and after, the expected score of a, and K. `mode` and `orders` are
    those that were planned, `said` holds the verdicts there are. `overruled_by` is a journal position.
    """

    applied_no: int
    seq: int
    winner: Winner
    played: Winner
    numbers: tuple[float | None, ...]
    p_a: float | None
    reason: str
    rationale: str
    flags: tuple[str, ...]
    order_consistent: bool | None
    overruled_by: int | None
    orders: tuple[Orientation, ...]
    mode: Mode
    said: Mapping[Orientation, StoredVerdict]


def read(conn: Reading, group: str) -> Iterator[AppliedRow]:
    """The applied matches of `group` in applied order."""
    for row in pieces(
        conn,
        "SELECT m.applied_no, m.seq, m.winner, j.results, m.elo_a_before, m.elo_a_after, m.elo_b_before,"
        " m.elo_b_after, j.expected_a, j.k, m.p_a, m.void_reason, m.rationale, m.flags, m.order_consistent,"
        " m.overruled_by, json_extract(s.payload, '$.orders'), m.mode,"
        " ab.verdict, ab.p_first, ab.reason, ab.flags, ba.verdict, ba.p_first, ba.reason, ba.flags"
        " FROM tournament_matches m JOIN elo_journal j ON j.match_id = m.id JOIN steps s ON s.id = m.step"
        " LEFT JOIN comparisons ab ON ab.step = m.step AND ab.orientation = 'ab'"
        " LEFT JOIN comparisons ba ON ba.step = m.step AND ba.orientation = 'ba'"
        " WHERE m.group_id = ? AND m.applied_no > ? ORDER BY m.applied_no LIMIT ?",
        group,
    ):
        applied_no, seq, winner, played, *numbers = row[:10]
        p_a, reason, rationale, flags, consistent, overruled_by, orders, mode = row[10:18]
        yield AppliedRow(
            applied_no=applied_no,
            seq=seq,
            winner=winner or "void",
            played=played,
            numbers=tuple(numbers),
            p_a=p_a,
            reason=reason or "",
            rationale=rationale,
            flags=tuple(json.loads(flags)),
            order_consistent=None if consistent is None else bool(consistent),
            overruled_by=overruled_by,
            orders=tuple(json.loads(orders)),
            mode=mode,
            said=_said(row[18:]),
        )


def _said(columns: tuple[Any, ...]) -> dict[Orientation, StoredVerdict]:
    said: dict[Orientation, StoredVerdict] = {}
    both: tuple[tuple[Orientation, tuple[Any, ...]], ...] = (("ab", columns[:4]), ("ba", columns[4:]))
    for orientation, (verdict, p_first, reason, flags) in both:
        if verdict is not None:
            said[orientation] = StoredVerdict(orientation, verdict, p_first, reason, tuple(json.loads(flags)))
    return said
