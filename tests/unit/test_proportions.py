"""Shares, their intervals and the slot effect: equal to scipy where it has them, else to what was put in."""

from __future__ import annotations

import math
import random

import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import binomtest

from arena_tui.ratings.proportions import (
    PairTally,
    Proportion,
    mean_of_pairs,
    sign_test,
    slot_effect,
    wilson_interval,
)

shares = st.integers(1, 400).flatmap(lambda n: st.tuples(st.integers(0, n), st.just(n)))


@given(shares)
def test_interval_equals_scipy(share: tuple[int, int]) -> None:
    hits, n = share
    found = Proportion.of(hits, n)
    theirs = binomtest(hits, n).proportion_ci(method="wilson")
    assert (found.low, found.high) == pytest.approx((theirs.low, theirs.high), abs=1e-12)
    assert found.low is not None
    assert found.rate is not None
    assert found.high is not None
    assert 0 <= found.low <= found.rate <= found.high <= 1


def test_nothing_is_known_of_no_trials() -> None:
    assert Proportion.of(0, 0) == Proportion(0, 0, None, None, None)


@pytest.mark.parametrize(("hits", "n"), [(-1, 3), (4, 3), (1, 0)])
def test_more_hits_than_trials_are_refused(hits: int, n: int) -> None:
    with pytest.raises(ValueError, match="is no share"):
        Proportion.of(hits, n)


@given(st.integers(0, 60), st.integers(0, 60))
def test_sign_test_equals_scipy(ups: int, downs: int) -> None:
    if ups + downs == 0:
        assert sign_test(ups, downs) is None
    else:
        assert sign_test(ups, downs) == pytest.approx(binomtest(ups, ups + downs).pvalue, abs=1e-12)


def test_sign_test_of_many_is_finite() -> None:
    assert sign_test(100_000, 0) == 0.0
    assert sign_test(50_100, 49_900) == pytest.approx(binomtest(50_100, 100_000).pvalue, rel=1e-6)


def test_pairs_that_repeat_themselves_count_once() -> None:
    assert mean_of_pairs([2] * 30 + [0] * 10) == pytest.approx((0.75, *wilson_interval(0.75, 40)), abs=0.01)
    assert mean_of_pairs([2] * 10) == (1.0, *wilson_interval(1.0, 10))


def test_pairs_of_independent_trials_count_twice() -> None:
    rng = random.Random(1)
    halves = [(rng.random() < 0.7) + (rng.random() < 0.7) for _ in range(4000)]
    found = mean_of_pairs(halves)
    assert found is not None
    share, low, high = found
    expected = wilson_interval(share, 8000)
    assert high - low == pytest.approx(expected[1] - expected[0], rel=0.05)


def test_pairs_that_balance_each_other_never_count_more_than_their_trials() -> None:
    assert mean_of_pairs([1] * 20) == (0.5, *wilson_interval(0.5, 40))
    assert mean_of_pairs([]) is None


def test_slot_effect_of_both_order_pairs_is_that_of_their_flips() -> None:
    # One comparison in each order: only pairs that named the same slot twice tell anything (McNemar).
    flips_first, flips_second, agreed = PairTally(1, 0, 0, 1), PairTally(0, 1, 1, 0), PairTally(1, 0, 1, 0)
    found = slot_effect([flips_first] * 12 + [flips_second] * 5 + [agreed] * 40)
    assert found is not None
    assert found.logits == pytest.approx(math.log(12 / 5) / 2)
    assert found.se == pytest.approx(math.sqrt(1 / 12 + 1 / 5) / 2)
    assert found.z == pytest.approx(found.logits / found.se)


def test_slot_effect_is_found_whatever_the_strengths_are() -> None:
    rng = random.Random(3)
    bias, zs = 0.6, []
    for _ in range(20):
        pairs = []
        for _ in range(400):
            gap, counts = rng.gauss(0, 1.5), [0, 0, 0, 0]
            for x_first in (True, False):
                for _ in range(3):
                    edge = gap + (bias if x_first else -bias)
                    x_won = rng.random() < 1 / (1 + math.exp(-edge))
                    counts[2 * (not x_first) + (not x_won)] += 1
            pairs.append(PairTally(*counts))
        found = slot_effect(pairs)
        assert found is not None
        zs.append((found.logits - bias) / found.se)
    # Twenty standardised errors of a right estimate with a right standard error.
    assert abs(sum(zs) / len(zs)) < 3 / math.sqrt(len(zs))
    assert 0.5 < math.sqrt(sum(z * z for z in zs) / len(zs)) < 1.6


def test_slot_effect_that_nothing_bounds_is_not_given() -> None:
    assert slot_effect([]) is None
    assert slot_effect([PairTally(1, 0, 1, 0)] * 9) is None, "one slot a pair and no flips"
    assert slot_effect([PairTally(1, 0, 0, 1)] * 9) is None, "every pair flips to the first: infinite"
    assert slot_effect([PairTally(3, 2, 0, 0)] * 9) is None, "no pair was seen in both orders"
