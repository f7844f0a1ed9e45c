"""A line for a path: Tab completes, and what the path may mean is named below it."""

from __future__ import annotations

import asyncio
from collections.abc import Collection

from textual import work

from arena_tui.console.actions import bindings
from arena_tui.console.paths import SUFFIXES, candidates_for, completed
from arena_tui.console.widgets.line import Line
from arena_tui.console.widgets.plain import PlainStatic, safe_line

OFFERED = 6  # files that are named while a path is typed


class PathInput(Line):
    """Tab completes to a folder or a file with one of `suffixes`; Down goes to the list below."""

    BINDINGS = bindings("path")

    def __init__(
        self, value: str = "", *, placeholder: str = "", suffixes: Collection[str] = SUFFIXES
    ) -> None:
        super().__init__(value, placeholder=placeholder, compact=True)
        self._suffixes = tuple(suffixes)

    def action_complete(self) -> None:
        """As far as all files that fit agree."""
        self._complete()

    @work(exclusive=True, group="complete")
    async def _complete(self) -> None:
        typed = self.value
        found = await asyncio.to_thread(candidates_for, typed, self._suffixes)
        if self.value == typed:
            self.value = completed(typed, found)
            self.cursor_position = len(self.value)

    def action_to_list(self) -> None:
        """Leave the line downwards."""
        self.screen.focus_next()


class Offered(PlainStatic):
    """The folders and files that what is typed may become."""

    DEFAULT_CSS = "Offered { color: $text-muted; height: auto; max-height: 8; min-height: 1; }"

    def __init__(self, *, suffixes: Collection[str] = SUFFIXES, id: str | None = None) -> None:
        super().__init__("", id=id)
        self._suffixes = tuple(suffixes)

    @work(exclusive=True, group="offer")
    async def offer(self, typed: str) -> None:
        """Name the first of them."""
        found = await asyncio.to_thread(candidates_for, typed, self._suffixes)
        folder = typed.rpartition("/")[0]
        names = [safe_line(path[len(folder) :].removeprefix("/"), 80) for path in found if path != typed]
        lines = names[:OFFERED]
        if len(names) > OFFERED:
            lines.append(f"and {len(names) - OFFERED} more")
        self.show("\n".join(lines))
