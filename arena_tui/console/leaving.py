"""How the console is left: questions before a run is stopped, signals, a terminal that is gone, codes."""

from __future__ import annotations

import asyncio
import signal
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from arena_tui import exit_codes
from arena_tui.console.links import Links
from arena_tui.values import counted

if TYPE_CHECKING:
    from arena_tui.console.ports import Session
    from arena_tui.console.screens.run import RunScreen

LEFT = "paused and left at the console"
SIGNALS: Mapping[signal.Signals, tuple[str, int]] = {
    signal.SIGINT: ("interrupted", exit_codes.EXTERNAL),
    signal.SIGTERM: ("terminated by SIGTERM", exit_codes.SIGTERM),
    signal.SIGHUP: ("hung up: its terminal closed", exit_codes.SIGHUP),
}


class Leaving(Links):
    """The part of the app that ends. `driving` is the run that this process drives, or drove last."""

    def __init__(self, **options: Any) -> None:
        super().__init__(**options)
        self.driving: Session | None = None
        self._driven_screen: RunScreen | None = None
        self._live = False  # the driven run has not ended
        self._leaving = False
        self._code = exit_codes.OK

    def take_signals(self) -> None:
        """From now on a signal leaves in order."""
        loop = asyncio.get_running_loop()
        for number, (detail, code) in SIGNALS.items():
            loop.add_signal_handler(number, self.signalled, detail, code)

    def on_unmount(self) -> None:
        """Give the signals back."""
        loop = asyncio.get_running_loop()
        for number in SIGNALS:
            loop.remove_signal_handler(number)

    def action_help_quit(self) -> None:
        """Textual's answer to ctrl+c; ours is `interrupt`."""

    def action_interrupt(self) -> None:
        """Ctrl+c asks whether to abort; inside that question it means yes; without a run it quits."""
        from arena_tui.console.screens.dialogs import ChooseScreen, ConfirmScreen

        if isinstance(self.screen, ChooseScreen | ConfirmScreen):
            self.screen.take_default()
        elif self.screen.get_selected_text():
            self.screen.action_copy_text()
        elif self._live and self._driven_screen is not None:
            self._driven_screen.action_abort()
        else:
            self.action_quit_console()

    def action_quit_console(self) -> None:
        """Leave; a run that is active is paused first, and asked about."""
        if not self._live:
            self.exit(return_code=self._code)
            return
        from arena_tui.console.screens.dialogs import ChooseScreen

        calls = len(self.driving.state.in_flight) if self.driving is not None else 0
        if self._over() and not self._leaving:
            self._leaving = True  # it has just ended: what is still written takes a moment
            return
        if self._leaving:
            asked = ChooseScreen(
                "Still writing the overview" if self._over() else f"Still finishing {counted(calls, 'call')}",
                (("c", "cancel them and quit"), ("w", "wait")),
                "w",
                again=("q",),
            )
        else:
            asked = ChooseScreen(
                "The run is active",
                (("p", "pause and quit"), ("s", "stay")),
                "p",
                detail=f"{counted(calls, 'call')} in flight finish first. `arena resume` goes on later.",
                again=("q",),
            )
        self.push_screen(asked, self._quit_answered)

    def _quit_answered(self, answer: str | None) -> None:
        if answer in ("p", "c"):
            self._leave(LEFT, exit_codes.EXTERNAL)

    def _leave(self, detail: str, code: int) -> None:
        """Stop the run and exit once it has ended; asked again, calls in flight are cancelled."""
        if not self._live or self.driving is None:
            self.exit(return_code=self._code)
            return
        if self._over() and self._leaving:
            self.exit(return_code=exit_codes.OK)  # only a run that ended by itself has something left to do
            return
        self._leaving = True
        self.driving.abort(detail, code)
        if self._driven_screen is not None:
            self._driven_screen.pull()

    def _over(self) -> bool:
        """True when the driven run has ended, but for what is written at its end."""
        return self.driving is not None and self.driving.state.phase == "stopped"

    def signalled(self, detail: str, code: int) -> None:
        """A signal: as leaving, with its own exit code."""
        if self._live:
            self._leave(detail, code)
        else:
            self.exit(return_code=code)

    def hung_up(self) -> None:
        """The terminal has gone, with a signal or without one."""
        if not self._leaving:
            self.signalled(*SIGNALS[signal.SIGHUP])
