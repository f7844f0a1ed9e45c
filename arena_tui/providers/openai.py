"""OpenAI and every server that speaks its chat completions, through the official SDK.

Serves `openai:`, `openrouter:`, `google:`, `ollama:`, `vllm:` and `llamacpp:`. The SDK is imported when
the first call is made.
"""

from __future__ import annotations

import difflib
import importlib
from collections.abc import Sequence
from dataclasses import replace
from typing import Any
from urllib.parse import urlsplit

from arena_tui.providers.address import Address
from arena_tui.providers.base import Capabilities, Completion, ProviderError, Request
from arena_tui.providers.faults import Caught, fault
from arena_tui.providers.json_paths import dig
from arena_tui.providers.openai_wire import OpenAIReading, body_of
from arena_tui.providers.probing import (
    greeting,
    shows_logprobs,
    shows_schema,
    structured_greeting,
)
from arena_tui.providers.reading import Reading
from arena_tui.providers.sdk import SdkProvider
from arena_tui.safetext import clean

_LIMIT_FIELDS = ("max_completion_tokens", "max_tokens")


class OpenAIProvider(SdkProvider):
    """One model behind a chat completions API."""

    def __init__(self, address: Address) -> None:
        super().__init__(address, Capabilities(local=address.local))
        # OpenAI's newer models refuse the old name; other servers may ignore the new one, and with it
        # the limit.
        own = (urlsplit(address.base_url).hostname or "").endswith("openai.com")
        self._limit_field = _LIMIT_FIELDS[0] if own else _LIMIT_FIELDS[1]

    async def probe(self, *, logprobs: bool = False, json_schema: bool = False) -> Capabilities:
        """A chat of a few tokens, which proves key, model and credit; a list of models proves none of them.

        What is asked about rides on that chat where it can. An unknown model is named beside those that
        the server lists.
        """
        reached = False
        if logprobs and self._capabilities.logprobs is None:
            shown = await self._shown(greeting(top_logprobs=5))
            reached |= shown is not None
            there = shown is not None and shows_logprobs(shown)
            self._capabilities = replace(self._capabilities, logprobs=there)
        if json_schema and self._capabilities.json_schema is None:
            shown = await self._shown(structured_greeting())
            reached |= shown is not None
            enforced = shown is not None and shows_schema(shown)
            self._capabilities = replace(self._capabilities, json_schema=enforced)
        if not reached:
            await self._reach()
        return self._capabilities

    async def embed(self, texts: Sequence[str]) -> list[list[float]]:
        """One vector a text from `/embeddings`, in order. Raises ProviderError."""
        answer = await self._call("post", "/embeddings", {"model": self._address.model, "input": list(texts)})
        rows = dig(answer, "data")
        vectors = [dig(row, "embedding") for row in rows] if isinstance(rows, list) else []
        if len(vectors) != len(texts) or not all(_is_vector(vector) for vector in vectors):
            raise fault("server", "the server's answer holds no vector for each text", self._address)
        return [[float(number) for number in vector] for vector in vectors]

    async def _reach(self) -> None:
        """One tiny chat. A refused model is named beside those that there are."""
        try:
            await self._answered(greeting())
        except ProviderError as met:
            if met.kind == "rejected" and "output limit was reached" in str(met):
                return  # a model that thinks first has used the few tokens up: it is there and it answers
            refused = met
        else:
            return
        if refused.status in (400, 404):
            raise ProviderError(
                refused.kind, f"{refused}{await self._others()}", status=refused.status
            ) from None
        raise refused from None

    async def _others(self) -> str:
        """The models that there are, nearest names first, as the end of a sentence."""
        with Caught(self._address):
            names = [clean(name)[:80] for name in await self.models()]
            near = difflib.get_close_matches(self._address.model, names, n=5, cutoff=0.4)
            if shown := near or sorted(names)[:5]:
                return f"; the server has {', '.join(shown)}" + (", ..." if len(names) > len(shown) else "")
        return ""

    async def _answered(self, request: Request) -> Completion:
        """As in the base, but a server that refuses one name of the output limit is asked with the other."""
        try:
            return await super()._answered(request)
        except ProviderError as met:
            if met.kind != "rejected" or self._limit_field not in str(met):
                raise
        self._limit_field = _LIMIT_FIELDS[1 - _LIMIT_FIELDS.index(self._limit_field)]
        return await super()._answered(request)

    def _make(self) -> Any:
        return self._made_by("openai", "AsyncOpenAI")

    def _reading(self, request: Request) -> Reading:
        return OpenAIReading(request)

    async def _open(self, client: Any, request: Request) -> Any:
        return await client.post(
            "/chat/completions",
            cast_to=object,
            body=body_of(request, self._address, self._limit_field),
            options=self._options(),
            stream=True,
            stream_cls=importlib.import_module("openai").AsyncStream[object],
        )


def _is_vector(value: object) -> bool:
    return isinstance(value, list) and bool(value) and all(isinstance(one, (int, float)) for one in value)
