"""Shares with their uncertainty, and how much the slot of a text counts: what a judge report is made of.

Pure, standard library only: a run computes them at its end, and no statistics package is loaded for it.
"""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass

Z_95 = 1.959963984540054  # the 97.5th percentile of the standard normal: two-sided 95 % intervals


@dataclass(frozen=True, slots=True)
class Proportion:
    """`hits` out of `n`, with the 95 % Wilson interval of the share behind it.

    `rate`, `low` and `high` are in [0, 1]; None when n is 0, for then nothing is known.
    """

    hits: int
    n: int
    rate: float | None
    low: float | None
    high: float | None

    @classmethod
    def of(cls, hits: int, n: int) -> Proportion:
        """The share `hits` / `n`; ValueError unless 0 <= hits <= n."""
        if not 0 <= hits <= n:
            raise ValueError(f"{hits} of {n} is no share")
        if not n:
            return cls(0, 0, None, None, None)
        low, high = wilson_interval(hits / n, n)
        return cls(hits, n, hits / n, low, high)


def wilson_interval(share: float, n: float, z: float = Z_95) -> tuple[float, float]:
    """Bounds in [0, 1] of a binomial share observed over `n` > 0 independent trials.

    `n` may be a fraction: an effective number of trials, where trials hang together. Keeps close to
    its nominal coverage from n = 10 on, also near 0 and 1. Source: Wilson 1927, "Probable inference,
    the law of succession, and statistical inference"; recommended by Brown, Cai and DasGupta 2001.
    """
    square = z * z / n
    middle = share + square / 2
    half = z * math.sqrt(share * (1 - share) / n + square / (4 * n))
    # At a share of 0 (or 1) the bound is 0 (or 1) exactly; rounding must not take it out of [0, 1].
    low = 0.0 if share == 0 else (middle - half) / (1 + square)
    high = 1.0 if share == 1 else (middle + half) / (1 + square)
    return max(0.0, min(low, share)), min(1.0, max(high, share))


def mean_of_pairs(halves: Iterable[int]) -> tuple[float, float, float] | None:
    """(share, low, high) over trials that come two by two: each item is how many of its two hit (0, 1, 2).

    Both trials of a pair depend on each other, so the Wilson interval gets the effective number of
    trials share(1 - share) / (variance of the mean of pairs), kept between the number of pairs and
    of trials. None without pairs. Source: Kish 1965, "Survey Sampling", section 8.2 (design effect).
    """
    counts = list(halves)
    n = len(counts)
    if not n:
        return None
    share = sum(counts) / (2 * n)
    variance = sum((count / 2 - share) ** 2 for count in counts) / (n * max(1, n - 1))
    trials = 2.0 * n if variance == 0 else share * (1 - share) / variance
    if share in (0.0, 1.0):
        trials = n  # every pair agrees with itself: the second trial has told nothing new
    return share, *wilson_interval(share, min(2.0 * n, max(float(n), trials)))


def sign_test(ups: int, downs: int) -> float | None:
    """Two-sided exact p that as uneven a split of `ups` + `downs` comes from fair coins; None without any.

    Source: the exact form of McNemar 1947 for discordant pairs.
    """
    n = ups + downs
    if not n:
        return None
    if ups == downs:
        return 1.0
    few, log_all = min(ups, downs), n * math.log(2)
    log_n = math.lgamma(n + 1)
    tail = math.fsum(
        math.exp(log_n - math.lgamma(k + 1) - math.lgamma(n - k + 1) - log_all) for k in range(few + 1)
    )
    return min(1.0, 2 * tail)


@dataclass(frozen=True, slots=True)
class PairTally:
    """All decided comparisons of two texts, x and y, by who was shown first and who won."""

    x_first_x_won: int = 0
    x_first_y_won: int = 0
    y_first_x_won: int = 0
    y_first_y_won: int = 0

    @property
    def x_won(self) -> int:
        """Comparisons that x won."""
        return self.x_first_x_won + self.y_first_x_won

    @property
    def y_won(self) -> int:
        """Comparisons that y won."""
        return self.x_first_y_won + self.y_first_y_won


@dataclass(frozen=True, slots=True)
class SlotEffect:
    """The logits that being shown first adds, with standard error and z = logits / se."""

    logits: float
    se: float
    z: float


def slot_effect(pairs: Iterable[PairTally]) -> SlotEffect | None:
    """What the first slot adds to a text's logit of winning, whatever the texts' strengths are.

    In P(first wins) = sigma(d + b) the strengths' gap d of a pair cancels between its two orders: the
    odds ratio of "x wins" given "x first" is exp(2b) in every pair. Mantel and Haenszel's common odds
    ratio over the pairs therefore gives b = ln(ratio) / 2, and Robins, Breslow and Greenland's variance
    of its logarithm the standard error. Only pairs seen in both orders tell anything. None when there is
    no such evidence, or all of it points one way (the estimate is infinite then).
    Sources: Mantel and Haenszel 1959; Robins, Breslow and Greenland 1986.
    """
    r = s = pr = ps_qr = qs = 0.0
    for pair in pairs:
        a, b, c, d = pair.x_first_x_won, pair.x_first_y_won, pair.y_first_x_won, pair.y_first_y_won
        n = a + b + c + d
        if not n:
            continue
        r_here, s_here = a * d / n, b * c / n
        p, q = (a + d) / n, (b + c) / n
        r += r_here
        s += s_here
        pr += p * r_here
        ps_qr += p * s_here + q * r_here
        qs += q * s_here
    if not r or not s:
        return None
    variance = pr / (2 * r * r) + ps_qr / (2 * r * s) + qs / (2 * s * s)
    logits, se = math.log(r / s) / 2, math.sqrt(variance) / 2
    return SlotEffect(logits, se, logits / se)
