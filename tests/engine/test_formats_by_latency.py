"""In every format equal seeds and verdicts give equal exports, however long each verdict takes."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from random import Random
from typing import Any

import pytest
from scripted_runs import Desk, Rank, ScriptedJudge, coin, create, pool, run

from arena_tui.exporting import export
from arena_tui.judging.base import Question

Fresh = Callable[[], Path]

SIZE = 12
EXPORTS = {"matches": ".csv", "comparisons": ".csv", "standings": ".csv", "config": ".yaml"}
TWO_GROUPS = [*pool(7, "left"), *pool(5, "right")]
ANSWERS = [
    {"group": f"q{q}", "id": f"q{q}s{s}", "system": f"s{s}", "text": f"system {s} on {q}"}
    for q in range(4)
    for s in range(5)
]


def shuffled(number: int) -> Rank:
    return lambda q: Random(f"{number}:{q.group}:{q.seq}:{q.orientation}").random()


def slow_start(q: Question) -> float:
    return -q.seq


DESKS: tuple[Callable[[], Desk], ...] = (
    lambda: Desk(shuffled(1)),
    lambda: Desk(shuffled(2), at_once=4),
    lambda: Desk(slow_start),
)
CASES: dict[str, dict[str, Any]] = {
    "elo": {"candidates": TWO_GROUPS, "limits": {"per_group": {"matches": 25}}},
    "swiss": {"candidates": TWO_GROUPS, "judge": {"kind": "simulated", "orders": "both"}, "limits": {}},
    "pivot": {"candidates": TWO_GROUPS, "limits": {}},
    "round_robin": {"candidates": TWO_GROUPS, "limits": {}},
    "knockout": {"candidates": TWO_GROUPS, "format": {"kind": "knockout", "best_of": 3}, "limits": {}},
    "systems": {
        "candidates": ANSWERS,
        "compare": "systems",
        "format": "adaptive",
        "limits": {"per_group": {"matches": 30}},
    },
    **{
        f"adaptive, lookahead {ahead}": {
            "candidates": pool(SIZE),
            "format": "adaptive",
            "limits": {"per_group": {"matches": 36}, "lookahead": ahead},
        }
        for ahead in (1, SIZE // 4, SIZE // 2, SIZE, 2 * SIZE)
    },
}


def exported(db: Path) -> dict[str, bytes]:
    found = {}
    for what, suffix in EXPORTS.items():
        to = db.with_suffix(f".{what}{suffix}")
        export(db, what, to, False)
        found[what] = to.read_bytes()
    return found


@pytest.mark.parametrize("name", CASES)
def test_latency_changes_nothing_that_is_exported(fresh: Fresh, name: str) -> None:
    sections = {"format": name.partition(",")[0]} | CASES[name]
    sections["limits"] = {"concurrency": 6} | sections["limits"]

    def played(desk: Desk | None = None) -> dict[str, bytes]:
        db = create(fresh(), **sections)
        run(db, ScriptedJudge(coin, desk))
        return exported(db)

    reference = played()
    assert reference["matches"].count(b"\n") > 15
    for desk in DESKS:
        assert played(desk()) == reference


def test_the_lookahead_is_what_an_adaptive_schedule_depends_on(fresh: Fresh) -> None:
    """Otherwise the comparisons above would compare one schedule with itself."""
    found = set()
    for name in CASES:
        if name.startswith("adaptive"):
            db = create(fresh(), **{"format": "adaptive", **CASES[name]})
            run(db, ScriptedJudge(coin))
            found.add(exported(db)["matches"])
    assert len(found) == 5
