"""The rounds of a Swiss tournament as they were planned, and the words that explain them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from arena_tui.vocabulary import Orientation

ALL_PLAYED = "all its rounds are played"
TOO_FEW = "fewer than two may play"
NO_LEGAL_ROUND = "no round is left in which nobody meets a second time and nobody sits out twice"
EXCUSED_TOO_MANY = "too many asked to sit out"

EXCUSED = "bye: asked for"


@dataclass(frozen=True, slots=True)
class Pair:
    """Two entrants that meet, a in slot 1 of the first comparison, with their scores before the round."""

    a: int
    b: int
    orders: tuple[Orientation, ...]
    score_a: float
    score_b: float
    why: str


@dataclass(frozen=True, slots=True)
class Bracket:
    """Who of one class sits out a round: the one that had to, and those that asked to."""

    rounds: int  # of the class, as fixed with its first round
    bye: int | None
    why_bye: str
    excused: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Round:
    """One round of all classes that take part in it. Never changed, so copies may share it."""

    number: int
    pairs: tuple[Pair, ...]
    brackets: Mapping[str | None, Bracket]

    def __deepcopy__(self, memo: dict[int, Any]) -> Round:
        return self


def why_paired(score_a: float, score_b: float, *, first: bool, matched: bool) -> str:
    """Why two meet. `first`: nobody of their class has met anybody yet."""
    if first:
        return "first round: neighbours in the shuffle"
    found = "by matching" if matched else "nearest not met"
    if score_a == score_b:
        return f"score {score_a:g} each, {found}"
    return f"score {score_a:g} against {score_b:g}, {found}: the higher floats down"


def why_bye(score: float, *, passed: int, again: bool) -> str:
    """Why one sits out; `passed` entrants stand lower and would leave no legal round."""
    who = "after all others have" if again else "without a bye"
    legal = f" that leaves a legal round ({passed} below would not)" if passed else ""
    return f"bye: the number is odd; lowest {who}{legal}, score {score:g}"
