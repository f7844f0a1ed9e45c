"""What an engine does by the clock: counts running time, keeps its limit, looks into the inbox.

Everything here only asks: the engine's loop is woken and does what is due.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable, Iterable

from arena_tui import exit_codes
from arena_tui.engine.clock import RunClock
from arena_tui.engine.gate import Gate
from arena_tui.engine.journal import Journal
from arena_tui.engine.state import RunState
from arena_tui.engine.steering import Request

TICK = 0.25  # seconds between looks at the clock and the inbox
SAVE_ELAPSED = 1.0  # seconds of running time between notes of it: as much may be forgotten at a kill


class Heartbeat:
    """`limit` gives the seconds of running time there may be; `ask` takes requests from the inbox.

    `draining` is told when the limit is used up, `wake` is called at every beat.
    """

    def __init__(
        self,
        *,
        elapsed: float,
        gate: Gate,
        journal: Journal,
        state: RunState,
        limit: Callable[[], float | None],
        inbox: Callable[[], list[Request]],
        ask: Callable[[Iterable[Request]], None],
        draining: Callable[[str], None],
        wake: Callable[[], None],
    ) -> None:
        self._clock = RunClock(elapsed)
        self._gate = gate
        self._journal = journal
        self._state = state
        self._limit = limit
        self._inbox = inbox
        self._ask = ask
        self._draining = draining
        self._wake = wake

    def start(self) -> None:
        """Count running time from now."""
        self._clock.start()

    def tick(self) -> float:
        """Take the time since the last look into account; the seconds the run has been driven."""
        elapsed = self._state.elapsed = self._clock.tick(counting=not self._gate.paused)
        self._state.touch()
        return elapsed

    def look(self) -> None:
        """Stop when the limit of running time is used up."""
        limit = self._limit()
        if limit is not None and self._clock.elapsed >= limit and self._gate.reason is None:
            detail = f"the limit of {limit:g} s of running time is used up"
            self._gate.stop("WALL_CLOCK", detail, exit_codes.LIMIT, time.monotonic())
            self._draining(detail)

    async def beat(self) -> None:
        """Beat until cancelled."""
        saved = self._clock.elapsed
        paused = False  # as it is stored, for lists of runs
        while True:
            await asyncio.sleep(TICK)
            if self._gate.paused != paused:
                paused = self._gate.paused
                self._journal.meta({"paused": "yes" if paused else ""})
            elapsed = self.tick()
            if elapsed - saved >= SAVE_ELAPSED:
                saved = elapsed
                self._journal.meta({"elapsed": f"{saved:.3f}"})
            self.look()
            self._ask(await asyncio.to_thread(self._inbox))  # a request may be large
            self._wake()
