"""The format protocol: who meets whom next, as a pure state machine that the engine drives.

No clock, no I/O, no asyncio, no global randomness: feeding the same plans, outcomes and
interventions in the same order gives the same state, so a run is resumed by replaying its journal.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Protocol

from arena_tui.facts import Intervention, Leaders, Outcome, Progress, RatingChange, Standings, Step
from arena_tui.vocabulary import StopReason


class Format(Protocol):
    """Who meets whom next. All methods are deterministic; see the module's docstring."""

    windowed: bool
    """True: step k is chosen when exactly max(0, k - lookahead) outcomes are applied."""
    off_loop: bool
    """True when one call may take longer than an engine step's 5 ms: the planner thread runs it."""

    def next_steps(self, room: int) -> list[Step]:
        """At most `room` further steps; `next_steps(a)` then `(b)` equals `next_steps(a + b)`."""
        ...

    def adopt(self, step: Step) -> None:
        """Take a journaled plan as if `next_steps` had just chosen it."""
        ...

    def record(self, outcome: Outcome) -> RatingChange | None:
        """Apply the next outcome; what it did to the ratings, or None if nothing is rated yet."""
        ...

    def intervene(self, action: Intervention) -> None:
        """Take a journaled action; validity was checked before it was journaled."""
        ...

    def standings(self) -> Standings:
        """Every entrant that may still play or has played, best first; rejected ones last."""
        ...

    def leaders(self, count: int) -> Leaders:
        """The best `count` playing entrants of every class; cheap, since a stop rule asks often."""
        ...

    def history(self) -> Iterator[RatingChange]:
        """The rating changes of all recorded outcomes in applied order, under effective outcomes."""
        ...

    def finished(self) -> StopReason | None:
        """COMPLETED when the schedule is exhausted; the engine owns the other reasons."""
        ...

    def progress(self) -> Progress:
        """How far the schedule is."""
        ...
