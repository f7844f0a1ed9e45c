"""What an adaptive schedule is reckoned from: information gain, weights, pending verdicts, the fast fit."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray

from arena_tui.ratings.bradley_terry import fit
from arena_tui.ratings.information_gain import (
    ALL_PAIRS,
    NEAR,
    PairGains,
    information_gain,
    near_pairs,
    place_weights,
)
from arena_tui.ratings.posterior import Counts, Posterior, posterior
from arena_tui.ratings.rows import Columns, Rows

Floats = NDArray[np.float64]


def gain(gap: float, variance: float) -> float:
    return float(information_gain(np.array([gap]), np.array([variance]))[0])


def entropy(p: Floats) -> Floats:
    return np.asarray(-p * np.log(p) - (1 - p) * np.log1p(-p))


# -- information gain ---------------------------------------------------------------------------


@pytest.mark.parametrize(("variance", "nats"), [(1.0, 0.093447), (2.0, 0.151432)])
def test_the_gain_of_five_nodes(variance: float, nats: float) -> None:
    assert gain(0.0, variance) == pytest.approx(nats, abs=5e-7)


@pytest.mark.parametrize(("variance", "nats"), [(1.0, 0.093709), (2.0, 0.153647)])
def test_five_nodes_are_near_the_exact_gain(variance: float, nats: float) -> None:
    z = np.linspace(-10, 10, 20_001)
    mass = np.exp(-z * z / 2)
    mass /= mass.sum()
    p = 1 / (1 + np.exp(-np.sqrt(variance) * z))
    exact = float(entropy(np.array([mass @ p]))[0] - mass @ entropy(p))
    assert exact == pytest.approx(nats, abs=5e-7)
    assert gain(0.0, variance) == pytest.approx(exact, rel=0.02)


def test_gain_is_even_in_the_gap_grows_with_doubt_and_is_nothing_without() -> None:
    assert gain(1.3, 0.7) == gain(-1.3, 0.7)
    assert gain(0.0, 0.5) < gain(0.0, 1.0) < gain(0.0, 3.0) < np.log(2)
    assert gain(2.0, 1.0) < gain(0.0, 1.0)
    assert gain(0.7, 0.0) == pytest.approx(0.0, abs=1e-12)
    assert gain(60.0, 4.0) == pytest.approx(0.0, abs=1e-12)


# -- weights ------------------------------------------------------------------------------------


def draws(count: int, n: int) -> Floats:
    return np.random.default_rng(5).standard_normal((count, n))


def test_weights_by_goal() -> None:
    mean = np.array([9.0, 6.0, 3.0, 0.0, -3.0])
    sure = np.full(5, 1e-6)
    assert place_weights("order", mean, sure, draws(8, 5)).tolist() == [0.5] * 5
    assert place_weights("best", mean, sure, draws(8, 5)) == pytest.approx([1.02, 1.02, 1.02, 0.02, 0.02])
    discounts = 1 / np.log2(1 + np.arange(1, 6))
    assert place_weights("balanced", mean, sure, draws(8, 5)) == pytest.approx(discounts)


def test_weights_are_means_over_draws_of_the_whole_covariance() -> None:
    together = np.array([[4.0, 3.999, 0.0], [3.999, 4.0, 0.0], [0.0, 0.0, 1e-6]])
    mean = np.array([0.5, -0.5, 0.0])  # the first two move as one, a logit apart
    weight = place_weights("balanced", mean, together, draws(4_000, 3))
    ahead = 0.599  # P(N(-.5, 4) > 0), and so on
    expected = ahead * 1 + (1 - ahead) / np.log2(3)
    assert weight[0] == pytest.approx(expected, abs=0.02)
    assert weight.sum() == pytest.approx(1 + 1 / np.log2(3) + 1 / 2)


# -- pairs and pending verdicts -----------------------------------------------------------------


def test_equal_scores_go_to_the_lower_pair_even_where_rounding_differs() -> None:
    covariance = np.eye(6)
    covariance[4, 4] += 1e-13
    covariance[5, 5] += 2e-13
    gains = PairGains(np.zeros(6), covariance, np.ones(6))
    assert gains.best() == (0, 1)
    assert gains.best(including=4) == (0, 4)


def test_a_pending_verdict_shrinks_the_covariance_as_its_information_would() -> None:
    rng = np.random.default_rng(2)
    root = rng.normal(size=(5, 7))
    covariance = root @ root.T / 7
    mean = rng.normal(size=5)
    gains = PairGains(mean, covariance, np.ones(5))
    precision = np.linalg.inv(covariance)
    for one, other in ((0, 3), (1, 3), (0, 3), (4, 2)):
        lead = np.zeros(5)
        lead[one], lead[other] = 1.0, -1.0
        variance = lead @ np.linalg.inv(precision) @ lead
        p = 1 / (1 + np.exp(-(mean[one] - mean[other]) / np.sqrt(1 + np.pi * variance / 8)))
        precision += p * (1 - p) * np.outer(lead, lead)
        gains.expect(one, other)
    after = np.linalg.inv(precision)
    variances = after.diagonal()[gains.first] + after.diagonal()[gains.second]
    expected = information_gain(
        mean[gains.first] - mean[gains.second], variances - 2 * after[gains.first, gains.second]
    )
    assert gains.scores() == pytest.approx(2 * expected, abs=1e-12)


def test_without_a_covariance_the_two_of_a_pending_pair_shrink_alone() -> None:
    gains = PairGains(np.zeros(4), np.ones(4), np.ones(4))
    gains.expect(1, 2)
    assert gains.best() == (0, 3)
    p = 0.25
    shrunk = 1 - p / (1 + 2 * p)
    at = list(zip(gains.first.tolist(), gains.second.tolist(), strict=True)).index((0, 1))
    assert gains.scores()[at] == pytest.approx(2 * gain(0.0, 1 + shrunk))


def test_large_fields_are_scored_within_32_ranks() -> None:
    n = ALL_PAIRS + 44
    mean = np.random.default_rng(1).permutation(n) / 10
    gains = PairGains(mean, np.ones(n), np.ones(n))
    assert len(gains.first) == sum(n - apart for apart in range(1, NEAR + 1))
    rank = np.argsort(np.argsort(-mean))
    apart = np.abs(rank[gains.first] - rank[gains.second])
    assert (apart.min(), apart.max()) == (1, NEAR)
    pairs = {frozenset(p) for p in zip(gains.first.tolist(), gains.second.tolist(), strict=True)}
    assert len(pairs) == len(gains.first)


def test_ranks_of_equal_means_do_not_hang_on_rounding() -> None:
    mean = np.repeat([1.0, 0.0, -1.0], 40)
    noisy = mean + np.random.default_rng(4).normal(size=120) * 1e-14
    for one, other in zip(near_pairs(mean), near_pairs(noisy), strict=True):
        assert np.array_equal(one, other)


# -- the fit ------------------------------------------------------------------------------------


def counted(n: int, rows: list[tuple[int, int, float]]) -> tuple[Counts, Columns]:
    """The same comparisons, (first, second, points of the first), as this fit and the full one take them."""
    log = Rows()
    mass, points = np.zeros((n, n)), np.zeros((n, n))
    for match, (one, other, share) in enumerate(rows):
        log.add(match, [(one, other, (share, 1 - share, 0.0))])
        mass[one, other] += 1
        points[one, other] += share
    first, second = np.nonzero(mass)
    return Counts(first, second, mass[first, second], points[first, second]), log.columns()


def agree(fast: Posterior, n: int, columns: Columns) -> None:
    full = fit(n, columns)
    assert full.posterior is not None
    assert full.prior_scale == pytest.approx(fast.scale, abs=1e-8)
    assert fast.mean == pytest.approx(full.strength, abs=1e-8)
    assert fast.covariance == pytest.approx(full.posterior[:n, :n], abs=1e-8)
    assert fast.variance == pytest.approx(full.posterior.diagonal()[:n], abs=1e-8)
    if full.slot:
        assert fast.slot == pytest.approx(full.slot[0].logits, abs=1e-8)


@settings(max_examples=12, deadline=None)
@given(st.data())
def test_it_is_the_fit_of_the_standings(data: st.DataObject) -> None:
    n = data.draw(st.integers(2, 9))
    entrant = st.integers(0, n - 1)
    row = st.tuples(entrant, entrant, st.sampled_from([0.0, 0.5, 1.0])).filter(lambda r: r[0] != r[1])
    rows = data.draw(st.lists(row, max_size=60))
    counts, columns = counted(n, rows)
    agree(posterior(n, counts), n, columns)


@pytest.mark.parametrize(("n", "each"), [(2, 40), (30, 1), (66, 4)])
def test_it_converges_where_the_lower_always_wins(n: int, each: int) -> None:
    rows = [(i, (i + step) % n, float(i < (i + step) % n)) for i in range(n) for step in range(1, each + 1)]
    rows = [row for row in rows if row[0] != row[1]]
    counts, columns = counted(n, rows)
    agree(posterior(n, counts), n, columns)


def test_large_fields_know_variances_only(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("arena_tui.ratings.posterior.DENSE_LIMIT", 20)
    n = 60
    rows = [(i, (i + step) % n, float(i % 3 == 0)) for i in range(0, n, 2) for step in (1, 3)]
    counts, columns = counted(n, rows)
    fast = posterior(n, counts)
    assert fast.covariance is None
    assert fast.mean == pytest.approx(fit(n, columns).strength, abs=1e-8)
    assert np.all((fast.variance > 0) & (fast.variance < fast.scale**2))
