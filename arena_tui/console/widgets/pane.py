"""What the four panes of a run share: a frame with a title, a filter line, a pull and a help text."""

from __future__ import annotations

from typing import ClassVar

from textual import on
from textual.containers import Vertical
from textual.content import Content
from textual.events import Key
from textual.message import Message
from textual.widgets import Input

from arena_tui.console.widgets.line import Line
from arena_tui.console.widgets.plain import safe_line


class FilterLine(Line):
    """The line that `/` opens: Enter keeps what was typed, Esc takes it back and closes."""

    DEFAULT_CSS = """
    FilterLine { dock: bottom; height: 1; border: none; padding: 0 1; display: none; background: $surface; }
    FilterLine.open { display: block; }
    FilterLine:focus { border: none; background: $boost; }
    """

    class Typed(Message):
        """The words to filter by have changed; empty: show everything."""

        def __init__(self, line: FilterLine, words: str) -> None:
            self.line = line
            self.words = words
            super().__init__()

        @property
        def control(self) -> FilterLine:
            """The filter line."""
            return self.line

    class Closed(Message):
        """The line was left; the pane takes the focus back."""

    def __init__(self, placeholder: str = "words to look for") -> None:
        super().__init__(placeholder=placeholder, compact=True)

    def open(self) -> None:
        """Show the line and type into it."""
        self.add_class("open")
        self.screen.set_focus(self)  # at once: what is typed ahead belongs here

    @on(Input.Changed)
    def _typed(self, event: Input.Changed) -> None:
        event.stop()
        self.post_message(self.Typed(self, event.value.strip()))

    @on(Input.Submitted)
    def _kept(self, event: Input.Submitted) -> None:
        event.stop()
        self._leave()

    def on_key(self, event: Key) -> None:
        """Esc takes the filter back."""
        if event.key == "escape":
            event.stop()
            event.prevent_default()
            self.value = ""
            self._leave()

    def _leave(self) -> None:
        self.set_class(bool(self.value), "open")
        self.post_message(self.Closed())


class Pane(Vertical):
    """A framed part of a run's screen. `pull` looks at the facts and draws what changed."""

    DEFAULT_CSS = """
    Pane {
        border: $frame $panel;
        border-title-color: $text-muted;
        border-subtitle-color: $text-muted;
        padding: 0;
        &:focus-within { border: $frame $primary; border-title-color: $text; border-title-style: bold; }
    }
    """

    _words: tuple[str, str] | None = None

    help_title: ClassVar[str] = ""
    """What the help screen calls the pane."""
    help_text: ClassVar[str] = ""
    """What it says of it."""

    def pull(self) -> None:
        """Look again and draw what changed; cheap when nothing did."""
        raise NotImplementedError

    def titled(self, text: str, subtitle: str = "") -> None:
        """The words in the frame; they may come from outside."""
        if (text, subtitle) == self._words:
            return  # a frame that is set again is drawn again, with all that it holds
        self._words = text, subtitle
        self.border_title = Content(safe_line(text, 120))
        self.border_subtitle = Content(safe_line(subtitle, 120))
