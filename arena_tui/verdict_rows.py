"""From what was said in a match to the comparisons that a fit weighs. A match weighs 1, shared out to its
orders. A leaf module: formats fold outcomes with it, screens fold stored rows.
"""

from __future__ import annotations

from collections.abc import Iterable

from arena_tui.facts import Outcome
from arena_tui.ratings.rows import Masses
from arena_tui.vocabulary import Orientation, Said, Winner

_MASSES: dict[str, Masses] = {
    "first": (1.0, 0.0, 0.0),
    "second": (0.0, 1.0, 0.0),
    "draw": (0.0, 0.0, 1.0),
    "a": (1.0, 0.0, 0.0),
    "b": (0.0, 1.0, 0.0),
    "void": (0.0, 0.0, 0.0),
}


def masses_of(winner: Winner) -> Masses:
    """What an outcome weighs, seen from a."""
    return _MASSES[winner]


def rows_of(outcome: Outcome, a: int, b: int) -> list[tuple[int, int, Masses]]:
    """See `rows_between`, for an outcome as a format gets it."""
    said = ((each.orientation, each.verdict, each.p_first) for each in outcome.comparisons)
    return rows_between(a, b, outcome.winner, said)


def rows_between(
    a: int, b: int, winner: Winner, said: Iterable[tuple[Orientation, Said, float | None]]
) -> list[tuple[int, int, Masses]]:
    """(first, second, masses) of the usable comparisons of a match between entrants `a` and `b`.

    A probability counts as a fraction of a win; a plain verdict as 1, 0 or a tie. Of two orders one that
    could not be read leaves its half of the weight unused. None for a void match;
    where nothing usable is known to have been said, the outcome stands for one comparison with `a` first.
    """
    if winner == "void":
        return []
    everything = list(said)
    usable = [each for each in everything if each[1] != "invalid"]
    if not usable:
        return [(a, b, _MASSES[winner])]
    weight = 1.0 / len(everything)
    rows = []
    for orientation, verdict, p_first in usable:
        masses = _MASSES[verdict] if p_first is None else (p_first, 1.0 - p_first, 0.0)
        first, second = (a, b) if orientation == "ab" else (b, a)
        rows.append((first, second, (masses[0] * weight, masses[1] * weight, masses[2] * weight)))
    return rows
