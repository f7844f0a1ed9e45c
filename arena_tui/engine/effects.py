"""Letting interventions take effect in a `Course`, and the units that write them down.

Used by a live run, which does it slice by slice, and on a run at rest, which does it at once: the
rules are the same. What else follows from an action (budgets, calls) is the business of `steering`.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from arena_tui.engine.actions import Resolved
from arena_tui.engine.course import Course
from arena_tui.engine.events import Intervened
from arena_tui.engine.journal import Changes, Ratings, intervention_unit, overrule_unit
from arena_tui.facts import Match
from arena_tui.store.crash_points import CrashPoint, reached
from arena_tui.store.writer import Unit
from arena_tui.vocabulary import CandidateState


@dataclass(frozen=True, slots=True)
class Effect:
    """An intervention that has taken effect at journal position `pos`, after `after` applied outcomes.

    `refold` are the rating changes and the ratings that an overrule brought.
    """

    resolved: Resolved
    pos: int
    after: int
    new_state: CandidateState | None
    withdrawn: Sequence[Match]
    refold: tuple[Changes, Ratings] | None

    def event(self, origin: str) -> Intervened:
        """What is told of it once it is stored."""
        action = self.resolved.intervention
        who = action.candidate if action.added is None else action.added.id
        return Intervened(
            self.pos,
            action.kind,
            action.group,
            who,
            self.after,
            origin,
            other=action.other,
            seq=action.seq,
            winner=action.winner,
            values=dict(action.values) if action.kind == "settings" else {},
        )


def take_effect(course: Course, resolved: Resolved) -> Effect:
    """Let one intervention take effect."""
    action = resolved.intervention
    reached(CrashPoint.INTERVENTION_QUEUED)
    new_state = course.roster.new_state(action)
    pos, withdrawn = course.intervene(action)
    group = course.groups.get(action.group or "")
    after = course.applied if group is None else group.order.applied
    refold = None
    if resolved.overruled is not None and group is not None:
        refold = group.refolded(resolved.overruled.applied_no)
    return Effect(resolved, pos, after, new_state, withdrawn, refold)


def units_of(course: Course, effects: Sequence[Effect], origin: str, at: float) -> list[Unit]:
    """The units of one request's interventions; call it before anything else is applied.

    `at` is in seconds since the epoch. The start values of all that it added are looked up together,
    since a format's scores cost a walk over everybody.
    """
    gaining = dict.fromkeys(
        each.resolved.intervention.group for each in effects if each.resolved.intervention.added is not None
    )
    start = {
        (id_, row.id): row.rating
        for id_ in gaining
        if id_ is not None
        for row in course.groups[id_].format.scores()
    }
    return [_unit(course, each, origin, at, start) for each in effects]


def _unit(
    course: Course, effect: Effect, origin: str, at: float, start: dict[tuple[str, str], float]
) -> Unit:
    action, played = effect.resolved.intervention, effect.resolved.overruled
    if played is not None and effect.refold is not None:
        return overrule_unit(course.run, effect.pos, action, played, effect.after, origin, at, *effect.refold)
    rating = None
    if action.added is not None and action.added.twin_of is None and action.group is not None:
        rating = start[action.group, action.added.id]
    return intervention_unit(effect.pos, action, effect.after, origin, at, effect.new_state, rating)
