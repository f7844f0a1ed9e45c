"""Rows in columns: which columns there is room for, their headings, and a row drawn across them."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from typing import Generic, TypeVar

from rich.text import Text

from arena_tui.console.columns import Column, Placed, aligned, lay_out
from arena_tui.console.glyphs import Glyphs
from arena_tui.console.widgets.rows import Rows

Item = TypeVar("Item")
Look = TypeVar("Look")


class ColumnRows(Rows, Generic[Item, Look]):
    """`items` in the order shown and the `look` they share; the first column stands for the usual order."""

    def __init__(
        self, columns: Sequence[Column[Item, Look]], importance: Sequence[str], glyphs: Glyphs
    ) -> None:
        super().__init__()
        self.columns = tuple(columns)
        self.importance = tuple(importance)
        self.glyphs = glyphs
        self.items: list[Item] = []
        self.look: Look | None = None
        self.sorted_by = self.columns[0]
        self.turned = False
        self.placed: tuple[Placed, ...] = ()
        self._layout = 0

    def depends(self, item: Item) -> Hashable:
        """What the look of the item depends on."""
        raise NotImplementedError

    def base_ink(self, item: Item) -> str:
        """The ink of the whole row, "" for the usual one."""
        return ""

    @property
    def descends(self) -> bool:
        """True when the sort column goes from the highest down."""
        return self.sorted_by.descending != self.turned

    def lay_out_again(self) -> None:
        """Find the columns' places: the width, the glyphs or the items' extent have changed."""
        if self.look is not None and self.row_width > 0:
            self.placed = lay_out(self.columns, self.importance, self.look, self.row_width)
        self._layout += 1
        self.redraw()

    def on_resize(self) -> None:
        """Another size."""
        self.lay_out_again()
        self.into_sight()

    def count(self) -> int:
        """How many items are shown."""
        return len(self.items)

    def signature(self, index: int) -> Hashable:
        """What the row depends on."""
        return self._layout, self.depends(self.items[index])

    def draw(self, index: int, width: int) -> Text:
        """The row's columns, side by side."""
        item, look = self.items[index], self.look
        assert look is not None
        base = self.base_ink(item)
        row = Text(end="")
        for place in self.placed:
            if place.x:
                row.append(" ")
            pieces = place.column.draw(item, look, place.width)
            for text, ink in aligned(
                pieces, place.width, right=place.column.right, ellipsis=self.glyphs.ellipsis
            ):
                row.append(text, self.ink(base or ink) if base or ink else None)
        return row

    def header(self, width: int) -> Text:
        """The headings, that of the sort column with its direction."""
        row = Text(end="")
        if self.look is None:
            return row
        for place in self.placed:
            if place.x:
                row.append(" ")
            told = place.column.heading(self.look, place.width)
            sorts = place.column == self.sorted_by
            if sorts:
                sign = self.glyphs.down if self.descends else self.glyphs.up
                told = f"{told[: place.width - 1]}{sign}"
            pieces = [(told, "rows--sorted" if sorts else "")]
            for text, ink in aligned(
                pieces, place.width, right=place.column.right, ellipsis=self.glyphs.ellipsis
            ):
                row.append(text, self.ink(ink) if ink else None)
        return row

    def told(self, item: Item) -> str:
        """An item as plain text: what there is to tell in any column, apart by tabs."""
        look = self.look
        if look is None:
            return ""
        cells = [
            column.plain(item, look)
            for column in self.columns
            if column.plain is not None and (column.flexible or column.width(look))
        ]
        return "\t".join(cells)
