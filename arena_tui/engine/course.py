"""The whole pure state of a run: settings in force, candidates, groups, and the journal position.

A `Course` is built from what a run's database holds and is fed the journal, entry by entry; the
engine then goes on from there. It does no I/O and knows no clock.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from arena_tui.candidate import Candidate, Group, Pool
from arena_tui.engine.building import build_format
from arena_tui.engine.group import Applied, GroupRun
from arena_tui.engine.order import AppliedOrder, default_lookahead
from arena_tui.engine.roster import Roster
from arena_tui.engine.stopping import StopWatch
from arena_tui.facts import Comparison, Intervention, Match
from arena_tui.judging.base import Question
from arena_tui.settings import Tournament, with_changes
from arena_tui.systems import Texts, chosen_groups, is_dealt
from arena_tui.vocabulary import ARENA, Orientation, Winner


@dataclass(frozen=True, slots=True)
class Origin:
    """What a run was started with; everything later is in the journal."""

    run: str
    tournament: Tournament
    seed: int
    lookahead: int
    groups: tuple[Group, ...]


class Course:
    """The state of a run as its journal tells it. `pos` is the last journal position taken."""

    def __init__(self, origin: Origin) -> None:
        self.run = origin.run
        self.seed = origin.seed
        self.tournament = origin.tournament
        self.pos = 0
        self.steps = 0
        groups = chosen_groups(origin.groups, origin.tournament, origin.seed)
        self.skipped = tuple(group for group in groups if group.skipped is not None)
        playable = [group for group in groups if group.skipped is None]
        self.texts = Texts(playable) if is_dealt(origin.tournament) else None
        arenas = playable if self.texts is None else [self.texts.arena]
        self.roster = Roster(
            (*groups, *(arenas if self.texts else ())), acted_on=None if self.texts is None else [ARENA]
        )
        self.groups: dict[str, GroupRun] = {
            group.id: self._build(group, ord_, origin.lookahead) for ord_, group in enumerate(arenas)
        }

    def _build(self, group: Group, ord_: int, lookahead: int) -> GroupRun:
        limits = self.tournament.limits
        format_ = build_format(self.tournament, group, self.seed, self.texts)
        order = AppliedOrder(
            ordering=limits.ordering,
            durations=limits.durations.by_mode(),
            lookahead=lookahead,
            windowed=format_.windowed,
        )
        return GroupRun(group, ord_, format_, order, StopWatch(self.tournament.stop))

    def candidate(self, group: str, id_: str) -> Candidate:
        """The candidate as it was admitted."""
        return self.roster.get(group, id_)

    @property
    def applied(self) -> int:
        """Outcomes applied over all groups."""
        return sum(group.order.applied for group in self.groups.values())

    def choose(self, group: GroupRun) -> tuple[int, int, Match] | None:
        """Choose the group's next step: (journal position, step id, step), or None."""
        step = group.choose()
        return None if step is None else (*self._planned(), step)

    def adopt(self, step: Match) -> tuple[int, int]:
        """Take a journaled plan; its (journal position, step id)."""
        self._group(step.group).adopt(step)
        return self._planned()

    def _planned(self) -> tuple[int, int]:
        self.pos += 1
        self.steps += 1
        return self.pos, self.steps

    def apply(
        self,
        group: GroupRun,
        step: Match,
        winner: Winner,
        p_a: float | None,
        reason: str,
        comparisons: tuple[Comparison, ...] = (),
    ) -> tuple[int, Applied]:
        """Apply the outcome of the group's due step: (journal position, what it did)."""
        applied = group.apply(step, winner, p_a, reason, comparisons)
        self.pos += 1
        return self.pos, applied

    def intervene(self, action: Intervention) -> tuple[int, list[Match]]:
        """Take a journaled action: (journal position, the planned steps it withdraws)."""
        self.pos += 1
        if action.kind == "settings":
            self._configure(action)
            return self.pos, []
        self.roster.apply(action)
        return self.pos, self._group(action.group).intervene(action)

    def _configure(self, action: Intervention) -> None:
        before = self.tournament
        self.tournament = with_changes(before, action.values)
        if "limits.lookahead" in action.values:
            sizes = [len(group.played) for group in self.groups.values()]
            steps = _lookahead(self.tournament, sizes)
            for group in self.groups.values():
                group.lookahead(steps)
        for group in self.groups.values():
            if group.closing is not None and group.closing.reason == "BUDGET":
                group.closing = None  # it closes anew where the limits in force still do not let it go on
        if self.tournament.stop != before.stop:
            for group in self.groups.values():
                group.stop.configure(self.tournament.stop)

    def _group(self, id_: str | None) -> GroupRun:
        if id_ is None or id_ not in self.groups:
            raise LookupError(f"the run has no group {id_!r}")
        return self.groups[id_]


def usual_lookahead(tournament: Tournament, pool: Pool) -> int:
    """How many steps may be planned beyond the applied ones: as set, else from concurrency and format."""
    if is_dealt(tournament):
        systems = {candidate.system for group in pool.playable for candidate in group.candidates}
        return _lookahead(tournament, [len(systems)])
    return _lookahead(tournament, [len(group.entrants) for group in pool.playable])


def _lookahead(tournament: Tournament, sizes: Sequence[int]) -> int:
    limits = tournament.limits
    if limits.lookahead is not None:
        return limits.lookahead
    steps = default_lookahead(limits.concurrency, len(sizes))
    if tournament.format.kind == "adaptive":  # a long lag takes its advantage away
        steps = min(steps, max(2, max(sizes, default=2) // 2))
    return steps


def questions_of(course: Course, step: Match) -> dict[Orientation, Question]:
    """The comparisons of a match, by who is shown first."""
    if step.at is None or course.texts is None:
        group = course.groups[step.group].group
        a, b = course.candidate(step.group, step.a), course.candidate(step.group, step.b)
    else:
        group = course.texts.group(step.at)
        a, b = course.texts.text(step.at, step.a), course.texts.text(step.at, step.b)
    return {
        orientation: Question(
            step.group,
            step.seq,
            orientation,
            step.mode,
            a if orientation == "ab" else b,
            b if orientation == "ab" else a,
            group.prompt,
            criteria=group.criteria or None,
        )
        for orientation in step.orders
    }
