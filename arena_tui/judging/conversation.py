"""What a judge asks a model about one comparison, as pure steps: from the replies so far to the next calls.

A dialogue (`pairwise`, `debate`, `score`) knows nothing of money, storage or time. Whoever drives it lays
down every attempt, failed ones too; a dialogue that is handed a prefix of those goes on from there.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Protocol

from arena_tui.judging.base import Reply, Verdict
from arena_tui.providers.base import TERMINAL, Message, Part, Request
from arena_tui.providers.request_key import most_tokens

RETRIED = "retried"
"""Stop reason of a failed attempt after which another one was, or is, to be made."""
REASKED = "re-asked"
"""Flag of a comparison that had to be asked again for a readable answer."""
_SILENT = "(no words)"  # stands for an empty reply that is quoted: no API takes an empty turn

_ENDINGS = {
    "max_tokens": "the reply was cut off at the limit of tokens: raise judge.model.max_tokens",
    "refusal": "the model refused to answer",
    "pause_turn": "the model paused before it had answered",
    "tool_calls": "the model asked for a tool instead of answering",
}


@dataclass(frozen=True, slots=True)
class Call:
    """One request, and which of its comparison's calls it is; see `Reply` for `turn` and `sample`.

    `speaker` is who talks, for a screen, and `slot` the text it speaks for: 1, 2, or None for the judge.
    `repeat` tells calls apart that ask the very same thing for independent answers.
    """

    turn: int
    request: Request
    speaker: str = "judge"
    sample: int = 0
    repeat: int = 0
    slot: int | None = None


class Dialogue(Protocol):
    """One comparison's conversation. All methods are pure."""

    def next(self, replies: Sequence[Reply]) -> tuple[Call, ...]:
        """The calls to make now, which do not depend on each other; none when all is said."""
        ...

    def ahead(self, replies: Sequence[Reply]) -> Iterator[Request]:
        """Every request still to be made when all goes as usual, each as long as it can become.

        What only happens now and then (asking again, asking back) is covered when it happens.
        """
        ...

    def unreadable(self, replies: Sequence[Reply], reply: Reply) -> bool:
        """True for a whole reply, one of `replies`, that should have answered and does not."""
        ...

    def read(self, replies: Sequence[Reply]) -> Verdict:
        """The verdict in the replies; invalid when they are not all there or say nothing usable."""
        ...


class Heard:
    """The replies of a conversation by call. A call with nothing but attempts to be repeated is open."""

    def __init__(self, replies: Iterable[Reply]) -> None:
        self._ended = {
            (reply.turn, reply.sample): reply
            for reply in replies
            if not (reply.failure and reply.stop_reason == RETRIED)
        }

    def at(self, turn: int, sample: int = 0) -> Reply | None:
        """The reply with which a call ended, or None while it is open."""
        return self._ended.get((turn, sample))


class Refusal:
    """Implements `Dialogue` for a comparison that is not to be held: nothing is asked, for `reason`."""

    def __init__(self, reason: str) -> None:
        self._reason = reason

    def next(self, replies: Sequence[Reply]) -> tuple[Call, ...]:
        """Nothing."""
        return ()

    def ahead(self, replies: Sequence[Reply]) -> Iterator[Request]:
        """Nothing."""
        return iter(())

    def unreadable(self, replies: Sequence[Reply], reply: Reply) -> bool:
        """Nothing was asked."""
        return False

    def read(self, replies: Sequence[Reply]) -> Verdict:
        """Why not."""
        return Verdict("invalid", reason=self._reason)


def unusable(reply: Reply) -> str:
    """Why the reply as a whole says nothing, as a clause; empty when it is whole."""
    if reply.failure:
        return reply.failure
    if reply.stop_reason in TERMINAL:
        return ""
    return _ENDINGS.get(reply.stop_reason, f"the reply ended for an unknown reason ({reply.stop_reason!r})")


def is_final(reply: Reply) -> bool:
    """True when asking again for the format is of no use: the call failed, or the model refused."""
    return bool(reply.failure) or reply.stop_reason == "refusal"


def again(call: Call, reply: Reply, words: str) -> Call:
    """The same turn asked once more: `reply` as the model's own turn, then `words` about the format."""
    quoted = Message("assistant", (Part(reply.text if reply.text.strip() else _SILENT),))
    messages = (*call.request.messages, quoted, Message("user", (Part(words),)))
    return replace(call, sample=1, request=replace(call.request, messages=messages))


def longest(max_tokens: int, reply: Reply | None = None) -> Reply:
    """A reply to size requests with: of all the tokens it can have, or of those that `reply` can have.

    Its text is one byte a token as `most_tokens` counts.
    """
    tokens = max_tokens if reply is None else min(max_tokens, most_tokens(reply.text))
    return Reply("#" * tokens, stop_reason="max_tokens")
