"""The circle method: n stand around a table and move one place a round until everybody has met everybody."""

from __future__ import annotations


def rounds_of(n: int) -> int:
    """Rounds in which n meet each other once: n - 1, or n for an odd n (in each, one sits out)."""
    return 0 if n < 2 else n - 1 + n % 2


def opponent(n: int, round_: int, place: int) -> int | None:
    """Who the one at `place` meets in a round, both from 0; None: it sits out."""
    turning = rounds_of(n)
    fixed = n - 1 if n % 2 == 0 else None
    if place == fixed:
        return round_
    other = (2 * round_ - place) % turning
    return fixed if other == place else other


def stands_first(n: int, round_: int, place: int, other: int) -> bool:
    """True when the one at `place` has the first slot against `other`, its opponent of that round.

    Over all rounds each stands first in half of its matches, within 1, and slots alternate from round to
    round but for one place where they may repeat.
    """
    turning = rounds_of(n)
    if n % 2 == 0 and n - 1 in (place, other):
        return (place == n - 1) == (round_ % 2 == 0)
    steps = (place - round_) % turning
    if steps <= turning // 2:
        return steps % 2 == 1
    return (turning - steps) % 2 == 0


def meeting_round(n: int, place: int, other: int) -> int:
    """The round in which two places meet."""
    turning = rounds_of(n)
    if n % 2 == 0 and n - 1 in (place, other):
        return min(place, other)
    return (place + other) * (turning + 1) // 2 % turning  # half of their sum, modulo an odd number
