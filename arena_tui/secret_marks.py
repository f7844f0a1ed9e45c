"""Finds what looks like a key or a password in settings, which are stored, printed and exported.

Candidates and groups are texts to be judged and not searched.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Any

_KEY_NAMES = frozenset(
    {
        "accesstoken",
        "apikey",
        "apitoken",
        "authorization",
        "authtoken",
        "bearertoken",
        "clientsecret",
        "passwd",
        "password",
        "privatekey",
        "secret",
        "secretkey",
        "token",
    }
)
_VALUE = re.compile(
    r"\b(sk|pk|rk)-(?=[A-Za-z_-]*\d)[A-Za-z0-9_-]{16,}"  # OpenAI, Anthropic, OpenRouter and their like
    r"|\b(gh[pousr]|github_pat|glpat|hf|gsk|xai|xox[abprs]|npm|pypi)[-_][A-Za-z0-9_-]{16,}"
    r"|\bA(KIA|SIA)[A-Z0-9]{16}\b"
    r"|\bAIza[A-Za-z0-9_-]{30,}"
    r"|\beyJ[A-Za-z0-9_-]{16,}\.[A-Za-z0-9_-]{8,}\."  # JSON web tokens
    r"|-----BEGIN [A-Z ]*PRIVATE KEY-----"
)


def secrets_in(settings: Mapping[str, Any]) -> Iterator[tuple[str | int, ...]]:
    """The paths of all keys below `settings` that are named like a secret or whose value looks like one."""
    stack: list[tuple[tuple[str | int, ...], Any]] = [
        ((key,), value) for key, value in settings.items() if key not in ("candidates", "groups")
    ]
    while stack:
        path, value = stack.pop()
        free = path[0] == "criteria" or path[:2] == ("judge", "strengths")
        if not free and isinstance(path[-1], str) and value is not None and _named_secret(path[-1]):
            yield path
        elif isinstance(value, str):
            if _VALUE.search(value):
                yield path
        elif isinstance(value, Mapping):
            stack += [((*path, str(key)), item) for key, item in value.items()]
        elif isinstance(value, (list, tuple)):
            stack += [((*path, number), item) for number, item in enumerate(value)]


def _named_secret(key: str) -> bool:
    return key.replace("_", "").replace("-", "").replace(" ", "").lower() in _KEY_NAMES
