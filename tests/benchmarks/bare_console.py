"""The least app that looks like a console, four panes and a footer: the floor for the first frame."""

from __future__ import annotations

from typing import ClassVar

from textual.app import App, ComposeResult
from textual.binding import BindingType
from textual.containers import Horizontal, Vertical
from textual.widgets import Footer, Static


class BareConsole(App[None]):
    """Four static texts in two columns."""

    CSS = "Static { height: 1fr; border: round $panel; }"
    BINDINGS: ClassVar[list[BindingType]] = [("q", "quit", "quit"), ("p", "pause", "pause")]

    def compose(self) -> ComposeResult:
        with Horizontal():
            for column in ("left", "right"):
                with Vertical():
                    yield Static(f"{column} pane one")
                    yield Static(f"{column} pane two")
        yield Footer()


if __name__ == "__main__":
    BareConsole().run()
