"""Agreement of rankings (tau-b with ties, the top-1 hit), of verdicts (kappa), of results with each other."""

from __future__ import annotations

import math
import random
import warnings
from itertools import combinations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import kendalltau

from arena_tui.ratings.agreement import cohen_kappa, cyclic_triads, kendall_tau_b, top_1_hit

ABCD = {"a": 4.0, "b": 3.0, "c": 2.0, "d": 1.0}


def test_equal_rankings_agree_and_reversed_ones_disagree_fully() -> None:
    assert kendall_tau_b(ABCD, ABCD) == 1.0
    assert kendall_tau_b(ABCD, {id_: -score for id_, score in ABCD.items()}) == -1.0


def test_one_swapped_neighbour_costs_two_pairs_of_six() -> None:
    assert kendall_tau_b(ABCD, ABCD | {"a": 3.0, "b": 4.0}) == pytest.approx(4 / 6)


def test_ties_shrink_the_denominator() -> None:
    assert kendall_tau_b(ABCD, ABCD | {"b": 4.0}) == pytest.approx(5 / math.sqrt(6 * 5))


def test_ids_that_only_one_side_knows_are_left_out() -> None:
    assert kendall_tau_b(ABCD | {"x": 9.0}, ABCD | {"y": -9.0}) == 1.0


@pytest.mark.parametrize("reference", [{}, {"a": 1.0}, dict.fromkeys("abcd", 1.0)])
def test_tau_is_undefined_without_an_order(reference: dict[str, float]) -> None:
    assert kendall_tau_b(ABCD, reference) is None


@given(st.lists(st.tuples(st.integers(0, 6), st.integers(0, 6)), min_size=2, max_size=40))
def test_tau_equals_scipy(points: list[tuple[int, int]]) -> None:
    ours = kendall_tau_b(
        {str(i): float(x) for i, (x, _) in enumerate(points)},
        {str(i): float(y) for i, (_, y) in enumerate(points)},
    )
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        theirs = float(kendalltau([x for x, _ in points], [y for _, y in points]).statistic)
    assert ours is None if math.isnan(theirs) else ours == pytest.approx(theirs, abs=1e-12)


def test_top_1_hit_is_one_zero_or_the_share_of_a_tie() -> None:
    assert top_1_hit(ABCD, ABCD) == 1.0
    assert top_1_hit(ABCD | {"d": 9.0}, ABCD) == 0.0
    assert top_1_hit(ABCD | {"d": 4.0}, ABCD) == 0.5
    assert top_1_hit(ABCD, ABCD | {"c": 4.0}) == 1.0
    assert top_1_hit(ABCD, {"x": 1.0}) is None


def test_kappa_is_agreement_beyond_chance() -> None:
    # Cohen 1960's kind of table: 20 + 15 of 50 agree, 0.5 by chance, so (0.7 - 0.5) / (1 - 0.5).
    table = [("yes", "yes")] * 20 + [("yes", "no")] * 5 + [("no", "yes")] * 10 + [("no", "no")] * 15
    assert cohen_kappa(table) == pytest.approx(0.4)
    assert cohen_kappa([("a", "a"), ("b", "b")]) == 1.0
    assert cohen_kappa([("a", "b"), ("b", "a")]) == -1.0


def test_kappa_sees_through_a_judge_that_always_says_the_same() -> None:
    assert cohen_kappa([("first", "first")] * 9 + [("first", "second")]) == 0.0


@pytest.mark.parametrize("verdicts", [[], [("a", "a")] * 5])
def test_kappa_is_undefined_where_nothing_could_differ(verdicts: list[tuple[str, str]]) -> None:
    assert cohen_kappa(verdicts) is None


def test_three_in_a_circle_and_three_in_order() -> None:
    assert cyclic_triads([("a", "b"), ("b", "c"), ("c", "a")]) == (1, 1)
    assert cyclic_triads([("a", "b"), ("b", "c"), ("a", "c")]) == (0, 1)
    assert cyclic_triads([("a", "b"), ("b", "c")]) == (0, 0)
    assert cyclic_triads([]) == (0, 0)


def test_circles_equal_a_count_over_all_triples() -> None:
    rng = random.Random(5)
    ids = [f"e{n}" for n in range(14)]
    beaten = [
        pair if rng.random() < 0.5 else pair[::-1] for pair in combinations(ids, 2) if rng.random() < 0.8
    ]
    known = set(beaten)
    triads = circles = 0
    for triple in combinations(ids, 3):
        wins = [sum((one, other) in known for other in triple) for one in triple]
        if sum(wins) == 3:
            triads += 1
            circles += wins == [1, 1, 1]
    assert cyclic_triads(beaten) == (circles, triads)
    assert 0 < circles < triads
