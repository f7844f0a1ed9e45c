"""A new run: type the path of a tournament file or take an example; what is wrong with it is told there."""

from __future__ import annotations

from textual import on, work
from textual.app import ComposeResult
from textual.containers import Vertical, VerticalScroll
from textual.screen import ModalScreen
from textual.widgets import Input

from arena_tui.console.actions import bindings
from arena_tui.console.ports import Arena, Setup
from arena_tui.console.widgets.path_line import Offered, PathInput
from arena_tui.console.widgets.plain import PlainStatic
from arena_tui.console.widgets.problems import Problems
from arena_tui.console.widgets.run_rows import ExampleRows
from arena_tui.errors import ArenaError


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
        & #offered { margin: 0 0 1 0; }
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
            yield PathInput(self._typed, placeholder="path of a tournament file (*.yaml)")
            yield Offered(id="offered")
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
        self.query_one(Offered).offer(self._typed)

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
        self.query_one(Offered).offer(event.value)

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
