"""What every model provider is: a request goes in, text streams out, one completion ends it.

Requests and completions are plain values, so that they can be hashed, stored and compared. A provider
makes exactly one attempt a call and raises `ProviderError` for whatever ends without a completion;
`client` owns retries, limits, prices and the cache.
"""

from __future__ import annotations

from collections.abc import AsyncIterator, Mapping
from dataclasses import dataclass, field
from typing import Any, Literal, Protocol

TERMINAL = frozenset({"end_turn", "stop", "stop_sequence"})
"""Stop reasons with which a reply is whole. `tool_calls` also ends a turn, but says nothing yet."""

StopReason = Literal[
    "end_turn", "stop", "stop_sequence", "tool_calls", "max_tokens", "refusal", "pause_turn", "other"
]
"""Why a reply ended, in one vocabulary for all wire formats (`length` is `max_tokens`,
`content_filter` is `refusal`). A stream that ends without any reason raises a `cut` fault instead."""

FaultKind = Literal[
    "rate_limited",  # 429
    "overloaded",  # 503, 529, `overloaded_error` inside a stream
    "server",  # other 5xx, 408, 409, a body that is no reply
    "timeout",  # of connecting, between bytes, or in total
    "connection",  # DNS, TLS, refused, reset
    "cut",  # the stream ended before the reply did
    "refused",  # key, credit or model: no request of this run can succeed
    "rejected",  # 400, 413, 422: this request cannot succeed
    "too_long",  # the request is longer than the model reads
    "unknown",  # not foreseen: fails this call, is never retried
]
RETRIED: frozenset[FaultKind] = frozenset(
    {"rate_limited", "overloaded", "server", "timeout", "connection", "cut"}
)
"""Faults that another attempt may not meet again."""


@dataclass(frozen=True, slots=True)
class Part:
    """A piece of a message. `cache` marks the end of a prefix that later requests will share."""

    text: str
    cache: bool = False


@dataclass(frozen=True, slots=True)
class ToolCall:
    """The model asks for a tool; `arguments` is JSON text as the model wrote it."""

    id: str
    name: str
    arguments: str


@dataclass(frozen=True, slots=True)
class ToolResult:
    """What a tool gave back for the call `id`."""

    id: str
    text: str
    error: bool = False


@dataclass(frozen=True, slots=True)
class Tool:
    """A tool a model may call; `schema` is the JSON Schema of its arguments."""

    name: str
    description: str
    schema: Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class Message:
    """One turn. An assistant's may carry tool calls, a user's the results of such."""

    role: Literal["user", "assistant"]
    parts: tuple[Part, ...]
    tool_calls: tuple[ToolCall, ...] = ()
    tool_results: tuple[ToolResult, ...] = ()

    @property
    def text(self) -> str:
        """All parts as one text."""
        return "".join(part.text for part in self.parts)


@dataclass(frozen=True, slots=True)
class Request:
    """Everything that shapes a reply, but the model and the address (see `Provider`).

    `top_logprobs` > 0 asks for that many alternatives of every token. `json_schema` asks for
    structured output and is only set for a provider that was probed to enforce it. `params` are
    further fields of the body of this one request, over those of the provider.
    """

    system: tuple[Part, ...]
    messages: tuple[Message, ...]
    max_tokens: int
    top_logprobs: int = 0
    json_schema: Mapping[str, Any] | None = None
    tools: tuple[Tool, ...] = ()
    params: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Tokens:
    """Token counts of one attempt. `input` includes `cached_input` (read) and `cache_write`."""

    input: int = 0
    cached_input: int = 0
    cache_write: int = 0
    output: int = 0


NO_TOKENS = Tokens()


@dataclass(frozen=True, slots=True)
class TokenLogprobs:
    """One generated token and its most likely alternatives, as (token text, natural log of p)."""

    token: str
    logprob: float
    top: tuple[tuple[str, float], ...] = ()


@dataclass(frozen=True, slots=True)
class TextDelta:
    """A piece of text as it streams in."""

    text: str


@dataclass(frozen=True, slots=True)
class Completion:
    """A whole reply, the last thing a stream yields. `model` is what the server says it ran."""

    text: str
    stop_reason: StopReason
    tokens: Tokens = NO_TOKENS
    logprobs: tuple[TokenLogprobs, ...] = ()
    tool_calls: tuple[ToolCall, ...] = ()
    model: str = ""


StreamEvent = TextDelta | ToolCall | Completion


class ProviderError(Exception):
    """An attempt ended without a completion.

    The message is one clear sentence and never holds a key, headers or a page of HTML. `retry_after`
    is what the server asked for, in seconds. `tokens` is what the attempt is known or estimated to
    have used; `partial` the text that had come.
    """

    def __init__(
        self,
        kind: FaultKind,
        message: str,
        *,
        status: int | None = None,
        retry_after: float | None = None,
        tokens: Tokens = NO_TOKENS,
        partial: str = "",
    ) -> None:
        super().__init__(message)
        self.kind: FaultKind = kind
        self.status = status
        self.retry_after = retry_after
        self.tokens = tokens
        self.partial = partial


@dataclass(frozen=True, slots=True)
class Capabilities:
    """What a provider can do, declared by its adapter and corrected by a probe. None: not known."""

    logprobs: bool | None = None
    json_schema: bool | None = None
    cache_control: bool = False  # prefixes are marked in the request
    cached_tokens: bool | None = None
    local: bool = False  # runs on this machine or is free: the price is 0, no key is needed


class Provider(Protocol):
    """One model at one address. Made by `targets.open_provider`; imports its SDK when first used."""

    @property
    def name(self) -> str:
        """`provider:model`, as the user writes it."""
        ...

    @property
    def base_url(self) -> str:
        """Where requests go; the SDK's default spelled out."""
        ...

    @property
    def capabilities(self) -> Capabilities:
        """What is known of the server by now."""
        ...

    @property
    def simulated(self) -> bool:
        """True when no model is behind it."""
        ...

    @property
    def params(self) -> Mapping[str, Any]:
        """Fields of every request as the server names them (temperature, seed, ...): the user's."""
        ...

    def stream(self, request: Request) -> AsyncIterator[StreamEvent]:
        """One attempt: text as it comes, then exactly one `Completion`. Raises `ProviderError`."""
        ...

    async def probe(self, *, logprobs: bool = False, json_schema: bool = False) -> Capabilities:
        """Reach the server with the cheapest request that proves key and model, and what is asked
        about. Raises `ProviderError` (kind `refused` for a bad key, model or empty account)."""
        ...

    async def close(self) -> None:
        """Let go of connections."""
        ...
