"""Reading JSON that a foreign server made: nothing is where it should be until it has been looked at."""

from __future__ import annotations

from typing import Any


def dig(value: object, *path: str | int) -> Any:
    """What lies at `path` below `value`, or None where a key, an index or a container is missing."""
    for step in path:
        if isinstance(value, dict) and isinstance(step, str):
            value = value.get(step)
        elif isinstance(value, list) and isinstance(step, int) and -len(value) <= step < len(value):
            value = value[step]
        else:
            return None
    return value


def text_at(value: object, *path: str | int) -> str:
    """The string at `path`, or an empty one."""
    found = dig(value, *path)
    return found if isinstance(found, str) else ""


def count_at(value: object, *path: str | int) -> int | None:
    """The non-negative whole number at `path`, or None."""
    found = dig(value, *path)
    return found if isinstance(found, int) and not isinstance(found, bool) and found >= 0 else None
