"""Fields of one, two and three, classes of one, equal texts: a sensible table in every format."""

from __future__ import annotations

import math
from typing import Any

import pytest
from arena_cli import Arena

FORMATS = ("elo", "swiss", "pivot", "adaptive", "round_robin", "knockout")


def texts(group: str, *classes: str | None, equal: int = 0) -> list[dict[str, Any]]:
    """Candidates of a group by their classes; the last `equal` of them say the same."""
    rows = []
    for number, class_ in enumerate(classes):
        told = min(number, len(classes) - equal)
        row = {"id": f"{group}{number}", "group": group, "text": f"{group}: text {told}"}
        rows.append(row if class_ is None else row | {"class": class_})
    return rows


POOL = [
    *texts("two", None, None),
    *texts("three", None, None, None),
    *texts("classes", "x", "x", "y", "z"),
    *texts("twins", None, None, None, None, None, equal=4),
    *texts("single", "x", "y", "z"),
    *texts("one", None),
]
MET = {"two": 2, "three": 3, "classes": 2, "twins": 2}


@pytest.mark.parametrize("kind", FORMATS)
def test_odd_groups_end_in_good_order_with_a_sensible_table(arena: Arena, kind: str) -> None:
    limited = kind in ("elo", "adaptive")
    file = arena.tournament(
        candidates=POOL,
        format={"kind": kind},
        judge={"kind": "simulated", "mode": "pairwise", "draw_rate": 0.1},
        limits={"per_group": {"matches": 9}} if limited else {},
    )
    done = arena.run("--no-ui", "--json", file)
    assert done.code == (3 if limited else 0), done.err
    assert "Traceback" not in done.err
    result = done.result
    skipped = {row["group"]: row["reason"] for row in result["groups"]["skipped"]}
    assert "one" in skipped
    by_group: dict[str, list[dict[str, Any]]] = {}
    for row in result["standings"]:
        by_group.setdefault(row["group"], []).append(row)
        for key in ("rating", "low", "high", "p_best"):
            assert row[key] is None or math.isfinite(row[key])
    assert {row["id"] for row in result["standings"]} == {
        row["id"] for row in POOL if row["group"] not in skipped
    }, "nobody is dropped"
    for group, met in MET.items():
        rows = by_group[group]
        played = [row for row in rows if row["matches"] and row["twin_of"] is None]
        assert len(played) == met, (group, rows)
        assert all(row["low"] < row["fitted"] < row["high"] for row in played)
        for class_ in {row["class"] for row in rows}:
            ranks = [row["rank"] for row in rows if row["class"] == class_ and row["twin_of"] is None]
            assert sorted(ranks) == list(range(1, len(ranks) + 1))
    twins = by_group["twins"]
    assert [row["twin_of"] for row in twins].count(None) == 2
    assert len({(row["rating"], row["rank"]) for row in twins}) == 2
    arena.verify()
    shown = arena.run("show")
    assert shown.code == 0
    assert "nan" not in shown.out.lower().split()
    assert all(row["id"] in shown.out for row in result["standings"])


@pytest.mark.parametrize("size", [2, 3])
@pytest.mark.parametrize("kind", [kind for kind in FORMATS if kind not in ("elo", "adaptive")])
def test_a_run_of_two_or_three_is_completed(arena: Arena, kind: str, size: int) -> None:
    file = arena.tournament(
        candidates=texts("main", *[None] * size),
        format={"kind": kind},
        judge={"kind": "simulated"},
        limits={},
    )
    done = arena.run("--no-ui", file)
    assert done.code == 0, done.err
    assert "COMPLETED" in done.err
    table = done.out.splitlines()
    assert [line.split()[0] for line in table[1 : size + 1]] == [str(rank) for rank in range(1, size + 1)]
    arena.verify()
