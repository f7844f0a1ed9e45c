"""Scores as letters: which letter a reply gives each text, and what its probabilities make of it. Pure.

The scale is that of LLM-as-a-Verifier: 20 letters, A is worth 20 points and T one. A score is the mean of
the points over the probabilities of the letter's token, a reward is (score - 1) / 19.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import lru_cache

from arena_tui.conventions import SCALE, SCORE, points
from arena_tui.judging.verdict_text import Unreadable, fold, page, spoken
from arena_tui.providers.base import TokenLogprobs

Alternatives = tuple[str, tuple[tuple[str, float], ...]]
"""A token and its most likely alternatives, as `Reply.logprobs` holds them."""

TOP = 20
"""How many alternatives of a token are asked for: the most that OpenAI gives, and as in the Verifier."""
_AROUND = " \t\r\n:=*_`\"'“”‘’«»()[]{}<>.,;|#~-–—\u2581\u0120\u010a"
"""What may surround the letter in its token: blanks (also as vocabularies write them), marks, brackets."""


@dataclass(frozen=True, slots=True)
class Score:
    """What one text got. `points` is from 1 to 20; `mass` the probability found on letters of the scale,
    None when the score is the bare letter."""

    letter: str
    points: float
    mass: float | None = None


def letters_in(text: str, labels: tuple[str, str]) -> tuple[str, str]:
    """The letters in the last score line of each label, as capitals.

    Quoted and fenced lines do not count, and a last line that names no single letter is not passed over.
    Raises `Unreadable` with the reason.
    """
    found: dict[str, str] = {}
    lines = page(spoken(text)).lines
    for label in labels:
        values = [
            (line, match["value"])
            for line in lines
            if not line.quoted and (match := _line(fold(label)).match(line.text)) is not None
        ]
        if not values:
            raise Unreadable(f"there is no line '{SCORE} {label}: ' with a letter")
        line, value = values[-1]
        letter = _spelled(value)
        if line.obeyed or not letter:
            raise Unreadable(f"the line '{SCORE} {label}: ' names no single letter from A to {SCALE[-1]}")
        found[label] = letter
    return found[labels[0]], found[labels[1]]


def letter_tokens(
    tokens: Sequence[TokenLogprobs], labels: tuple[str, str], letters: tuple[str, str]
) -> tuple[Alternatives, ...]:
    """The tokens of the two letters with their alternatives, in the labels' order.

    Empty unless both are found where the reply as its tokens spell it has its last score lines.
    """
    whole = "".join(token.token for token in tokens)
    found = []
    for label, letter in zip(labels, letters, strict=True):
        matches = list(_place(label).finditer(whole))
        if not matches or matches[-1]["letter"].upper() != letter:
            return ()
        token = _token_at(tokens, matches[-1].start("letter"))
        if token is None or not token.top:
            return ()
        own = () if any(text == token.token for text, _ in token.top) else ((token.token, token.logprob),)
        found.append((token.token, (*token.top, *own)))
    return tuple(found)


def expected(letter: str, alternatives: Iterable[tuple[str, float]]) -> Score:
    """The mean points over the probabilities of all spellings of all letters, renormalised.

    Spellings of a letter (case, blanks, marks beside it) add up. A score without any letter among the
    alternatives has mass 0 and the points of `letter`.
    """
    weights: dict[str, list[float]] = {}
    for text, logprob in alternatives:
        if spelled := _spelled(text):
            weights.setdefault(spelled, []).append(math.exp(min(0.0, logprob)))
    total = math.fsum(weight for each in weights.values() for weight in each)
    if total <= 0.0:
        return Score(letter, float(points(letter)), 0.0)
    mean = math.fsum(points(each) * weight for each, ws in weights.items() for weight in ws) / total
    return Score(letter, mean, min(1.0, total))


def _spelled(token: str) -> str:
    """The letter of the scale that a token is, as a capital; nothing when it is none or more than that."""
    letter = token.strip(_AROUND).upper()
    return letter if len(letter) == 1 and letter in SCALE else ""


def reward(mean_points: float) -> float:
    """Points, from 1 to 20, mapped to [0, 1]."""
    return (mean_points - 1.0) / (len(SCALE) - 1.0)


def plain(letter: str) -> Score:
    """The score of a letter without probabilities."""
    return Score(letter, float(points(letter)))


def _token_at(tokens: Sequence[TokenLogprobs], place: int) -> TokenLogprobs | None:
    """The token that covers the character at `place`; None when it holds more letters than that one."""
    start = 0
    for token in tokens:
        end = start + len(token.token)
        if start <= place < end:
            return token if _spelled(token.token) else None
        start = end
    return None


@lru_cache(maxsize=64)
def _line(label: str) -> re.Pattern[str]:
    """A whole score line of a label, folded; its value may be anything."""
    name = re.escape(label)
    return re.compile(
        rf"[\s*_#>\-•]*{SCORE}[\s*_\"'(\[]+{name}[\s*_\"')\]]*[:=](?P<value>.*)$", re.IGNORECASE
    )


@lru_cache(maxsize=64)
def _place(label: str) -> re.Pattern[str]:
    """The letter of a score line, wherever it is in a text."""
    name = re.escape(label)
    return re.compile(
        rf"{SCORE}[\s*_\"'(\[]+{name}[\s*_\"')\]]*[:=][\s\W_]{{0,8}}(?P<letter>[A-Za-z])(?![A-Za-z0-9])",
        re.IGNORECASE,
    )
