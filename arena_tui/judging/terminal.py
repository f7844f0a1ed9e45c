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
from collections.abc import Callable, Iterator
from contextlib import suppress

from arena_tui.errors import JudgeError
from arena_tui.judging.human import Asked, HumanJudge
from arena_tui.safetext import clean
from arena_tui.vocabulary import Said

NO_TERMINAL = (
    "judge: human needs a person at a terminal, and this run has none: start it in one, "
    "or let another kind of judge decide"
)
CLOSED = "the terminal was closed, so nobody can judge: resume the run in another one"
_WORDS: dict[str, Said] = {
    "1": "first",
    "2": "second",
    "t": "draw",
    "tie": "draw",
    "draw": "draw",
    "s": "invalid",
    "skip": "invalid",
}
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
        self._write("\n".join(_told(judge, asked, waiting)) + "\n")
        ways = "1 or 2, t for a tie, s to skip" if judge.draws else "1 or 2, s to skip"
        # What was typed before the question was seen is no answer to it.
        with suppress(termios.error, OSError):
            termios.tcflush(self._fd, termios.TCIFLUSH)
        while True:
            self._write(f"Which is better: {ways}; a reason may follow: ")
            word, _, reason = (await self._line()).strip().partition(" ")
            said = _WORDS.get(word.lower())
            if said is None or (said == "draw" and not judge.draws):
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


def _told(judge: HumanJudge, asked: Asked, waiting: int) -> Iterator[str]:
    """The question as lines."""
    question = asked.question
    more = f", {waiting - 1} more waiting" if waiting > 1 else ""
    yield f"\n=== match {question.seq}{more} ==="
    yield clean(question.task or judge.task)
    criteria = judge.criteria if question.criteria is None else question.criteria
    for name, words in criteria.items():
        yield clean(f"- {name}" if words == name else f"- {name}: {words}")
    if question.prompt:
        yield f"--- prompt ---\n{clean(question.prompt)}"
    for number, candidate in enumerate((question.first, question.second), 1):
        yield f"--- text {number} ---\n{clean(candidate.text)}"
        if candidate.review:
            yield f"--- review of text {number} ---\n{clean(candidate.review)}"
    yield "---"


def _to_stderr(text: str) -> None:
    sys.stderr.write(text)
    sys.stderr.flush()
