"""The provider `mock:<name>`: no model, no key, no network; seeded replies for every prompt arena sends.

Used by the demo, by whoever wants to see a debate before paying for one, and by tests. Verdicts follow
the hidden strengths of the texts as a simulated judge's do; whatever it says in prose is marked SIMULATED.
"""

from __future__ import annotations

import random
import re
from collections import Counter
from collections.abc import AsyncIterator, Mapping
from types import MappingProxyType
from typing import Any

from arena_tui.candidate import text_hash
from arena_tui.providers import mock_text
from arena_tui.providers.base import (
    Capabilities,
    Completion,
    FaultKind,
    ProviderError,
    Request,
    StreamEvent,
    TextDelta,
    Tokens,
)
from arena_tui.providers.estimates import estimated_input, estimated_tokens
from arena_tui.providers.mock_prompt import Kind, Scene, understood
from arena_tui.providers.mock_scores import Letter, letter_for, logprobs
from arena_tui.providers.mock_stage import Stage, logistic
from arena_tui.vocabulary import Mode

FIRST_WORD = 0.15  # share of a call's latency before its first word
MOST_DELTAS = 200  # a longer reply comes in pieces of several words
CRITERION = 0.3  # logits: how far a score strays from the strength with the criterion (standard deviation)
_MODES: Mapping[Kind, Mode] = {
    "pairwise": "pairwise",
    "panel": "debate",
    "advocate": "debate",
    "questions": "debate",
    "judge": "debate",
    "score": "score",
    "json": "pairwise",
    "prose": "pairwise",
}
_FAULTS: Mapping[FaultKind, tuple[str, int | None]] = {
    "rate_limited": ("too many requests", 429),
    "overloaded": ("the server is overloaded", 529),
    "server": ("the server failed", 500),
    "timeout": ("no answer in time", None),
    "connection": ("the connection was lost", None),
    "cut": ("the reply broke off", None),
    "refused": ("the key is refused", 401),
    "rejected": ("the request is refused", 400),
    "too_long": ("the request is longer than the model reads", 400),
    "unknown": ("something else went wrong", None),
}


class MockProvider:
    """Implements `Provider`. `stage` may be set until the first call.

    A reply depends on the stage, the name, the `params`, the request's `seed` (as servers have it) and the
    prompt, but not on the prompt's random labels and fence ids, and never on time. A verdict depends on
    the two texts and their order instead of the prompt, so that what is asked again is decided again
    the same way.
    """

    def __init__(
        self, model: str, stage: Stage | None = None, params: Mapping[str, Any] = MappingProxyType({})
    ) -> None:
        self.stage = stage or Stage()
        self.params = params
        self._model = model
        self._calls = 0
        self._attempts: Counter[str] = Counter()  # by request

    @property
    def name(self) -> str:
        """`mock:<name>`."""
        return f"mock:{self._model}"

    @property
    def base_url(self) -> str:
        """No address."""
        return "mock:"

    @property
    def capabilities(self) -> Capabilities:
        """Log-probabilities for scores; JSON as a prompt asks for it, but nothing enforced."""
        return Capabilities(logprobs=True, json_schema=False, cached_tokens=False, local=True)

    @property
    def simulated(self) -> bool:
        """Always."""
        return True

    async def probe(self, *, logprobs: bool = False, json_schema: bool = False) -> Capabilities:
        """What it can do; refused when every attempt is to be."""
        if self.stage.faults.rates.get("refused", 0.0) >= 1.0:
            raise self._fault("refused")
        return self.capabilities

    async def close(self) -> None:
        """Nothing is open."""

    async def stream(self, request: Request) -> AsyncIterator[StreamEvent]:
        """The reply word by word over the latency, or the fault that is due."""
        stage, scene = self.stage, understood(request)
        key = f"{self._seed(request)}:{scene.key}"
        due = self._due(key)
        if due is not None and due not in ("cut", "timeout"):
            raise self._fault(due)
        seconds = stage.seconds(_MODES[scene.kind], key)
        if due == "timeout":
            await self._wait(seconds)
            raise self._fault(due)
        text, letters = self._reply(request, scene, key)
        words = re.findall(r"\s*\S+\s*", text)
        whole = len(words)
        if due == "cut" or _drawn(key, "truncated") < stage.faults.truncated:
            words = words[: whole // 2]
        while words and estimated_tokens("".join(words)) > request.max_tokens:
            words.pop()
        await self._wait(seconds * FIRST_WORD)
        pieces = _pieces(words)
        for piece in pieces:
            yield TextDelta(piece)
            await self._wait(seconds * (1 - FIRST_WORD) / len(pieces))
        said = "".join(words)
        tokens = Tokens(input=estimated_input(request), output=estimated_tokens(said))
        if due == "cut":
            raise self._fault(due, said, tokens)
        yield Completion(
            text=said,
            stop_reason="stop" if len(words) == whole else "max_tokens",
            tokens=tokens,
            logprobs=logprobs(said, letters, request.top_logprobs) if request.top_logprobs else (),
            model=self.name,
        )

    def _reply(self, request: Request, scene: Scene, key: str) -> tuple[str, list[Letter]]:
        """The text, and for scores the distribution behind each letter."""
        rng = random.Random(f"{key}:text")
        readable = _drawn(key, "unreadable") >= self.stage.faults.unreadable
        match scene.kind:
            case "advocate":
                return mock_text.advocacy(scene, rng), []
            case "questions":
                return mock_text.questions(scene, rng), []
            case "score":
                letters = self._letters(request, scene)
                said = [letter.said for letter in letters]
                return mock_text.scores(scene, said, rng, readable=readable), letters if readable else []
            case "json":
                return mock_text.filled_json(scene, rng), []
            case "prose":
                return mock_text.overview(scene, rng), []
        return mock_text.judgment(scene, self._winner(request, scene), rng, readable=readable), []

    def _winner(self, request: Request, scene: Scene) -> int | None:
        """The index of the better text, None for a draw: decided as a simulated judge does."""
        rng = random.Random(f"{self._question(request, scene)}:verdict")
        drawn, coin = rng.random(), rng.random()
        if scene.draws and drawn < self.stage.draw_rate:
            return None
        first, second = (self.stage.logit(text) for text in scene.texts[:2])
        return 0 if coin < logistic(first - second + self.stage.first_slot_bias, self.stage.noise) else 1

    def _letters(self, request: Request, scene: Scene) -> list[Letter]:
        """A letter for each text, around its strength and moved a little by the criterion."""
        rng = random.Random(f"{self._question(request, scene)}:{scene.key}:score")
        bias = (self.stage.first_slot_bias, 0.0)
        return [
            letter_for(self.stage.logit(text) + ahead + rng.gauss(0.0, CRITERION) * self.stage.noise, rng)
            for text, ahead in zip(scene.texts, bias, strict=False)
        ]

    def _question(self, request: Request, scene: Scene) -> str:
        """What a decision is seeded by: the texts in their order, never the words around them."""
        return ":".join([self._seed(request), *(text_hash(text) for text in scene.texts[:2])])

    def _seed(self, request: Request) -> str:
        own = f":{sorted(self.params.items())}" if self.params else ""
        return f"{self.stage.seed}:{self.name}:{request.params.get('seed')}{own}"

    def _due(self, key: str) -> FaultKind | None:
        """The fault this attempt ends in. The same request draws anew each time it is tried."""
        self._calls += 1
        faults = self.stage.faults
        if faults.rates:
            self._attempts[key] += 1
        return faults.due(self._calls, self._attempts[key], key)

    async def _wait(self, seconds: float) -> None:
        if seconds > 0:
            await self.stage.sleep(seconds)

    def _fault(self, kind: FaultKind, partial: str = "", tokens: Tokens | None = None) -> ProviderError:
        words, status = _FAULTS[kind]
        return ProviderError(
            kind,
            f"{self.name}: {words} (simulated)",
            status=status,
            retry_after=self.stage.faults.retry_after if kind in ("rate_limited", "overloaded") else None,
            tokens=tokens or Tokens(),
            partial=partial,
        )


def _drawn(key: str, what: str) -> float:
    return random.Random(f"{key}:{what}").random()


def _pieces(words: list[str]) -> list[str]:
    """The words as they are streamed: one by one, or several at a time in a long reply."""
    size = max(1, -(-len(words) // MOST_DELTAS))
    return ["".join(words[at : at + size]) for at in range(0, len(words), size)]
