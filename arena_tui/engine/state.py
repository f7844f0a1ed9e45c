"""What displays read: the run as it stands, with a revision that grows on every change.

The engine writes it, views pull it on their own timers and do nothing while the revision is the
same. Plain data only; importing it loads neither pydantic nor numpy.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Literal

from arena_tui.engine.confident import Sureness
from arena_tui.ratings.stability import Distance
from arena_tui.vocabulary import Mode, Orientation, StopReason

RunPhase = Literal["ready", "running", "paused", "draining", "cancelling", "stopped"]


@dataclass(frozen=True, slots=True)
class InFlight:
    """A comparison that a judge is busy with; `since` is on the monotonic clock.

    `str(text)` is what `speaker` has said so far in the turn that is being held; it speaks for the text
    in `slot` (1 or 2), None for a judge.
    """

    group: str
    seq: int
    orientation: Orientation
    a: str
    b: str
    mode: Mode
    since: float
    speaker: str = ""
    text: object = ""
    slot: int | None = None


@dataclass(frozen=True, slots=True)
class Terms:
    """What the rule `confident` asks for: a chance above `needed` that the leader is within so many logits of
    the best (None: that it is the best), and so many comparisons for `each` who plays."""

    needed: float
    within: float | None
    each: int


@dataclass(slots=True)
class GroupState:
    """One group's progress. `expected` is None for an open-ended format, `phase` the round or stage that is
    played, "" without any. `distance` is what still stands between the group and a stable top, None where
    no such rule is in force; `sureness` the last look of the rule `confident`, class by class, and `terms`
    those of that rule where nobody here looks."""

    id: str
    applied: int = 0
    planned: int = 0
    expected: int | None = None
    stop_reason: StopReason | None = None
    stop_detail: str = ""
    distance: Distance | None = None
    phase: str = ""
    sureness: tuple[Sureness, ...] = ()
    terms: Terms | None = None


@dataclass(slots=True)
class RunState:
    """One run, live. Money is in USD, times in seconds."""

    run: str = ""
    name: str = ""
    judge: str = ""
    seed: int = 0
    revision: int = 0
    phase: RunPhase = "ready"
    quiet: bool = True  # nothing in flight
    groups: dict[str, GroupState] = field(default_factory=dict)
    in_flight: dict[tuple[str, int, Orientation], InFlight] = field(default_factory=dict)
    a: int = 0
    b: int = 0
    draw: int = 0
    void: int = 0
    comparisons: int = 0
    held: int = 0
    usd: float = 0.0
    usd_reserved: float = 0.0
    tokens: int = 0
    tokens_reserved: int = 0
    started: int = 0  # matches, against limits.matches
    match_limit: int | None = None
    usd_limit: float | None = None
    token_limit: int | None = None
    wall_clock_limit: float | None = None
    elapsed: float = 0.0
    concurrency: int = 0
    errors: int = 0  # calls that failed since this process drives the run, also those repeated since
    trouble: str = ""  # why results cannot be saved, if they cannot
    pause_reason: str = ""  # why it is paused, where nobody asked for it
    stop_reason: StopReason | None = None
    stop_detail: str = ""

    @property
    def applied(self) -> int:
        """Outcomes applied so far, void ones included."""
        return self.a + self.b + self.draw + self.void

    def touch(self) -> None:
        """Something changed: views will look again."""
        self.revision += 1
