"""What a database hands to the engine: plans on their way, unread replies, and the accounts as they stood.

Also how a planned step becomes a `Pending` one with its questions, for new plans and old ones alike.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Mapping
from dataclasses import dataclass, field

from arena_tui.engine.budget import Account, Budget, Caps, Cost
from arena_tui.engine.course import Course, questions_of
from arena_tui.engine.lane import Lane, Pending
from arena_tui.facts import Match
from arena_tui.judging.base import Judge, Question


@dataclass(slots=True)
class Loaded:
    """What a database held when it was opened: plans without an outcome, replies nobody has read yet,
    what each group has spent, the seconds it ran, and how it had ended."""

    pending: list[Pending] = field(default_factory=list)
    unread: list[tuple[Pending, Question]] = field(default_factory=list)
    spent: Mapping[str, Cost] = field(default_factory=dict)
    elapsed: float = 0.0
    resumed: bool = False
    reopen: bool = False  # the run had ended by itself: its closed groups open again
    failed: bool = False  # it had ended for want of a usable judge: only groups closed for that open again
    notes: Mapping[str, str] = field(default_factory=dict)  # meta to be noted once changes are journaled
    closed: tuple[str, ...] = ()  # groups whose row says that they are closed


def new_pending(course: Course, judge: Judge, step_id: int, step: Match, ticket: int) -> Pending:
    """A planned step with its questions; the judge is told of each, so call it in plan order."""
    pending = Pending(step, step_id, ticket, questions_of(course, step), deque(step.orders))
    for question in pending.questions.values():
        judge.planned(question)
    return pending


def open_budget(lanes: Mapping[str, Lane], loaded: Loaded) -> Budget:
    """The accounts as a database left them: what was spent, and the matches that count already."""
    total = Account(Caps())
    accounts: dict[str, Account] = {}
    for id_, lane in lanes.items():
        group = lane.group
        account = accounts[id_] = Account(Caps(), spent=loaded.spent.get(id_, Cost()), of_group=True)
        account.matches = group.order.applied - group.withdrawn_applied
    for pending in loaded.pending:
        group_id = pending.step.group
        # All its questions are answered, though perhaps not read yet: it will not start again.
        if not pending.to_ask and pending.step.seq not in lanes[group_id].group.withdrawn:
            pending.counted = True
            accounts[group_id].matches += 1
    for account in accounts.values():
        total.spent += account.spent
        total.matches += account.matches
    return Budget(total, accounts)
