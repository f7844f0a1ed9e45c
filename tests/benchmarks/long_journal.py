"""A journal of many matches, written fact by fact as an Elo run writes it, with one rationale for all."""

from __future__ import annotations

import sqlite3
from collections import deque
from contextlib import closing
from pathlib import Path
from random import Random

from arena_tui import __version__
from arena_tui.candidate import Candidate, Group
from arena_tui.facts import Match, Outcome, RatingChange
from arena_tui.store import facts, schema
from arena_tui.tournament_file import load_mapping
from arena_tui.vocabulary import Winner

RUN = "long-1130-2248-k3f9"
LOOKAHEAD = 128
_PIECE = 2_000  # matches a transaction
_GAIN: dict[Winner, float] = {"a": 16.0, "b": -16.0, "draw": 1.0, "void": 0.0}


def whole_meta() -> dict[str, str]:
    """All that `engine.opening.create` writes of a run, so that every command and screen can read it."""
    judge = {"kind": "simulated"}
    candidates = [{"id": f"c{n}", "text": f"text {n}"} for n in range(2)]
    given = {"name": "long", "format": "elo", "candidates": candidates, "judge": judge, "seed": 1}
    loaded = load_mapping(given)
    return {
        "run": RUN,
        "name": "long",
        "format": loaded.tournament.format.kind,
        "seed": "1",
        "created_at": "2026-01-01T00:00:00+00:00",
        "version": __version__,
        "source": "",
        "tournament": loaded.tournament.model_dump_json(),
        "lookahead": str(LOOKAHEAD),
        "secret": "0" * 32,
    }


def write(path: Path, *, matches: int, entrants: int, words: int, whole: bool = False) -> Path:
    """A run of one group at `path`; every match has a rationale of `words` words. `whole`: with all of a
    run's meta data, not only what a ledger reads."""
    group = Group("main", tuple(Candidate(f"c{n}", f"text {n}", title=f"Text {n}") for n in range(entrants)))
    elo = '{"format":{"kind":"elo","initial_rating":1200.0}}'
    meta = whole_meta() if whole else {"run": RUN, "tournament": elo}
    ratings = {("main", each.id): 1200.0 for each in group.candidates}
    schema.create(path, lambda conn: facts.insert_run(conn, meta=meta, groups=[group], ratings=ratings))
    with closing(schema.open_writing(path)) as conn:
        _play(conn, matches, entrants, "word " * words)
    return path


def _play(conn: sqlite3.Connection, matches: int, entrants: int, rationale: str) -> None:
    rng, ratings, pos = Random(1), [1200.0] * entrants, 0
    waiting: deque[tuple[Match, str, int, int]] = deque()
    for seq in range(1, matches + LOOKAHEAD + 1):
        if seq % _PIECE == 1:
            if conn.in_transaction:
                conn.execute("COMMIT")
            conn.execute("BEGIN IMMEDIATE")
        if seq <= matches:
            pos += 1
            a, b = rng.sample(range(entrants), 2)
            step = Match("main", seq, f"c{a}", f"c{b}", "pairwise")
            name = facts.match_id(RUN, "main", seq, step.a, step.b)
            facts.insert_plan(conn, pos, seq, name, step)
            waiting.append((step, name, a, b))
        if seq <= LOOKAHEAD:
            continue
        pos += 1
        step, name, a, b = waiting.popleft()
        winner: Winner = rng.choice(("a", "b", "a", "b", "draw", "void"))
        gain = _GAIN[winner]
        change = RatingChange(
            step.a, step.b, ratings[a], ratings[a] + gain, ratings[b], ratings[b] - gain, 0.5, 32.0
        )
        ratings[a], ratings[b] = change.a_after, change.b_after
        outcome = Outcome(step, winner, step.seq)
        facts.insert_outcome(
            conn,
            pos,
            step.seq,
            name,
            outcome,
            change,
            scope="main",
            played_a=step.seq,
            played_b=step.seq,
            rationale=rationale,
            at=float(pos),
        )
    conn.execute("COMMIT")
