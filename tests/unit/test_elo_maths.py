"""Elo's arithmetic against known numbers: the Co-Scientist tournament, Agent Elo, public bug reports."""

from __future__ import annotations

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from arena_tui.ratings.elo import EloUpdate, expected_score, k_factor, update

ratings = st.floats(min_value=-1e9, max_value=1e9)
scores = st.sampled_from([0.0, 0.5, 1.0])


@pytest.mark.parametrize(
    ("rating", "opponent", "expected"),
    [
        (1200, 1200, 0.5),
        (1500, 1200, 0.849020),
        (1200, 1500, 0.150980),
        (1100, 1500, 1 / 11),
        (1600, 1400, 0.7597469266479578),
    ],
)
def test_expected_score_follows_the_logistic_curve(rating: float, opponent: float, expected: float) -> None:
    assert expected_score(rating, opponent) == pytest.approx(expected, abs=5e-7)


def test_expected_score_is_safe_for_any_finite_gap() -> None:
    assert expected_score(0, 1e6) == 0.0
    assert expected_score(1e6, 0) == 1.0
    assert expected_score(-1.7e308, 1.7e308) == 0.0
    assert expected_score(1.7e308, -1.7e308) == 1.0


@given(ratings, ratings)
def test_the_two_expected_scores_add_up_to_one(one: float, other: float) -> None:
    assert expected_score(one, other) + expected_score(other, one) == pytest.approx(1.0, abs=1e-12)


@given(ratings, ratings, ratings)
def test_a_stronger_opponent_is_never_easier(rating: float, one: float, other: float) -> None:
    weaker, stronger = sorted((one, other))
    assert expected_score(rating, stronger) <= expected_score(rating, weaker)


@pytest.mark.parametrize(("played", "k"), [(0, 32), (4, 32), (5, 16), (100, 16)])
def test_k_is_32_below_five_matches_and_16_from_there_on(played: int, k: float) -> None:
    assert k_factor(played) == k


def test_k_takes_the_settings_it_is_given() -> None:
    assert k_factor(7, new_threshold=8, k_new=48, k_warm=24) == 48
    assert k_factor(8, new_threshold=8, k_new=48, k_warm=24) == 24


@pytest.mark.parametrize(
    ("a", "b", "score", "k", "after_a", "after_b"),
    [
        (1200, 1200, 1, 32, 1216, 1184),  # also: a loser was once scored half a point
        (1200, 1200, 0.5, 32, 1200, 1200),  # also: win and draw were once swapped
        (1100, 1500, 1, 16, 1114.545455, 1485.454545),
        (1100, 1500, 1, 32, 1129.090909, 1470.909091),
        (1500, 1200, 0, 32, 1472.831346, 1227.168654),
        (1500, 1200, 0, 16, 1486.415673, 1213.584327),
        (1000, 1400, 0.5, 32, 1013.090909, 1386.909091),
        (1500, 1500, 1, 32, 1516, 1484),
        (1500, 1500, 0.5, 32, 1500, 1500),
        (1600, 1400, 0, 32, 1575.6880983472654, 1424.3119016527346),
        (1600, 1400, 0.5, 32, 1591.6880983472654, 1408.3119016527346),
        (1600, 1400, 1, 32, 1607.6880983472654, 1392.3119016527346),
        (0, 1_000_000, 1, 32, 32, 999_968),
    ],
)
def test_updates_match_published_numbers(
    a: float, b: float, score: float, k: float, after_a: float, after_b: float
) -> None:
    result = update(a, b, score, k=k)
    assert (result.elo_a_after, result.elo_b_after) == pytest.approx((after_a, after_b), abs=5e-7)


def test_an_update_tells_what_was_expected_and_at_stake() -> None:
    assert update(1200, 1200, 1, k=32) == EloUpdate(1216.0, 1184.0, 0.5, 32)


@pytest.mark.parametrize("score", [-1, 0.25, 2, math.nan, math.inf])
def test_a_score_that_no_match_has_is_refused(score: float) -> None:
    with pytest.raises(ValueError, match="a match scores"):
        update(1200, 1200, score, k=32)


def test_the_weaker_side_never_loses_points_by_a_draw() -> None:
    for gap in range(1, 2_000, 7):
        result = update(1000, 1000 + gap, 0.5, k=16)
        assert result.elo_a_after > 1000
        assert round(result.elo_a_after) >= 1000
        assert round(result.elo_b_after) <= 1000 + gap


def test_the_order_of_two_opposite_results_decides_the_table() -> None:
    first = update(1000, 1000, 1, k=32)
    then = update(first.elo_a_after, first.elo_b_after, 0, k=32)
    assert (then.elo_a_after, then.elo_b_after) == pytest.approx((998.5305, 1001.4695), abs=5e-5)
    first = update(1000, 1000, 0, k=32)
    mirrored = update(first.elo_a_after, first.elo_b_after, 1, k=32)
    assert mirrored.elo_a_after == pytest.approx(then.elo_b_after, abs=1e-9)
    assert mirrored.elo_b_after == pytest.approx(then.elo_a_after, abs=1e-9)


@given(
    st.lists(
        st.tuples(st.integers(0, 5), st.integers(1, 5), scores, st.integers(0, 9)), min_size=50, max_size=50
    )
)
def test_fifty_matches_keep_the_sum_of_ratings(matches: list[tuple[int, int, float, int]]) -> None:
    table = [1200.0] * 6
    for a, step, score, played in matches:
        b = (a + step) % 6
        result = update(table[a], table[b], score, k=k_factor(played))
        table[a], table[b] = result.elo_a_after, result.elo_b_after
    assert math.fsum(table) == pytest.approx(1200 * 6, abs=1e-9)
