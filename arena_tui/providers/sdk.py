"""What both adapters share: a client made when first needed, three clocks, one way to end.

An SDK is imported and its client made in a worker thread, since that takes a second or two. Streams are
read as plain JSON events (`cast_to=object`): the SDK still authenticates, sends, decodes and raises, but
does not build an object for every token, which costs about ten times as much CPU, and a malformed event
cannot break it.
"""

from __future__ import annotations

import asyncio
import importlib
from abc import ABC, abstractmethod
from collections.abc import AsyncIterator, Mapping
from dataclasses import replace
from typing import Any

from arena_tui.providers.address import Address, is_loopback
from arena_tui.providers.base import (
    Capabilities,
    Completion,
    FaultKind,
    ProviderError,
    Request,
    StreamEvent,
)
from arena_tui.providers.faults import Caught, fault
from arena_tui.providers.json_paths import dig, text_at
from arena_tui.providers.reading import Reading

AFTER_REPLY = 5.0  # seconds that a usage report may take after the reply itself has ended
AFTER_END = 0.25  # seconds for the end of the body, without which the connection cannot be used again
NO_KEY = "none"  # what is sent where the server asks for no key; the SDKs insist on some

_OVER = object()  # no event: the stream has ended
_FORGIVEN: frozenset[FaultKind] = frozenset({"timeout", "connection", "cut"})
"""Faults that no longer matter once the reply is whole."""


class SdkProvider(ABC):
    """One model at one address through a vendor's SDK. Satisfies `base.Provider`."""

    simulated = False
    models_path = "/models"
    """Where the server lists its models, below the base URL."""

    def __init__(self, address: Address, capabilities: Capabilities) -> None:
        self._address = address
        self._capabilities = capabilities
        self._made: Any = None
        self._making = asyncio.Lock()
        self._keep_alive = address.keep_alive

    @property
    def name(self) -> str:
        return self._address.name

    @property
    def base_url(self) -> str:
        return self._address.base_url

    @property
    def params(self) -> Mapping[str, Any]:
        return self._address.params

    @property
    def capabilities(self) -> Capabilities:
        return self._capabilities

    async def stream(self, request: Request) -> AsyncIterator[StreamEvent]:
        """One attempt (see `base.Provider`). Close the iterator when it is left early."""
        reading = self._reading(request)
        loop = asyncio.get_running_loop()
        caught = Caught(self._address)
        events: Any = None
        deadline = 0.0
        with caught:
            client = await self._client()
            deadline = loop.time() + self._address.clocks.total
            async with asyncio.timeout_at(deadline):
                events = await self._open(client, request)
            reading.opened = "event-stream" in events.response.headers.get("content-type", "")
        try:
            while caught.fault is None and events is not None:
                event: object = _OVER
                items: list[StreamEvent] = []
                known = reading.stop_reason
                with caught:
                    # Each wait has the deadline, not the whole loop: the reader of this iterator may be
                    # elsewhere when it passes, and must not be cancelled there.
                    async with asyncio.timeout_at(deadline):
                        event = await anext(events, _OVER)
                    if event is not _OVER:
                        reading.opened = True
                        items += reading.take(event)
                if event is _OVER:
                    break
                for item in items:
                    yield item
                if known is None and reading.stop_reason is not None:
                    deadline = min(deadline, loop.time() + AFTER_REPLY)
                if reading.closed:
                    deadline = min(deadline, loop.time() + AFTER_END)
        finally:
            if events is not None:
                with Caught(self._address):
                    await events.close()
        yield self._end(reading, caught.fault)

    def _end(self, reading: Reading, met: ProviderError | None) -> Completion:
        """The completion, or the fault raised: without a stop reason no reply counts."""
        if reading.stop_reason is not None and (met is None or met.kind in _FORGIVEN):
            if self._capabilities.cached_tokens is None and reading.tokens.cached_input:
                self._capabilities = replace(self._capabilities, cached_tokens=True)
            completion = reading.completion()
            return replace(completion, text=self._without_key(completion.text))
        if met is None and reading.begun:
            met = fault("cut", "the stream ended before the reply did", self._address)
        elif met is None:
            met = fault("server", "the server's answer is no stream of a reply", self._address)
        elif met.kind == "connection" and reading.begun:
            met.kind = "cut"
        elif met.kind == "connection" and is_loopback(self.base_url):
            self._keep_alive = False  # it may have been closed while it waited; here a new one is cheap
        met.tokens = reading.tokens
        met.partial = self._without_key(reading.text)
        raise met from None

    def _without_key(self, text: str) -> str:
        """What is kept of a reply never holds the key, even if a server repeats it."""
        key = self._address.key
        return text if key is None else text.replace(key.reveal(), "***")

    async def complete(self, request: Request) -> Completion:
        """One attempt of which only the end matters."""
        completion: Completion | None = None
        events = self.stream(request)
        async for event in events:
            if isinstance(event, Completion):
                completion = event
        assert completion is not None, "a stream ends with a completion or raises"
        return completion

    async def _answered(self, request: Request) -> Completion:
        """The reply to a probe, which is no call of a run: nobody books its few tokens."""
        return await self.complete(request)

    async def _shown(self, request: Request) -> Completion | None:
        """The reply to a probe of something optional; None when the server will not have it."""
        try:
            return await self._answered(request)
        except ProviderError as met:
            if met.kind in ("rejected", "refused", "too_long"):
                return None
            raise

    async def models(self) -> list[str]:
        """What the server lists, which may be nothing. Raises ProviderError."""
        rows = dig(await self._call("get", self.models_path), "data")
        return [name for row in (rows if isinstance(rows, list) else ()) if (name := text_at(row, "id"))]

    async def _call(self, method: str, path: str, body: object = None) -> Any:
        """A plain request for JSON."""
        caught = Caught(self._address)
        answer: Any = None
        with caught:
            client = await self._client()
            async with asyncio.timeout(self._address.clocks.total):
                if method == "get":
                    answer = await client.get(path, cast_to=object, options=self._options())
                else:
                    answer = await client.post(path, cast_to=object, body=body, options=self._options())
        if caught.fault is not None:
            raise caught.fault from None
        return answer

    async def close(self) -> None:
        """Let go of connections. A later call makes a new client."""
        client, self._made = self._made, None
        if client is not None:
            with Caught(self._address):
                await client.close()

    async def _client(self) -> Any:
        if self._made is None:
            async with self._making:
                if self._made is None:
                    self._made = await asyncio.to_thread(self._make)
        return self._made

    def _options(self) -> dict[str, Any]:
        """The SDK's options of a request."""
        return {} if self._keep_alive else {"headers": {"connection": "close"}}

    def _key(self) -> str:
        return self._address.key.reveal() if self._address.key is not None else NO_KEY

    def _made_by(self, package: str, name: str) -> Any:
        """The client class `name` of an SDK, made for this address; both SDKs take the same."""
        sdk = importlib.import_module(package)
        clocks = self._address.clocks
        return getattr(sdk, name)(
            api_key=self._key(),
            base_url=self._address.base_url,
            max_retries=0,
            timeout=sdk.Timeout(None, connect=clocks.connect, read=clocks.idle, write=clocks.idle),
        )

    @abstractmethod
    def _make(self) -> Any:
        """Import the SDK and make its client. Runs in a worker thread."""

    @abstractmethod
    def _reading(self, request: Request) -> Reading:
        """An empty reply. Raises ProviderError for a request that this wire format cannot express."""

    @abstractmethod
    async def _open(self, client: Any, request: Request) -> Any:
        """Send the request; the SDK's stream of plain JSON events."""
