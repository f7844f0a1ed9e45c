"""A judge that needs no model: seeded verdicts that follow hidden strengths, with latency and faults.

Strengths are logits: with noise 1 a candidate one logit stronger wins 73 of 100 comparisons. Used by
the demo, by forecasts and by tests, and always labelled SIMULATED.
"""

from __future__ import annotations

import asyncio
import math
import random
from collections.abc import Awaitable, Callable, Iterable, Mapping, Sequence
from typing import TYPE_CHECKING

from arena_tui.candidate import Candidate
from arena_tui.judging.base import Desk, Question, Reply, Usage, Verdict
from arena_tui.judging.one_call import OneCall
from arena_tui.vocabulary import Said

if TYPE_CHECKING:
    from arena_tui import settings

CHILD_NOISE = 0.5  # logits: how far a child strays from the mean of its parents (standard deviation)
_WORDS: Mapping[str, Said] = {"first": "first", "second": "second", "draw": "draw", "invalid": "invalid"}
_REASONS: Mapping[Said, str] = {
    "first": "simulated: the first is stronger",
    "second": "simulated: the second is stronger",
    "draw": "simulated: no difference",
    "invalid": "simulated: no usable verdict",
}


class SimulatedJudge(OneCall):
    """Implements `Judge`. A verdict depends on the seed and the question alone, never on time or order.

    `candidates` are those of all groups as the run started, on a resume too: strengths of children
    come from the parents among them. A candidate first seen in a question gets its strength then, and
    passes nothing on: which of two late ones is seen first depends on latency. `sleep` takes the place
    of the latency of `settings`.
    """

    label = "SIMULATED"

    def __init__(
        self,
        settings: settings.SimulatedJudge,
        *,
        seed: int,
        candidates: Iterable[Candidate],
        sleep: Callable[[Question], Awaitable[None]] | None = None,
    ) -> None:
        self._settings = settings
        self._seed = seed
        self._usage = Usage(
            input_tokens=settings.usage.input_tokens,
            output_tokens=settings.usage.output_tokens,
            usd=settings.usage.usd,
        )
        self.keeps_replies = self._usage != Usage()
        self._sleep = sleep
        self._strengths: dict[tuple[str, str], float] = {}
        self._late: dict[tuple[str, str], float] = {}
        known = {(candidate.group, candidate.id): candidate for candidate in candidates}
        for candidate in known.values():
            self._settle(candidate, known)

    def strength(self, candidate: Candidate) -> float:
        """The hidden strength in logits: set in the file, given in the pool, inherited, or drawn."""
        key = (candidate.group, candidate.id)
        known = self._strengths.get(key, self._late.get(key))
        if known is None:
            known = self._late[key] = self._decide(candidate, self._of_parents(candidate))
        return known

    def worst_case(self, question: Question, replies: Sequence[Reply] = ()) -> Usage:
        """Exactly what every comparison costs."""
        return self._usage

    async def ask(self, question: Question, desk: Desk) -> None:
        """Lay down the verdict in words, after the latency."""
        if self._sleep is not None:
            await self._sleep(question)
        elif (seconds := self.latency(question)) > 0:
            await asyncio.sleep(seconds)
        said, p_first = self._verdict(question)
        desk.keep(Reply(said if p_first is None else f"{said} {p_first!r}", self._usage))

    def read(self, question: Question, replies: Sequence[Reply]) -> Verdict:
        """The verdict in the words of `ask`."""
        reply = replies[-1]
        word, _, number = reply.text.partition(" ")
        said = _WORDS.get(word)
        try:
            p_first = float(number) if number else None
        except ValueError:
            said, p_first = None, None
        if said is None:
            return Verdict("invalid", reason=reply.failure or "not a simulated verdict")
        return Verdict(said, p_first, _REASONS[said])

    def _verdict(self, question: Question) -> tuple[Said, float | None]:
        """What is said, and the probability of the first when the settings ask for it."""
        settings = self._settings
        draw = random.Random(f"{self._seed}:{_key(question)}")
        # Always three draws, so that changing one rate leaves the other decisions as they were.
        unusable, drawn, coin = draw.random(), draw.random(), draw.random()
        if unusable < settings.invalid_rate:
            return "invalid", None
        edge = self.strength(question.first) - self.strength(question.second) + settings.first_slot_bias
        p_first = _logistic(edge, settings.noise)
        soft = p_first if settings.soft else None
        if settings.draws and drawn < settings.draw_rate:
            return "draw", soft
        return ("first" if coin < p_first else "second"), soft

    def latency(self, question: Question) -> float:
        """Seconds this comparison takes; drawn log-normally where a spread is set."""
        spread = self._settings.latency.get(question.mode)
        if spread is None or spread.mean <= 0 or spread.cv <= 0:
            return spread.mean if spread else 0.0
        variance = math.log1p(spread.cv**2)  # of the logarithm, so that mean and cv come out as set
        draw = random.Random(f"{self._seed}:latency:{_key(question)}")
        return draw.lognormvariate(math.log(spread.mean) - variance / 2, math.sqrt(variance))

    def _settle(self, candidate: Candidate, known: Mapping[tuple[str, str], Candidate]) -> None:
        """Decide the strength of a candidate and of those it descends from, parents first.

        Walks with a stack of its own, since a long evolution is deeper than Python's. An ancestor
        that is unknown, or a descendant of itself, is left out of the mean.
        """
        waiting = [candidate]
        entered: set[tuple[str, str]] = set()
        while waiting:
            current = waiting[-1]
            key = (current.group, current.id)
            parents = [(current.group, parent) for parent in current.parent_ids]
            if key not in self._strengths and key not in entered and self._given(current) is None:
                entered.add(key)
                missing = [
                    known[p] for p in parents if p in known and p not in self._strengths and p not in entered
                ]
                if missing:
                    waiting.extend(missing)
                    continue
            waiting.pop()
            if key not in self._strengths:
                self._strengths[key] = self._decide(current, self._of_parents(current))

    def _of_parents(self, candidate: Candidate) -> list[float]:
        """The strengths of those parents that were there from the start."""
        parents = ((candidate.group, parent) for parent in candidate.parent_ids)
        return [self._strengths[parent] for parent in parents if parent in self._strengths]

    def _given(self, candidate: Candidate) -> float | None:
        """The strength that the tournament file or the pool sets."""
        return self._settings.strengths.get(candidate.id, candidate.strength)

    def _decide(self, candidate: Candidate, inherited: list[float]) -> float:
        """Given, else the mean of the parents' strengths with noise, else drawn from N(0, 1)."""
        given = self._given(candidate)
        if given is not None:
            return given
        drawn = random.Random(f"{self._seed}:strength:{candidate.text_hash}").gauss(0.0, 1.0)
        return sum(inherited) / len(inherited) + CHILD_NOISE * drawn if inherited else drawn


def _key(question: Question) -> str:
    """What a verdict is seeded by, apart from the run's seed: never the attempt, never the time."""
    # The 0 is the sample: a simulation is understood at once and never asked again.
    return f"{question.group}:{question.seq}:{question.orientation}:0"


def _logistic(edge: float, noise: float) -> float:
    """Chance of the side that is `edge` logits ahead, under logistic noise of scale `noise`; 0: certain."""
    if noise <= 0:
        return 0.5 if edge == 0 else float(edge > 0)
    scaled = edge / noise
    if scaled >= 0:
        return 1.0 / (1.0 + math.exp(-scaled))
    odds = math.exp(max(scaled, -700.0))
    return odds / (1.0 + odds)
