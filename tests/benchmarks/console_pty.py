"""A process in a pseudo-terminal, watched by the clock: when keys went in, when bytes came out, its CPU time.

Times are `time.monotonic_ns()`, which all processes of a machine share.
"""

from __future__ import annotations

import contextlib
import fcntl
import os
import signal
import struct
import subprocess
import sys
import termios
import threading
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

E2E = str(Path(__file__).parents[1] / "e2e")
if E2E not in sys.path:
    sys.path.append(E2E)

from pty_terminal import KEYS, Screen  # noqa: E402 - found by the line above

KEY = {**KEYS, "pagedown": "\x1b[6~", "pageup": "\x1b[5~"}

TICK = os.sysconf("SC_CLK_TCK")


@dataclass(frozen=True, slots=True)
class Spent:
    """Seconds from a process's start to some moment, by the wall clock and of CPU (all its threads)."""

    wall: float
    cpu: float


class Watched:
    """A process in a pseudo-terminal of its own; a context manager that kills it if it has not ended.

    With `draws` its screen is drawn (`wait_text`), which costs CPU time here; without, only bytes are kept.
    """

    def __init__(
        self,
        argv: Sequence[str],
        *,
        env: Mapping[str, str] = {},
        cwd: Path,
        columns: int = 120,
        rows: int = 40,
        draws: bool = True,
    ) -> None:
        self.primary, secondary = os.openpty()
        fcntl.ioctl(secondary, termios.TIOCSWINSZ, struct.pack("HHHH", rows, columns, 0, 0))
        self.bytes = bytearray()
        self._screen = Screen(columns, rows) if draws else None
        self._chunk_at = 0
        self._changed = threading.Condition()
        kept = {
            key: value for key, value in os.environ.items() if key not in ("NO_COLOR", "COLUMNS", "LINES")
        }
        self.started = time.monotonic_ns()
        self.process = subprocess.Popen(
            list(argv),
            stdin=secondary,
            stdout=secondary,
            stderr=secondary,
            env={**kept, "TERM": "xterm-256color", "COLORTERM": "truecolor", **env},
            cwd=cwd,
            start_new_session=True,
        )
        os.close(secondary)
        self._reader = threading.Thread(target=self._read, daemon=True)
        self._reader.start()

    def __enter__(self) -> Watched:
        return self

    def __exit__(self, *_: object) -> None:
        self.end()

    def end(self) -> float:
        """Kill it; the CPU seconds that it took from its start."""
        cpu = 0.0
        if self.process.returncode is None:
            with contextlib.suppress(ProcessLookupError):
                os.killpg(self.process.pid, signal.SIGKILL)
            _, status, usage = os.wait4(self.process.pid, 0)
            self.process.returncode = os.waitstatus_to_exitcode(status)
            cpu = usage.ru_utime + usage.ru_stime
        self._reader.join(5)
        with contextlib.suppress(OSError):
            os.close(self.primary)
        return cpu

    def _read(self) -> None:
        while True:
            try:
                chunk = os.read(self.primary, 65536)
            except OSError:
                chunk = b""
            at = time.monotonic_ns()
            with self._changed:
                self.bytes += chunk
                self._chunk_at = at
                if self._screen is not None:
                    self._screen.feed(chunk)
                self._changed.notify_all()
            if not chunk:
                return

    def press(self, key: str) -> int:
        """Write the bytes of a key; when that was."""
        at = time.monotonic_ns()
        os.write(self.primary, key.encode())
        return at

    def cpu(self) -> float:
        """CPU seconds so far, all threads, to a hundredth of a second."""
        fields = Path(f"/proc/{self.process.pid}/stat").read_text(encoding="ascii").rpartition(")")[2].split()
        return (int(fields[11]) + int(fields[12])) / TICK

    def wait_text(self, wanted: str | Callable[[str], bool], timeout: float = 60.0) -> int:
        """When the chunk came with which the screen showed `wanted`."""

        def shown() -> bool:
            assert self._screen is not None
            text = self._screen.text()
            return wanted in text if isinstance(wanted, str) else wanted(text)

        return self._wait(shown, timeout, wanted)

    def wait_bytes(self, wanted: bytes, since: int = 0, timeout: float = 60.0) -> int:
        """When the chunk came with which `wanted` stood behind byte number `since`."""
        return self._wait(lambda: self.bytes.find(wanted, since) >= 0, timeout, wanted)

    def _wait(self, shown: Callable[[], bool], timeout: float, wanted: object) -> int:
        deadline = time.monotonic() + timeout
        with self._changed:
            while not shown():
                left = deadline - time.monotonic()
                if left <= 0 or not self._reader.is_alive():
                    what = "" if self._screen is None else self._screen.text()
                    raise AssertionError(f"not shown within {timeout:g} s: {wanted!r}\n{what}")
                self._changed.wait(min(left, 0.25))
            return self._chunk_at


def spent_until(
    argv: Sequence[str], wanted: str | Callable[[str], bool], *, env: Mapping[str, str], cwd: Path
) -> Spent:
    """What it takes from the start of `argv` until the screen shows `wanted`; the process is killed there."""
    with Watched(argv, env=env, cwd=cwd) as watched:
        at = watched.wait_text(wanted)
        cpu = watched.end()
    return Spent((at - watched.started) / 1e9, cpu)
