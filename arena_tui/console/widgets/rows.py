"""A list of one-line rows of which only the visible ones are ever drawn: the base of all long lists.

A subclass says how many rows there are, what a row depends on and how it is drawn. A row whose
signature is unchanged is not drawn again: a repaint costs a twentieth of a DataTable's.
"""

from __future__ import annotations

from collections.abc import Hashable
from typing import ClassVar

from rich.segment import Segment
from rich.style import Style
from rich.text import Text
from textual import events
from textual.geometry import Region, Size
from textual.reactive import reactive
from textual.scroll_view import ScrollView
from textual.strip import Strip

from arena_tui.console.actions import bindings


class Rows(ScrollView, can_focus=True):
    """Rows with a header line, a cursor and keys to move it."""

    DEFAULT_CSS = """
    Rows {
        height: 1fr;
        overflow-x: hidden;
        scrollbar-size-vertical: 1;
        scrollbar-gutter: stable;
        & > .rows--header { text-style: bold; color: $text-muted; }
        & > .rows--cursor { background: $boost; text-style: bold; }
        & > .rows--sorted { text-style: bold; color: $text; }
        & > .rows--empty { color: $text-muted; }
        &:focus > .rows--cursor { background: $primary-muted; text-style: bold; }
        &:ansi > .rows--cursor { text-style: bold underline; }
        &:ansi:focus > .rows--cursor {
            background: $block-cursor-background;
            color: $block-cursor-foreground;
            text-style: bold;
        }
    }
    """
    COMPONENT_CLASSES: ClassVar[set[str]] = {"rows--header", "rows--sorted", "rows--cursor", "rows--empty"}
    BINDINGS = bindings("rows")

    cursor: reactive[int] = reactive(0, init=False)
    """The index of the row the cursor is on."""
    empty = "nothing here yet"
    """What is shown in place of rows when there are none."""

    def __init__(self, *, id: str | None = None, classes: str | None = None) -> None:
        super().__init__(id=id, classes=classes)
        self._strips: dict[int, tuple[Hashable, Strip]] = {}
        self._shown: dict[int, Hashable] = {}

    # --- what a subclass says --------------------------------------------------------------------

    def count(self) -> int:
        """How many rows there are."""
        raise NotImplementedError

    def signature(self, index: int) -> Hashable:
        """What the look of a row depends on, its width and the cursor apart."""
        raise NotImplementedError

    def draw(self, index: int, width: int) -> Text:
        """The row, at most `width` cells wide; every text from outside has passed `safetext`."""
        raise NotImplementedError

    def header(self, width: int) -> Text:
        """The line above the rows."""
        raise NotImplementedError

    def chosen(self, index: int) -> None:
        """Enter or a click on the row that the cursor is on."""

    def header_clicked(self, x: int) -> None:
        """A click on the header, `x` cells from its left edge."""

    @property
    def row_width(self) -> int:
        """Cells that a row has: the scrollbar keeps its own, also while there is none."""
        return self.scrollable_content_region.width

    # --- changes ---------------------------------------------------------------------------------

    def rows_changed(self) -> None:
        """Look at the rows again: what changed in sight is drawn anew, and nothing else."""
        count = self.count()
        size = Size(self.row_width, count + 1)
        if size != self.virtual_size:
            self.virtual_size = size
        if self.cursor >= count:
            self.cursor = max(0, count - 1)
        top = self.scroll_offset.y
        if not count or not self._shown:
            self.refresh()
        for index in range(top, min(count, top + self.size.height)):
            if self._shown.get(index) != self.signature(index):
                self._refresh_row(index)
        if any(index >= count for index in self._shown):
            self.refresh()
        if len(self._shown) > 1_000 or len(self._strips) > 1_000:
            self._strips = {index: strip for index, strip in self._strips.items() if self._seen(index)}
        self._shown = {index: known for index, known in self._shown.items() if self._seen(index)}

    def _seen(self, index: int) -> bool:
        return self.scroll_offset.y <= index < min(self.count(), self.scroll_offset.y + self.size.height)

    def redraw(self) -> None:
        """Forget every drawn row: the columns, the glyphs or the theme have changed."""
        self._strips.clear()
        self._shown.clear()
        self.rows_changed()
        self.refresh()

    def show_row(self, index: int) -> None:
        """Put the cursor on a row and bring it into sight."""
        self.cursor = max(0, min(index, self.count() - 1))

    def watch_cursor(self, before: int, now: int) -> None:
        """The two rows concerned are drawn again."""
        self._refresh_row(before)
        self._refresh_row(now)
        self.into_sight()

    def into_sight(self) -> None:
        """Scroll as little as it takes to see the cursor."""
        top, rows = self.scroll_offset.y, max(1, self.size.height - 1)
        if self.cursor < top:
            self.scroll_to(y=self.cursor, animate=False, force=True)
        elif self.cursor >= top + rows:
            self.scroll_to(y=self.cursor - rows + 1, animate=False, force=True)

    def _refresh_row(self, index: int) -> None:
        y = index + 1 - self.scroll_offset.y
        if 1 <= y < self.size.height:
            self.refresh(Region(0, y, self.size.width, 1))

    # --- drawing ---------------------------------------------------------------------------------

    def render_line(self, y: int) -> Strip:
        """The header, then the rows from the scroll position on."""
        width = self.row_width
        if y == 0:
            return self._strip(self.header(width), width, self.get_component_rich_style("rows--header"))
        index = self.scroll_offset.y + y - 1
        count = self.count()
        if index >= count:
            empty = self.empty if y == 1 and not count else ""
            return self._strip(Text(empty), width, self.get_component_rich_style("rows--empty"))
        signature = self.signature(index)
        self._shown[index] = signature
        key = (signature, width, index == self.cursor, self.has_focus)
        known = self._strips.get(index)
        if known is not None and known[0] == key:
            return known[1]
        if index == self.cursor:
            # of 16 colours, one that a part of the row has may be that of the cursor
            plain = self.app.native_ansi_color and self.has_focus
            style = self.get_component_rich_style("rows--cursor")
            row = Text(self.draw(index, width).plain) if plain else self.draw(index, width)
        else:
            style, row = self.visual_style.rich_style, self.draw(index, width)
        strip = self._strip(row, width, style)
        self._strips[index] = key, strip
        return strip

    def ink(self, name: str) -> Style:
        """The look of a component class without its background, for parts of a row."""
        style = self.get_component_rich_style(name)
        return Style(
            color=style.color,
            bold=style.bold or None,
            dim=style.dim or None,
            italic=style.italic or None,
            strike=style.strike or None,
        )

    def _strip(self, text: Text, width: int, style: Style) -> Strip:
        text.no_wrap = True
        segments = [
            Segment(segment.text, style + segment.style if segment.style else style)
            for segment in text.render(self.app.console, end="")
        ]
        return Strip(segments).adjust_cell_length(width, style)

    # --- keys and mouse --------------------------------------------------------------------------

    def _page(self) -> int:
        return max(1, self.size.height - 2)

    def action_row_up(self) -> None:
        """One row up."""
        self.show_row(self.cursor - 1)

    def action_row_down(self) -> None:
        """One row down."""
        self.show_row(self.cursor + 1)

    def action_page_rows_up(self) -> None:
        """A page up."""
        self.show_row(self.cursor - self._page())

    def action_page_rows_down(self) -> None:
        """A page down."""
        self.show_row(self.cursor + self._page())

    def action_first_row(self) -> None:
        """To the first row."""
        self.show_row(0)

    def action_last_row(self) -> None:
        """To the last row."""
        self.show_row(self.count() - 1)

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        """Enter is offered where it does something; elsewhere it goes on to the pane or the screen."""
        return action != "choose_row" or type(self).chosen is not Rows.chosen

    def action_choose_row(self) -> None:
        """What Enter does."""
        if self.count():
            self.chosen(self.cursor)

    def on_click(self, event: events.Click) -> None:
        """The first click on a row puts the cursor on it, a double click chooses it."""
        offset = event.get_content_offset(self)
        if offset is None:
            return
        if offset.y == 0:
            self.header_clicked(offset.x)
            return
        index = self.scroll_offset.y + offset.y - 1
        if index < self.count():
            self.show_row(index)
            if event.chain == 2:
                self.chosen(index)

    def on_resize(self) -> None:
        """Another size: every row is drawn anew, and the cursor stays in sight."""
        self.redraw()
        self.into_sight()

    def notify_style_update(self) -> None:
        """Another theme: every row is drawn anew."""
        super().notify_style_update()
        self._strips.clear()
