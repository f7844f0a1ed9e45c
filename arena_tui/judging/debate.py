"""A debate in real turns: two advocates speak, each for one text, then a judge decides. Pure.

Who speaks when, for a debate of n turns (the judge's verdict is the last):

* The advocates speak in pairs, first for text 1, then for text 2: an opening each, then rebuttals.
* With an even n the judge puts questions before the last pair, which answers them.
* A judge who cannot decide yet may ask back instead (a line that starts with `QUESTION`): both advocates
  answer and the judge has its turn again, as long as that makes no more than 10 turns. So a usual debate
  of 5 turns has at most 8, and one of 8 or more leaves no room for asking back.

Every turn is a call that is shown all turns before it. Only the judge's last turn can carry a verdict;
what advocates say is never read for one.
"""

from __future__ import annotations

import re
from collections import deque
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Literal, Protocol

from arena_tui.conventions import MOST_TURNS, QUESTION
from arena_tui.judging.base import Reply, Verdict
from arena_tui.judging.conversation import Call, Heard, again, is_final, longest, unusable
from arena_tui.judging.pairwise import UNFINISHED, Parse, is_decided, verdict_at
from arena_tui.providers.base import Request

CUT_SHORT = "an advocate was cut off"
"""Flag of a debate in which a speech ended at the limit of tokens; the others saw it as far as it went."""
ASKED_BACK = "the judge asked back"
"""Flag of a debate that took more turns than usual."""

Purpose = Literal["opening", "rebuttal", "answer", "questions", "verdict"]
_ASKS = re.compile(rf"^[\s*_#>\-•]*{QUESTION}s?\b[^:\n]{{0,60}}:", re.IGNORECASE | re.MULTILINE)


@dataclass(frozen=True, slots=True)
class Role:
    """Whose turn it is and what for; `side` is the advocate's text, 0 or 1, None for the judge."""

    purpose: Purpose
    side: int | None = None


@dataclass(frozen=True, slots=True)
class Speech:
    """A turn that was held. `cut` when it ended at the limit of tokens."""

    role: Role
    text: str
    cut: bool = False


class Script(Protocol):
    """The words of a debate's requests."""

    def advocate(self, role: Role, said: Sequence[Speech]) -> Request:
        """What the advocate of `role.side` is asked after the turns before it."""
        ...

    def judge(self, role: Role, said: Sequence[Speech], *, may_ask: bool) -> Request:
        """What the judge is asked: for questions or a verdict, as `role.purpose` says."""
        ...

    def speaker(self, role: Role) -> str:
        """What a speaker is called on a screen and in the transcript."""
        ...

    @property
    def format_again(self) -> str:
        """What asks the judge once more for the verdict's format."""
        ...


def plan(turns: int) -> list[Role]:
    """Who speaks in a debate of `turns` turns (3 to 10) whose judge does not ask back."""
    pairs = (turns - 1) // 2
    roles = [Role("rebuttal" if pair else "opening", side) for pair in range(pairs) for side in (0, 1)]
    if turns % 2 == 0:
        roles[-2:] = [Role("questions"), *(_answers() if pairs > 1 else roles[-2:])]
    return [*roles, Role("verdict")]


def may_ask_back(turn: int) -> bool:
    """True when the judge's turn number `turn` (from 0) leaves room for two answers and a verdict."""
    return turn + 1 + 3 <= MOST_TURNS


def _answers() -> list[Role]:
    return [Role("answer", 0), Role("answer", 1)]


@dataclass(slots=True)
class _Floor:
    """Where a debate stands: what was said, whose turn number `turn` is, who comes after.

    `fault` ends it without a verdict. `first` is the judge's unreadable reply while it is asked again.
    """

    left: deque[Role]
    said: list[Speech] = field(default_factory=list)
    turn: int = 0
    role: Role = Role("verdict")
    decided: bool = False
    first: Reply | None = None
    fault: str = ""


class Debate:
    """Implements `Dialogue` with a debate of usually `turns` turns."""

    def __init__(self, script: Script, turns: int, parse: Parse) -> None:
        self._script = script
        self._turns = turns
        self._parse = parse

    def next(self, replies: Sequence[Reply]) -> tuple[Call, ...]:
        """The turn that is to be held."""
        floor = self._floor(Heard(replies))
        if floor.fault or floor.decided:
            return ()
        side = floor.role.side
        call = Call(
            floor.turn,
            self._request(floor.role, floor.turn, floor.said),
            self._name(floor.role),
            slot=None if side is None else side + 1,
        )
        return (call if floor.first is None else again(call, floor.first, self._script.format_again),)

    def ahead(self, replies: Sequence[Reply]) -> Iterator[Request]:
        """All turns to come, if the judge neither asks back (again) nor has to be asked again."""
        floor = self._floor(Heard(replies))
        if floor.fault or floor.decided:
            return
        limit = self._request(floor.role, floor.turn, ()).max_tokens
        said = [Speech(s.role, longest(limit, Reply(s.text)).text, s.cut) for s in floor.said]
        role, turn, left = floor.role, floor.turn, floor.left
        while True:
            request = self._request(role, turn, said)
            if floor.first is not None:
                request = again(Call(turn, request), floor.first, self._script.format_again).request
            yield request
            if role.purpose == "verdict":
                return
            said.append(Speech(role, longest(request.max_tokens).text))
            role, turn = left.popleft(), turn + 1

    def unreadable(self, replies: Sequence[Reply], reply: Reply) -> bool:
        """It is a whole judgment without a verdict, and does not ask back."""
        floor = self._floor(Heard(replies))
        if unusable(reply) or floor.fault or floor.turn != reply.turn or floor.role.purpose != "verdict":
            return False
        return self._parse(reply.text).winner == "invalid"

    def read(self, replies: Sequence[Reply]) -> Verdict:
        """The judge's verdict; `reason` is the whole transcript with its speakers."""
        heard = Heard(replies)
        floor = self._floor(heard)
        flags = []
        if any(speech.cut for speech in floor.said if speech.role.side is not None):
            flags.append(CUT_SHORT)
        if any(speech.role.purpose == "verdict" for speech in floor.said):
            flags.append(ASKED_BACK)
        if floor.fault or not floor.decided:
            return Verdict("invalid", reason=floor.fault or UNFINISHED, flags=tuple(flags))
        verdict = verdict_at(heard, floor.turn, self._parse)
        flags = [*verdict.flags, *flags]
        if verdict.winner == "invalid":
            return Verdict("invalid", reason=verdict.reason, flags=tuple(flags))
        spoken = [*floor.said, Speech(Role("verdict"), verdict.reason)]
        transcript = "\n\n".join(f"{self._name(s.role)}: {s.text.strip()}" for s in spoken)
        return Verdict(verdict.winner, verdict.p_first, transcript, tuple(flags))

    def _floor(self, heard: Heard) -> _Floor:
        floor = _Floor(deque(plan(self._turns)))
        while True:
            role = floor.role = floor.left.popleft()
            reply = heard.at(floor.turn)
            if reply is None:
                return floor
            if role.purpose == "verdict" and not self._asks_back(reply, floor.turn):
                floor.decided = is_decided(heard, floor.turn, self._parse)
                floor.first = None if floor.decided else reply
                return floor
            if is_final(reply):
                floor.fault = f"{self._name(role)}: {unusable(reply)}"
                return floor
            floor.said.append(Speech(role, reply.text, cut=bool(unusable(reply))))
            if role.purpose == "verdict":
                floor.left.extend((*_answers(), Role("verdict")))
            floor.turn += 1

    def _asks_back(self, reply: Reply, turn: int) -> bool:
        """The judge's reply has a question and no verdict, and there is room for answers."""
        if unusable(reply) or not may_ask_back(turn) or not _ASKS.search(reply.text):
            return False
        return self._parse(reply.text).winner == "invalid"

    def _request(self, role: Role, turn: int, said: Sequence[Speech]) -> Request:
        if role.side is not None:
            return self._script.advocate(role, said)
        return self._script.judge(role, said, may_ask=role.purpose == "verdict" and may_ask_back(turn))

    def _name(self, role: Role) -> str:
        return self._script.speaker(role)
