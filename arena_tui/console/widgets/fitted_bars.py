"""What stands in place of curves where all there is is a fit: the fitted ratings of one moment, as bars."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from rich.cells import cell_len
from rich.style import Style
from rich.text import Text

from arena_tui.console.glyphs import Glyphs
from arena_tui.console.interval_bar import interval_bar, round_scale
from arena_tui.console.ledger import Entrant
from arena_tui.console.plot import marks_line
from arena_tui.console.widgets.curves import SIGNS, Curves
from arena_tui.console.widgets.lineage_row import HUE_COLOURS, cut
from arena_tui.console.widgets.plain import PlainStatic

NOTE = "No curves: a fit has no history of its own."


@dataclass(frozen=True, slots=True)
class Bars:
    """By candidate the fitted rating and its interval; marks on the run's axis, and the last moment there."""

    fits: tuple[tuple[float | None, float | None, float | None], ...]
    marks: tuple[tuple[float, str], ...]
    last: float


def bars_of(drawn: Sequence[Entrant | None], marks: tuple[tuple[float, str], ...], last: float) -> Bars:
    """The bars of some candidates as they stood; None for one that was not there, or is still to be read."""
    fits = tuple((None, None, None) if e is None else (e.figure, e.low, e.high) for e in drawn)
    return Bars(fits, marks, last)


class FittedBars(PlainStatic):
    """Draws `Bars` into whatever size it has; like `Curves` it tells where the run's axis lies."""

    def __init__(self, glyphs: Glyphs, *, id: str | None = None) -> None:
        super().__init__("", id=id)
        self._signs = glyphs
        self._bars = Bars((), (), 1)

    def bars(self, bars: Bars) -> None:
        """Show others; nothing happens when they are the same."""
        if bars != self._bars:
            self._bars = bars
            self._draw()

    def on_resize(self) -> None:
        """Another size."""
        self._draw()
        self.post_message(Curves.Placed(0, max(0, self.content_size.width)))

    def _draw(self) -> None:
        width, height = self.content_size
        if width < 4 or height < 1:
            return
        lines = bar_lines(self._bars, width, self._signs)[:height]
        marks = self._bars.marks
        if marks and height > len(lines):
            lines += [Text()] * (height - len(lines) - 1)
            lines.append(Text(marks_line(marks, (0, self._bars.last), width, self._signs.up)))
        self.show(Text("\n").join(lines))


def bar_lines(bars: Bars, width: int, glyphs: Glyphs) -> list[Text]:
    """The note, the scale, and a line for each candidate, its sign before the bar."""
    lines = [Text(cut(NOTE, width, glyphs), no_wrap=True)]
    known = [figure for fit in bars.fits for figure in fit if figure is not None]
    if not known:
        return lines
    scale = round_scale(min(known), max(known))
    cells = width - 2
    low, high = f"{scale.low:.0f} fitted rating, 95 % interval", f"{scale.high:.0f}"
    lines.append(Text(f"  {low}{high:>{max(1, cells - cell_len(low))}}", style="dim"))
    for number, (at, least, most) in enumerate(bars.fits):
        colour = Style(color=HUE_COLOURS[number % len(HUE_COLOURS)], bold=True)
        bar = "no match yet" if at is None else interval_bar(at, least, most, scale, cells, glyphs)
        lines.append(Text.assemble((f"{SIGNS[number]} ", colour), (bar, "" if at is None else colour)))
    return lines
