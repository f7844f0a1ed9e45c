"""From the settings of a model to a client for it: one limit for each model, one cache of replies for all.

Whoever asks models in a run (judges, overviews, rubrics, audits) gets its clients here. Nothing of a
provider's SDK is imported before the first call.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

from arena_tui.errors import UsageError
from arena_tui.providers import pricing, targets
from arena_tui.providers.client import CacheMode, ModelClient
from arena_tui.providers.limiter import AdaptiveLimit
from arena_tui.providers.reply_cache import ReplyCache
from arena_tui.providers.retry import RetryPolicy
from arena_tui.providers.targets import Target

if TYPE_CHECKING:
    from arena_tui import settings
    from arena_tui.providers.base import Provider
    from arena_tui.providers.mock_stage import Stage

CACHE_FILE = "replies.db"
START = 20  # requests at once before anything is known of a server, as in inspect_ai


class Models:
    """The models of one run. `home` is the folder of the cache of replies; without one nothing is cached.
    `told` hears, when all is closed, of replies that could not be stored there.

    Belongs to one event loop; `close` ends all that was made here.
    """

    def __init__(self, home: Path | None = None, told: Callable[[str], None] = lambda _trouble: None) -> None:
        self._told = told
        self.cache = None if home is None else ReplyCache(home / CACHE_FILE)
        self._limits: dict[tuple[str, str], AdaptiveLimit] = {}
        self._providers: list[Provider] = []

    async def client(
        self, model: settings.Model, *, cache: CacheMode = "off", stage: Stage | None = None
    ) -> ModelClient:
        """A client for `model`. `stage` tells a mock model what it is to make of texts.

        Raises UsageError for a model that cannot be asked (its key is missing), or a cache file that
        cannot be used.
        """
        target = target_of(model)
        provider = provider_of(target, stage)
        self._providers.append(provider)
        mode: CacheMode = "off" if self.cache is None else cache
        if self.cache is not None and mode != "off":
            await self.cache.open()
        price = await asyncio.to_thread(price_of, model)
        return ModelClient(
            provider,
            limit=self._limit(model, provider),
            retry=RetryPolicy(
                attempts=model.attempts, seconds=model.patience, retry_after_cap=model.max_retry_after
            ),
            price=price,
            cache=self.cache,
            cache_mode=mode,
        )

    async def close(self) -> None:
        """Let go of connections and of the cache."""
        while self._providers:
            await self._providers.pop().close()
        if self.cache is not None:
            await self.cache.close()
            if self.cache.trouble:
                self._told(f"some replies are not kept for later runs: {self.cache.trouble}")
                self.cache.trouble = ""

    def _limit(self, model: settings.Model, provider: Provider) -> AdaptiveLimit:
        key = (provider.name, provider.base_url)
        if key not in self._limits:
            self._limits[key] = AdaptiveLimit(start=min(START, model.requests), most=model.requests)
        return self._limits[key]


def target_of(model: settings.Model) -> Target:
    """What providers need to know of a model."""
    return Target(
        model.model,
        base_url=model.base_url,
        api_key_env=model.api_key_env,
        connect=model.connect_timeout,
        idle=model.idle_timeout,
        total=model.total_timeout,
        params=model.params,
    )


def provider_of(target: Target, stage: Stage | None = None) -> Provider:
    """The provider of a target; a mock one stands on `stage`."""
    if stage is not None and targets.vendor_of(target).wire == "mock":
        from arena_tui.providers.mock import MockProvider

        address = targets.address_of(target)
        return MockProvider(address.model, stage, address.params)
    return targets.open_provider(target)


def price_of(model: settings.Model) -> pricing.Price | None:
    """The price of a model, None when nobody knows it. May import the price list: slow, use a thread."""
    given = model.price
    if given is not None:
        return pricing.Price(given.input, given.output, given.cached_input, given.cache_write)
    target = target_of(model)
    return pricing.price_of(
        model.model, base_url=targets.base_url_of(target), local=targets.vendor_of(target).local
    )


def check_model(model: settings.Model, *, needs_price: str = "", key: bool = True) -> list[str]:
    """What should be said before `model` is used, usually nothing.

    Raises UsageError when no call to it could be made: an unknown prefix, a missing key or address.
    `needs_price` names the limits on money that need its price, which must then be known. Not `key`: no call
    is to be made, so that the key may be missing.
    """
    target = target_of(model)
    targets.check_target(target, key=key)
    if needs_price and price_of(model) is None:
        raise UsageError(
            f"{needs_price} cannot be kept: the price of {model.model} is not known; give the model a "
            "price {input, output} in USD per million tokens, or set limits.unknown_cost: allow"
        )
    return targets.notes(target) if key else []


def check_embeddings(chosen: settings.Embeddings, *, key: bool = True) -> None:
    """Raise UsageError when no vectors could be fetched from the endpoint; see `check_model`."""
    target = Target(chosen.model, base_url=chosen.base_url, api_key_env=chosen.api_key_env)
    targets.check_target(target, key=key)
    if targets.vendor_of(target).wire != "openai":
        raise UsageError(f"{chosen.model} has no endpoint for embeddings: take openai: or another that has")
