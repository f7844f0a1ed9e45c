"""The mock provider's score letters: a distribution over the scale, and the log-probabilities of a reply."""

from __future__ import annotations

import math
import random
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from arena_tui.conventions import SCALE
from arena_tui.providers.base import TokenLogprobs
from arena_tui.providers.mock_stage import logistic

STRAY = 0.02  # probability outside the letters of the scale
SPREAD = 1.2  # letters: standard deviation of a score around its centre
_TOKEN = re.compile(r"\s*\w+|\s*[^\w\s]|\s+")


@dataclass(frozen=True, slots=True)
class Letter:
    """The letter that is said, and the chance of every letter."""

    said: str
    chances: Mapping[str, float]


def letter_for(strength: float, rng: random.Random) -> Letter:
    """A letter for a text of this strength in logits: A far above 0, T far below."""
    centre = (1.0 - logistic(strength)) * (len(SCALE) - 1)
    weights = [math.exp(-0.5 * ((at - centre) / SPREAD) ** 2) for at in range(len(SCALE))]
    share = (1.0 - STRAY) / sum(weights)
    chances = {letter: weight * share for letter, weight in zip(SCALE, weights, strict=True)}
    return Letter(rng.choices(SCALE, weights)[0], chances)


def logprobs(text: str, letters: Sequence[Letter], most: int) -> tuple[TokenLogprobs, ...]:
    """The tokens of a reply, a word or a sign each; letters of score lines with up to `most` alternatives."""
    tokens = _TOKEN.findall(text)
    result = [TokenLogprobs(token, 0.0, ((token, 0.0),)) for token in tokens]
    waiting = list(letters)
    for at in range(len(tokens) - 1, 0, -1):
        if not waiting:
            break
        if tokens[at - 1] == ":" and tokens[at].strip() == waiting[-1].said:
            letter = waiting.pop()
            space = tokens[at][: -len(letter.said)]
            chances = [(space + word, chance) for word, chance in letter.chances.items()]
            chances = sorted([*chances, ("\n", STRAY)], key=lambda pair: -pair[1])
            top = tuple((word, math.log(chance)) for word, chance in chances[:most] if chance > 0)
            result[at] = TokenLogprobs(tokens[at], math.log(letter.chances[letter.said]), top)
    return tuple(result)
