"""A row of small bars that tells the shape of a series in a few cells. Pure."""

from __future__ import annotations

from collections.abc import Sequence


def spark(values: Sequence[float], cells: int, levels: str, *, least: float = 0.0) -> str:
    """The last `cells` of `values`, a character each, from the lowest of `levels` to the highest.

    It is drawn on the range of its own values, for where they lie among others is told elsewhere; a range
    below `least` is drawn on that many, so that noise looks flat. No value: no character.
    """
    shown = list(values[-cells:]) if cells > 0 else []
    if not shown:
        return ""
    low, high = min(shown), max(shown)
    span = max(high - low, least)
    bottom = (low + high - span) / 2
    if span <= 0:
        return levels[len(levels) // 2] * len(shown)
    top = len(levels) - 1
    return "".join(levels[min(top, max(0, round((value - bottom) / span * top)))] for value in shown)
