"""A model server for tests: Anthropic's Messages and OpenAI's chat completions on 127.0.0.1.

It answers with a brain (`model_brain`), goes wrong by a script (`model_faults`), counts cached prompt
tokens (`prefix_cache`) and remembers every request. In the test's own event loop:

    async with ModelServer(brain, faults=FaultScript({3: "cut"})) as server:
        ...Target("anthropic:fake", base_url=server.url)...
        assert server.calls[2].fault == "cut"

`model_server_process` runs it in a thread or a process of its own.
"""

from __future__ import annotations

import asyncio
import hashlib
import json
import time
from contextlib import suppress
from dataclasses import asdict, dataclass, field
from typing import Any

import model_wires as wires
from loopback_http import LAST_CHUNK, HttpRequest, read_request, stream_head, whole
from model_brain import Brain, Request, Scripted, by_contract, instance_of, pieces
from model_calls import Call, Ways
from model_faults import ANSWERS, BEFORE, DURING, RAMBLING, Fault, FaultScript, as_fault
from model_sending import fail, go_wrong, send
from prefix_cache import Counted, PrefixCache

ROUTES = {"/v1/messages": "anthropic", "/v1/chat/completions": "openai"}
LOG_PATH = "/_log"


@dataclass
class ModelServer:
    """The server; an async context manager."""

    brain: Brain = by_contract
    faults: FaultScript = field(default_factory=FaultScript)
    ways: Ways = field(default_factory=Ways)

    def __post_init__(self) -> None:
        self.calls: list[Call] = []
        self.others: list[HttpRequest] = []
        """Requests for anything but a reply: models, embeddings."""
        self.in_flight = 0
        self.peak_in_flight = 0
        self.connections = 0
        """Connections made so far."""
        self.cache = PrefixCache(self.ways.block, self.ways.minimum)
        self.port = 0
        self._started = time.monotonic()
        self._tasks: set[asyncio.Task[Any]] = set()
        self._server: asyncio.Server | None = None

    @property
    def url(self) -> str:
        """base_url for Anthropic's SDK."""
        return f"http://127.0.0.1:{self.port}"

    @property
    def openai_url(self) -> str:
        """base_url for OpenAI's SDK."""
        return f"{self.url}/v1"

    async def __aenter__(self) -> ModelServer:
        self._server = await asyncio.start_server(self._serve, "127.0.0.1", 0)
        self.port = self._server.sockets[0].getsockname()[1]
        return self

    async def __aexit__(self, *_: object) -> None:
        assert self._server is not None
        self._server.close()
        for task in self._tasks:
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)
        await self._server.wait_closed()

    def log(self) -> dict[str, Any]:
        """Everything remembered, as JSON can hold it."""
        return {"calls": [asdict(call) for call in self.calls], "peak_in_flight": self.peak_in_flight}

    async def _serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        task = asyncio.current_task()
        assert task is not None
        self._tasks.add(task)
        self.connections += 1
        try:
            while (request := await read_request(reader)) is not None:
                await self._route(request, reader, writer)
                await writer.drain()
                if writer.is_closing() or request.headers.get("connection", "").lower() == "close":
                    break
        except (ConnectionError, asyncio.IncompleteReadError):
            pass  # the client has gone
        except asyncio.CancelledError:
            pass  # the server is being closed; asyncio would log a handler that ends as cancelled
        finally:
            self._tasks.discard(task)
            writer.close()
            with suppress(ConnectionError, asyncio.CancelledError):
                await writer.wait_closed()

    async def _route(
        self, request: HttpRequest, reader: asyncio.StreamReader, writer: asyncio.StreamWriter
    ) -> None:
        wire = ROUTES.get(request.path) if request.method == "POST" else None
        if wire is not None:
            await self._call(wire, request, reader, writer)
            return
        if request.path == LOG_PATH:
            writer.write(whole(200, json.dumps(self.log()).encode(), {}))
            return
        self.others.append(request)
        if self.ways.keys is not None and _key(request) not in self.ways.keys:
            writer.write(whole(401, ANSWERS["bad_key"].body("openai", _key(request)), {}))
        elif request.path == "/v1/models":
            rows = [{"id": name, "object": "model"} for name in self.ways.models or ("fake",)]
            writer.write(whole(200, json.dumps({"object": "list", "data": rows}).encode(), {}))
        elif request.path == "/v1/embeddings":
            writer.write(whole(200, json.dumps(_embeddings(request.json())).encode(), {}))
        else:
            writer.write(whole(404, b'{"error": {"message": "Not Found"}}', {}))

    async def _call(
        self, wire: str, request: HttpRequest, reader: asyncio.StreamReader, writer: asyncio.StreamWriter
    ) -> None:
        body = request.json() or {}
        call = Call(
            number=len(self.calls) + 1,
            wire=wire,
            model=str(body.get("model", "")),
            key=_key(request),
            headers=dict(request.headers),
            body=body,
            at=time.monotonic() - self._started,
        )
        self.calls.append(call)
        self.in_flight += 1
        self.peak_in_flight = max(self.peak_in_flight, self.in_flight)
        try:
            await self._answer(call, reader, writer)
        except ConnectionError:
            call.outcome = call.outcome or "gone"
            raise
        finally:
            self.in_flight -= 1
            call.ended = time.monotonic() - self._started
            call.outcome = call.outcome or "gone"

    async def _answer(self, call: Call, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        asked = wires.parse(call.wire, call.number, call.body)
        asked["schema"] = asked["schema"] if self.ways.schema else None
        asked["top_logprobs"] = asked["top_logprobs"] if self.ways.logprobs else 0
        scripted = self.brain(asked)
        scripted = Scripted(scripted) if isinstance(scripted, str) else scripted
        fault = as_fault(scripted.fault) if scripted.fault else self.faults.fault_for(call.number)
        fault = fault or self._refusal(call)
        if fault is not None:
            call.fault, call.outcome = fault.name, "fault"
            if fault.name in ANSWERS or fault.name in BEFORE:
                await fail(call, fault, reader, writer)
                return
            if fault.name == "malformed":
                scripted = Scripted(RAMBLING)
        counted = self._counted(call)
        if self.ways.latency:
            await asyncio.sleep(self.ways.latency)
        while self.peak_in_flight < self.ways.together:  # noqa: ASYNC110 - `ways` may change at any time
            await asyncio.sleep(0.005)
        self.cache.remember(counted)
        reply = self._reply(call, asked, scripted)
        if not call.body.get("stream"):
            writer.write(whole(200, wires.whole_reply(call.wire, reply, asked), {"request-id": "req_1"}))
            call.sent = reply.output
        else:
            events = wires.events(call.wire, reply, asked)
            writer.write(stream_head({"request-id": "req_1"}))
            if fault is not None and fault.name in DURING:
                await go_wrong(call, fault, events, reader, writer)
                return
            await send(call, events, writer, self.ways.tokens_per_second)
            writer.write(LAST_CHUNK)
        call.outcome = call.outcome or "whole"

    def _refusal(self, call: Call) -> Fault | None:
        """What a server that keeps its rules answers to a request that breaks one."""
        ways = self.ways
        if ways.keys is not None and call.key not in ways.keys:
            return Fault("bad_key")
        if ways.models is not None and call.model not in ways.models:
            return Fault("unknown_model")
        if ways.most_in_flight is not None and self.in_flight > ways.most_in_flight:
            return Fault("rate_limited")
        size = sum(len(segment.text.encode()) for segment in wires.prompt_segments(call.wire, call.body))
        if ways.context is not None and size // 4 > ways.context:
            return Fault("too_long")
        for name in ways.refused_fields:
            if name in call.body:
                return Fault("bad_request", words=f"Unsupported parameter: '{name}'.")
        return None

    def _counted(self, call: Call) -> Counted:
        """The input tokens of a prompt, and which of them the cache has."""
        segments = wires.prompt_segments(call.wire, call.body)
        count = self.cache.marked if call.wire == "anthropic" else self.cache.automatic
        counted = count(call.model, segments)
        call.input, call.cached, call.written = counted.input, counted.cached, counted.written
        return counted

    def _reply(self, call: Call, asked: Request, scripted: Scripted) -> wires.Reply:
        text = scripted.text
        if asked["schema"] is not None:
            text = json.dumps(instance_of(asked["schema"]))
        thinking = pieces(scripted.thinking)[: asked["max_tokens"]]
        room = asked["max_tokens"] - len(thinking)
        tokens = pieces(text)
        return wires.Reply(
            number=call.number,
            model=call.model,
            scripted=scripted,
            text=tokens[:room],
            thinking=thinking,
            truncated=len(tokens) > room,
            input=call.input,
            cached=call.cached,
            written=call.written,
            reports=self.ways.usage,
        )


def _key(request: HttpRequest) -> str:
    """The key in a request, whichever header it came in."""
    bearer = request.headers.get("authorization", "").removeprefix("Bearer ")
    return request.headers.get("x-api-key") or bearer


def _embeddings(body: Any) -> dict[str, Any]:
    """Vectors of eight numbers that depend on the text alone; equal texts have equal ones."""
    texts = body["input"] if isinstance(body["input"], list) else [body["input"]]
    rows = []
    for place, text in enumerate(texts):
        digest = hashlib.sha256(text.encode()).digest()
        vector = [byte / 127.5 - 1 for byte in digest[:8]]
        rows.append({"object": "embedding", "index": place, "embedding": vector})
    return {"object": "list", "data": rows, "model": body.get("model", ""), "usage": {"prompt_tokens": 1}}
