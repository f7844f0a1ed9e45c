"""What a run says of its own judge: right figures, plain words, and nothing where nothing is known."""

from __future__ import annotations

import json
from collections import Counter
from itertools import combinations, permutations
from pathlib import Path
from typing import Any

import pytest

from arena_tui.ratings.proportions import PairTally
from arena_tui.report.judge_report import SaidByOrder, judge_report
from arena_tui.report.judge_words import DISBELIEF, judge_lines
from arena_tui.report.tables import judge_table
from arena_tui.store.judge_rows import CallFigures, JudgeRows, OrderCount

LLMBAR = Path(__file__).parents[3] / "shared" / "data" / "llmbar"
needs_shared = pytest.mark.skipif(not LLMBAR.is_dir(), reason="the shared data is not beside this checkout")


def rows(
    *orders: tuple[Any, Any, int],
    pairs: list[tuple[str, str, str, PairTally]] | None = None,
    longer_won: tuple[int, int] = (0, 0),
    calls: CallFigures | None = None,
) -> JudgeRows:
    return JudgeRows(
        [OrderCount(*order) for order in orders], pairs or [], longer_won, calls or CallFigures()
    )


def reasons(report: dict[str, Any]) -> str:
    (said,) = [sentence for sentence in report["warnings"] if sentence.startswith(DISBELIEF)]
    return str(said)


def test_without_a_verdict_everything_is_unknown() -> None:
    report = judge_report(rows())
    assert report.pop("warnings") == []
    assert set(report.values()) == {None}
    assert judge_lines(report) == []
    assert judge_table(report, color=True, width=80) == ""


def test_documented_keys_come_first() -> None:
    assert list(judge_report(rows()))[:4] == [
        "first_slot_rate",
        "order_consistency",
        "invalid_rate",
        "slot_effect",
    ]


def test_single_orders_and_pairs_are_counted_apart() -> None:
    said = SaidByOrder.of(
        OrderCount(*order)
        for order in (
            ("first", None, 7),
            (None, "second", 2),
            ("first", "second", 20),  # both name a
            ("second", "first", 10),  # both name b
            ("first", "first", 6),
            ("second", "second", 2),
            ("draw", "draw", 1),
            ("draw", "first", 3),
            ("invalid", "first", 4),
            ("invalid", "invalid", 1),
        )
    )
    assert said == SaidByOrder(
        first=7 + 20 + 10 + 12 + 3 + 4, second=2 + 20 + 10 + 4, draw=2 + 3, invalid=4 + 2,
        pairs=42, agreed=31, first_flips=6, second_flips=2,
    )  # fmt: skip
    figures = said.figures()
    assert figures["flips"]["by_draw"] == 3
    assert figures["flips"]["signed_preference"] == pytest.approx(4 / 42)
    assert figures["flips"]["p"] == pytest.approx(2 * (1 + 8 + 28) / 2**8)
    assert figures["consistency"]["rate"] == pytest.approx(31 / 42)
    assert figures["invalid"] == {**figures["invalid"], "hits": 6, "n": said.comparisons}


def test_fair_judge_is_believed() -> None:
    report = judge_report(rows(("first", "second", 45), ("second", "first", 40), ("first", "first", 8)))
    assert report["believable"] is True
    assert report["warnings"] == []
    assert report["first_slot_rate"] == pytest.approx(101 / 186)


def test_judge_that_names_the_first_is_not_believed_and_the_reason_is_said() -> None:
    report = judge_report(rows(("first", None, 60), ("second", None, 4)))
    assert report["believable"] is False
    said = reasons(report)
    assert "the text shown first won 60 of 64 decided verdicts" in said
    assert "95 % interval 85 to 98 %" in said


def test_judge_that_names_the_second_is_not_believed_either() -> None:
    said = reasons(judge_report(rows(("second", None, 60), ("first", None, 4))))
    assert "the text shown second won 60 of 64" in said
    assert "95 % interval 85 to 98 %" in said


@pytest.mark.parametrize("first", [5, 6, 7])
def test_a_few_verdicts_prove_nothing(first: int) -> None:
    assert judge_report(rows(("first", None, first)))["believable"] is True


def test_first_slot_is_only_remarked_upon_where_it_may_be_strength() -> None:
    alone = judge_report(rows(("first", None, 64)), orders="given")
    assert alone["believable"] is True
    (remark,) = alone["warnings"]
    assert remark.startswith("The text shown first won 64 of 64")
    assert "judge.orders: both" in remark
    both = judge_report(rows(("first", "first", 64)), orders="given")
    assert both["believable"] is False


@pytest.mark.parametrize(("agreed", "believed"), [(11, False), (12, True)])
def test_judge_no_better_than_coins_at_agreeing_with_itself_is_not_believed(
    agreed: int, believed: bool
) -> None:
    flips = 20 - agreed
    report = judge_report(
        rows(
            ("first", "second", agreed), ("first", "first", flips // 2), ("second", "second", -(-flips // 2))
        )
    )
    assert report["believable"] is believed
    if not believed:
        assert "contradicted itself on 9 of 20 pairs" in reasons(report)


def test_unusable_verdicts_count_against_a_judge() -> None:
    report = judge_report(rows(("first", None, 8), ("second", None, 8), ("invalid", None, 5)))
    assert "5 of 21 verdicts could not be used" in reasons(report)
    assert judge_report(rows(("first", None, 8), ("second", None, 8), ("invalid", None, 4)))["believable"]


def in_circles(n: int) -> list[tuple[str, str, str, PairTally]]:
    """Every entrant beats the (n - 1) / 2 that follow it around a circle: as many cyclic triads as can be."""
    x_won, y_won = PairTally(1, 0, 0, 0), PairTally(0, 1, 0, 0)
    return [
        ("main", f"{x:02}", f"{y:02}", x_won if y - x <= n // 2 else y_won)
        for x, y in combinations(range(n), 2)
    ]


def test_verdicts_in_circles_are_not_believed() -> None:
    report = judge_report(rows(("first", None, 20), ("second", None, 25), pairs=in_circles(9)))
    assert report["circles"] == {**report["circles"], "hits": 30, "n": 84, "by_chance": 0.25}
    assert "30 of 84 triads run in a circle (36 %; coin tosses give 25 %)" in reasons(report)
    few = judge_report(rows(("first", None, 4), ("second", None, 6), pairs=in_circles(5)))
    assert few["circles"]["n"] == 10
    assert few["believable"] is True


def test_triads_keep_within_their_group_and_ignore_level_pairs() -> None:
    level = PairTally(1, 1, 0, 0)
    pairs = [("g1", "a", "b", PairTally(1, 0, 0, 0)), ("g2", "b", "c", PairTally(1, 0, 0, 0))]
    assert judge_report(rows(("first", None, 1), pairs=[*pairs, ("g1", "a", "c", level)]))["circles"] is None


def test_length_is_remarked_upon() -> None:
    report = judge_report(rows(("first", None, 20), ("second", None, 20), longer_won=(37, 40)))
    assert report["believable"] is True
    (remark,) = report["warnings"]
    assert "The longer text won 37 of 40" in remark
    shorter = judge_report(rows(("first", None, 20), ("second", None, 20), longer_won=(3, 40)))
    assert "The shorter text won 37 of 40" in shorter["warnings"][0]


def test_slot_effect_comes_from_pairs_in_both_orders() -> None:
    flips = [("main", "a", f"{n}", PairTally(1, 0, 0, 1)) for n in range(12)]
    back = [("main", "b", f"{n}", PairTally(0, 1, 1, 0)) for n in range(5)]
    report = judge_report(rows(("first", "first", 12), ("second", "second", 5), pairs=[*flips, *back]))
    assert report["slot_effect"] == pytest.approx(0.4377, abs=1e-4)
    assert report["slot_effect_z"] == pytest.approx(report["slot_effect"] / report["slot_effect_se"])


def test_calls_give_latency_and_cost() -> None:
    calls = CallFigures(30, 4, 28, 2, seconds=(1.25, 3.0, 9.5), usd=None)
    report = judge_report(rows(("first", None, 28), calls=calls))
    assert report["calls"] == {"n": 30, "seconds": {"p50": 1.25, "p90": 3.0, "p99": 9.5}, "usd": None}
    assert report["asked_again"]["rate"] == pytest.approx(2 / 28)


@pytest.mark.parametrize(
    ("unusable", "usable", "told"), [(5, 0, True), (1, 0, True), (2, 3, False), (1, 4, False)]
)
def test_few_verdicts_are_doubted_when_the_unusable_ones_leave_no_doubt(
    unusable: int, usable: int, told: bool
) -> None:
    report = judge_report(rows(("invalid", None, unusable), ("first", None, usable)))
    said = f"{unusable} of {unusable + usable} verdicts could not be used"
    assert any(said in warning for warning in report["warnings"]) is told


def test_everything_known_is_shown_in_words() -> None:
    report = judge_report(
        rows(
            ("first", "second", 40), ("first", "first", 6), ("second", "second", 2), ("invalid", "first", 2),
            pairs=in_circles(5), longer_won=(22, 40),
            calls=CallFigures(100, 0, 100, 3, (1.25, 3.0, 9.5), (0.002, 0.003, 0.01)),
        )
    )  # fmt: skip
    assert judge_table(report, color=False, width=100) == (
        "the judge\n"
        "  first slot   55 % of 98 decided verdicts (95 % interval 45 to 65 %)\n"
        "  consistent   the same verdict on 83 % of 48 pairs (95 % interval 70 to 91 %)\n"
        "  flips        6 pairs to whichever was first, 2 to the second (p = 0.29); preference +0.08\n"
        "  unusable     2 of 100 verdicts\n"
        "  asked again  3 of 100 questions\n"
        "  circles      50 % of 10 triads (coin tosses: 25 %)\n"
        "  length       the longer text won 55 % of 40 decided matches (95 % interval 40 to 69 %)\n"
        "  a call, s    1.25 s (9 of 10 within 3, 99 of 100 within 9.5)\n"
        "  a call, USD  0.002 USD (9 of 10 within 0.003, 99 of 100 within 0.01)\n"
    )
    assert json.loads(json.dumps(report)) == report


def test_draws_are_shown_where_there_are_any() -> None:
    report = judge_report(rows(("first", None, 3), ("draw", None, 1)))
    assert ("draws", "25 % of 4 usable verdicts") in judge_lines(report)


def test_lines_fit_their_width() -> None:
    report = judge_report(rows(("first", "second", 40), ("first", "first", 6)))
    assert all(len(line) <= 40 for line in judge_table(report, color=False, width=40).splitlines())


def lines(name: str) -> list[dict[str, Any]]:
    return [json.loads(line) for line in (LLMBAR / name).read_text(encoding="utf-8").splitlines()]


def recorded() -> dict[tuple[str, str, str], list[OrderCount]]:
    """What each recorded judge said of each pair, by (subset, judge, method)."""
    slots = {"a": "first", "b": "second", None: "invalid"}
    subsets = {row["id"]: row["subset"] for row in lines("pairs.jsonl")}
    counted: dict[tuple[str, str, str], Counter[tuple[str, str]]] = {}
    for row in lines("verdicts.jsonl"):
        key = (subsets[row["id"]], row["judge"], row["method"])
        counted.setdefault(key, Counter())[slots[row["ab_slot"]], slots[row["ba_slot"]]] += 1
    return {
        key: [OrderCount(ab, ba, n) for (ab, ba), n in counts.items()]  # type: ignore[arg-type]
        for key, counts in counted.items()
    }


@needs_shared
def test_recorded_judges_have_their_published_consistency_and_position_bias() -> None:
    known = recorded()
    expected = lines("expected_stats.jsonl")
    assert len(expected) == len(known) == 18
    for row in expected:
        said = SaidByOrder.of(known[row["subset"], row["judge"], row["method"]])
        assert (said.agreed, said.first, said.decided) == (
            row["consistent"],
            row["slot_a_votes"],
            row["decided_votes"],
        )


@needs_shared
def test_thresholds_find_the_recorded_judges_that_contradict_themselves() -> None:
    doubted = {key for key, counts in recorded().items() if not judge_report(rows(*counts))["believable"]}
    for row in lines("expected_stats.jsonl"):
        key = (row["subset"], row["judge"], row["method"])
        if key in doubted:
            assert row["correct_both"] <= row["n"] / 2, key
        else:
            assert row["consistent"] > 0.55 * row["n"], key
    assert len(doubted) == 6
    assert {judge for _, judge, _ in doubted} == {"ChatGPT", "Falcon"}


def test_every_verdict_in_every_order_keeps_the_sums_right() -> None:
    words = ("first", "second", "draw", "invalid", None)
    for ab, ba in [*permutations(words, 2), *((word, word) for word in words)]:
        said = SaidByOrder.of([OrderCount(ab, ba, 3)])  # type: ignore[arg-type]
        assert said.comparisons == 3 * ((ab is not None) + (ba is not None))
        assert said.pairs in (0, 3)
        assert said.agreed + said.first_flips + said.second_flips <= said.pairs
