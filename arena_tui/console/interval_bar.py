"""A rating and its interval on a scale that rows share, so that overlaps are seen at a glance. Pure."""

from __future__ import annotations

import math
from typing import NamedTuple

from arena_tui.console.glyphs import Glyphs


class Scale(NamedTuple):
    """What the left and the right edge of a bar stand for; `high` is above `low`."""

    low: float
    high: float

    def cell(self, value: float, cells: int) -> int:
        """The cell of a bar of `cells` that holds `value`, the nearest edge for one beyond the scale."""
        at = int((value - self.low) / (self.high - self.low) * cells)
        return min(cells - 1, max(0, at))


def round_scale(low: float, high: float) -> Scale:
    """The narrowest scale with round edges that holds both, so that it rarely changes as ratings move."""
    span = max(high - low, 1e-6)
    step = 10.0 ** math.floor(math.log10(span))
    step = next(step * part for part in (0.2, 0.5, 1.0, 2.0) if span / (step * part) <= 8 or part == 2.0)
    bottom, top = math.floor(low / step) * step, math.ceil(high / step) * step
    return Scale(bottom, top if top > bottom else bottom + step)


def interval_bar(
    rating: float, low: float | None, high: float | None, scale: Scale, cells: int, glyphs: Glyphs
) -> str:
    """`cells` characters: a line from `low` to `high`, if known, with a point at `rating`."""
    if cells < 1:
        return ""
    bar = [" "] * cells
    if low is not None and high is not None:
        for cell in range(scale.cell(low, cells), scale.cell(high, cells) + 1):
            bar[cell] = glyphs.line
    bar[scale.cell(rating, cells)] = glyphs.point
    return "".join(bar)
