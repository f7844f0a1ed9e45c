"""A new run: type the path of a tournament file or take an example; what is wrong with it is told there."""

from __future__ import annotations

import asyncio

from textual import on, work
from textual.app import ComposeResult
from textual.containers import Vertical, VerticalScroll
from textual.screen import ModalScreen
from textual.widgets import Input

from arena_tui.console.actions import bindings
from arena_tui.console.paths import candidates_for, completed
from arena_tui.console.ports import Arena, Setup
from arena_tui.console.widgets.plain import PlainStatic, safe_line
from arena_tui.console.widgets.problems import Problems
from arena_tui.console.widgets.run_rows import ExampleRows
from arena_tui.errors import ArenaError

OFFERED = 6  # files that are named while a path is typed


class PathInput(Input):
    """A line for a path: Tab completes, Down goes to the list."""

    BINDINGS = bindings("path")

    def action_complete(self) -> None:
        """As far as all files that fit agree."""
        self._complete()

    @work(exclusive=True, group="complete")
    async def _complete(self) -> None:
        typed = self.value
        found = await asyncio.to_thread(candidates_for, typed)
        if self.value == typed:
            self.value = completed(typed, found)
            self.cursor_position = len(self.value)

    def action_to_list(self) -> None:
        """Leave the line downwards."""
        self.screen.focus_next()


class NewRunScreen(ModalScreen[Setup | None]):
    """The result is the file that was read, None after Esc."""

    DEFAULT_CSS = """
    NewRunScreen {
        align: center middle;
        background: $background 60%;
        & > Vertical {
            width: 90; max-width: 96%; height: auto; max-height: 94%;
            border: $frame $primary; background: $surface; padding: 0 1;
        }
        & .question { text-style: bold; }
        & PathInput { border: none; height: 1; padding: 0 1; background: $boost; margin: 0 0 0 0; }
        & PathInput:focus { border: none; background: $primary-muted; }
        & #offered { color: $text-muted; height: auto; max-height: 8; min-height: 1; margin: 0 0 1 0; }
        & #wrong { height: auto; max-height: 12; }
        & .hint { color: $text-muted; height: auto; margin: 1 0 0 0; }
    }
    """
    BINDINGS = bindings("dialog")

    def __init__(self, arena: Arena, *, typed: str = "") -> None:
        super().__init__()
        self._arena = arena
        self._typed = typed

    def compose(self) -> ComposeResult:
        """The line, what it may mean, what is wrong with it, the examples."""
        with Vertical():
            yield PlainStatic("A new run from a tournament file", classes="question")
            yield PathInput(self._typed, placeholder="path of a tournament file (*.yaml)", compact=True)
            yield PlainStatic("", id="offered")
            with VerticalScroll(id="wrong", can_focus=False):
                yield Problems()
            yield ExampleRows()
            yield PlainStatic(
                "Enter reads it, Tab completes, Down goes to the examples, Esc leaves", classes="hint"
            )

    def on_mount(self) -> None:
        """Ask for the examples and for the files at hand."""
        self.query_one(PathInput).focus()
        self._fill()
        self._offer(self._typed)

    @work(group="examples")
    async def _fill(self) -> None:
        try:
            examples = await self._arena.examples()
        except ArenaError as error:
            self.query_one(Problems).tell_error(error)
            return
        self.query_one(ExampleRows).fill(examples)

    @on(Input.Changed)
    def _changed(self, event: Input.Changed) -> None:
        event.stop()
        self.query_one(Problems).clear()
        self._offer(event.value)

    @work(exclusive=True, group="offer")
    async def _offer(self, typed: str) -> None:
        found = await asyncio.to_thread(candidates_for, typed)
        folder = typed.rpartition("/")[0]
        names = [safe_line(path[len(folder) :].removeprefix("/"), 80) for path in found if path != typed]
        lines = names[:OFFERED]
        if len(names) > OFFERED:
            lines.append(f"and {len(names) - OFFERED} more")
        self.query_one("#offered", PlainStatic).show("\n".join(lines))

    @on(Input.Submitted)
    def _submitted(self, event: Input.Submitted) -> None:
        event.stop()
        if event.value.strip():
            self._read(event.value.strip())

    @on(ExampleRows.Chosen)
    def _example(self, event: ExampleRows.Chosen) -> None:
        event.stop()
        self._read(str(event.file))

    @work(exclusive=True, group="read")
    async def _read(self, file: str) -> None:
        try:
            setup = await self._arena.setup(file)
        except ArenaError as error:
            self.query_one(Problems).tell_error(error)
            return
        if self.is_current:
            self.dismiss(setup)

    def action_cancel(self) -> None:
        """No new run."""
        if self.is_current:
            self.dismiss(None)
