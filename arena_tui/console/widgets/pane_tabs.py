"""The line of tabs below the masthead where there is room for one pane only."""

from __future__ import annotations

from collections.abc import Sequence

from rich.style import Style
from rich.text import Text
from textual import events
from textual.message import Message

from arena_tui.console.widgets.plain import PlainStatic


class PaneTabs(PlainStatic):
    """The panes by number; a click chooses one."""

    DEFAULT_CSS = "PaneTabs { height: 1; padding: 0 1; color: $text-muted; }"

    class Chosen(Message):
        """A tab was clicked."""

        def __init__(self, pane: str) -> None:
            self.pane = pane
            super().__init__()

    def __init__(self, panes: Sequence[tuple[str, str]]) -> None:
        super().__init__(id="tabs")
        self._panes = tuple(panes)
        self._places: list[tuple[int, int, str]] = []

    def choose(self, chosen: str) -> None:
        """Mark the chosen pane, with brackets: no colour is needed to tell it."""
        text, at = Text(), 0
        self._places = []
        for number, (pane, words) in enumerate(self._panes, 1):
            label = f"[{number} {words}]" if pane == chosen else f" {number} {words} "
            text.append(label, Style(bold=True) if pane == chosen else Style())
            text.append(" ")
            self._places.append((at, at + len(label), pane))
            at += len(label) + 1
        self.show(text)

    def on_click(self, event: events.Click) -> None:
        """The pane whose tab is at that place."""
        offset = event.get_content_offset(self)
        for start, end, pane in self._places:
            if offset is not None and start <= offset.x < end:
                self.post_message(self.Chosen(pane))
