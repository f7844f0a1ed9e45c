"""What a probe finds out before a run begins, and embeddings, through the real SDKs."""

from __future__ import annotations

import pytest
from model_faults import Fault, FaultScript
from model_server import ModelServer, Ways
from provider_calls import KEY, Opener, ask

from arena_tui.providers.base import (
    ProviderError,
)
from arena_tui.providers.openai import OpenAIProvider

pytestmark = pytest.mark.usefixtures("planted_keys")


async def test_probe_reaches_key_and_model_with_one_tiny_call(
    server: ModelServer, wire: str, opened: Opener
) -> None:
    server.ways = Ways(keys=[KEY], models=["fake"])
    provider = opened.on(server, wire)
    capabilities = await provider.probe()
    assert len(server.calls) == 1
    assert server.calls[0].sent <= 16
    assert capabilities.cache_control == (wire == "anthropic")
    assert capabilities.json_schema is None, "nobody asked"


@pytest.mark.parametrize("done", [True, False])
async def test_probe_shows_what_the_server_does_and_what_it_ignores(
    server: ModelServer, wire: str, done: bool, opened: Opener
) -> None:
    server.ways = Ways(logprobs=done, schema=done)
    provider = opened.on(server, wire)
    capabilities = await provider.probe(logprobs=True, json_schema=True)
    calls = len(server.calls)
    assert capabilities.json_schema is done
    assert capabilities.logprobs is (done and wire == "openai")
    assert await provider.probe(logprobs=True, json_schema=True) == capabilities
    assert len(server.calls) == calls + 1, "what is known is not asked again"


async def test_probe_of_a_field_the_server_refuses_is_no_fault(
    server: ModelServer, wire: str, opened: Opener
) -> None:
    server.ways = Ways(refused_fields=["logprobs", "response_format", "output_config"])
    provider = opened.on(server, wire)
    capabilities = await provider.probe(logprobs=True, json_schema=True)
    assert (capabilities.logprobs, capabilities.json_schema) == (False, False)
    assert server.calls[-1].outcome == "whole", "the last call shows that the server is there"


@pytest.mark.parametrize("name", ["bad_key", "no_credit", "forbidden", "quota", "low_balance"])
@pytest.mark.parametrize("features", [{}, {"logprobs": True, "json_schema": True}])
async def test_probe_finds_what_would_fail_every_call(
    server: ModelServer, wire: str, name: str, features: dict[str, bool], opened: Opener
) -> None:
    server.faults = FaultScript(always=name)
    provider = opened.on(server, wire)
    with pytest.raises(ProviderError) as caught:
        await provider.probe(**features)
    assert caught.value.kind == "refused"


async def test_probe_names_the_models_there_are(server: ModelServer, opened: Opener) -> None:
    server.ways = Ways(models=["qwen-3b", "gemma-2b", "fake-2"])
    provider = opened.on(server, "openai")
    with pytest.raises(ProviderError, match=r"no such model .*; the server has fake-2, \.\.\.$") as caught:
        await provider.probe()
    assert (caught.value.kind, caught.value.status) == ("refused", 404)


async def test_probe_passes_on_what_may_be_over_soon(server: ModelServer, wire: str, opened: Opener) -> None:
    server.faults = FaultScript(always=Fault("rate_limited", retry_after="9"))
    provider = opened.on(server, wire)
    with pytest.raises(ProviderError) as caught:
        await provider.probe(logprobs=True, json_schema=True)
    assert (caught.value.kind, caught.value.retry_after) == ("rate_limited", 9.0)


async def test_server_that_refuses_one_name_of_the_limit_is_asked_with_the_other(
    server: ModelServer, opened: Opener
) -> None:
    server.ways = Ways(refused_fields=["max_tokens"])
    provider = opened.on(server, "openai")
    await provider.probe()
    await ask(provider)
    assert "max_completion_tokens" in server.calls[-1].body
    assert [call.outcome for call in server.calls] == ["fault", "whole", "whole"]


async def test_model_that_thinks_longer_than_a_probe_allows_is_there(
    server: ModelServer, opened: Opener
) -> None:
    words = "Could not finish the message because max_tokens or model output limit was reached."
    server.faults = FaultScript(always=Fault("bad_request", words=words))
    provider = opened.on(server, "openai")
    provider._limit_field = "max_completion_tokens"
    await provider.probe()


# --- embeddings


async def test_embeddings_are_one_vector_a_text(server: ModelServer, opened: Opener) -> None:
    provider = opened.on(server, "openai")
    assert isinstance(provider, OpenAIProvider)
    first, second, again = await provider.embed(["one", "two", "one"])
    assert first == again != second
    assert len(first) == 8


async def test_embeddings_that_cannot_be_had_are_a_fault(server: ModelServer, opened: Opener) -> None:
    server.ways = Ways(keys=["another"])
    provider = opened.on(server, "openai")
    assert isinstance(provider, OpenAIProvider)
    with pytest.raises(ProviderError) as caught:
        await provider.embed(["one"])
    assert caught.value.kind == "refused"
    assert KEY not in str(caught.value)
