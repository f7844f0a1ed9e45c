"""Keeping `RunState` true and telling events: the engine's face to displays.

Facts are told after their commit; only what states no stored fact (pausing, a full disk) is told at
once.
"""

from __future__ import annotations

from collections.abc import Mapping

from arena_tui.engine import events
from arena_tui.engine.gate import Gate
from arena_tui.engine.group import Applied
from arena_tui.engine.journal import Journal
from arena_tui.engine.lane import Lane
from arena_tui.engine.state import RunState
from arena_tui.engine.stopping import Closing
from arena_tui.settings import Limits
from arena_tui.vocabulary import Winner


class Teller:
    """Writes one run's `RunState` and hands its events to the journal's listeners."""

    def __init__(self, state: RunState, journal: Journal, gate: Gate, lanes: Mapping[str, Lane]) -> None:
        self.state = state
        self._journal = journal
        self._gate = gate
        self._lanes = lanes

    def loaded(self) -> None:
        """Bring the state up to what a replayed journal left."""
        state = self.state
        state.phase = "running"
        for lane in self._lanes.values():
            for pending in lane.held():
                pending.held = True
                state.held += 1
        self.windows()
        for lane in self._lanes.values():
            shown = state.groups[lane.group.id]
            shown.planned = lane.group.order.planned
            for winner, count in lane.group.outcomes.items():
                self.count(lane.group.id, winner, count)

    def limits(self, limits: Limits) -> None:
        """Show the limits in force."""
        state = self.state
        state.match_limit, state.usd_limit = limits.matches, limits.usd
        state.token_limit, state.wall_clock_limit = limits.tokens, limits.wall_clock
        state.concurrency = limits.concurrency
        state.touch()

    def windows(self, group: str | None = None) -> None:
        """Show how far the groups (or one) are from their stop rule."""
        for id_ in self._lanes if group is None else (group,):
            shown, stop = self.state.groups[id_], self._lanes[id_].group.stop
            shown.distance, shown.sureness = stop.distance, stop.sureness
        self.state.touch()

    def count(self, group: str, winner: Winner, more: int) -> None:
        """Bring the outcome counts up to date."""
        state = self.state
        match winner:
            case "a":
                state.a += more
            case "b":
                state.b += more
            case "draw":
                state.draw += more
            case "void":
                state.void += more
        shown, run = state.groups[group], self._lanes[group].group
        progress = run.format.progress()
        shown.applied, shown.expected, shown.phase = run.order.applied, progress.expected, progress.phase
        state.touch()

    def applied(self, ticket: int, pos: int, applied: Applied) -> None:
        """One outcome was applied."""
        outcome, change, step = applied.outcome, applied.change, applied.outcome.step
        self.count(step.group, outcome.winner, 1)
        if applied.snapshot is not None or self._lanes[step.group].group.stop.fits:
            self.windows(step.group)
        if not self._journal.heard:
            return
        tell = self._journal.tell
        tell(
            ticket,
            events.MatchFinished(
                pos,
                step.group,
                step.seq,
                outcome.applied_no,
                step.a,
                step.b,
                step.mode,
                outcome.winner,
                outcome.reason,
            ),
        )
        if change is not None:
            tell(
                ticket,
                events.RatingsChanged(
                    pos,
                    step.group,
                    step.seq,
                    change.a,
                    change.a_before,
                    change.a_after,
                    change.b,
                    change.b_before,
                    change.b_after,
                ),
            )
        snapshot = applied.snapshot
        if snapshot is not None:
            tell(
                ticket,
                events.SnapshotTaken(pos, step.group, snapshot.valid_matches, snapshot.top, snapshot.stable),
            )

    def closed(self, ticket: int, pos: int, group: str, closing: Closing) -> None:
        """A group ended."""
        shown = self.state.groups[group]
        shown.stop_reason, shown.stop_detail = closing.reason, closing.detail
        self.state.touch()
        self._journal.tell(ticket, events.GroupClosed(pos, group, closing.reason, closing.detail))

    def reopened(self, group: str) -> None:
        """A closed group goes on."""
        shown = self.state.groups[group]
        shown.stop_reason, shown.stop_detail = None, ""
        self.state.touch()

    def gate_moved(self, pos: int, phase: events.GatePhase, in_flight: int, detail: str = "") -> None:
        """The run was paused, went on, became quiet, or is being stopped."""
        shown = self._gate.phase
        if phase != "quiesced":
            self.state.pause_reason = detail if phase == "paused" else ""
        self.state.phase = "running" if shown == "open" else shown
        self.state.touch()
        self._journal.tell_now(events.GateMoved(pos, phase, in_flight, detail))

    def storage(self, pos: int, trouble: str) -> None:
        """Results cannot be saved, or (empty) can again."""
        self.state.trouble = trouble
        self.state.touch()
        self._journal.tell_now(events.StorageTroubled(pos, trouble, self._journal.unsaved))

    def stopped(self, closing: Closing) -> None:
        """The run ended for now."""
        state = self.state
        state.stop_reason, state.stop_detail, state.phase = closing.reason, closing.detail, "stopped"
        state.touch()
