"""What every judge is: asked a question (I/O, possibly paid), then its replies are read (pure).

A judge lays every reply on the `Desk` of its comparison, where the engine stores it before anybody
reads it: a better reader can go over old replies, and a comparison that was cut off goes on after the
replies it has. A judge never raises for one unusable verdict: that is a `Verdict` with winner `invalid`.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Protocol

from arena_tui.candidate import Candidate
from arena_tui.vocabulary import Mode, Orientation, Said


@dataclass(frozen=True, slots=True)
class Question:
    """One comparison to be judged: `first` is shown in slot 1.

    What a judge does at random is seeded by these, so that it repeats on a resume. `task` takes the
    place of the tournament's for this comparison alone, as in an audit over pairs of many kinds.
    """

    group: str
    seq: int
    orientation: Orientation
    mode: Mode
    first: Candidate
    second: Candidate
    prompt: str | None = None
    task: str | None = None
    criteria: Mapping[str, str] | None = None
    """The group's own, in place of the tournament's."""


@dataclass(frozen=True, slots=True)
class Usage:
    """Tokens and money. `usd` is None when a price is unknown."""

    input_tokens: int = 0
    cached_input_tokens: int = 0
    output_tokens: int = 0
    usd: float | None = 0.0

    @property
    def tokens(self) -> int:
        """What counts against a token limit: input and output together."""
        return self.input_tokens + self.output_tokens

    def __add__(self, other: Usage) -> Usage:
        usd = None if self.usd is None or other.usd is None else self.usd + other.usd
        return Usage(
            self.input_tokens + other.input_tokens,
            self.cached_input_tokens + other.cached_input_tokens,
            self.output_tokens + other.output_tokens,
            usd,
        )


FREE = Usage()


@dataclass(frozen=True, slots=True)
class Reply:
    """What one call brought, unread. `failure` is set when nothing usable came (timeout, exit code).

    `member` (of a panel), `turn`, `sample` and `attempt` say which call of its comparison this is:
    `turn` numbers the questions of a conversation, `sample` grows only when the same turn is asked
    again for a usable answer, `attempt` when a call failed or was lost. `logprobs` holds, for each
    token that matters, its text and the most likely alternatives with the natural logs of their
    probabilities. `speaker` and `slot` say who was asked, for a screen: see `Desk.show`.
    """

    text: str
    usage: Usage = FREE
    failure: str = ""
    member: int = 0
    turn: int = 0
    sample: int = 0
    attempt: int = 1
    stop_reason: str = ""
    request_hash: str = ""
    model: str = ""
    from_cache: bool = False
    seconds: float = 0.0
    logprobs: tuple[tuple[str, tuple[tuple[str, float], ...]], ...] = ()
    speaker: str = ""
    slot: int | None = None


@dataclass(frozen=True, slots=True)
class Verdict:
    """What a comparison says. `reason` is the judge's rationale, or why the verdict is invalid."""

    winner: Said
    p_first: float | None = None
    reason: str = ""
    flags: tuple[str, ...] = ()


class Desk(Protocol):
    """Where the replies of one comparison lie; the engine's side of a conversation."""

    @property
    def replies(self) -> Sequence[Reply]:
        """All replies so far, in the order in which they came: those of earlier sittings first."""
        ...

    @property
    def lost(self) -> int:
        """How often a sitting ended while a call of this comparison may have been under way."""
        ...

    def keep(self, reply: Reply) -> None:
        """Lay down a reply, also a failed one that may have cost something. Returns at once."""
        ...

    async def saved(self) -> None:
        """Wait until all that was laid down is durable; needed before a reply shapes the next call."""
        ...

    async def cover(self, further: Usage) -> None:
        """Before a call: make sure that what is left of the reservation covers `further`.

        It does unless failed attempts used it up, or more is asked than is usual. Raises `OutOfBudget`
        when the limits allow no more: the comparison is then set aside and goes on from its replies
        once there is money again.
        """
        ...

    def waits(self, waiting: bool) -> None:
        """True while nothing is under way that could cost anything: a comparison that only waits, for a
        slot or for its next attempt, is given up at once when the run is to end."""
        ...

    def show(self, speaker: str, text: object, slot: int | None = None) -> None:
        """The live text of the turn that is being held; `str(text)` is all of it so far, for whoever
        looks. Call it again whenever it has grown. `slot` is the text that the speaker speaks for (1 or
        2), None for a judge."""
        ...


class OutOfBudget(Exception):
    """The limits leave no room for the next call of this comparison."""


class Judge(Protocol):
    """Anything that compares two texts."""

    label: str
    """What to call it on a screen; a simulation says SIMULATED."""
    keeps_replies: bool
    """True: each reply is stored before it is read, and is never asked for twice."""

    @property
    def notes(self) -> Sequence[str]:
        """What the user should be told before the first question; complete once the judge is open."""
        ...

    async def open(self) -> None:
        """Make sure that the judge can work, before the first plan. JudgeError says why it cannot."""
        ...

    def planned(self, question: Question) -> None:
        """Told of every comparison in plan order, also on resume, before it is asked."""
        ...

    def worst_case(self, question: Question, replies: Sequence[Reply] = ()) -> Usage:
        """The most that is still to be paid after `replies` when all goes as usual: what is reserved.

        No call fails and every reply is usable; the rest is covered when it happens (`Desk.cover`).
        """
        ...

    def at_stake(self, question: Question, replies: Sequence[Reply] = ()) -> Usage:
        """The most that the calls under way after `replies` can cost: what a crash may lose."""
        ...

    async def ask(self, question: Question, desk: Desk) -> None:
        """Put the question, going on after the replies on the desk, until it is `answered`.

        Cancellable at any await. Never raises for a bad answer; raises JudgeError when no question
        can be answered any more (a refused key), and lets `OutOfBudget` pass.
        """
        ...

    def answered(self, question: Question, replies: Sequence[Reply]) -> bool:
        """True when `replies` are all that `read` needs: nothing more will be asked. Pure."""
        ...

    def read(self, question: Question, replies: Sequence[Reply]) -> Verdict:
        """The verdict in the replies to a question. Pure; never raises."""
        ...

    async def close(self) -> None:
        """Let go of connections and processes."""
        ...
