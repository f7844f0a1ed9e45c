"""Who answers in a forecast: a simulation with the sizes, prices and times of the judge it stands for.

A language model's requests are those that its own wording would make of the very texts: what is reserved
is their worst case, as in a run. Nothing is sent and no key is needed.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

from arena_tui.candidate import Candidate, Pool
from arena_tui.judging.base import FREE, Question, Reply, Usage, Verdict
from arena_tui.judging.desk import judge_alone
from arena_tui.judging.simulated import SimulatedJudge
from arena_tui.judging.wording import Worded, Wording
from arena_tui.settings import (
    CommandJudge,
    HumanJudge,
    LlmJudge,
    Mock,
    PanelJudge,
    Tournament,
)
from arena_tui.settings import SimulatedJudge as SimulatedSettings
from arena_tui.vocabulary import Mode

SECONDS: dict[Mode, float] = {"pairwise": 2.0, "score": 2.0, "debate": 30.0}
"""What a comparison by a language model is taken to last."""
PROGRAM = 2.0
"""Seconds that a program is taken to need for a comparison; it holds no debates."""
PERSON = 60.0
"""Seconds that a person is taken to need for a comparison; a person makes one at a time."""
REPLY_SHARE = 0.25
"""The share of `max_tokens` that a model's reply is taken to have: 512 tokens of the usual 2,048."""


class StandIn:
    """Answers in a judge's place. What a panel's members take is summed, and the slowest is waited for."""

    def __init__(self, tournament: Tournament, pool: Pool, seed: int) -> None:
        everyone = [candidate for group in pool.groups for candidate in group.candidates]
        judge = tournament.judge
        members = judge.judges if isinstance(judge, PanelJudge) else (judge,)
        self._free_at = 0.0  # when the person has time again
        self._has_person = any(isinstance(member, HumanJudge) for member in members)
        self._paid: list[_Paid] = []
        self._clocks: list[tuple[SimulatedJudge, object]] = []  # with whom it stands for
        voices = []
        for member in members:
            if isinstance(member, HumanJudge):
                continue
            voice = SimulatedJudge(_simulation(member), seed=seed, candidates=everyone, sleep=_no_sleep)
            mocked = isinstance(member, LlmJudge) and member.is_mock
            self._clocks.append((voice, member))
            if isinstance(member, SimulatedSettings):
                self._paid.append(_Booked(voice))
            elif isinstance(member, LlmJudge):
                self._paid.append(_Asked(member, tournament))
            if mocked or isinstance(member, SimulatedSettings):
                voices.append(voice)
        plain = SimulatedJudge(SimulatedSettings(), seed=seed, candidates=everyone, sleep=_no_sleep)
        self._voice = voices[0] if voices else plain

    def worst(self, question: Question) -> Usage:
        """What a run would reserve."""
        return sum((paid.worst(question) for paid in self._paid), FREE)

    def usual(self, question: Question) -> Usage:
        """What the comparison is likely to take."""
        return sum((paid.usual(question) for paid in self._paid), FREE)

    def calls(self, question: Question) -> int:
        """Requests to models that the comparison is likely to take."""
        return sum(paid.calls(question) for paid in self._paid)

    def strength(self, candidate: Candidate) -> float:
        """The hidden strength, in logits, that its verdicts follow."""
        return self._voice.strength(candidate)

    async def verdict(self, question: Question) -> Verdict:
        """What a simulation says."""
        return (await judge_alone(self._voice, question))[0]

    def done(self, question: Question, now: float) -> float:
        """When the answer to a question that is put now is there."""
        ends = [now]
        for voice, member in self._clocks:
            ends.append(now + (voice.latency(question) or assumed_seconds(member, question.mode)))
        if self._has_person:
            self._free_at = max(self._free_at, now) + PERSON
            ends.append(self._free_at)
        return max(ends)


class _Paid(Protocol):
    """What a member takes."""

    def worst(self, question: Question) -> Usage: ...

    def usual(self, question: Question) -> Usage: ...

    def calls(self, question: Question) -> int: ...


class _Booked:
    """A simulated judge: always what its settings say."""

    def __init__(self, judge: SimulatedJudge) -> None:
        self._judge = judge

    def worst(self, question: Question) -> Usage:
        return self._judge.worst_case(question)

    def usual(self, question: Question) -> Usage:
        return self._judge.worst_case(question)

    def calls(self, question: Question) -> int:
        return 0


class _Asked:
    """A language model: the sizes of its requests by pair and mode, at its price."""

    def __init__(self, chosen: LlmJudge, tournament: Tournament) -> None:
        from arena_tui.judging.models import price_of  # only here: it loads what calls to models need

        self._price = price_of(chosen.model)
        self._wording = Wording(
            chosen, secret=b"forecast", task=tournament.task, criteria=tournament.criteria
        )
        self._worst: dict[tuple[str, str, str, Mode], Usage] = {}
        self._usual: dict[tuple[str, str, str, Mode], Usage] = {}
        self._calls: dict[tuple[str, str, str, Mode], int] = {}

    def worst(self, question: Question) -> Usage:
        from arena_tui.providers.client import worst_cost

        pair = _pair(question)
        if pair not in self._worst:
            total = FREE
            for request in self._wording.of(question).dialogue.ahead(()):
                tokens, usd = worst_cost(request, self._price)
                total += Usage(tokens.input, 0, tokens.output, usd)
            self._worst[pair] = total
        return self._worst[pair]

    def usual(self, question: Question) -> Usage:
        from arena_tui.providers.base import Tokens
        from arena_tui.providers.estimates import BYTES_PER_TOKEN, estimated_input
        from arena_tui.providers.pricing import cost

        pair = _pair(question)
        if pair not in self._usual:
            worded = self._wording.of(question)
            total, replies = FREE, list[Reply]()
            while calls := worded.dialogue.next(replies):
                for call in calls:
                    size = max(1, round(call.request.max_tokens * REPLY_SHARE))
                    tokens = Tokens(input=estimated_input(call.request), output=size)
                    total += Usage(tokens.input, 0, tokens.output, cost(tokens, self._price))
                    said = "x" * (size * BYTES_PER_TOKEN) + "\n" + _ending(worded)
                    replies.append(Reply(said, turn=call.turn, sample=call.sample, stop_reason="stop"))
            self._usual[pair], self._calls[pair] = total, len(replies)
            self._wording.forget(question)
        return self._usual[pair]

    def calls(self, question: Question) -> int:
        self.usual(question)
        return self._calls[_pair(question)]


def _ending(worded: Worded) -> str:
    """Lines that end a reply as it should."""
    from arena_tui.conventions import CONTRACT, SCALE, SCORE

    if worded.question.mode == "score":
        return "\n".join(f"{SCORE} {label}: {SCALE[0]}" for label in worded.labels)
    return f"{CONTRACT}: {worded.labels[0]}"


def _pair(question: Question) -> tuple[str, str, str, Mode]:
    return question.group, question.first.id, question.second.id, question.mode


def _simulation(member: object) -> SimulatedSettings:
    """The simulation that stands for a judge: a mock model's follows what its settings say."""
    if isinstance(member, SimulatedSettings):
        return member
    if isinstance(member, LlmJudge) and member.is_mock:
        mock = member.mock or Mock()
        return SimulatedSettings(
            strengths=mock.strengths,
            first_slot_bias=mock.first_slot_bias,
            draw_rate=mock.draw_rate,
            invalid_rate=mock.invalid_rate,
            noise=mock.noise,
            latency=member.latency,
            draws=member.draws,
        )
    return SimulatedSettings()


def assumed_seconds(member: object, mode: Mode) -> float:
    """What a comparison by a judge is taken to last; 0 for those whose settings say all there is."""
    if isinstance(member, LlmJudge):
        return 0.0 if member.is_mock else SECONDS[mode]
    return PROGRAM if isinstance(member, CommandJudge) else 0.0


async def _no_sleep(_question: Question) -> None:
    return None


def assumptions(tournament: Tournament) -> list[str]:
    """What a forecast takes for granted since nothing says it, in words."""
    judge = tournament.judge
    members: Sequence[object] = judge.judges if isinstance(judge, PanelJudge) else (judge,)
    told = []
    modes: tuple[Mode, ...] = ("pairwise", "debate") if judge.mode == "auto" else (judge.mode,)
    if any(isinstance(member, LlmJudge) and not member.is_mock for member in members):
        told += [f"{SECONDS[mode]:g} s {mode}" for mode in modes]
    if any(isinstance(member, CommandJudge) for member in members):
        told.append(f"{PROGRAM:g} s for the program")
    if any(isinstance(member, HumanJudge) for member in members):
        told.append(f"{PERSON:g} s for a person, who judges one at a time")
    return told
