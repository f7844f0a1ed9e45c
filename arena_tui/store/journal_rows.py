"""The journal as it is stored: plans, outcomes with what was said, and actions, in the order of positions."""

from __future__ import annotations

from collections.abc import Iterator

from arena_tui.facts import WITHDRAWN, Comparison, Outcome, RatingChange
from arena_tui.store.payloads import decode_intervention, decode_step
from arena_tui.store.records import Acted, Applied, JournalEntry, Planned
from arena_tui.store.schema import Reading


def entries(conn: Reading, span: tuple[int, int]) -> list[JournalEntry]:
    """What stands at the positions above the first of `span` up to the second."""
    found: list[JournalEntry] = [*_plans(conn, span), *_outcomes(conn, span), *actions(conn, span)]
    return sorted(found, key=lambda entry: entry.pos)


def _plans(conn: Reading, span: tuple[int, int]) -> Iterator[Planned]:
    for pos, id_, match_id, payload in conn.rows(
        "SELECT s.pos, s.id, m.id, s.payload FROM steps s JOIN tournament_matches m ON m.step = s.id"
        " WHERE s.pos > ? AND s.pos <= ?",
        span,
    ):
        yield Planned(pos, id_, match_id, decode_step(payload))


def _outcomes(conn: Reading, span: tuple[int, int]) -> Iterator[Applied]:
    rows = conn.rows(
        "SELECT j.pos, s.id, m.id, s.payload, j.results, m.applied_no, m.p_a, m.void_reason,"
        " ab.verdict, ab.p_first, ba.verdict, ba.p_first,"
        " m.elo_a_before, m.elo_a_after, m.elo_b_before, m.elo_b_after, j.expected_a, j.k"
        " FROM elo_journal j JOIN tournament_matches m ON m.id = j.match_id JOIN steps s ON s.id = m.step"
        " LEFT JOIN comparisons ab ON ab.step = m.step AND ab.orientation = 'ab'"
        " LEFT JOIN comparisons ba ON ba.step = m.step AND ba.orientation = 'ba'"
        " WHERE j.pos > ? AND j.pos <= ?",
        span,
    )
    for pos, step_id, match_id, payload, winner, applied_no, p_a, reason, *more in rows:
        step = decode_step(payload)
        said = {"ab": more[0:2], "ba": more[2:4]} if reason != WITHDRAWN else {}
        comparisons = tuple(Comparison(o, *said[o]) for o in step.orders if said and said[o][0] is not None)
        numbers = more[4:]
        change = None if numbers[0] is None else RatingChange(step.a, step.b, *numbers)
        outcome = Outcome(step, winner, applied_no, p_a, reason or "", comparisons)
        yield Applied(pos, step_id, match_id, outcome, change)


def actions(conn: Reading, span: tuple[int, int]) -> Iterator[Acted]:
    """The journaled actions at the positions above the first of `span` up to the second."""
    for pos, payload, after_applied, origin, at in conn.rows(
        "SELECT pos, payload, after_applied, origin, at FROM interventions WHERE pos > ? AND pos <= ?"
        " ORDER BY pos",
        span,
    ):
        yield Acted(pos, decode_intervention(payload), after_applied, origin, at)
