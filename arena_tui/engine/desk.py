"""The engine's side of one comparison: replies are stored, paid for and shown as they come.

A reply waits in a buffer until its judge goes on (`saved`, `cover`) or is done, so that the last one
and the end of the reservation are one transaction.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from arena_tui.engine.budget import NOTHING, Budget, Cost, Reserve
from arena_tui.engine.journal import Journal
from arena_tui.engine.state import RunState
from arena_tui.judging.base import OutOfBudget, Question, Reply, Usage

if TYPE_CHECKING:
    from arena_tui.engine.lane import Pending


class RunDesk:
    """Implements `Desk`. `spent` is called when money or tokens have moved; `stake` says what the calls
    under way after some replies may cost."""

    def __init__(
        self,
        pending: Pending,
        question: Question,
        *,
        stores: bool,
        journal: Journal,
        budget: Budget,
        state: RunState,
        spent: Callable[[], None],
        stake: Callable[[Question, Sequence[Reply]], Usage],
    ) -> None:
        self._pending = pending
        self._question = question
        self._stores = stores
        self._journal = journal
        self._budget = budget
        self._state = state
        self._spent = spent
        self._stake = stake
        self._unsaved: list[Reply] = []
        self.replies: list[Reply] = pending.replies.setdefault(question.orientation, [])
        self.waiting = False  # nothing is under way that could cost anything
        self.ticket = 0  # what has been laid down is durable once this is committed

    @property
    def lost(self) -> int:
        """How often a sitting ended while a call may have been under way."""
        return self._pending.lost.count(self._question.orientation)

    @property
    def reserved(self) -> Cost:
        """What is reserved for the rest of this comparison."""
        return self._pending.worst.get(self._question.orientation, NOTHING)

    def keep(self, reply: Reply) -> None:
        """Book a reply; it is stored when the judge goes on or is done."""
        self.replies.append(reply)
        if reply.failure:
            self._state.errors += 1
            self._state.touch()
        if self._stores:
            self._unsaved.append(reply)
        actual = Cost.of(reply.usage)
        if actual != NOTHING:
            self._settle(actual.within(self.reserved), actual)

    async def saved(self) -> None:
        """Store what was laid down and wait for it."""
        self._store(closed=False)
        await self._journal.durable(self.ticket)

    async def cover(self, further: Usage) -> None:
        """Reserve what `further` needs beyond what is reserved; OutOfBudget when it does not fit."""
        self._store(closed=False)
        short = Cost.at_most(further).beyond(self.reserved)
        if short == NOTHING:
            return
        group = self._question.group
        accounts = (self._budget.run, self._budget.groups[group])
        if any(account.obstacle(short, False) is not None for account in accounts):
            raise OutOfBudget
        self._budget.start(group, short, False)
        self._pending.worst[self._question.orientation] = self.reserved + short
        self._spent()
        self.ticket = self._journal.reserve_more(
            self._pending.step_id, self._question.orientation, self._reserve()
        )
        await self._journal.durable(self.ticket)

    def waits(self, waiting: bool) -> None:
        """Note whether anything is under way."""
        self.waiting = waiting

    def show(self, speaker: str, text: object, slot: int | None = None) -> None:
        """Put the live text where displays look."""
        key = (self._question.group, self._question.seq, self._question.orientation)
        flying = self._state.in_flight.get(key)
        if flying is not None:
            if flying.speaker != speaker or flying.text is not text:
                self._state.in_flight[key] = replace(flying, speaker=speaker, text=text, slot=slot)
            self._state.touch()

    def close(self) -> None:
        """The comparison is answered, or will not be asked now: free what is still reserved."""
        left = self.reserved
        self._store(closed=True)
        if left != NOTHING:
            self._settle(left, NOTHING)

    def leave(self) -> None:
        """The comparison is cut off: store what came; what was reserved stays booked."""
        self._store(closed=False)

    def _settle(self, freed: Cost, actual: Cost) -> None:
        self._budget.settle(self._question.group, freed, actual)
        self._pending.worst[self._question.orientation] = self.reserved - freed
        self._spent()

    def _reserve(self) -> Reserve:
        stake = Cost.at_most(self._stake(self._question, self.replies))
        return Reserve(self.reserved, stake.within(self.reserved))

    def _store(self, *, closed: bool) -> None:
        """One unit for all unsaved replies; with `closed` it also ends the reservation."""
        unsaved: Sequence[Reply] = tuple(self._unsaved)
        if unsaved or (closed and self.reserved != NOTHING):
            self.ticket = self._journal.replies(
                self._pending.step_id,
                self._question.orientation,
                unsaved,
                None if closed else self._reserve(),
            )
        self._unsaved.clear()
