"""Turns what pydantic finds wrong with settings into sentences: the key, what was expected, what to do.

Also knows what is planned but not in this version, so that it can be refused by name. Used by
`settings` and `tournament_file` only.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from pydantic import ValidationError

from arena_tui import settings_hints
from arena_tui.values import nearest, shown

PLANNED: dict[str, tuple[str, frozenset[str], str]] = {
    "format.kind": (
        "format kind",
        frozenset({"evolution"}),
        "elo, swiss, pivot, adaptive, round_robin, knockout",
    ),
}
"""By key: what to call it, the values of later versions, the values of this one."""

FORMAT_KINDS = ("elo", "swiss", "pivot", "adaptive", "round_robin", "knockout")
JUDGE_KINDS = ("recorded", "simulated", "command", "llm", "human", "panel")
_TYPES = {
    "model_type": "settings such as {key: value}",
    "model_attributes_type": "settings such as {key: value}",
    "dict_type": "a mapping such as {name: value}",
    "tuple_type": "a list",
    "list_type": "a list",
    "string_type": "text",
}


REQUIRED = {
    "command": "a program and its arguments, such as [python3, judge.py]",
    "file": "the path of recorded verdicts, JSON Lines of {a, b, winner}",
    "model": "a model as provider:model, such as anthropic:claude-sonnet-5-5 or mock:panel",
    "embeddings.model": "an embedding model as provider:model, such as openai:text-embedding-3-small",
    "judges": "a list of judges, such as [{kind: simulated}, {kind: human}]",
    "input": "USD per million input tokens",
    "output": "USD per million output tokens",
}
"""What to write, by the name of a key that has no default."""


@dataclass(frozen=True, slots=True)
class Fault:
    """One thing wrong with settings: the path of its key, what is wrong, what to do."""

    key: tuple[str | int, ...]
    message: str
    hint: str = ""

    def __str__(self) -> str:
        return self.message + (f" ({self.hint})" if self.hint else "")


def key_text(key: Sequence[str | int]) -> str:
    """A key's path as people write it: limits.matches, judge.command[2]."""
    text = ""
    for part in key:
        text += f"[{part}]" if isinstance(part, int) else f".{part}" if text else part
    return text if len(text) <= 120 and text.isprintable() else shown(text, 120)


def faults_of(
    error: ValidationError,
    known: Iterable[str],
    latency: object = None,
    known_of: Callable[[str], Iterable[str]] = lambda _kind: (),
) -> list[Fault]:
    """All faults in `error`; `known` are the dotted keys there are, `latency` the judge's as written.

    `known_of` gives the keys that there are for a kind of judge, as if it were the only one.
    """
    known = tuple(known)
    faults = []
    details = error.errors(include_url=False)
    missing = [key_text(_written_key(tuple(d["loc"]), latency)) for d in details if d["type"] == "missing"]
    for detail in details:
        if detail["type"] == "too_short" and detail["input"]:
            continue  # its members were refused one by one
        where = tuple(detail["loc"])
        keys = known
        if where[:3] == ("judge", "panel", "judges") and len(where) > 4:
            member = key_text(("judge", *where[2:4]))
            own = (key for key in known_of(str(where[4])) if key.startswith("judge."))
            keys = (*known, *(member + key.removeprefix("judge") for key in own))
        faults.append(_fault(_written_key(where, latency), detail, keys, missing))
    return list(dict.fromkeys(faults))


def _written_key(key: tuple[str | int, ...], latency: object) -> tuple[str | int, ...]:
    """The key as the user wrote it, from the one that pydantic names."""
    # pydantic names the kind it chose, of each member of a panel too
    if len(key) > 1 and key[0] == "format" and key[1] in FORMAT_KINDS:
        key = (key[0], *key[2:])
    if len(key) > 1 and key[0] == "judge" and key[1] in JUDGE_KINDS:
        key = (key[0], *key[2:])
    if len(key) > 3 and key[:2] == ("judge", "judges") and key[3] in JUDGE_KINDS:
        key = (*key[:3], *key[4:])
    if key and key[-1] == "[key]":
        key = key[:-1]
    if key[:2] == ("judge", "latency") and len(key) > 2:
        by_mode = isinstance(latency, dict) and str(key[2]) in latency
        written = latency.get(str(key[2])) if isinstance(latency, dict) and by_mode else latency
        key = (*key[: 3 if by_mode else 2], *key[3:])
        if not isinstance(written, dict) and key[-1] == "mean":
            key = key[:-1]  # one time stands for {mean: time}
    return key


def _fault(
    key: tuple[str | int, ...], detail: Any, known: tuple[str, ...], missing: Sequence[str] = ()
) -> Fault:
    context = detail.get("ctx", {})
    value = detail.get("input")
    name = key_text(key)
    match detail["type"]:
        case "extra_forbidden":
            return Fault(key, f"unknown key {name}", settings_hints.for_unknown(name, value, known, missing))
        case "missing" if name == "judge":
            return Fault(
                key,
                "judge: missing, expected who judges, such as judge: {kind: simulated}",
                f"kinds of this version: {', '.join(JUDGE_KINDS)}",
            )
        case "missing":
            expected = REQUIRED.get(name) or REQUIRED.get(str(key[-1]))
            return Fault(key, f"{name}: missing" + (f", expected {expected}" if expected else ""))
        case "union_tag_not_found":
            return Fault((*key, "kind"), f"{name}.kind: missing, expected one of {_one_of(JUDGE_KINDS)}")
        case "union_tag_invalid" if context.get("tag") == "panel":
            return Fault((*key, "kind"), f"{name}.kind: a panel cannot hold a panel")
        case "union_tag_invalid" if ":" in str(context.get("tag")):
            tag = shown(context["tag"])
            kinds = f"expected a kind of judge ({', '.join(JUDGE_KINDS)})"
            hint = settings_hints.for_no_settings(context["tag"]).replace("write ", f"write {name}: ")
            return Fault(key, f"{name}: {kinds}, got {tag}", hint)
        case "union_tag_invalid":
            possible = FORMAT_KINDS if name == "format" else JUDGE_KINDS
            return _wrong_choice((*key, "kind"), context.get("tag"), _one_of(possible))
        case "literal_error":
            return _wrong_choice(key, value, str(context.get("expected")).replace(" or ", ", "))
        case "value_error":
            plain = "such as 5" if name.endswith("usd") and isinstance(value, str) else ""
            return Fault(key, f"{name}: {context['error']}", plain)
        case "too_short":
            return Fault(key, f"{name}: expected {REQUIRED.get(str(key[-1]), 'at least one')}, got none")
        case "model_attributes_type" if name == "format":
            return Fault(key, f"format: expected a format such as {{kind: adaptive}}, got {shown(value)}")
        case "model_attributes_type" if name.startswith("judge"):
            expected = "a judge such as {kind: simulated}"
            hint = settings_hints.for_no_settings(value)
            return Fault(key, f"{name}: expected {expected}, got {shown(value)}", hint)
        case "own":
            if "at" in context:
                key = (*key, *(int(part) if part.isdigit() else part for part in context["at"].split(".")))
            name = key_text(key)
            got = f", got {shown(context['value'])}" if "value" in context else ""
            return Fault(key, f"{name}: {context['message']}{got}" if name else f"{context['message']}{got}")
        case kind if kind in _TYPES:
            return Fault(key, f"{name or 'the tournament'}: expected {_TYPES[kind]}, got {shown(value)}")
    return Fault(key, f"{name}: {detail['msg']}, got {shown(value)}")


def _one_of(words: Sequence[str]) -> str:
    return ", ".join(f"'{word}'" for word in words)


def _wrong_choice(key: tuple[str | int, ...], value: Any, expected: str) -> Fault:
    name = key_text(key)
    planned = PLANNED.get(name)
    if planned is not None and isinstance(value, str) and value in planned[1]:
        called, _, available = planned
        return Fault(key, f"{called} {shown(value)} is not available in this version; available: {available}")
    words = [word.strip("' ") for word in expected.split(",")]
    near = nearest(value, words) if isinstance(value, str) else None
    some = "one of " if len(words) > 1 else ""
    return Fault(
        key, f"{name}: expected {some}{expected}, got {shown(value)}", f"did you mean {near}?" if near else ""
    )
