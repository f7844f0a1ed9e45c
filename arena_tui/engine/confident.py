"""The rule that ends a group once its leader is all but surely good enough, as far as the judge's noise goes.

It looks at a fit after every eighth of the field's size in usable outcomes, never between; a journal that
is replayed looks at the same places.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from arena_tui.limit_settings import Stop
    from arena_tui.ratings.estimates import Confidence

RUNNING = 2  # looks in a row that must agree


@dataclass(frozen=True, slots=True)
class Sureness:
    """How far the rule is for one class: what it wants at least, and what the last look found.

    `probability` is that of the leader being within `delta` of the best (strict: being the best),
    `comparisons` those made of the `wanted` ones, `looks` the agreeing looks in a row of two. The rule
    asks for a probability above `needed`, of being `within` so many logits of the best (None: the best).
    """

    leader: int
    runner_up: int
    probability: float
    p_best: float
    p_runner_up: float
    connected: bool
    comparisons: int
    wanted: int
    looks: int
    needed: float
    within: float | None


class ConfidentRule:
    """Watches one group. `seen` is what the last look found, class by class; empty before the first."""

    def __init__(self, settings: Stop) -> None:
        self._settings = settings
        self._since = 0
        self._looks = 0
        self.seen: tuple[Sureness, ...] = ()

    def restart(self) -> None:
        """Forget the looks that agreed, as after an action; the next outcome is looked at."""
        self._looks = 0
        self._since = 0

    def is_due(self, playing: int) -> bool:
        """Count one usable outcome; True when it is time to look."""
        self._since += 1
        if self._since < max(1, playing // 8):
            return False
        self._since = 0
        return True

    def look(self, classes: Sequence[Confidence]) -> str | None:
        """Take a fit's word; why the group ends now, or None."""
        settings = self._settings
        agrees = bool(classes)
        for each in classes:
            sure = each.p_best if settings.strict else each.p_near
            enough = each.comparisons >= settings.min_comparisons_each * each.playing
            agrees = agrees and sure > settings.confidence and each.connected and enough
        self._looks = self._looks + 1 if agrees else 0
        self.seen = tuple(
            Sureness(
                each.leader,
                each.runner_up,
                each.p_best if settings.strict else each.p_near,
                each.p_best,
                each.p_runner_up,
                each.connected,
                each.comparisons,
                settings.min_comparisons_each * each.playing,
                self._looks,
                settings.confidence,
                None if settings.strict else settings.delta,
            )
            for each in classes
        )
        if self._looks < RUNNING:
            return None
        least = min(self.seen, key=lambda each: each.probability)
        what = "the best" if settings.strict else f"within {settings.delta:g} logit of the best"
        return (
            f"by this judge's own noise the leader is {what} with probability {least.probability:.3f} "
            f"(P(best) {least.p_best:.3f}, of the next likely {least.p_runner_up:.3f})"
        )
