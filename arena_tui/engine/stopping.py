"""When a group ends by itself: its stop rule, and too many matches in a row without a verdict.

One `StopWatch` a group; it is fed every applied outcome, so replaying a journal brings it to the
same state. Rules cut at the outcome on which they fire.
"""

from __future__ import annotations

from dataclasses import dataclass

from arena_tui.engine.confident import ConfidentRule, Sureness
from arena_tui.facts import Outcome
from arena_tui.formats.base import Format
from arena_tui.ratings.stability import Distance, Snapshot, StabilityTracker
from arena_tui.settings import Stop
from arena_tui.values import counted
from arena_tui.vocabulary import StopReason

REASONS: tuple[StopReason, ...] = (
    "EXTERNAL",
    "BUDGET",
    "WALL_CLOCK",
    "CONFIDENT",
    "ELO_STABLE",
    "COMPLETED",
    "IDLE",
)
"""Stop reasons by rank: when several hold, the first one is told."""


@dataclass(frozen=True, slots=True)
class Closing:
    """Why a group ended. `unusable`: the judge gave nothing usable, which is an error (exit 1)."""

    reason: StopReason
    detail: str
    unusable: bool = False


def first_reason(closings: list[Closing]) -> Closing:
    """The closing that speaks for the run: the first by rank, an unusable judge before a plain IDLE."""
    return min(closings, key=lambda closing: (REASONS.index(closing.reason), not closing.unusable))


class StopWatch:
    """Watches one group."""

    def __init__(self, settings: Stop) -> None:
        self._voids = 0
        self.configure(settings)

    def configure(self, settings: Stop) -> None:
        """Take new settings; the window starts anew."""
        self._settings = settings
        self._tracker = StabilityTracker(
            top_k=settings.top_k,
            n=settings.n,
            eps=settings.eps,
            min_ideas=settings.min_ideas_before_stable,
            min_matches=settings.min_matches_before_stable,
            min_matches_each=settings.min_matches_each,
        )
        self._confident = ConfidentRule(settings)

    def restart(self) -> None:
        """Forget the window and the void streak: after an overrule, or when a closed group goes on."""
        self._tracker.restart()
        self._confident.restart()
        self._voids = 0

    def acted(self) -> None:
        """An action changed who plays or what counts: looks at fits that agreed before it do not count."""
        self._confident.restart()

    @property
    def fits(self) -> bool:
        """True when the rule in force looks at fits."""
        return self._settings.rule == "confident"

    @property
    def delta(self) -> float:
        """The logits below the best that are still good enough, by the settings in force."""
        return self._settings.delta

    @property
    def sureness(self) -> tuple[Sureness, ...]:
        """How far the rule `confident` is, class by class; empty before its first look and without it."""
        return self._confident.seen if self.fits else ()

    @property
    def distance(self) -> Distance | None:
        """What still stands between the group and a stable top; None where no such rule is in force."""
        return self._tracker.distance() if self._settings.rule == "stability" else None

    def applied(
        self, outcome: Outcome, valid_matches: int, withdrawn: bool, playing: int, format_: Format
    ) -> tuple[Snapshot | None, Closing | None]:
        """Take one applied outcome; the snapshot it caused and the closing it brought, if any.

        `valid_matches` counts the group's outcomes in force that are not void, this one included; `playing`
        entrants.
        """
        if outcome.winner == "void":
            self._voids += not withdrawn
            limit = self._settings.voids_in_a_row
            if not withdrawn and self._voids >= limit:
                cause = outcome.reason or "no usable verdict"
                row = f"{limit} matches in a row" if limit > 1 else "a match"
                detail = f"{row} had no usable verdict; the last one: {cause}"
                return None, Closing("IDLE", detail, unusable=True)
            return None, None
        self._voids = 0
        if self.fits and self._confident.is_due(playing):
            why = self._confident.look(format_.confidence(self._settings.delta))
            return None, None if why is None else Closing("CONFIDENT", why)
        if self._settings.rule != "stability" or valid_matches % self._settings.match_snapshot_every:
            return None, None
        return self._snapshot(valid_matches, format_)

    def _snapshot(self, valid_matches: int, format_: Format) -> tuple[Snapshot, Closing | None]:
        settings = self._settings
        leaders = format_.leaders(settings.top_k)
        snapshot = self._tracker.snapshot(
            valid_matches, leaders.top, playing=leaders.playing, fewest_matches=leaders.fewest_matches
        )
        if not snapshot.stable:
            return snapshot, None
        detail = (
            f"the top {len(snapshot.top)} stayed the same over {counted(settings.n, 'snapshot')} "
            f"and none of them moved by {settings.eps:g} points"
        )
        return snapshot, Closing("ELO_STABLE", detail)
