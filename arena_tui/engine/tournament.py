"""The loop: drives a `Course` with a judge, a journal and a budget until something ends it.

One coroutine, `_advance`, is the only one that touches formats: it applies the due outcome, takes
due interventions, refills the window, then looks at the next outcome. Comparisons are tasks
of one TaskGroup; they only bring replies. Whatever is told to the outside waits for its commit.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable, Iterable, Sequence
from functools import partial

from arena_tui import exit_codes
from arena_tui.engine import events
from arena_tui.engine.actions import RESUMED, FindMatch, Resolved
from arena_tui.engine.calls import Calls
from arena_tui.engine.course import Course
from arena_tui.engine.ending import Ending, Endings, store_end
from arena_tui.engine.events import Event
from arena_tui.engine.gate import Gate
from arena_tui.engine.heartbeat import Heartbeat
from arena_tui.engine.journal import SLICE, Journal
from arena_tui.engine.lane import Lane, Pending, StartQueue
from arena_tui.engine.loading import Loaded, new_pending, open_budget
from arena_tui.engine.planner import Planner
from arena_tui.engine.state import GroupState, RunState
from arena_tui.engine.steering import Request, Steering
from arena_tui.engine.stopping import Closing
from arena_tui.engine.telling import Teller
from arena_tui.errors import StoreError
from arena_tui.facts import Intervention
from arena_tui.judging.base import Judge
from arena_tui.settings import pauses_after_rounds
from arena_tui.store.crash_points import CrashPoint, reached
from arena_tui.values import visible


class Engine:
    """Runs one course; `run` may be awaited once. See `opening` for how one is put together."""

    def __init__(
        self,
        course: Course,
        judge: Judge,
        journal: Journal,
        loaded: Loaded,
        *,
        find_match: FindMatch,
        listeners: Iterable[Callable[[Event], None]] = (),
        inbox: Callable[[], list[Request]] = list,
    ) -> None:
        self.course = course
        self.judge = judge
        self.gate = Gate(grace=course.tournament.limits.grace)
        self.lanes = {group.id: Lane(group) for group in course.groups.values()}
        self.state = RunState(
            run=course.run,
            name=course.tournament.name,
            judge=judge.label,
            seed=course.seed,
            groups={id_: GroupState(id_) for id_ in self.lanes},
            elapsed=loaded.elapsed,
        )
        self.budget = open_budget(self.lanes, loaded)
        self._planner = Planner()
        self._teller = Teller(self.state, journal, self.gate, self.lanes)
        self._journal = journal
        self._listeners = tuple(listeners)
        self._loaded = loaded
        self._wake = asyncio.Event()
        self._starts = StartQueue(course.tournament.schedule, self.lanes)
        self._calls = Calls(
            judge=judge,
            journal=journal,
            gate=self.gate,
            budget=self.budget,
            starts=self._starts,
            state=self.state,
            on_outcome=self._look_at,
            wake=self._wake.set,
        )
        self._steering = Steering(
            course=course,
            journal=journal,
            calls=self._calls,
            budget=self.budget,
            lanes=self.lanes,
            teller=self._teller,
            planner=self._planner,
            find_match=find_match,
            control=self._control,
            configure=self._configure,
            look_at=self._look_at,
        )
        self._startup: list[tuple[tuple[Resolved, ...], str]] = []
        self._dirty: dict[str, None] = dict.fromkeys(self.lanes)
        self._endings = Endings(self.lanes, self.gate, self._calls)
        self._all_planned = False  # every group has had its first look
        self._heart = Heartbeat(
            elapsed=loaded.elapsed,
            gate=self.gate,
            journal=journal,
            state=self.state,
            limit=lambda: self.course.tournament.limits.wall_clock,
            inbox=inbox,
            ask=self._steering.ask,
            draining=partial(self._gate_moved, "draining"),
            wake=self._wake.set,
        )
        self._told_quiet = False  # in this pause
        self._slice = 0.0

    # --- asked from outside -------------------------------------------------------------------

    def request(self, request: Request) -> None:
        """Queue an action; it takes effect between two outcomes and is answered after its commit."""
        self._steering.ask([request])
        self._wake.set()

    def prepare(self, resolved: Sequence[Resolved], origin: str) -> None:
        """Journal these before the run goes on; call it before `run`."""
        self._startup.append((tuple(resolved), origin))

    def stop(self, detail: str, exit_code: int = exit_codes.EXTERNAL) -> None:
        """Ask for the end: the first call lets calls in flight finish, the second cancels them."""
        self.gate.stop("EXTERNAL", detail, exit_code, time.monotonic())
        self._gate_moved("cancelling" if self.gate.cancelled else "draining", detail)

    def pause(self, why: str = "") -> bool:
        """Start nothing new; calls in flight finish. False when that changes nothing."""
        self._heart.tick()
        moved = self.gate.pause()
        if moved:
            self._told_quiet = False
            self._gate_moved("paused", why)
        return moved

    def resume(self) -> bool:
        """Go on after a pause. False when that changes nothing."""
        self._heart.tick()
        moved = self.gate.resume()
        if moved:
            self._gate_moved("resumed")
        return moved

    def title(self, group: str, id_: str) -> str:
        """How a candidate is called on a screen: its title, else its id."""
        title = self.course.candidate(group, id_).title
        return title if visible(title) else id_

    # --- life ---------------------------------------------------------------------------------

    async def run(self) -> Ending:
        """Run until a rule, a limit or a request ends the run; everything is durable on return."""
        self._journal.start(on_commit=self._wake.set, on_trouble=self._storage, listeners=self._listeners)
        try:
            async with asyncio.TaskGroup() as tasks:
                self._tasks = tasks
                heart = tasks.create_task(self._heart.beat(), name="heartbeat")
                try:
                    await self._begin()
                    ending = await self._drive()
                finally:
                    heart.cancel()
            await self._finish(ending)
        except BaseExceptionGroup as failures:
            raise failures.exceptions[0] from failures
        finally:
            self._planner.shutdown()
            await self.judge.close()
            await asyncio.to_thread(self._journal.close, 1.0)
        return ending

    async def _begin(self) -> None:
        await self.judge.open()
        self._heart.start()
        self._configure()
        for pending in self._loaded.pending:
            self._calls.price(pending)
            self.lanes[pending.step.group].plan(pending)
        self._teller.loaded()
        state, course = self.state, self.course
        self._journal.event(
            events.RunStarted(
                course.pos,
                state.run,
                state.name,
                state.seed,
                self._loaded.resumed,
                course.applied,
                tuple(self.judge.notes),
            )
        )
        for resolved, origin in self._startup:
            await self._steering.take(resolved, origin)
        self._journal.meta(self._loaded.notes)
        await self._reopen()
        for pending, question in self._loaded.unread:
            self._calls.read(self.lanes[question.group], pending, question)

    async def _reopen(self) -> None:
        """Groups go on that were closed by a limit, by themselves in a run that had ended by itself, or
        for want of usable verdicts in one that had ended for that."""
        loaded = self._loaded
        for id_ in loaded.closed:
            closing = self.lanes[id_].group.closing
            if closing is None:
                self._journal.reopen_group(id_)
            elif loaded.reopen or (loaded.failed and closing.unusable):
                # The journal first: after a crash between the two, the row is opened by the line above.
                await self._steering.take([Resolved(Intervention("reopen", id_), "")], RESUMED)
                self._journal.reopen_group(id_)
                self._endings.reopened(id_)
            else:
                shown = self.state.groups[id_]
                shown.stop_reason, shown.stop_detail = closing.reason, closing.detail
        # Only now is the earlier end forgotten: a crash before this line opens the groups next time.
        self._journal.meta({"stop_reason": "", "stop_detail": "", "exit_code": "", "paused": ""})

    async def _drive(self) -> Ending:
        self._heart.look()  # before anything starts: an earlier sitting may have used up the time
        while True:
            self._wake.clear()
            await self._advance()
            failure = self._journal.failure
            if failure is not None:
                raise StoreError(f"the run's database refused a result ({failure})") from failure
            at_rest = self._calls.settled and not self._dirty
            closing = self._endings.closing(at_rest=at_rest)
            if closing is not None:
                if at_rest or self._given_up():
                    return self._endings.ending(closing)
                self._drain()
            await self._wake.wait()  # bounded: the heartbeat sets it

    def _given_up(self) -> bool:
        """True when storage takes nothing and nobody waits longer: replies in memory are never read then."""
        overdue = self.gate.reason is not None and self.gate.overdue(time.monotonic())
        return bool(self.state.trouble) and overdue and not self._calls.in_flight

    def _drain(self) -> None:
        """Give calls in flight their time, then cancel them; what only waits for a call ends now."""
        self._calls.let_go()
        now = time.monotonic()
        if self.gate.deadline is None:
            self.gate.deadline = now + self.gate.grace
        if self.gate.overdue(now):
            self._calls.cancel()

    # --- advancing ----------------------------------------------------------------------------

    async def _advance(self) -> None:
        """Do all that can be done now: interventions, outcomes, plans, starts."""
        self._slice = time.monotonic() + SLICE
        await self._steering.take_all()
        while self._dirty:
            id_ = next(iter(self._dirty))
            del self._dirty[id_]
            await self._advance_lane(self.lanes[id_])
        self._all_planned = True
        self._start_calls()
        if self._endings.final is None:
            for lane, why in self._calls.exhausted_lanes():
                await self._close(lane, Closing("BUDGET", why))
        self.state.quiet = self._calls.in_flight == 0
        if self.gate.phase == "paused" and self.state.quiet and not self._told_quiet:
            self._told_quiet = True
            self._gate_moved("quiesced")

    def _start_calls(self) -> None:
        """Fill free slots; not before every group has its first steps, so that the schedule can choose."""
        if self._endings.final is None and self._all_planned:
            self._calls.pos = self.course.pos
            self._calls.start(self._tasks)

    async def _advance_lane(self, lane: Lane) -> None:
        group = lane.group
        if group.is_open and not self._endings.is_open(group.id):
            # An action took the ground of its closing away.
            self._journal.reopen_group(group.id)
            self._endings.reopened(group.id)
            self._teller.reopened(group.id)
        await self._refill(lane)
        if (pending := lane.ready()) is not None:
            await self._apply(lane, pending)
            await self._steering.take_all()
            await self._refill(lane)
            self._start_calls()  # many replies at once: no slot waits until all of them are applied
            if lane.ready() is not None:
                self._dirty[group.id] = None  # behind the others: replies that keep coming hold up nobody
                return
        closing = group.exhausted()
        if closing is not None:
            await self._close(lane, closing)

    async def _refill(self, lane: Lane) -> None:
        shown, before = self.state.groups[lane.group.id], lane.group.round
        while (planned := await self._planner.call(lane.group, self.course.choose, lane.group)) is not None:
            pos, step_id, step = planned
            ticket = self._journal.plan(pos, step_id, step)
            pending = new_pending(self.course, self.judge, step_id, step, ticket)
            self._calls.price(pending)
            lane.plan(pending)
            shown.planned += 1
            if step.round != before is not None and pauses_after_rounds(self.course.tournament):
                self.pause(f"round {before} of group {lane.group.id} is finished")
            before = step.round
            await self._breathe()
        self._starts.offer(lane)

    async def _apply(self, lane: Lane, pending: Pending) -> None:
        group, step = lane.group, pending.step
        said = lane.outcome(pending)
        pos, applied = await self._planner.call(
            group, self.course.apply, group, step, said.winner, said.p_a, said.reason, lane.said(pending)
        )
        reached(CrashPoint.IN_RECORD)
        played = group.played[step.a], group.played[step.b]
        fitted = None if applied.closing is None else await self._planner.fitted(group, pos)
        ticket = self._journal.outcome(pos, pending.step_id, applied, said, played, fitted)
        lane.done(pending)
        self.state.held -= pending.held
        self._teller.applied(ticket, pos, applied)
        if applied.closing is not None:
            self._closed(lane, applied.closing, ticket)
        await self._breathe()

    async def _breathe(self) -> None:
        if time.monotonic() >= self._slice:
            await asyncio.sleep(0)
            self._slice = time.monotonic() + SLICE

    def _look_at(self, lane: Lane) -> None:
        self._dirty[lane.group.id] = None
        self._wake.set()

    def _control(self, request: Request) -> None:
        match request.action.verb:
            case "pause":
                moved = self.pause()
                request.answer(moved, "paused" if moved else "the run is paused or stopping already")
            case "resume":
                moved = self.resume()
                request.answer(moved, "going on" if moved else "the run is not paused")
            case _:
                self.stop(f"aborted by {request.asker or request.origin}")
                request.answer(True, "stopping; calls in flight finish first")

    def _configure(self) -> None:
        """Put the settings in force to work; called at the start and after every change."""
        limits = self.course.tournament.limits
        self.budget.cap(limits)
        self._calls.concurrency = limits.concurrency
        self.gate.grace = limits.grace
        self._teller.limits(limits)

    def _gate_moved(self, phase: events.GatePhase, detail: str = "") -> None:
        self._teller.gate_moved(self.course.pos, phase, self._calls.in_flight, detail)
        self._wake.set()

    def _storage(self, trouble: str | None) -> None:
        self._calls.held_up = trouble is not None
        self._teller.storage(self.course.pos, trouble or "")
        self._wake.set()

    # --- ending -------------------------------------------------------------------------------

    async def _close(self, lane: Lane, closing: Closing) -> None:
        """Close a group for a reason that did not come with an outcome."""
        fitted = await self._planner.fitted(lane.group, self.course.pos)
        lane.group.close(closing)
        self._closed(lane, closing, self._journal.close_group(lane.group.id, closing, fitted))

    def _closed(self, lane: Lane, closing: Closing, ticket: int) -> None:
        self._teller.closed(ticket, self.course.pos, lane.group.id, closing)
        self._endings.closed(lane.group.id, closing)
        self._release(lane)

    def _release(self, lane: Lane) -> None:
        """A lane starts nothing more: what it reserved for comparisons nobody has asked is free again."""
        for pending in lane.queue:
            self._calls.release(lane, pending)

    async def _finish(self, ending: Ending) -> None:
        """Make the end durable; DiskTrouble when storage does not allow it and nobody waits longer."""
        elapsed = self._heart.tick()
        for lane in self.lanes.values():
            self._release(lane)
        await store_end(
            self._journal,
            ending,
            pos=self.course.pos,
            applied=self.course.applied,
            elapsed=elapsed,
            trouble=lambda: self.state.trouble if self._given_up() else "",
            wake=self._wake,
        )
        self._teller.stopped(ending.closing)
