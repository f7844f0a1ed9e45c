"""The frozen facts that travel between layers: steps, outcomes, rating changes, interventions, standings.

A leaf module: formats make and take them, the store writes them down, the engine carries them.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal

from arena_tui.candidate import Candidate
from arena_tui.vocabulary import Mode, Orientation, Said, Winner


@dataclass(frozen=True, slots=True)
class Match:
    """One planned meeting: step `seq` (from 1) of the group; `a` is in slot 1 of the first comparison."""

    group: str
    seq: int
    a: str
    b: str
    mode: Mode
    orders: tuple[Orientation, ...] = ("ab",)
    round: int | None = None
    similarity: float | None = None
    why: str = ""  # why these two: the bucket, `focus`, `asked`, a round
    at: str | None = None  # the group whose texts are shown, where systems meet over many groups


Step = Match  # later formats add member runs, births and writings


@dataclass(frozen=True, slots=True)
class Comparison:
    """What one comparison of a match said. `ab`: entrant a was first."""

    orientation: Orientation
    verdict: Said
    p_first: float | None = None


@dataclass(frozen=True, slots=True)
class Outcome:
    """What a match said, handed to the format in applied order (`applied_no` counts from 1 in the group).

    `reason` says why a void match is void; `withdrawn` is the reason of a match whose entrant was
    rejected. `p_a` is the judge's probability that a is better, where it gave one. `comparisons` are
    those behind the outcome; empty, the outcome stands for one comparison with a first.
    """

    step: Match
    winner: Winner
    applied_no: int
    p_a: float | None = None
    reason: str = ""
    comparisons: tuple[Comparison, ...] = ()


@dataclass(frozen=True, slots=True)
class RatingChange:
    """What one outcome did to two ratings; `expected_a` and `k` are null for a void match."""

    a: str
    b: str
    a_before: float
    a_after: float
    b_before: float
    b_after: float
    expected_a: float | None = None
    k: float | None = None


WITHDRAWN = "withdrawn"
"""Why a match is void whose entrant was rejected before its turn."""

InterventionKind = Literal[
    "pin", "unpin", "reject", "restore", "add", "focus", "match", "overrule", "settings", "reopen"
]


@dataclass(frozen=True, slots=True)
class Intervention:
    """A journaled action on one group (`group` is None for the whole run).

    `candidate` is the id acted on; `other` the second entrant of `match`; `added` the candidate of
    `add`; `seq` and `winner` the step and new outcome of `overrule`; `values` what `settings` changes.
    """

    kind: InterventionKind
    group: str | None = None
    candidate: str | None = None
    other: str | None = None
    added: Candidate | None = None
    seq: int | None = None
    winner: Winner | None = None
    values: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Score:
    """What the `ratings` table holds of an entrant: its Elo rating or its points, and valid matches."""

    id: str
    rating: float
    matches: int


@dataclass(frozen=True, slots=True)
class Standing:
    """One entrant's place. `fitted` is its Bradley-Terry rating, 1500 on average, `low` to `high` the 95 %
    interval of that; `rating` is the same in all formats but Elo's. `rank_low` to `rank_high` are the
    ranks it cannot be told apart from, `p_best` the chance that it is the best of its class. All of these
    are None before there is a comparison. `score` is what its format ranks by, where that is no rating.
    """

    id: str
    rank: int
    rating: float
    wins: int = 0
    losses: int = 0
    draws: int = 0
    matches: int = 0  # valid ones: wins + losses + draws
    rank_low: int | None = None
    rank_high: int | None = None
    low: float | None = None
    high: float | None = None
    p_best: float | None = None
    fitted: float | None = None
    score: float | None = None


Standings = Sequence[Standing]  # best first; ties keep pool order and get distinct ranks


@dataclass(frozen=True, slots=True)
class Leaders:
    """The front of the field: the best few of every class as (id, rating), how many play, and the
    fewest valid matches any of those has."""

    top: tuple[tuple[str, float], ...]
    playing: int
    fewest_matches: int


@dataclass(frozen=True, slots=True)
class Progress:
    """`done` applied steps of `expected` (None when open-ended); `phase` names a round or stage."""

    done: int
    expected: int | None = None
    phase: str = ""
