"""The chat completions format that OpenAI and all compatible servers speak.

Pure: requests into bodies, streamed chunks into a reply. The chunks are the plain JSON of the stream,
since compatible servers leave fields out or null. Source: the types of the `openai` SDK, version 3.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import Any

from arena_tui.providers.address import Address
from arena_tui.providers.base import Message, Request, StopReason, StreamEvent, TokenLogprobs, Tokens
from arena_tui.providers.json_paths import count_at, dig, text_at
from arena_tui.providers.reading import CallInMaking, Reading

LEAST_LOGPROB = -9999.0  # what OpenAI writes for a token that cannot come; others write -Infinity

_STOP: dict[str, StopReason] = {
    "stop": "stop",
    "length": "max_tokens",
    "content_filter": "refusal",
    "tool_calls": "tool_calls",
    "function_call": "tool_calls",
}


def body_of(request: Request, address: Address, limit_field: str = "max_tokens") -> dict[str, Any]:
    """The JSON body of a streamed request; `limit_field` is what the server calls the output limit."""
    messages: list[dict[str, Any]] = []
    if system := "".join(part.text for part in request.system):
        messages.append({"role": "system", "content": system})
    for message in request.messages:
        messages += _messages(message)
    body: dict[str, Any] = {
        "model": address.model,
        "messages": messages,
        limit_field: request.max_tokens,
        "stream": True,
        "stream_options": {"include_usage": True},
    }
    if request.top_logprobs:
        body |= {"logprobs": True, "top_logprobs": request.top_logprobs}
    if request.json_schema is not None:
        schema = {"name": "reply", "strict": True, "schema": dict(request.json_schema)}
        body["response_format"] = {"type": "json_schema", "json_schema": schema}
    if request.tools:
        body["tools"] = [
            {
                "type": "function",
                "function": {
                    "name": tool.name,
                    "description": tool.description,
                    "parameters": dict(tool.schema),
                },
            }
            for tool in request.tools
        ]
    return body | {**address.params, **request.params}


class OpenAIReading(Reading):
    """A reply in chunks of the chat completions format."""

    def __init__(self, request: Request) -> None:
        super().__init__(request)
        self._calls: dict[int, CallInMaking] = {}
        self._refused = False

    def take(self, event: object) -> Iterator[StreamEvent]:
        self.model = text_at(event, "model") or self.model
        self._count(dig(event, "usage"))
        choice = dig(event, "choices", 0)
        if not isinstance(choice, dict) or dig(choice, "index") not in (0, None):
            return
        self.begun = True
        delta = dig(choice, "delta")
        self._thought(text_at(delta, "reasoning_content") or text_at(delta, "reasoning"))
        self._refused |= bool(text_at(delta, "refusal"))
        self._take_logprobs(dig(choice, "logprobs", "content"))
        self._take_calls(dig(delta, "tool_calls"))
        yield from self._said(text_at(delta, "content") or text_at(delta, "refusal"))
        reason = text_at(choice, "finish_reason")
        if reason and self.stop_reason is None:
            self.stop_reason = "refusal" if self._refused else _STOP.get(reason, "other")
            for number in sorted(self._calls):
                self.tool_calls.append(self._calls[number].made())
                yield self.tool_calls[-1]

    def _take_calls(self, pieces: object) -> None:
        for place, piece in enumerate(pieces if isinstance(pieces, list) else ()):
            number = count_at(piece, "index")
            call = self._calls.setdefault(place if number is None else number, CallInMaking())
            call.id = call.id or text_at(piece, "id")
            call.name += text_at(piece, "function", "name")
            arguments = text_at(piece, "function", "arguments")
            call.arguments += arguments
            self._thought(arguments)

    def _take_logprobs(self, tokens: object) -> None:
        for token in tokens if isinstance(tokens, list) else ():
            known = _logprob(token)
            if known is not None:
                listed = dig(token, "top_logprobs")
                pairs = map(_logprob, listed if isinstance(listed, list) else ())
                self.logprobs.append(TokenLogprobs(*known, tuple(pair for pair in pairs if pair is not None)))

    def _count(self, usage: object) -> None:
        prompt = count_at(usage, "prompt_tokens")
        output = count_at(usage, "completion_tokens")
        if prompt is None or output is None:
            return
        self.begun = True
        self.counted = Tokens(
            input=prompt,
            cached_input=min(prompt, count_at(usage, "prompt_tokens_details", "cached_tokens") or 0),
            cache_write=count_at(usage, "prompt_tokens_details", "cache_write_tokens") or 0,
            output=output,
        )
        self.input_counted = self.output_counted = True


def _messages(message: Message) -> Iterator[dict[str, Any]]:
    """A turn as the wire has it: results of tools are messages of their own, before the text."""
    for result in message.tool_results:
        # This format has no mark for a failed tool, so the text says it.
        text = f"error: {result.text}" if result.error else result.text
        yield {"role": "tool", "tool_call_id": result.id, "content": text}
    calls = [
        {"id": call.id, "type": "function", "function": {"name": call.name, "arguments": call.arguments}}
        for call in message.tool_calls
    ]
    if calls:
        yield {"role": message.role, "content": message.text or None, "tool_calls": calls}
    elif message.text or not message.tool_results:
        yield {"role": message.role, "content": message.text}


def _logprob(token: object) -> tuple[str, float] | None:
    """The text of a token and its log-probability; None when either is missing."""
    text, logprob = dig(token, "token"), dig(token, "logprob")
    if not isinstance(text, str) or not isinstance(logprob, (int, float)) or math.isnan(logprob):
        return None
    return text, max(float(logprob), LEAST_LOGPROB)
