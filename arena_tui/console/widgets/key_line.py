"""The footer of a run's screen: the keys that apply, made anew only when others do.

As shipped, a footer mounts all its keys again for every sign that bindings may have changed: five times when
another pane gets the focus.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Mapping
from typing import Any

from textual.app import ComposeResult
from textual.screen import Screen
from textual.widgets import Footer
from textual.widgets._footer import FooterKey


class KeyLine(Footer):
    """Looks once for all signs that come before a frame, and does nothing when the same keys apply.

    `words` gives what a key does now, by its action, where that is not what its binding says.
    """

    def __init__(self, words: Callable[[], Mapping[str, str]] = dict) -> None:
        super().__init__(show_command_palette=False)
        self._words = words
        self._due = False
        self._offered: Hashable = None

    def compose(self) -> ComposeResult:
        """The keys, with what they do now."""
        words = self._words()
        for shown in super().compose():
            if isinstance(shown, FooterKey):
                shown.description = words.get(shown.action, shown.description)
            yield shown

    def bindings_changed(self, screen: Screen[Any]) -> None:
        """Bindings may have changed: look after this frame."""
        self._bindings_ready = True
        if not self._due and screen.app.app_focus and self.is_attached and screen is self.screen:
            self._due = True
            self.call_after_refresh(self._look)

    async def _look(self) -> None:
        self._due = False
        if not self.is_attached:
            return  # the screen was left meanwhile
        active = self.screen.active_bindings.values()
        keys = tuple((each.binding, each.enabled) for each in active if each.binding.show)
        offered = keys, tuple(self._words().items())
        if offered != self._offered:
            self._offered = offered
            await self.recompose()
