"""Several judges decide together: all are asked at once, and what they say is combined.

Each member sees only its own replies (`Reply.member` tells them apart), so any kind of judge can be one.
A member that breaks down altogether counts as one that said nothing, as long as the others can decide.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from arena_tui.errors import JudgeError
from arena_tui.judging.base import FREE, Desk, Judge, OutOfBudget, Question, Reply, Usage, Verdict
from arena_tui.judging.together import together
from arena_tui.vocabulary import Said

if TYPE_CHECKING:
    from arena_tui import settings

DISSENT = "dissent"
"""Flag of a verdict that not all members agreed with."""
MEMBER_FAILED = "a judge of the panel failed"
"""Flag of a verdict to which a member contributed nothing usable."""
_VOTE: dict[Said, float] = {"first": 1.0, "draw": 0.5, "second": 0.0}


class PanelJudge:
    """Implements `Judge` over `members`, which may be of any kind but panels.

    * `majority`: the side that more than half of the usable verdicts name; otherwise it is a draw.
    * `mean`: the side of the mean probability of the first text; a verdict without one counts 1, 0.5 or 0.

    Fewer usable verdicts than the quorum are invalid, and so is a draw where draws are off.
    """

    keeps_replies = True

    def __init__(self, settings: settings.PanelJudge, members: Sequence[Judge]) -> None:
        self.members = tuple(members)
        self.label = f"panel: {', '.join(member.label for member in members)}"
        self._combine = settings.combine
        self._needed = settings.needed
        self._draws = settings.draws

    @property
    def notes(self) -> Sequence[str]:
        """What its members have to say, each thing once."""
        return tuple(dict.fromkeys(note for member in self.members for note in member.notes))

    async def open(self) -> None:
        """Open all members. A panel that is incomplete from the start is a mistake: JudgeError."""
        for member in self.members:
            await member.open()

    def planned(self, question: Question) -> None:
        """Pass it on."""
        for member in self.members:
            member.planned(question)

    def worst_case(self, question: Question, replies: Sequence[Reply] = ()) -> Usage:
        """What all members together may still take."""
        return sum((self._left(number, question, replies) for number in range(len(self.members))), FREE)

    def at_stake(self, question: Question, replies: Sequence[Reply] = ()) -> Usage:
        """What the members' calls under way may cost."""
        open_ = (n for n in range(len(self.members)) if not self._is_done(n, question, replies))
        return sum((self.members[n].at_stake(question, _own(n, replies)) for n in open_), FREE)

    async def ask(self, question: Question, desk: Desk) -> None:
        """Ask all members that have not answered, at once.

        Raises the first member's JudgeError: it cannot work at all, and would fail in every match to come.
        That and OutOfBudget are raised after the replies under way have come.
        """
        open_ = [n for n in range(len(self.members)) if not self._is_done(n, question, desk.replies)]
        busy = set(open_)
        desks = (_MemberDesk(self, number, question, desk, busy) for number in open_)
        ends = await together(self._ask_member(own, question) for own in desks)
        for number, end in zip(open_, ends, strict=True):
            if isinstance(end, JudgeError):
                raise JudgeError(f"judge {number + 1} of the panel: {end}") from end
        if any(isinstance(end, OutOfBudget) for end in ends):
            raise OutOfBudget

    async def _ask_member(self, desk: _MemberDesk, question: Question) -> None:
        try:
            await self.members[desk.number].ask(question, desk)
        finally:
            desk.waits(True)

    def answered(self, question: Question, replies: Sequence[Reply]) -> bool:
        """True when every member has answered."""
        return all(self._is_done(number, question, replies) for number in range(len(self.members)))

    def read(self, question: Question, replies: Sequence[Reply]) -> Verdict:
        """What the members say together; `reason` has each member's words under its name."""
        said = [self._read_member(number, question, replies) for number in range(len(self.members))]
        usable = [opinion for opinion in said if opinion.verdict.winner != "invalid"]
        flags = dict.fromkeys(flag for opinion in usable for flag in opinion.verdict.flags)
        if len(usable) < len(said):
            flags[MEMBER_FAILED] = None
        if len(usable) < self._needed:
            short = f"{len(usable)} of {len(said)} judges said something usable, {self._needed} are needed"
            why = "; ".join(f"{o.name}: {o.verdict.reason}" for o in said if o.verdict.winner == "invalid")
            return Verdict("invalid", reason=f"no quorum: {short} ({why})", flags=tuple(flags))
        if len({opinion.verdict.winner for opinion in usable}) > 1:
            flags[DISSENT] = None
        winner, p_first = self._decision([opinion.verdict for opinion in usable])
        if winner == "draw" and not self._draws:
            reason = "the judges are divided evenly, and judge.draws is off"
            return Verdict("invalid", p_first, reason, tuple(flags))
        return Verdict(winner, p_first, "\n\n".join(o.told() for o in said), tuple(flags))

    async def close(self) -> None:
        """Close all members."""
        for member in self.members:
            await member.close()

    def _is_done(self, number: int, question: Question, replies: Sequence[Reply]) -> bool:
        return self.members[number].answered(question, _own(number, replies))

    def _left(self, number: int, question: Question, replies: Sequence[Reply]) -> Usage:
        """What a member may still take."""
        if self._is_done(number, question, replies):
            return FREE
        return self.members[number].worst_case(question, _own(number, replies))

    def covering(self, number: int, further: Usage, question: Question, replies: Sequence[Reply]) -> Usage:
        """What must be covered when one member needs `further`: also what the others may still take."""
        others = (n for n in range(len(self.members)) if n != number)
        return sum((self._left(n, question, replies) for n in others), further)

    def _read_member(self, number: int, question: Question, replies: Sequence[Reply]) -> _Opinion:
        own = _own(number, replies)
        name = f"judge {number + 1} ({self.members[number].label})"
        if not own:
            return _Opinion(name, Verdict("invalid", reason="was not asked"))
        return _Opinion(name, self.members[number].read(question, own))

    def _decision(self, verdicts: Sequence[Verdict]) -> tuple[Said, float | None]:
        if self._combine == "mean":
            chances = [_VOTE[v.winner] if v.p_first is None else v.p_first for v in verdicts]
            p_first = math.fsum(chances) / len(chances)
            return ("draw" if p_first == 0.5 else "first" if p_first > 0.5 else "second"), p_first
        said, votes = Counter(verdict.winner for verdict in verdicts).most_common(1)[0]
        return (said if 2 * votes > len(verdicts) else "draw"), None


@dataclass(frozen=True, slots=True)
class _Opinion:
    """What one member says."""

    name: str
    verdict: Verdict

    def told(self) -> str:
        p_first = "" if self.verdict.p_first is None else f" ({self.verdict.p_first:.2f} for the first)"
        return f"{self.name}: {self.verdict.winner}{p_first}\n{self.verdict.reason}".rstrip()


class _MemberDesk:
    """A member's part of the desk: its own replies only, its needs among those of the others."""

    def __init__(
        self, panel: PanelJudge, number: int, question: Question, desk: Desk, busy: set[int]
    ) -> None:
        self._panel = panel
        self.number = number
        self._question = question
        self._desk = desk
        self._busy = busy  # the members with something under way

    @property
    def replies(self) -> Sequence[Reply]:
        return _own(self.number, self._desk.replies)

    @property
    def lost(self) -> int:
        return self._desk.lost

    def keep(self, reply: Reply) -> None:
        self._desk.keep(replace(reply, member=self.number, speaker=self._name(reply.speaker)))

    async def saved(self) -> None:
        await self._desk.saved()

    async def cover(self, further: Usage) -> None:
        await self._desk.cover(self._panel.covering(self.number, further, self._question, self._desk.replies))

    def waits(self, waiting: bool) -> None:
        (self._busy.discard if waiting else self._busy.add)(self.number)
        self._desk.waits(not self._busy)

    def show(self, speaker: str, text: object, slot: int | None = None) -> None:
        self._desk.show(self._name(speaker), text, slot)

    def _name(self, speaker: str) -> str:
        """Who speaks, with the member it speaks in."""
        member = f"judge {self.number + 1}"
        return f"{member}: {speaker}" if speaker else member


def _own(number: int, replies: Sequence[Reply]) -> list[Reply]:
    """A member's replies."""
    return [reply for reply in replies if reply.member == number]
