"""Keys as people read them, and the key table of the README, both from the registry."""

from __future__ import annotations

from collections.abc import Mapping

from arena_tui.console.actions import ACTS, PLACES, Act

_NAMES = {
    "question_mark": "?",
    "escape": "esc",
    "less_than_sign": "<",
    "greater_than_sign": ">",
    "slash": "/",
    "left_square_bracket": "[",
    "right_square_bracket": "]",
    "plus": "+",
    "pageup": "pgup",
    "pagedown": "pgdn",
}


def key_name(key: str) -> str:
    """A key as a person types it."""
    return _NAMES.get(key.strip(), key.strip())


def keys_of(act: Act, keymap: Mapping[str, str] = {}) -> str:
    """The keys of an act as a person types them; `keymap` holds other keys by the act's id."""
    keys = keymap.get(act.id, act.keys).split(",")
    return " ".join(key_name(key) for key in keys)


def key_table() -> str:
    """Every act as a Markdown table: what the README shows, checked by a test."""
    lines = ["| key | where | what it does |", "|---|---|---|"]
    for place, heading in PLACES.items():
        for act in ACTS:
            if act.place == place:
                keys = ", ".join(f"`{key}`" for key in keys_of(act).split(" "))
                lines.append(f"| {keys} | {heading} | {act.tooltip} |")
    return "\n".join(lines)
