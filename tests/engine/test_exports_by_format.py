"""Runs of every format as they are exported: the run's own fit from its comparisons, pairings, the config."""

from __future__ import annotations

import csv
import io
import json
from pathlib import Path
from typing import Any

import pytest
from scripted_runs import ScriptedJudge, coin, create, run

from arena_tui.engine import opening
from arena_tui.engine.actions import Action
from arena_tui.engine.replay import replay
from arena_tui.engine.standstill import act_at_rest
from arena_tui.errors import UsageError
from arena_tui.exporting import COMPARISON_COLUMNS, PAIRING_COLUMNS, export
from arena_tui.report.rate_report import Options, rate_report
from arena_tui.report.result import Result
from arena_tui.store.reader import Reader
from arena_tui.summary import summarize
from arena_tui.tournament_file import load_file
from arena_tui.vote_log import read_votes

SCHEDULED = ("swiss", "pivot", "round_robin", "knockout")
CONFIDENT = {"rule": "confident"}


def exported(db: Path, what: str, suffix: str = ".jsonl") -> Path:
    to = db.with_suffix(f".{what}{suffix}")
    export(db, what, to, False)
    return to


def rows(db: Path, what: str) -> list[dict[str, Any]]:
    return [json.loads(line) for line in exported(db, what).read_text("utf-8").splitlines()]


def assert_own_fit(db: Path, result: Result, *, cluster: bool = False) -> None:
    """The comparisons of a run, rated as anyone's log, have the fit that the run itself shows."""
    for suffix in (".jsonl", ".csv"):
        log = read_votes(exported(db, "comparisons", suffix))
        report = rate_report(log, Options(inflate=True, cluster=cluster))
        found = {row["id"]: row for row in report["standings"]}
        assert found.keys() == {row.id for row in result.standings}
        for row in result.standings:
            assert row.fitted is not None
            theirs = found[row.id]
            assert (theirs["rating"], theirs["low"], theirs["high"]) == pytest.approx(
                (row.fitted, row.low, row.high), abs=1e-6
            )
        assert report["slot_effect"]["logits"] == pytest.approx(result.judge["slot_effect"], abs=1e-9)


@pytest.mark.parametrize("orders", ["alternate", "both"])
def test_comparisons_of_an_adaptive_run_rated_as_a_log_give_its_own_fit(db: Path, orders: str) -> None:
    judge = {"kind": "simulated", "orders": orders}
    create(db, 6, format="adaptive", judge=judge, stop=CONFIDENT, limits={"matches": 40, "concurrency": 1})
    result = run(db, ScriptedJudge(coin)).result
    assert result.matches["draw"]
    assert result.details["tie_model"] == "davidson"
    assert_own_fit(db, result)


@pytest.mark.parametrize("orders", ["alternate", "both"])
def test_overruled_matches_count_in_a_log_as_they_do_in_the_run(db: Path, orders: str) -> None:
    """A win turned round, one made a draw, one made void, and a void one decided."""
    sections = {"judge": {"kind": "simulated", "orders": orders}, "limits": {"matches": 40, "concurrency": 1}}
    create(db, 6, **sections)
    before = run(db, ScriptedJudge(lambda asked: "invalid" if asked.seq == 9 else coin(asked))).result
    assert_own_fit(db, before)
    was = [row["winner"] for row in rows(db, "matches")]
    won, drawn, gone = [seq for seq, winner in enumerate(was, 1) if winner in ("a", "b")][-3:]
    void = 9
    other = {"a": "b", "b": "a"}[was[won - 1]]
    wanted = {won: other, drawn: "draw", gone: "void", void: "a"}
    for seq, winner in wanted.items():
        act_at_rest(db, Action("overrule", (str(seq), winner)))
    with Reader(db) as reader:
        result = summarize(replay(reader), reader, db)
    assert [row.fitted for row in result.standings] != [row.fitted for row in before.standings]
    assert_own_fit(db, result)
    matches = {row["seq"]: row for row in rows(db, "matches")}
    told = [row for row in rows(db, "comparisons") if row["overruled"] is not None]
    assert {row["seq"] for row in told} == wanted.keys()
    for row in told:
        straight = row["a"] == matches[row["seq"]]["hyp_a"]
        winner = wanted[row["seq"]]
        assert row["overruled"] == (winner if straight else {"a": "b", "b": "a"}.get(winner, winner))
        assert row["winner"] in ("a", "b", "draw", "invalid"), "what the judge said stands beside it"


@pytest.mark.parametrize("kind", SCHEDULED)
def test_pairings_of_a_schedule_say_why(db: Path, kind: str) -> None:
    create(db, 5, format=kind, limits={})
    result = run(db, ScriptedJudge(coin)).result
    assert result.stop_reason == "COMPLETED"
    told = rows(db, "pairings")
    assert tuple(told[0])[: len(PAIRING_COLUMNS)] == PAIRING_COLUMNS
    assert all(row["why"] for row in told)
    played = [(row["seq"], row["hyp_a"], row["hyp_b"]) for row in rows(db, "matches")]
    assert sorted((row["seq"], row["a"], row["b"]) for row in told if row["b"]) == sorted(played)
    if kind in ("swiss", "round_robin"):
        idle = [row for row in told if row["b"] is None]
        assert {row["round"] for row in idle} == {row["round"] for row in told}, (
            "five: one sits out each time"
        )


def test_elo_keeps_no_pairings_and_says_where_the_reasons_are(db: Path) -> None:
    create(db, 4, limits={"matches": 6})
    run(db, ScriptedJudge(coin))
    with pytest.raises(UsageError, match=r"the format elo keeps no pairings; --what matches"):
        export(db, "pairings", None, False)
    assert all(row["why"] for row in rows(db, "matches"))


@pytest.mark.parametrize("kind", [*SCHEDULED, "adaptive"])
def test_fitted_ratings_are_exported_to_four_decimals(db: Path, kind: str) -> None:
    stop = {"stop": CONFIDENT} if kind == "adaptive" else {}
    create(db, 4, format=kind, **({"limits": {"matches": 12}} | stop))
    result = run(db, ScriptedJudge(coin)).result
    (first, *_) = csv.DictReader(io.StringIO(exported(db, "standings", ".csv").read_text("utf-8")))
    assert first["rating"] == first["fitted"] == f"{result.standings[0].rating:.4f}"
    assert bool(first["score"]) == (kind != "adaptive")


@pytest.mark.parametrize("kind", [*SCHEDULED, "adaptive", "elo"])
def test_exported_config_is_the_same_tournament(db: Path, kind: str) -> None:
    format_: dict[str, Any] = {"kind": kind}
    if kind == "swiss":
        format_ |= {"preset": "seed", "excused": {"c01": [1]}, "both_sample": 0.2}
    stop = {"stop": CONFIDENT | {"strict": True}} if kind == "adaptive" else {}
    create(db, 4, format=format_, **({"limits": {"matches": 12}} | stop))
    result = run(db, ScriptedJudge(coin)).result
    loaded = load_file(exported(db, "config", ".yaml"))
    assert loaded.tournament.format.kind == kind
    again = db.with_name("again.db")
    opening.create(loaded.tournament, loaded.pool, source=None, db=again)
    assert run(again, ScriptedJudge(coin)).result.standings == result.standings
    assert exported(again, "config", ".yaml").read_text("utf-8") == exported(db, "config", ".yaml").read_text(
        "utf-8"
    )


def test_dealt_matches_name_the_group_whose_texts_were_shown(db: Path) -> None:
    texts = [
        {"id": f"{group}{system}", "group": group, "system": system, "text": f"{system} on {group}"}
        for group in ("g1", "g2", "g3")
        for system in ("x", "y", "z")
    ]
    create(
        db, texts, compare="systems", format="round_robin", judge={"kind": "simulated", "orders": "both"},
        limits={},
    )  # fmt: skip
    result = run(db, ScriptedJudge(coin)).result
    matches, said = rows(db, "matches"), rows(db, "comparisons")
    assert {row["group"] for row in matches} == {"*"}
    where = {row["seq"]: row["at"] for row in matches}
    assert set(where.values()) <= {"g1", "g2", "g3"}
    assert {(row["match"], row["group"]) for row in said} <= set(where.items())
    assert tuple(said[0]) == COMPARISON_COLUMNS
    assert result.details["clustered"] == (len(set(where.values())) > 1)
    assert "confidence" in result.details
