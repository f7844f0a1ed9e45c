"""An app that shows one screen and remembers what it asks for."""

from __future__ import annotations

from textual import on
from textual.message import Message
from textual.screen import Screen

from arena_tui.console.framed import FramedApp
from arena_tui.console.messages import Copied, EntrantActed, EntrantOpened, MatchOpened
from arena_tui.console.screens.history import HistoryScreen


class ScreenApp(FramedApp[None]):
    """`said` are the messages in the order in which they came."""

    def __init__(self, shown: Screen[None]) -> None:
        super().__init__()
        self.shown = shown
        self.said: list[Message] = []

    async def on_mount(self) -> None:
        await self.push_screen(self.shown)

    @on(EntrantActed)
    @on(EntrantOpened)
    @on(MatchOpened)
    @on(Copied)
    @on(Copied)
    @on(HistoryScreen.MomentChosen)
    def _hear(self, event: Message) -> None:
        self.said.append(event)

    @property
    def noticed(self) -> list[str]:
        """The texts of the notices on the screen."""
        return [each.message for each in self._notifications]
