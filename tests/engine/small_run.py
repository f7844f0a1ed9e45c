"""A small run, written fact by fact, for the tests of the store."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable
from pathlib import Path

from arena_tui.candidate import Candidate, Group
from arena_tui.facts import Match, Outcome, RatingChange
from arena_tui.store import facts, schema
from arena_tui.vocabulary import Winner

ROOT = Path(__file__).parents[2]
RUN = "tiny-1130-2248-k3f9"


def group(name: str = "main", size: int = 4) -> Group:
    return Group(name, tuple(Candidate(f"c{i}", f"text {i} of {name}", group=name) for i in range(size)))


def new(path: Path, *groups: Group, **meta: str) -> Path:
    """A run's file with its groups, every candidate at 1200."""
    groups = groups or (group(),)
    ratings = {(g.id, c.id): 1200.0 for g in groups for c in g.entrants}
    schema.create(path)
    write(
        path, lambda conn: facts.insert_run(conn, meta={"run": RUN, **meta}, groups=groups, ratings=ratings)
    )
    return path


def write(path: Path, *units: Callable[[sqlite3.Connection], None]) -> None:
    conn = schema.open_writing(path)
    try:
        conn.execute("BEGIN IMMEDIATE")
        for unit in units:
            unit(conn)
        conn.execute("COMMIT")
    finally:
        conn.close()


def match(seq: int, a: str = "c0", b: str = "c1", name: str = "main", **more: object) -> Match:
    return Match(name, seq, a, b, "pairwise", **more)  # type: ignore[arg-type]  # fields of Match by name


def id_of(step: Match) -> str:
    return facts.match_id(RUN, step.group, step.seq, step.a, step.b)


def plan(pos: int, step_id: int, step: Match) -> Callable[[sqlite3.Connection], None]:
    return lambda conn: facts.insert_plan(conn, pos, step_id, id_of(step), step)


def applied(
    pos: int, step_id: int, step: Match, applied_no: int, winner: Winner = "a", p_a: float | None = None
) -> Callable[[sqlite3.Connection], None]:
    """An outcome that moves 16 points from b to a (none when void), both having played `applied_no`."""
    moved = 0.0 if winner == "void" else 16.0
    change = RatingChange(step.a, step.b, 1200.0, 1200.0 + moved, 1200.0, 1200.0 - moved, 0.5, 32.0)
    outcome = Outcome(step, winner, applied_no, p_a, "not recorded" if winner == "void" else "")
    return lambda conn: facts.insert_outcome(
        conn,
        pos,
        step_id,
        id_of(step),
        outcome,
        change,
        scope=step.group,
        played_a=applied_no,
        played_b=applied_no,
        rationale=f"why {step.seq}",
        at=1_000.0 + pos,
    )
