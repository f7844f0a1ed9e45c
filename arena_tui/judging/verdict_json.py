"""Finds JSON objects in a reply that carry a verdict; the one that ends the reply counts.

An object begins at the start of a line, bare or in a code fence. It is read strictly: a repeated key, a
value that is no label, or two keys that disagree make it unusable, and nothing earlier takes its place.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Any

from arena_tui.judging.verdict_text import CUT_OFF, Unreadable, fold
from arena_tui.judging.verdict_value import NO_LABEL, Menu, Reading

_START = re.compile(r"^[ \t]{0,3}\{", re.MULTILINE)
_STARTS = 64  # lines that may begin an object; each is tried once
_LIKE_JSON = re.compile(r"\{\s*\"")
_AFTER = re.compile(r"\s*(?:(?:`{3,}|~{3,})\s*)?")
_CAMEL = re.compile(r"(?<=[a-z])(?=[A-Z])")
_APART = re.compile(r"[\s_-]+")
TWICE = "the verdict's JSON names a key twice"
NOT_PLAIN = "the verdict's JSON holds no label"
DISAGREE = "the verdict's JSON names two winners"


@dataclass(frozen=True, slots=True)
class Found:
    """An object with a verdict: its first line's number, what it says, whether the reply ends with it."""

    number: int
    reading: Reading
    ends: bool


def verdict_objects(text: str, phrases: Iterable[str], menu: Menu) -> Iterator[Found]:
    """The objects in `text` with a key that is one of `phrases` or "winner", in order.

    Raises Unreadable when the reply ends inside an object. Of many, only the last ones are looked at.
    """
    keys = {"winner", *(phrase.casefold() for phrase in phrases)}
    at = number = counted = 0
    for start in [*_START.finditer(text)][-_STARTS:]:
        begin = start.end() - 1
        if begin < at:
            continue  # inside the object before
        try:
            pairs, end = _STRICT.raw_decode(text, begin)
        except json.JSONDecodeError as fault:
            if _LIKE_JSON.match(text, begin) and _is_unfinished(text, begin, fault):
                raise Unreadable("the reply ends inside a JSON object", CUT_OFF) from None
            continue
        except (RecursionError, ValueError):  # nested too deep, or a number of thousands of digits
            continue
        at = end
        reading = _reading(pairs, keys, menu)
        if reading is not None:
            number += len((text[counted:begin] + ".").splitlines()) - 1
            counted = begin
            yield Found(number, reading, _AFTER.fullmatch(text, end) is not None)


class _Pairs(list[tuple[str, Any]]):
    """An object as its pairs, so that a repeated key can be seen."""


def _refuse_constant(name: str) -> float:
    raise ValueError(f"{name} is no JSON")


_STRICT = json.JSONDecoder(object_pairs_hook=_Pairs, parse_constant=_refuse_constant)
_LAX = json.JSONDecoder(object_pairs_hook=_Pairs, strict=False)  # goes on over line ends inside texts


def _is_unfinished(text: str, begin: int, fault: json.JSONDecodeError) -> bool:
    """Whether an object was still open when the reply ended."""
    try:
        _LAX.raw_decode(text, begin)
    except json.JSONDecodeError as lax:
        fault = lax
    except (RecursionError, ValueError):
        return False
    else:
        return False
    return fault.msg.startswith("Unterminated string") or fault.pos >= len(text)


def _reading(pairs: _Pairs, keys: set[str], menu: Menu) -> Reading | None:
    """What an object says; None when it is about something else."""
    told = [value for key, value in pairs if _plain_key(key) in keys]
    if not told:
        return None
    if _repeats_a_key(pairs):
        return Reading(None, TWICE)
    readings = [_value(value, menu) for value in told]
    winners = {reading.winner for reading in readings}
    return readings[0] if len(winners) == 1 else Reading(None, DISAGREE)


def _value(value: Any, menu: Menu) -> Reading:
    if isinstance(value, int) and not isinstance(value, bool):
        value = str(value) if abs(value) < 10**9 else ""
    if not isinstance(value, str):
        return Reading(None, NOT_PLAIN)
    reading = menu.read(fold(value).strip())
    return reading if reading.bare or reading.winner is None else Reading(None, NO_LABEL)


def _plain_key(key: str) -> str:
    """`betterIdea`, `better_idea` and `Final Better-Idea` are all `better idea`."""
    words = _APART.sub(" ", _CAMEL.sub(" ", fold(key[:100]))).strip().casefold()
    return words.removeprefix("final ")


def _repeats_a_key(value: Any) -> bool:
    waiting = [value]
    while waiting:
        item = waiting.pop()
        if isinstance(item, _Pairs):
            if len({key for key, _ in item}) < len(item):
                return True
            waiting += (inner for _, inner in item)
        elif isinstance(item, list):
            waiting += item
    return False
