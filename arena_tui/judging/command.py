"""A judge that is any program: one JSON object on its stdin, one on its stdout, a process a comparison.

In: `{"task", "prompt", "criteria", "first": {"id", "text"}, "second": {"id", "text"}}`; the ids are
`first` and `second` unless `show_ids`. Out: `{"winner": "first" | "second" | "draw", "p_first"?,
"reason"?}`. The program starts in the tournament file's folder, in a session of its own, so that it
dies with all its children when it takes too long or the comparison is cancelled.
"""

from __future__ import annotations

import asyncio
import json
import os
import signal
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from arena_tui.errors import JudgeError, UsageError
from arena_tui.judging.base import Desk, Question, Reply, Verdict
from arena_tui.judging.command_key import CommandKey
from arena_tui.judging.one_call import OneCall
from arena_tui.judging.strict_json import optional_probability, optional_text, strict_object
from arena_tui.programs import fault_of
from arena_tui.values import shown
from arena_tui.vocabulary import Said

if TYPE_CHECKING:
    from arena_tui import settings
    from arena_tui.providers.reply_cache import ReplyCache

OUTPUT_LIMIT = 1_000_000  # bytes of stdout; a verdict is a few hundred
_STDERR_KEPT = 4096  # bytes at its end, for the last line
_LAST_LINE_SHOWN = 200  # characters
_LINGER = 0.5  # seconds that children which hold the pipes open may outlive the program itself
_REAP = 5.0  # seconds to wait for the end of a process that was killed
_SAID: Mapping[str, Said] = {"first": "first", "second": "second", "draw": "draw"}


class CommandJudge(OneCall):
    """Implements `Judge` with the program `settings.command`, an argument list started in `folder`.

    Raises `JudgeError` at construction when there is no such program; one that cannot be started
    later, fails, is too slow or prints no verdict gives an invalid verdict that says so. With a `cache`,
    which is for programs that are `pure`, a verdict that was printed for the very same input, also in an
    earlier run, serves again without a process.
    """

    keeps_replies = True

    def __init__(
        self,
        settings: settings.CommandJudge,
        task: str,
        criteria: Mapping[str, str],
        folder: Path,
        cache: ReplyCache | None = None,
    ) -> None:
        self._argv = settings.command
        self._show_ids = settings.show_ids
        self._timeout = settings.timeout
        self._draws = settings.draws
        self._task = task
        self._criteria = dict(criteria)
        self._folder = folder
        self.label = f"command: {Path(self._argv[0]).name}"
        fault = fault_of(self._argv, folder)
        if fault is not None:
            raise JudgeError(f"judge.command: {fault[0]}" + (f" ({fault[1]})" if fault[1] else ""))
        self._cache = cache
        self._key = CommandKey(self._argv, folder)

    async def open(self) -> None:
        """Make sure that the cache can be used. Raises UsageError when it cannot."""
        if self._cache is not None:
            await self._cache.open()

    async def ask(self, question: Question, desk: Desk) -> None:
        """Lay down what the program printed; `failure` when it ended badly, late or not at all."""
        if self._cache is None:
            desk.keep(await self._run(question))
            return
        key = await self._key.of(self._payload(question))
        served = await _served(self._cache, key)
        if served is not None:
            desk.keep(Reply(served, request_hash=key, from_cache=True))
            return
        reply = replace(await self._run(question), request_hash=key)
        if self.read(question, [reply]).winner != "invalid":
            from arena_tui.providers.base import Completion

            self._cache.put(key, Completion(reply.text, "stop", model=self.label))
        desk.keep(reply)

    async def _run(self, question: Question) -> Reply:
        """Start the program once."""
        exchange = _Exchange()
        try:
            try:
                async with asyncio.timeout(self._timeout):
                    await self._converse(exchange, question)
                failure = exchange.failure()
            except TimeoutError:
                failure = exchange.with_last_line(f"timed out after {self._timeout:g} s")
        except OSError as error:
            failure = f"could not start {self._argv[0]}: {error.strerror or type(error).__name__}"
        return Reply(exchange.stdout.decode("utf-8", "replace"), failure=failure)

    def read(self, question: Question, replies: Sequence[Reply]) -> Verdict:
        """The verdict in what the program printed; invalid with the reason when there is none."""
        reply = replies[-1]
        if reply.failure:
            return Verdict("invalid", reason=reply.failure)
        try:
            verdict = _parse(reply.text)
        except ValueError as error:
            printed = f", it printed {shown(' '.join(reply.text.split()), 100)}" if reply.text.strip() else ""
            return Verdict("invalid", reason=f"the program printed no verdict: {error}{printed}")
        if verdict.winner == "draw" and not self._draws:
            return Verdict("invalid", reason="the program called a draw, and judge.draws is off")
        return verdict

    async def close(self) -> None:
        """Every process ended with its comparison; what is left is the cache."""
        if self._cache is not None:
            await self._cache.close()

    async def _converse(self, exchange: _Exchange, question: Question) -> None:
        """Start the program, hand it the question, wait for its end; never leave it running."""
        # The low-level call, not create_subprocess_exec: its transport can be closed (public API) when
        # a stray child holds the pipes, and output is counted as it comes instead of after the fact.
        # A task of its own, since a start cancelled half-way kills the program but not its children.
        start = asyncio.create_task(
            asyncio.get_running_loop().subprocess_exec(
                lambda: exchange, *self._argv, cwd=self._folder, start_new_session=True
            )
        )
        try:
            transport, _ = await asyncio.shield(start)
            stdin = transport.get_pipe_transport(0)
            assert isinstance(stdin, asyncio.WriteTransport)  # a pipe, since nothing else was asked for
            stdin.write(self._payload(question))
            stdin.write_eof()
            await exchange.ended.wait()
        finally:
            exchange.abandoned = True
            if not start.done():
                await asyncio.wait([start])  # some milliseconds; nobody needs its result any more
            if start.exception() is None:
                await exchange.bury()

    def _payload(self, question: Question) -> bytes:
        first, second = question.first, question.second
        payload = {
            "task": question.task or self._task,
            "prompt": question.prompt,
            "criteria": self._criteria if question.criteria is None else dict(question.criteria),
            "first": {"id": first.id if self._show_ids else "first", "text": first.text},
            "second": {"id": second.id if self._show_ids else "second", "text": second.text},
        }
        return json.dumps(payload).encode("ascii") + b"\n"


class _Exchange(asyncio.SubprocessProtocol):
    """One process from start to burial: what it printed, how it ended."""

    def __init__(self) -> None:
        self.stdout = bytearray()
        self.ended = asyncio.Event()
        self.abandoned = False  # nobody waits for an answer any more
        self._stderr = bytearray()
        self._transport: asyncio.SubprocessTransport | None = None
        self._exited = asyncio.Event()
        self._open_pipes = {1, 2}
        self._too_long = False

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        assert isinstance(transport, asyncio.SubprocessTransport)
        self._transport = transport
        if self.abandoned:
            self._kill()
            asyncio.get_running_loop().call_soon(transport.close)  # once it is connected for good

    def pipe_data_received(self, fd: int, data: bytes) -> None:
        if fd == 1:
            self._too_long = self._too_long or len(self.stdout) + len(data) > OUTPUT_LIMIT
            self.stdout += data[: OUTPUT_LIMIT - len(self.stdout)]
            if self._too_long:
                self.ended.set()
        else:
            self._stderr += data
            del self._stderr[:-_STDERR_KEPT]

    def pipe_connection_lost(self, fd: int, exc: Exception | None) -> None:
        self._open_pipes.discard(fd)
        if self._exited.is_set() and not self._open_pipes:
            self.ended.set()

    def process_exited(self) -> None:
        self._exited.set()
        if self._open_pipes:
            asyncio.get_running_loop().call_later(_LINGER, self.ended.set)
        else:
            self.ended.set()

    def failure(self) -> str:
        """Why the output cannot be used, or nothing."""
        if self._too_long:
            return f"printed more than {OUTPUT_LIMIT:,} bytes"
        code = self._transport.get_returncode() if self._transport else None
        if code:
            return self.with_last_line(f"killed by signal {-code}" if code < 0 else f"exit code {code}")
        return ""

    def with_last_line(self, reason: str) -> str:
        """`reason` and the last line that the program wrote to stderr."""
        lines = self._stderr.decode("utf-8", "replace").split("\n")
        last = next((" ".join(line.split()) for line in reversed(lines) if line.strip()), "")
        return f"{reason}: {last[:_LAST_LINE_SHOWN]}" if last else reason

    async def bury(self) -> None:
        """Kill what still runs of the process group, reap the process, close the pipes."""
        if self._transport is None:
            return
        # After a clean end the group is empty and its number may belong to someone else.
        if not self._exited.is_set() or self._open_pipes:
            self._kill()
        self._transport.close()
        with suppress(TimeoutError):  # stuck in the kernel: the child watcher reaps it whenever it ends
            async with asyncio.timeout(_REAP):
                await self._exited.wait()

    def _kill(self) -> None:
        """Kill the process group; it may end in this very moment."""
        assert self._transport is not None
        with suppress(ProcessLookupError):
            os.killpg(self._transport.get_pid(), signal.SIGKILL)


async def _served(cache: ReplyCache, key: str) -> str | None:
    """What a program printed before for the same input."""
    try:
        stored = await cache.get(key)
    except UsageError as error:
        raise JudgeError(str(error)) from error
    return None if stored is None else stored.text


def _parse(text: str) -> Verdict:
    """The verdict on stdout, or ValueError. Keys beyond the known ones are ignored."""
    if not text.strip():
        raise ValueError("its output is empty")
    row = strict_object(text)
    winner = row.get("winner")
    if not isinstance(winner, str) or winner not in _SAID:
        raise ValueError('no "winner" that is "first", "second" or "draw"')
    return Verdict(_SAID[winner], optional_probability(row, "p_first"), optional_text(row, "reason"))
