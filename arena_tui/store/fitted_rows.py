"""The fitted ratings with which groups ended: written with the closing of a group, read by `arena verify`."""

from __future__ import annotations

import sqlite3
from dataclasses import dataclass

from arena_tui.store.schema import Reading

Bounds = tuple[float, float | None, float | None]  # rating, low, high


@dataclass(frozen=True, slots=True)
class Fitted:
    """A group's fit after journal position `pos`, by entrant."""

    group: str
    pos: int
    ratings: dict[str, Bounds]


def keep(conn: sqlite3.Connection, fitted: Fitted) -> None:
    """The fit with which a group has ended now, in place of that of an earlier end."""
    conn.execute("DELETE FROM fitted WHERE scope = ?", (fitted.group,))
    conn.executemany(
        "INSERT INTO fitted (scope, entrant, pos, rating, low, high) VALUES (?, ?, ?, ?, ?, ?)",
        ((fitted.group, entrant, fitted.pos, *bounds) for entrant, bounds in fitted.ratings.items()),
    )


def read(conn: Reading) -> list[Fitted]:
    """All that are kept, in the order of their positions."""
    found: dict[tuple[int, str], Fitted] = {}
    for group, entrant, pos, *bounds in conn.rows(
        "SELECT scope, entrant, pos, rating, low, high FROM fitted ORDER BY pos, scope, entrant"
    ):
        rating, low, high = bounds
        found.setdefault((pos, group), Fitted(group, pos, {})).ratings[entrant] = rating, low, high
    return list(found.values())
