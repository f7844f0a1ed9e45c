"""What tests of the model judge need: a model in memory, a clock that jumps, a desk with accounts."""

from __future__ import annotations

import asyncio
import random
from collections.abc import AsyncIterator, Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import Any

from scripted_provider import FakeTime

from arena_tui import settings
from arena_tui.candidate import Candidate
from arena_tui.conventions import CONTRACT, fenced
from arena_tui.judging.base import FREE, OutOfBudget, Question, Reply, Usage
from arena_tui.judging.llm import LlmJudge
from arena_tui.providers.base import (
    Capabilities,
    Completion,
    Provider,
    ProviderError,
    Request,
    StreamEvent,
    TextDelta,
    Tokens,
)
from arena_tui.providers.client import ModelClient
from arena_tui.providers.limiter import AdaptiveLimit
from arena_tui.providers.mock import MockProvider
from arena_tui.providers.mock_stage import Faults, Stage
from arena_tui.providers.pricing import Price
from arena_tui.providers.reply_cache import ReplyCache
from arena_tui.providers.request_key import most_tokens
from arena_tui.providers.retry import RetryPolicy

SECRET = b"the run's own"
FIRST = Candidate(
    "one", "Cool roofs lower the temperature at night.", title="Roofs", system="gpt", strength=2.0
)
SECOND = Candidate("two", "Fans for every older household.", title="Fans", system="claude", strength=-2.0)
CRITERIA = {"Novelty": "Is it new?", "Lives": "Lives"}
PRICE = Price(3.0, 15.0)
MODES = ("pairwise", "debate", "score")


def question(mode: Any = "pairwise", seq: int = 1, **more: Any) -> Question:
    chosen = {"orientation": "ab", "first": FIRST, "second": SECOND} | more
    return Question("main", seq, mode=mode, **chosen)


def chosen(**more: Any) -> settings.LlmJudge:
    """Settings of a judge whose model is given to it ready-made."""
    model = {"model": "llamacpp:test", "max_tokens": 300} | more.pop("model", {})
    return settings.LlmJudge(model=model, **more)


class Model:
    """A provider: `say` makes a reply, a whole completion or a fault of a request and its number, from 1."""

    simulated = False
    params: Mapping[str, Any] = MappingProxyType({})
    base_url = "http://127.0.0.1:1/v1"
    name = "llamacpp:test"

    def __init__(
        self, say: Callable[[Request, int], str | Completion | ProviderError], *, logprobs: bool | None = None
    ) -> None:
        self.say = say
        self.capabilities = Capabilities(logprobs=logprobs, local=True)
        self.requests: list[Request] = []
        self.probes: list[bool] = []
        self.streaming = 0
        self.most_streaming = 0
        self.closed = False
        self.probe_fault: ProviderError | None = None

    async def stream(self, request: Request) -> AsyncIterator[StreamEvent]:
        self.requests.append(request)
        said = self.say(request, len(self.requests))
        self.streaming += 1
        self.most_streaming = max(self.most_streaming, self.streaming)
        try:
            await asyncio.sleep(0)
            if isinstance(said, ProviderError):
                raise said
            done = (
                said if isinstance(said, Completion) else Completion(said, "stop", tokens_of(request, said))
            )
            yield TextDelta(done.text)
            await asyncio.sleep(0)
            yield done
        finally:
            self.streaming -= 1

    async def probe(self, *, logprobs: bool = False, json_schema: bool = False) -> Capabilities:
        self.probes.append(logprobs)
        if self.probe_fault is not None:
            raise self.probe_fault
        return self.capabilities

    async def close(self) -> None:
        self.closed = True


def tokens_of(request: Request, said: str) -> Tokens:
    words = "".join(part.text for part in request.system) + "".join(m.text for m in request.messages)
    return Tokens(input=len(words) // 4, output=min(request.max_tokens, most_tokens(said)))


class Recorded:
    """A provider that notes the requests another one gets."""

    def __init__(self, inner: MockProvider) -> None:
        self.inner = inner
        self.requests: list[Request] = []

    def __getattr__(self, name: str) -> Any:
        return getattr(self.inner, name)

    def stream(self, request: Request) -> AsyncIterator[StreamEvent]:
        self.requests.append(request)
        return self.inner.stream(request)


def mock(seed: int = 0, *, faults: Mapping[Any, float] = {}, unreadable: float = 0.0) -> Recorded:
    """A mock model that hands over its turn to others many times in a reply."""

    async def a_moment(_seconds: float) -> None:
        await asyncio.sleep(0)

    return Recorded(
        MockProvider(
            "panel",
            Stage(
                seed=seed,
                strength={FIRST.text: 2.0, SECOND.text: -2.0}.get,
                latency=dict.fromkeys(("pairwise", "debate", "score"), (1.0, 0.0)),
                sleep=a_moment,
                faults=Faults(rates=dict(faults), unreadable=unreadable),
            ),
        )
    )


def client_of(provider: Any, *, time: FakeTime | None = None, **more: Any) -> ModelClient:
    time = time or FakeTime()
    return ModelClient(
        provider,
        limit=AdaptiveLimit(start=8, clock=time.clock, later=time.later),
        retry=more.pop("retry", RetryPolicy(attempts=4)),
        price=more.pop("price", PRICE),
        clock=time.clock,
        sleep=time.skip,
        rng=random.Random(1),
        **more,
    )


def judge_of(
    provider: Provider | Any,
    *,
    criteria: Mapping[str, str] = CRITERIA,
    secret: bytes = SECRET,
    cache: ReplyCache | None = None,
    cache_mode: Any = "off",
    retry: RetryPolicy | None = None,
    **more: Any,
) -> LlmJudge:
    """A judge of its own client, ready to be asked."""
    given = {} if retry is None else {"retry": retry}
    client = client_of(provider, cache=cache, cache_mode=cache_mode, **given)
    return LlmJudge(
        chosen(**more), secret=secret, task="Which saves more lives?", criteria=criteria, client=client
    )


@dataclass
class Ledger:
    """A desk with a reservation, as the engine's: what was kept is durable once somebody waited for it."""

    replies: list[Reply] = field(default_factory=list)
    lost: int = 0
    reserved: Usage | None = None  # None: anything is covered
    money: float = 0.0  # USD that a cover may still reserve
    durable: int = 0
    log: list[str] = field(default_factory=list)
    shown: dict[str, str] = field(default_factory=dict)
    lives: list[tuple[str, object]] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.durable = len(self.replies)

    def keep(self, reply: Reply) -> None:
        keys = [(r.turn, r.sample, r.attempt) for r in self.replies]
        assert (reply.turn, reply.sample, reply.attempt) not in keys, "the database refuses it"
        self.replies.append(reply)
        self.log.append(f"keep {reply.turn}.{reply.sample}.{reply.attempt}")
        if self.reserved is not None:
            left = (self.reserved.usd or 0.0) - (reply.usage.usd or 0.0)
            self.reserved = Usage(self.reserved.input_tokens, 0, 0, max(0.0, left))

    async def saved(self) -> None:
        self.log.append("saved")
        await asyncio.sleep(0)
        self.durable = len(self.replies)

    async def cover(self, further: Usage) -> None:
        self.log.append("cover")
        self.durable = len(self.replies)
        if self.reserved is None:
            return
        short = max(0.0, (further.usd or 0.0) - (self.reserved.usd or 0.0))
        if short > self.money + 1e-12:
            raise OutOfBudget
        self.money -= short
        self.reserved = Usage(self.reserved.input_tokens, 0, 0, (self.reserved.usd or 0.0) + short)
        await asyncio.sleep(0)

    def waits(self, waiting: bool) -> None:
        """Nobody gives anything up."""

    def show(self, speaker: str, text: object, slot: int | None = None) -> None:
        self.shown[speaker] = str(text)
        if not self.lives or self.lives[-1] != (speaker, text):
            self.lives.append((speaker, text))

    @property
    def usage(self) -> Usage:
        return sum((reply.usage for reply in self.replies), FREE)


def said(replies: Iterable[Reply]) -> list[tuple[int, int, int, str]]:
    """The replies as (turn, sample, attempt, stop reason)."""
    return [(r.turn, r.sample, r.attempt, r.stop_reason) for r in replies]


def prompt_of(request: Request) -> str:
    """All words of a request."""
    return "\n".join(["".join(part.text for part in request.system), *(m.text for m in request.messages)])


def ended(replies: Sequence[Reply]) -> set[tuple[int, int]]:
    """The calls that have a reply."""
    return {(r.turn, r.sample) for r in replies if not r.failure}


def labels_in(request: Request) -> list[str]:
    return [block.label for block in fenced(prompt_of(request)) if block.kind == "text"]


def for_first(request: Request, number: int = 1) -> str:
    """Speaks, scores or decides for the first text, whatever it is called."""
    first, second = labels_in(request)[:2]
    if f"score {first}:" in prompt_of(request):
        return f"So.\nscore {first}: B\nscore {second}: K"
    return f"The first is better.\n{CONTRACT}: {first}"


def fault(kind: Any, message: str = "the server failed (HTTP 500)", **more: Any) -> ProviderError:
    return ProviderError(kind, message, **more)
