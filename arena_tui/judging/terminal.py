"""Puts the questions of a `HumanJudge` to the person at a plain terminal, one after the other.

Writes to stderr, since stdout is for results, and reads lines from stdin in a thread that can be woken,
so that a cancelled run does not wait for the return key.
"""

from __future__ import annotations

import asyncio
import os
import select
import sys
import termios
from collections.abc import Callable
from contextlib import suppress

from arena_tui.errors import JudgeError
from arena_tui.judging.human import Asked, HumanJudge
from arena_tui.judging.question_text import answer_of, question_lines, ways

NO_TERMINAL = (
    "judge: human needs a person at a terminal, and this run has none: start it in one, "
    "or let another kind of judge decide"
)
CLOSED = "the terminal was closed, so nobody can judge: resume the run in another one"
_LONGEST = 65_536  # bytes of an answer's line


def has_terminal() -> bool:
    """True when a person can be asked: stdin and stderr are a terminal."""
    return all(stream is not None and stream.isatty() for stream in (sys.stdin, sys.stderr))


class TerminalPrompt:
    """Implements `Prompt`. `fd` is a terminal to read from; `write` puts text on it."""

    def __init__(self, fd: int = 0, write: Callable[[str], None] | None = None) -> None:
        self._fd = fd
        self._write = write or _to_stderr

    async def run(self, judge: HumanJudge) -> None:
        """Ask until cancelled. Raises JudgeError when the terminal is closed."""
        changed = asyncio.Event()
        judge.changed = changed.set
        while True:
            changed.clear()
            waiting = judge.waiting()
            if waiting:
                await self._put(judge, waiting[0], len(waiting))
            else:
                await changed.wait()

    async def _put(self, judge: HumanJudge, asked: Asked, waiting: int) -> None:
        more = f", {waiting - 1} more waiting" if waiting > 1 else ""
        heading = f"match {asked.question.seq}{more}"
        told = question_lines(asked.question, heading, judge.task, judge.criteria)
        self._write("\n".join(told) + "\n")
        judge.shown(asked.key)
        # What was typed before the question was seen is no answer to it.
        with suppress(termios.error, OSError):
            termios.tcflush(self._fd, termios.TCIFLUSH)
        while True:
            self._write(f"Which is better: {ways(judge.draws)} (a reason may follow the word): ")
            word, _, reason = (await self._line()).strip().partition(" ")
            said = answer_of(word, judge.draws)
            if said is None:
                continue
            if not judge.answer(asked.key, said, reason.strip()):
                self._write("That match needs no answer any more.\n")
            return

    async def _line(self) -> str:
        """A line from the terminal. Raises JudgeError at its end."""
        wake, waker = os.pipe()
        try:
            reading = asyncio.get_running_loop().run_in_executor(None, self._read, wake)
            try:
                return await asyncio.shield(reading)
            except asyncio.CancelledError:
                os.write(waker, b".")
                with suppress(JudgeError):
                    await reading  # it ends at once, and then nobody uses the pipe any more
                raise
        finally:
            os.close(wake)
            os.close(waker)

    def _read(self, wake: int) -> str:
        """In a thread: bytes up to a line end; what came by then when woken."""
        line = b""
        while not line.endswith(b"\n"):
            ready, _, _ = select.select([self._fd, wake], [], [])
            if wake in ready:
                break
            try:
                read = os.read(self._fd, 4096)
            except OSError:
                read = b""
            if not read or len(line) > _LONGEST:
                raise JudgeError(CLOSED)
            line += read
        return line.partition(b"\n")[0].decode("utf-8", "replace")


def _to_stderr(text: str) -> None:
    sys.stderr.write(text)
    sys.stderr.flush()
