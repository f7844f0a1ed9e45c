"""What comparisons say of log-odds: log-likelihood, slope and information, cell by cell.

Two models of a tie: half a win for each (the logistic model with fractional outcomes), or an outcome of
its own (Davidson). Both log-likelihoods are concave, so Newton's method with shortened steps finds the
one maximum.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

import numpy as np

from arena_tui.ratings.cells import Floats

Ties = Literal["half", "davidson"]


@dataclass(frozen=True, slots=True)
class Slopes:
    """A log-likelihood (nats, summed) and each cell's first and negated second derivatives at it.

    They are by the log-odds x of the cell's first and, in Davidson's model, by eta = ln nu.
    """

    value: float
    x: Floats
    xx: Floats
    eta: Floats | None = None
    x_eta: Floats | None = None
    eta_eta: Floats | None = None


def half_slopes(won: Floats, lost: Floats, tied: Floats, x: Floats) -> Slopes:
    """The logistic model; a tie is half a win and half a loss."""
    mass = won + lost + tied
    smaller = np.exp(-np.abs(x))
    total = 1.0 + smaller
    surprise = np.log(total) + np.maximum(-x, 0.0)  # -ln of the chance that the first wins
    chance = np.where(x > 0.0, 1.0, smaller) / total
    expected = mass * chance
    value = -float(mass @ surprise + (lost + tied / 2) @ x)
    return Slopes(value, won + tied / 2 - expected, expected * (1.0 - chance))


def davidson_slopes(won: Floats, lost: Floats, tied: Floats, x: Floats, eta: float) -> Slopes:
    """Davidson's model: the chances of first, second and tie are as e^(x/2), e^(-x/2) and nu = e^eta.

    Source: Davidson 1970, "On extending the Bradley-Terry model to accommodate ties in paired comparison
    experiments".
    """
    mass = won + lost + tied
    half = x / 2
    top = np.maximum(np.abs(half), eta)
    first, second, tie = np.exp(half - top), np.exp(-half - top), np.exp(eta - top)
    total = first + second + tie
    first, second, tie = first / total, second / total, tie / total
    lead = first - second
    return Slopes(
        value=float((won - lost) @ half + tied.sum() * eta - mass @ (top + np.log(total))),
        x=((won - lost) - mass * lead) / 2,
        xx=mass * ((first + second) - lead * lead) / 4,
        eta=tied - mass * tie,
        x_eta=-mass * tie * lead / 2,
        eta_eta=mass * tie * (1.0 - tie),
    )
