"""What the formats that rate by a fit have in common: bookkeeping of outcomes, interventions, standings.

A format of this kind keeps a `Field` and adds who meets whom: `next_steps`, `adopt`, `finished`,
`progress`, and hooks for whatever else it remembers.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from copy import deepcopy
from typing import TYPE_CHECKING, Any

from arena_tui.candidate import Candidate, Group
from arena_tui.facts import Intervention, Leaders, Outcome, RatingChange, Score, Standing
from arena_tui.formats.field import Field
from arena_tui.formats.fit_log import DELTA
from arena_tui.formats.meetings import Meeting

if TYPE_CHECKING:
    from arena_tui.formats.fit_log import FitLog
    from arena_tui.ratings.estimates import Confidence, Estimates

LARGE_FIELD = 1_000  # entrants among whom a plan may take long


class Fielded:
    """The shared part of a format of one group; see the module's docstring."""

    def __init__(self, group: Group, *, soft: bool = False) -> None:
        self.field = Field(group, soft=soft)

    @property
    def entrants(self) -> Sequence[Candidate]:
        """Everybody it knows, by number."""
        return self.field.entrants

    @property
    def fit_log(self) -> FitLog:
        """The comparisons behind its fit."""
        return self.field.fit_log

    @property
    def off_loop(self) -> bool:
        """True when a plan of this format may take long."""
        return len(self.field) > LARGE_FIELD

    def record(self, outcome: Outcome) -> RatingChange | None:
        """Apply an outcome; one that is applied already changes nothing and gives None."""
        change = self.field.record(outcome)
        if change is not None:
            self.recorded(self.field.meeting(outcome.step.seq), outcome)
        return change

    def intervene(self, action: Intervention) -> None:
        """Take a journaled action; kinds that concern no pairing or rating are let pass."""
        field = self.field
        match action.kind:
            case "add" if action.added is not None and action.added.twin_of is None:
                self.entered(field.admit(action.added))
            case "pin" | "unpin" | "restore" if action.candidate is not None:
                entrant = field.index(action.candidate)
                if not field.plays(entrant):
                    field.set_playing(entrant, True)
                    self.entered(entrant)
            case "reject" if action.candidate is not None:
                entrant = field.index(action.candidate)
                field.set_playing(entrant, False)
                self.left(entrant)
            case "overrule" if action.seq is not None and action.winner is not None:
                field.overrule(action.seq, action.winner)
                self.overruled(field.meeting(action.seq))
            case "focus" | "match" if action.candidate is not None:
                other = None if action.other is None else field.index(action.other)
                self.asked(field.index(action.candidate), other)
            case _:
                pass

    # -- hooks -----------------------------------------------------------------------------------

    def recorded(self, meeting: Meeting, outcome: Outcome) -> None:
        """An outcome was applied."""

    def entered(self, entrant: int) -> None:
        """An entrant was added, or may play again."""

    def left(self, entrant: int) -> None:
        """An entrant may play no more; its planned matches will come as void."""

    def overruled(self, meeting: Meeting) -> None:
        """An applied match counts otherwise now; the schedule that was played stands."""

    def asked(self, entrant: int, other: int | None) -> None:
        """Somebody asked for a match of `entrant` (against `other`)."""

    # -- the rest of the protocol ----------------------------------------------------------------

    def objection(self, action: Intervention) -> str | None:
        """A planned schedule has no room for single matches asked for; all else it takes."""
        if action.kind in ("focus", "match"):
            return "this format plays a schedule of its own: it takes no single matches"
        return None

    def scores(self) -> Iterator[Score]:
        """Points and valid matches of everybody who plays or once did."""
        return self.field.scores()

    def history(self) -> Iterator[RatingChange]:
        """The points before and after every applied match, under the outcomes that count now."""
        return self.field.history()

    def standings(self) -> list[Standing]:
        """Class by class, by the fitted rating."""
        return self.field.standings()

    def leaders(self, count: int) -> Leaders:
        """The best `count` playing entrants of every class by the standings."""
        field = self.field
        playing = [entrant for members in field.classes().values() for entrant in members]
        top: list[tuple[str, float]] = []
        for row in self.standings():
            if row.rank <= count and field.plays(field.index(row.id)):
                top.append((row.id, row.rating))
        return Leaders(tuple(top), len(playing), min((field.valid(e) for e in playing), default=0))

    def estimates(self, delta: float = DELTA) -> Estimates:
        """The fit of all comparisons so far, kept until something changes."""
        return self.field.estimates(delta)

    def confidence(self, delta: float) -> list[Confidence]:
        """How sure the leader of each class with two or more playing entrants is."""
        return list(self.field.estimates(delta, bars=False).classes.values())

    def details(self) -> dict[str, Any]:
        """Nothing of its own."""
        return {}

    def pairings(self) -> Iterable[dict[str, Any]]:
        """One row a planned match: its round, who met and why."""
        for meeting in self.field.meetings:
            step = meeting.step
            yield {
                "group": step.group,
                "round": step.round,
                "seq": step.seq,
                "a": step.a,
                "b": step.b,
                "why": step.why,
            }

    def __deepcopy__(self, memo: dict[int, Any]) -> Any:
        """An independent clone."""
        twin = object.__new__(type(self))
        memo[id(self)] = twin
        for name, value in self.__dict__.items():
            setattr(twin, name, deepcopy(value, memo))
        return twin
