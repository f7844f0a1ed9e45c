"""What the overviews of a run have taken, booked in its meta rather than as calls of matches."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass

from arena_tui.store.records import Spent
from arena_tui.store.schema import Reading, readable

OVERVIEW = "overview"
"""The key of the meta under which the overview stands, with what each group's has taken below `spent`."""


@dataclass(frozen=True, slots=True)
class Booked:
    """Calls and tokens; `usd` is None when a price is unknown."""

    calls: int
    failed: int
    input_tokens: int
    cached_input_tokens: int
    output_tokens: int
    usd: float | None

    @property
    def tokens(self) -> int:
        """What counts against a token limit."""
        return self.input_tokens + self.output_tokens


def overviews(conn: Reading) -> dict[str, Booked]:
    """What the overviews of each group have taken, all that were ever written."""
    rows = conn.rows("SELECT value FROM meta WHERE key = ?", (OVERVIEW,))
    with readable(conn.path, "what the overviews have taken"):
        spent = json.loads(rows[0][0])["spent"] if rows else {}
        return {group: Booked(row["calls"], row["failed"], **row["usage"]) for group, row in spent.items()}


def with_overviews(conn: Reading, spent: Spent) -> Spent:
    """What a run has spent, its overviews included."""
    told = overviews(conn).values()
    unknown = spent.usd is None or any(row.usd is None for row in told)
    return Spent(
        usd=None if unknown else (spent.usd or 0.0) + sum(row.usd or 0.0 for row in told),
        tokens=spent.tokens + sum(row.tokens for row in told),
        calls=spent.calls + sum(row.calls for row in told),
        failed=spent.failed + sum(row.failed for row in told),
        input_tokens=spent.input_tokens + sum(row.input_tokens for row in told),
        cached_input_tokens=spent.cached_input_tokens + sum(row.cached_input_tokens for row in told),
        output_tokens=spent.output_tokens + sum(row.output_tokens for row in told),
    )


def with_overviews_by_group(
    conn: Reading, spent: Mapping[str, tuple[int, float]]
) -> dict[str, tuple[int, float]]:
    """Tokens and USD by group, overviews included; an unknown price counts nothing."""
    total = dict(spent)
    for group, row in overviews(conn).items():
        tokens, usd = total.get(group, (0, 0.0))
        total[group] = (tokens + row.tokens, usd + (row.usd or 0.0))
    return total
