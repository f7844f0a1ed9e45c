"""Bradley-Terry strengths by Newton's method: with ties, weights, a first-slot term, a prior, intervals.

The log-odds that the first wins are strength of first - strength of second + slot term of the judge. A
fit is a function of the data alone: no start values, no clock, no randomness beyond a fixed seed.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal

import numpy as np

from arena_tui.ratings.cells import (
    Cells,
    Floats,
    Groups,
    Indices,
    Tally,
    add_up,
    cells_of,
    components,
    strong_components,
    tally,
)
from arena_tui.ratings.information import Assembly, Dense, Singular, System
from arena_tui.ratings.likelihood import Slopes, Ties, davidson_slopes, half_slopes
from arena_tui.ratings.proportions import SlotEffect
from arena_tui.ratings.rows import Columns

Prior = Literal["em"] | float | None

SLOT_VARIANCE = 0.25
"""Of the prior of a slot term, in squared logits."""
TIE_CENTRE, TIE_VARIANCE = math.log(0.5), 4.0
"""Of the weak normal prior of ln nu: equals tie 20 % of the time, with 95 % from 0.5 % to 93 %."""
_CLOSE = 1e-7  # a Newton step below this is the last: the error left is about its square
_NEAR = 1e-3  # while the scale of the prior still moves
_SETTLED = 1e-11  # of the logarithm of the prior's variance
_STEPS = 100  # a maximum is found in 10; where there is none, every step goes on by as much
_SCALINGS = 500


class NoMaximum(ValueError):
    """Without a prior these comparisons have no finite best fit; whom that is due to, as far as it shows."""

    def __init__(self, reason: str, undefeated: tuple[int, ...], winless: tuple[int, ...]) -> None:
        super().__init__(f"no finite fit exists without a prior: {reason}")
        self.reason, self.undefeated, self.winless = reason, undefeated, winless


@dataclass(frozen=True, slots=True, eq=False)
class Fit:
    """What was fitted. Strengths are logits; everything else that has a unit says so.

    `strength` (n,) has mean 0, without a prior in each component. `covariance` (n, n) is that of the
    centred strengths (inverse observed information: the Laplace posterior, or the maximum's asymptotic
    covariance), None above 2,500 entrants. `slot` is by judge, `nu` Davidson's tie parameter; both are
    absent without rows. `prior_scale` is the standard deviation of strengths a priori. `components` are the
    sets linked by comparisons; who won (lost) every single one is `undefeated` (`winless`). `weight` is the
    sum of all masses. `posterior` is the inverse information of all parameters (strengths, slot terms,
    ln nu) before centring.
    """

    n: int
    ties: Ties
    strength: Floats
    covariance: Floats | None
    slot: Mapping[int, SlotEffect]
    nu: float | None
    prior_scale: float | None
    log_likelihood: float
    components: Groups
    undefeated: tuple[int, ...]
    winless: tuple[int, ...]
    comparisons: int
    weight: float
    posterior: Floats | None = field(repr=False)

    @property
    def se(self) -> Floats | None:
        """Standard errors (n,) of the centred strengths; 0 for one who is a component without a prior."""
        return None if self.covariance is None else np.sqrt(np.maximum(self.covariance.diagonal(), 0.0))

    def precision(self) -> Floats:
        """What the prior adds to the information's diagonal: strengths, slot terms, ln nu."""
        tau = None if self.prior_scale is None else self.prior_scale**-2
        return _precision(self.n, len(self.slot), self.nu is not None, tau)


def fit(n: int, columns: Columns, *, ties: Ties = "half", prior: Prior = "em", slot: bool = True) -> Fit:
    """The strengths of `n` entrants from their comparisons.

    `ties`: half a win for each, or Davidson's model. `prior`: "em" learns the scale s of N(0, s^2) from
    the data (s^2 = (sum of squared strengths + trace of their covariance + 4.5) / (n + 2)), a number is
    s itself; with either, slot terms are N(0, 0.25) and ln nu is N(ln 0.5, 4). None maximises the
    likelihood alone. Without rows strengths are 0, and so is that of one never compared. Raises
    ValueError for a row that cannot be meant, and NoMaximum where, without a prior, someone's strength,
    a slot term or nu would be infinite, or the slot terms cannot be told from the strengths.
    """
    if prior not in ("em", None) and not (isinstance(prior, (int, float)) and 0.0 < prior < math.inf):
        raise ValueError(f'the prior is "em", a positive scale or None, not {prior!r}')
    cells = cells_of(n, columns, slots=slot)
    record = tally(cells)
    groups = components(cells) if prior is not None else _bounded_components(cells, record)
    labels = np.zeros(n, dtype=np.intp)
    if prior is None:
        for label, group in enumerate(groups):
            labels[list(group)] = label
    davidson = ties == "davidson" and len(cells) > 0
    slotted = slot and len(cells) > 0
    assembly = Assembly(cells, slots=slotted, eta=davidson, labels=labels if prior is None else None)
    search = _Search(cells, assembly)
    search.at[:n] = _centred(
        np.log((record.won + record.tied / 2 + 0.5) / (record.lost + record.tied / 2 + 0.5)), labels
    )
    variance = 1.0 if prior == "em" else None if prior is None else float(prior) ** 2
    try:
        search.climb(variance, _NEAR if prior == "em" else _CLOSE)
        if prior == "em":
            variance = _learnt(search)
    except Singular as error:
        raise NoMaximum(str(error), record.undefeated, record.winless) from None
    return Fit(
        n=n,
        ties=ties,
        strength=_centred(search.theta, labels),
        covariance=search.covariance(one=prior is not None),
        slot=search.slot_effects() if slotted else {},
        nu=math.exp(search.at[-1]) if davidson else None,
        prior_scale=None if variance is None else math.sqrt(variance),
        log_likelihood=search.log_likelihood,
        components=groups,
        undefeated=record.undefeated,
        winless=record.winless,
        comparisons=len(columns.first),
        weight=float(cells.won.sum() + cells.lost.sum() + cells.tied.sum()),
        posterior=search.posterior,
    )


class _Search:
    """Newton's method on the log-posterior, which is concave; steps that overshoot are halved."""

    def __init__(self, cells: Cells, assembly: Assembly) -> None:
        self.assembly = assembly
        self.at = np.zeros(assembly.size)
        self.system: System | None = None
        self.log_likelihood = 0.0
        self._cells = cells
        self._centre = np.zeros(assembly.size)
        if assembly.eta:
            self._centre[-1] = self.at[-1] = TIE_CENTRE

    @property
    def theta(self) -> Floats:
        return self.at[: self.assembly.n]

    def climb(self, variance: float | None, close: float) -> System:
        """Go to the maximum under strengths N(0, variance); the information there (None: no prior)."""
        assembly = self.assembly
        tau = None if variance is None else 1.0 / variance
        precision = _precision(assembly.n, assembly.judges, assembly.eta, tau)
        slopes, height = self._look(self.at, precision)
        for _ in range(_STEPS):
            gradient = assembly.gradient(slopes) - precision * (self.at - self._centre)
            system = assembly.system(slopes, precision)
            step = system.solve(gradient)
            length = float(np.abs(step).max(initial=0.0))
            share, lowest = 1.0, height - 1e-12 * (1.0 + abs(height))
            while True:
                there = self.at + share * step
                slopes, height = self._look(there, precision)
                if height >= lowest or share < 1e-6:
                    break
                share /= 2
            self.at = there
            if length < close:
                self.system, self.log_likelihood = system, slopes.value
                return system
        raise Singular("some strength, slot term or share of ties is without bound")

    def foresee(self, before: float, after: float) -> None:
        """Move as the maximum moves, to first order, when the prior's variance changes."""
        assert self.system is not None
        pull = np.zeros(self.assembly.size)
        pull[: self.assembly.n] = self.theta * (1.0 / before - 1.0 / after)
        self.at = self.at + self.system.solve(pull)

    def spread(self, variance: float) -> tuple[float, float]:
        """(log of the variance that the strengths ask for, its slope by log `variance`)."""
        assert self.system is not None
        n = self.assembly.n
        trace, square = self.system.traces()
        padded = np.zeros(self.assembly.size)
        padded[:n] = self.theta
        bent = float(self.theta @ self.system.solve(padded)[:n])
        total = float(self.theta @ self.theta) + trace + 4.5
        return math.log(total / (n + 2)), (2.0 * bent + square) / (variance * total)

    @property
    def posterior(self) -> Floats | None:
        """The inverse information of all parameters; None where it is not dense."""
        return self.system.inverse() if isinstance(self.system, Dense) else None

    def covariance(self, *, one: bool) -> Floats | None:
        """That of the centred strengths."""
        posterior = self.posterior
        n = self.assembly.n
        return None if posterior is None else centred(posterior[:n, :n], one=one)

    def slot_effects(self) -> dict[int, SlotEffect]:
        """The slot terms by judge."""
        assert self.system is not None
        n, judges = self.assembly.n, self._cells.judges
        rows = range(n, n + len(judges))
        units = np.zeros((self.assembly.size, len(judges)))
        units[rows, range(len(judges))] = 1.0
        variances = self.system.solve(units)[rows, range(len(judges))]
        effects = {}
        for judge, logits, variance in zip(judges, self.at[n:].tolist(), variances.tolist(), strict=False):
            se = math.sqrt(variance)
            effects[judge] = SlotEffect(logits, se, logits / se)
        return effects

    def _look(self, at: Floats, precision: Floats) -> tuple[Slopes, float]:
        """The likelihood's slopes and the log-posterior (up to a constant) at some parameters."""
        cells, odds = self._cells, self.assembly.log_odds(at)
        if not self.assembly.eta:
            slopes = half_slopes(cells.won, cells.lost, cells.tied, odds)
        else:
            slopes = davidson_slopes(cells.won, cells.lost, cells.tied, odds, float(at[-1]))
        off = at - self._centre
        return slopes, slopes.value - float(precision @ (off * off)) / 2


def _learnt(search: _Search) -> float:
    """The fixed point of the prior's variance, by Newton's method on its logarithm; leaves `search` there.

    EM takes the same fixed point in hundreds of steps. How the covariance changes with the strengths is
    left out of the slope, which only costs a few steps more.
    """
    at = 0.0
    close = _NEAR
    for _ in range(_SCALINGS):
        variance = math.exp(at)
        asked, slope = search.spread(variance)
        move = (asked - at) / (1.0 - min(slope, 0.9))
        move = max(-2.0, min(2.0, move))
        at += move
        search.foresee(variance, math.exp(at))
        if abs(move) < _NEAR:
            close = _CLOSE
        search.climb(math.exp(at), close)
        if abs(move) < _SETTLED:
            break
    return math.exp(at)


def _precision(n: int, judges: int, eta: bool, tau: float | None) -> Floats:
    if tau is None:
        return np.zeros(n + judges + eta)
    parts = [np.full(n, tau), np.full(judges, 1.0 / SLOT_VARIANCE)]
    return np.concatenate([*parts, *([[1.0 / TIE_VARIANCE]] if eta else [])])


def _bounded_components(cells: Cells, record: Tally) -> Groups:
    """The components; NoMaximum where wins lead one way only, so that a strength would grow without end."""
    groups = strong_components(cells)
    if len(groups) == 1 or groups == components(cells):
        return groups
    told = [
        f"{'entrant' if len(who) == 1 else 'entrants'} {', '.join(map(str, who))} {what} every comparison"
        for who, what in ((record.undefeated, "won"), (record.winless, "lost"))
        if who
    ]
    some = "some entrants won every comparison with all those outside their set"
    raise NoMaximum(" and ".join(told) or some, record.undefeated, record.winless)


def _centred(strength: Floats, labels: Indices) -> Floats:
    """Strengths less the mean of their component."""
    if not len(strength):
        return strength.copy()
    sizes = np.bincount(labels)
    means: Floats = add_up(strength, labels, len(sizes)) / sizes
    return np.asarray(strength - means[labels])


def centred(covariance: Floats, *, one: bool) -> Floats:
    """The covariance of strengths less their mean; where not all have `one` mean it is taken out already."""
    if not one or not len(covariance):
        return covariance.copy()
    rows = covariance.mean(axis=1)
    return np.asarray(covariance - rows[:, None] - rows[None, :] + rows.mean())
