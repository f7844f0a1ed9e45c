"""How a model server sends a reply: at the speed of its tokens, or in one of the ways of `model_faults`."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Sequence

import model_wires as wires
from loopback_http import LAST_CHUNK, chunk, reset, stream_head, whole
from model_calls import Call
from model_faults import ANSWERS, PAGE, Fault
from model_wires import Event


async def send(
    call: Call, events: Sequence[Event], writer: asyncio.StreamWriter, tokens_per_second: float | None = None
) -> None:
    """Send events as fast as tokens come."""
    if tokens_per_second is None:
        writer.write(b"".join(chunk(event.data) for event in events))
        call.sent += sum(event.tokens for event in events)
        await writer.drain()
        return
    start, due = time.monotonic(), 0
    for event in events:
        due += event.tokens
        wait = start + due / tokens_per_second - time.monotonic()
        if wait > 0.001:
            await asyncio.sleep(wait)
        writer.write(chunk(event.data))
        call.sent += event.tokens
        await writer.drain()


async def fail(call: Call, fault: Fault, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    """No reply begins."""
    headers = {} if fault.retry_after is None else {"retry-after": fault.retry_after}
    match fault.name:
        case "silent":
            await reader.read()
        case "reset":
            reset(writer)
        case "slow_headers":
            await drip(stream_head({}), fault.gap, writer)
        case "broken_json":
            writer.write(whole(200, b'{"id": "msg_1", "content": [{"type": "te', headers))
        case "empty_object":
            writer.write(whole(200, b"{}", headers))
        case "html_200":
            writer.write(whole(200, PAGE, headers, "text/html"))
        case "html_502":
            writer.write(whole(502, PAGE, headers, "text/html"))
        case name:
            answer = ANSWERS[name]
            writer.write(whole(answer.status, answer.body(call.wire, call.key, fault.words), headers))


async def go_wrong(
    call: Call,
    fault: Fault,
    events: Sequence[Event],
    reader: asyncio.StreamReader,
    writer: asyncio.StreamWriter,
) -> None:
    """A reply that has begun does not come to its proper end."""
    body = [event for event in events if not event.ends]
    half = body[: max(1, len(body) // 2)]
    match fault.name:
        case "early_end":
            await send(call, body, writer)
            writer.write(LAST_CHUNK)
        case "cut":
            await send(call, half, writer)
            writer.close()
        case "cut_after_reply":
            first = next(event for event in events if event.ends)
            await send(call, [*body, first], writer)
            writer.close()
        case "error_event" | "broken_event" | "empty_event":
            if fault.name != "empty_event":
                await send(call, half, writer)
            make = getattr(wires, fault.name)
            writer.write(chunk(make(call.wire)) + LAST_CHUNK)
        case "stall":
            await send(call, half, writer)
            await reader.read()
        case "open_end":
            await send(call, events, writer)
            await reader.read()
        case "slow_loris":
            await drip(b"".join(event.data for event in events), fault.gap, writer, chunked=True)
            writer.write(LAST_CHUNK)


async def drip(data: bytes, gap: float, writer: asyncio.StreamWriter, *, chunked: bool = False) -> None:
    """One byte at a time, until the client has had enough."""
    for place in range(len(data)):
        byte = data[place : place + 1]
        writer.write(chunk(byte) if chunked else byte)
        await writer.drain()
        await asyncio.sleep(gap)
