"""Opening the console: whether this is a terminal for it, and what is printed once it is left.

Imports nothing heavy by itself, for the console's first frame waits for it.
"""

from __future__ import annotations

import os
import signal
import sys
from collections.abc import Callable
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from arena_tui import exit_codes
from arena_tui.errors import UsageError

if TYPE_CHECKING:
    from arena_tui.cockpit.installation import FileOptions
    from arena_tui.console.app import Opening
    from arena_tui.console.preferences import Preferences
    from arena_tui.engine.events import Event


@dataclass(frozen=True, slots=True)
class Display:
    """How the console looks, from the command line; what is not given there is the person's preference."""

    theme: str | None = None
    ascii: bool = False
    no_mouse: bool = False


@dataclass(frozen=True, slots=True)
class Output:
    """What is printed when the console was left, and where events go."""

    as_json: bool = False
    quiet: bool = False
    events: str | None = None


def has_console() -> bool:
    """True on a terminal that can show the console: it draws on stderr and reads keys from stdin."""
    return sys.stdin.isatty() and sys.stderr.isatty() and os.environ.get("TERM", "") not in ("", "dumb")


def require_console(what: str) -> None:
    """Raise UsageError where there is no terminal for the console."""
    if not has_console():
        raise UsageError(f"{what} needs a terminal: `arena show RUN` prints a run, `--no-ui` runs a file")


def preferences(display: Display = Display()) -> Preferences:
    """What the person prefers, and what the command line asks for. FileProblems names every mistake."""
    from arena_tui.console.preferences import FILE, read_preferences
    from arena_tui.store.place import data_folder

    return read_preferences(data_folder() / FILE).given(
        theme=display.theme, mouse=not display.no_mouse, ascii=display.ascii
    )


def open_console(
    opening: Opening,
    *,
    display: Display = Display(),
    output: Output = Output(),
    options: FileOptions | None = None,
    add: dict[str, float] | None = None,
) -> int:
    """Show the console until it is left; the process's exit code.

    Then the result of the run that was driven, if one was, goes to stdout and how it ended to stderr.
    """
    from arena_tui.cockpit.installation import FileOptions, Installation
    from arena_tui.console.app import ArenaApp
    from arena_tui.console.rubbish import seldom

    seldom()
    preferred = preferences(display)
    with ExitStack() as stack:
        listeners: list[Callable[[Event], None]] = []
        if output.events is not None:
            from arena_tui.report.plain import event_lines

            db = opening.db or (None if options is None or options.db is None else Path(options.db))
            listeners.append(stack.enter_context(event_lines(output.events, db)))
        arena = Installation(
            file=opening.file, options=options or FileOptions(), add=add or {}, listeners=listeners
        )
        app = ArenaApp(arena, opening, preferred)
        arena.told = app.told
        for name in ("COLUMNS", "LINES"):
            os.environ.pop(name, None)  # the window's real size counts
        stack.callback(arena.close)
        app.run(mouse=preferred.mouse)
        # A second ctrl+c that was meant for the console must not cut off what it leaves behind.
        signal.signal(signal.SIGINT, signal.SIG_IGN)
    code = exit_codes.OK if app.return_code is None else app.return_code
    if code == exit_codes.SIGHUP:
        return code  # nobody is there to read
    if arena.driven is not None and arena.driven.result is not None:
        from arena_tui.commands.run import print_end

        print_end(arena.driven.result, output.as_json, code, quiet=output.quiet, events=output.events)
    elif code == exit_codes.ERROR and not app.fault and arena.driven is not None:
        from arena_tui.store.folder import called

        app.fault = (
            "the console failed, which is a fault of ours; nothing that was paid for is lost: "
            f"arena resume {called(arena.driven.db)}"
        )
    if app.fault:
        from arena_tui.safetext import clean

        print(f"arena: {clean(app.fault)}", file=sys.stderr)
    return code
