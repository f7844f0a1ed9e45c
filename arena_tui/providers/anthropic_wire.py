"""Anthropic's Messages format: requests into bodies, streamed events into a reply.

Pure. The events are the plain JSON of the stream, since a server that is only compatible may leave
anything out. Source: the types of the `anthropic` SDK, version 2.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

from arena_tui.providers.address import Address
from arena_tui.providers.base import (
    Message,
    Part,
    Request,
    StopReason,
    StreamEvent,
    Tokens,
)
from arena_tui.providers.json_paths import count_at, dig, text_at
from arena_tui.providers.reading import CallInMaking, Reading

MOST_MARKS = 4  # cache_control marks that the API takes in one request

_STOP: dict[str, StopReason] = {
    "end_turn": "end_turn",
    "stop_sequence": "stop_sequence",
    "max_tokens": "max_tokens",
    "model_context_window_exceeded": "max_tokens",
    "tool_use": "tool_calls",
    "refusal": "refusal",
    "pause_turn": "pause_turn",
}


def body_of(request: Request, address: Address) -> dict[str, Any]:
    """The JSON body of a streamed request. Cache marks beyond the last four are left out."""
    marks = _Marks(request)
    body: dict[str, Any] = {"model": address.model, "max_tokens": request.max_tokens, "stream": True}
    if system := _blocks(request.system, marks):
        body["system"] = system
    body["messages"] = [_message(message, marks) for message in request.messages]
    if request.tools:
        body["tools"] = [
            {"name": tool.name, "description": tool.description, "input_schema": dict(tool.schema)}
            for tool in request.tools
        ]
    body |= {**address.params, **request.params}
    if request.json_schema is not None:
        format_ = {"type": "json_schema", "schema": dict(request.json_schema)}
        body["output_config"] = {**(body.get("output_config") or {}), "format": format_}
    return body


class AnthropicReading(Reading):
    """A reply in events of the Messages format."""

    def __init__(self, request: Request) -> None:
        super().__init__(request)
        self._calls: dict[int | None, CallInMaking] = {}

    def take(self, event: object) -> Iterator[StreamEvent]:
        match text_at(event, "type"):
            case "message_start":
                self.begun = True
                self.model = text_at(event, "message", "model")
                self._count(dig(event, "message", "usage"))
            case "content_block_start":
                self.begun = True
                yield from self._block(event)
            case "content_block_delta":
                self.begun = True
                yield from self._delta(event)
            case "content_block_stop":
                call = self._calls.pop(count_at(event, "index"), None)
                if call is not None:
                    self.tool_calls.append(call.made())
                    yield self.tool_calls[-1]
            case "message_delta":
                self.begun = True
                reason = text_at(event, "delta", "stop_reason")
                if reason:
                    self.stop_reason = _STOP.get(reason, "other")
                self._count(dig(event, "usage"))
                self.output_counted = count_at(event, "usage", "output_tokens") is not None
            case "message_stop":
                self.closed = True

    def _block(self, event: object) -> Iterator[StreamEvent]:
        block = dig(event, "content_block")
        if text_at(block, "type") == "tool_use":
            self._calls[count_at(event, "index")] = CallInMaking(text_at(block, "id"), text_at(block, "name"))
        else:
            yield from self._said(text_at(block, "text"))

    def _delta(self, event: object) -> Iterator[StreamEvent]:
        delta = dig(event, "delta")
        match text_at(delta, "type"):
            case "text_delta":
                yield from self._said(text_at(delta, "text"))
            case "input_json_delta":
                piece = text_at(delta, "partial_json")
                call = self._calls.get(count_at(event, "index"))
                if call is not None:
                    call.arguments += piece
                self._thought(piece)
            case "thinking_delta":
                self._thought(text_at(delta, "thinking"))

    def _count(self, usage: object) -> None:
        """Take over what is counted: the API's `input_tokens` leaves out what the cache read or wrote."""
        old = self.counted
        read = count_at(usage, "cache_read_input_tokens")
        written = count_at(usage, "cache_creation_input_tokens")
        plain = count_at(usage, "input_tokens")
        output = count_at(usage, "output_tokens")
        self.input_counted |= plain is not None
        cached_input = old.cached_input if read is None else read
        cache_write = old.cache_write if written is None else written
        if plain is None:
            plain = old.input - old.cached_input - old.cache_write
        self.counted = Tokens(
            input=plain + cached_input + cache_write,
            cached_input=cached_input,
            cache_write=cache_write,
            output=old.output if output is None else output,
        )


class _Marks:
    """Which marked parts keep their mark: the last ones, which end the longest prefixes."""

    def __init__(self, request: Request) -> None:
        parts = [*request.system, *(part for message in request.messages for part in message.parts)]
        marked = [part for part in parts if part.cache and part.text]
        self._skip = max(0, len(marked) - MOST_MARKS)

    def keeps(self, part: Part) -> bool:
        """Asked once for every part, in the order of the body."""
        if not part.cache:
            return False
        self._skip -= 1
        return self._skip < 0


def _blocks(parts: tuple[Part, ...], marks: _Marks) -> list[dict[str, Any]]:
    """Text blocks; empty ones are left out, since the API refuses them."""
    blocks: list[dict[str, Any]] = []
    for part in parts:
        if part.text:
            block: dict[str, Any] = {"type": "text", "text": part.text}
            if marks.keeps(part):
                block["cache_control"] = {"type": "ephemeral"}
            blocks.append(block)
    return blocks


def _message(message: Message, marks: _Marks) -> dict[str, Any]:
    results = [
        {"type": "tool_result", "tool_use_id": result.id, "content": result.text, "is_error": result.error}
        for result in message.tool_results
    ]
    calls = [
        {"type": "tool_use", "id": call.id, "name": call.name, "input": _arguments(call.arguments)}
        for call in message.tool_calls
    ]
    return {"role": message.role, "content": [*results, *_blocks(message.parts, marks), *calls]}


def _arguments(text: str) -> Any:
    """The arguments of a tool call as the object the API wants back, even if the model wrote none."""
    try:
        value = json.loads(text)
    except ValueError:
        return {"unreadable": text}
    return value if isinstance(value, dict) else {"value": value}
