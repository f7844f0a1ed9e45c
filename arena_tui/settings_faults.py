"""Turns what pydantic finds wrong with settings into sentences: the key, what was expected, what to do.

Also knows what is planned but not in this version, so that it can be refused by name. Used by
`settings` and `tournament_file` only.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from pydantic import ValidationError

from arena_tui.values import nearest, shown

PLANNED: dict[str, tuple[str, frozenset[str], str]] = {
    "format.kind": (
        "format kind",
        frozenset({"swiss", "pivot", "adaptive", "round_robin", "knockout", "evolution"}),
        "elo",
    ),
    "compare": ("compare", frozenset({"systems"}), "candidates"),
    "stop.rule": ("stop rule", frozenset({"confident"}), "stability, none"),
}
"""By key: what to call it, the values of later versions, the values of this one."""

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


def faults_of(error: ValidationError, known: Iterable[str], latency: object = None) -> list[Fault]:
    """All faults in `error`; `known` are the dotted keys there are, `latency` the judge's as written."""
    known = tuple(known)
    faults = []
    for detail in error.errors(include_url=False):
        faults.append(_fault(_written_key(tuple(detail["loc"]), latency), detail, known))
    return list(dict.fromkeys(faults))


def _written_key(key: tuple[str | int, ...], latency: object) -> tuple[str | int, ...]:
    """The key as the user wrote it, from the one that pydantic names."""
    # pydantic names the kind of judge it chose, of each member of a panel too
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


def _fault(key: tuple[str | int, ...], detail: Any, known: tuple[str, ...]) -> Fault:
    context = detail.get("ctx", {})
    value = detail.get("input")
    name = key_text(key)
    match detail["type"]:
        case "extra_forbidden":
            near = nearest(name, known)
            section = name.rpartition(".")[0]
            siblings = [k.rpartition(".")[2] for k in known if k.rpartition(".")[0] == section]
            hint = f"did you mean {near}?" if near else f"known here: {', '.join(siblings)}"
            return Fault(key, f"unknown key {name}", hint)
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
        case "union_tag_invalid":
            return _wrong_choice((*key, "kind"), context.get("tag"), _one_of(JUDGE_KINDS))
        case "literal_error":
            return _wrong_choice(key, value, str(context.get("expected")).replace(" or ", ", "))
        case "value_error":
            return Fault(key, f"{name}: {context['error']}")
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
