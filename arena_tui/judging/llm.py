"""A judge that is a language model: holds a dialogue through a `ModelClient`, one stored reply at a time.

What is asked and how replies are read is pure (`wording`, `pairwise`, `debate`, `score`); this module
brings the calls together with the desk: it goes on after the replies there are, lays every attempt down,
and sees to it that the budget covers what comes.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING

from arena_tui.errors import JudgeError, UsageError
from arena_tui.judging.base import FREE, Desk, Question, Reply, Usage, Verdict
from arena_tui.judging.sitting import Sitting
from arena_tui.judging.wording import Wording
from arena_tui.providers.base import FaultKind, ProviderError, Request
from arena_tui.providers.client import Attempt, ModelClient
from arena_tui.providers.limiter import LimitState

if TYPE_CHECKING:
    from arena_tui import settings

Connect = Callable[[], Awaitable[ModelClient]]
NO_PROBABILITIES = (
    "{model} gives no probabilities of tokens: a score is the letter alone, so that ties are common; "
    "set judge.n_evaluations to 4 or more, so that scores are sampled"
)
PROBE_PAUSE = 1.0  # seconds before a connection is tried once more
_MAY_PASS: frozenset[FaultKind] = frozenset({"rate_limited", "overloaded", "server", "timeout", "cut"})
"""Faults of a probe that say nothing about later calls."""


@dataclass(frozen=True, slots=True)
class ModelStatus:
    """What a screen shows of a model: its limit, and what the calls of this sitting came from."""

    model: str
    limit: LimitState
    sent: int
    from_cache: int


class LlmJudge:
    """Implements `Judge` with one model.

    `secret` is the run's: fences and labels are derived from it. `client` is ready, or made by `open`.
    `planned` also hears of every planned comparison, `closing` is awaited at the end instead of closing
    the client's provider. `notes` are what the user should be told; `open` may add to them.
    """

    keeps_replies = True

    def __init__(
        self,
        settings: settings.LlmJudge,
        *,
        secret: bytes,
        task: str,
        criteria: Mapping[str, str],
        client: ModelClient | Connect,
        planned: Callable[[Question], None] | None = None,
        closing: Callable[[], Awaitable[None]] | None = None,
        notes: Sequence[str] = (),
    ) -> None:
        self.label = f"SIMULATED {settings.model.model}" if settings.is_mock else settings.model.model
        self.notes: Sequence[str] = tuple(notes)
        self._settings = settings
        self._wording = Wording(settings, secret=secret, task=task, criteria=criteria)
        self._client = client if isinstance(client, ModelClient) else None
        self._connect = None if isinstance(client, ModelClient) else client
        self._planned = planned
        self._closing = closing
        self._meetings: dict[int, int] = {}  # of an ordered pair, by its hash
        self._meeting: dict[tuple[str, int, str], int] = {}  # of a question, if it is not the first
        self._sent = 0
        self._from_cache = 0

    @property
    def client(self) -> ModelClient:
        """The client, once the judge is open."""
        if self._client is None:
            raise RuntimeError("the judge is not open")
        return self._client

    async def open(self) -> None:
        """Reach the model once, so that a bad key or name is known before anything is planned."""
        if self._client is None:
            assert self._connect is not None
            self._client = await self._connect()
        provider = self._client.provider
        scores = self._settings.mode == "score"
        if not provider.simulated:
            await self._probe(logprobs=scores)
        if scores and provider.capabilities.logprobs is False:
            self.notes = (*self.notes, NO_PROBABILITIES.format(model=provider.name))

    async def _probe(self, *, logprobs: bool) -> None:
        """One tiny call; tried twice where the connection fails. What says nothing of later calls passes."""
        provider = self.client.provider
        for patience in (PROBE_PAUSE, None):
            try:
                await provider.probe(logprobs=logprobs)
            except ProviderError as error:
                if error.kind == "connection" and patience is not None:
                    await asyncio.sleep(patience)
                    continue
                if error.kind == "rejected" and self._settings.model.params:
                    # The parameters may not fit so small a call (a budget for thinking, say).
                    self.notes = (*self.notes, f"the first, tiny call was not accepted: {error}")
                elif error.kind not in _MAY_PASS:
                    raise JudgeError(str(error)) from None
            return

    def planned(self, question: Question) -> None:
        """Count the meetings of an ordered pair, so that a later one is asked anew and not served from
        the cache of replies."""
        pair = hash((question.group, question.first.id, question.second.id, question.mode))
        meeting = self._meetings.get(pair, 0)
        self._meetings[pair] = meeting + 1
        if meeting:
            self._meeting[_key(question)] = meeting
        if self._planned is not None:
            self._planned(question)

    def worst_case(self, question: Question, replies: Sequence[Reply] = ()) -> Usage:
        """Every call that may still be made, with input and output at their longest."""
        return self._worst(self._wording.of(question).dialogue.ahead(replies))

    def at_stake(self, question: Question, replies: Sequence[Reply] = ()) -> Usage:
        """The calls that are made together now."""
        return self._worst(call.request for call in self._wording.of(question).dialogue.next(replies))

    def _worst(self, requests: Iterable[Request]) -> Usage:
        total = FREE
        for request in requests:
            tokens, usd = self.client.worst_cost(request)
            total += Usage(tokens.input, 0, tokens.output, usd)
        return total

    async def ask(self, question: Question, desk: Desk) -> None:
        """Hold the conversation from where it stands.

        Raises JudgeError when the model cannot be used at all: the replies so far stay, and the same
        call is made again when the run is resumed.
        """
        try:
            await Sitting(
                self.client,
                self._wording.of(question),
                desk,
                meeting=self._meeting.get(_key(question), 0),
                worst_case=partial(self.worst_case, question),
                counted=self._count,
            ).hold()
        except UsageError as error:  # the cache of replies cannot be used
            raise JudgeError(str(error)) from error

    def answered(self, question: Question, replies: Sequence[Reply]) -> bool:
        """True when the dialogue wants no further call."""
        return not self._wording.of(question).dialogue.next(replies)

    def read(self, question: Question, replies: Sequence[Reply]) -> Verdict:
        """The verdict, flagged with what is suspicious in the texts; `reason` is what the model said."""
        self._meeting.pop(_key(question), None)
        verdict = self._wording.of(question).read(replies)
        self._wording.forget(question)
        return verdict

    async def close(self) -> None:
        """Let go of connections."""
        if self._closing is not None:
            await self._closing()
        elif self._client is not None:
            await self._client.provider.close()

    def _count(self, attempt: Attempt) -> None:
        self._from_cache += attempt.from_cache
        self._sent += not attempt.from_cache

    def status(self) -> ModelStatus | None:
        """For a screen; None before the judge is open."""
        if self._client is None:
            return None
        return ModelStatus(
            self._client.provider.name, self._client.limit.state(), self._sent, self._from_cache
        )


def _key(question: Question) -> tuple[str, int, str]:
    return question.group, question.seq, question.orientation
