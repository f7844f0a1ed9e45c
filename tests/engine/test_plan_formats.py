"""A plan: some groups stand for many, how often the strongest comes first, what other formats would take."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest
from scripted_runs import pool

from arena_tui.engine.forecast import simulate
from arena_tui.engine.forecast_sample import SAMPLE, sampled
from arena_tui.forecasting import OTHERS, forecast, forecast_lines, other_formats, simulations
from arena_tui.report.plan_report import formats_table
from arena_tui.tournament_file import Loaded, load_mapping

PRICED = {"kind": "simulated", "usage": {"usd": 0.01, "input_tokens": 70, "output_tokens": 30}, "latency": 1}


def loaded(groups: int = 1, size: int = 4, **sections: Any) -> Loaded:
    candidates = [row for number in range(groups) for row in pool(size, f"g{number:03d}")]
    return load_mapping({"candidates": candidates, "judge": PRICED, "seed": 1, **sections})


def plan(given: Loaded, **options: Any) -> dict[str, Any]:
    return forecast(
        given.tournament, asyncio.run(simulations(given.tournament, given.pool, 3, leaders=True, **options))
    )


def test_few_groups_stand_for_many() -> None:
    given = loaded(70, format="round_robin", limits={"concurrency": 8})
    told = plan(given)
    assert told["groups"] == {"simulated": SAMPLE, "of": 70}
    assert told["matches"] == {"low": 420, "median": 420, "high": 420}
    assert told["usd"]["median"] == pytest.approx(4.2)
    whole = asyncio.run(simulate(given.tournament, given.pool, 1))
    assert told["seconds"]["median"] == pytest.approx(whole.seconds, rel=0.05)
    assert ("note:", "20 groups were simulated; figures are scaled to all 70") in forecast_lines(
        given.tournament, told
    )
    assert plan(loaded(SAMPLE, format="round_robin"))["groups"] is None


def test_slots_that_a_sample_cannot_fill_are_not_charged_to_it() -> None:
    given = loaded(120, format="elo", stop="none", limits={"per_group": {"matches": 6}, "concurrency": 60})
    whole = asyncio.run(simulate(given.tournament, given.pool, 1))
    told = plan(given)
    assert whole.seconds == pytest.approx(12, rel=0.1), "120 groups of 6 matches at 60 in flight"
    assert told["seconds"]["median"] == pytest.approx(whole.seconds, rel=0.1)


@pytest.mark.parametrize("limits", [{"matches": 105}, {"usd": 1.05}, {"tokens": 10_500}, {"wall_clock": 14}])
def test_limits_of_the_run_are_shared_out(limits: dict[str, Any]) -> None:
    told = plan(loaded(70, format="round_robin", limits={**limits, "concurrency": 8}))
    assert told["matches"]["median"] == pytest.approx(105, rel=0.1)
    assert told["stop_reasons"] == (["WALL_CLOCK"] if "wall_clock" in limits else ["BUDGET"])


def test_groups_that_are_drawn_anyway_are_what_is_sampled() -> None:
    given = loaded(40, format="swiss", compare="candidates")
    assert sampled(given.tournament, given.pool, 1).of == 40
    rows = [{**row, "system": row["id"]} for n in range(40) for row in pool(3, f"g{n:03d}")]
    few = load_mapping(
        {"candidates": rows, "judge": PRICED, "compare": "systems", "format": "swiss", "groups_sample": 25}
    )
    found = sampled(few.tournament, few.pool, 1)
    assert (found.of, len(found.pool.groups), found.times) == (25, SAMPLE, 1.25)


def test_strongest_comes_first_where_the_judge_never_errs() -> None:
    sure = {"kind": "simulated", "noise": 0}
    assert plan(loaded(2, judge=sure, format="round_robin"))["top1"] == 1.0
    contrary = {"kind": "simulated", "invalid_rate": 1.0}
    told = plan(loaded(30, 6, judge=contrary, format="round_robin"))
    assert told["top1"] < 0.6, "nobody was compared, so the first of the pool leads"


def test_systems_have_the_strengths_of_their_texts() -> None:
    strengths = {"x": 0.0, "y": 5.0, "z": -5.0}
    rows = [
        {"id": f"{name}{n}", "system": name, "group": f"g{n}", "text": f"{name} {n}", "strength": strength}
        for n in range(3)
        for name, strength in strengths.items()
    ]
    given = load_mapping(
        {
            "candidates": rows,
            "judge": {"kind": "simulated", "noise": 0},
            "compare": "systems",
            "format": "round_robin",
            "seed": 1,
        }
    )
    told = plan(given)
    assert (told["matches"]["median"], told["top1"], told["stop_reasons"]) == (3, 1.0, ["COMPLETED"])


def test_other_formats_cost_what_they_would_cost() -> None:
    given = loaded(1, 5, format={"kind": "round_robin"})
    heard: list[int] = []
    others = asyncio.run(other_formats(given.tournament, given.pool, heard.append))
    told = dict(others)
    assert list(told) == [kind for kind in OTHERS if kind != "round_robin"]
    assert heard == [1, 2, 3, 4, 5]
    swiss = load_mapping({"candidates": pool(5), "judge": PRICED, "format": "swiss", "seed": 1})
    alone = plan(swiss)
    assert told["swiss"]["comparisons"]["median"] == alone["comparisons"]["median"] == 12
    assert told["swiss"]["stop_reasons"] == ["COMPLETED"]
    assert told["elo"]["stop_reasons"] == ["ELO_STABLE"]
    assert told["adaptive"]["stop_reasons"] == ["CONFIDENT"]
    table = list(formats_table([("round_robin", plan(given)), *others]))
    assert [line.split()[0] for line in table[3:]] == ["round_robin", *told]
    assert table[3].split()[1:4] == ["3", "10", "10"]
    assert "calls" not in table[2], "no model is asked"


def test_format_that_cannot_play_says_so_in_the_table() -> None:
    own = plan(loaded(1, 3, format="round_robin"))
    lines = list(formats_table([("round_robin", own), ("pivot", {"error": "it cannot"})]))
    assert lines[-1].split(maxsplit=1) == ["pivot", "it cannot"]
