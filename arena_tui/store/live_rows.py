"""What is under way in a run that another process drives, as far as its file tells."""

from __future__ import annotations

from dataclasses import dataclass

from arena_tui.store.schema import Reading
from arena_tui.vocabulary import Mode, Orientation


@dataclass(frozen=True, slots=True)
class LiveRows:
    """`in_flight` maps (group, seq, orientation) of comparisons with an open reservation to (a, b, mode);
    `usd` and `tokens` are what is reserved for them, `applied` counts outcomes by group, `rounds` holds the
    round of each group's newest match, where it has one."""

    in_flight: dict[tuple[str, int, Orientation], tuple[str, str, Mode]]
    usd: float
    tokens: int
    applied: dict[str, int]
    rounds: dict[str, int]


def read(conn: Reading) -> LiveRows:
    """See `LiveRows`."""
    flying: dict[tuple[str, int, Orientation], tuple[str, str, Mode]] = {}
    usd, tokens = 0.0, 0
    for group, seq, orientation, a, b, mode, more_usd, more_tokens in conn.rows(
        "SELECT m.group_id, m.seq, r.orientation, m.hyp_a, m.hyp_b, m.mode, r.usd, r.tokens"
        " FROM reservations r JOIN tournament_matches m ON m.step = r.step WHERE r.state = 'open'"
        " ORDER BY r.id"
    ):
        flying[group, seq, orientation] = a, b, mode
        usd, tokens = usd + more_usd, tokens + more_tokens
    applied = dict(
        conn.rows(
            "SELECT group_id, COUNT(*) FROM tournament_matches WHERE applied_no IS NOT NULL GROUP BY group_id"
        )
    )
    rounds = conn.rows(
        "SELECT g.id, (SELECT json_extract(s.payload, '$.round') FROM steps s WHERE s.group_id = g.id"
        " ORDER BY s.group_seq DESC LIMIT 1) AS round FROM groups g WHERE round IS NOT NULL"
    )
    return LiveRows(flying, usd, tokens, applied, dict(rounds))


def leader(conn: Reading) -> str:
    """The title of the best who plays in the first group, its id where it has none; "" when nobody does."""
    rows = conn.rows(
        "SELECT c.title, c.id FROM ratings r JOIN candidates c ON c.group_id = r.scope AND c.id = r.entrant"
        " JOIN groups g ON g.id = r.scope WHERE c.state IN ('in_tournament', 'pinned')"
        " AND r.matches_played > 0 ORDER BY g.ord, r.rating DESC, c.ord LIMIT 1"
    )
    return next((title.strip() or id_ for title, id_ in rows), "")
