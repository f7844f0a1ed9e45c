"""Focus, newcomers, asked matches and twins: who meets whom next."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from scripted_runs import (
    exported,
    journal,
    matches,
    pool,
    run,
)
from steered_runs import APPLIED, a_run, newcomer, steered

from arena_tui.engine.actions import Action
from arena_tui.store.reader import Reader

Fresh = Callable[[], Path]


def ratings_after(rows: list[dict[str, Any]], applied: int) -> dict[str, float]:
    ratings: dict[str, float] = {}
    for row in rows[:applied]:
        ratings[row["hyp_a"]], ratings[row["hyp_b"]] = row["elo_a_after"], row["elo_b_after"]
    return ratings


def plans_after_the_action(db: Path) -> list[Any]:
    entries = journal(db)
    last = max(number for number, entry in enumerate(entries) if entry[0] == "action")
    return [entry[2] for entry in entries[last:] if entry[0] == "plan"]


@pytest.mark.parametrize("who", ["c05", "new"])
def test_focus_and_a_newcomer_meet_their_nearest_in_rating_next(db: Path, who: str) -> None:
    a_run(db)
    action = Action("add", ("file",), (newcomer(),)) if who == "new" else Action("focus", (who,))
    steered(db, action)
    step = plans_after_the_action(db)[0]
    assert step.why == "focus"
    ratings = {f"c0{n}": 1200.0 for n in range(6)} | {"new": 1200.0} | ratings_after(matches(db), APPLIED + 1)
    if who != "new":
        del ratings["new"]
    other = ({step.a, step.b} - {who}).pop()
    gaps = {id_: abs(rating - ratings[who]) for id_, rating in ratings.items() if id_ != who}
    assert gaps[other] == min(gaps.values())
    assert [s.why for s in plans_after_the_action(db)].count("focus") == 1


def test_two_who_are_asked_to_meet_do_so_next(db: Path) -> None:
    a_run(db)
    steered(db, Action("match", ("c00", "c05")), Action("match", ("c03", "c02")))
    first, second, *others = plans_after_the_action(db)
    assert ({first.a, first.b}, first.why) == ({"c00", "c05"}, "asked")
    assert ({second.a, second.b}, second.why) == ({"c02", "c03"}, "asked")
    assert all(step.why not in ("asked", "focus") for step in others)


def test_a_focus_on_one_who_is_rejected_before_its_turn_is_dropped(db: Path) -> None:
    a_run(db)
    steered(db, Action("focus", ("c05",)), Action("reject", ("c05",)))
    assert all(step.why != "focus" for step in plans_after_the_action(db))


def test_an_added_twin_costs_no_call_and_stands_beside_its_original(db: Path) -> None:
    a_run(db)
    text = pool(6)[3]["text"].upper()
    ended = steered(db, Action("add", ("file",), (newcomer("echo", text),)))
    rows = {row.id: row for row in ended.result.standings}
    assert rows["echo"].twin_of == "c03"
    assert (rows["echo"].rank, rows["echo"].rating) == (rows["c03"].rank, rows["c03"].rating)
    assert not [row for row in matches(db) if "echo" in (row["hyp_a"], row["hyp_b"])]
    undisturbed = a_run(db.with_name("undisturbed.db"))
    run(undisturbed)
    assert exported(db) == exported(undisturbed)


def test_equal_texts_that_come_in_one_file_are_twins_of_the_first(db: Path) -> None:
    a_run(db)
    steered(db, Action("add", ("file",), (newcomer("one"), newcomer("two"), newcomer("three", "else"))))
    with Reader(db) as reader:
        twins = {c.id: c.twin_of for c in reader.candidates()}
    assert (twins["one"], twins["two"], twins["three"]) == (None, "one", None)
    assert not [row for row in matches(db) if "two" in (row["hyp_a"], row["hyp_b"])]
