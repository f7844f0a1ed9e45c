"""Pause and abort: what may start now, and how the run was asked to end.

Pause means "start nothing new": calls in flight finish, and the gate says when it is quiet. A stop
drains for a grace period, then cancels; a second request cancels at once. Requests only move
forward: nothing takes an abort back.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from arena_tui.vocabulary import StopReason

Phase = Literal["open", "paused", "draining", "cancelling"]


@dataclass(slots=True)
class Gate:
    """The run's answer to "may a comparison start?". Times are seconds of a monotonic clock."""

    grace: float
    paused: bool = False
    reason: StopReason | None = None
    detail: str = ""
    exit_code: int = 0
    deadline: float | None = None  # when draining turns into cancelling
    cancelled: bool = False

    @property
    def phase(self) -> Phase:
        """Where the gate stands; a stop outranks a pause."""
        if self.reason is not None:
            return "cancelling" if self.cancelled else "draining"
        return "paused" if self.paused else "open"

    @property
    def is_open(self) -> bool:
        """True when a new comparison may start."""
        return self.phase == "open"

    def pause(self) -> bool:
        """Start nothing new; False when already paused or stopping."""
        changed = not self.paused and self.reason is None
        self.paused = self.paused or changed
        return changed

    def resume(self) -> bool:
        """Go on after a pause; False when there was none or the run is stopping."""
        changed = self.paused and self.reason is None
        if changed:
            self.paused = False
        return changed

    def stop(self, reason: StopReason, detail: str, exit_code: int, now: float) -> None:
        """Ask for the end: the first request drains for `grace`, a second cancels at once.

        The first one from outside takes over from the limit of time, which it outranks.
        """
        if self.reason is not None and not (self.reason == "WALL_CLOCK" and reason == "EXTERNAL"):
            self.cancelled = True
            return
        self.reason, self.detail, self.exit_code = reason, detail, exit_code
        if self.deadline is None:
            self.deadline = now + self.grace

    def overdue(self, now: float) -> bool:
        """True when the calls still in flight must be cancelled."""
        return self.cancelled or (self.deadline is not None and now >= self.deadline)
