"""`arena verify` compares all that a journal implies: candidates and states, snapshots, replies, ends."""

from __future__ import annotations

import asyncio
import shutil
import sqlite3
from contextlib import closing
from pathlib import Path

import pytest
from scripted_runs import ScriptedJudge, assert_sound, better, create, pool, run, sit

from arena_tui.candidate import Candidate
from arena_tui.engine.actions import Action
from arena_tui.engine.refolding import refold
from arena_tui.engine.standstill import act_at_rest
from arena_tui.store.reader import Reader
from arena_tui.store.verify import structural


@pytest.fixture(scope="module")
def sound(tmp_path_factory: pytest.TempPathFactory) -> Path:
    db = tmp_path_factory.mktemp("sound") / "run.db"
    a_full_run(db)
    assert_sound(db)
    return db


def found_in(db: Path) -> list[str]:
    """As `arena verify` does: the refold only where the structure is whole."""
    problems = structural(db)
    if not problems:
        with Reader(db) as reader, reader.frozen():
            problems = refold(reader)
    return problems


def damage(db: Path, statement: str) -> None:
    with closing(sqlite3.connect(db)) as conn:
        assert conn.execute(statement).rowcount != 0, f"changed nothing: {statement}"
        conn.commit()


def a_full_run(db: Path) -> None:
    """Two groups that close by their own rules, snapshots, an addition, states, kept replies."""
    stop = {"rule": "stability", "top_k": 2, "n": 2, "eps": 900, "match_snapshot_every": 5}
    stop |= {"min_matches_before_stable": 15, "min_matches_each": 0}
    judge = {"kind": "simulated", "usage": {"input_tokens": 5}}
    candidates = [*pool(5, "a"), *pool(5, "b")]
    create(db, candidates, stop=stop, judge=judge, limits={"matches": 200, "lookahead": 4})
    act_at_rest(db, Action("reject", ("a:c01",)))
    act_at_rest(db, Action("pin", ("b:c02",)))
    act_at_rest(db, Action("add", ("f",), (Candidate("new", "a new text", title="new", group="a"),)))
    act_at_rest(db, Action("limit", ("concurrency=3",)))
    assert run(db, own_judge=True).reason == "ELO_STABLE"
    act_at_rest(db, Action("overrule", ("a:3", "void")))


@pytest.mark.parametrize(
    ("changed", "says"),
    [
        ("UPDATE elo_journal SET scope = 'c' WHERE scope = 'a'", "an outcome is booked in the ratings of"),
        ("UPDATE elo_journal SET k = 31 WHERE scope = 'a'", "stored ratings"),
        ("DELETE FROM snapshots WHERE applied_no = 10", "snapshot after 10 outcomes: it is not stored"),
        ("DELETE FROM snapshots", "it is not stored"),
        ("UPDATE snapshots SET stable = 1 WHERE applied_no = 5", "snapshot after 5 outcomes: it differs"),
        ("UPDATE snapshots SET top = replace(top, 'c0', 'c1') WHERE applied_no = 5", "it differs from what"),
        ("UPDATE snapshots SET applied_no = 7 WHERE applied_no = 5", "the journal gives none there"),
        ("UPDATE candidates SET state = 'pinned' WHERE id = 'c03'", "its stored state 'pinned' differs"),
        ("UPDATE candidates SET state = 'in_tournament' WHERE id = 'c01'", "differs from the journal's, 're"),
        ("UPDATE candidates SET initial_state = 'rejected' WHERE id = 'c01'", "cannot be rejected"),
        ("UPDATE candidates SET text = 'another' WHERE id = 'c03'", "the candidates differ from those"),
        ("UPDATE candidates SET strength = 9 WHERE id = 'c03'", "the candidates differ from those"),
        ("UPDATE candidates SET text = 'another' WHERE id = 'new'", "differs from the one that the journal"),
        ("UPDATE candidates SET twin_of = 'c00' WHERE id = 'c04'", ""),
        ("UPDATE groups SET prompt = 'another' WHERE id = 'a'", "the groups differ from those"),
        ("UPDATE groups SET stop_reason = 'IDLE' WHERE id = 'a'", "its stored end 'IDLE' differs"),
        ("UPDATE groups SET stop_detail = 'done' WHERE id = 'b'", "its stored end"),
        ("UPDATE groups SET state = 'open', stop_reason = NULL WHERE id = 'a'", "its stored end None"),
        ("UPDATE interventions SET after_applied = 1 WHERE kind = 'pin'", "after 0 outcomes, its row says 1"),
        ("UPDATE interventions SET after_applied = after_applied + 1 WHERE kind = 'overrule'", "its row"),
        ("UPDATE interventions SET after_applied = 9 WHERE kind = 'settings'", "its row says 9"),
        ("DELETE FROM calls", "the reply that gave it is missing"),
        ("DELETE FROM calls WHERE id = 5", "calls are missing: the last one has the number"),
        ("DELETE FROM calls WHERE id = (SELECT MAX(id) FROM calls)", "the reply that gave it is missing"),
        ("UPDATE tournament_matches SET mode = 'score' WHERE step = 4", "its plan and its match disagree"),
        ("UPDATE tournament_matches SET similarity = 0.5 WHERE step = 4", "its plan and its match"),
        ("UPDATE steps SET payload = json_set(payload, '$.mode', 'score') WHERE id = 4", "its plan and its"),
        ("UPDATE ratings SET rating = rating + 1 WHERE entrant = 'c03'", "stored rating"),
        ("INSERT INTO ratings VALUES ('a', 'ghost', 1200, 0)", "nobody of that name is rated"),
        ("DELETE FROM ratings WHERE entrant = 'new'", "stored rating None"),
    ],
)
def test_verify_compares_all_that_a_journal_implies(
    sound: Path, tmp_path: Path, changed: str, says: str
) -> None:
    db = Path(shutil.copy(sound, tmp_path / "run.db"))
    damage(db, changed)
    problems = found_in(db)
    assert problems
    assert any(says in problem for problem in problems), problems
    assert all("\n" not in problem for problem in problems)


def test_replies_of_a_program_are_missed_though_none_is_left(db: Path) -> None:
    create(db, 4, judge={"kind": "command", "command": ["true"]}, limits={"matches": 6})
    asyncio.run(sit(db, ScriptedJudge(better)))  # stores none: as if they had been deleted
    assert "the reply that gave it is missing" in found_in(db)[0]
