"""Scores instead of a verdict: both texts get a letter for each criterion, and the difference is a chance.

As in LLM-as-a-Verifier: the reward of a text is the mean of its scores over criteria and repeats, mapped to
[0, 1], and p(first better) = 1 / (1 + exp(-(R_first - R_second))), without a temperature, so that it lies
between 0.269 and 0.731. Unlike there, a score that cannot be read is left out and never counts as one half.
Pure.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction

from arena_tui.judging.base import Reply, Verdict
from arena_tui.judging.conversation import REASKED, Call, Heard, again, is_final, longest, unusable
from arena_tui.judging.letters import Score, expected, letters_in, plain, reward
from arena_tui.judging.pairwise import UNFINISHED
from arena_tui.judging.verdict_text import Unreadable
from arena_tui.providers.base import Request
from arena_tui.vocabulary import Said

LEFT_OUT = "scores left out"
"""Flag of a comparison in which some scores could not be read, but at least one of each criterion could."""
LEVEL = "both texts have exactly the same score, and judge.draws is off"


def shared_between_orders(n_evaluations: int) -> bool:
    """True when a match is held in both orders, each with half of the repeats: for an even number."""
    return n_evaluations % 2 == 0


def repeats_of(n_evaluations: int) -> int:
    """How often one comparison asks for each criterion."""
    return n_evaluations // 2 if shared_between_orders(n_evaluations) else n_evaluations


def win_probability(first: float, second: float) -> float:
    """p(first better) of two rewards in [0, 1]. Source: the Verifier's sigma(R_a - R_b)."""
    return 1.0 / (1.0 + math.exp(second - first))


@dataclass(frozen=True, slots=True)
class _Pair:
    """Both scores of one reply, or why there are none; `settled` when no further call would mend that."""

    scores: tuple[Score, Score] | None = None
    fault: str = ""
    settled: bool = True


class Scoring:
    """Implements `Dialogue`: `repeats` calls for each criterion, all alike but for the criterion at the end.

    The first call goes alone, so that the others find its prompt in the provider's cache; then all are
    asked at once. `request` makes the request of a criterion's number, `names` are what they are called. A
    score whose probabilities cover the scale with less than `floor` counts as unreadable. A comparison
    with a criterion that has no readable score is invalid, and is given up as soon as that is certain.
    """

    def __init__(
        self,
        request: Callable[[int], Request],
        names: Sequence[str],
        *,
        repeats: int,
        labels: tuple[str, str],
        words: str,
        floor: float,
        draws: bool,
    ) -> None:
        self._request = request
        self._names = tuple(names)
        self._repeats = repeats
        self._labels = labels
        self._words = words
        self._floor = floor
        self._draws = draws

    def next(self, replies: Sequence[Reply]) -> tuple[Call, ...]:
        """The calls that are left, or the first one alone."""
        heard = Heard(replies)
        if self._hopeless(heard) is not None:
            return ()
        calls = tuple(call for turn in range(self._turns) for call in self._left(heard, turn))
        return calls if heard.at(0) is not None else calls[:1]

    def ahead(self, replies: Sequence[Reply]) -> Iterator[Request]:
        """Each call that is left, and asking again."""
        heard = Heard(replies)
        if self._hopeless(heard) is not None:
            return
        for turn in range(self._turns):
            if self._pair(heard, turn) is not None:
                continue
            first, call = heard.at(turn), self._call(turn)
            if first is None:
                yield call.request
            yield again(call, longest(call.request.max_tokens, first), self._words).request

    def unreadable(self, replies: Sequence[Reply], reply: Reply) -> bool:
        """It is whole and does not have both scores."""
        return not unusable(reply) and self._scored(reply).scores is None

    def read(self, replies: Sequence[Reply]) -> Verdict:
        """The side with the higher reward; `reason` has the rewards, all scores, and what the judge said."""
        heard = Heard(replies)
        flags = [REASKED] if any(heard.at(turn, 1) is not None for turn in range(self._turns)) else []
        hopeless = self._hopeless(heard)
        if hopeless is not None:
            return Verdict("invalid", reason=hopeless, flags=tuple(flags))
        pairs = [self._pair(heard, turn) for turn in range(self._turns)]
        if any(pair is None for pair in pairs):
            return Verdict("invalid", reason=UNFINISHED, flags=tuple(flags))
        if any(pair is not None and pair.scores is None for pair in pairs):
            flags.append(LEFT_OUT)
        by_criterion = [
            [pair.scores for pair in pairs[number :: len(self._names)] if pair is not None and pair.scores]
            for number in range(len(self._names))
        ]
        first, second = (self._reward(by_criterion, side) for side in (0, 1))
        p_first = win_probability(first, second)
        told = "\n\n".join(self._told(by_criterion, first, second, p_first, heard))
        if p_first == 0.5 and not self._draws:
            return Verdict("invalid", reason=LEVEL, flags=tuple(flags))
        winner: Said = "draw" if p_first == 0.5 else "first" if p_first > 0.5 else "second"
        return Verdict(winner, p_first, told, tuple(flags))

    @property
    def _turns(self) -> int:
        return len(self._names) * self._repeats

    def _call(self, turn: int) -> Call:
        repeat, number = divmod(turn, len(self._names))
        return Call(turn, self._request(number), self._names[number], repeat=repeat)

    def _left(self, heard: Heard, turn: int) -> Iterator[Call]:
        """What is still to be asked in a turn."""
        if self._pair(heard, turn) is None:
            first, call = heard.at(turn), self._call(turn)
            yield call if first is None else again(call, first, self._words)

    def _pair(self, heard: Heard, turn: int) -> _Pair | None:
        """Both scores of a turn; None while there is something to ask."""
        first, second = heard.at(turn), heard.at(turn, 1)
        if first is None:
            return None
        pair = self._scored(first)
        if pair.settled:
            return pair
        if second is None:
            return None
        repeated = self._scored(second)
        return repeated if repeated.scores else _Pair(fault=f"{pair.fault}; asked again: {repeated.fault}")

    def _scored(self, reply: Reply) -> _Pair:
        fault = unusable(reply)
        if fault:
            return _Pair(fault=fault, settled=is_final(reply))
        try:
            letters = letters_in(reply.text, self._labels)
        except Unreadable as unreadable:
            return _Pair(fault=unreadable.reason, settled=False)
        if len(reply.logprobs) != len(letters):
            return _Pair((plain(letters[0]), plain(letters[1])))
        first, second = (expected(x, top) for x, (_, top) in zip(letters, reply.logprobs, strict=True))
        mass = min(first.mass or 0.0, second.mass or 0.0)
        if mass < self._floor:
            least = f"judge.score_floor asks for {self._floor:.0%}"
            return _Pair(fault=f"only {mass:.1%} of the probability is on letters of the scale, and {least}")
        return _Pair((first, second))

    def _hopeless(self, heard: Heard) -> str | None:
        """Why no verdict can come of it any more: a criterion without a readable score."""
        for number, name in enumerate(self._names):
            pairs = [self._pair(heard, turn) for turn in range(number, self._turns, len(self._names))]
            if all(pair is not None and pair.scores is None for pair in pairs):
                faults = dict.fromkeys(pair.fault for pair in pairs if pair is not None)
                return f"no readable score for {name}: {'; '.join(faults)}"
        return None

    def _reward(self, by_criterion: Sequence[Sequence[tuple[Score, Score]]], side: int) -> float:
        """The mean over criteria of the mean over repeats, exact, so that equal scores are equal."""
        means = [sum(Fraction(pair[side].points) for pair in pairs) / len(pairs) for pairs in by_criterion]
        return reward(float(sum(means) / len(means)))

    def _told(
        self,
        by_criterion: Sequence[Sequence[tuple[Score, Score]]],
        first: float,
        second: float,
        p_first: float,
        heard: Heard,
    ) -> Iterator[str]:
        yield f"reward {first:.3f} against {second:.3f}: {p_first:.3f} for the first"
        for name, pairs in zip(self._names, by_criterion, strict=True):
            yield f"{name}: " + ", ".join(f"{_shown(a)} against {_shown(b)}" for a, b in pairs)
        for turn in range(self._turns):
            for sample in (0, 1):
                reply = heard.at(turn, sample)
                if reply is not None and reply.text.strip():
                    yield f"[{self._call_name(turn)}] {reply.text.strip()}"

    def _call_name(self, turn: int) -> str:
        return self._names[turn % len(self._names)]


def _shown(score: Score) -> str:
    """A score as a reader sees it: the letter, its points, and what of the probability it rests on."""
    mass = "" if score.mass is None else f", {score.mass:.0%} covered"
    return f"{score.letter} ({score.points:.2f}{mass})"
