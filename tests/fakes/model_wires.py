"""The two wire formats from the server's side: requests taken apart, replies put together.

A streamed reply is a list of `Event`s, so that a server can pace it, cut it or put something else in.
"""

from __future__ import annotations

import json
import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from model_brain import Request, Scripted, pieces
from prefix_cache import Segment


@dataclass(frozen=True)
class Event:
    """One event of a stream: its bytes, the output tokens in it, whether the reply's end is behind it."""

    data: bytes
    tokens: int = 0
    ends: bool = False


@dataclass(frozen=True)
class Reply:
    """A reply as it will be sent: text and thinking in tokens, cut to the limit, with its usage."""

    number: int
    model: str
    scripted: Scripted
    text: list[str]
    thinking: list[str]
    truncated: bool
    input: int
    cached: int
    written: int
    reports: bool = True
    """Whether token counts are sent."""

    @property
    def output(self) -> int:
        """Output tokens."""
        calls = sum(len(pieces(arguments)) for _, _, arguments in self.scripted.tool_calls)
        return len(self.text) + len(self.thinking) + calls


def parse(wire: str, number: int, body: Mapping[str, Any]) -> Request:
    """What a brain is given."""
    messages = [
        {"role": message.get("role"), "text": _text(message.get("content"))}
        for message in body.get("messages", [])
    ]
    if wire == "anthropic":
        system = _text(body.get("system"))
        schema = ((body.get("output_config") or {}).get("format") or {}).get("schema")
        tools = [tool["name"] for tool in body.get("tools", [])]
    else:
        system = "".join(m["text"] for m in messages if m["role"] in ("system", "developer"))
        messages = [m for m in messages if m["role"] not in ("system", "developer")]
        schema = ((body.get("response_format") or {}).get("json_schema") or {}).get("schema")
        tools = [tool["function"]["name"] for tool in body.get("tools", [])]
    users = [message["text"] for message in messages if message["role"] == "user"]
    return {
        "wire": wire,
        "number": number,
        "model": body.get("model", ""),
        "system": system,
        "messages": messages,
        "prompt": "\n\n".join(text for text in (system, *(m["text"] for m in messages)) if text),
        "last": users[-1] if users else "",
        "max_tokens": body.get("max_completion_tokens") or body.get("max_tokens") or 1024,
        "schema": schema,
        "top_logprobs": body.get("top_logprobs", 0) if body.get("logprobs") else 0,
        "tools": tools,
        "body": body,
    }


def prompt_segments(wire: str, body: Mapping[str, Any]) -> list[Segment]:
    """The prompt as the caches see it: tools, system and messages in order, one segment a block."""
    found = [Segment(json.dumps(tool, sort_keys=True)) for tool in body.get("tools", [])]
    if wire == "anthropic":
        found += _segments("system", body.get("system"))
    for message in body.get("messages", []):
        found += _segments(message.get("role", ""), message.get("content"))
    return found


def whole_reply(wire: str, reply: Reply, request: Request) -> bytes:
    """A reply that is not streamed."""
    if wire == "anthropic":
        content = [{"type": "text", "text": "".join(reply.text)}] if reply.text else []
        content += [
            {"type": "tool_use", "id": id_, "name": name, "input": json.loads(arguments)}
            for id_, name, arguments in reply.scripted.tool_calls
        ]
        message = _message(reply) | {"content": content, "stop_reason": _stop(wire, reply)}
        return json.dumps(message | {"usage": _anthropic_usage(reply, reply.output)}).encode()
    said: dict[str, Any] = {"role": "assistant", "content": "".join(reply.text)}
    if reply.scripted.refusal:
        said = {"role": "assistant", "content": None, "refusal": "".join(reply.text)}
    if reply.scripted.tool_calls:
        calls = enumerate(reply.scripted.tool_calls)
        said["tool_calls"] = [_openai_call(call, place) for place, call in calls]
    choice: dict[str, Any] = {"index": 0, "message": said, "finish_reason": _stop(wire, reply)}
    if request["top_logprobs"]:
        choice["logprobs"] = {"content": list(_logprobs(reply, request["top_logprobs"]))}
    return json.dumps(
        _chat(reply, "chat.completion") | {"choices": [choice], "usage": _openai_usage(reply)}
    ).encode()


def events(wire: str, reply: Reply, request: Request) -> list[Event]:
    """A streamed reply."""
    return list(_anthropic_events(reply) if wire == "anthropic" else _openai_events(reply, request))


def error_event(wire: str) -> bytes:
    """An overload that is reported when the stream has already begun."""
    if wire == "anthropic":
        error = {"type": "overloaded_error", "message": "Overloaded"}
        return _sse("error", {"type": "error", "error": error})
    return _sse(None, {"error": {"message": "Overloaded", "type": "overloaded_error", "code": None}})


def broken_event(wire: str) -> bytes:
    """An event whose JSON is cut off."""
    return (b"event: content_block_delta\n" if wire == "anthropic" else b"") + b'data: {"type": "cont\n\n'


def empty_event(wire: str) -> bytes:
    """An event that says nothing."""
    return (b"event: message_start\n" if wire == "anthropic" else b"") + b"data: {}\n\n"


def _anthropic_events(reply: Reply) -> Iterator[Event]:
    start = _message(reply) | {"content": [], "stop_reason": None, "usage": _anthropic_usage(reply, 1)}
    yield Event(_sse("message_start", {"type": "message_start", "message": start}))
    yield Event(_sse("ping", {"type": "ping"}))
    place = 0
    for kind, tokens in (("thinking", reply.thinking), ("text", reply.text)):
        if tokens:
            yield Event(_block_start(place, {"type": kind, kind: ""}))
            for token in tokens:
                yield Event(_block_delta(place, {"type": f"{kind}_delta", kind: token}), tokens=1)
            yield Event(_block_stop(place))
            place += 1
    for id_, name, arguments in reply.scripted.tool_calls:
        yield Event(_block_start(place, {"type": "tool_use", "id": id_, "name": name, "input": {}}))
        for token in pieces(arguments):
            yield Event(_block_delta(place, {"type": "input_json_delta", "partial_json": token}), tokens=1)
        yield Event(_block_stop(place))
        place += 1
    delta = {"stop_reason": _stop("anthropic", reply), "stop_sequence": None}
    usage = _anthropic_usage(reply, reply.output)
    yield Event(_sse("message_delta", {"type": "message_delta", "delta": delta, "usage": usage}), ends=True)
    yield Event(_sse("message_stop", {"type": "message_stop"}), ends=True)


def _openai_events(reply: Reply, request: Request) -> Iterator[Event]:
    top = request["top_logprobs"]
    logprobs = _logprobs(reply, top) if top else iter(())

    def piece(delta: Mapping[str, Any], finish: str | None = None, token: Any = None) -> bytes:
        choice: dict[str, Any] = {"index": 0, "delta": delta, "finish_reason": finish, "logprobs": None}
        if token is not None:
            choice["logprobs"] = {"content": [token], "refusal": None}
        return _sse(None, _chat(reply, "chat.completion.chunk") | {"choices": [choice]})

    yield Event(piece({"role": "assistant", "content": ""}))
    for token in reply.thinking:
        yield Event(piece({"reasoning_content": token}), tokens=1)
    field = "refusal" if reply.scripted.refusal else "content"
    for token in reply.text:
        yield Event(piece({field: token}, token=next(logprobs, None)), tokens=1)
    for place, call in enumerate(reply.scripted.tool_calls):
        yield Event(piece({"tool_calls": [_openai_call((call[0], call[1], ""), place)]}))
        for token in pieces(call[2]):
            yield Event(piece({"tool_calls": [{"index": place, "function": {"arguments": token}}]}), tokens=1)
    yield Event(piece({}, finish=_stop("openai", reply)), ends=True)
    if reply.reports and (request["body"].get("stream_options") or {}).get("include_usage"):
        last = _chat(reply, "chat.completion.chunk") | {"choices": [], "usage": _openai_usage(reply)}
        yield Event(_sse(None, last), ends=True)
    yield Event(b"data: [DONE]\n\n", ends=True)


def _stop(wire: str, reply: Reply) -> str:
    if reply.scripted.stop is not None:
        return reply.scripted.stop
    if reply.truncated:
        return "max_tokens" if wire == "anthropic" else "length"
    if reply.scripted.tool_calls:
        return "tool_use" if wire == "anthropic" else "tool_calls"
    if reply.scripted.refusal and wire == "anthropic":
        return "refusal"
    return "end_turn" if wire == "anthropic" else "stop"


def _logprobs(reply: Reply, top: int) -> Iterator[dict[str, Any]]:
    """Each token with its alternatives: those scripted for it, else itself with nine parts in ten."""
    scripted = list(reply.scripted.odds)
    for token in reply.text:
        bare = token.strip()
        space = token[: len(token) - len(token.lstrip())]
        odds: Mapping[str, float] = {bare: 0.9, "maybe": 0.06, "the": 0.04}
        if scripted and scripted[0][0] == bare:
            odds = scripted.pop(0)[1]
        ranked: Sequence[tuple[str, float]] = sorted(odds.items(), key=lambda pair: (-pair[1], pair[0]))
        alternatives = [_token(space + text, p) for text, p in ranked if p > 0][:top]
        yield _token(token, odds.get(bare, 1e-9)) | {"top_logprobs": alternatives}


def _token(text: str, probability: float) -> dict[str, Any]:
    return {"token": text, "logprob": math.log(max(probability, 1e-9)), "bytes": list(text.encode())}


def _message(reply: Reply) -> dict[str, Any]:
    return {
        "id": f"msg_{reply.number}",
        "type": "message",
        "role": "assistant",
        "model": reply.model,
        "stop_sequence": None,
    }


def _chat(reply: Reply, kind: str) -> dict[str, Any]:
    return {"id": f"chatcmpl-{reply.number}", "object": kind, "created": 1_700_000_000, "model": reply.model}


def _anthropic_usage(reply: Reply, output: int) -> dict[str, int]:
    if not reply.reports:
        return {}
    return {
        "input_tokens": reply.input - reply.cached - reply.written,
        "cache_read_input_tokens": reply.cached,
        "cache_creation_input_tokens": reply.written,
        "output_tokens": output,
    }


def _openai_usage(reply: Reply) -> dict[str, Any]:
    if not reply.reports:
        return {}
    return {
        "prompt_tokens": reply.input,
        "completion_tokens": reply.output,
        "total_tokens": reply.input + reply.output,
        "prompt_tokens_details": {"cached_tokens": reply.cached},
    }


def _openai_call(call: tuple[str, str, str], place: int) -> dict[str, Any]:
    id_, name, arguments = call
    return {"index": place, "id": id_, "type": "function", "function": {"name": name, "arguments": arguments}}


def _block_start(place: int, block: Mapping[str, Any]) -> bytes:
    data = {"type": "content_block_start", "index": place, "content_block": block}
    return _sse("content_block_start", data)


def _block_delta(place: int, delta: Mapping[str, Any]) -> bytes:
    return _sse("content_block_delta", {"type": "content_block_delta", "index": place, "delta": delta})


def _block_stop(place: int) -> bytes:
    return _sse("content_block_stop", {"type": "content_block_stop", "index": place})


def _sse(event: str | None, data: Mapping[str, Any]) -> bytes:
    head = f"event: {event}\n" if event is not None else ""
    return f"{head}data: {json.dumps(data)}\n\n".encode()


def _segments(role: str, content: Any) -> list[Segment]:
    blocks = [{"type": "text", "text": content}] if isinstance(content, str) else content or []
    found = []
    for place, block in enumerate(blocks):
        words = block["text"] if block.get("type") == "text" else json.dumps(block, sort_keys=True)
        found.append(Segment((f"<{role}>" if place == 0 else "") + words, "cache_control" in block))
    return found


def _text(content: Any) -> str:
    """The text of a content that is a string or a list of blocks, tool results included."""
    if isinstance(content, str):
        return content
    parts = []
    for block in content or []:
        match block.get("type"):
            case "text":
                parts.append(block["text"])
            case "tool_result":
                parts.append(_text(block.get("content")))
    return "".join(parts)
