"""What is told of a run with classes: races within a class, and nobody blamed for having no opponent."""

from __future__ import annotations

import asyncio
import sqlite3
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
from scripted_runs import ScriptedJudge, better, create, pool, run, sit

from arena_tui.engine.actions import Action
from arena_tui.engine.replay import replay
from arena_tui.engine.standstill import act_at_rest
from arena_tui.store.reader import Reader
from arena_tui.summary import summarize

LONELY = {"id": "alone", "text": "a text of its own", "class": "z"}


def classes(*sizes: int) -> list[dict[str, Any]]:
    rows = pool(sum(sizes))
    names = [name for name, size in zip("xyz", sizes, strict=False) for _ in range(size)]
    return [row | {"class": name} for row, name in zip(rows, names, strict=True)]


def details(db: Path) -> dict[str, Any]:
    with Reader(db) as reader:
        return dict(summarize(replay(reader), reader, db).details)


def test_races_are_within_a_class_and_never_negative(db: Path) -> None:
    """Ratings given so that the first of the second class is above the last of the first one."""
    rows = [row | {"rating": 1200 + n} for n, row in enumerate(classes(3, 4))]
    create(db, rows, limits={"matches": 30})
    result = run(db, ScriptedJudge(better)).result
    class_of = {row.id: row.class_ for row in result.standings}
    races = result.details["closest_races"]
    assert races
    for race in races:
        assert class_of[race["ahead"]] == class_of[race["behind"]]
        assert race["gap"] >= 0
    assert [race["gap"] for race in races] == sorted(race["gap"] for race in races)


def test_who_has_played_no_match_is_in_no_race(db: Path) -> None:
    create(db, 8, limits={"matches": 2})
    assert details(db)["closest_races"] == []
    result = run(db).result
    played = {row.id for row in result.standings if row.matches}
    assert len(played) < 8
    for race in result.details["closest_races"]:
        assert {race["ahead"], race["behind"]} <= played


def test_who_is_alone_in_a_class_is_not_hardly_played(db: Path) -> None:
    create(db, [*classes(3, 3), LONELY], limits={"matches": 3})
    result = run(db).result
    hardly = result.details["hardly_played"]
    assert hardly
    assert "alone" not in hardly
    assert {race[key] for race in result.details["closest_races"] for key in ("ahead", "behind")} <= {
        row.id for row in result.standings if row.matches
    }


def test_the_last_one_left_in_a_class_is_not_hardly_played(db: Path) -> None:
    create(db, classes(3, 2), limits={"matches": 1})
    run(db)
    assert "c04" in details(db)["hardly_played"]
    act_at_rest(db, Action("reject", ("c03",)))
    assert "c04" not in details(db)["hardly_played"]


@pytest.mark.parametrize("title", ["\u200b", ""])
def test_a_title_that_shows_nothing_is_no_name(db: Path, title: str) -> None:
    """Stored by an earlier version, say."""
    create(db, 4, limits={"matches": 1})
    with_blank_title(db, title)
    assert asyncio.run(sit(db)).engine.title("main", "c00") == "c00"


def with_blank_title(db: Path, title: str) -> None:
    with closing(sqlite3.connect(db)) as conn:
        conn.execute("UPDATE candidates SET title = ?", (title,))
        conn.commit()
