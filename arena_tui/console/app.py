"""The app: which screen comes first, the run that is driven here, how the console is left.

The engine runs as a worker in this app's own event loop. One run at a time is driven; others are followed.
Screens are imported where they are pushed, for the first frame waits for what is imported here.
"""

from __future__ import annotations

import threading
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar

from textual.binding import BindingType
from textual.command import CommandPalette
from textual.events import Resize
from textual.geometry import Size
from textual.screen import Screen

from arena_tui.console.actions import bindings
from arena_tui.console.commands import ArenaCommands
from arena_tui.console.driver import TerminalDriver
from arena_tui.console.glyphs import ASCII, UNICODE
from arena_tui.console.leaving import Leaving
from arena_tui.console.preferences import Preferences, themes
from arena_tui.console.screens.blank import BlankScreen
from arena_tui.console.themes import OWN
from arena_tui.console.widgets.plain import notify
from arena_tui.errors import ArenaError, RefusedAction

if TYPE_CHECKING:
    from arena_tui.console.ports import Arena, Session, Setup
    from arena_tui.console.screens.home import HomeScreen
    from arena_tui.console.screens.ready import ReadyScreen
    from arena_tui.console.screens.run import RunScreen

LEAST = Size(60, 16)


@dataclass(frozen=True, slots=True)
class Opening:
    """What the console opens first: a tournament file, a run to drive (`resume`) or to look at, or Home."""

    file: str | None = None
    db: Path | None = None
    resume: bool = False


def too_small(size: Size) -> bool:
    """True for a window that shows one line instead of the console."""
    return size.width < LEAST.width or size.height < LEAST.height


class ArenaApp(Leaving):
    """`arena` is the installation. After it has ended `return_code` is the process's exit code and `fault`
    what could not be done, if anything."""

    TITLE = "arena"
    CSS_PATH = "arena.tcss"
    COMMANDS = {ArenaCommands}  # noqa: RUF012 - Textual's own way
    BINDINGS: ClassVar[list[BindingType]] = bindings("app")
    HORIZONTAL_BREAKPOINTS = [  # noqa: RUF012
        (0, "-cramped"),
        (LEAST.width, "-narrow"),
        (100, "-normal"),
        (160, "-wide"),
    ]
    VERTICAL_BREAKPOINTS = [(0, "-short"), (LEAST.height, "-tall")]  # noqa: RUF012
    ENABLE_COMMAND_PALETTE = True
    NOTIFICATION_TIMEOUT = 3.0

    def __init__(self, arena: Arena, opening: Opening, preferences: Preferences) -> None:
        super().__init__(driver_class=TerminalDriver)
        self.arena = arena
        self.opening = opening
        self.glyphs = ASCII if preferences.ascii else UNICODE
        self.plain_ascii = preferences.ascii
        self.fault = ""
        for theme in OWN:
            self.register_theme(theme)
        self.theme = preferences.theme
        self.set_keymap(dict(preferences.keys))
        self.keymap_words = preferences.keys

    # --- opening -------------------------------------------------------------------------------

    def get_default_screen(self) -> Screen[Any]:
        """What lies below all screens: nothing but a word while the first one is made."""
        return BlankScreen()

    def on_mount(self) -> None:
        """Take the signals; then open what was asked for, after the first frame."""
        self.take_signals()
        self.call_after_refresh(self._open_first)

    def _open_first(self) -> None:
        self.run_worker(self._open(self.opening), group="open")

    async def _open(self, opening: Opening) -> None:
        try:
            if opening.file is not None:
                self._show_ready(await self.arena.setup(opening.file))
            elif opening.db is not None:
                if opening.resume:
                    await self.resume(opening.db)
                else:
                    await self.look_at(opening.db)
            else:
                await self.go_home()
        except ArenaError as error:
            self._fail(error)

    def _fail(self, error: ArenaError) -> None:
        """What was asked for on the command line cannot be done: leave, and say why."""
        self.fault = str(error)
        self.exit(return_code=error.exit_code)

    # --- runs ----------------------------------------------------------------------------------

    def _show_ready(self, setup: Setup) -> None:
        from arena_tui.console.screens.ready import ReadyScreen

        self.push_screen(ReadyScreen(self.arena, setup, glyphs=self.glyphs))

    def on_ready_screen_start_wanted(self, event: ReadyScreen.StartWanted) -> None:
        """Make the run, or go on with it, and drive it."""
        self.run_worker(self._start(event.setup, event.limits, event.fresh), group="open", exclusive=True)

    async def _start(self, setup: Setup, limits: Mapping[str, str], fresh: bool) -> None:
        from arena_tui.console.screens.ready import ReadyScreen

        try:
            self._refuse_second()
            session = await self.arena.begin(setup, limits, fresh=fresh and setup.unfinished is not None)
        except ArenaError as error:
            if isinstance(self.screen, ReadyScreen):
                self.screen.refused(str(error))
            return
        if isinstance(self.screen, ReadyScreen):
            self.pop_screen()
        self._drive(session)

    async def resume(self, db: Path) -> None:
        """Go on with a run here."""
        try:
            self._refuse_second()
            session = await self.arena.open(db, resume=True)
        except ArenaError as error:
            if len(self.screen_stack) == 1:
                raise
            notify(self, str(error), severity="error")
            return
        self._drive(session)

    def _refuse_second(self) -> None:
        if self._live and self.driving is not None:
            raise RefusedAction(f"this console drives {self.driving.run}: stop that run first")

    async def look_at(self, db: Path) -> None:
        """Open a run: its own screen when it is driven here, else one that follows it."""
        from arena_tui.console.screens.run import RunScreen

        known = self._driven_screen
        if known is not None and known.view.session.db == db:
            self._bring_up(known)
            return
        session = await self.arena.open(db)
        screen = RunScreen(session, self.glyphs)
        await self.push_screen(screen)
        screen.run_worker(self._followed(session, screen), group="live")

    async def _followed(self, session: Session, screen: RunScreen) -> None:
        await screen.facts_read.wait()  # a long journal and all else at once would both be slow
        try:
            await session.live()
        except ArenaError as error:
            notify(self, str(error), severity="error")

    def _drive(self, session: Session) -> None:
        from arena_tui.console.screens.run import RunScreen

        self.driving, self._live = session, True
        showing = next(
            (
                each
                for each in self.screen_stack
                if isinstance(each, RunScreen) and each.view.session.db == session.db
            ),
            None,
        )
        known = self._driven_screen
        if showing is not None:
            showing.workers.cancel_group(showing, "live")
            showing.go_on_with(session)
            screen = showing
        else:
            screen = RunScreen(session, self.glyphs)
        if known is not screen:
            if known is not None and known not in self.screen_stack:
                self.uninstall_screen(known)
            self._driven_screen = screen
            if not self.is_screen_installed(screen):
                self.install_screen(screen, f"run-{session.db}")
        self._bring_up(screen)
        self.run_worker(self._driven(session), group="drive")

    def _bring_up(self, screen: RunScreen) -> None:
        if screen in self.screen_stack:
            while self.screen is not screen:
                self.pop_screen()
        else:
            self.push_screen(screen)

    async def _driven(self, session: Session) -> None:
        try:
            self._code = (await session.live()).exit_code
        except ArenaError as error:
            self._code = error.exit_code
            self.fault = str(error)
            notify(self, str(error), severity="error")
        else:
            self.fault = ""
        self._live = False
        if self._leaving:
            self.exit(return_code=self._code)

    # --- Home ----------------------------------------------------------------------------------

    async def go_home(self) -> None:
        """All runs; a run that is driven here goes on."""
        from arena_tui.console.screens.home import HomeScreen

        for screen in self.screen_stack:
            if isinstance(screen, HomeScreen):
                while self.screen is not screen:
                    self.pop_screen()
                return
        await self.push_screen(HomeScreen(self.arena, self.glyphs))

    def on_home_screen_run_opened(self, event: HomeScreen.RunOpened) -> None:
        """Look at a run."""
        self.run_worker(self._asked(self.look_at(event.db)), group="open", exclusive=True)

    def on_home_screen_resume_wanted(self, event: HomeScreen.ResumeWanted) -> None:
        """Go on with a run."""
        self.run_worker(self._asked(self.resume(event.db)), group="open", exclusive=True)

    def on_home_screen_setup_ready(self, event: HomeScreen.SetupReady) -> None:
        """A tournament file was read: show what it would take."""
        self._show_ready(event.setup)

    def on_home_screen_compare_wanted(self, event: HomeScreen.CompareWanted) -> None:
        """Two runs side by side."""
        from arena_tui.console.screens.compare import CompareScreen

        self.push_screen(CompareScreen(self.arena, event.one, event.other))

    async def _asked(self, doing: Any) -> None:
        try:
            await doing
        except ArenaError as error:
            notify(self, str(error), severity="error")

    # --- keys ----------------------------------------------------------------------------------

    def on_resize(self, event: Resize) -> None:
        """A palette in a window too small for the console could not be drawn."""
        if too_small(event.size) and isinstance(self.screen, CommandPalette):
            self.pop_screen()

    def action_command_palette(self) -> None:
        """The palette, where there is room for it."""
        if not too_small(self.size):
            super().action_command_palette()

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        """Esc is offered where there is something to go back to."""
        if action == "back":
            deeper = len(self.screen_stack) > 2
            return deeper or getattr(self.screen, "can_go_back", False)
        return super().check_action(action, parameters)

    async def action_back(self) -> None:
        """One step back; at the first screen nothing happens."""
        from arena_tui.console.screens.run import RunScreen

        screen = self.screen
        if isinstance(screen, RunScreen) and screen.back():
            return
        if len(self.screen_stack) > 2:
            self.pop_screen()

    def action_help(self) -> None:
        """All keys, those that apply here first."""
        from arena_tui.console.screens.help import HelpScreen
        from arena_tui.console.screens.run import RunScreen

        screen = self.screen
        texts = screen.help_texts() if isinstance(screen, RunScreen) else ()
        self.push_screen(HelpScreen(self._places(), list(texts), self.keymap_words))

    def _places(self) -> list[str]:
        """The places whose keys apply now, the nearest first."""
        places = []
        for _, binding, _, _ in self.screen.active_bindings.values():
            if binding.id:
                places.append(binding.id.partition(".")[0])
        return list(dict.fromkeys(places))

    def action_next_theme(self) -> None:
        """The next theme there is."""
        names = themes()
        self.theme = names[(names.index(self.theme) + 1) % len(names)]
        notify(self, f"theme {self.theme}")

    def action_shoot(self) -> None:
        """A picture of the screen, as SVG in the folder arena was started in."""
        try:
            path = self.save_screenshot(path=".")
        except OSError as error:
            notify(self, f"the picture could not be saved ({error.strerror})", severity="error")
        else:
            notify(self, f"picture saved as {path}")

    def told(self, text: str) -> None:
        """Something that stops nothing, said in passing; may be called from any thread."""
        if self._thread_id == threading.get_ident():
            notify(self, text)
        else:
            self.call_from_thread(notify, self, text)
