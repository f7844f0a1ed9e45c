"""A terminal for tests: a real pseudo-terminal with a process in it, keys to press, what is on its screen.

Draws what Textual writes: cursor moves, texts, erasures; looks (colours) are dropped. All bytes are kept.
"""

from __future__ import annotations

import contextlib
import fcntl
import os
import re
import signal
import struct
import subprocess
import termios
import threading
import time
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

from rich.cells import cell_len

KEYS = {
    "enter": "\r",
    "escape": "\x1b",
    "tab": "\t",
    "up": "\x1b[A",
    "down": "\x1b[B",
    "right": "\x1b[C",
    "left": "\x1b[D",
    "space": " ",
    "backspace": "\x7f",
    "ctrl+c": "\x03",
    "f12": "\x1b[24~",
}
SEQUENCE = re.compile(
    rb"\x1b\[([?>=!]?)([0-9;:]*)([ $]?)([@-~])"  # CSI
    rb"|\x1b\][^\x07\x1b]*(?:\x07|\x1b\\)|\x1bP[^\x1b]*\x1b\\"  # OSC, DCS
    rb"|\x1b[()][0-9A-B]|\x1b[=>78M]"
)


class Screen:
    """What stands where; grows by `feed`."""

    def __init__(self, columns: int, rows: int) -> None:
        self.columns, self.rows = columns, rows
        self.cells: list[list[str]] = []
        self.modes: dict[bytes, bool] = {}
        self._rest = b""
        self._main: tuple[list[list[str]], int, int] | None = None
        self.x = self.y = 0
        self.clear()

    def clear(self) -> None:
        self.cells = [[" "] * self.columns for _ in range(self.rows)]

    def resize(self, columns: int, rows: int) -> None:
        self.columns, self.rows = columns, rows
        self.clear()

    def text(self) -> str:
        return "\n".join("".join(row).rstrip() for row in self.cells)

    def feed(self, chunk: bytes) -> None:
        data = self._rest + chunk
        at = 0
        while at < len(data):
            if data[at] == 0x1B:
                found = SEQUENCE.match(data, at)
                if found is None:
                    if len(data) - at < 4096 and b"\x1b" not in data[at + 1 :]:
                        break  # the rest of it comes with the next chunk
                    at += 1
                    continue
                self._control(found)
                at = found.end()
                continue
            end = data.find(b"\x1b", at)
            end = len(data) if end < 0 else end
            piece = data[at:end]
            if end == len(data):
                piece = _whole_characters(piece)
                if not piece:
                    break
            self._write(piece.decode("utf-8", "replace"))
            at += len(piece)
        self._rest = data[at:]

    def _control(self, found: re.Match[bytes]) -> None:
        private, numbers, final = found.group(1), found.group(2) or b"", found.group(4)
        if final is None:
            return
        values = [int(number or 0) for number in re.split(rb"[;:]", numbers)] if numbers else [0]
        match final:
            case b"H":
                self.y = max(0, (values[0] or 1) - 1)
                self.x = max(0, ((values[1] if len(values) > 1 else 1) or 1) - 1)
            case b"A":
                self.y = max(0, self.y - (values[0] or 1))
            case b"B":
                self.y += values[0] or 1
            case b"C":
                self.x += values[0] or 1
            case b"D":
                self.x = max(0, self.x - (values[0] or 1))
            case b"J":
                self.clear()
            case b"K" if self.y < self.rows:
                self.cells[self.y][self.x :] = [" "] * (self.columns - self.x)
            case b"h" | b"l" if private == b"?":
                for number in numbers.split(b";"):
                    self.modes[number] = final == b"h"
                    if number == b"1049":
                        self._switch(final == b"h")

    def _switch(self, alternate: bool) -> None:
        """To the alternate screen, or back to what stood on the main one."""
        if alternate:
            self._main = [list(row) for row in self.cells], self.x, self.y
            self.clear()
        elif self._main is not None:
            (self.cells, self.x, self.y), self._main = self._main, None
            self.cells = [(row + [" "] * self.columns)[: self.columns] for row in self.cells]
            self.cells = (self.cells + [[" "] * self.columns] * self.rows)[: self.rows]

    def _scroll(self) -> None:
        while self.y >= self.rows:
            self.cells = [*self.cells[1:], [" "] * self.columns]
            self.y -= 1

    def _write(self, text: str) -> None:
        for char in text:
            if char == "\n":
                self.y += 1
                self.x = 0
                self._scroll()
            elif char == "\r":
                self.x = 0
            else:
                width = cell_len(char)
                if self.y < self.rows and self.x < self.columns:
                    if width == 0 and self.x:
                        self.cells[self.y][self.x - 1] += char
                    else:
                        self.cells[self.y][self.x] = char
                        if width == 2 and self.x + 1 < self.columns:
                            self.cells[self.y][self.x + 1] = ""
                self.x += width


def _whole_characters(piece: bytes) -> bytes:
    """Without the beginning of a character whose rest has not come."""
    for back in range(1, min(4, len(piece)) + 1):
        byte = piece[-back]
        if byte & 0xC0 == 0xC0:
            need = 2 if byte < 0xE0 else 3 if byte < 0xF0 else 4
            return piece if back >= need else piece[:-back]
        if byte < 0x80:
            break
    return piece


class Terminal:
    """A process in a pseudo-terminal of its own; a context manager that ends it if it has not ended."""

    def __init__(
        self,
        argv: Sequence[str],
        *,
        env: Mapping[str, str],
        cwd: Path,
        columns: int = 120,
        rows: int = 40,
        stdout: int | None = None,
    ) -> None:
        self.primary, secondary = os.openpty()
        self.before = termios.tcgetattr(secondary)
        self.screen = Screen(columns, rows)
        self.bytes = bytearray()
        self._secondary = secondary
        self._size(columns, rows)
        self.process = subprocess.Popen(
            list(argv),
            stdin=secondary,
            stdout=secondary if stdout is None else stdout,
            stderr=secondary,
            env={**env, "TERM": "xterm-256color", "COLORTERM": "truecolor"},
            cwd=cwd,
            start_new_session=True,
            preexec_fn=lambda: fcntl.ioctl(secondary, termios.TIOCSCTTY, 0),
        )
        self._changed = threading.Condition()
        self._reader = threading.Thread(target=self._read, daemon=True)
        self._reader.start()

    def __enter__(self) -> Terminal:
        return self

    def __exit__(self, *_: object) -> None:
        if self.process.poll() is None:
            os.killpg(self.process.pid, signal.SIGKILL)
            self.process.wait()
        self.hang_up()
        self._reader.join(5)

    def hang_up(self) -> None:
        """The terminal goes away."""
        for descriptor in (self._secondary, self.primary):
            with contextlib.suppress(OSError):
                os.close(descriptor)

    def _read(self) -> None:
        while True:
            try:
                chunk = os.read(self.primary, 65536)
            except OSError:
                chunk = b""
            with self._changed:
                self.bytes += chunk
                self.screen.feed(chunk)
                self._changed.notify_all()
            if not chunk:
                return

    def _size(self, columns: int, rows: int) -> None:
        fcntl.ioctl(self.primary, termios.TIOCSWINSZ, struct.pack("HHHH", rows, columns, 0, 0))

    def resize(self, columns: int, rows: int) -> None:
        with self._changed:
            self.screen.resize(columns, rows)
        self._size(columns, rows)
        os.killpg(self.process.pid, signal.SIGWINCH)

    def press(self, *keys: str) -> None:
        for key in keys:
            os.write(self.primary, KEYS.get(key, key).encode())
            # A person's pace: an escape with a key at its heels would be another key.
            time.sleep(0.25 if key == "escape" else 0.03)

    def text(self) -> str:
        with self._changed:
            return self.screen.text()

    def wait_for(self, wanted: str | Callable[[str], bool], timeout: float = 30.0) -> str:
        """The screen once it shows `wanted`; the last screen is in the failure."""
        deadline = time.monotonic() + timeout
        with self._changed:
            while True:
                shown = self.screen.text()
                if wanted in shown if isinstance(wanted, str) else wanted(shown):
                    return shown
                left = deadline - time.monotonic()
                if left <= 0 or (self.process.poll() is not None and not self._reader.is_alive()):
                    raise AssertionError(
                        f"not shown within {timeout:g} s: {wanted!r} (exit {self.process.poll()})\n{shown}"
                    )
                self._changed.wait(min(left, 0.25))

    def wait_gone(self, unwanted: str, timeout: float = 30.0) -> str:
        return self.wait_for(lambda shown: unwanted not in shown, timeout)

    def wait_exit(self, timeout: float = 30.0) -> int:
        return self.process.wait(timeout)

    def is_restored(self) -> bool:
        """The terminal is as it was: line mode and echo, the main screen, no mouse, a cursor."""
        now = termios.tcgetattr(self._secondary)
        modes = self.screen.modes
        quiet = all(
            not modes.get(mode, False) for mode in (b"1049", b"1000", b"1002", b"1003", b"1006", b"2004")
        )
        return now[:4] == self.before[:4] and quiet and modes.get(b"25", True)
