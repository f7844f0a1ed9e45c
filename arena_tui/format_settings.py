"""The settings of every tournament format. Imported through `settings`, which holds the whole tournament."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Any, Literal, Self, get_args

from pydantic import Field, model_validator
from pydantic_core import PydanticCustomError

from arena_tui.setting_types import AtLeastZero, Count, Finite, Flag, Positive, Settings, Share, Whole


class EloFormat(Settings):
    """The Elo tournament of the Co-Scientist family: open-ended, three buckets of pairs, two K factors.

    Three thresholds are easily confused. Below `debate_when_matches_lt` matches a meeting is a debate,
    below `new_matches_lt` a candidate counts as new for pairing, below `new_threshold` it moves by `k_new`.
    """

    kind: Literal["elo"] = "elo"
    preset: Literal["co_scientist"] | None = None
    """`co_scientist` changes the defaults to the original's behaviour; see `PRESETS`."""
    initial_rating: Finite = 1200.0
    k_new: Positive = 32.0
    """Points at stake while the less experienced of the two has fewer than `new_threshold` matches."""
    k_warm: Positive = 16.0
    """Points at stake afterwards."""
    new_threshold: Whole = 5
    new_matches_lt: Whole = 3
    debate_when_matches_lt: Whole = 2
    debate_when_elo_delta_lt: AtLeastZero = 50.0
    """Ratings closer than this also make a meeting a debate."""
    p_new: Share = 0.4
    """Chance of a new candidate against the nearest-rated warm one."""
    p_close: Share = 0.4
    """Chance of two warm candidates of near ratings."""
    p_random: Share = 0.2
    """Chance of two at random from the top half."""
    close_gap: Positive = 200.0
    """Ratings closer than this are near; it is also the scale on which nearness fades."""
    rematch_penalty: Flag = True
    """Divide a pair's weight by 1 + its earlier meetings."""
    prefer: Literal["distant", "similar"] = "distant"
    """Which texts the close bucket rather pairs."""
    similarity: Literal["lexical", "embedding", "endpoint", "none"] = "lexical"
    """TF-IDF cosine of the texts, cosine of the pool's `embedding` or of vectors that the endpoint of
    `embeddings:` gives, or not at all."""
    focus_new_entrants: Flag = False
    """Let every candidate first meet its nearest-rated opponent."""

    @model_validator(mode="after")
    def _chances_are_whole(self) -> Self:
        total = self.p_new + self.p_close + self.p_random
        if abs(total - 1) > 1e-6:
            message = f"p_new, p_close and p_random: expected a sum of 1, got {total:g}"
            raise PydanticCustomError("own", "{message}", {"message": message})
        return self


class SwissFormat(Settings):
    """Rounds in which those of equal score meet, nobody twice; a full ranking for few comparisons."""

    kind: Literal["swiss"] = "swiss"
    preset: Literal["seed"] | None = None
    """`seed` is the original's behaviour, which the defaults keep: both orders of every pair."""
    rounds: Count | None = None
    """None: the least number of rounds in which one of the class can win all of its matches."""
    bye_points: Share = 0.5
    """What a bye is worth for pairing; it counts nothing in the fit."""
    excused: dict[str, tuple[Count, ...]] = Field(default_factory=dict)
    """Rounds that a candidate, by id, sits out as it asked; that is no bye that bars another."""
    both_sample: Share | None = None
    """The share of pairs judged in both orders, drawn from the seed; None: as `judge.orders` says."""
    pause_after: Literal["round"] | None = None
    """Pause the run whenever a group has finished a round."""


class PivotFormat(Settings):
    """A ring of all candidates, then everybody against the few best of it (PPT)."""

    kind: Literal["pivot"] = "pivot"
    preset: Literal["seed"] | None = None
    """`seed` is the original to the letter: the ring's pairs come again, pivots always stand in slot 2."""
    pivots: Whole = 2
    """How many of the ring's best everybody meets."""
    pause_after: Literal["round"] | None = None
    """Pause the run between the ring and the pivots' matches."""


class AdaptiveFormat(Settings):
    """Always the pair whose verdict teaches most; finds the best for the fewest calls."""

    kind: Literal["adaptive"] = "adaptive"
    goal: Literal["best", "balanced", "order"] = "balanced"
    """What a verdict should teach: who is at the very top, the top more than the rest, or the whole order."""


class RoundRobinFormat(Settings):
    """Everybody meets everybody, once or more often."""

    kind: Literal["round_robin"] = "round_robin"
    double: Flag = False
    """Meet twice, the second time in the other order."""
    cycles: Count = 1
    """How often all of that is played; over systems, as often as there are prompts is the complete table."""
    pause_after: Literal["round"] | None = None
    """Pause the run whenever a group has finished a round."""


class KnockoutFormat(Settings):
    """Who loses is out: a bracket, with byes for the best seeds where it is not full."""

    kind: Literal["knockout"] = "knockout"
    best_of: Count = 1
    """Matches of a meeting, an odd number; it ends early once one of the two cannot be caught."""
    third_place: Flag = True
    """Let the losers of the semi-finals meet."""
    seeding: Literal["auto", "rating", "random"] = "auto"
    """Seeds by the pool's ratings, at random from the run's seed, or by ratings where the pool has any."""
    pause_after: Literal["round"] | None = None
    """Pause the run whenever a group has finished a round."""

    @model_validator(mode="after")
    def _somebody_wins(self) -> Self:
        if self.best_of % 2 == 0:
            message = f"expected an odd number, got {self.best_of}"
            raise PydanticCustomError("own", "{message}", {"message": message, "at": "best_of"})
        return self


AnyFormat = EloFormat | SwissFormat | PivotFormat | AdaptiveFormat | RoundRobinFormat | KnockoutFormat
Format = Annotated[AnyFormat, Field(discriminator="kind")]

DEFAULT_FORMAT = "adaptive"

BY_FORMAT: Mapping[str, Mapping[str, Mapping[str, Any]]] = {
    "elo": {},
    "swiss": {"judge": {"orders": "both"}, "stop": {"rule": "none"}},
    "pivot": {"stop": {"rule": "none"}},
    "adaptive": {"stop": {"rule": "confident"}},
    "round_robin": {"stop": {"rule": "none"}},
    "knockout": {"stop": {"rule": "none"}},
}
"""The defaults of other sections that a format changes, by kind."""


def kind_of(chosen: Mapping[str, Any]) -> str:
    """The kind of a format that does not name it: the only one that has all of its keys, else the default."""
    if chosen.get("preset") == "co_scientist":
        return "elo"
    fitting = [model for model in get_args(AnyFormat) if chosen.keys() <= model.model_fields.keys()]
    return str(fitting[0].model_fields["kind"].default) if len(fitting) == 1 else DEFAULT_FORMAT


PRESETS: Mapping[str, Mapping[str, Mapping[str, Any]]] = {
    "co_scientist": {
        "format": {"rematch_penalty": False, "focus_new_entrants": True},
        "judge": {"draws": False, "orders": "given", "single_call": True},
        "stop": {"min_matches_before_stable": 0, "min_matches_each": 0},
    },
    "seed": {},
}
"""The defaults that `format.preset` changes, by section; what is set explicitly stands."""
