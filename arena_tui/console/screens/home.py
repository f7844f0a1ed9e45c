"""Home: all runs, read anew every two seconds, and the way to a new one.

The screen opens nothing itself: it says by messages what the person wants, and the app does it.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from pathlib import Path

from textual import on, work
from textual.app import ComposeResult
from textual.containers import Vertical
from textual.message import Message
from textual.screen import Screen
from textual.widgets import Footer

from arena_tui.amounts import usd
from arena_tui.console.actions import bindings
from arena_tui.console.glyphs import UNICODE, Glyphs
from arena_tui.console.ports import Arena, RunCard, Setup
from arena_tui.console.run_columns import name_of
from arena_tui.console.screens.dialogs import ConfirmScreen
from arena_tui.console.screens.new_run import NewRunScreen
from arena_tui.console.widgets.plain import PlainStatic, notify
from arena_tui.console.widgets.problems import Problems
from arena_tui.console.widgets.run_rows import ExampleRows, RunRows
from arena_tui.console.widgets.runs_pane import RunsPane, detail_lines
from arena_tui.errors import ArenaError
from arena_tui.values import counted

EVERY = 2.0  # seconds between two looks at the runs

WELCOME = (
    "No runs yet.\n\n"
    "arena lets texts compete: candidates meet in pairs, a judge says which is better, and a leaderboard "
    "shows which is best and how sure that is. Take an example to look around (Enter): those with a "
    "simulated judge need no key and cost nothing. n starts from a tournament file of your own.\n"
)


class HomeScreen(Screen[None]):
    """`now` is the time in seconds since the epoch."""

    DEFAULT_CSS = """
    HomeScreen {
        & #first { height: 1fr; padding: 1 2; display: none; }
        & #first PlainStatic { height: auto; max-width: 100; }
        & #detail { height: auto; min-height: 4; max-height: 5; padding: 0 1; color: $text-muted; }
        & RunsPane { height: 1fr; }
        &.-empty { & #first { display: block; } & RunsPane, & #detail { display: none; } }
    }
    """
    BINDINGS = bindings("home")
    AUTO_FOCUS = "RunRows"

    class RunOpened(Message):
        """Show the run at `db` as it stands; one that another process drives is followed."""

        def __init__(self, db: Path) -> None:
            self.db = db
            super().__init__()

    class ResumeWanted(Message):
        """Drive the run at `db` on from where it stands."""

        def __init__(self, db: Path) -> None:
            self.db = db
            super().__init__()

    class SetupReady(Message):
        """A tournament file was read: show what it would take."""

        def __init__(self, setup: Setup) -> None:
            self.setup = setup
            super().__init__()

    class CompareWanted(Message):
        """Show two runs side by side."""

        def __init__(self, one: Path, other: Path) -> None:
            self.one = one
            self.other = other
            super().__init__()

    def __init__(
        self, arena: Arena, glyphs: Glyphs = UNICODE, *, now: Callable[[], float] = time.time
    ) -> None:
        super().__init__()
        self._arena = arena
        self._rows = RunRows(glyphs, now=now)
        self._rows.empty = "reading the runs"
        self._reading = False
        self._known = False

    def compose(self) -> ComposeResult:
        """The list with what is known of the run under the cursor, or the first screen."""
        yield RunsPane(self._rows)
        yield PlainStatic("", id="detail")
        with Vertical(id="first"):
            yield PlainStatic(WELCOME)
            yield Problems()
            yield ExampleRows()
        yield Footer(show_command_palette=False)

    def on_mount(self) -> None:
        """Look, and look again every two seconds."""
        self.set_interval(EVERY, self.reload)
        self.reload()

    def on_screen_resume(self) -> None:
        """Back from a run: it has moved on."""
        self.reload()

    def reload(self) -> None:
        """Read the runs anew, unless that is going on or another screen is in front."""
        if self.is_current and not self._reading:
            self._reading = True
            self._read()

    @work(group="runs")
    async def _read(self) -> None:
        try:
            cards = await self._arena.runs()
            examples = self.query_one(ExampleRows)
            if not cards and not examples.count():
                examples.fill(await self._arena.examples())
        except ArenaError as error:
            notify(self.app, str(error), severity="error")
            return
        finally:
            self._reading = False
        self._show(cards)

    def _show(self, cards: Sequence[RunCard]) -> None:
        empty = not cards
        self._rows.cards = tuple(cards)
        if self._rows.marked not in {card.run for card in cards}:
            self._rows.marked = None
        self.query_one(RunsPane).pull()
        if not self._known or empty != self.has_class("-empty"):
            self.set_class(empty, "-empty")
            self.refresh_bindings()
            if self.focused is None or not self.focused.display or not self._known:
                (self.query_one(ExampleRows) if empty else self._rows).focus()
        self._known = True
        self._tell()

    @on(RunsPane.Reached)
    def _reached(self, event: RunsPane.Reached) -> None:
        event.stop()
        self._tell()

    def _tell(self) -> None:
        """What is known of the run under the cursor."""
        card = self._rows.current
        self.query_one("#detail", PlainStatic).show(
            "\n".join(detail_lines(card, max(20, self.size.width - 2), self._mark(card)))
        )

    def _mark(self, card: RunCard | None) -> str:
        """What is marked, told on each run: on the marked one c unmarks, on another it compares."""
        marked = self._rows.marked
        if marked is None or card is None:
            return ""
        if card.run == marked:
            return f"marked {marked}: c on another run compares them"
        return f"c compares it with {marked}"

    def on_resize(self) -> None:
        """Another width."""
        if self._known:
            self._tell()

    # --- what the person wants -------------------------------------------------------------------

    @on(RunsPane.Opened)
    def _opened(self, event: RunsPane.Opened) -> None:
        event.stop()
        self.post_message(self.RunOpened(event.card.db))

    @on(ExampleRows.Chosen)
    def _example(self, event: ExampleRows.Chosen) -> None:
        event.stop()
        self._set_up(str(event.file))

    @work(exclusive=True, group="setup")
    async def _set_up(self, file: str) -> None:
        try:
            setup = await self._arena.setup(file)
        except ArenaError as error:
            self.query_one("#first Problems", Problems).tell_error(error)
            return
        self.post_message(self.SetupReady(setup))

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        """What needs a run is not there without one."""
        return bool(self._rows.cards) or action not in ("resume", "compare", "delete", "filter")

    def action_new_run(self) -> None:
        """Ask for a tournament file."""

        def read(setup: Setup | None) -> None:
            if setup is not None:
                self.post_message(self.SetupReady(setup))

        self.app.push_screen(NewRunScreen(self._arena), read)

    def action_resume(self) -> None:
        """Go on with the run under the cursor."""
        card = self._rows.current
        if card is None:
            return
        if card.status in ("running", "paused"):
            notify(self.app, f"{name_of(card)} is driven by another process; Enter watches it")
        else:
            self.post_message(self.ResumeWanted(card.db))

    def action_compare(self) -> None:
        """Mark the run; on a second one: compare the two."""
        card = self._rows.current
        if card is None:
            return
        marked = next((each for each in self._rows.cards if each.run == self._rows.marked), None)
        if marked is None:
            self._rows.marked = card.run
        else:
            self._rows.marked = None
            if marked.run != card.run:
                self.post_message(self.CompareWanted(marked.db, card.db))
        self.query_one(RunsPane).pull()
        self._tell()

    def action_delete(self) -> None:
        """Delete the run under the cursor, after a question."""
        card = self._rows.current
        if card is None:
            return
        cost = f", {usd(card.usd)} USD" if card.usd else ""
        detail = f"{card.run}\n{counted(card.matches, 'match', 'matches')}{cost}\n{card.db}"

        def delete(yes: bool | None) -> None:
            if yes:
                self._delete(card)

        question = f"Delete {name_of(card)} for good?"
        self.app.push_screen(ConfirmScreen(question, detail, yes="Delete", no="Keep it"), delete)

    @work(group="delete")
    async def _delete(self, card: RunCard) -> None:
        try:
            await self._arena.delete(card.db)
        except ArenaError as error:
            notify(self.app, str(error), severity="error")
        else:
            notify(self.app, f"deleted {name_of(card)}")
        self.reload()

    def action_filter(self) -> None:
        """Open the filter line."""
        if not self.has_class("-empty"):
            self.query_one(RunsPane).action_filter()
