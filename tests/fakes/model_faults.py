"""What can go wrong with a model server, by name, and when it does.

`Fault("cut")` and the like are served for a request instead of its answer; `FaultScript` says for which.
Names: those of `ANSWERS` (an error status in both vendors' words), of `BEFORE` (no reply begins) and of
`DURING` (a reply begins and goes wrong), and `malformed`, a whole reply that keeps to no contract.
"""

from __future__ import annotations

import json
import random
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

BEFORE = frozenset({"silent", "reset", "slow_headers", "broken_json", "empty_object", "html_200"})
DURING = frozenset(
    {
        "cut",  # the connection ends without the final chunk
        "early_end",  # all the text, a clean end, but no stop reason
        "error_event",  # an overload is reported inside the stream
        "broken_event",  # an event that is no JSON
        "empty_event",  # an event that is an empty object, then the end
        "stall",  # half of it, then nothing
        "slow_loris",  # one byte at a time
        "cut_after_reply",  # the stop reason has come, the end of the stream has not
        "open_end",  # all of it, but the body is never ended
    }
)
RAMBLING = "There is much to be said for either side, and I would rather not choose between them."


@dataclass(frozen=True)
class Fault:
    """One fault.

    `retry_after` is that header; `gap` the seconds between the bytes of slow ones; `words` replace the
    message of an error answer.
    """

    name: str
    retry_after: str | None = None
    gap: float = 0.05
    words: str = ""

    def __post_init__(self) -> None:
        if self.name not in ANSWERS and self.name not in BEFORE | DURING | {"malformed"}:
            raise ValueError(f"no fault is called {self.name!r}")


@dataclass(frozen=True)
class Words:
    """An error answer: its status and both vendors' ways to say it (type, message[, code])."""

    status: int
    anthropic: tuple[str, str]
    openai: tuple[str, str, str | None]

    def body(self, wire: str, key: str, words: str = "") -> bytes:
        """The JSON body; `{key}` in a message is the key that was sent, as careless servers repeat it."""
        type_, message = self.anthropic if wire == "anthropic" else self.openai[:2]
        error = {"type": type_, "message": words or message.format(key=key)}
        if wire == "anthropic":
            return json.dumps({"type": "error", "error": error, "request_id": "req_1"}).encode()
        return json.dumps({"error": {**error, "param": None, "code": self.openai[2]}}).encode()


ANSWERS: dict[str, Words] = {
    "rate_limited": Words(
        429,
        ("rate_limit_error", "This request would exceed your organization's rate limit."),
        ("requests", "Rate limit reached for requests.", "rate_limit_exceeded"),
    ),
    "overloaded": Words(
        529, ("overloaded_error", "Overloaded"), ("server_error", "The engine is currently overloaded.", None)
    ),
    "unavailable": Words(
        503, ("api_error", "Service unavailable"), ("unavailable_error", "Loading model", "503")
    ),
    "server_error": Words(
        500, ("api_error", "Internal server error"), ("server_error", "The server had an error.", None)
    ),
    "request_timeout": Words(408, ("timeout_error", "Request timed out"), ("timeout", "Timed out", None)),
    "conflict": Words(409, ("api_error", "Conflict"), ("conflict", "Conflict", None)),
    "bad_key": Words(
        401,
        ("authentication_error", "invalid x-api-key: {key}"),
        ("invalid_request_error", "Incorrect API key provided: {key}.", "invalid_api_key"),
    ),
    "no_credit": Words(
        402,
        ("billing_error", "There is a problem with your billing."),
        ("insufficient_credits", "Insufficient credits. Add more credits.", "402"),
    ),
    "forbidden": Words(
        403,
        ("permission_error", "Your API key may not use this resource."),
        ("permission_error", "You have insufficient permissions.", None),
    ),
    "unknown_model": Words(
        404,
        ("not_found_error", "model: no-such-model"),
        ("invalid_request_error", "The model no-such-model does not exist.", "model_not_found"),
    ),
    "too_long": Words(
        400,
        ("invalid_request_error", "prompt is too long: 215000 tokens > 200000 maximum"),
        (
            "invalid_request_error",
            "This model's maximum context length is 8192 tokens. However, your messages resulted in 9000 "
            "tokens. Please reduce the length of the messages.",
            "context_length_exceeded",
        ),
    ),
    "bad_request": Words(
        400,
        ("invalid_request_error", "temperature: Extra inputs are not permitted"),
        ("invalid_request_error", "Unsupported parameter: 'temperature'.", "unsupported_parameter"),
    ),
    "too_large": Words(
        413, ("request_too_large", "Request exceeds the maximum size"), ("too_large", "Too large", None)
    ),
    "unprocessable": Words(
        422, ("invalid_request_error", "Unprocessable"), ("invalid_request_error", "Unprocessable", None)
    ),
    "quota": Words(  # exhausted credit that is not called by its status
        429,
        ("rate_limit_error", "billing_not_active"),
        ("insufficient_quota", "You exceeded your current quota, check your plan.", "insufficient_quota"),
    ),
    "low_balance": Words(
        400,
        ("invalid_request_error", "Your credit balance is too low to access the Anthropic API."),
        ("invalid_request_error", "Insufficient balance.", None),
    ),
    "html_502": Words(502, ("", ""), ("", "", None)),
}

PAGE = (
    b"<!DOCTYPE html><html><head><title>502 Bad Gateway</title></head>"
    b"<body><h1>Bad Gateway</h1><hr>nginx</body></html>"
)

MIXED: tuple[Fault, ...] = (
    Fault("rate_limited"),
    Fault("rate_limited", retry_after="1"),
    Fault("overloaded"),
    Fault("server_error"),
    Fault("cut"),
    Fault("slow_loris"),
    Fault("malformed"),
)
"""Faults of a bad day."""


class FaultScript:
    """Which request is met by which fault. Requests are the model calls, counted from 1.

    `at` names single ones; of the others `share` (0 to 1) draw one of `mix` by (seed, number), whatever
    order they come in, up to request `until`. `always` meets every request that nothing else meets.
    """

    def __init__(
        self,
        at: Mapping[int, Fault | str] | None = None,
        *,
        share: float = 0.0,
        mix: Sequence[Fault | str] = MIXED,
        seed: int = 0,
        until: int | None = None,
        always: Fault | str | None = None,
    ) -> None:
        self._at = {number: as_fault(fault) for number, fault in (at or {}).items()}
        self._share, self._seed, self._until = share, seed, until
        self._mix = [as_fault(fault) for fault in mix]
        self._always = None if always is None else as_fault(always)

    def fault_for(self, number: int) -> Fault | None:
        """The fault that meets request `number`, if one does."""
        if number in self._at:
            return self._at[number]
        dice = random.Random(f"{self._seed}:{number}")
        if (self._until is None or number <= self._until) and dice.random() < self._share:
            return dice.choice(self._mix)
        return self._always


def as_fault(fault: Fault | str) -> Fault:
    """A fault by its name alone, or as it is."""
    return Fault(fault) if isinstance(fault, str) else fault
