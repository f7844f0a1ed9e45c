"""Textual's driver for a terminal that may go away: then nothing is drawn any more, and the run can end.

As shipped, a write to a terminal that has closed ends the writing thread, and the next writes block the event
loop, with it the engine, for good.
"""

from __future__ import annotations

import termios
from typing import IO, Any, cast

from textual.drivers.linux_driver import LinuxDriver


class LastingFile:
    """Writes to `file` until it fails; from then on everything is dropped."""

    def __init__(self, file: IO[str]) -> None:
        self._file = file
        self.gone = False

    def write(self, text: str) -> None:
        """Write, or drop what nobody can see."""
        if not self.gone:
            try:
                self._file.write(text)
            except (OSError, ValueError):
                self.gone = True

    def flush(self) -> None:
        """Let go of what was written."""
        if not self.gone:
            try:
                self._file.flush()
            except (OSError, ValueError):
                self.gone = True

    def fileno(self) -> int:
        """The terminal's descriptor."""
        return self._file.fileno()


class TerminalDriver(LinuxDriver):
    """Goes on after bytes that are no text, and ends quietly when the terminal has closed; the app hears of
    that as of a SIGHUP."""

    def __init__(self, app: Any, **options: Any) -> None:
        self._stopped = False  # by SIGTSTP, in order
        super().__init__(app, **options)
        self._file = cast("Any", LastingFile(cast("IO[str]", self._file)))

    def _sigtstp_application(self, *_: Any) -> None:
        self._stopped = True
        super()._sigtstp_application()

    def _sigcont_application(self, *_: Any) -> None:
        """Take the terminal again.

        The kernel also sends SIGCONT when a terminal hangs up: then there is none. And after a SIGSTOP what
        was begun has to be ended first, or keys would have two readers.
        """
        if not self._stopped:
            try:
                termios.tcgetattr(self.fileno)
            except termios.error:
                return
            if self.attrs_before is None:
                return  # the console has not begun yet
            self.stop_application_mode()
            self.close()
        self._stopped = False
        super()._sigcont_application()

    def _run_input_thread(self) -> None:
        while not self.exit_event.is_set():
            try:
                self.run_input_thread()
            except UnicodeDecodeError:
                continue  # line noise, or a paste in another encoding: what came with it is dropped
            except OSError:
                hung_up = getattr(self._app, "hung_up", None)
                if hung_up is not None:
                    self._loop.call_soon_threadsafe(hung_up)
                return
