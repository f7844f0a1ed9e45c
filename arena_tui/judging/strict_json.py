"""JSON from programs and logs, read strictly: one object, no key twice, no NaN, probabilities in [0, 1].

The recorded and the command judge read with it; what is wrong comes as a `ValueError` whose text
completes a sentence that begins with the place ("line 3: ", "the program: ").
"""

from __future__ import annotations

from typing import Any

from arena_tui.json_text import json_value


def strict_object(text: str) -> dict[str, Any]:
    """The one JSON object in `text`; ValueError says in words why there is none."""
    value = json_value(text)
    if not isinstance(value, dict):
        raise ValueError("JSON, but not an object")
    return value


def optional_text(row: dict[str, Any], key: str) -> str:
    """The text at `key`, empty when it is missing or null; ValueError when it is no text."""
    value = row.get(key)
    if value is None:
        return ""
    if not isinstance(value, str):
        raise ValueError(f'"{key}" must be text')
    return value


def optional_probability(row: dict[str, Any], key: str) -> float | None:
    """The number from 0 to 1 at `key`, None when it is missing or null; ValueError when it is neither."""
    value = row.get(key)
    if value is None:
        return None
    number = isinstance(value, int | float) and not isinstance(value, bool)
    if not number or not 0 <= value <= 1:
        raise ValueError(f'"{key}" must be a number from 0 to 1')
    return float(value)
