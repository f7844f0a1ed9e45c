"""How many requests one provider and model takes at a time: found out while running.

The limit starts low, doubles after every clean round until the first 429, is cut by a fifth once for
each episode of 429s, and from then on grows slowly. A retry-after holds back everybody until it is over.
Follows the adaptive limits of inspect_ai, but for their endless retries.
"""

from __future__ import annotations

import asyncio
import math
import time
from collections import deque
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from types import TracebackType
from typing import Literal, Protocol

CUT = 0.8  # what an episode of 429s leaves of the limit
CUT_AGAIN = 0.5  # of the limit, when a request that was sent after a fresh cut is refused too
GROWTH = 0.05  # share by which a clean round raises the limit after the first 429, at least by 1
HISTORY = 200  # changes that are remembered


class Timer(Protocol):
    """What `loop.call_later` returns."""

    def cancel(self) -> None:
        """Do not call."""
        ...


class Blocked(Exception):
    """The provider asked for a longer pause than this caller waits; `seconds` are left of it."""

    def __init__(self, seconds: float) -> None:
        super().__init__(f"no requests for {seconds:.3g} s")
        self.seconds = seconds


@dataclass(frozen=True, slots=True)
class LimitChange:
    """The limit became `limit` at `at` (seconds of the limiter's clock)."""

    at: float
    limit: int
    why: Literal["clean round", "rate limited"]


@dataclass(frozen=True, slots=True)
class LimitState:
    """What a screen shows of a limit. `blocked` counts the seconds until requests may be sent again."""

    current: int
    most: int
    in_use: int
    waiting: int
    blocked: float
    rate_limits: int  # 429s so far
    history: tuple[LimitChange, ...]  # oldest first


class AdaptiveLimit:
    """Slots of one provider and model: `async with limit.slot() as slot:`, and the slot is told how it went.

    * A round is clean when as many requests in a row ended well as the limit allows at once, and the
      limit was reached meanwhile. It doubles the limit until the first 429, afterwards adds 5 %, at
      least 1; `most` is never passed.
    * The first 429 of an episode cuts the limit to 0.8 of itself, at least to `least`. The episode
      takes in all 429s that come within `cool_down` seconds and all to requests that were under way at
      the cut, however late. Nothing grows before it is over.
    * Other trouble of the server begins the round anew and cuts nothing.
    * A retry-after, on a 429 or on other trouble, blocks: no slot is given until it is over.
    * Slots are given in the order of asking. A limit cut below what is in use takes effect as slots
      come back.

    `clock` and `later` (default: of the running loop) replace the time in tests. Belongs to one event loop.
    """

    def __init__(
        self,
        *,
        start: int = 20,
        least: int = 1,
        most: int = 100,
        cool_down: float = 15.0,
        clock: Callable[[], float] = time.monotonic,
        later: Callable[[float, Callable[[], None]], Timer] | None = None,
    ) -> None:
        if not 1 <= least <= most or start < 1:
            raise ValueError(f"a limit from {least} to {most} that starts at {start} cannot be")
        self._least = least
        self._most = most
        self._current = max(least, min(start, most))
        self._cool_down = cool_down
        self._clock = clock
        self._later = later
        self._timer: Timer | None = None
        self._queue: deque[tuple[asyncio.Future[None], float]] = deque()  # (to wake, patience)
        self._in_use = 0
        self._doubling = True
        self._fine = 0  # good ends in a row
        self._reached = False  # the limit was, in this round
        self._episode = 0
        self._calm_from = -math.inf  # when the last episode is over
        self._blocked_until = -math.inf
        self._rate_limits = 0
        self._history: deque[LimitChange] = deque(maxlen=HISTORY)

    @property
    def blocked(self) -> float:
        """Seconds until slots are given again; 0 when nothing is blocked."""
        return max(0.0, self._blocked_until - self._clock())

    def state(self) -> LimitState:
        """A snapshot for displays."""
        return LimitState(
            self._current,
            self._most,
            self._in_use,
            len(self._queue),
            self.blocked,
            self._rate_limits,
            tuple(self._history),
        )

    def slot(self, patience: float = math.inf) -> Slot:
        """A place for one request, given when entered and given back when left.

        Entering raises `Blocked`, at once or while it waits, when the provider asks for a pause of more
        than `patience` seconds.
        """
        return Slot(self, patience)

    def unblock(self) -> None:
        """Forget the pause that the provider asked for: a person wants to try again now."""
        self._blocked_until = -math.inf
        self._pump()

    async def _acquire(self, patience: float) -> int:
        """Wait for a slot; the episode in which it was given."""
        if self.blocked > patience:
            raise Blocked(self.blocked)
        if self._queue or self._in_use >= self._current or self.blocked:
            given: asyncio.Future[None] = asyncio.get_running_loop().create_future()
            waiter = (given, patience)
            self._queue.append(waiter)
            self._pump()
            try:
                await given
            except asyncio.CancelledError:
                if given.cancelled():
                    with suppress(ValueError):  # `_pump` was here first
                        self._queue.remove(waiter)
                    self._pump()
                elif given.exception() is None:  # given and cancelled in the same moment
                    self._release()
                raise
        else:
            self._take()
        return self._episode

    def _take(self) -> None:
        self._in_use += 1
        self._reached = self._reached or self._in_use >= self._current

    def _release(self) -> None:
        self._in_use -= 1
        self._pump()

    def _pump(self) -> None:
        """Give the free slots to the longest waiting, or see to it that this is called when it may."""
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None
        if (left := self.blocked) > 0:
            for waiter in [w for w in self._queue if left > w[1]]:
                self._queue.remove(waiter)
                if not waiter[0].done():
                    waiter[0].set_exception(Blocked(left))
            if self._queue:
                later = self._later or asyncio.get_running_loop().call_later
                self._timer = later(left, self._pump)
            return
        while self._queue and self._in_use < self._current:
            given, _ = self._queue.popleft()
            if not given.done():
                self._take()
                given.set_result(None)

    def _went_fine(self, episode: int) -> None:
        if episode != self._episode or self._clock() < self._calm_from:
            return
        self._fine += 1
        if self._fine < self._current:
            return
        grown = self._current * 2 if self._doubling else self._current + max(1, int(self._current * GROWTH))
        if self._reached and self._current < self._most:
            self._change(min(grown, self._most), "clean round")
        self._new_round()

    def _was_rate_limited(self, episode: int, retry_after: float | None) -> None:
        now = self._clock()
        self._rate_limits += 1
        if episode == self._episode:  # sent after the last cut, which was too small if it is still fresh
            cut = CUT if now >= self._calm_from else CUT_AGAIN
            self._doubling = False
            self._episode += 1
            self._calm_from = now + self._cool_down
            self._change(max(self._least, int(self._current * cut)), "rate limited")
            self._new_round()
        self._block(now, _valid(retry_after))

    def _had_trouble(self, retry_after: float | None) -> None:
        self._new_round()
        self._block(self._clock(), _valid(retry_after))

    def _block(self, now: float, pause: float) -> None:
        if pause > 0 and now + pause > self._blocked_until:
            self._blocked_until = now + pause
            self._pump()

    def _change(self, limit: int, why: Literal["clean round", "rate limited"]) -> None:
        if limit != self._current:
            self._current = limit
            self._history.append(LimitChange(self._clock(), limit, why))
            self._pump()

    def _new_round(self) -> None:
        self._fine = 0
        self._reached = self._in_use >= self._current


class Slot:
    """One request's place. Whoever holds it says how the request ended, at most once, before leaving."""

    __slots__ = ("_episode", "_limit", "_patience")

    def __init__(self, limit: AdaptiveLimit, patience: float) -> None:
        self._limit = limit
        self._patience = patience
        self._episode = 0

    async def __aenter__(self) -> Slot:
        self._episode = await self._limit._acquire(self._patience)
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._limit._release()  # nothing is awaited, so that no cancellation can come between

    def fine(self) -> None:
        """A whole reply came."""
        self._limit._went_fine(self._episode)

    def rate_limited(self, retry_after: float | None = None) -> None:
        """The provider said 429, and perhaps for how many seconds."""
        self._limit._was_rate_limited(self._episode, retry_after)

    def trouble(self, retry_after: float | None = None) -> None:
        """The provider failed in another way that may pass: overload, 5xx, timeout, a lost connection."""
        self._limit._had_trouble(retry_after)


def _valid(retry_after: float | None) -> float:
    """Seconds of pause; 0 for none and for what is no number of seconds."""
    return retry_after if retry_after is not None and 0 < retry_after < math.inf else 0.0
