"""What standings show of a fit: ratings with bars, who cannot be told apart, and how likely each is the best.

Ratings are 1500 + 400 / ln 10 x centred strength. Bars and probabilities speak of this judge's own noise,
on this judge's own scale; they cannot know whether the judge is right.
"""

from __future__ import annotations

import math
from collections.abc import Hashable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Literal, TypeVar

import numpy as np

from arena_tui.ratings.bradley_terry import Fit, Prior, fit
from arena_tui.ratings.cells import Floats, Indices
from arena_tui.ratings.likelihood import Ties
from arena_tui.ratings.proportions import Z_95
from arena_tui.ratings.rows import Columns, Rows
from arena_tui.ratings.spread import Spread, spread_of
from arena_tui.ratings.uncertainty import pair_variance

ELO_MEAN = 1500.0
ELO_PER_LOGIT = 400.0 / math.log(10.0)

Class = TypeVar("Class", bound=Hashable)

_OUT_OF_REACH = 6.0  # standard errors behind the leader: no draw puts such an entrant first
_EQUAL = 9  # decimals of a logit below which two strengths are equal, whatever the processor
_BLOCK = 256  # rows of gaps that are looked at in one go


@dataclass(frozen=True, slots=True)
class Estimate:
    """One entrant. `low` and `high` bound the rating with 95 %; None where nothing bounds it.

    It cannot be told apart (95 %, two-sided, by the gap's own standard error) from the places `rank_low` to
    `rank_high` of its class. Ranks and P(best) are for those who play.
    """

    rating: float
    low: float | None
    high: float | None
    rank_low: int | None
    rank_high: int | None
    p_best: float | None


@dataclass(frozen=True, slots=True)
class Confidence:
    """How sure the leader of a class is; entrants are indices, probabilities those of the posterior.

    `leader` is the strongest by the fit, `runner_up` whoever else is most likely the best.
    `p_near` is P(leader within delta of the best). `connected`: comparisons link all who play, directly or
    through others. `comparisons` are the class's rows.
    """

    leader: int
    runner_up: int
    p_best: float
    p_runner_up: float
    p_near: float
    connected: bool
    comparisons: int
    playing: int


@dataclass(frozen=True, slots=True, eq=False)
class Estimates:
    """All of it: `entrants` by index, `classes` where two or more play, in the order of first mention.

    `se` (n,) are the standard errors of the centred strengths, in logits; NaN where nothing bounds a
    strength. `pair_variance` is what pairs have of their own, in squared logits.
    """

    fit: Fit
    entrants: tuple[Estimate, ...]
    classes: dict[object, Confidence]
    se: Floats
    pair_variance: float


def estimate(
    rows: Rows | Columns,
    n: int,
    *,
    classes: Sequence[Class],
    playing: Sequence[bool],
    ties: Literal["auto"] | Ties = "auto",
    prior: Prior = "em",
    slot: bool = True,
    inflate: bool = True,
    cluster: bool = False,
    seed: int = 0,
    delta: float = 0.3,
    bars: bool = True,
) -> Estimates:
    """Fit `rows` and say what standings show; a function of its arguments alone, `seed` being that of draws.

    `ties` "auto" takes Davidson's model as soon as a tie occurs. `inflate` widens the bars by what pairs
    have of their own, where pairs recur, and by what a learnt scale takes away (`_wide`; that only with
    `bars`, for whoever looks at bars). `cluster` takes the covariance by clusters (with no more clusters
    than entrants it may only widen the model's; with a single one it is the model's). `delta` is in
    logits. Up to 2,500 entrants the covariance is a matrix, and P(best) comes from 2,048 draws among those
    within reach of the leader. Above, 256 perturb-and-solve draws give standard errors (4.4 % of
    themselves), ranks and P(best). Errors are those of `fit`; without a prior a class whose entrants are not
    linked is refused too, for nothing orders them.
    """
    columns = rows if isinstance(rows, Columns) else rows.columns()
    model: Ties = ("davidson" if columns.tied.any() else "half") if ties == "auto" else ties
    fitted = fit(n, columns, ties=model, prior=prior, slot=slot)
    wide = _wide(fitted, columns) if inflate and prior == "em" and len(columns.first) else None
    own = pair_variance(wide or fitted, columns).variance if inflate else 0.0
    spread = spread_of(fitted, columns, pairs=own, cluster=cluster, seed=seed)
    label = np.empty(n, dtype=np.intp)
    for number, group in enumerate(fitted.components):
        label[list(group)] = number
    alone = np.bincount(label, minlength=1)[label] == 1 if n else np.zeros(0, dtype=bool)
    se = np.where(alone & (prior is None), np.nan, spread.se)
    low, high = fitted.strength - Z_95 * se, fitted.strength + Z_95 * se
    if bars and wide is not None:
        error = Z_95 * spread_of(wide, columns, pairs=own, cluster=cluster, seed=seed).se
        low, high = np.minimum(low, wide.strength - error), np.maximum(high, wide.strength + error)
    ranges: dict[int, tuple[int, int]] = {}
    p_best: dict[int, float] = {}
    confidence: dict[object, Confidence] = {}
    for number, (class_, members) in enumerate(_playing(classes, playing)):
        linked = bool((label[members] == label[members[0]]).all())
        if prior is None and not linked:
            raise ValueError("without a prior, entrants that never met, even through others, have no order")
        ranges.update(_ranges(fitted.strength, spread, members, label))
        found = _odds(fitted.strength, spread, members, delta, [seed, number])
        p_best.update(found.p_best)
        if len(members) > 1:
            of_class = np.array([each == class_ for each in classes])
            confidence[class_] = Confidence(
                found.leader,
                found.runner_up,
                found.p_best[found.leader],
                found.p_best[found.runner_up],
                found.p_near,
                linked,
                int((of_class[columns.first] & of_class[columns.second]).sum()),
                len(members),
            )
    entrants = []
    for index, (strength, *ends) in enumerate(zip(fitted.strength.tolist(), low, high, strict=True)):
        bounds: tuple[float | None, float | None] = (None, None)
        if not np.isnan(ends).any():
            bounds = elo(float(ends[0])), elo(float(ends[1]))
        best, worst = ranges.get(index, (None, None))
        entrants.append(Estimate(elo(strength), *bounds, best, worst, p_best.get(index)))
    return Estimates(fitted, tuple(entrants), confidence, se, own)


def _wide(fitted: Fit, columns: Columns) -> Fit:
    """The same comparisons under a prior of three times the scale that rows of full weight teach, at most 5.

    With few comparisons an entrant the maximum of Laplace's approximation learns too small a scale, so that
    strengths are drawn to the mean and bars stay short: for 32 entrants and 93 comparisons 40 to 65 % of
    nominal 95 % intervals held the truth. So an interval reaches as far as either fit's. With many
    comparisons the two are one. The bias: Breslow and Lin 1995, "Bias correction in generalised linear
    mixed models with a single component of dispersion"; three and five: what brought 90 % in simulations.
    What pairs have of their own is read from this fit too: drawn to the mean, verdicts that agree because
    the judge hardly errs would look like it.
    """
    weight = columns.won + columns.lost + columns.tied
    scale = fitted.prior_scale or 1.0
    slot = bool(fitted.slot)
    if (weight < 1.0).any():
        won, lost, tied = columns.won / weight, columns.lost / weight, columns.tied / weight
        whole = replace(columns, won=won, lost=lost, tied=tied)
        scale = fit(fitted.n, whole, ties=fitted.ties, slot=slot).prior_scale or scale
    return fit(fitted.n, columns, ties=fitted.ties, prior=max(scale, min(3.0 * scale, 5.0)), slot=slot)


def elo(strength: float) -> float:
    """A centred strength in logits as people read it: 1500 is the mean, 400 points are odds of 10 to 1."""
    return ELO_MEAN + ELO_PER_LOGIT * strength


def _playing(classes: Sequence[Class], playing: Sequence[bool]) -> Iterator[tuple[Class, Indices]]:
    """(class, indices of those of it who play), in the order in which classes are first mentioned."""
    members: dict[Class, list[int]] = {}
    for index, (class_, plays) in enumerate(zip(classes, playing, strict=True)):
        if plays:
            members.setdefault(class_, []).append(index)
    for class_, indices in members.items():
        yield class_, np.array(indices, dtype=np.intp)


def _ranges(strength: Floats, spread: Spread, members: Indices, label: Indices) -> dict[int, tuple[int, int]]:
    """(rank_low, rank_high) of each member among all of them."""
    found = {}
    for start in range(0, len(members), _BLOCK):
        some = members[start : start + _BLOCK]
        gap = strength[members][None, :] - strength[some][:, None]
        bar = Z_95 * np.sqrt(np.maximum(spread.gaps(some, members), 0.0))
        apart = (np.abs(gap) > bar) & (label[members][None, :] == label[some][:, None])
        better, worse = (apart & (gap > 0)).sum(axis=1), (apart & (gap < 0)).sum(axis=1)
        for index, above, below in zip(some.tolist(), better.tolist(), worse.tolist(), strict=True):
            found[index] = (1 + above, len(members) - below)
    return found


@dataclass(frozen=True, slots=True)
class _Odds:
    leader: int
    runner_up: int
    p_best: dict[int, float]
    p_near: float


def _odds(strength: Floats, spread: Spread, members: Indices, delta: float, seed: list[int]) -> _Odds:
    """Who leads, and how often each member comes first in draws of all strengths."""
    order = members[np.lexsort((members, -strength[members].round(_EQUAL)))]
    leader = order[:1]
    behind = strength[leader] - strength[order]
    bar = np.sqrt(np.maximum(spread.gaps(leader, order)[0], 0.0))
    contenders = order[behind <= _OUT_OF_REACH * bar + delta]
    drawn = strength[contenders] + spread.draw(contenders, seed)
    wins = np.bincount(drawn.argmax(axis=1), minlength=len(contenders)) / len(drawn)
    p_best = dict.fromkeys(members.tolist(), 0.0) | dict(zip(contenders.tolist(), wins.tolist(), strict=True))
    near = drawn.max(axis=1) - drawn[:, 0] <= delta
    others = order[1:].tolist() or order.tolist()
    runner_up = max(others, key=lambda member: p_best[member])  # the stronger one of equal chances
    return _Odds(int(order[0]), runner_up, p_best, float(near.mean()))
