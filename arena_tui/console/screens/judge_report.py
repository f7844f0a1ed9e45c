"""What is known about the judge of a run, as lines to read."""

from __future__ import annotations

from typing import ClassVar

from rich.text import Text
from textual import work
from textual.app import ComposeResult
from textual.containers import VerticalScroll
from textual.screen import Screen
from textual.widgets import Footer

from arena_tui.console.actions import bindings
from arena_tui.console.ports import Session
from arena_tui.console.widgets.pane import Pane
from arena_tui.console.widgets.plain import PlainStatic, safe
from arena_tui.errors import ArenaError


class JudgePane(Pane):
    """The report in its frame."""

    help_title: ClassVar[str] = "Judge report"
    help_text: ClassVar[str] = (
        "Whether the judge can be believed: how often the place of a text decided, whether it says the same "
        "with the texts turned round, what it left undecided, and what its calls took. The first line is "
        "the verdict on the judge. f5 reads it anew."
    )

    def compose(self) -> ComposeResult:
        """One text that scrolls."""
        with VerticalScroll():
            yield PlainStatic("reading what is known of the judge")

    def pull(self) -> None:
        """The report is read when the screen opens and on request."""


class JudgeReportScreen(Screen[None]):
    """The judge report of a session."""

    DEFAULT_CSS = """
    JudgeReportScreen {
        & JudgePane { height: 1fr; }
        & VerticalScroll { padding: 0 1; scrollbar-size-vertical: 1; }
        & VerticalScroll PlainStatic { height: auto; }
    }
    """
    BINDINGS = bindings("judge_report")
    AUTO_FOCUS = "VerticalScroll"

    def __init__(self, session: Session) -> None:
        super().__init__()
        self._session = session

    def compose(self) -> ComposeResult:
        """The pane."""
        yield JudgePane()
        yield Footer(show_command_palette=False)

    def on_mount(self) -> None:
        """Read the report."""
        self.query_one(JudgePane).titled("Judge report")
        self._read()

    def action_reload(self) -> None:
        """Read it anew."""
        self._read()

    @work(exclusive=True)
    async def _read(self) -> None:
        try:
            lines = list(await self._session.judge_words())
        except ArenaError as error:
            lines = [str(error)]
        told = Text()
        told.append(safe(lines[0]) if lines else "nothing is known yet", style="bold")
        if len(lines) > 1:
            told.append("\n\n" + safe("\n".join(lines[1:])))
        self.query_one("JudgePane PlainStatic", PlainStatic).show(told)
