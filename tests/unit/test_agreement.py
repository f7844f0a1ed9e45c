"""Agreement of two rankings: tau-b with ties, and the top-1 hit."""

from __future__ import annotations

import math
import warnings

import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import kendalltau

from arena_tui.ratings.agreement import kendall_tau_b, top_1_hit

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
