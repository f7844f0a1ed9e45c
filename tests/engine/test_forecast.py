"""The forecast stops where a run would: at its own rule, or at a limit whose worst case no longer fits."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import Any

import pytest
from scripted_runs import create, pool, run

from arena_tui.engine.forecast import MOST_PER_CANDIDATE, Simulated, simulate
from arena_tui.engine.forecast_judge import PERSON, assumptions
from arena_tui.tournament_file import load_mapping

PRICED = {"kind": "simulated", "usage": {"usd": 0.01, "input_tokens": 70, "output_tokens": 30}}


def forecast(candidates: int | list[dict[str, Any]] = 6, **sections: Any) -> Simulated:
    given = {
        "candidates": pool(candidates) if isinstance(candidates, int) else candidates,
        "format": "elo",
        "judge": PRICED,
        "stop": {"rule": "none"},
        **sections,
    }
    loaded = load_mapping(given)
    return asyncio.run(simulate(loaded.tournament, loaded.pool, 3))


@pytest.mark.parametrize(
    ("limits", "matches"),
    [
        ({"usd": 0.02}, 2),
        ({"usd": 0.025}, 2),
        ({"tokens": 999}, 9),
        ({"usd": 0.3, "tokens": 500, "matches": 7}, 5),
        ({"matches": 7}, 7),
        ({"per_group": {"usd": 0.035}}, 3),
        ({"per_group": {"matches": 4}, "usd": 1}, 4),
    ],
)
@pytest.mark.parametrize("concurrency", [1, 32])
def test_what_is_in_flight_is_reserved(limits: dict[str, Any], matches: int, concurrency: int) -> None:
    found = forecast(limits={**limits, "concurrency": concurrency})
    assert (found.matches, found.stop_reasons, found.ended) == (matches, ("BUDGET",), True)
    assert found.usage.usd == pytest.approx(0.01 * matches)
    assert found.usage.tokens == 100 * matches


def test_a_match_in_both_orders_starts_when_both_are_paid_for() -> None:
    found = forecast(judge={**PRICED, "orders": "both"}, limits={"usd": 0.05})
    assert (found.matches, found.comparisons) == (2, 4)


def test_each_group_has_its_own_limit_and_the_others_go_on() -> None:
    groups = [*pool(4, "a"), *pool(4, "b")]
    found = forecast(groups, limits={"per_group": {"matches": 5}})
    assert (found.matches, found.stop_reasons, found.ended) == (10, ("BUDGET",), True)
    found = forecast(groups, limits={"per_group": {"matches": 5}, "matches": 8})
    assert found.matches == 8


def test_time_ends_it_and_calls_in_flight_finish() -> None:
    found = forecast(judge={**PRICED, "latency": 2}, limits={"wall_clock": 10, "concurrency": 4})
    assert (found.matches, found.seconds, found.stop_reasons) == (20, 10, ("WALL_CLOCK",))
    assert found.ended
    assert found.usage.tokens == 2_000


def test_an_end_by_its_own_rule_needs_no_limit() -> None:
    stop = {"rule": "stability", "eps": 900, "min_matches_each": 0, "min_matches_before_stable": 20, "n": 2}
    found = forecast(stop=stop)
    assert (found.stop_reasons, found.ended) == (("ELO_STABLE",), True)


def test_what_never_ends_is_given_up_and_says_so() -> None:
    found = forecast(4, limits={"matches": 10_000_000})
    assert (found.matches, found.stop_reasons, found.ended) == (4 * MOST_PER_CANDIDATE, (), False)


@pytest.mark.parametrize("limits", [{"usd": 0.155}, {"tokens": 1_250}, {"per_group": {"matches": 9}}])
def test_the_run_itself_plays_as_many_matches(db: Path, limits: dict[str, Any]) -> None:
    create(db, 6, judge=PRICED, limits={**limits, "concurrency": 16})
    result = run(db, own_judge=True).result
    played = sum(result.matches.values())
    assert played == forecast(limits={**limits, "concurrency": 16}).matches


def test_a_language_model_is_sized_by_its_own_prompts_and_reserves_as_a_run_does() -> None:
    model = {"model": "openai:unheard-of", "price": {"input": 1, "output": 4}, "max_tokens": 400}
    judge = {"kind": "llm", "mode": "pairwise", "model": model}
    stop = {"rule": "none"}
    free = forecast(judge=judge, stop=stop, limits={"matches": 10})
    assert free.usage.output_tokens == 10 * 100, "a quarter of max_tokens each"
    assert free.usage.input_tokens > 10 * 150, "the prompt and both texts"
    assert free.usage.usd == pytest.approx((free.usage.input_tokens + 4 * free.usage.output_tokens) / 1e6)
    bounded = forecast(judge=judge, stop=stop, limits={"usd": free.usage.usd, "concurrency": 8})
    assert bounded.stop_reasons == ("BUDGET",)
    assert bounded.matches < 10, "the last ones do not fit with their worst case"
    debate = forecast(judge={**judge, "mode": "debate"}, stop=stop, limits={"matches": 10})
    assert debate.usage.output_tokens == 5 * free.usage.output_tokens
    score = forecast(judge={**judge, "mode": "score"}, stop=stop, limits={"matches": 10})
    assert score.usage.output_tokens == free.usage.output_tokens


def test_a_mock_model_takes_the_time_and_the_strengths_of_its_settings() -> None:
    judge = {
        "kind": "llm",
        "model": "mock:a",
        "mode": "pairwise",
        "latency": 0.5,
        "mock": {"noise": 0, "invalid_rate": 1.0},
    }
    found = forecast(judge=judge, limits={"concurrency": 1, "matches": 5})
    assert (found.seconds, found.usage.usd) == (2.5, 0.0)
    assert not assumptions(load_mapping({"candidates": pool(3), "judge": judge}).tournament)
    void = forecast(judge=judge, limits={"concurrency": 1, "matches": 50})
    assert void.stop_reasons == ("IDLE",), "ten void matches in a row"


def test_a_person_judges_one_at_a_time() -> None:
    found = forecast(judge={"kind": "human"}, limits={"matches": 6, "concurrency": 8})
    assert found.seconds == 6 * PERSON
    both = {"kind": "panel", "judges": [{"kind": "human"}, {"kind": "simulated"}]}
    assert forecast(judge=both, limits={"matches": 6, "concurrency": 8}).seconds == 6 * PERSON
