"""What every judge is: asked a question (I/O, possibly paid), then its reply is read (pure).

The engine stores a paid reply before `read` looks at it, so that a better reader can go over old
replies. A judge never raises for one unusable verdict: that is a `Verdict` with winner `invalid`.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol

from arena_tui.candidate import Candidate
from arena_tui.vocabulary import Mode, Orientation, Said


@dataclass(frozen=True, slots=True)
class Question:
    """One comparison to be judged: `first` is shown in slot 1.

    `sample` grows only when the judge is asked again for a usable answer, never on a retry or a
    resume, so that whatever is seeded by it repeats.
    """

    group: str
    seq: int
    orientation: Orientation
    mode: Mode
    first: Candidate
    second: Candidate
    prompt: str | None = None
    sample: int = 0


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


FREE = Usage()


@dataclass(frozen=True, slots=True)
class Reply:
    """What came back, unread. `failure` is set when nothing usable came (timeout, exit code)."""

    text: str
    usage: Usage = FREE
    failure: str = ""


@dataclass(frozen=True, slots=True)
class Verdict:
    """What a comparison says. `reason` is the judge's rationale, or why the verdict is invalid."""

    winner: Said
    p_first: float | None = None
    reason: str = ""
    flags: tuple[str, ...] = ()


class Judge(Protocol):
    """Anything that compares two texts."""

    label: str
    """What to call it on a screen; a simulation says SIMULATED."""
    keeps_replies: bool
    """True: each reply is stored before it is read, and is never asked for twice."""

    def planned(self, question: Question) -> None:
        """Told of every comparison in plan order, also on resume, before it is asked."""
        ...

    def worst_case(self, question: Question) -> Usage:
        """The most this question can cost: what is reserved before it is asked."""
        ...

    async def ask(self, question: Question) -> Reply:
        """Put the question. Cancellable at any await; never raises for a bad answer."""
        ...

    def read(self, question: Question, reply: Reply) -> Verdict:
        """The verdict in a reply. Pure; never raises."""
        ...

    async def close(self) -> None:
        """Let go of connections and processes."""
        ...
