"""Running time: monotonic, carried over resumes, standing still while the run is paused."""

from __future__ import annotations

import time


class RunClock:
    """Counts the seconds a run has been driven; `elapsed` starts with those of earlier sittings."""

    def __init__(self, elapsed: float) -> None:
        self.elapsed = elapsed
        self._last = time.monotonic()

    def start(self) -> None:
        """Count from now."""
        self._last = time.monotonic()

    def tick(self, *, counting: bool) -> float:
        """Take the time since the last tick into account, unless `counting` is off; the sum so far."""
        now = time.monotonic()
        if counting:
            self.elapsed += now - self._last
        self._last = now
        return self.elapsed
