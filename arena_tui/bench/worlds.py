"""Who judges in a bench, and what is true there: simulated judges with known strengths, or recorded votes.

A world gives for every seed the same groups and verdicts to every format: the k-th comparison of an ordered
pair says the same whoever asks it.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from random import Random
from typing import Protocol

from arena_tui.candidate import Candidate, Group
from arena_tui.judging.base import Question, Verdict

GAP = 0.405
"""Mean gap of neighbours in logits under the usual spread: the better one wins 60 % of their meetings."""
SOFT_NOISE = 1.0
"""Standard deviation, in logits, of what a judge that gives probabilities gets wrong each time."""


class BenchJudge(Protocol):
    """Answers at once."""

    def verdict(self, question: Question) -> Verdict:
        """What is said; a judge may count how often it was asked."""
        ...


@dataclass(frozen=True, slots=True)
class Contest:
    """One tournament to be held: its groups, a fresh judge, and the true strengths (logits) by entrant."""

    groups: tuple[Group, ...]
    judge: BenchJudge
    truth: Mapping[str, float]


class World(Protocol):
    """Where formats are tried. It can be sent to another process."""

    @property
    def arenas(self) -> int:
        """How many groups are played for themselves, each with every seed."""
        ...

    @property
    def compare(self) -> str:
        """`candidates` or `systems`, as in a tournament file."""
        ...

    def size(self, arena: int) -> int:
        """How many entrants an arena has."""
        ...

    def contest(self, arena: int, seed: int) -> Contest:
        """The arena as the seed has it."""
        ...


def normal_range(n: int) -> float:
    """The expected range of `n` standard normals: the integral of 1 - F^n - (1 - F)^n.

    By the trapezoidal rule at steps of 1/128 over [-12, 12], which is exact to 1e-12 for so smooth a tail.
    Source: Tippett 1925.
    """
    steps = 128
    total = 0.0
    for k in range(-12 * steps, 12 * steps + 1):
        below = 0.5 * math.erfc(-k / steps / math.sqrt(2.0))
        above = 0.5 * math.erfc(k / steps / math.sqrt(2.0))
        total += 1.0 - below**n - above**n
    return total / steps


def usual_spread(n: int) -> float:
    """The standard deviation of strengths under which neighbours of `n` are `GAP` logits apart on average."""
    return GAP * (n - 1) / normal_range(n)


@dataclass(frozen=True, slots=True)
class SimulatedWorld:
    """`n` candidates with strengths N(0, spread^2), drawn anew for every seed.

    The first wins with log-odds gap + `slot_bias` (+ the pair's own N(0, sticky^2), which no repetition
    averages away); `draw_rate` of the verdicts are ties instead. `soft`: a probability, off by N(0, 1) logits
    each time, in place of a coin toss and of ties.
    """

    n: int
    spread: float
    slot_bias: float = 0.3
    draw_rate: float = 0.1
    sticky: float = 0.0
    soft: bool = False
    arenas: int = 1
    compare: str = "candidates"

    def size(self, arena: int) -> int:
        """See `World.size`."""
        return self.n

    def contest(self, arena: int, seed: int) -> Contest:
        """See `World.contest`."""
        draw = Random(f"bench:{seed}:strengths")
        strengths = {f"c{number:04d}": draw.gauss(0.0, self.spread) for number in range(self.n)}
        group = Group("main", tuple(Candidate(id_, id_) for id_ in strengths))
        return Contest((group,), SimulatedVoice(self, strengths, seed), strengths)


class SimulatedVoice:
    """The judge of a simulated world."""

    def __init__(self, world: SimulatedWorld, strengths: Mapping[str, float], seed: int) -> None:
        self._world, self._strengths, self._seed = world, strengths, seed
        self._asked: Counter[tuple[str, str]] = Counter()

    def verdict(self, question: Question) -> Verdict:
        """What is said the next time that these two are shown in this order."""
        world, first, second = self._world, question.first.id, question.second.id
        self._asked[first, second] += 1
        draw = Random(f"bench:{self._seed}:{first}:{second}:{self._asked[first, second]}")
        drawn, coin = draw.random(), draw.random()
        odds = (
            self._strengths[first] - self._strengths[second] + world.slot_bias + self._offset(first, second)
        )
        if world.soft:
            p_first = _logistic(odds + draw.gauss(0.0, SOFT_NOISE))
            return Verdict("first" if p_first >= 0.5 else "second", p_first)
        if drawn < world.draw_rate:
            return Verdict("draw")
        return Verdict("first" if coin < _logistic(odds) else "second")

    def _offset(self, first: str, second: str) -> float:
        """What the pair has of its own, seen from the first."""
        if not self._world.sticky:
            return 0.0
        low, high = sorted((first, second))
        offset = Random(f"bench:{self._seed}:pair:{low}:{high}").gauss(0.0, self._world.sticky)
        return offset if low == first else -offset


def _logistic(odds: float) -> float:
    return 0.5 + 0.5 * math.tanh(odds / 2.0)
