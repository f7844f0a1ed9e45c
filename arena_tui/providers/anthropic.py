"""`anthropic:` models through the official SDK, imported when the first call is made."""

from __future__ import annotations

import importlib
from dataclasses import replace
from typing import Any

from arena_tui.providers.address import Address
from arena_tui.providers.anthropic_wire import AnthropicReading, body_of
from arena_tui.providers.base import Capabilities, Request
from arena_tui.providers.faults import fault
from arena_tui.providers.probing import greeting, shows_schema, structured_greeting
from arena_tui.providers.reading import Reading
from arena_tui.providers.sdk import SdkProvider


class AnthropicProvider(SdkProvider):
    """One model behind Anthropic's Messages API, or behind a server that speaks it."""

    models_path = "/v1/models"

    def __init__(self, address: Address) -> None:
        super().__init__(
            address,
            Capabilities(logprobs=False, cache_control=True, cached_tokens=True, local=address.local),
        )

    async def probe(self, *, logprobs: bool = False, json_schema: bool = False) -> Capabilities:
        """A message of one token, which proves key, model and credit and that replies stream.

        Log-probabilities are not asked for: the API has none.
        """
        shown = None
        if json_schema and self._capabilities.json_schema is None:
            shown = await self._shown(structured_greeting())
            enforced = shown is not None and shows_schema(shown)
            self._capabilities = replace(self._capabilities, json_schema=enforced)
        if shown is None:
            await self._answered(greeting())
        return self._capabilities

    def _make(self) -> Any:
        return self._made_by("anthropic", "AsyncAnthropic")

    def _reading(self, request: Request) -> Reading:
        if request.top_logprobs:
            raise fault("rejected", "this API gives no log-probabilities", self._address)
        return AnthropicReading(request)

    async def _open(self, client: Any, request: Request) -> Any:
        return await client.post(
            "/v1/messages",
            cast_to=object,
            body=body_of(request, self._address),
            options=self._options(),
            stream=True,
            stream_cls=importlib.import_module("anthropic").AsyncStream[object],
        )
