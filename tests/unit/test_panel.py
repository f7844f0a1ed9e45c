"""A panel of judges: votes, means, quorum, dissent, and members that break down."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

from arena_tui import settings
from arena_tui.candidate import Candidate
from arena_tui.errors import JudgeError
from arena_tui.judging.base import FREE, Desk, Judge, OutOfBudget, Question, Reply, Usage, Verdict
from arena_tui.judging.build import build_judge
from arena_tui.judging.desk import MemoryDesk, judge_alone
from arena_tui.judging.panel import DISSENT, MEMBER_FAILED, PanelJudge
from arena_tui.vocabulary import Said

FIRST, SECOND = Candidate("one", "text one"), Candidate("two", "text two")
QUESTION = Question("main", 1, "ab", "pairwise", FIRST, SECOND)
CALL = Usage(10, 0, 2, 0.5)  # what every call of a member takes at most


class Member:
    """Says what it is told to, in `calls` calls; an exception instead of a verdict is raised."""

    keeps_replies = True
    notes: Sequence[str] = ()

    def __init__(self, says: Verdict | Said | Exception, calls: int = 1, label: str = "member") -> None:
        self.says = Verdict(says) if isinstance(says, str) else says
        self.calls = calls
        self.label = label
        self.asked = 0
        self.heard: list[str] = []
        self.gate: asyncio.Event | None = None
        self.closed = False

    async def open(self) -> None:
        self.heard.append("open")

    def planned(self, question: Question) -> None:
        self.heard.append("planned")

    def worst_case(self, question: Question, replies: Sequence[Reply] = ()) -> Usage:
        return sum((CALL for _ in range(self.calls - len(replies))), FREE)

    def at_stake(self, question: Question, replies: Sequence[Reply] = ()) -> Usage:
        return CALL

    async def ask(self, question: Question, desk: Desk) -> None:
        while len(desk.replies) < self.calls:
            if desk.replies:
                await desk.saved()
                await desk.cover(self.worst_case(question, desk.replies))
            if self.gate is not None:
                await self.gate.wait()
            await asyncio.sleep(0)
            if isinstance(self.says, Exception):
                raise self.says
            self.asked += 1
            desk.show("judge", "thinking")
            desk.keep(Reply("said", CALL, turn=len(desk.replies)))

    def answered(self, question: Question, replies: Sequence[Reply]) -> bool:
        return len(replies) >= self.calls

    def read(self, question: Question, replies: Sequence[Reply]) -> Verdict:
        assert isinstance(self.says, Verdict)
        assert len(replies) == self.calls
        return self.says

    async def close(self) -> None:
        self.closed = True


def panel(*members: Judge, **chosen: Any) -> PanelJudge:
    each = [{"kind": "simulated"}] * len(members)
    return PanelJudge(settings.PanelJudge(judges=each, **chosen), members)


async def verdict_of(*said: Verdict | Said | Exception, **chosen: Any) -> Verdict:
    return (await judge_alone(panel(*(Member(each) for each in said), **chosen), QUESTION))[0]


@pytest.mark.parametrize(
    ("said", "winner"),
    [
        (["first"], "first"),
        (["first", "first", "second"], "first"),
        (["second", "draw", "second"], "second"),
        (["first", "second"], "draw"),
        (["first", "draw", "second"], "draw"),
        (["first", "first", "draw", "second"], "draw"),
        (["draw", "draw", "first"], "draw"),
        (["first", "first", "invalid"], "first"),
    ],
)
async def test_majority_is_more_than_half_of_the_usable_votes(said: list[Said], winner: Said) -> None:
    verdict = await verdict_of(*said)
    assert (verdict.winner, verdict.p_first) == (winner, None)


@pytest.mark.parametrize(
    ("said", "p_first", "winner"),
    [
        ([Verdict("first", 0.9), Verdict("second", 0.3)], 0.6, "first"),
        ([Verdict("first", 0.6), "second"], 0.3, "second"),
        (["first", "second"], 0.5, "draw"),
        (["first", "draw"], 0.75, "first"),
        ([Verdict("draw", 0.5), "invalid", Verdict("first", 0.7)], 0.6, "first"),
    ],
)
async def test_mean_takes_a_plain_vote_as_certain(
    said: list[Verdict | Said], p_first: float, winner: Said
) -> None:
    verdict = await verdict_of(*said, combine="mean")
    assert (verdict.winner, verdict.p_first) == (winner, pytest.approx(p_first))


@pytest.mark.parametrize("combine", ["majority", "mean"])
async def test_even_division_is_no_verdict_where_draws_are_off(combine: str) -> None:
    verdict = await verdict_of("first", "second", combine=combine, draws=False)
    assert verdict.winner == "invalid"
    assert "divided evenly" in verdict.reason


async def test_dissent_and_everybodys_words_are_kept() -> None:
    verdict = await verdict_of(
        Verdict("first", 0.8, "clear"), Verdict("second", reason="vague", flags=("odd",)), "first"
    )
    assert verdict.flags == ("odd", DISSENT)
    assert verdict.reason.split("\n\n") == [
        "judge 1 (member): first (0.80 for the first)\nclear",
        "judge 2 (member): second\nvague",
        "judge 3 (member): first",
    ]
    assert (await verdict_of("first", "first")).flags == ()


@pytest.mark.parametrize(("quorum", "winner"), [(None, "first"), (1, "first"), (2, "first"), (3, "invalid")])
async def test_too_few_usable_verdicts_are_none(quorum: int | None, winner: Said) -> None:
    unusable = Verdict("invalid", reason="cut off")
    verdict = await verdict_of("first", unusable, "first", quorum=quorum)
    assert (verdict.winner, MEMBER_FAILED in verdict.flags) == (winner, True)
    if winner == "invalid":
        assert verdict.reason == (
            "no quorum: 2 of 3 judges said something usable, 3 are needed (judge 2 (member): cut off)"
        )


async def test_member_that_cannot_work_at_all_ends_the_run_whatever_the_quorum() -> None:
    members = [Member("first"), Member(JudgeError("no credit")), Member(JudgeError("no key"))]
    judge, desk = panel(*members), MemoryDesk()
    with pytest.raises(JudgeError, match="judge 2 of the panel: no credit"):
        await judge.ask(QUESTION, desk)
    assert [reply.member for reply in desk.replies] == [0], "what was paid for is kept"
    members[1].says = members[2].says = Verdict("second")
    await judge.ask(QUESTION, desk)
    assert judge.read(QUESTION, desk.replies).winner == "second"
    assert [member.asked for member in members] == [1, 1, 1]


async def test_members_are_asked_at_once() -> None:
    members = [Member("first", calls=2), Member("second"), Member("second")]
    members[0].gate = asyncio.Event()
    desk = MemoryDesk()
    asked = asyncio.create_task(panel(*members).ask(QUESTION, desk))
    async with asyncio.timeout(20):
        while len(desk.replies) < 2:  # noqa: ASYNC110 - the members' own progress
            await asyncio.sleep(0)
    assert [reply.member for reply in desk.replies] == [1, 2]
    members[0].gate.set()
    await asked
    assert [(reply.member, reply.turn) for reply in desk.replies] == [(1, 0), (2, 0), (0, 0), (0, 1)]


@pytest.mark.parametrize("cut", range(6))
async def test_panel_that_was_cut_off_goes_on_where_every_member_was(cut: int) -> None:
    first = [Member("first", calls=3), Member("second", calls=1), Member("first", calls=2)]
    _, replies = await judge_alone(panel(*first), QUESTION)
    again = [Member("first", calls=3), Member("second", calls=1), Member("first", calls=2)]
    judge, desk = panel(*again), MemoryDesk(replies[:cut])
    assert judge.answered(QUESTION, desk.replies) is (cut == 6)
    await judge.ask(QUESTION, desk)
    assert sum(member.asked for member in again) == 6 - cut
    assert judge.read(QUESTION, desk.replies).winner == "first"


class Purse(MemoryDesk):
    """A desk with a reservation: replies use it up, `cover` fills it as far as money goes."""

    def __init__(self, reserved: Usage, money: float) -> None:
        super().__init__()
        self.reserved = reserved.usd or 0.0
        self.money = money

    def keep(self, reply: Reply) -> None:
        super().keep(reply)
        self.reserved = max(0.0, self.reserved - (reply.usage.usd or 0.0))

    async def cover(self, further: Usage) -> None:
        short = max(0.0, (further.usd or 0.0) - self.reserved)
        if short > self.money:
            raise OutOfBudget
        self.money -= short
        self.reserved += short


async def test_needs_of_all_members_are_covered_together() -> None:
    """A reservation that is short of one call is noticed by whichever member covers next."""
    judge = panel(*(Member("first", calls=2) for _ in range(3)))
    enough = judge.worst_case(QUESTION)
    assert enough == Usage(60, 0, 12, 3.0)
    await judge.ask(QUESTION, Purse(enough, 0.0))
    short = Usage(60, 0, 12, 2.5)
    desk = Purse(short, 0.0)
    with pytest.raises(OutOfBudget):
        await judge.ask(QUESTION, desk)
    assert not judge.answered(QUESTION, desk.replies)
    assert desk.reserved >= 0
    await judge.ask(QUESTION, Purse(short, 0.5))


async def test_other_exceptions_of_a_member_pass_as_they_are() -> None:
    with pytest.raises(ZeroDivisionError):
        await verdict_of("first", ZeroDivisionError(), "first")


async def test_panel_opens_tells_and_closes_its_members() -> None:
    members = [Member("first", label="a"), Member("first", label="SIMULATED")]
    judge = panel(*members)
    await judge.open()
    judge.planned(QUESTION)
    await judge.close()
    assert [member.heard for member in members] == [["open", "planned"]] * 2
    assert all(member.closed for member in members)
    assert judge.label == "panel: a, SIMULATED"


async def test_simulated_members_agree_on_the_truth_and_not_on_every_verdict(tmp_path: Path) -> None:
    """The same strengths for all, but chance of their own."""
    tournament = settings.validate(
        {"judge": {"kind": "panel", "judges": [{"kind": "simulated"}] * 3, "combine": "mean"}}
    )
    pool = [Candidate("strong", "s", strength=1.0), Candidate("weak", "w"), Candidate("other", "o")]
    judge = build_judge(tournament, seed=7, candidates=pool, folder=tmp_path)
    assert isinstance(judge, PanelJudge)
    strengths = [[member.strength(c) for c in pool] for member in judge.members]  # type: ignore[attr-defined]
    assert strengths[0] == strengths[1] == strengths[2]
    verdicts = set()
    for seq in range(30):
        question = Question("main", seq, "ab", "pairwise", pool[0], pool[1])
        verdicts.add((await judge_alone(judge, question))[0].p_first)
    assert len(verdicts) > 2
