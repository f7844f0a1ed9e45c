"""One group's tournament as pure state: its format, its window, its stop rule.

`GroupRun` is what the engine drives, what a journal is replayed into, what `verify` refolds and what
a forecast runs on; none of them has rules of its own.
"""

from __future__ import annotations

from dataclasses import dataclass

from arena_tui.candidate import Group
from arena_tui.engine.order import AppliedOrder
from arena_tui.engine.stopping import Closing, StopWatch
from arena_tui.facts import Comparison, Intervention, Match, Outcome, RatingChange
from arena_tui.formats.base import Format
from arena_tui.ratings.stability import Snapshot
from arena_tui.values import counted
from arena_tui.vocabulary import Winner

LARGE_FIT = 60  # entrants whose fit with all it takes to tell how sure it is may take 5 ms


@dataclass(frozen=True, slots=True)
class Applied:
    """One outcome as it was applied: what it did, and whether it closed the group."""

    outcome: Outcome
    change: RatingChange | None
    snapshot: Snapshot | None
    closing: Closing | None


class GroupRun:
    """The state of one group: `waiting` are the planned, unapplied steps by their number."""

    def __init__(
        self, group: Group, ord_: int, format_: Format, order: AppliedOrder, stop: StopWatch
    ) -> None:
        self.group = group
        self.id = group.id
        self.ord = ord_
        self.format = format_
        self.order = order
        self.stop = stop
        self.waiting: dict[int, Match] = {}
        self.withdrawn: dict[int, Match] = {}
        self.closing: Closing | None = None
        self.outcomes: dict[Winner, int] = {"a": 0, "b": 0, "draw": 0, "void": 0}
        self.withdrawn_applied = 0
        self.round: int | None = None  # of the step planned last
        self.played: dict[str, int] = {c.id: 0 for c in group.entrants}  # valid matches

    @property
    def is_open(self) -> bool:
        """True until a rule of its own, or a limit, closed the group."""
        return self.closing is None

    @property
    def valid_matches(self) -> int:
        """Outcomes in force that are not void."""
        return self.order.applied - self.outcomes["void"]

    def choose(self) -> Match | None:
        """Choose one more step if the window has room; None when it has not or nobody can meet."""
        if self.closing is not None or self.order.room() == 0:
            return None
        steps = self.format.next_steps(1)
        if not steps:
            return None
        self._take(steps[0])
        return steps[0]

    def adopt(self, step: Match) -> None:
        """Take a journaled plan; it is never chosen again."""
        self.format.adopt(step)
        self._take(step)

    def _take(self, step: Match) -> None:
        self.order.plan(step)
        self.round = step.round
        self.waiting[step.seq] = step

    @property
    def off_loop(self) -> bool:
        """True when a call into the format, or the stop rule's look at it, may take longer than 5 ms."""
        return self.format.off_loop or (self.stop.fits and len(self.played) > LARGE_FIT)

    def apply(
        self,
        step: Match,
        winner: Winner,
        p_a: float | None = None,
        reason: str = "",
        comparisons: tuple[Comparison, ...] = (),
    ) -> Applied:
        """Apply the outcome of the due step; closes the group when a rule fires on it."""
        number = self.order.apply(step)
        del self.waiting[step.seq]
        withdrawn = self.withdrawn.pop(step.seq, None) is not None
        outcome = Outcome(step, winner, number, p_a, reason, comparisons)
        change = self.format.record(outcome)
        self.outcomes[winner] += 1
        self.withdrawn_applied += withdrawn
        if winner != "void":
            self.played[step.a] += 1
            self.played[step.b] += 1
        snapshot, closing = self.stop.applied(
            outcome, self.valid_matches, withdrawn, len(self.played), self.format
        )
        self.closing = closing
        return Applied(outcome, change, snapshot, closing)

    def intervene(self, action: Intervention) -> list[Match]:
        """Take a journaled action on this group; the planned steps that it withdraws."""
        if action.kind == "reopen":
            self.closing = None
            self.stop.restart()
        elif self.closing is not None and self.closing.reason == "IDLE" and not self.closing.unusable:
            self.closing = None  # somebody may have a match to play again; it closes anew if not
        added = action.added
        if added is not None and added.twin_of is None:
            self.played[added.id] = 0
        if added is None or added.twin_of is None:
            self.format.intervene(action)
        self.stop.acted()
        if action.kind == "overrule":
            self._overruled(action)
        if action.kind != "reject":
            return []
        gone = [
            step
            for seq, step in self.waiting.items()
            if action.candidate in (step.a, step.b) and seq not in self.withdrawn
        ]
        self.withdrawn.update((step.seq, step) for step in gone)
        return gone

    def refolded(self, first: int) -> tuple[list[tuple[int, RatingChange]], dict[str, tuple[float, int]]]:
        """All rating changes from application number `first` on, and all ratings with matches played."""
        changes = [(no, change) for no, change in enumerate(self.format.history(), 1) if no >= first]
        return changes, {score.id: (score.rating, score.matches) for score in self.format.scores()}

    def exhausted(self) -> Closing | None:
        """COMPLETED or IDLE when nothing is planned and nothing more is handed out; else None."""
        if self.closing is not None or self.order.open_steps:
            return None
        if self.format.finished() is not None:
            if self.order.applied > self.withdrawn_applied and not self.valid_matches:
                played = counted(self.order.applied - self.withdrawn_applied, "match", "matches")
                return Closing("IDLE", f"none of the {played} had a usable verdict", unusable=True)
            return Closing("COMPLETED", "every planned match is played")
        return Closing("IDLE", "no two candidates are left that may meet")

    def close(self, closing: Closing) -> None:
        """Close the group for a reason that is not one of its own rules."""
        self.closing = closing

    def lookahead(self, steps: int) -> None:
        """Change the window; a journaled action, since the schedule depends on it."""
        self.order.lookahead = steps

    def _overruled(self, action: Intervention) -> None:
        self.stop.restart()
        before: Winner = action.values["was"]
        after: Winner = action.winner or before
        self.outcomes[before] -= 1
        self.outcomes[after] += 1
        self.played.update((score.id, score.matches) for score in self.format.scores())
