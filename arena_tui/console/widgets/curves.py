"""Rating histories as curves, with marks below the axis: the picture of the candidate and history screens."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Sequence
from dataclasses import dataclass

from rich.style import Style
from rich.text import Text
from textual.message import Message

from arena_tui.console.glyphs import UNICODE, Glyphs
from arena_tui.console.ledger import Entrant
from arena_tui.console.plot import Cell, Point, margins, marks_line, plot
from arena_tui.console.widgets.lineage_row import HUE_COLOURS, cut
from arena_tui.console.widgets.plain import PlainStatic

SIGNS = "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
"""The sign of each curve, the best first; there are never more curves than signs."""
_KEPT = 2_000  # points of a curve that are kept: more than any terminal has columns of dots


@dataclass(frozen=True, slots=True)
class Picture:
    """What is drawn: curves by their points, the range of x, marks on the axis, an x with a ruler."""

    series: tuple[tuple[Point, ...], ...]
    x_range: tuple[float, float]
    marks: tuple[tuple[float, str], ...] = ()
    ruler: float | None = None


class Curves(PlainStatic):
    """Draws a `Picture` into whatever size it has."""

    class Placed(Message):
        """Where the curves lie now: cells to their left, and how many columns they have."""

        def __init__(self, left: int, columns: int) -> None:
            self.left = left
            self.columns = columns
            super().__init__()

    def __init__(self, glyphs: Glyphs, *, id: str | None = None) -> None:
        super().__init__("", id=id)
        self._signs = glyphs
        self._picture = Picture((), (0, 1))
        self._placed = (0, 0)

    def picture(self, picture: Picture) -> None:
        """Show another picture; nothing happens when it is the same."""
        if picture != self._picture:
            self._picture = picture
            self._draw()

    def on_resize(self) -> None:
        """Another size."""
        self._draw()

    def _draw(self) -> None:
        width, height = self.content_size
        picture, signs = self._picture, self._signs
        if width < 1 or height < 1:
            return
        marked = bool(picture.marks) and height > 6
        lines = plot(
            picture.series,
            width,
            height - marked,
            x_range=picture.x_range,
            signs=SIGNS,
            letters=self.app.no_color and len(picture.series) > 1,
            ascii_only=signs != UNICODE,
            ruler=picture.ruler,
        )
        text = Text("\n").join(_line(cells) for cells in lines)
        placed = margins(lines)
        if marked:
            marks = marks_line(picture.marks, picture.x_range, placed[1], signs.up)
            text.append("\n" + " " * placed[0] + marks)
        self.show(text)
        if placed != self._placed:
            self._placed = placed
            self.post_message(self.Placed(*placed))


def _line(cells: Sequence[Cell]) -> Text:
    line = Text(no_wrap=True, end="")
    start = 0
    for at in range(1, len(cells) + 1):
        if at == len(cells) or cells[at][1] != cells[start][1]:
            number = cells[start][1]
            style = Style() if number is None else Style(color=HUE_COLOURS[number % len(HUE_COLOURS)])
            line.append("".join(char for char, _ in cells[start:at]), style)
            start = at
    return line


def by_own_matches(entrant: Entrant) -> tuple[Point, ...]:
    """Its rating after each of its rated matches, from 0."""
    step = max(1, len(entrant.history) // _KEPT)
    count = len(entrant.history)
    kept = [*range(0, count, step), count - 1] if count else []
    return ((0, entrant.start), *((at + 1, entrant.history[at]) for at in dict.fromkeys(kept)))


def by_all_matches(entrant: Entrant, indices: Sequence[int] | None, since: int = 0) -> tuple[Point, ...]:
    """Its rating against the applied matches of the run, or of those of `indices` alone, sorted.

    The curve begins at `since` with the rating it started from.
    """
    step = max(1, len(entrant.history) // _KEPT)
    count = len(entrant.history)
    kept = [*range(0, count, step), count - 1] if count else []
    points: list[Point] = [(since, entrant.start)]
    for at in dict.fromkeys(kept):
        index = entrant.history_at[at]
        points.append((index + 1 if indices is None else bisect_right(indices, index), entrant.history[at]))
    return tuple(points)


def legend(drawn: Sequence[Entrant], figures: Sequence[str], width: int, glyphs: Glyphs) -> Text:
    """A line of `width` cells for each curve: its sign, whose it is, and the figure of the moment on show."""
    text = Text(no_wrap=True)
    for number, (entrant, told) in enumerate(zip(drawn, figures, strict=True)):
        style = Style(color=HUE_COLOURS[number % len(HUE_COLOURS)], bold=True)
        line = Text.assemble((SIGNS[number], style), " ", cut(entrant.title, width - 8, glyphs))
        line.append(f"{told:>{max(1, width - line.cell_len)}}\n")
        text.append_text(line)
    return text
