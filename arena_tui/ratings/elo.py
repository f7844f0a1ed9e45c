"""Elo's arithmetic: expected score, K-factor, and the zero-sum update after one match.

Pure functions on floats. The Elo format applies them match by match; a refold of the same outcomes
in the same order gives the same bits.
"""

from __future__ import annotations

import math
from dataclasses import dataclass


def expected_score(rating: float, opponent: float) -> float:
    """Chance, in [0, 1], that `rating` beats `opponent`: 400 points are odds of 10 to 1.

    Safe for any finite gap. Source: Elo's logistic curve, 1 / (1 + 10^((opponent - rating) / 400)).
    """
    gap = (opponent - rating) / 400.0
    if gap > 0.0:  # a large positive power overflows; a large negative one only becomes 0
        odds = math.pow(10.0, -gap)
        return odds / (1.0 + odds)
    return 1.0 / (1.0 + math.pow(10.0, gap))


def k_factor(
    matches_played: int, *, new_threshold: int = 5, k_new: float = 32.0, k_warm: float = 16.0
) -> float:
    """Points at stake: `k_new` below `new_threshold` matches, `k_warm` from there on.

    `matches_played` is the applied valid-match count, before the match, of the less experienced of
    the two. Source: the Co-Scientist Elo tournament.
    """
    return k_new if matches_played < new_threshold else k_warm


@dataclass(frozen=True, slots=True)
class EloUpdate:
    """What one match did: both ratings after it, a's expected score before it, and the K used."""

    elo_a_after: float
    elo_b_after: float
    expected_a: float
    k: float


def update(rating_a: float, rating_b: float, score_a: float, *, k: float) -> EloUpdate:
    """Ratings after a match in which a scored 1 (win), 0.5 (draw) or 0 (loss).

    What one side gains the other loses. Raises ValueError for any other score.
    """
    if score_a not in (0.0, 0.5, 1.0):
        raise ValueError(f"a match scores 0, 0.5 or 1, not {score_a!r}")
    expected_a = expected_score(rating_a, rating_b)
    delta = k * (score_a - expected_a)
    return EloUpdate(rating_a + delta, rating_b - delta, expected_a, k)
