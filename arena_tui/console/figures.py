"""Ratings and points as people read them. Pure."""

from __future__ import annotations

from arena_tui.console.entrants import Entrant


def rating_words(entrant: Entrant) -> str:
    """Its rating, whole: Elo or fitted; "" for one that no fit has seen yet."""
    figure = entrant.figure
    return "" if figure is None else f"{figure:.0f}"


def difference_words(entrant: Entrant, other: Entrant | None) -> str:
    """How far it is above another, from the ratings as they are shown; "" where one of them is not known."""
    if other is None or entrant.figure is None or other.figure is None:
        return ""
    return f"{round(entrant.figure) - round(other.figure):+d}"


def moved_words(before: float, after: float, kind: str, *, both: bool = True) -> str:
    """What a match did to a score, "1200.0 to 1216.0 (+16.0)": Elo, or points in the other formats; without
    `both` only what it came to, "1216.0 (+16.0)"."""
    was, now, change = (score_words(each, kind) for each in (before, after, after - before))
    sign = "+" if after >= before else ""
    told = f"{now} ({sign}{change})" if kind == "elo" else f"{now} points ({sign}{change})"
    return f"{was} to {told}" if both else told


def score_words(score: float, kind: str) -> str:
    """A score of the format's own: Elo with one decimal, points with as many as they need, at most three."""
    return f"{score:.1f}" if kind == "elo" else f"{round(score, 3):g}"
