"""Requests that find out what a server does, and what their replies show.

A server may accept a field and ignore it, so nothing is taken for granted that a reply does not show.
"""

from __future__ import annotations

import json

from arena_tui.providers.base import Completion, Message, Part, Request

SMALLEST = 16  # tokens; newer models refuse a smaller limit, on whatever host they are reached
_WORD = "grey-7"  # no model says this by chance in answer to a greeting
_SCHEMA = {
    "type": "object",
    "properties": {"colour": {"type": "string", "enum": [_WORD]}},
    "required": ["colour"],
    "additionalProperties": False,
}


def greeting(max_tokens: int = SMALLEST, top_logprobs: int = 0) -> Request:
    """The smallest question there is."""
    return Request(
        system=(),
        messages=(Message("user", (Part("Say hello."),)),),
        max_tokens=max_tokens,
        top_logprobs=top_logprobs,
    )


def structured_greeting() -> Request:
    """The same question under a schema that no natural answer to it fulfils."""
    asked = greeting(max_tokens=256)
    return Request(asked.system, asked.messages, asked.max_tokens, json_schema=_SCHEMA)


def shows_logprobs(completion: Completion) -> bool:
    """The reply has log-probabilities with alternatives."""
    return any(token.top for token in completion.logprobs)


def shows_schema(completion: Completion) -> bool:
    """The reply is what the schema of `structured_greeting` forces it to be."""
    try:
        return bool(json.loads(completion.text) == {"colour": _WORD})
    except ValueError:
        return False
