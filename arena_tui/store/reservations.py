"""What comparisons have reserved of the limits: a row each, open until the comparison is paid or lost."""

from __future__ import annotations

import sqlite3
from typing import NamedTuple

from arena_tui.vocabulary import Orientation


class Reserved(NamedTuple):
    """What a comparison has reserved, and the part of it that calls under way may cost."""

    usd: float
    tokens: int
    stake_usd: float
    stake_tokens: int


def insert(conn: sqlite3.Connection, step_id: int, orientation: Orientation, reserved: Reserved) -> None:
    """The worst case of a comparison, before it is asked."""
    conn.execute(
        "INSERT INTO reservations (step, orientation, usd, tokens, stake_usd, stake_tokens, state)"
        " VALUES (?, ?, ?, ?, ?, ?, 'open')",
        (step_id, orientation, *reserved),
    )


def settle(conn: sqlite3.Connection, step_id: int, orientation: Orientation) -> None:
    """Close what a comparison had reserved: its real cost is known. Nothing open is no error."""
    conn.execute(
        "UPDATE reservations SET state = 'settled' WHERE step = ? AND orientation = ? AND state = 'open'",
        (step_id, orientation),
    )


def keep(conn: sqlite3.Connection, step_id: int, orientation: Orientation, reserved: Reserved) -> None:
    """What a comparison that has begun has reserved from now on."""
    conn.execute(
        "UPDATE reservations SET usd = ?, tokens = ?, stake_usd = ?, stake_tokens = ?"
        " WHERE step = ? AND orientation = ? AND state = 'open'",
        (*reserved, step_id, orientation),
    )


def book_lost(conn: sqlite3.Connection) -> None:
    """After a crash: what calls under way may have cost counts as spent; the rest was never asked for."""
    conn.execute(
        "UPDATE reservations SET state = 'lost', usd = stake_usd, tokens = stake_tokens WHERE state = 'open'"
    )
