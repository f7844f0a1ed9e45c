"""What the mock provider is told beforehand: strengths, chance, latency and what is to go wrong."""

from __future__ import annotations

import asyncio
import math
import random
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass, field

from arena_tui.candidate import text_hash
from arena_tui.providers.base import FaultKind
from arena_tui.vocabulary import Mode


@dataclass(frozen=True, slots=True, kw_only=True)
class Faults:
    """What goes wrong. `rates` are shares of attempts in [0, 1] by kind; `planned` sets the fault of the
    n-th attempt of the provider, from 1.

    `unreadable` is the share of verdicts and scores that no reader can make out, `truncated` that of
    replies that end with `max_tokens`. `retry_after` (seconds) comes with every 429 and overload.
    """

    rates: Mapping[FaultKind, float] = field(default_factory=dict)
    planned: Mapping[int, FaultKind] = field(default_factory=dict)
    retry_after: float | None = None
    unreadable: float = 0.0
    truncated: float = 0.0

    def due(self, call: int, attempt: int, key: str) -> FaultKind | None:
        """The fault of the provider's `call`-th attempt, the `attempt`-th at the request `key`."""
        if (planned := self.planned.get(call)) is not None:
            return planned
        drawn = random.Random(f"{key}:fault:{attempt}").random()
        for kind, rate in self.rates.items():
            if drawn < rate:
                return kind
            drawn -= rate
        return None


def _unknown(text: str) -> None:
    return None


@dataclass(frozen=True, slots=True, kw_only=True)
class Stage:
    """What the mock knows besides the prompt.

    `strength` gives the hidden strength of a text in logits; where it gives None, the strength is drawn
    from the seed and the text as a simulated judge draws it. `first_slot_bias` is added to the text
    that is shown first; `noise` is the logistic scale of verdicts, `draw_rate` their share of draws where
    a prompt offers them. `latency` holds (mean seconds of one call, standard deviation / mean) by mode; a
    turn of a debate is one call. `sleep` replaces the waiting.
    """

    seed: int = 0
    strength: Callable[[str], float | None] = _unknown
    noise: float = 1.0
    first_slot_bias: float = 0.0
    draw_rate: float = 0.0
    latency: Mapping[Mode, tuple[float, float]] = field(default_factory=dict)
    faults: Faults = Faults()
    sleep: Callable[[float], Awaitable[None]] = asyncio.sleep

    def logit(self, text: str) -> float:
        """The hidden strength of a text."""
        known = self.strength(text)
        if known is not None:
            return known
        return random.Random(f"{self.seed}:strength:{text_hash(text)}").gauss(0.0, 1.0)

    def seconds(self, mode: Mode, key: str) -> float:
        """How long the call `key` takes; drawn log-normally where a spread is set."""
        mean, cv = self.latency.get(mode, (0.0, 0.0))
        if mean <= 0 or cv <= 0:
            return max(0.0, mean)
        variance = math.log1p(cv**2)  # of the logarithm, so that mean and cv come out as set
        draw = random.Random(f"{key}:latency")
        return draw.lognormvariate(math.log(mean) - variance / 2, math.sqrt(variance))


def logistic(edge: float, noise: float = 1.0) -> float:
    """Chance of the side that is `edge` logits ahead, under logistic noise of scale `noise`; 0: certain."""
    if noise <= 0:
        return 0.5 if edge == 0 else float(edge > 0)
    scaled = max(-700.0, min(edge / noise, 700.0))
    return 1.0 / (1.0 + math.exp(-scaled))
