"""Pairs of texts with a known better one, and replies that a judge once gave on them, read strictly.

Both are JSON Lines. A pair is `{"id", "first", "second", "gold", "task"?, "prompt"?}`; `gold` is `first`,
`second` or `draw` (also 1, 2, `a`, `b`, `tie`, `equal`). A row of replies is `{"id", "ab_text"?,
"ba_text"?}`: what was said with `first` shown first, and with `second` shown first; null and the empty
text are replies too. Further keys are welcome. Every fault is named with its line.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal, TypeVar

from arena_tui.errors import FileProblems, Problem, UsageError
from arena_tui.judging.strict_json import optional_text, strict_object
from arena_tui.text_files import label_of, read_text
from arena_tui.values import shown
from arena_tui.vocabulary import Orientation

T = TypeVar("T")
Gold = Literal["first", "second", "draw"]

MAX_BYTES = 200_000_000
PROBLEMS_SHOWN = 20  # a file of another shape has a fault on every line; the first ones say enough
_GOLD: Mapping[str, Gold] = {
    **dict.fromkeys(("first", "1", "a"), "first"),
    **dict.fromkeys(("second", "2", "b"), "second"),
    **dict.fromkeys(("draw", "tie", "equal"), "draw"),
}
_PAIR = '{"id", "first", "second", "gold": "first", "second" or "draw"}'
_REPLIES = '{"id", "ab_text", "ba_text"}'


@dataclass(frozen=True, slots=True)
class GoldPair:
    """Two texts and which is better; `task` takes the place of the tournament's, `prompt` is data."""

    id: str
    first: str
    second: str
    gold: Gold
    task: str | None = None
    prompt: str | None = None


Replies = Mapping[tuple[str, Orientation], str]
"""Recorded replies by pair and order."""


def read_gold(path: Path, where: Mapping[str, str] = {}) -> list[GoldPair]:
    """The pairs of a file in its order. `where` leaves out rows that have one of its keys with another value.

    FileProblems with every bad line, also when nothing is left to judge.
    """
    pairs = [pair for _, pair in _read(path, _pair, _PAIR, where)]
    if not pairs:
        chosen = " with these values" if where else ""
        raise FileProblems(
            [Problem(label_of(path), None, f"has no pairs{chosen}", f"expected lines {_PAIR}")]
        )
    return pairs


def read_replies(path: Path, pairs: Iterable[GoldPair], where: Mapping[str, str] = {}) -> Replies:
    """The recorded replies to `pairs`; those to other pairs are passed over.

    FileProblems with every bad line, and when no reply is to one of the pairs.
    """
    known = {pair.id for pair in pairs}
    found: dict[tuple[str, Orientation], str] = {}
    for _, (id_, texts) in _read(path, _texts, _REPLIES, where):
        if id_ in known:
            found |= {(id_, orientation): text for orientation, text in texts.items()}
    if not found:
        raise FileProblems([Problem(label_of(path), None, "has no reply to any of the pairs")])
    return found


def conditions(written: Sequence[str]) -> dict[str, str]:
    """`--where KEY=VALUE` options as a mapping."""
    found = {}
    for condition in written:
        key, equals, value = condition.partition("=")
        if not equals or not key:
            raise UsageError(f"--where {condition}: write KEY=VALUE, as in --where subset=natural")
        found[key] = value
    return found


def _read(
    path: Path, parse: Callable[[dict[str, Any]], tuple[str, T]], expected: str, where: Mapping[str, str]
) -> Iterator[tuple[str, T]]:
    """(id, what `parse` makes of a row) of every row that is meant; an id that comes twice is a fault."""
    label = label_of(path)
    text, _ = read_text(path, label, limit=MAX_BYTES, what="JSON Lines")
    problems: list[Problem] = []
    seen: dict[str, int] = {}
    for number, line in enumerate(text.split("\n"), 1):
        if not line.strip():
            continue
        try:
            row = strict_object(line)
            if any(key in row and str(row[key]) != value for key, value in where.items()):
                continue
            id_, item = parse(row)
            if id_ in seen:
                raise ValueError(f"the id {shown(id_)} was given on line {seen[id_]} already")
        except ValueError as error:
            problems.append(Problem(label, number, str(error), f"expected {expected}"))
            if len(problems) == PROBLEMS_SHOWN:
                problems.append(Problem(label, None, "there may be more such lines"))
                break
        else:
            seen[id_] = number
            yield id_, item
    if problems:
        raise FileProblems(problems)


def _pair(row: dict[str, Any]) -> tuple[str, GoldPair]:
    id_ = _id(row)
    for key in ("first", "second"):
        if not isinstance(row.get(key), str) or not row[key].strip():
            raise ValueError(f'"{key}" must be a text')
    gold = row.get("gold")
    written = str(gold).strip().casefold() if isinstance(gold, (str, int)) else ""
    if written not in _GOLD or isinstance(gold, bool):
        raise ValueError(
            f'"gold" must be "first", "second" or "draw" (or 1, 2, a, b, tie), not {shown(gold)}'
        )
    task, prompt = optional_text(row, "task"), optional_text(row, "prompt")
    return id_, GoldPair(id_, row["first"], row["second"], _GOLD[written], task or None, prompt or None)


def _texts(row: dict[str, Any]) -> tuple[str, tuple[str, dict[Orientation, str]]]:
    id_ = _id(row)
    orders: tuple[Orientation, ...] = ("ab", "ba")
    texts = {order: optional_text(row, f"{order}_text") for order in orders if f"{order}_text" in row}
    if not texts:
        raise ValueError('neither "ab_text" nor "ba_text" is given')
    return id_, (id_, texts)


def _id(row: dict[str, Any]) -> str:
    id_ = row.get("id")
    if isinstance(id_, bool) or not isinstance(id_, (str, int)) or not str(id_).strip():
        raise ValueError('"id" must be a text or a whole number')
    return str(id_)
