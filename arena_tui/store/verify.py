"""What can be said of a run's file without refolding its ratings: is it whole, gapless, consistent?

`arena verify` adds the refold, which needs the formats and so belongs to the engine.
"""

from __future__ import annotations

import sqlite3
from dataclasses import dataclass
from pathlib import Path

from arena_tui.errors import NotARun
from arena_tui.store.facts import match_id
from arena_tui.store.lock import holder
from arena_tui.store.schema import as_store_error, open_reading
from arena_tui.values import counted

_SHOWN = 5  # faults of one kind that are named


@dataclass(frozen=True, slots=True)
class _Rule:
    """A query that finds the rows that break a rule, and the sentence about one of them."""

    finds: str
    says: str


_KEEPS_REPLIES = (
    "EXISTS (SELECT 1 FROM calls)"
    " OR (NOT EXISTS (SELECT 1 FROM meta WHERE key = 'python_judge') AND EXISTS (SELECT 1 FROM meta"
    " WHERE key = 'tournament' AND (json_extract(value, '$.judge.kind') IN"
    " ('llm', 'command', 'human', 'panel') OR json_extract(value, '$.judge.usage.input_tokens')"
    " + json_extract(value, '$.judge.usage.output_tokens') + json_extract(value, '$.judge.usage.usd') > 0)))"
)
"""True for a run whose judge has each reply stored before it is read."""

_RULES = (
    _Rule(
        "SELECT id FROM steps WHERE (state = 'applied') <> EXISTS (SELECT 1 FROM elo_journal j"
        " JOIN tournament_matches m ON m.id = j.match_id WHERE m.step = steps.id)",
        "step {}: its state and the journal disagree on whether it is applied",
    ),
    _Rule(
        "SELECT s.id FROM steps s LEFT JOIN tournament_matches m ON m.step = s.id WHERE m.step IS NULL"
        " OR m.group_id <> s.group_id OR m.seq <> s.group_seq"
        " OR (s.state = 'applied') <> (m.applied_no IS NOT NULL)",
        "step {}: its match is missing or says something else than the step",
    ),
    _Rule(
        "SELECT s.id FROM steps s JOIN tournament_matches m ON m.step = s.id"
        " WHERE json_extract(s.payload, '$.group') IS NOT s.group_id"
        " OR json_extract(s.payload, '$.seq') IS NOT s.group_seq"
        " OR json_extract(s.payload, '$.a') IS NOT m.hyp_a OR json_extract(s.payload, '$.b') IS NOT m.hyp_b"
        " OR json_extract(s.payload, '$.mode') IS NOT m.mode"
        " OR json_extract(s.payload, '$.round') IS NOT m.round"
        " OR json_extract(s.payload, '$.similarity') IS NOT m.similarity",
        "step {}: its plan and its match disagree",
    ),
    _Rule(
        "SELECT j.pos FROM elo_journal j JOIN tournament_matches m ON m.id = j.match_id"
        " WHERE j.scope <> m.group_id",
        "position {}: an outcome is booked in the ratings of another group",
    ),
    _Rule(
        "SELECT c.step || ' (' || c.orientation || ')' FROM comparisons c WHERE NOT EXISTS"
        " (SELECT 1 FROM calls k WHERE k.step = c.step AND k.orientation = c.orientation)"
        f" AND ({_KEEPS_REPLIES})",
        "step {}: a comparison has its verdict, and the reply that gave it is missing",
    ),
    _Rule(
        "SELECT MAX(id) || ' (' || COUNT(*) || ' there)' FROM calls HAVING MAX(id) <> COUNT(*)",
        "calls are missing: the last one has the number {}",
    ),
    _Rule(
        "SELECT m.id FROM elo_journal j JOIN tournament_matches m ON m.id = j.match_id"
        " WHERE m.overruled_by IS NULL AND COALESCE(m.winner, 'void') <> j.results",
        "match {}: its outcome differs from the journal's, and nothing overruled it",
    ),
    _Rule(
        "SELECT id FROM tournament_matches WHERE overruled_by IS NOT NULL"
        " AND overruled_by NOT IN (SELECT pos FROM interventions WHERE kind = 'overrule')",
        "match {}: it was overruled by an action that the journal does not have",
    ),
    _Rule(
        "SELECT group_id || ' (' || COUNT(*) || ' applied, last number ' || MAX(applied_no) || ')'"
        " FROM tournament_matches WHERE applied_no IS NOT NULL GROUP BY group_id"
        " HAVING MIN(applied_no) <> 1 OR MAX(applied_no) <> COUNT(*)",
        "group {}: applied matches are not numbered 1, 2, 3, ...",
    ),
    _Rule(
        "SELECT group_id || ' (' || COUNT(*) || ' steps, last number ' || MAX(group_seq) || ')' FROM steps"
        " GROUP BY group_id HAVING MIN(group_seq) <> 1 OR MAX(group_seq) <> COUNT(*)",
        "group {}: steps are not numbered 1, 2, 3, ...",
    ),
    _Rule(
        "SELECT j.pos FROM elo_journal j JOIN tournament_matches m ON m.id = j.match_id"
        " JOIN steps s ON s.id = m.step WHERE j.pos < s.pos",
        "position {}: an outcome stands before its plan",
    ),
    _Rule(
        "SELECT m.id FROM tournament_matches m JOIN (SELECT m2.group_id AS g, m2.applied_no AS n,"
        " j.pos - LAG(j.pos) OVER (PARTITION BY m2.group_id ORDER BY m2.applied_no) AS ahead"
        " FROM elo_journal j JOIN tournament_matches m2 ON m2.id = j.match_id) ON g = m.group_id"
        " AND n = m.applied_no WHERE ahead <= 0",
        "match {}: the journal has it before the match that was applied before it",
    ),
    _Rule(
        "SELECT step || ' (' || orientation || ')' FROM comparisons c WHERE orientation NOT IN"
        " (SELECT value FROM steps s, json_each(s.payload, '$.orders') WHERE s.id = c.step)",
        "step {}: a comparison in an order that was not planned",
    ),
    _Rule(
        "SELECT group_id || '/' || id FROM candidates c WHERE added_pos IS NOT NULL"
        " AND added_pos NOT IN (SELECT pos FROM interventions WHERE kind = 'add')",
        "candidate {}: it was added by an action that the journal does not have",
    ),
)


def structural(path: Path) -> list[str]:
    """The faults of the run at `path`, a sentence each; empty when it is whole.

    Reservations left open by a crash are no fault (`open_reservations` counts them): the next resume
    books them. StoreError when the file cannot be read at all.
    """
    driven = holder(path) is not None
    conn = open_reading(path)
    try:
        damage = [row for (row,) in conn.execute("PRAGMA integrity_check(20)").fetchall() if row != "ok"]
        if damage:
            return [f"the file is damaged: {fault}" for fault in damage]
        conn.execute("BEGIN")  # one moment of a run that may be live
        faults = [
            f"{table}, row {row}: it refers to a row of {parent} that does not exist"
            for table, row, parent, _ in conn.execute("PRAGMA foreign_key_check").fetchall()
        ]
        faults += _gaps(conn)
        for rule in _RULES:
            broken = [row for (row,) in conn.execute(rule.finds).fetchall()]
            faults += [rule.says.format(row) for row in broken[:_SHOWN]]
            if len(broken) > _SHOWN:
                faults.append(f"... and {len(broken) - _SHOWN} more of this kind")
        faults += _wrong_ids(conn)
        if not driven and (count := _left_open(conn)):
            faults.append(f"{counted(count, 'reservation')} left open although the run ended in good order")
        return faults
    except sqlite3.DatabaseError as error:
        told = as_store_error(error, path)
        if not isinstance(told, NotARun):
            raise told from error
        return [f"the file is damaged: {error}"]  # so far that the check itself cannot go on
    finally:
        conn.close()


def open_reservations(path: Path) -> int:
    """How many comparisons were being asked when the run was cut off; 0 while a process drives it."""
    if holder(path) is not None:
        return 0
    conn = open_reading(path)
    try:
        return int(conn.execute("SELECT COUNT(*) FROM reservations WHERE state = 'open'").fetchone()[0])
    finally:
        conn.close()


def _left_open(conn: sqlite3.Connection) -> int:
    """Open reservations of a run that stopped by itself; a killed one has no stop reason."""
    return int(
        conn.execute(
            "SELECT COUNT(*) FROM reservations WHERE state = 'open'"
            " AND EXISTS (SELECT 1 FROM meta WHERE key = 'stop_reason' AND value <> '')"
        ).fetchone()[0]
    )


def _gaps(conn: sqlite3.Connection) -> list[str]:
    """Whether `pos` runs 1, 2, 3, ... over plans, outcomes and interventions."""
    expected = 1
    for (pos,) in conn.execute(
        "SELECT pos FROM steps UNION ALL SELECT pos FROM elo_journal UNION ALL SELECT pos FROM interventions"
        " ORDER BY pos"
    ):
        if pos != expected:
            what = "is missing" if pos > expected else "is there twice"
            return [f"the journal has a fault: position {min(expected, pos)} {what}"]
        expected += 1
    return []


def _wrong_ids(conn: sqlite3.Connection) -> list[str]:
    """Matches whose id is not the one their pair and their round give."""
    found = conn.execute("SELECT value FROM meta WHERE key = 'run'").fetchone()
    if found is None:
        return ["the run has no id: it was cut off while it was being made; delete it"]
    return [
        f"match {id_}: its id does not fit step {seq} of group {group!r} ({a!r} against {b!r})"
        for id_, group, seq, a, b in conn.execute(
            "SELECT id, group_id, seq, hyp_a, hyp_b FROM tournament_matches ORDER BY step"
        )
        if id_ != match_id(found[0], group, seq, a, b)
    ][:_SHOWN]
