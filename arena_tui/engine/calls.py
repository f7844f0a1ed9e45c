"""Comparisons on their way: which may start, how many run at once, what becomes of a reply.

Starts follow the step order (within the schedule's choice among groups) and the budget: if the head
does not fit it waits and nothing overtakes it. A slot is free as soon as its reply is here; a paid
reply is committed before it is read.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable
from functools import partial
from typing import Any

from arena_tui.engine.budget import NOTHING, Budget, Cost, Reserve
from arena_tui.engine.desk import RunDesk
from arena_tui.engine.events import ComparisonJudged
from arena_tui.engine.gate import Gate
from arena_tui.engine.journal import Journal
from arena_tui.engine.lane import Lane, Pending, StartQueue
from arena_tui.engine.state import InFlight, RunState
from arena_tui.errors import JudgeError
from arena_tui.judging.base import Judge, OutOfBudget, Question
from arena_tui.store.crash_points import CrashPoint, reached
from arena_tui.vocabulary import Orientation


class Calls:
    """The comparisons of one run. `on_outcome` is told of a lane that has a new outcome."""

    def __init__(
        self,
        *,
        judge: Judge,
        journal: Journal,
        gate: Gate,
        budget: Budget,
        starts: StartQueue,
        state: RunState,
        on_outcome: Callable[[Lane], None],
        wake: Callable[[], None],
    ) -> None:
        self.concurrency = 1
        self.blocked = ""  # why the head does not fit the run's budget
        self.held_up = False  # storage is in trouble: pay for nothing that cannot be kept
        self.error: JudgeError | None = None
        self._judge = judge
        self._journal = journal
        self._gate = gate
        self._budget = budget
        self._starts = starts
        self._state = state
        self._on_outcome = on_outcome
        self._wake = wake
        self._running: dict[asyncio.Task[None], Lane] = {}
        self._desks: dict[asyncio.Task[Any], RunDesk] = {}  # of comparisons that are being asked
        self._unread = 0
        self.pos = 0  # the journal position that events are told with
        self._full: dict[Lane, str] = {}  # lanes whose head does not fit their group's budget
        self._show_budget()

    @property
    def in_flight(self) -> int:
        """Comparisons that a judge is busy with."""
        return len(self._running)

    @property
    def settled(self) -> bool:
        """True when no reply is under way and none waits to be read."""
        return not self._running and not self._unread

    def price(self, pending: Pending) -> None:
        """Note the worst case of a step's open comparisons."""
        for orientation in pending.to_ask:
            self._price(pending, orientation)

    def _price(self, pending: Pending, orientation: Orientation) -> None:
        replies = pending.replies.get(orientation, ())
        pending.worst[orientation] = Cost.at_most(
            self._judge.worst_case(pending.questions[orientation], replies)
        )

    def start(self, tasks: asyncio.TaskGroup) -> None:
        """Start what may start now; nothing after an error of the judge, which ends the run."""
        if self.held_up or self.error is not None:
            return
        while len(self._running) < self.concurrency and self._gate.is_open:
            first = self._starts.first()
            if first is None:
                self.blocked = ""
                return
            lane, pending = first
            if not pending.started and not self._reserve(lane, pending):
                if self.blocked:
                    return
                continue
            orientation = pending.to_ask.popleft()
            question = pending.questions[orientation]
            if not pending.to_ask:
                self._starts.offer(lane)
            task = tasks.create_task(self._ask(lane, pending, question))
            # A callback, since a task that is cancelled before its first step runs no `finally`.
            task.add_done_callback(partial(self._released, lane, question))
            self._running[task] = lane
            lane.in_flight += 1
            step = pending.step
            self._state.in_flight[step.group, step.seq, orientation] = InFlight(
                step.group, step.seq, orientation, step.a, step.b, step.mode, time.monotonic()
            )
            self._state.touch()

    def _reserve(self, lane: Lane, pending: Pending) -> bool:
        """Reserve a match's worst case; False when it does not fit (the run: `blocked` says why)."""
        worst, group = pending.worst_case, lane.group.id
        new_match = not pending.counted
        obstacle = self._budget.run.obstacle(worst, new_match)
        if obstacle is not None:
            self.blocked = obstacle
            return False
        obstacle = self._budget.groups[group].obstacle(worst, new_match)
        if obstacle is not None:
            self._full[lane] = obstacle
            self._starts.set_aside(lane)
            return False
        self.blocked = ""
        self._budget.start(group, worst, new_match)
        pending.started = pending.counted = True
        if worst != NOTHING:
            costs = {orientation: self._reserve_of(pending, orientation) for orientation in pending.to_ask}
            pending.ticket = self._journal.reserve(pending.step_id, costs)
        self._show_budget()
        return True

    def _reserve_of(self, pending: Pending, orientation: Orientation) -> Reserve:
        replies = pending.replies.get(orientation, ())
        stake = Cost.at_most(self._judge.at_stake(pending.questions[orientation], replies))
        return Reserve(pending.worst[orientation], stake.within(pending.worst[orientation]))

    def exhausted_lanes(self) -> list[tuple[Lane, str]]:
        """Lanes with nothing on its way whose next match does not fit their group's own limits."""
        done = [(lane, why) for lane, why in self._full.items() if not (lane.in_flight or lane.unread)]
        for lane, _ in done:
            del self._full[lane]
        return done

    def retry_blocked(self) -> None:
        """Limits changed or money came back: look at every waiting head again."""
        self.blocked = ""
        for lane in list(self._full):
            del self._full[lane]
            self._starts.offer(lane)

    def release(self, lane: Lane, pending: Pending) -> None:
        """Give back what is reserved for comparisons that will not be asked now."""
        if not pending.started or not pending.to_ask:
            return
        pending.started = False
        if pending.worst_case != NOTHING:
            self._budget.settle(lane.group.id, pending.worst_case, NOTHING)
            self._journal.release(pending.step_id, tuple(pending.to_ask))
            self.retry_blocked()
            self._show_budget()
            self._wake()

    async def _ask(self, lane: Lane, pending: Pending, question: Question) -> None:
        if pending.ticket > self._journal.committed:
            await self._journal.durable(pending.ticket)
        reached(CrashPoint.BEFORE_CALL)
        desk = RunDesk(
            pending,
            question,
            stores=self._judge.keeps_replies,
            journal=self._journal,
            budget=self._budget,
            state=self._state,
            spent=self._money_moved,
            stake=self._judge.at_stake,
        )
        task = asyncio.current_task()
        assert task is not None
        self._desks[task] = desk
        try:
            await self._judge.ask(question, desk)
        except JudgeError as error:
            desk.close()
            self.error = error
            return
        except OutOfBudget:
            desk.close()
            self._put_back(lane, pending, question)
            return
        except BaseException:
            if desk.waiting:
                desk.close()
            else:
                desk.leave()
            raise
        finally:
            del self._desks[task]
        reached(CrashPoint.AFTER_CALL)
        desk.close()
        if not self._judge.keeps_replies:
            self.read(lane, pending, question)
            return
        self._unread += 1
        lane.unread += 1
        self._journal.then(desk.ticket, partial(self._read_later, lane, pending, question))

    def _put_back(self, lane: Lane, pending: Pending, question: Question) -> None:
        """The limits leave no room for the rest of a comparison: it waits for its turn again."""
        self.release(lane, pending)
        self._price(pending, question.orientation)
        lane.put_back(pending, question.orientation)
        self._starts.offer(lane)

    def _money_moved(self) -> None:
        self.retry_blocked()
        self._show_budget()

    def _released(self, lane: Lane, question: Question, task: asyncio.Task[None]) -> None:
        del self._running[task]
        lane.in_flight -= 1
        del self._state.in_flight[question.group, question.seq, question.orientation]
        self._state.touch()
        self._wake()

    def _read_later(self, lane: Lane, pending: Pending, question: Question) -> None:
        self._unread -= 1
        lane.unread -= 1
        self.read(lane, pending, question)

    def read(self, lane: Lane, pending: Pending, question: Question) -> None:
        """Read the stored replies to a question; the match has its outcome once all its orders are read."""
        orientation = question.orientation
        verdict = self._judge.read(question, pending.replies.get(orientation, ()))
        ticket = self._journal.verdict(pending.step_id, orientation, verdict)
        self._state.comparisons += 1
        self._journal.tell(
            ticket,
            ComparisonJudged(
                self.pos,
                question.group,
                question.seq,
                orientation,
                verdict.winner,
                verdict.p_first,
                verdict.reason,
            ),
        )
        if pending.take(orientation, verdict):
            lane.arrive(pending)
            seq = pending.step.seq
            pending.held = seq in lane.pending and seq not in lane.group.withdrawn
            self._state.held += pending.held
            self._on_outcome(lane)

    def let_go(self) -> None:
        """The run is to end: give up the comparisons that only wait, for a slot or for another attempt."""
        for task, desk in self._desks.items():
            if desk.waiting:
                task.cancel()

    def cancel(self) -> None:
        """Cancel every call in flight; what they reserved stays booked."""
        for task in self._running:
            task.cancel()

    def _show_budget(self) -> None:
        account, state = self._budget.run, self._state
        state.started = account.matches
        state.usd, state.usd_reserved = account.spent.usd, account.reserved.usd
        state.tokens, state.tokens_reserved = account.spent.tokens, account.reserved.tokens
        state.touch()
