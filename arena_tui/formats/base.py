"""The format protocol: who meets whom next, as a pure state machine that the engine drives.

No clock, no I/O, no asyncio, no global randomness: feeding the same plans, outcomes and
interventions in the same order gives the same state, so a run is resumed by replaying its journal.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import TYPE_CHECKING, Any, Protocol

from arena_tui.facts import Intervention, Leaders, Outcome, Progress, RatingChange, Score, Standings, Step
from arena_tui.vocabulary import StopReason

if TYPE_CHECKING:
    from arena_tui.candidate import Candidate
    from arena_tui.formats.fit_log import FitLog
    from arena_tui.ratings.estimates import Confidence, Estimates


class Format(Protocol):
    """Who meets whom next. All methods are deterministic; see the module's docstring."""

    windowed: bool
    """True: step k is chosen when exactly max(0, k - lookahead) outcomes are applied."""

    @property
    def entrants(self) -> Sequence[Candidate]:
        """Everybody it knows, by number: what pairs and rates."""
        ...

    @property
    def fit_log(self) -> FitLog:
        """The comparisons behind its fit, by those numbers."""
        ...

    @property
    def off_loop(self) -> bool:
        """True when one call may take longer than an engine step's 5 ms: the planner thread runs it."""
        ...

    def next_steps(self, room: int) -> list[Step]:
        """At most `room` further steps; `next_steps(a)` then `(b)` equals `next_steps(a + b)`."""
        ...

    def adopt(self, step: Step) -> None:
        """Take a journaled plan as if `next_steps` had just chosen it."""
        ...

    def record(self, outcome: Outcome) -> RatingChange | None:
        """Apply the next outcome; what it did to the two scores, or None for one that is applied already."""
        ...

    def intervene(self, action: Intervention) -> None:
        """Take a journaled action; validity was checked before it was journaled."""
        ...

    def objection(self, action: Intervention) -> str | None:
        """Why the format cannot take an action that is valid otherwise, in a sentence; None: it can."""
        ...

    def scores(self) -> Iterator[Score]:
        """What is stored of every entrant, those never played included: Elo rating or points; cheap."""
        ...

    def standings(self) -> Standings:
        """Every entrant that plays or has played, best first, the rejected last; it may make a fit."""
        ...

    def leaders(self, count: int) -> Leaders:
        """The best `count` playing entrants of every class, for a rule that watches their ratings."""
        ...

    def estimates(self, delta: float = ...) -> Estimates:
        """The fit of all comparisons so far, kept until something changes; `delta` as in `confidence`."""
        ...

    def confidence(self, delta: float) -> list[Confidence]:
        """How sure the leader of each class with two or more playing entrants is; it may make a fit.

        `delta` in logits: how much worse than the best still counts as good enough.
        """
        ...

    def history(self) -> Iterator[RatingChange]:
        """The score changes of all recorded outcomes in applied order, under effective outcomes."""
        ...

    def finished(self) -> StopReason | None:
        """COMPLETED when the schedule is exhausted; the engine owns the other reasons."""
        ...

    def progress(self) -> Progress:
        """How far the schedule is."""
        ...

    def details(self) -> dict[str, Any]:
        """What the result's `details` tell of this format, ready for JSON."""
        ...

    def pairings(self) -> Iterable[dict[str, Any]]:
        """One row a planned match, in order, that says why these two met: `export --what pairings`."""
        ...
