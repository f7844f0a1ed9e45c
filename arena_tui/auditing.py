"""Asks a judge about pairs with a known better text, outside any run: nothing is stored, the limits hold.

Each pair is asked in both orders, as many comparisons at once as the file allows. Called by `arena audit`.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field

from arena_tui.candidate import Candidate
from arena_tui.engine.budget import Account, Caps, Cost
from arena_tui.gold_pairs import GoldPair
from arena_tui.judging.base import FREE, Judge, OutOfBudget, Question, Reply, Usage, Verdict
from arena_tui.paid_desk import PaidDesk
from arena_tui.report.audit_report import Judged
from arena_tui.settings import Limits
from arena_tui.vocabulary import Mode, Orientation

FIRST, SECOND = "first", "second"  # ids of the two texts of a pair, whose group is the pair


@dataclass(slots=True)
class Audit:
    """What came of an audit. `replies` are those of a judge that makes calls; `stopped` says why it ended
    early, empty if it did not."""

    verdicts: dict[tuple[str, Orientation], Verdict] = field(default_factory=dict)
    replies: list[Reply] = field(default_factory=list)
    stopped: str = ""

    @property
    def usage(self) -> Usage:
        """What all calls took together."""
        return sum((reply.usage for reply in self.replies), FREE)


def candidates_of(pair: GoldPair) -> tuple[Candidate, Candidate]:
    """The two texts of a pair as candidates."""
    return Candidate(FIRST, pair.first, group=pair.id), Candidate(SECOND, pair.second, group=pair.id)


def questions_of(pairs: Sequence[GoldPair], mode: Mode) -> list[Question]:
    """Both orders of every pair, in the order of the pairs."""
    questions = []
    for number, pair in enumerate(pairs, 1):
        first, second = candidates_of(pair)
        for orientation, shown in (("ab", (first, second)), ("ba", (second, first))):
            order: Orientation = "ab" if orientation == "ab" else "ba"
            questions.append(Question(pair.id, number, order, mode, *shown, pair.prompt, pair.task))
    return questions


async def ask_all(
    judge: Judge,
    questions: Sequence[Question],
    limits: Limits,
    told: Callable[[int], None] = lambda _: None,
    ready: Callable[[], None] = lambda: None,
) -> Audit:
    """Put the questions until all are answered or the limits on money or tokens leave no room for the next.

    `told` hears how many are answered, `ready` is called once the judge is open. Raises JudgeError when the
    judge cannot be used, which is closed at the end.
    """
    try:
        await judge.open()
        ready()
        return await _Asking(judge, limits, told).run(questions)
    except BaseExceptionGroup as failures:
        raise failures.exceptions[0] from failures
    finally:
        await judge.close()


class _Asking:
    """One audit under way."""

    def __init__(self, judge: Judge, limits: Limits, told: Callable[[int], None]) -> None:
        self._judge = judge
        self._told = told
        self._account = Account(Caps(limits.usd, limits.tokens))
        self._slots = asyncio.Semaphore(limits.concurrency)
        self._moved = asyncio.Event()
        self._running = 0
        self._audit = Audit()

    async def run(self, questions: Sequence[Question]) -> Audit:
        """Start them in their order; whatever has started is finished."""
        for question in questions:
            self._judge.planned(question)
        async with asyncio.TaskGroup() as tasks:
            for question in questions:
                await self._slots.acquire()
                desk = await self._desk(question)
                if desk is None:
                    break
                self._running += 1
                tasks.create_task(self._ask(question, desk))
        return self._audit

    async def _desk(self, question: Question) -> PaidDesk | None:
        """A desk with the worst case reserved, as soon as it fits; None when it never will."""
        worst = self._judge.worst_case(question)
        while not self._audit.stopped:
            obstacle = self._account.obstacle(Cost.at_most(worst), False)
            if obstacle is None:
                return PaidDesk([self._account], Cost.at_most(worst))
            if not self._running:
                self._audit.stopped = obstacle
                break
            self._moved.clear()
            await self._moved.wait()  # one of those that run will end
        return None

    async def _ask(self, question: Question, desk: PaidDesk) -> None:
        try:
            await self._judge.ask(question, desk)
            verdict = self._judge.read(question, desk.replies)
            self._audit.verdicts[question.group, question.orientation] = verdict
            self._told(len(self._audit.verdicts))
        except OutOfBudget:
            self._audit.stopped = "the limits leave no room for the rest of a comparison"
        finally:
            if self._judge.keeps_replies:
                self._audit.replies += desk.replies
            desk.close()
            self._running -= 1
            self._slots.release()
            self._moved.set()


def read_recorded(
    questions: Sequence[Question],
    replies: Mapping[tuple[str, Orientation], str],
    read: Callable[[str], Verdict],
) -> Audit:
    """What `read` makes of recorded replies; questions without one are left out."""
    audit = Audit()
    for question in questions:
        key = (question.group, question.orientation)
        if key in replies:
            audit.verdicts[key] = read(replies[key])
    return audit


def judged(pairs: Sequence[GoldPair], audit: Audit) -> list[Judged]:
    """The pairs with a verdict in both orders, as a report takes them."""
    found = []
    for pair in pairs:
        ab, ba = audit.verdicts.get((pair.id, "ab")), audit.verdicts.get((pair.id, "ba"))
        if ab is not None and ba is not None:
            said = (ab.winner, ba.winner, ab.p_first, ba.p_first, ab.reason, ba.reason)
            found.append(Judged(pair.id, pair.gold, *said))
    return found
