"""What people write for a setting that is called otherwise, and what to write instead."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from arena_tui.values import nearest, shown

_PARAMS = frozenset({"temperature", "top_p", "top_k", "seed", "reasoning_effort", "reasoning", "stop"})
"""Fields of a request that belong in a model's `params`."""
_ELSEWHERE = {
    "budget": "limits.usd",
    "cost": "limits.usd",
    "max_usd": "limits.usd",
    "usd": "limits.usd",
    "timeout": "limits.wall_clock",
    "max_matches": "limits.matches",
    "matches": "limits.matches",
    "concurrency": "limits.concurrency",
    "question": "task",
    "pool": "candidates",
}
"""By a key at the top of a file: the one that is meant."""


def for_unknown(name: str, value: Any, known: Sequence[str], missing: Sequence[str] = ()) -> str:
    """What to write instead of the unknown key `name`; `known` are the keys there are, all dotted.

    One that is also `missing` is rather meant than others.
    """
    section, _, last = name.rpartition(".")
    if not section and last in _ELSEWHERE:
        return f"did you mean {_ELSEWHERE[last]}?"
    siblings = [key.rpartition(".")[2] for key in known if key.rpartition(".")[0] == section]
    model = section if section.rpartition(".")[2] == "model" else f"{section}.model"
    if last in _PARAMS and f"{model}.params" in known:
        return f"write {model}.params: {{{last}: {shown(value)}}}"
    if last == "provider" and f"{model}.model" in known:
        named = f"{value}:NAME" if isinstance(value, str) and value else "openai:gpt-5"
        return f"write {model}: {named}"
    if last in ("name", "id") and section == model and "model" in siblings:
        return f"did you mean {section}.model?"
    wanted = [key for key in missing if key.rpartition(".")[0] == section]
    near = nearest(name, wanted) or nearest(name, known)
    return f"did you mean {near}?" if near else f"known here: {', '.join(siblings)}"


def for_no_settings(value: Any) -> str:
    """What to write instead of a text where a judge is described by {kind: ...}."""
    if not isinstance(value, str) or not value.strip():
        return ""
    return f'write {{kind: llm, model: "{value}"}}' if ":" in value else f"write {{kind: {value}}}"
