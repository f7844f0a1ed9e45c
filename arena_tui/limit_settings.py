"""The settings of what may be spent and of when a group ends. Imported through `settings`."""

from __future__ import annotations

from typing import Literal

from arena_tui.setting_types import (
    Count,
    Flag,
    Positive,
    Seconds,
    SecondsOrZero,
    Settings,
    Share,
    Slots,
    Whole,
)
from arena_tui.vocabulary import Mode


class GroupLimits(Settings):
    """Limits of each group for itself; none by default."""

    usd: Positive | None = None
    tokens: Count | None = None
    matches: Count | None = None


class Durations(Settings):
    """How long a match of each mode takes on the virtual clock that orders outcomes (no real time)."""

    pairwise: Positive = 1.0
    score: Positive = 1.0
    debate: Positive = 15.0

    def by_mode(self) -> dict[Mode, float]:
        """The three durations by mode."""
        return {"pairwise": self.pairwise, "score": self.score, "debate": self.debate}


class Limits(Settings):
    """What may be spent, and how much runs at once. No usd, tokens, wall_clock or matches by default."""

    usd: Positive | None = None
    tokens: Count | None = None
    """Input and output tokens together."""
    unknown_cost: Literal["refuse", "allow"] = "refuse"
    """Whether a limit on USD may stand beside a model whose price is not known, which then counts nothing."""
    wall_clock: Seconds | None = None
    """Seconds of running time, carried over resumes; "30m" is understood."""
    matches: Count | None = None
    """Matches of the run; void ones count."""
    concurrency: Slots = 8
    """Comparisons in flight."""
    lookahead: Slots | None = None
    """How many steps may be planned beyond the applied ones; None: from the concurrency."""
    ordering: Literal["seq", "arrival"] = "seq"
    """Apply outcomes in an order that no latency can change, or as they come."""
    per_group: GroupLimits = GroupLimits()
    durations: Durations = Durations()
    grace: SecondsOrZero = 60.0
    """Seconds that calls in flight may still take after the first interrupt."""


class Stop(Settings):
    """When a group ends by itself. `stability`: the same top, hardly moving, over some snapshots.
    `confident`: the leader is all but surely (within `delta` of) the best, as far as this judge's noise goes.
    """

    rule: Literal["stability", "confident", "none"] = "stability"
    """Left out: `stability` in elo, `confident` in adaptive, `none` in formats with a schedule."""
    top_k: Count = 5
    n: Count = 3
    """Snapshots that must agree."""
    eps: Positive = 25.0
    """Each member's highest and lowest rating over those snapshots must differ by less than this."""
    match_snapshot_every: Count = 10
    """Valid matches between snapshots."""
    min_ideas_before_stable: Whole = 0
    """Candidates that must be playing."""
    min_matches_before_stable: Whole | None = None
    """Valid matches the group must have had; None: five times its playing candidates."""
    min_matches_each: Whole = 3
    """Valid matches every playing candidate must have had."""
    delta: Positive = 0.3
    """`confident`: logits below the best that are still good enough; 0.3 are 52 Elo points."""
    confidence: Share = 0.95
    """`confident`: how sure it must be, on two fits running."""
    strict: Flag = False
    """`confident`: the leader must be the best, not only near it."""
    min_comparisons_each: Whole = 3
    """`confident`: comparisons there must have been, times the playing candidates."""
    voids_in_a_row: Count = 10
    """Matches in a row without a usable verdict that close a group."""
