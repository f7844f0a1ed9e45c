"""What a model server remembers of each call, and how it behaves when nothing goes wrong."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any


@dataclass
class Call:
    """One request for a reply, as the server saw it. Times are seconds since it started.

    `sent` output tokens left the server; `ended` is None while it works; `outcome` is "whole", "fault",
    "gone" (the client left) or "".
    """

    number: int
    wire: str
    model: str
    key: str
    headers: dict[str, str]
    body: dict[str, Any]
    at: float
    fault: str = ""
    input: int = 0
    cached: int = 0
    written: int = 0
    sent: int = 0
    ended: float | None = None
    outcome: str = ""


@dataclass(frozen=True)
class Ways:
    """How a server behaves when nothing goes wrong.

    `latency` is the time to the first token in seconds, `tokens_per_second` the speed after it (None:
    all at once). Without `keys` or `models` any key or model will do. More calls than `most_in_flight`
    are refused with 429. Prompts over `context` tokens are refused. `logprobs` and `schema` say whether
    those are done or silently ignored, `usage` whether tokens are reported. `block` and `minimum` are
    those of the prompt cache. `together` holds replies back until that many calls are in flight.
    """

    latency: float = 0.0
    tokens_per_second: float | None = None
    keys: Sequence[str] | None = None
    models: Sequence[str] | None = None
    most_in_flight: int | None = None
    context: int | None = None
    logprobs: bool = True
    schema: bool = True
    usage: bool = True
    refused_fields: Sequence[str] = ()
    block: int = 16
    minimum: int = 0
    together: int = 0
