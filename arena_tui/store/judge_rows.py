"""What a run has stored about its judge, counted: verdicts by order, pairs, lengths, calls.

The database counts; what comes back is small, but for one row a pair. Only applied matches and what
the judge said of them: an outcome that a person has overruled is still the judge's.
"""

from __future__ import annotations

import math
import sqlite3
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from arena_tui.ratings.proportions import PairTally
from arena_tui.store.export_rows import PIECE
from arena_tui.store.schema import Reading, as_store_error
from arena_tui.vocabulary import Said

QUANTILES = (0.5, 0.9, 0.99)


class OrderCount(NamedTuple):
    """How many matches said this: `ab` with a shown first, `ba` with b shown first; None: not asked."""

    ab: Said | None
    ba: Said | None
    matches: int


@dataclass(frozen=True, slots=True)
class CallFigures:
    """The judge's calls.

    `real` ones were sent and brought a reply; `from_cache` were not sent. `asked` counts questions (a
    comparison, for each member of a panel), `asked_again` those that needed a second sample. `seconds`
    and `usd` hold the smallest value that is no less than each share of QUANTILES of the real calls;
    None when nothing was measured, or a price is unknown.
    """

    real: int = 0
    from_cache: int = 0
    asked: int = 0
    asked_again: int = 0
    seconds: tuple[float, ...] | None = None
    usd: tuple[float, ...] | None = None


class JudgeRows(NamedTuple):
    """All of it. `pairs` gives (group, x, y, decided comparisons) with x < y of each pair that was decided
    at least once, as they are read: go through it once, before the reader is closed. `longer_won` are
    the matches the longer text won, and all decided ones between texts of unequal length."""

    orders: Sequence[OrderCount]
    pairs: Iterable[tuple[str, str, str, PairTally]]
    longer_won: tuple[int, int]
    calls: CallFigures


def read(conn: Reading) -> JudgeRows:
    """What the run has stored about its judge by now."""
    return JudgeRows(_orders(conn), _pairs(conn), _longer_won(conn), _calls(conn))


def _orders(conn: Reading) -> list[OrderCount]:
    """What was said in each order, matches without any verdict left out."""
    rows = conn.rows(
        "SELECT ab.verdict, ba.verdict, COUNT(*) FROM steps s"
        " LEFT JOIN comparisons ab ON ab.step = s.id AND ab.orientation = 'ab'"
        " LEFT JOIN comparisons ba ON ba.step = s.id AND ba.orientation = 'ba'"
        " WHERE s.state = 'applied' AND (ab.id IS NOT NULL OR ba.id IS NOT NULL)"
        " GROUP BY ab.verdict, ba.verdict ORDER BY ab.verdict, ba.verdict"
    )
    return [OrderCount(*row) for row in rows]


def _pairs(conn: Reading) -> Iterator[tuple[str, str, str, PairTally]]:
    """The decided comparisons of every pair, a piece at a time: there may be as many as matches."""
    # x was shown first when (orientation = 'ab') = (hyp_a = x), and won when (first) = (x first).
    query = (
        "SELECT grp, x, y, SUM(x_first AND x_won), SUM(x_first AND NOT x_won),"
        " SUM(NOT x_first AND x_won), SUM(NOT x_first AND NOT x_won) FROM ("
        " SELECT m.group_id AS grp, MIN(m.hyp_a, m.hyp_b) AS x, MAX(m.hyp_a, m.hyp_b) AS y,"
        " (c.orientation = 'ab') = (m.hyp_a < m.hyp_b) AS x_first,"
        " (c.verdict = 'first') = ((c.orientation = 'ab') = (m.hyp_a < m.hyp_b)) AS x_won"
        " FROM comparisons c JOIN tournament_matches m ON m.step = c.step"
        " WHERE m.applied_no IS NOT NULL AND c.verdict IN ('first', 'second'))"
        " GROUP BY grp, x, y ORDER BY grp, x, y"
    )
    try:
        cursor = conn.execute(query)
        while piece := cursor.fetchmany(PIECE):
            for group, x, y, *counts in piece:
                yield group, x, y, PairTally(*counts)
    except sqlite3.Error as error:
        raise as_store_error(error, conn.path) from error


def _longer_won(conn: Reading) -> tuple[int, int]:
    """As the matches were played."""
    row = conn.rows(
        "SELECT COALESCE(SUM((a.chars > b.chars) = (j.results = 'a')), 0), COUNT(*)"
        " FROM elo_journal j JOIN tournament_matches m ON m.id = j.match_id"
        " JOIN candidates a ON a.group_id = m.group_id AND a.id = m.hyp_a"
        " JOIN candidates b ON b.group_id = m.group_id AND b.id = m.hyp_b"
        " WHERE j.results IN ('a', 'b') AND a.chars <> b.chars"
    )[0]
    return row[0], row[1]


def _calls(conn: Reading) -> CallFigures:
    real, from_cache, unpriced, timed = conn.rows(
        "SELECT COALESCE(SUM(NOT from_cache AND state = 'done'), 0), COALESCE(SUM(from_cache), 0),"
        " COALESCE(SUM(NOT from_cache AND state = 'done' AND cost IS NULL), 0),"
        " COALESCE(SUM(NOT from_cache AND state = 'done' AND seconds > 0), 0) FROM calls"
    )[0]
    asked, again = conn.rows(
        "SELECT COUNT(*), COALESCE(SUM(again), 0) FROM"
        " (SELECT MAX(sample) > 0 AS again FROM calls GROUP BY step, orientation, member)"
    )[0]
    return CallFigures(
        real=real,
        from_cache=from_cache,
        asked=asked,
        asked_again=again,
        seconds=_quantiles(conn, "seconds", timed),
        usd=None if unpriced else _quantiles(conn, "cost", real),
    )


_SORTED = {
    "seconds": "SELECT seconds FROM calls WHERE NOT from_cache AND state = 'done' AND seconds > 0"
    " ORDER BY seconds LIMIT 1 OFFSET ?",
    "cost": "SELECT cost FROM calls WHERE NOT from_cache AND state = 'done' ORDER BY cost LIMIT 1 OFFSET ?",
}


def _quantiles(conn: Reading, column: str, n: int) -> tuple[float, ...] | None:
    """Nearest-rank quantiles of `n` values, found by the database, so that none has to be held here."""
    if not n:
        return None
    ranks = (math.ceil(share * n) - 1 for share in QUANTILES)
    return tuple(float(conn.rows(_SORTED[column], (rank,))[0][0]) for rank in ranks)
