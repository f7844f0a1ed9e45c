"""What tokens cost: list prices from the data that genai-prices ships, or the user's own. Nothing is fetched.

A price that is not known is None and never 0; a model on the user's own machines costs 0.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

from arena_tui.providers.base import NO_TOKENS, Tokens
from arena_tui.providers.vendors import VENDORS

if TYPE_CHECKING:
    from genai_prices import types

MILLION = 1_000_000.0
_LISTED = {"anthropic": "anthropic", "openai": "openai", "google": "google", "openrouter": "openrouter"}
_KEYS = {
    "input": "input_mtok",
    "output": "output_mtok",
    "cached_input": "cache_read_mtok",
    "cache_write": "cache_write_mtok",
}


@dataclass(frozen=True, slots=True)
class Price:
    """USD per million tokens. Reading and writing a prompt cache cost as other input where not given.

    `longer` holds (tokens, price): a request with more input than that is priced by the last that
    applies, all of its tokens.
    """

    input: float
    output: float
    cached_input: float | None = None
    cache_write: float | None = None
    longer: tuple[tuple[int, Price], ...] = ()


ZERO = Price(0.0, 0.0)


def price_of(
    model: str, override: Price | None = None, *, base_url: str | None = None, local: bool = False
) -> Price | None:
    """The price of `provider:model`: the user's, else 0 for local models, else the list's; None: unknown.

    `base_url` names who really serves (api.groq.com behind `openai:`); an address that the list does
    not know, such as a gateway, is taken to charge what the provider of the prefix does. Where the
    price depends on the time of day it is the dearest of the day. Imports genai_prices when first
    needed, which takes about 0.3 s: call it in a thread.
    """
    if override is not None:
        return override
    prefix, _, name = model.partition(":")
    if local or (prefix in VENDORS and VENDORS[prefix].local):
        return ZERO
    if not name or (prefix not in _LISTED and base_url is None):
        return None
    from genai_prices.data_snapshot import get_snapshot

    snapshot = get_snapshot()
    found = None
    if base_url is not None:
        try:
            _, found = snapshot.find_provider_model(name, None, None, base_url)
        except LookupError:
            found = None
    if found is None and prefix in _LISTED:
        try:
            _, found = snapshot.find_provider_model(name, None, _LISTED[prefix], None)
        except LookupError:
            return None
    return None if found is None else _listed(found)


def cost(tokens: Tokens, price: Price | None) -> float | None:
    """USD for `tokens`; None when the price is unknown, unless there are no tokens."""
    if tokens == NO_TOKENS:
        return 0.0
    if price is None:
        return None
    for more_than, longer in price.longer:
        if tokens.input > more_than:
            price = longer
    read = price.input if price.cached_input is None else price.cached_input
    write = price.input if price.cache_write is None else price.cache_write
    plain = max(0, tokens.input - tokens.cached_input - tokens.cache_write)
    usd = plain * price.input + tokens.cached_input * read + tokens.cache_write * write
    return (usd + tokens.output * price.output) / MILLION


def _listed(model: types.ModelInfo) -> Price | None:
    """The list's price as ours; None when it lacks input or output (a price by image or by second)."""
    offers = list(_in_force(model, datetime.now(UTC)))
    tiers = {0} | {tier.start for offer in offers for key in _KEYS.values() for tier in _tiers(offer, key)}
    prices = [(start, _at(offers, start)) for start in sorted(tiers)]
    base = prices[0][1]
    if base is None:
        return None
    longer = tuple((start, price) for start, price in prices[1:] if price is not None)
    return Price(base.input, base.output, base.cached_input, base.cache_write, longer)


def _in_force(model: types.ModelInfo, now: datetime) -> Iterable[types.ModelPrice]:
    """The prices that hold today: the last one by date, and all by time of day."""
    from genai_prices.types import ModelPrice, TimeOfDateConstraint

    if isinstance(model.prices, ModelPrice):
        yield model.prices
        return
    by_date = [offer for offer in model.prices if not isinstance(offer.constraint, TimeOfDateConstraint)]
    valid = [offer for offer in by_date if offer.constraint is None or offer.constraint.active(now)]
    yield from (offer.prices for offer in valid[-1:])
    for offer in model.prices:
        if isinstance(offer.constraint, TimeOfDateConstraint):
            yield offer.prices


def _at(offers: list[types.ModelPrice], input_tokens: int) -> Price | None:
    """The dearest of the offers for a request with more than `input_tokens` tokens of input."""
    usd: dict[str, float] = {}
    for ours, key in _KEYS.items():
        known = [_amount(offer, key, input_tokens) for offer in offers]
        dearest = max((amount for amount in known if amount is not None), default=None)
        if dearest is not None:
            usd[ours] = dearest
    if "input" not in usd or "output" not in usd:
        return None
    return Price(usd["input"], usd["output"], usd.get("cached_input"), usd.get("cache_write"))


def _amount(offer: types.ModelPrice, key: str, input_tokens: int) -> float | None:
    value: Any = getattr(offer, key)
    if value is None:
        return None
    amount = getattr(value, "base", value)
    for tier in _tiers(offer, key):
        if input_tokens >= tier.start:
            amount = tier.price
    return float(amount)


def _tiers(offer: types.ModelPrice, key: str) -> list[types.Tier]:
    return getattr(getattr(offer, key), "tiers", [])
