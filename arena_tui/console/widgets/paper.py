"""A long text of which only the rows in sight are drawn: the base of transcripts, texts and replies.

It shows sections one below the other. A section is broken into rows once a width; one that grows adds rows
at its end, so that a text that streams costs what is new in it, however long it has become.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from typing import ClassVar

from rich.segment import Segment
from rich.style import Style
from textual.content import Content
from textual.geometry import Size
from textual.message import Message
from textual.scroll_view import ScrollView
from textual.selection import Selection
from textual.strip import Strip

from arena_tui.console.actions import bindings
from arena_tui.console.widgets.found import Found
from arena_tui.console.widgets.plain import safe_line
from arena_tui.console.widgets.sections import Row, Section


class Paper(ScrollView, can_focus=True):
    """Sections to read, to scroll, to search and to copy from. `Moved` tells that the end came in or out of
    sight."""

    DEFAULT_CSS = """
    Paper {
        height: 1fr;
        padding: 0 0 0 1;
        overflow-x: hidden;
        scrollbar-gutter: stable;
        scrollbar-size-vertical: 1;
        & > .paper--strong { text-style: bold; }
        & > .paper--em { text-style: italic; }
        & > .paper--strike { text-style: strike; }
        & > .paper--code { color: $text-warning; }
        & > .paper--link { text-style: underline; color: $text-primary; }
        & > .paper--heading { text-style: bold; color: $text-primary; }
        & > .paper--quote { text-style: italic; color: $text-muted; }
        & > .paper--dim { color: $text-muted; }
        & > .paper--first { text-style: bold; color: $text-primary; }
        & > .paper--second { text-style: bold; color: $text-accent; }
        & > .paper--judge { text-style: bold; }
        & > .paper--good { text-style: bold; color: $text-success; }
        & > .paper--bad { text-style: bold; color: $text-error; }
        & > .paper--only { text-style: bold underline; color: $text-warning; }
        & > .paper--hit { text-style: reverse; }
        & > .paper--hit-now { text-style: bold reverse underline; color: $text-warning; }
    }
    """
    STYLES: ClassVar[tuple[str, ...]] = (
        *("strong", "em", "strike", "code", "link", "heading", "quote", "dim", "first", "second", "judge"),
        *("good", "bad", "only", "hit", "hit-now"),
    )
    COMPONENT_CLASSES: ClassVar[set[str]] = {f"paper--{style}" for style in STYLES}
    BINDINGS = bindings("paper")

    class Moved(Message):
        """The end of the text came into sight or went out of it."""

        def __init__(self, paper: Paper, at_end: bool) -> None:
            self.paper = paper
            self.at_end = at_end
            super().__init__()

        @property
        def control(self) -> Paper:
            """The paper."""
            return self.paper

    def __init__(self, *, sticky: bool = False, id: str | None = None, classes: str | None = None) -> None:
        super().__init__(id=id, classes=classes)
        self.sections: list[Section] = []
        self.sticky = sticky  # what comes at the end is brought into sight, as long as the end is in sight
        self._stuck = sticky
        self._at_end = True
        self._generation = 0
        self._styles: tuple[int, dict[str, Style]] = (-1, {})
        self._found = Found()

    def titled(self, text: str, subtitle: str = "") -> None:
        """The words in its frame, where it has one; they may come from outside."""
        self.border_title = Content(safe_line(text, 120))
        self.border_subtitle = Content(safe_line(subtitle, 120))

    # --- what is shown -----------------------------------------------------------------------------

    def show(self, sections: Sequence[Section], *, to_end: bool | None = None) -> None:
        """Show these sections; those that were shown before keep their rows. `to_end`: go to the end or the
        start (None: stay, or follow the end)."""
        self.sections = list(sections)
        if to_end is not None:
            self._stuck = self.sticky and to_end
        if self._found.words:
            self._found.again(self.sections)
        self.grew()
        if to_end is not None:
            self._go(self.max_scroll_y if to_end else 0)

    def grew(self) -> None:
        """A section has changed: measure and draw again."""
        width = self.scrollable_content_region.width
        if not width:
            return  # not laid out yet: `on_resize` comes
        for section in self.sections:
            section.fit(max(1, width - 1))  # a cell between the text and the scrollbar
        height = sum(len(section.rows) for section in self.sections)
        self._measured(Size(width, height))
        if self._stuck:
            self._go(self.max_scroll_y)
        self._tell()
        self.refresh()

    def _measured(self, size: Size) -> None:
        """Another length moves the scrollbar; only where that comes or goes is the screen laid out anew."""
        bar = size.height > self.container_size.height
        if bar != self.show_vertical_scrollbar or size.width != self.virtual_size.width:
            self.virtual_size = size
        elif size != self.virtual_size:
            self.set_reactive(Paper.virtual_size, size)
            self._scroll_update(size)

    def _go(self, y: float) -> None:
        self.scroll_to(y=y, animate=False, force=True)

    def on_resize(self) -> None:
        """Another width: break everything anew."""
        self.grew()

    def watch_scroll_y(self, old_value: float, new_value: float) -> None:
        """Whoever scrolls up is not taken back to the end; whoever comes back to it follows it again."""
        super().watch_scroll_y(old_value, new_value)
        self._stuck = self.sticky and new_value >= self.max_scroll_y
        self._tell()

    def _tell(self) -> None:
        at_end = self._stuck or self.scroll_offset.y >= self.max_scroll_y
        if at_end != self._at_end:
            self._at_end = at_end
            self.post_message(self.Moved(self, at_end))

    @property
    def at_end(self) -> bool:
        """True when the end of the text is in sight."""
        return self._at_end

    def in_sight(self) -> list[Section]:
        """The sections of which a row is in sight, from the top."""
        top, bottom = self.scroll_offset.y, self.scroll_offset.y + self.size.height
        seen: list[Section] = []
        at = 0
        for section in self.sections:
            if section.rows and at < bottom and at + len(section.rows) > top:
                seen.append(section)
            at += len(section.rows)
        return seen

    def _row(self, y: int) -> Row | None:
        for section in self.sections:
            if y < len(section.rows):
                return section.rows[y]
            y -= len(section.rows)
        return None

    # --- search ------------------------------------------------------------------------------------

    @property
    def hits(self) -> int:
        """How many places hold the words looked for."""
        return len(self._found.places)

    @property
    def hit(self) -> int:
        """The number of the place that was jumped to, from 1; 0 before the first jump."""
        return self._found.now + 1

    def look_for(self, words: str) -> None:
        """Mark every place that holds these words, upper and lower case alike; none for no words."""
        self._found.look_for(words, self.sections)
        self._forget()

    def next_hit(self) -> None:
        """Go to the next place, from the last to the first."""
        row = self._found.next_row(self.sections)
        if row is not None:
            self._forget()
            self._stuck = False
            self._go(max(0, row - self.size.height // 2))

    # --- drawing -----------------------------------------------------------------------------------

    def _forget(self) -> None:
        self._generation += 1
        self.refresh()

    def notify_style_update(self) -> None:
        """Another theme: every row is drawn anew."""
        super().notify_style_update()
        self._forget()

    def render_line(self, y: int) -> Strip:
        """The rows from the scroll position on."""
        base = self.visual_style.rich_style
        width = self.size.width
        number = self.scroll_offset.y + y
        row = self._row(number)
        if row is None:
            return Strip.blank(width, base)
        if row.drawn is None or row.drawn[0] != self._generation:
            row.drawn = self._generation, self._draw(row, base)
        strip = row.drawn[1].adjust_cell_length(width, base)
        selection = self.text_selection
        span = None if selection is None else selection.get_span(number)
        if span is not None:
            strip = self._selected(strip, *span)
        return strip.apply_offsets(0, number)

    def _selected(self, strip: Strip, start: int, end: int) -> Strip:
        length = strip.cell_length
        stop = length if end < 0 else min(end, length)
        parts = [strip.crop(0, start), strip.crop(start, stop), strip.crop(stop, length)]
        style = self.screen.get_component_rich_style("screen--selection")
        marked = [Segment(text, (old or Style()) + style) for text, old, _ in parts[1]]
        return Strip([*parts[0], *marked, *parts[2]])

    def _draw(self, row: Row, base: Style) -> Strip:
        block, styles = row.block, self._look()
        whole = base + styles.get(block.style, Style.null())
        lead = base + styles[block.lead] if block.lead else whole
        segments = [Segment(row.prefix, lead)] if row.prefix else []
        spans = (*block.spans, *self._found.spans_in(block))
        if not spans:
            segments.append(Segment(block.plain[row.start : row.end], whole))
            return Strip(segments)
        inside = [span for span in spans if span[0] < row.end and span[1] > row.start]
        edges = {row.start, row.end}
        for start, end, _ in inside:
            edges |= {max(start, row.start), min(end, row.end)}
        for start, end in pairwise(sorted(edges)):
            style = whole
            for left, right, name in inside:
                if left <= start and end <= right:
                    style += styles[name]
            segments.append(Segment(block.plain[start:end], style))
        return Strip(segments)

    def _look(self) -> dict[str, Style]:
        """The styles by name; those without a colour of their own take that of the text around."""
        if self._styles[0] != self._generation:
            found: dict[str, Style] = {}
            for each in self.STYLES:
                component = f"paper--{each}"
                coloured = self.get_component_styles(component).has_rule("color")
                found[each] = self.get_component_rich_style(component, partial=not coloured)
            self._styles = self._generation, found
        return self._styles[1]

    # --- keys: at once, since an animation is a dozen repaints over ssh -------------------------------

    def action_scroll_up(self) -> None:
        """One line up."""
        self.scroll_up(animate=False)

    def action_scroll_down(self) -> None:
        """One line down."""
        self.scroll_down(animate=False)

    def action_page_up(self) -> None:
        """One page up."""
        self.scroll_page_up(animate=False)

    def action_page_down(self) -> None:
        """One page down."""
        self.scroll_page_down(animate=False)

    def action_scroll_home(self) -> None:
        """To the start."""
        self.scroll_home(animate=False)

    def action_scroll_end(self) -> None:
        """To the end."""
        self.scroll_end(animate=False)

    # --- the mouse's selection ---------------------------------------------------------------------

    def get_selection(self, selection: Selection) -> tuple[str, str] | None:
        """What the mouse has marked."""
        rows = (row.text for section in self.sections for row in section.rows)
        return selection.extract("\n".join(rows)), "\n"
