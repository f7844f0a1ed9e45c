"""One call to a model, whole: cache, slot, attempts with backoff, price. All paid calls go through here.

A `ModelClient` belongs to one model. It knows nothing of comparisons, budgets or storage: whoever
calls is told of every attempt and asked before each further one.
"""

from __future__ import annotations

import asyncio
import random
import time
from collections.abc import AsyncIterator, Awaitable, Callable
from dataclasses import dataclass, replace
from typing import Literal

from arena_tui.providers.base import (
    NO_TOKENS,
    TERMINAL,
    Completion,
    Provider,
    ProviderError,
    Request,
    StreamEvent,
    TextDelta,
    Tokens,
)
from arena_tui.providers.estimates import estimated_input, estimated_tokens
from arena_tui.providers.limiter import AdaptiveLimit, Blocked, Slot
from arena_tui.providers.live_text import LiveText
from arena_tui.providers.pricing import Price, cost
from arena_tui.providers.reply_cache import ReplyCache
from arena_tui.providers.request_key import request_key, rewritten, worst_case
from arena_tui.providers.retry import RetryPolicy, in_words

CacheMode = Literal["on", "off", "refresh"]


@dataclass(frozen=True, slots=True)
class Attempt:
    """How one attempt ended: with a `completion` or with a `fault`.

    `tokens` and `usd` are what it is to be billed with: nothing for a reply from the cache, an estimate
    where a stream broke off or the server did not count; `usd` is None when the price is unknown.
    `seconds` run from the sending of the request. `down` marks a fault after which no call can succeed
    for a while: the provider asked for a longer pause than a call waits.
    """

    number: int
    completion: Completion | None
    fault: ProviderError | None
    tokens: Tokens
    usd: float | None
    seconds: float
    from_cache: bool
    request_hash: str
    down: bool = False


def worst_cost(request: Request, price: Price | None) -> tuple[Tokens, float | None]:
    """The most tokens one attempt at a request can use, and what they cost; None at an unknown price."""
    tokens = worst_case(request)
    dear = cost(tokens, price)
    unwritten = cost(replace(tokens, cache_write=0), price)
    return tokens, None if dear is None or unwritten is None else max(dear, unwritten)


def _unchanged(text: str) -> str:
    return text


class ModelClient:
    """Calls one provider, within its limit and by its price. The caller closes provider and cache.

    `cache_mode`: `on` serves and stores replies, `refresh` only stores, `off` does neither. `clock`,
    `sleep` and `rng` replace time and chance in tests.
    """

    def __init__(
        self,
        provider: Provider,
        *,
        limit: AdaptiveLimit,
        retry: RetryPolicy,
        price: Price | None,
        cache: ReplyCache | None = None,
        cache_mode: CacheMode = "off",
        clock: Callable[[], float] = time.monotonic,
        sleep: Callable[[float], Awaitable[None]] = asyncio.sleep,
        rng: random.Random | None = None,
    ) -> None:
        if cache is None and cache_mode != "off":
            raise ValueError(f"a cache mode {cache_mode!r} needs a cache")
        self.provider = provider
        self.limit = limit
        self.price = price
        self._retry = retry
        self._cache = None if cache_mode == "off" else cache
        self._serves = cache_mode == "on"
        self._clock = clock
        self._sleep = sleep
        self._rng = rng or random.Random()

    def request_hash(self, request: Request, sample: int = 0, hide: Callable[[str], str] = _unchanged) -> str:
        """The key of a request in the cache: equal for all that a reply could be shared by."""
        provider = self.provider
        request = replace(request, params={**provider.params, **request.params})
        return request_key(request, model=provider.name, base_url=provider.base_url, sample=sample, hide=hide)

    def worst_case(self, request: Request) -> Tokens:
        """The most tokens one attempt can use."""
        return worst_case(request)

    def worst_cost(self, request: Request) -> tuple[Tokens, float | None]:
        """The most tokens one attempt can use, and what they cost; None when the price is unknown."""
        return worst_cost(request, self.price)

    async def forget(self, request_hash: str) -> None:
        """Take a reply that nobody could read out of the cache."""
        if self._cache is not None:
            await self._cache.forget(request_hash)

    async def complete(
        self,
        request: Request,
        *,
        sample: int = 0,
        first_attempt: int = 1,
        hide: Callable[[str], str] = _unchanged,
        reveal: Callable[[str], str] = _unchanged,
        on_text: Callable[[LiveText], None] | None = None,
        on_attempt: Callable[[Attempt], None] | None = None,
        before: Callable[[], Awaitable[None]] | None = None,
    ) -> Attempt:
        """The reply to a request, or the fault after which nothing more is tried.

        Attempts are numbered from `first_attempt`. `on_attempt` is told of each failed attempt, also of
        the last one, which is then returned too; a completion is only returned. One that was cut short
        or refused by the model is a completion, with that stop reason; it is neither tried again nor
        stored. `before` is awaited before each further attempt, while no slot is held; what it raises
        ends the call.

        `on_text` is called when an attempt begins, with an empty text, and after every piece that came,
        with the same `LiveText` object, so that it costs the same however long the text is: keep the
        object and take `str()` of it when somebody looks. The next attempt begins a new one.

        `hide` replaces what is random in a prompt (fence ids, labels) by placeholders, `reveal` puts
        this prompt's own in their place: the cache is keyed by and stores hidden texts. A simulated
        provider gets `sample` as the request's seed, since it has no chance of its own.

        Raises `ProviderError` of kind `refused`, after telling `on_attempt`, since then no request of
        the run can succeed, and `UsageError` for a cache file that cannot be used. Cancelling it at any
        await gives the slot back and closes the stream.
        """
        key = self.request_hash(request, sample, hide)
        if self._cache is not None and self._serves:
            stored = await self._cache.get(key)
            if stored is not None:
                served = rewritten(stored, reveal)
                if on_text is not None:
                    on_text(LiveText(served.text))
                return Attempt(first_attempt, served, None, NO_TOKENS, 0.0, 0.0, True, key)
        if self.provider.simulated and "seed" not in request.params:
            request = replace(request, params={**request.params, "seed": sample})
        tries, limited, began = 0, 0, self._clock()
        while True:
            if tries and before is not None:
                await before()
            try:
                async with self.limit.slot(self._retry.retry_after_cap) as slot:
                    if not tries:
                        began = self._clock()
                    attempt = await self._attempt(request, first_attempt + tries, key, slot, on_text)
            except Blocked as blocked:
                return self._unsent(first_attempt + tries, key, blocked)
            tries += 1
            if attempt.completion is not None:
                if self._cache is not None and _may_be_served(attempt.completion):
                    self._cache.put(key, rewritten(attempt.completion, hide))
                return attempt
            limited += attempt.fault is not None and attempt.fault.kind == "rate_limited"
            wait, attempt = self._what_next(attempt, tries, limited, self._clock() - began)
            if on_attempt is not None:
                on_attempt(attempt)
            if wait is None:
                if attempt.fault is not None and attempt.fault.kind == "refused":
                    raise attempt.fault
                return attempt
            await self._sleep(wait)

    async def _attempt(
        self,
        request: Request,
        number: int,
        key: str,
        slot: Slot,
        on_text: Callable[[LiveText], None] | None,
    ) -> Attempt:
        """One request, told to the limiter; every end of it but cancellation is an `Attempt`."""
        live = LiveText()
        began = self._clock()
        try:
            completion = await self._streamed(request, live, on_text)
        except ProviderError as error:
            fault = error
        else:
            slot.fine()
            tokens = completion.tokens
            if not tokens.input and not tokens.output:
                tokens = _estimated(request, completion.text)
            usd = cost(tokens, self.price)
            return Attempt(number, completion, None, tokens, usd, self._clock() - began, False, key)
        match fault.kind:
            case "rate_limited":
                slot.rate_limited(fault.retry_after)
            case "overloaded" | "server" | "timeout" | "connection" | "cut":
                slot.trouble(fault.retry_after)
        tokens = fault.tokens
        if tokens == NO_TOKENS and len(live):
            tokens = _estimated(request, str(live))
        usd = cost(tokens, self.price)
        return Attempt(number, None, fault, tokens, usd, self._clock() - began, False, key)

    async def _streamed(
        self, request: Request, live: LiveText, on_text: Callable[[LiveText], None] | None
    ) -> Completion:
        if on_text is not None:
            on_text(live)
        stream = self.provider.stream(request)
        try:
            async for event in stream:
                if isinstance(event, TextDelta):
                    live.append(event.text)
                    if on_text is not None:
                        on_text(live)
                elif isinstance(event, Completion):
                    return event
        finally:
            await _close(stream)
        raise ProviderError(
            "cut", f"{self.provider.name}: the reply ended before it was whole", partial=str(live)
        )

    def _what_next(
        self, attempt: Attempt, tries: int, limited: int, elapsed: float
    ) -> tuple[float | None, Attempt]:
        """Seconds until the next attempt, or None and the attempt with a fault that says why."""
        fault = attempt.fault
        if fault is None:
            return None, attempt
        next_step = self._retry.after(fault, tries, elapsed, self._rng, limited)
        if isinstance(next_step, float):
            return next_step, attempt
        if next_step:
            fault = ProviderError(
                fault.kind,
                f"{str(fault).rstrip('.')}: {next_step}",
                status=fault.status,
                retry_after=fault.retry_after,
                tokens=fault.tokens,
                partial=fault.partial,
            )
        return None, replace(attempt, fault=fault, down=self._retry.is_down(fault))

    def _unsent(self, number: int, key: str, blocked: Blocked) -> Attempt:
        """No attempt at all, since the provider asked for a pause that is too long to wait for."""
        fault = ProviderError(
            "rate_limited",
            f"{self.provider.name} has asked for a pause, of which {in_words(blocked.seconds)} are left: "
            "nothing was sent",
            retry_after=blocked.seconds,
        )
        return Attempt(number, None, fault, NO_TOKENS, 0.0, 0.0, False, key, down=True)


def _may_be_served(completion: Completion) -> bool:
    return completion.stop_reason in TERMINAL and not completion.tool_calls


def _estimated(request: Request, reply: str) -> Tokens:
    """What a request and the text that came have used, about, where the server did not count."""
    return Tokens(input=estimated_input(request), output=estimated_tokens(reply))


async def _close(stream: AsyncIterator[StreamEvent]) -> None:
    """Close an asynchronous generator now, not when it is collected."""
    close = getattr(stream, "aclose", None)
    if close is not None:
        await close()
