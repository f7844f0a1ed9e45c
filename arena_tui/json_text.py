"""JSON from outside, read strictly: no key twice, no NaN, and what is wrong said in a phrase.

Pools, recorded votes, gold pairs and what programs print are read with it. A leaf module.
"""

from __future__ import annotations

import json
from typing import Any, NoReturn

from arena_tui.values import shown


class _BadJson(ValueError):
    """Valid to the json module, but not to us; `str()` says why."""


def _unique(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    fields = dict(pairs)
    if len(fields) < len(pairs):
        keys = [key for key, _ in pairs]
        raise _BadJson(f"the key {shown(next(k for k in keys if keys.count(k) > 1))} is given twice")
    return fields


def _no_constant(name: str) -> NoReturn:
    raise _BadJson(f"{name} is no finite number")


_DECODER = json.JSONDecoder(object_pairs_hook=_unique, parse_constant=_no_constant)


def json_value(text: str) -> Any:
    """The JSON value in `text`, no key twice, numbers finite; ValueError with a phrase for a message."""
    try:
        return _DECODER.decode(text)
    except json.JSONDecodeError as error:
        where = f"line {error.lineno}, " if error.lineno > 1 else ""
        raise ValueError(f"not valid JSON: {error.msg} at {where}character {error.colno}") from None
    except RecursionError:
        raise ValueError("not usable JSON: nested too deeply") from None
    except ValueError as error:
        reason = str(error) if isinstance(error, _BadJson) else "a number has too many digits"
        raise ValueError(f"not usable JSON: {reason}") from None
