"""Who competes in a group and what came of it: entrants, classes, points, meetings, and the log for a fit.

Entrants are numbers in the order of admission. Points are a fold of the applied outcomes: a win 1, a draw
1/2, or what a format makes of an outcome. Nothing here chooses anything.
"""

from __future__ import annotations

from array import array
from collections.abc import Iterator
from copy import deepcopy
from typing import TYPE_CHECKING, Any

from arena_tui.candidate import Candidate, Group
from arena_tui.facts import Outcome, RatingChange, Score, Standing, Step
from arena_tui.formats.fit_log import DELTA, FitLog, completed
from arena_tui.formats.meetings import Meeting, Meetings
from arena_tui.vocabulary import PLAYING, Winner

if TYPE_CHECKING:
    from arena_tui.ratings.estimates import Estimates

_SHARES: dict[Winner, tuple[float, float]] = {"a": (1.0, 0.0), "b": (0.0, 1.0), "draw": (0.5, 0.5)}


class Field:
    """One group's entrants and their matches. `soft`: points are probabilities where the judge gave one."""

    def __init__(self, group: Group, *, soft: bool = False) -> None:
        self.group = group.id
        self.entrants: list[Candidate] = []
        self._names: list[str] = []
        self.meetings = Meetings(group.id, self._names)
        self.points = array("d")
        self.wins, self.losses, self.draws = array("i"), array("i"), array("i")
        self.pending = array("i")  # planned matches without an outcome
        self.fit_log = FitLog()
        self._soft = soft
        self._index: dict[str, int] = {}
        self._plays = bytearray()
        self._played = bytearray()  # plays, or once did
        self._met: dict[int, int] = {}
        self._applied = array("i")  # seqs in applied order
        for candidate in group.entrants:
            self.admit(candidate)

    def __deepcopy__(self, memo: dict[int, Any]) -> Field:
        """An independent clone; candidates and plans, which never change, are shared."""
        twin = object.__new__(Field)
        twin.__dict__.update(self.__dict__)
        twin.entrants = self.entrants[:]
        twin._names = self._names[:]
        twin.meetings = self.meetings.copy(twin._names)
        twin.fit_log = deepcopy(self.fit_log)
        twin._index, twin._met, twin._applied = self._index.copy(), self._met.copy(), self._applied[:]
        for name in ("points", "wins", "losses", "draws", "pending", "_plays", "_played"):
            setattr(twin, name, getattr(self, name)[:])
        return twin

    # -- who competes ----------------------------------------------------------------------------

    def __len__(self) -> int:
        return len(self.entrants)

    def index(self, id_: str) -> int:
        """The number of an entrant; KeyError for one that is none."""
        return self._index[id_]

    def id(self, entrant: int) -> str:
        """The entrant's id."""
        return self.entrants[entrant].id

    def plays(self, entrant: int) -> bool:
        """True for one who may be paired."""
        return bool(self._plays[entrant])

    def classes(self) -> dict[str | None, list[int]]:
        """The playing entrants of every class, classes and entrants in the order of admission."""
        found: dict[str | None, list[int]] = {}
        for entrant, candidate in enumerate(self.entrants):
            members = found.setdefault(candidate.class_, [])
            if self._plays[entrant]:
                members.append(entrant)
        return found

    def admit(self, candidate: Candidate) -> int:
        """One more entrant; its number."""
        entrant = len(self.entrants)
        self.entrants.append(candidate)
        self._names.append(candidate.id)
        self._index[candidate.id] = entrant
        plays = candidate.state in PLAYING
        self._plays.append(plays)
        self._played.append(plays)
        self.points.append(0.0)
        for counts in (self.wins, self.losses, self.draws, self.pending):
            counts.append(0)
        return entrant

    def set_playing(self, entrant: int, plays: bool) -> None:
        """The entrant may be paired from now on, or no more."""
        self._plays[entrant] = plays
        self._played[entrant] |= plays

    # -- matches ---------------------------------------------------------------------------------

    @property
    def planned(self) -> int:
        """Matches planned so far."""
        return len(self.meetings)

    @property
    def applied(self) -> int:
        """Outcomes applied so far, void ones included."""
        return len(self._applied)

    def met(self, one: int, other: int) -> int:
        """How often the two were planned to meet, whatever came of it."""
        return self._met.get(_pair(one, other), 0)

    def valid(self, entrant: int) -> int:
        """Its applied matches that were not void."""
        return self.wins[entrant] + self.losses[entrant] + self.draws[entrant]

    def plan(self, step: Step) -> Meeting:
        """Take a plan; ValueError for one that is not the next step."""
        if step.seq != self.planned + 1:
            raise ValueError(f"step {step.seq} was planned after step {self.planned}")
        a, b = self._index[step.a], self._index[step.b]
        pair = _pair(a, b)
        self._met[pair] = self._met.get(pair, 0) + 1
        self.pending[a] += 1
        self.pending[b] += 1
        return self.meetings.plan(step, a, b)

    def meeting(self, seq: int) -> Meeting:
        """The planned match of that number; ValueError when there is none."""
        if not 1 <= seq <= len(self.meetings):
            raise ValueError(f"step {seq} was never planned; there are {len(self.meetings)}")
        return self.meetings[seq - 1]

    def record(self, outcome: Outcome) -> RatingChange | None:
        """Apply an outcome; None, and nothing changes, when it is applied already."""
        meeting = self.meeting(outcome.step.seq)
        if meeting.winner is not None:
            return None
        self.meetings.record(outcome)
        self._applied.append(outcome.step.seq)
        self.pending[meeting.a] -= 1
        self.pending[meeting.b] -= 1
        self.fit_log.record(outcome, meeting.a, meeting.b)
        before = self.points[meeting.a], self.points[meeting.b]
        self._count(meeting)
        return self._change(meeting, before, (self.points[meeting.a], self.points[meeting.b]))

    def overrule(self, seq: int, winner: Winner) -> None:
        """Let an applied match count as `winner` from now on; one without an outcome stays as it is."""
        meeting = self.meeting(seq)
        if meeting.winner is None:
            return
        self.meetings.overrule(seq, winner)
        self.fit_log.overrule(seq, meeting.a, meeting.b, winner)
        for change in self.history():  # points are a fold: after a refold they have the bits of a replay
            self.points[self._index[change.a]] = change.a_after
            self.points[self._index[change.b]] = change.b_after
        for counts in (self.wins, self.losses, self.draws):
            counts[:] = array("i", bytes(counts.itemsize * len(counts)))
        for seq_ in self._applied:
            self._tally(self.meetings[seq_ - 1])

    def share(self, meeting: Meeting) -> tuple[float, float] | None:
        """The points that an applied match gives the two now; None for a void one."""
        winner, p_a = meeting.winner, meeting.p_a
        if winner is None or winner == "void":
            return None
        return (p_a, 1.0 - p_a) if self._soft and p_a is not None else _SHARES[winner]

    def history(self) -> Iterator[RatingChange]:
        """The points before and after every applied match, under the outcomes that count now."""
        points = [0.0] * len(self.entrants)
        for seq in self._applied:
            meeting = self.meetings[seq - 1]
            before = points[meeting.a], points[meeting.b]
            share = self.share(meeting) or (0.0, 0.0)
            points[meeting.a] += share[0]
            points[meeting.b] += share[1]
            yield self._change(meeting, before, (points[meeting.a], points[meeting.b]))

    def scores(self) -> Iterator[Score]:
        """Points and valid matches of everybody who plays or once did."""
        for entrant, candidate in enumerate(self.entrants):
            if self._played[entrant]:
                yield Score(candidate.id, self.points[entrant], self.valid(entrant))

    # -- standings -------------------------------------------------------------------------------

    def estimates(self, delta: float = DELTA, *, bars: bool = True) -> Estimates:
        """The fit of all comparisons so far, kept until something changes."""
        return self.fit_log.estimates(self.entrants, self._plays, seed=self.applied, delta=delta, bars=bars)

    def standings(
        self, key: list[tuple[float, ...]] | None = None, score: list[float | None] | None = None
    ) -> list[Standing]:
        """Class by class, each ranked from 1: those who play, best first, then those out of play.

        By falling `key` (by entrant), else by the fitted rating; ties keep the order of admission. `score`
        is what the format ranks by, by entrant, for display.
        """
        fit = self.estimates()
        ranks = key or [(each.rating,) for each in fit.entrants]
        rows: list[Standing] = []
        for class_ in self.classes():
            members = [e for e, c in enumerate(self.entrants) if c.class_ == class_ and self._played[e]]
            members.sort(key=lambda e: (not self._plays[e], tuple(-x for x in ranks[e]), e))
            for rank, entrant in enumerate(members, 1):
                standing = Standing(
                    id=self.entrants[entrant].id,
                    rank=rank,
                    rating=fit.entrants[entrant].rating,
                    wins=self.wins[entrant],
                    losses=self.losses[entrant],
                    draws=self.draws[entrant],
                    matches=self.valid(entrant),
                    score=None if score is None else score[entrant],
                )
                rows.append(completed(standing, entrant, fit))
        return rows

    # -- bookkeeping -----------------------------------------------------------------------------

    def _count(self, meeting: Meeting) -> None:
        share = self.share(meeting)
        if share is not None:
            self.points[meeting.a] += share[0]
            self.points[meeting.b] += share[1]
            self._tally(meeting)

    def _tally(self, meeting: Meeting) -> None:
        match meeting.winner:
            case "a":
                self.wins[meeting.a] += 1
                self.losses[meeting.b] += 1
            case "b":
                self.wins[meeting.b] += 1
                self.losses[meeting.a] += 1
            case "draw":
                self.draws[meeting.a] += 1
                self.draws[meeting.b] += 1
            case _:
                pass

    def _change(
        self, meeting: Meeting, before: tuple[float, float], after: tuple[float, float]
    ) -> RatingChange:
        a, b = self.entrants[meeting.a].id, self.entrants[meeting.b].id
        return RatingChange(a, b, before[0], after[0], before[1], after[1])


def _pair(one: int, other: int) -> int:
    low, high = (one, other) if one < other else (other, one)
    return high * (high - 1) // 2 + low
