"""Widgets that cannot read markup: the only ones that may show a text of ours or, cleaned, of others.

Textual takes a bare `str` for markup, so that a candidate's brackets could style, link or crash. Every
text goes through `safe` (many lines) or `safe_line` (one line) and is shown as `Text` or by these classes.
"""

from __future__ import annotations

from typing import Any

from rich.text import Text
from textual.app import App
from textual.content import Content
from textual.notifications import SeverityLevel
from textual.widgets import Static

from arena_tui.safetext import clean, one_line

LINE_CELLS = 2_000  # a longer line costs Textual seconds, and nobody reads it
TURN_CHARACTERS = 64_000  # of one text on a screen; all of it is in exports
CUT = "[cut here: the whole text is in `arena export`]"


class PlainStatic(Static):
    """A `Static` for which brackets are brackets."""

    def __init__(self, text: str | Text = "", *, id: str | None = None, classes: str | None = None) -> None:
        super().__init__(as_content(text), id=id, classes=classes, markup=False)

    def show(self, text: str | Text, *, fits: bool = False) -> None:
        """Show another text; a `str` must be ours or have passed `safe`. One that `fits` changes no sizes,
        which spares the screen a layout."""
        self.update(as_content(text), layout=not fits)


def as_content(text: str | Text) -> Content:
    """What Textual shows, without a look for markup."""
    return Content.from_rich_text(text) if isinstance(text, Text) else Content(text)


def safe(text: str) -> str:
    """A text of many lines from outside, cleaned and kept to a size that a screen bears."""
    whole = clean(text[: TURN_CHARACTERS + 1])
    cut = len(text) > TURN_CHARACTERS
    lines = [line if len(line) <= LINE_CELLS else line[: LINE_CELLS - 1] + "…" for line in whole.split("\n")]
    return "\n".join([*lines, CUT] if cut else lines)


def safe_line(text: str, cells: int = LINE_CELLS) -> str:
    """A text from outside on one line of at most `cells` cells."""
    return one_line(text, cells)


def notify(app: App[Any], text: str, *, severity: SeverityLevel = "information") -> None:
    """A passing notice; the text may come from outside."""
    app.notify(safe_line(text, 500), severity=severity, markup=False)
