"""Help: every key there is, by where it applies, and what the panes show; made from the registry."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from rich.text import Text
from textual import on
from textual.app import ComposeResult
from textual.containers import Vertical, VerticalScroll
from textual.screen import ModalScreen

from arena_tui.console.actions import ACTS, PLACES, bindings
from arena_tui.console.keys import keys_of
from arena_tui.console.widgets.pane import FilterLine
from arena_tui.console.widgets.plain import PlainStatic

HINT = "/ searches and shows ids; esc closes. `keys:` of console.yaml gives other keys by these ids"


class HelpScreen(ModalScreen[None]):
    """`places` come first: those of what was in focus. `texts` are (title, what it is) of the panes."""

    DEFAULT_CSS = """
    HelpScreen { align: center middle; background: $background 60%; }
    HelpScreen > Vertical {
        width: 100; max-width: 96%; height: 90%;
        border: $frame $primary; background: $surface; padding: 0 1;
    }
    HelpScreen VerticalScroll { height: 1fr; }
    HelpScreen .hint { color: $text-muted; }
    """
    BINDINGS = bindings("help")

    def __init__(
        self, places: Sequence[str], texts: Sequence[tuple[str, str]], keymap: Mapping[str, str]
    ) -> None:
        super().__init__()
        self._places = [*dict.fromkeys(places), *(place for place in PLACES if place not in places)]
        self._texts = tuple(texts)
        self._keymap = dict(keymap)

    def compose(self) -> ComposeResult:
        """What the panes show, then the keys."""
        with Vertical():
            with VerticalScroll():
                yield PlainStatic(id="help-text")
            yield PlainStatic(HINT, classes="hint")
            yield FilterLine("a key or a word")

    def on_mount(self) -> None:
        """Everything, at first."""
        self._show("")
        self.query_one(VerticalScroll).focus()

    @on(FilterLine.Typed)
    def _words_typed(self, event: FilterLine.Typed) -> None:
        self._show(event.words)

    @on(FilterLine.Closed)
    def _line_left(self) -> None:
        self.query_one(VerticalScroll).focus()

    def action_search(self) -> None:
        """Type words to look for."""
        self.query_one(FilterLine).open()

    def action_close(self) -> None:
        """Back to where you came from."""
        self.dismiss(None)

    def _show(self, words: str) -> None:
        self.query_one("#help-text", PlainStatic).show(self._text(words.casefold().split()))

    def _text(self, words: Sequence[str]) -> Text:
        text = Text()
        if not words:
            for heading, told in self._texts:
                text.append(f"{heading}\n", "bold")
                text.append(f"{told}\n\n")
        found = False
        for place in self._places:
            lines = list(self._lines(place, words))
            if lines:
                found = True
                text.append(f"{PLACES[place]}\n", "bold")
                text.append("\n".join(lines) + "\n\n")
        if not found:
            text.append("no key and no word of help fits that")
        return text

    def _lines(self, place: str, words: Sequence[str]) -> Iterator[str]:
        for act in ACTS:
            if act.place != place:
                continue
            keys = keys_of(act, self._keymap)
            line = f"  {keys:<16}{act.tooltip}"
            if all(word in f"{keys} {act.tooltip} {act.words} {act.id}".casefold() for word in words):
                yield f"{line}  ({act.id})" if words else line
