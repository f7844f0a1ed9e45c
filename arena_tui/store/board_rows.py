"""The facts of a run as screens fold them: groups, candidates, applied matches, actions. Figures and names,
no texts, so that a run of 100,000 matches is read in a moment.
"""

from __future__ import annotations

import json
from typing import Any, NamedTuple, cast

from arena_tui.store.export_rows import PIECE
from arena_tui.store.schema import Reading, readable
from arena_tui.vocabulary import ARENA, ARENA_META, CandidateState, Mode, Said, StopReason, Winner

BECOMES: dict[str, CandidateState] = {
    "pin": "pinned",
    "unpin": "in_tournament",
    "reject": "rejected",
    "restore": "in_tournament",
}
"""kind of action -> what its candidate became; the other kinds change no state."""


class Rules(NamedTuple):
    """What of a run's settings its board depends on: the kind of its format, how far below the best in logits
    is good enough, whether its entrants are systems that meet over the texts of all groups, the games of a
    knockout's meeting, and what a Swiss counts for a bye and who has asked for one, as (id, round)."""

    kind: str = "elo"
    delta: float = 0.3
    dealt: bool = False
    best_of: int = 1
    bye_points: float = 0.5
    excused: frozenset[tuple[str, int]] = frozenset()


USUAL = Rules()
"""What stands where a run names nothing else."""


class GroupFact(NamedTuple):
    """A group and where it stands."""

    id: str
    prompt: str | None
    state: str  # open, closed, skipped
    stop_reason: StopReason | None
    stop_detail: str
    category: str | None = None


class EntrantFact(NamedTuple):
    """A candidate without its text. `start` is its first rating, `added_pos` the journal position of the
    action that added it (None: there from the start), `state` the one it began with."""

    group: str
    id: str
    title: str
    class_: str | None
    system: str | None
    parent_ids: tuple[str, ...]
    generation: int
    twin_of: str | None
    state: CandidateState
    start: float
    added_pos: int | None


class MatchFact(NamedTuple):
    """An applied match under the outcome in force; a void one leaves the ratings as they were, or has none.

    Before and after are Elo ratings, or points in the other formats. `withdrawn`: it was void without having
    been played, since one of the two had been rejected. `played` is the outcome before anybody overruled it
    (None: the one in force), `ab` and `ba` what the comparison in that order said and with which probability
    of the first, `round` that of a knockout or a Swiss, `at` the group whose texts were shown where systems
    meet, `planned` the journal position at which a Swiss planned it.
    """

    pos: int
    group: str
    seq: int
    a: str
    b: str
    mode: Mode
    winner: Winner
    a_before: float | None
    a_after: float | None
    b_before: float | None
    b_after: float | None
    overruled: bool
    withdrawn: bool = False
    played: Winner | None = None
    ab: Said | None = None
    ab_p: float | None = None
    ba: Said | None = None
    ba_p: float | None = None
    round: int | None = None
    at: str | None = None
    planned: int | None = None


MatchRow = tuple[
    int,
    str,
    int,
    str,
    str,
    Mode,
    Winner,
    float | None,
    float | None,
    float | None,
    float | None,
    bool | int,
    bool | int,
    Winner | None,
    Said | None,
    float | None,
    Said | None,
    float | None,
    int | None,
    str | None,
    int | None,
]
"""The fields of a MatchFact in their order, as a plain tuple: a hundred thousand are made in a moment."""


class ActFact(NamedTuple):
    """A journaled action. `state` is what its candidate became, None when the action changes no state."""

    pos: int
    kind: str
    group: str | None
    candidate: str | None
    state: CandidateState | None
    origin: str
    at: float  # seconds since the epoch


class TextFact(NamedTuple):
    """A system's text in a group: how it begins, and how many characters it has."""

    group: str
    category: str | None
    title: str
    beginning: str
    chars: int


class FlagFact(NamedTuple):
    """What a verdict says of a candidate's text."""

    group: str
    candidate: str
    flag: str


def rules(conn: Reading) -> Rules:
    """The settings in force that a board depends on."""
    with readable(conn.path, "the settings of the run"):
        for kind, delta, best_of, bye_points, excused in conn.rows(
            "SELECT json_extract(value, '$.format.kind'), json_extract(value, '$.stop.delta'),"
            " json_extract(value, '$.format.best_of'), json_extract(value, '$.format.bye_points'),"
            " json_extract(value, '$.format.excused') FROM meta WHERE key = 'tournament'"
        ):
            changed = conn.rows(
                "SELECT json_extract(payload, '$.values.\"stop.delta\"') AS delta FROM interventions"
                " WHERE kind = 'settings' AND delta IS NOT NULL ORDER BY pos DESC LIMIT 1"
            )
            return Rules(
                kind or USUAL.kind,
                float(changed[0][0] if changed else delta or USUAL.delta),
                _deals(conn),
                best_of or USUAL.best_of,
                USUAL.bye_points if bye_points is None else float(bye_points),
                frozenset((id_, at) for id_, rounds in json.loads(excused or "{}").items() for at in rounds),
            )
    return USUAL


def _deals(conn: Reading) -> bool:
    return any(
        json.loads(meta) == ARENA_META
        for (meta,) in conn.rows("SELECT meta FROM groups WHERE id = ?", (ARENA,))
    )


def groups(conn: Reading) -> list[GroupFact]:
    """All groups as they stand, in group order."""
    return [
        GroupFact(*row)
        for row in conn.rows(
            "SELECT id, prompt, state, stop_reason, stop_detail, category FROM groups ORDER BY ord"
        )
    ]


def entrants(conn: Reading) -> list[EntrantFact]:
    """The candidates that were there from the start, group after group, in pool order."""
    found: list[EntrantFact] = []
    last: tuple[int, int] | None = (-1, -1)
    while last is not None:
        rows = conn.rows(
            f"SELECT {_ENTRANT}, g.ord, c.ord FROM groups g JOIN candidates c ON c.group_id = g.id"
            " WHERE c.added_pos IS NULL AND g.ord >= ?1 AND (g.ord > ?1 OR c.ord > ?2)"
            " ORDER BY g.ord, c.ord LIMIT ?3",
            (*last, PIECE),
        )
        found += _entrants(conn, [row[:-2] for row in rows])
        last = rows[-1][-2:] if len(rows) == PIECE else None
    return found


def added(conn: Reading, after: int, upto: int) -> list[EntrantFact]:
    """The candidates that actions at the journal positions above `after` up to `upto` added, in order."""
    rows = conn.rows(
        f"SELECT {_ENTRANT} FROM interventions i JOIN candidates c ON c.group_id = i.group_id"
        " AND c.id = json_extract(i.payload, '$.added.id')"
        " WHERE i.pos > ? AND i.pos <= ? AND i.kind = 'add' ORDER BY i.pos",
        (after, upto),
    )
    return _entrants(conn, rows)


def text_of(conn: Reading, group: str, system: str) -> str | None:
    """The id of the candidate that a system entered in a group, the first of several; None without one."""
    rows = conn.rows(
        "SELECT id FROM candidates WHERE group_id = ? AND system = ? ORDER BY ord LIMIT 1", (group, system)
    )
    return str(rows[0][0]) if rows else None


def texts_of(conn: Reading, system: str) -> list[TextFact]:
    """What a system wrote, group by group; of several texts in a group the first."""
    return [
        TextFact(*row[:-1])
        for row in conn.rows(
            "SELECT g.id, g.category, c.title, substr(c.text, 1, 200), c.chars, MIN(c.ord)"
            " FROM candidates c JOIN groups g ON g.id = c.group_id WHERE c.system = ? AND g.id <> ?"
            " GROUP BY g.id ORDER BY g.ord",
            (system, ARENA),
        )
    ]


def matches(conn: Reading, after: int, upto: int, ruled: Rules = USUAL) -> list[MatchRow]:
    """The outcomes applied at the journal positions above `after` up to `upto`, in order.

    Columns behind the rationale, which may be long, are read only where there is no other way.
    """
    overruled = conn.rows("SELECT EXISTS (SELECT 1 FROM interventions WHERE kind = 'overrule')")[0][0]
    at = "json_extract((SELECT payload FROM steps s WHERE s.id = m.step), '$.at')" if ruled.dealt else "NULL"
    planned = "(SELECT pos FROM steps s WHERE s.id = m.step)" if ruled.kind == "swiss" else "NULL"
    return conn.rows(
        "SELECT j.pos, m.group_id, m.seq, m.hyp_a, m.hyp_b, m.mode, COALESCE(m.winner, 'void'),"
        " m.elo_a_before, m.elo_a_after, m.elo_b_before, m.elo_b_after,"
        f" {'m.overruled_by IS NOT NULL' if overruled else '0'},"
        " CASE WHEN m.winner IS NULL THEN m.void_reason IS 'withdrawn' ELSE 0 END,"
        " j.results, ab.verdict, ab.p_first, ba.verdict, ba.p_first,"
        f" {'m.round' if ruled.kind in ('knockout', 'swiss') else 'NULL'}, {at}, {planned}"
        " FROM elo_journal j CROSS JOIN tournament_matches m ON m.id = j.match_id"
        " LEFT JOIN comparisons ab ON ab.step = m.step AND ab.orientation = 'ab'"
        " LEFT JOIN comparisons ba ON ba.step = m.step AND ba.orientation = 'ba'"
        " WHERE j.pos > ? AND j.pos <= ? ORDER BY j.pos",
        (after, upto),
    )


def acts(conn: Reading, after: int, upto: int) -> list[ActFact]:
    """The actions journaled at the positions above `after` up to `upto`, in order."""
    rows = conn.rows(
        "SELECT pos, kind, group_id, COALESCE(json_extract(payload, '$.candidate'),"
        " json_extract(payload, '$.added.id')), origin, at FROM interventions"
        " WHERE pos > ? AND pos <= ? ORDER BY pos",
        (after, upto),
    )
    return [
        ActFact(pos, kind, group, candidate, BECOMES.get(kind), origin, at)
        for pos, kind, group, candidate, origin, at in rows
    ]


def flags(conn: Reading, after: int) -> tuple[list[FlagFact], int]:
    """What the comparisons after that of number `after` say of candidates' texts, and the last number."""
    last = conn.rows("SELECT COALESCE(MAX(id), 0) FROM comparisons")[0][0]
    with readable(conn.path, "the flags of a verdict"):
        rows = conn.rows(
            "SELECT s.group_id, c.flags FROM comparisons c JOIN steps s ON s.id = c.step"
            " WHERE c.flags <> '[]' AND c.id > ? AND c.id <= ? ORDER BY c.id",
            (after, last),
        )
        found = {
            FlagFact(group, *flag.rpartition(": ")[::2]): None
            for group, of_comparison in rows
            for flag in json.loads(of_comparison)
            if ": " in flag
        }
    return list(found), last


_ENTRANT = (
    "c.group_id, c.id, c.title, c.class, c.system, c.parent_ids, c.generation, c.twin_of, c.initial_state,"
    " c.rating, c.added_pos"
)


def _entrants(conn: Reading, rows: list[tuple[Any, ...]]) -> list[EntrantFact]:
    if not rows:
        return []
    initial = conn.rows(
        "SELECT json_extract(value, '$.format.initial_rating'), json_extract(value, '$.format.kind')"
        " FROM meta WHERE key = 'tournament'"
    )
    given, kind = initial[0] if initial else (None, None)
    in_points = kind not in (None, "elo")
    start = cast("float", 0.0 if in_points else 1200.0 if given is None else given)
    with readable(conn.path, "a candidate"):
        return [
            EntrantFact(
                group,
                id_,
                title,
                class_,
                system,
                tuple(json.loads(parents)) if parents != "[]" else (),
                generation,
                twin_of,
                state,
                start if rating is None or in_points else rating,
                pos,
            )
            for group, id_, title, class_, system, parents, generation, twin_of, state, rating, pos in rows
        ]
