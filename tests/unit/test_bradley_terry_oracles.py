"""Fits against other people's programs, and Davidson's derivatives against differences."""

from __future__ import annotations

import numpy as np
import pytest
from compared import simulated

from arena_tui.ratings.bradley_terry import fit
from arena_tui.ratings.cells import Floats
from arena_tui.ratings.likelihood import davidson_slopes, half_slopes

CLOSE = 1e-6


def centred(values: Floats) -> Floats:
    return np.asarray(values - values.mean())


def test_evalica_agrees() -> None:
    evalica = pytest.importorskip("evalica")
    n = 30
    _, rows = simulated(n, 900, 11)
    first, second = ([f"{at:03d}" for at in side.tolist()] for side in (rows.first, rows.second))
    said = [
        evalica.Winner.X if won else evalica.Winner.Y if lost else evalica.Winner.Draw
        for won, lost in zip(rows.won, rows.lost, strict=True)
    ]
    scores = evalica.bradley_terry(first, second, said, tolerance=1e-12, limit=10_000).scores.sort_index()
    assert len(scores) == n
    theirs = centred(np.log(scores.to_numpy()))
    ours = fit(n, rows, prior=None, slot=False).strength
    assert np.abs(ours - theirs).max() < CLOSE


def test_choix_agrees() -> None:
    choix = pytest.importorskip("choix")
    n = 20
    _, rows = simulated(n, 600, 12, ties=0.0)
    pairs = [
        (int(first), int(second)) if won else (int(second), int(first))
        for first, second, won in zip(rows.first, rows.second, rows.won, strict=True)
    ]
    theirs = centred(choix.ilsr_pairwise(n, pairs))
    assert np.abs(fit(n, rows, prior=None, slot=False).strength - theirs).max() < CLOSE


X = np.array([-30.0, -2.0, -0.1, 0.0, 0.7, 5.0, 40.0])
WON, LOST, TIED = (np.linspace(low, high, len(X)) for low, high in ((0, 3), (2, 0.5), (0.25, 1)))


@pytest.mark.parametrize("eta", [-3.0, -0.5, 0.0, 2.0])
def test_davidsons_slopes_are_those_of_its_likelihood(eta: float) -> None:
    step = 1e-5

    def value(x: Floats, eta: float) -> float:
        return davidson_slopes(WON, LOST, TIED, x, eta).value

    at = davidson_slopes(WON, LOST, TIED, X, eta)
    assert at.eta is not None
    assert at.x_eta is not None
    assert at.eta_eta is not None
    for k in range(len(X)):
        move = np.zeros(len(X))
        move[k] = step
        slope = (value(X + move, eta) - value(X - move, eta)) / (2 * step)
        assert at.x[k] == pytest.approx(slope, abs=1e-5)
    above, below = (davidson_slopes(WON, LOST, TIED, X + sign * step, eta) for sign in (1, -1))
    assert above.eta is not None
    assert below.eta is not None
    assert at.xx == pytest.approx((below.x - above.x) / (2 * step), abs=1e-6)
    assert at.x_eta == pytest.approx((below.eta - above.eta) / (2 * step), abs=1e-6)
    more, less = (davidson_slopes(WON, LOST, TIED, X, eta + sign * step) for sign in (1, -1))
    assert more.eta is not None
    assert less.eta is not None
    assert at.eta.sum() == pytest.approx((more.value - less.value) / (2 * step), abs=1e-5)
    assert at.eta_eta == pytest.approx((less.eta - more.eta) / (2 * step), abs=1e-6)


def test_without_ties_both_models_are_one() -> None:
    half = half_slopes(WON, LOST, np.zeros(len(X)), X)
    davidson = davidson_slopes(WON, LOST, np.zeros(len(X)), X, -60.0)
    assert davidson.value == pytest.approx(half.value, rel=1e-12)
    assert davidson.x == pytest.approx(half.x, abs=1e-12)
    assert davidson.xx == pytest.approx(half.xx, abs=1e-12)
