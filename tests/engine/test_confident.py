"""The rule that ends a group once its leader is all but surely good enough."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import Any

import pytest
from scripted_runs import create

import arena_tui
from arena_tui.engine.confident import ConfidentRule
from arena_tui.engine.replay import replay
from arena_tui.ratings.estimates import Confidence
from arena_tui.settings import Stop
from arena_tui.store.reader import Reader


def word(**changed: Any) -> Confidence:
    """What a fit says of a class of four; by default enough for the rule."""
    facts = {
        "leader": 0,
        "runner_up": 1,
        "p_best": 0.8,
        "p_runner_up": 0.1,
        "p_near": 0.97,
        "connected": True,
        "comparisons": 12,
        "playing": 4,
    }
    return Confidence(**(facts | changed))


def rule(**settings: Any) -> ConfidentRule:
    return ConfidentRule(Stop(rule="confident", **settings))


def test_two_looks_running_must_agree() -> None:
    watch = rule()
    assert watch.look([word()]) is None
    assert watch.look([word(p_near=0.95)]) is None, "more than .95, not as much"
    assert watch.look([word()]) is None
    why = watch.look([word()])
    assert why is not None
    assert "by this judge's own noise" in why
    assert "within 0.3 logit of the best with probability 0.970" in why
    assert "(P(best) 0.800, of the next likely 0.100)" in why


@pytest.mark.parametrize(
    "lacking", [{"p_near": 0.9}, {"connected": False}, {"comparisons": 11}, {"playing": 5}]
)
def test_every_condition_is_needed(lacking: dict[str, Any]) -> None:
    watch = rule()
    assert [watch.look([word(**lacking)]) for _ in range(3)] == [None] * 3


def test_every_class_must_be_sure() -> None:
    watch = rule()
    assert [watch.look([word(), word(p_near=0.5)]) for _ in range(3)] == [None] * 3
    assert watch.look([word(), word(p_near=0.96)]) is None
    assert "with probability 0.960" in str(watch.look([word(), word(p_near=0.96)])), "the least sure class"
    assert rule().look([]) is None


def test_strict_asks_for_the_best_itself() -> None:
    watch = rule(strict=True)
    assert [watch.look([word()]) for _ in range(3)] == [None] * 3
    watch.look([word(p_best=0.96)])
    assert "the leader is the best with probability 0.960" in str(watch.look([word(p_best=0.96)]))


def test_an_action_between_two_looks_takes_the_first_one_back() -> None:
    watch = rule()
    watch.look([word()])
    watch.restart()
    assert watch.look([word()]) is None
    assert watch.look([word()]) is not None


@pytest.mark.parametrize(("playing", "every"), [(2, 1), (8, 1), (15, 1), (16, 2), (80, 10)])
def test_it_looks_after_every_eighth_of_the_field(playing: int, every: int) -> None:
    watch = rule()
    assert [watch.is_due(playing) for _ in range(2 * every)] == ([False] * (every - 1) + [True]) * 2


@pytest.mark.parametrize("format_", ["elo", "adaptive"])
def test_a_run_stops_by_it_and_a_replay_comes_to_the_same_end(tmp_path: Path, format_: str) -> None:
    texts = [{"id": f"c{n}", "text": f"text {n}", "strength": 2.0 * n} for n in range(5)]
    tournament = arena_tui.load(
        {
            "candidates": texts,
            "format": format_,
            "judge": {"kind": "simulated", "mode": "pairwise"},
            "stop": {"rule": "confident", "strict": True},
            "limits": {"concurrency": 2, "matches": 2_000},
            "seed": 4,
        }
    )
    db = tmp_path / "run.db"
    result = asyncio.run(arena_tui.arun(tournament, db=db))
    assert result.stop_reason == "CONFIDENT"
    assert result.standings[0].id == "c4"
    assert result.standings[0].p_best is not None
    assert result.standings[0].p_best > 0.95
    with Reader(db) as reader:
        (group,) = replay(reader).groups.values()
    assert group.closing is not None
    assert (group.closing.reason, group.closing.detail) == ("CONFIDENT", result.stop_detail)
    assert group.stop.sureness[0].looks == 2


@pytest.mark.parametrize("size", [4, 7, 12])
def test_a_judge_who_never_errs_is_believed_soon(tmp_path: Path, size: int) -> None:
    texts = [{"id": f"c{n}", "text": f"text {n}", "strength": 1.0 * n} for n in range(size)]
    judge = {"kind": "simulated", "mode": "pairwise", "noise": 0.0}
    for seed in range(3):
        tournament = arena_tui.load({"candidates": texts, "judge": judge, "seed": seed})
        result = asyncio.run(arena_tui.arun(tournament, db=tmp_path / f"{seed}.db"))
        assert result.stop_reason == "CONFIDENT"
        assert result.standings[0].id == f"c{size - 1}"
        assert sum(standing.matches for standing in result.standings) / 2 < 5 * size


def test_changing_the_rule_forgets_what_was_seen(tmp_path: Path) -> None:
    db = create(tmp_path / "run.db", 4, stop={"rule": "confident"})
    with Reader(db) as reader:
        (group,) = replay(reader).groups.values()
    assert group.stop.fits
    group.stop.configure(Stop(rule="none"))
    assert not group.stop.fits
    assert group.stop.sureness == ()
