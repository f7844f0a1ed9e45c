"""How a person is asked on a terminal: the two texts as lines, without names, and the words of an answer.

One set for the person who judges a run and for the one who judges its matches again by hand.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from arena_tui.judging.base import Question
from arena_tui.safetext import clean
from arena_tui.vocabulary import Said

WORDS: Mapping[str, Said] = {
    "1": "first",
    "2": "second",
    **dict.fromkeys(("t", "tie", "draw", "="), "draw"),
    **dict.fromkeys(("s", "skip"), "invalid"),
}
"""What a person may type, and what it says of the texts as they are shown."""


def answer_of(word: str, draws: bool) -> Said | None:
    """What a typed word says; None when it is none of the words, or a draw where draws are off."""
    said = WORDS.get(word.strip().lower())
    return None if said == "draw" and not draws else said


def ways(draws: bool, *more: str) -> str:
    """The ways to answer, for a prompt; each is a line, ended with the return key."""
    tie = ("t for a tie",) if draws else ()
    return f"{', '.join(('1 or 2', *tie, 's to skip', *more))}, then Return"


def question_lines(question: Question, heading: str, task: str, criteria: Mapping[str, str]) -> Iterator[str]:
    """The question under `heading`, cleaned. `task` and `criteria` are used where it has none of its own."""
    yield f"\n=== {heading} ==="
    yield clean(question.task or task)
    yield from criteria_lines(criteria if question.criteria is None else question.criteria)
    if question.prompt:
        yield f"--- prompt ---\n{clean(question.prompt)}"
    for number, candidate in enumerate((question.first, question.second), 1):
        yield f"--- text {number} ---\n{clean(candidate.text)}"
        if candidate.review:
            yield f"--- review of text {number} ---\n{clean(candidate.review)}"
    yield "---"


def criteria_lines(criteria: Mapping[str, str]) -> Iterator[str]:
    """A line for each criterion, cleaned."""
    for name, words in criteria.items():
        yield clean(f"- {name}" if words == name else f"- {name}: {words}")
