"""`arena verify` of every format after overrules, rejections and additions: points bit for bit."""

from __future__ import annotations

import shutil
import sqlite3
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
from scripted_runs import ScriptedJudge, assert_sound, coin, create, pool, run
from steered_runs import newcomer

from arena_tui.engine.actions import Action
from arena_tui.engine.refolding import refold
from arena_tui.engine.standstill import act_at_rest
from arena_tui.store.reader import Reader

FORMATS: dict[str, dict[str, Any]] = {
    "swiss": {"judge": {"kind": "simulated", "orders": "both"}},
    "pivot": {},
    "round_robin": {},
    "knockout": {"format": {"kind": "knockout", "best_of": 3}},
    "adaptive": {"stop": {"rule": "confident", "delta": 1.0}},
    "systems": {"format": "adaptive", "compare": "systems"},
}
DAMAGE = {
    "UPDATE ratings SET rating = rating + 1e-9 WHERE entrant = :one": "stored rating",
    "UPDATE ratings SET matches_played = matches_played + 1 WHERE entrant = :one": "stored rating",
    "UPDATE tournament_matches SET elo_a_after = elo_a_after + 1e-9 WHERE applied_no = 2": "stored ratings",
    "UPDATE tournament_matches SET elo_b_before = elo_b_before - 0.5 WHERE applied_no = 3": "stored ratings",
    "UPDATE fitted SET rating = rating + 2e-6 WHERE entrant = :one": "fitted rating",
    "UPDATE fitted SET low = NULL WHERE entrant = :one": "fitted rating",
    "DELETE FROM fitted WHERE entrant = :one": "fitted rating None is stored",
    "UPDATE fitted SET pos = pos / 2": "fitted rating",
    "UPDATE fitted SET pos = 9999": "position 9999, which the journal does not have",
}


def answers() -> list[dict[str, Any]]:
    return [
        {"group": f"q{q}", "id": f"q{q}{s}", "system": f"c{s:02d}", "text": f"{s} on {q}"}
        for q in range(3)
        for s in range(5)
    ]


def decided(db: Path) -> list[str]:
    """The numbers of the matches that somebody won, in applied order."""
    with Reader(db) as reader:
        return [str(row["seq"]) for row in reader.matches() if row["winner"] in ("a", "b")]


def act_on(db: Path, name: str) -> None:
    """A run stopped in mid-round, acted on, played on, and overruled at its end."""
    systems = name == "systems"
    sections = {"format": name, "limits": {"per_group": {"matches": 10}, "concurrency": 2}} | FORMATS[name]
    create(db, answers() if systems else pool(8), **sections)
    judge = ScriptedJudge(coin)
    run(db, judge)
    *_, one, other = decided(db)
    act_at_rest(db, Action("overrule", (one, "draw")))
    act_at_rest(db, Action("overrule", (other, "void")))
    act_at_rest(db, Action("reject", ("c01",)))
    if not systems and name != "knockout":  # which take nobody in
        act_at_rest(db, Action("add", ("f",), (newcomer(),)))
    run(db, judge, changes={"limits.per_group.matches": 24})
    act_at_rest(db, Action("overrule", (decided(db)[-1], "void")))


@pytest.mark.parametrize("name", FORMATS)
def test_points_are_refolded_bit_for_bit_and_a_damaged_one_is_found(tmp_path: Path, name: str) -> None:
    db = tmp_path / "run.db"
    act_on(db, name)
    assert_sound(db)
    with Reader(db) as reader:
        one = next(row["hyp_a"] for row in reader.matches() if row["winner"] == "a")
    for statement, says in DAMAGE.items():
        hurt = Path(shutil.copy(db, tmp_path / "hurt.db"))
        with closing(sqlite3.connect(hurt)) as conn:
            assert conn.execute(statement, {"one": one} if ":one" in statement else {}).rowcount
            conn.commit()
        with Reader(hurt) as reader:
            problems = refold(reader)
        assert any(says in problem for problem in problems), (statement, problems)


def test_fits_may_differ_by_as_much_as_machines_do(tmp_path: Path) -> None:
    db = tmp_path / "run.db"
    create(db, 6, format="swiss", limits={})
    run(db, ScriptedJudge(coin))
    with closing(sqlite3.connect(db)) as conn:
        assert conn.execute("UPDATE fitted SET rating = rating + 5e-7, low = low - 5e-7").rowcount == 6
        conn.commit()
    assert_sound(db)
