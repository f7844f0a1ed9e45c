"""How the mock provider understands a prompt: by what is written in it, as a model would.

It looks for fenced texts and their labels, for the verdict or score line that is asked for, and for the
sentence that makes it an advocate; `arena_tui.conventions` holds these words. Pure.
"""

from __future__ import annotations

import hashlib
import re
from dataclasses import dataclass
from typing import Literal

from arena_tui.conventions import ADVOCATE, CONTRACT, LINE_ONLY, QUESTION, SCORE, TIE, Fenced, fenced
from arena_tui.providers.base import Request

Kind = Literal["pairwise", "panel", "advocate", "questions", "judge", "score", "json", "prose"]
"""What is asked for: a verdict at once, a debate in one reply, one side of a debate, its judge's questions,
the judgment that ends it, scores, a JSON object (a rubric), or anything else (an overview)."""

_DRAW = re.compile(rf"{CONTRACT}\s*[::]\W*(?:{TIE}|draw|equal)\b", re.IGNORECASE)
_TIE_LINE = re.compile(rf"^{CONTRACT}: ({TIE}\b[^\n]*)$", re.MULTILINE)
_DEBATE = re.compile(r"\b(?:write|hold|play)\b[^.]{0,40}\bdebate\b|\bpanel of experts\b", re.IGNORECASE)
_JSON = re.compile(r"\bJSON\b")


@dataclass(frozen=True, slots=True)
class Scene:
    """A prompt as understood. `labels` and `texts` are those of the fenced texts, in order.

    `speaks_for` is the index of the advocate's side, `turn` how many turns of the debate came before,
    `draws` whether a draw is offered and `tie` what it is to be called, `line_only` that nothing but the line
    is wanted. `prompt` is all that was written, `instructions` the part of it outside all fences, `key` tells
    prompts apart that differ in more than labels and fence ids.
    """

    kind: Kind
    labels: tuple[str, ...]
    texts: tuple[str, ...]
    speaks_for: int
    turn: int
    draws: bool
    tie: str
    line_only: bool
    prompt: str
    instructions: str
    key: str


def understood(request: Request) -> Scene:
    """What a request asks for."""
    system = "".join(part.text for part in request.system)
    spoken = [message.text for message in request.messages]
    last = spoken[-1] if spoken else ""
    whole = "\n".join([system, *spoken])
    blocks = list(fenced(whole))
    texts = _first_of_each([block for block in blocks if block.kind == "text"])
    labels = tuple(block.label for block in texts)
    instructions = _outside(whole)
    said = sum(message.role == "assistant" for message in request.messages)
    turns = sum(block.kind == "turn" for block in blocks) or said
    line_only = LINE_ONLY.casefold() in _outside(last).casefold()
    kind, speaks_for = _asked(system, last, instructions, labels, debated=turns > 0 and not line_only)
    return Scene(
        kind=kind,
        labels=labels,
        texts=tuple(block.body for block in texts),
        speaks_for=speaks_for,
        turn=turns,
        draws=_DRAW.search(instructions) is not None,
        tie=(_TIE_LINE.findall(instructions) or [TIE])[-1],
        line_only=line_only,
        prompt=whole,
        instructions=instructions,
        key=_key(whole, blocks, labels),
    )


def _asked(
    system: str, last: str, instructions: str, labels: tuple[str, ...], *, debated: bool
) -> tuple[Kind, int]:
    """What is asked for, and the side of an advocate (0 for all others)."""
    if len(labels) >= 2:
        for words in (_outside(system), _outside(last)):
            side = _advocate_of(words, labels)
            if side is not None:
                return "advocate", side
        if _line(SCORE, labels).search(instructions):
            return "score", 0
        if _line(CONTRACT, labels).search(instructions):
            if debated:
                return "judge", 0
            return ("panel" if _DEBATE.search(instructions) else "pairwise"), 0
        if debated and f"{QUESTION}:" in instructions:
            return "questions", 0
    return ("json" if _JSON.search(_outside(last) if labels else instructions) else "prose"), 0


def _advocate_of(words: str, labels: tuple[str, ...]) -> int | None:
    """The index of the label that the words make their reader the advocate of."""
    before, after = (re.escape(part) for part in ADVOCATE.split("{label}"))
    named = "|".join(re.escape(label) for label in labels)
    found = re.search(rf"{before}\W*(?:text\s+|idea\s+)?\W*({named})\b{after}", words, re.IGNORECASE)
    return None if found is None else [label.casefold() for label in labels].index(found[1].casefold())


def _line(start: str, labels: tuple[str, ...]) -> re.Pattern[str]:
    """The verdict line (`better idea: K7`) or the score line (`score K7: ...`) with any of the labels."""
    named = "|".join(re.escape(label) for label in labels)
    body = rf"\s*[::]\W*(?:{named})\b" if start == CONTRACT else rf"\s+(?:{named})\s*[::]"
    return re.compile(rf"\b{start}{body}", re.IGNORECASE)


def _outside(prompt: str) -> str:
    """The prompt without its fenced blocks."""
    kept, at = [], 0
    for block in fenced(prompt):
        kept.append(prompt[at : block.start])
        at = block.end
    return "".join([*kept, prompt[at:]])


def _first_of_each(blocks: list[Fenced]) -> list[Fenced]:
    """The first block of every label: a conversation may show the texts again."""
    first: dict[str, Fenced] = {}
    for block in blocks:
        first.setdefault(block.label, block)
    return list(first.values())


def _key(whole: str, blocks: list[Fenced], labels: tuple[str, ...]) -> str:
    """A digest of the prompt that is equal under other labels and other fence ids."""
    places = {block.id: "" for block in blocks}
    places |= {label: f"<{index}>" for index, label in enumerate(labels)}
    if places:
        words = "|".join(re.escape(word) for word in sorted(places, key=len, reverse=True))
        whole = re.sub(rf"(?<!\w)(?:{words})(?!\w)", lambda found: places[found[0]], whole)
    return hashlib.sha256(whole.encode("utf-8", "surrogatepass")).hexdigest()
