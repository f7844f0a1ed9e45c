"""What prompts, the readers of replies and the mock provider agree on, word for word. A leaf module.

A prompt shows foreign text between fence lines that carry an id nobody outside the run can guess:

    <<<text K7 0f3a...>>>
    the words of the candidate that is labelled K7 in this prompt, unaltered
    <<<end 0f3a...>>>

A fence has a kind (`FENCE_KINDS`), a label and an id; blocks of one prompt may share an id. A verdict is
the line `better idea: LABEL`. A score is the line `score LABEL: LETTER`, one for each text in one reply.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal

FenceKind = Literal["text", "review", "prompt", "turn", "reply"]
FENCE_KINDS: tuple[FenceKind, ...] = ("text", "review", "prompt", "turn", "reply")
"""A candidate's words; a review of it; the group's prompt; a debate's earlier turn, whose label is its
speaker (`advocate-K7`, `judge`); a reply that is shown again. A group's prompt has the label `-`."""

FENCE_OPEN = "<<<{kind} {label} {id}>>>"
FENCE_CLOSE = "<<<end {id}>>>"

CONTRACT = "better idea"
"""What the verdict line starts with: `better idea: 1`."""
TIE = "tie"
"""The word for a draw in a prompt that offers one: `better idea: tie`."""

SCORE = "score"
"""What a score line starts with: `score 1: C`."""
SCALE = "ABCDEFGHIJKLMNOPQRST"
"""Letters of the score, A the best (20 points) to T the worst (1 point)."""

ADVOCATE = "You are the advocate of {label}"
"""The sentence that tells a debater which text to speak for."""
QUESTION = "QUESTION"
"""What a line starts with in which the judge of a debate asks an advocate: `QUESTION: ...`."""
MOST_TURNS = 10
"""Turns that a debate can have, those after the judge has asked back included."""
LINE_ONLY = "Reply with that line only"
"""The sentence that asks again for a verdict or scores, without reasons."""

_BLOCK = re.compile(
    r"^<<<(?P<kind>" + "|".join(FENCE_KINDS) + r") (?P<label>\S+) (?P<id>[0-9A-Za-z]+)>>>\n"
    r"(?:(?P<body>.*?)\n)?<<<end (?P=id)>>>$",
    re.MULTILINE | re.DOTALL,
)


@dataclass(frozen=True, slots=True)
class Fenced:
    """A block between fence lines; `start` and `end` are its place in the prompt, lines included."""

    kind: str
    label: str
    id: str
    body: str
    start: int
    end: int


def fence(kind: FenceKind, label: str, id: str, body: str) -> str:
    """`body`, unaltered, between its fence lines; no line end before or after."""
    opening = FENCE_OPEN.format(kind=kind, label=label, id=id)
    return f"{opening}\n{body}\n{FENCE_CLOSE.format(id=id)}"


def fenced(prompt: str) -> Iterator[Fenced]:
    """The blocks of a prompt in order."""
    for found in _BLOCK.finditer(prompt):
        yield Fenced(
            found["kind"], found["label"], found["id"], found["body"] or "", found.start(), found.end()
        )


def points(letter: str) -> int:
    """What a letter of the scale is worth: 20 for A to 1 for T, in either case; ValueError for others."""
    at = SCALE.find(letter.upper()) if len(letter) == 1 else -1
    if at < 0:
        raise ValueError(f"{letter!r} is no letter of the scale {SCALE[0]} to {SCALE[-1]}")
    return len(SCALE) - at
