"""An app of one screen: some questions for a person, and nothing else. For `arena audit RUN --by-hand`."""

from __future__ import annotations

from typing import ClassVar

from textual.binding import Binding, BindingType

from arena_tui.console.actions import bindings
from arena_tui.console.by_hand import Questions
from arena_tui.console.driver import TerminalDriver
from arena_tui.console.framed import FramedApp
from arena_tui.console.glyphs import ASCII, UNICODE
from arena_tui.console.preferences import Preferences
from arena_tui.console.screens.hand import HandScreen
from arena_tui.console.themes import OWN

_ACTIONS = ("back", "quit_console", "interrupt")


class HandApp(FramedApp[None]):
    """Asks the questions of `source` until all are answered and read, or the person leaves.

    `interrupted` tells that it was ctrl+c.
    """

    TITLE = "arena"
    BINDINGS: ClassVar[list[BindingType]] = [
        binding for binding in bindings("app") if isinstance(binding, Binding) and binding.action in _ACTIONS
    ]
    ENABLE_COMMAND_PALETTE = False

    def __init__(self, source: Questions, preferences: Preferences) -> None:
        super().__init__(driver_class=TerminalDriver)
        self.interrupted = False
        self._source = source
        self._glyphs = ASCII if preferences.ascii else UNICODE
        self.plain_ascii = preferences.ascii
        for theme in OWN:
            self.register_theme(theme)
        self.theme = preferences.theme
        self.set_keymap(dict(preferences.keys))

    async def on_mount(self) -> None:
        """The questions."""
        await self.push_screen(HandScreen(self._source, self._glyphs))

    async def action_back(self) -> None:
        """Leave; what was answered counts."""
        await self._leave()

    async def action_quit_console(self) -> None:
        """Leave; what was answered counts."""
        await self._leave()

    async def action_interrupt(self) -> None:
        """Leave, and say that it was ctrl+c."""
        self.interrupted = True
        await self._leave()

    async def hung_up(self) -> None:
        """The terminal has gone."""
        await self._leave()

    async def _leave(self) -> None:
        """The screen goes first: then it passes on the answer that it holds back."""
        if len(self.screen_stack) > 1:
            await self.pop_screen()
        self.exit()
