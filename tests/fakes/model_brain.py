"""What the fake model says: a function from a request to a text, or to a `Scripted` reply.

A request is a dict: `wire`, `number` (calls count from 1), `model`, `system`, `messages` (`role` and
`text`), `prompt` (all of it as one text), `last` (the last user message), `max_tokens`, `schema`,
`top_logprobs`, `tools` (names) and the raw `body`.
"""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

Request = dict[str, Any]

_PIECE = re.compile(r"\s*[^\W_]{1,8}|\s*\S|\s+")
_CONTRACT = re.compile(r"better idea:\s*[`\"'*<\[(]*([A-Za-z0-9][\w-]{0,20})", re.IGNORECASE)
_SCORE = re.compile(r"\bscore\s+([A-Za-z0-9][\w-]{0,20}):", re.IGNORECASE)
_ADVOCATE = re.compile(r"\byou are the advocate of\b", re.IGNORECASE)
SCALE = "ABCDEFGHIJKLMNOPQRST"
TAIL = 3000  # characters at the end of a prompt in which its contract stands


@dataclass(frozen=True)
class Scripted:
    """A reply in detail.

    `stop` is the wire's own word and None the natural one; `tool_calls` are (id, name, arguments as
    JSON text); `odds` are, in order, (a token, {token: probability}) for tokens whose alternatives
    matter; `thinking` streams before the text; `fault` is served with it, over the server's own script.
    """

    text: str
    stop: str | None = None
    tool_calls: Sequence[tuple[str, str, str]] = ()
    odds: Sequence[tuple[str, Mapping[str, float]]] = ()
    thinking: str = ""
    refusal: bool = False
    fault: Any = None


Brain = Callable[[Request], "str | Scripted"]


def pieces(text: str) -> list[str]:
    """The output tokens of a text: word pieces of at most eight letters; joined they are the text."""
    return _PIECE.findall(text)


def by_contract(request: Request) -> str | Scripted:
    """Answer as asked, at random by the prompt: an object of the schema, scores or a verdict for labels that
    the prompt's last rules offer, else prose (as an advocate always)."""
    dice = int.from_bytes(hashlib.sha256(request["prompt"].encode()).digest()[:8], "big")
    if request["schema"] is not None:
        return json.dumps(instance_of(request["schema"]))
    tail = request["prompt"][-TAIL:]
    if not _ADVOCATE.search(request["prompt"]):
        if labels := list(dict.fromkeys(_SCORE.findall(tail))):
            return scores({label: SCALE[(dice >> 5 * place) % 20] for place, label in enumerate(labels)})
        if labels := list(dict.fromkeys(_CONTRACT.findall(tail))):
            label = labels[dice % len(labels)]
            return f"Both were weighed; one is the more testable.\n\nbetter idea: {label}"
    return f"The first is bold, the second careful (reading {dice % 1000}). Both could be tested sooner."


def scores(letters: Mapping[str, str]) -> Scripted:
    """A score line for each label; the letter that is said has half of the probability, its neighbours the
    rest."""
    lines = [f"score {label}: {letter}" for label, letter in letters.items()]
    odds = []
    for letter in letters.values():
        place = SCALE.index(letter)
        near = SCALE[max(0, place - 1) : place] + SCALE[place + 1 : place + 2]
        odds.append((letter, {letter: 0.5} | {other: 0.49 / len(near) for other in near}))
    return Scripted("\n".join(["Each has its merits.", "", *lines]), odds=odds)


def instance_of(schema: Mapping[str, Any]) -> Any:
    """A value that fulfils a simple JSON schema; the first choice where there is one."""
    if "enum" in schema:
        return schema["enum"][0]
    match schema.get("type"):
        case "object":
            return {name: instance_of(inner) for name, inner in schema.get("properties", {}).items()}
        case "array":
            return [instance_of(schema["items"])] if "items" in schema else []
        case "integer" | "number":
            return schema.get("minimum", 0)
        case "boolean":
            return True
        case _:
            return "text"
