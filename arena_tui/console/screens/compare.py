"""Two runs side by side: a line a figure and a candidate."""

from __future__ import annotations

import re
from collections.abc import Hashable
from pathlib import Path
from typing import ClassVar

from rich.cells import cell_len, set_cell_size
from rich.text import Text
from textual import work
from textual.app import ComposeResult
from textual.screen import Screen
from textual.widgets import Footer

from arena_tui.console.ports import Arena
from arena_tui.console.widgets.pane import Pane
from arena_tui.console.widgets.plain import PlainStatic, safe_line
from arena_tui.console.widgets.rows import Rows
from arena_tui.errors import ArenaError

CELL = 200  # cells of a text that is kept
LESS = "difference"
_FIGURE = re.compile(r"(?:(?P<rank>\d+)\.\s+)?(?P<figure>-?\d+(?:\.(?P<digits>\d+))?(?:e-?\d+)?)")


def difference(what: str, one: str, other: str) -> str:
    """How much higher the other figure is, of two ratings with ranks the rating; "" where there are none."""
    first, second = _FIGURE.fullmatch(one), _FIGURE.fullmatch(other)
    if first is None or second is None or (what == "seed" and first["rank"] is None):
        return ""
    more = float(second["figure"]) - float(first["figure"])
    if more == 0:
        return "0"
    digits = max(len(first["digits"] or ""), len(second["digits"] or ""))
    return f"{more:+.3g}" if "e" in one + other else f"{more:+.{digits}f}"


class CompareRows(Rows):
    """(what, of the one, of the other), in three columns, and the difference of figures; what differs stands
    out."""

    DEFAULT_CSS = """
    CompareRows { & > .compare--same { color: $text-muted; } & > .compare--what { color: $text-muted; } }
    """
    COMPONENT_CLASSES: ClassVar[set[str]] = {"compare--same", "compare--what"}
    empty = "reading both runs"

    def __init__(self) -> None:
        super().__init__()
        self.lines: tuple[tuple[str, str, str], ...] = ()
        self._less: tuple[str, ...] = ()
        self._heads = ("", "")
        self._what = 8

    def fill(self, lines: list[tuple[str, str, str]], heads: tuple[str, str]) -> None:
        """Show these; every text is cleaned here."""
        self.lines = tuple(
            (safe_line(what, CELL), safe_line(one, CELL), safe_line(other, CELL))
            for what, one, other in lines
            if (one, other) != heads
        )
        self._less = tuple(difference(*line) for line in self.lines)
        self._heads = safe_line(heads[0], CELL), safe_line(heads[1], CELL)
        self._what = max((cell_len(what) for what, _, _ in self.lines), default=8)
        self.empty = "there is nothing to compare"
        self.redraw()

    def count(self) -> int:
        """How many lines there are."""
        return len(self.lines)

    def signature(self, index: int) -> Hashable:
        """The line itself."""
        return self.lines[index]

    def header(self, width: int) -> Text:
        """The two runs."""
        what, one, other, less = self._widths(width)
        told = f"{'':<{what}}  {_cell(self._heads[0], one)}  {_cell(self._heads[1], other)}"
        return Text(f"{told}  {LESS:>{less}}" if less else told)

    def draw(self, index: int, width: int) -> Text:
        """One line."""
        what, one, other = self.lines[index]
        widths = self._widths(width)
        ink = self.ink("compare--same") if one == other else None
        row = Text(end="")
        row.append(_cell(what, widths[0]), self.ink("compare--what"))
        row.append("  ")
        row.append(_cell(one, widths[1]), ink)
        row.append("  ")
        row.append(_cell(other, widths[2]), ink)
        if widths[3]:
            row.append(f"  {self._less[index]:>{widths[3]}}", ink)
        return row

    def _widths(self, width: int) -> tuple[int, int, int, int]:
        what = min(self._what, max(8, width // 3))
        less = max(len(LESS), *map(len, self._less)) if any(self._less) else 0
        room = width - what - 4 - (less + 2 if less else 0)
        one = max(1, room // 2)
        return what, one, max(1, room - one), less


def _cell(text: str, cells: int) -> str:
    return set_cell_size(safe_line(text, cells), cells)


class ComparePane(Pane):
    """The lines in their frame."""

    help_title: ClassVar[str] = "Compare"
    help_text: ClassVar[str] = (
        "Two runs side by side: how they were set up, what they took, and where each candidate stands in "
        "both, with the difference of figures, the second less the first (of ratings, where both have one). "
        "Lines on which the runs agree are dim."
    )

    def compose(self) -> ComposeResult:
        """The rows."""
        yield CompareRows()

    def pull(self) -> None:
        """Both runs were read once; nothing moves here."""


class CompareScreen(Screen[None]):
    """Two runs, each named by its database file."""

    DEFAULT_CSS = """
    CompareScreen { & ComparePane { height: 1fr; } & #wrong { height: auto; color: $text-error; } }
    """
    AUTO_FOCUS = "CompareRows"

    def __init__(self, arena: Arena, one: Path, other: Path) -> None:
        super().__init__()
        self._arena = arena
        self._one = one
        self._other = other

    def compose(self) -> ComposeResult:
        """The pane, and room for what went wrong."""
        yield ComparePane()
        yield PlainStatic("", id="wrong")
        yield Footer(show_command_palette=False)

    def on_mount(self) -> None:
        """Read both runs."""
        self.query_one(ComparePane).titled("Compare")
        self._read()

    @work(exclusive=True)
    async def _read(self) -> None:
        rows = self.query_one(CompareRows)
        try:
            lines = await self._arena.compare(self._one, self._other)
        except ArenaError as error:
            rows.fill([], ("", ""))
            self.query_one("#wrong", PlainStatic).show(safe_line(str(error)))
            return
        rows.fill(list(lines), (self._one.stem, self._other.stem))
