"""Asking a judge whether it is there, free of charge: programs must exist, models must be listed."""

from __future__ import annotations

import asyncio

from arena_tui.errors import JudgeError
from arena_tui.judging.models import target_of
from arena_tui.providers.base import ProviderError
from arena_tui.providers.sdk import SdkProvider
from arena_tui.providers.targets import open_provider
from arena_tui.settings import llm_judges
from arena_tui.tournament_file import Loaded
from arena_tui.values import did_you_mean

PATIENCE = 20.0  # seconds for a server to list its models
_NO_LIST = (404, 405, 501)  # servers that list no models


def probe(loaded: Loaded) -> str:
    """A sentence on the judge. JudgeError says what is wrong. Runs an event loop of its own."""
    return asyncio.run(_probe(loaded))


async def _probe(loaded: Loaded) -> str:
    told: dict[str, None] = {}
    for judge in llm_judges(loaded.tournament.judge):
        provider = open_provider(target_of(judge.model))
        if not isinstance(provider, SdkProvider):
            told[f"{provider.name} is simulated and always there"] = None
            continue
        try:
            told[await _listed(provider)] = None
        finally:
            await provider.close()
    return "; ".join(told) or f"the judge ({loaded.tournament.judge.kind}) needs no server"


async def _listed(provider: SdkProvider) -> str:
    try:
        async with asyncio.timeout(PATIENCE):
            models = await provider.models()
    except TimeoutError:
        raise JudgeError(
            f"{provider.name}: no answer within {PATIENCE:g} s from {provider.base_url}"
        ) from None
    except ProviderError as error:
        if error.status in _NO_LIST:
            return f"{provider.name}: the server answers; it lists no models"
        raise JudgeError(str(error)) from None
    model = provider.name.partition(":")[2]
    if not models or model in models or any(model in name or name in model for name in models):
        return f"{provider.name}: the server answers and the key is good"
    near = did_you_mean(model, models) or f"it has {', '.join(models[:5])}"
    raise JudgeError(f"{provider.name}: the server lists no model {model!r}; {near}")
