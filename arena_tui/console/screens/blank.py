"""What is on the screen before the first one of ours: one word, so that the first frame costs nothing."""

from __future__ import annotations

from textual.app import ComposeResult
from textual.screen import Screen

from arena_tui.console.widgets.plain import PlainStatic


class BlankScreen(Screen[None]):
    """Lies below all other screens."""

    DEFAULT_CSS = (
        "BlankScreen { align: center middle; } BlankScreen PlainStatic { width: auto; color: $text-muted; }"
    )

    def compose(self) -> ComposeResult:
        """The word."""
        yield PlainStatic("arena")
