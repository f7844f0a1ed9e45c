"""A pane around sorted rows: the keys to sort and filter them, and what its frame says of that."""

from __future__ import annotations

from typing import Any

from textual import on
from textual.app import ComposeResult

from arena_tui.console.widgets.pane import FilterLine, Pane
from arena_tui.console.widgets.sorted_rows import SortedRows


class ListPane(Pane):
    """Rows and their filter line. A subclass names its place in the registry of keys."""

    def __init__(self, rows: SortedRows[Any, Any], *, id: str | None = None) -> None:
        super().__init__(id=id)
        self.rows = rows
        self.line = FilterLine()
        self._framed = ("", "")

    def compose(self) -> ComposeResult:
        """The rows, and the line that `/` opens."""
        yield self.rows
        yield self.line

    def on_mount(self) -> None:
        """Show what is there."""
        self.pull()

    def pull(self) -> None:
        """Look again and draw what changed."""
        self.rows.pull()
        self._frame()

    def heading(self) -> str:
        """The words in the frame's upper edge."""
        raise NotImplementedError

    def notes(self) -> list[str]:
        """Further words in the frame's lower edge."""
        return []

    def opened(self, item: Any) -> None:
        """Enter on an item."""

    def reached(self, item: Any) -> None:
        """Another item is under the cursor."""

    def _frame(self) -> None:
        rows = self.rows
        told = self.notes()
        if rows.words:
            told.append(f"{len(rows.items):,} of {rows.total:,} with {' '.join(rows.words)}")
        if rows.sorted_by is not rows.columns[0] or rows.turned:
            sign = rows.glyphs.down if rows.descends else rows.glyphs.up
            told.append(f"by {rows.sorted_by.id} {sign}")
        framed = self.heading(), " · ".join(told) if rows.glyphs.ellipsis == "…" else ", ".join(told)
        if framed != self._framed:
            self._framed = framed
            self.titled(*framed)

    @on(SortedRows.Chosen)
    def _rows_chosen(self, event: SortedRows.Chosen) -> None:
        event.stop()
        self.opened(event.item)

    @on(SortedRows.Reached)
    def _rows_reached(self, event: SortedRows.Reached) -> None:
        event.stop()
        if event.item is not None:
            self.reached(event.item)

    @on(SortedRows.Rearranged)
    def _rows_rearranged(self, event: SortedRows.Rearranged) -> None:
        event.stop()
        self._frame()

    @on(FilterLine.Typed)
    def _typed(self, event: FilterLine.Typed) -> None:
        event.stop()
        self.rows.filter_by(event.words)

    @on(FilterLine.Closed)
    def _line_closed(self, event: FilterLine.Closed) -> None:
        event.stop()
        self.rows.focus()

    def action_sort_left(self) -> None:
        """Sort by the column to the left."""
        self.rows.sort_beside(-1)

    def action_sort_right(self) -> None:
        """Sort by the column to the right."""
        self.rows.sort_beside(1)

    def action_reverse(self) -> None:
        """Turn the order round."""
        self.rows.turn()

    def action_filter(self) -> None:
        """Open the filter line."""
        self.line.open()
