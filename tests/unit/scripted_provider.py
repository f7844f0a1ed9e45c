"""A provider in memory whose attempts follow a script, and a clock that only tests move."""

from __future__ import annotations

import asyncio
import heapq
import itertools
from collections.abc import AsyncIterator, Awaitable, Callable, Iterable, Mapping
from typing import Any

from arena_tui.providers.base import (
    Capabilities,
    Completion,
    Message,
    Part,
    ProviderError,
    Request,
    StreamEvent,
    TextDelta,
    Tokens,
)

Step = Completion | ProviderError | Callable[[], Awaitable[Completion]]


def request(text: str = "Which is better?", max_tokens: int = 100, **more: Any) -> Request:
    """A request of one user message."""
    return Request((Part("You judge."),), (Message("user", (Part(text),)),), max_tokens, **more)


def completion(text: str = "better idea: 1", stop_reason: Any = "stop", **more: Any) -> Completion:
    """A whole reply of 10 tokens in and 4 out."""
    return Completion(text, stop_reason, more.pop("tokens", Tokens(input=10, output=4)), **more)


def fault(kind: Any, message: str = "", **more: Any) -> ProviderError:
    """A failed attempt."""
    return ProviderError(kind, message or f"test: {kind}", **more)


class ScriptedProvider:
    """Attempt n takes the n-th step: streams a reply in words, raises, or does what a function does.

    An endless script repeats its last step. `partial` maps an attempt (from 1) to the words that come
    before its fault.
    """

    def __init__(
        self,
        steps: Iterable[Step],
        *,
        name: str = "test:model",
        base_url: str = "http://127.0.0.1/v1",
        partial: Mapping[int, str] | None = None,
    ) -> None:
        self.name = name
        self.base_url = base_url
        self.capabilities = Capabilities()
        self.simulated = True
        self.params: Mapping[str, Any] = {}
        self.requests: list[Request] = []
        self.streaming = 0
        self.most_streaming = 0
        self.closed_streams = 0
        self._steps = list(steps)
        self._partial = dict(partial or {})

    async def stream(self, request: Request) -> AsyncIterator[StreamEvent]:
        self.requests.append(request)
        number = len(self.requests)
        step = self._steps[min(number, len(self._steps)) - 1]
        self.streaming += 1
        self.most_streaming = max(self.most_streaming, self.streaming)
        try:
            await asyncio.sleep(0)
            if number in self._partial:
                yield TextDelta(self._partial[number])
            if isinstance(step, ProviderError):
                raise step
            reply = step if isinstance(step, Completion) else await step()
            for word in reply.text.split(" "):
                yield TextDelta(word + " ")
            yield reply
        finally:
            self.streaming -= 1
            self.closed_streams += 1

    async def probe(self, *, logprobs: bool = False, json_schema: bool = False) -> Capabilities:
        return self.capabilities

    async def close(self) -> None:
        return None


class FakeTime:
    """A clock with timers. `sleep` waits until `advance` has moved the clock far enough."""

    def __init__(self) -> None:
        self.now = 1000.0
        self.slept: list[float] = []
        self._timers: list[tuple[float, int, FakeTimer]] = []
        self._number = itertools.count()

    def clock(self) -> float:
        return self.now

    def later(self, seconds: float, call: Callable[[], None]) -> FakeTimer:
        timer = FakeTimer(call)
        heapq.heappush(self._timers, (self.now + seconds, next(self._number), timer))
        return timer

    async def skip(self, seconds: float) -> None:
        """A sleep that takes no time, but moves the clock."""
        self.slept.append(seconds)
        await asyncio.sleep(0)
        self.advance(seconds)

    def advance(self, seconds: float) -> None:
        until = self.now + seconds
        while self._timers and self._timers[0][0] <= until:
            self.now, _, timer = heapq.heappop(self._timers)
            timer.fire()
        self.now = until

    @property
    def timers(self) -> int:
        """Timers that will still call."""
        return sum(timer.waiting for _, _, timer in self._timers)


class FakeTimer:
    """What `FakeTime.later` returns."""

    def __init__(self, call: Callable[[], None]) -> None:
        self._call = call
        self.waiting = True

    def cancel(self) -> None:
        self.waiting = False

    def fire(self) -> None:
        if self.waiting:
            self.waiting = False
            self._call()


async def settle(rounds: int = 20) -> None:
    """Let every task that can run do so."""
    for _ in range(rounds):
        await asyncio.sleep(0)
