"""What the engine holds for one group while it runs: planned steps on their way to an outcome.

A `Lane` is bookkeeping around a `GroupRun`: which comparisons are still to be asked, which verdicts
are in, which outcomes are ready but not due yet.
"""

from __future__ import annotations

import heapq
from collections import deque
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal

from arena_tui.engine.budget import NOTHING, Cost
from arena_tui.engine.group import GroupRun
from arena_tui.facts import WITHDRAWN, Comparison, Match
from arena_tui.judging.base import Question, Reply, Verdict
from arena_tui.judging.orders import Combined, combine
from arena_tui.vocabulary import Orientation


@dataclass(slots=True)
class Pending:
    """One planned step: `ticket` is durable before its first call; `worst` its reserved costs."""

    step: Match
    step_id: int
    ticket: int
    questions: dict[Orientation, Question]
    to_ask: deque[Orientation]
    verdicts: dict[Orientation, Verdict] = field(default_factory=dict)
    worst: dict[Orientation, Cost] = field(default_factory=dict)
    replies: dict[Orientation, list[Reply]] = field(default_factory=dict)  # laid down so far
    lost: tuple[Orientation, ...] = ()  # calls that may have been under way when a sitting ended
    started: bool = False
    counted: bool = False  # against the limit on matches
    combined: Combined | None = None
    arrived: bool = False  # the order knows that it can be applied
    held: bool = False  # counted among the outcomes that wait for their turn

    @property
    def worst_case(self) -> Cost:
        """What the comparisons that are still to be asked may take together."""
        return sum((self.worst[o] for o in self.to_ask), NOTHING)

    @property
    def comparisons(self) -> tuple[Comparison, ...]:
        """What has been said, in the order of the plan."""
        said = ((order, self.verdicts.get(order)) for order in self.step.orders)
        return tuple(Comparison(order, v.winner, v.p_first) for order, v in said if v is not None)

    def take(self, orientation: Orientation, verdict: Verdict) -> bool:
        """Note one verdict; True when the match's outcome is known now."""
        self.verdicts[orientation] = verdict
        if len(self.verdicts) < len(self.step.orders):
            return False
        self.combined = combine(self.verdicts, self.step.mode)
        return True


def held_in(group: GroupRun, pending: Mapping[int, Pending]) -> list[Pending]:
    """Known outcomes of `pending` (steps by their number) behind a gap, in the order of application."""
    waiting = (pending.get(step.seq) for step in group.order.waiting() if step.seq not in group.withdrawn)
    return [each for each in waiting if each is not None and each.combined is not None]


class Lane:
    """The engine's side of one group."""

    def __init__(self, group: GroupRun) -> None:
        self.group = group
        self.pending: dict[int, Pending] = {}
        self.queue: deque[Pending] = deque()  # steps with comparisons still to ask, in step order
        self.in_flight = 0
        self.unread = 0  # stored replies on their way to be read

    def plan(self, pending: Pending) -> None:
        """Take a newly planned or re-loaded step."""
        self.pending[pending.step.seq] = pending
        if pending.to_ask:
            self.queue.append(pending)
        if pending.combined is not None or pending.step.seq in self.group.withdrawn:
            self.arrive(pending)

    def arrive(self, pending: Pending) -> None:
        """The step's outcome is known, or it was withdrawn; whatever comes second changes nothing.

        Either may come first: a reply can arrive while an action withdraws its match.
        """
        if not pending.arrived and pending.step.seq in self.pending:
            pending.arrived = True
            self.group.order.arrive(pending.step)

    def done(self, pending: Pending) -> None:
        """The step's outcome is applied."""
        del self.pending[pending.step.seq]

    def put_back(self, pending: Pending, orientation: Orientation) -> None:
        """A comparison was begun and cannot go on now: it starts again in its place among the others."""
        pending.to_ask.appendleft(orientation)
        pending.started = False
        if pending not in self.queue:
            self.queue.append(pending)
            self.queue = deque(sorted(self.queue, key=lambda p: p.step.seq))

    def withdraw(self, step: Match) -> Pending:
        """The planned step will be applied as void in its place."""
        pending = self.pending[step.seq]
        self.arrive(pending)
        return pending

    def head(self) -> Pending | None:
        """The step whose comparison starts next in this group; withdrawn ones are passed over."""
        while self.queue and (not self.queue[0].to_ask or self.queue[0].step.seq in self.group.withdrawn):
            self.queue.popleft()
        return self.queue[0] if self.queue and self.group.is_open else None

    def ready(self) -> Pending | None:
        """The due step if its outcome is known: judged, or withdrawn."""
        step = self.group.order.due()
        if step is None or not self.group.is_open:
            return None
        pending = self.pending[step.seq]
        if pending.combined is not None or step.seq in self.group.withdrawn:
            return pending
        return None

    def outcome(self, pending: Pending) -> Combined:
        """The outcome to apply: a withdrawn match is void whatever its judge said."""
        if pending.step.seq in self.group.withdrawn or pending.combined is None:
            return Combined("void", None, WITHDRAWN, (), None, "")
        return pending.combined

    def said(self, pending: Pending) -> tuple[Comparison, ...]:
        """The comparisons behind the outcome to apply; none of a withdrawn match."""
        return () if pending.step.seq in self.group.withdrawn else pending.comparisons

    def held(self) -> list[Pending]:
        """Known outcomes behind a gap, in the order in which they would be applied."""
        return held_in(self.group, self.pending)


class StartQueue:
    """Among groups with a step to start: `breadth` takes the least (group_seq, group order), `depth`
    the least (group order, group_seq)."""

    def __init__(self, schedule: Literal["breadth", "depth"], lanes: Mapping[str, Lane]) -> None:
        self._breadth = schedule == "breadth"
        self._lanes = list(lanes.values())
        self._heap: list[tuple[int, int, int]] = []
        self._entered: dict[int, int] = {}  # lane -> the seq it stands in the heap with

    def offer(self, lane: Lane) -> None:
        """`lane` may have something to start."""
        head = lane.head()
        ord_ = lane.group.ord
        if head is None or self._entered.get(ord_) == head.step.seq:
            return
        seq = head.step.seq
        self._entered[ord_] = seq
        heapq.heappush(self._heap, (seq, ord_, ord_) if self._breadth else (ord_, seq, ord_))

    def first(self) -> tuple[Lane, Pending] | None:
        """The next step to start, left in place."""
        while self._heap:
            entry = self._heap[0]
            lane = self._lanes[entry[2]]
            seq = entry[0] if self._breadth else entry[1]
            head = lane.head()
            if head is not None and head.step.seq == seq:
                return lane, head
            heapq.heappop(self._heap)
            if self._entered.get(lane.group.ord) == seq:
                del self._entered[lane.group.ord]
            self.offer(lane)
        return None

    def set_aside(self, lane: Lane) -> None:
        """Take the first entry, which is `lane`'s, out; `offer` brings it back."""
        heapq.heappop(self._heap)
        self._entered.pop(lane.group.ord, None)
