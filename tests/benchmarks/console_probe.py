"""`arena` with a clock in it, for benchmarks: `python console_probe.py FILE ARGV...` appends to FILE, a JSON
list a line, all times in `time.monotonic_ns()`:

["action", number, name, begun, done]  an action that a key led to; once what it changed has been painted the
                                       terminal gets `mark(number)`
["lag", ns, ...]                       how much later than asked the event loop came back, every 2 ms
["deltas", count, since]               pieces of text that were streamed so far
"""

from __future__ import annotations

import asyncio
import json
import sys
import time
from pathlib import Path
from typing import Any, TextIO

from textual.message_pump import MessagePump

import arena_tui.console.app as console_app
from arena_tui.cli import main
from arena_tui.providers import mock

PAUSE = 0.002  # seconds between two looks


def mark(number: int) -> bytes:
    """The sequence that no terminal knows, behind the frame that shows what action `number` did."""
    return b"\x1b]7777;%d\x07" % number


class Counted(mock.TextDelta):
    """Counts the pieces of text."""

    count = 0

    def __init__(self, text: str) -> None:
        super().__init__(text)
        Counted.count += 1


class ProbedApp(console_app.ArenaApp):
    """The app, which notes what it does."""

    CSS_PATH = Path(console_app.__file__).with_name("arena.tcss")  # else it is looked for beside this file
    notes: TextIO

    def on_mount(self) -> None:
        self._actions = 0
        self._began = time.monotonic_ns()
        self.run_worker(self._watch(), group="probe")

    def _note(self, *what: Any) -> None:
        self.notes.write(json.dumps(what) + "\n")

    async def _watch(self) -> None:
        lags: list[int] = []
        while True:
            asked = time.monotonic_ns()
            await asyncio.sleep(PAUSE)
            lags.append(time.monotonic_ns() - asked - int(PAUSE * 1e9))
            if len(lags) == 200:
                self._note("lag", *lags)
                self._note("deltas", Counted.count, self._began)
                self.notes.flush()
                lags = []

    async def _dispatch_action(self, namespace: Any, action_name: str, params: Any) -> bool:
        begun = time.monotonic_ns()
        handled = await super()._dispatch_action(namespace, action_name, params)
        if handled:
            self._actions += 1
            number = self._actions
            self._note("action", number, action_name, begun, time.monotonic_ns())
            self.notes.flush()
            pump = namespace if isinstance(namespace, MessagePump) else self.screen
            # By way of the widget and then of the screen: what the widget asked to be painted is painted.
            pump.call_after_refresh(lambda: self.screen.call_after_refresh(self._mark, number))
        return handled

    def _mark(self, number: int) -> None:
        if self._driver is not None:
            self._driver.write(mark(number).decode())


if __name__ == "__main__":
    with open(sys.argv[1], "a", encoding="utf-8") as ProbedApp.notes:
        mock.TextDelta = Counted  # type: ignore[misc]
        console_app.ArenaApp = ProbedApp  # type: ignore[misc]
        main(sys.argv[2:])
