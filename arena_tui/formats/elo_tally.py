"""What an Elo tournament knows of its entrants: ratings, records, who met whom, and a compact log.

Entrants are pool indexes here, steps are numbered from 1. Ratings are a fold of the log from the
start values: the live update, a refold after an overrule and the history all run the same
arithmetic in the same order. A step costs 13 bytes in flat arrays, a pair that met about 100.
"""

from __future__ import annotations

from array import array
from collections.abc import Iterator
from copy import copy
from dataclasses import dataclass
from typing import NamedTuple

from arena_tui.ratings.elo import EloUpdate, k_factor, update
from arena_tui.vocabulary import Winner

_WINNERS: tuple[Winner, ...] = ("a", "b", "draw", "void")
_SCORES = (1.0, 0.0, 0.5)  # of a, by the winner's number
_VOID = 3
_WAITING = 255


@dataclass(frozen=True, slots=True)
class Constants:
    """Elo's constants, under the names of the settings."""

    new_threshold: int
    k_new: float
    k_warm: float


class Applied(NamedTuple):
    """One applied outcome: who met, at which ratings, and what it did (None for a void match)."""

    a: int
    b: int
    before_a: float
    before_b: float
    update: EloUpdate | None


class Record:
    """Everyone's rating, valid-match count, wins, losses and draws at one point of the fold."""

    def __init__(self, start: array[float]) -> None:
        zeros = array("i", bytes(4 * len(start)))
        self.rating = start[:]
        self.wins, self.losses, self.draws, self.valid = zeros[:], zeros[:], zeros[:], zeros[:]
        self.valid_matches = 0

    def copy(self) -> Record:
        """An independent copy."""
        twin = copy(self)
        twin.__dict__.update({name: v[:] for name, v in vars(self).items() if isinstance(v, array)})
        return twin

    def enter(self, start: float) -> None:
        """One more entrant, with its start value."""
        self.rating.append(start)
        for counts in (self.wins, self.losses, self.draws, self.valid):
            counts.append(0)

    def apply(self, a: int, b: int, winner: int, constants: Constants) -> Applied:
        """Fold one outcome in; K by the less experienced player's valid matches before it."""
        before_a, before_b = self.rating[a], self.rating[b]
        if winner == _VOID:
            return Applied(a, b, before_a, before_b, None)
        valid = self.valid
        k = k_factor(
            min(valid[a], valid[b]),
            new_threshold=constants.new_threshold,
            k_new=constants.k_new,
            k_warm=constants.k_warm,
        )
        result = update(before_a, before_b, _SCORES[winner], k=k)
        self.rating[a], self.rating[b] = result.elo_a_after, result.elo_b_after
        valid[a] += 1
        valid[b] += 1
        self.valid_matches += 1
        if winner == 2:
            self.draws[a] += 1
            self.draws[b] += 1
        else:
            won, lost = (a, b) if winner == 0 else (b, a)
            self.wins[won] += 1
            self.losses[lost] += 1
        return Applied(a, b, before_a, before_b, result)


class Tally:
    """The record as it stands, the log it is a fold of, and what is planned."""

    def __init__(self, constants: Constants) -> None:
        self._constants = constants
        self._start = array("d")
        self._a = array("i")  # by step
        self._b = array("i")
        self._winner = bytearray()
        self._order = array("i")  # applied steps
        self._pending = array("i")  # by entrant
        self._meetings: dict[int, int] = {}
        self.record = Record(self._start)

    def copy(self) -> Tally:
        """An independent copy."""
        twin = copy(self)
        for name, value in vars(self).items():
            if not isinstance(value, Constants):
                setattr(twin, name, value.copy() if isinstance(value, Record) else copy(value))
        return twin

    def enter(self, start: float) -> None:
        """One more entrant, with its start value."""
        self._start.append(start)
        self._pending.append(0)
        self.record.enter(start)

    @property
    def planned(self) -> int:
        """Steps so far."""
        return len(self._winner)

    @property
    def applied(self) -> int:
        """Applied outcomes so far, void ones included."""
        return len(self._order)

    def load(self, entrant: int) -> int:
        """Valid matches plus planned ones: what pairing and mode go by."""
        return self.record.valid[entrant] + self._pending[entrant]

    def met(self, one: int, other: int) -> int:
        """How often the two were planned to meet; a void match is a meeting too."""
        return self._meetings.get(_pair(one, other), 0) >> 1

    def was_first(self, one: int, other: int) -> bool:
        """True if `one` was in slot 1 when the two last met."""
        return (self._meetings.get(_pair(one, other), 0) & 1) == (one < other)

    def plan(self, a: int, b: int) -> None:
        """The next step: a, in slot 1, meets b."""
        self._a.append(a)
        self._b.append(b)
        self._winner.append(_WAITING)
        self._pending[a] += 1
        self._pending[b] += 1
        self._meetings[_pair(a, b)] = ((self.met(a, b) + 1) << 1) | (a < b)

    def is_waiting(self, step: int) -> bool:
        """True for a planned step without an outcome; raises ValueError for one never planned."""
        if not 1 <= step <= len(self._winner):
            raise ValueError(f"step {step} was never planned; there are {len(self._winner)}")
        return self._winner[step - 1] == _WAITING

    def players(self, step: int) -> tuple[int, int]:
        """The two of a planned step, slot 1 first."""
        return self._a[step - 1], self._b[step - 1]

    def apply(self, step: int, winner: Winner) -> Applied:
        """Take the outcome of a waiting step."""
        number = _WINNERS.index(winner)
        a, b = self.players(step)
        self._winner[step - 1] = number
        self._order.append(step)
        self._pending[a] -= 1
        self._pending[b] -= 1
        return self.record.apply(a, b, number, self._constants)

    def overrule(self, step: int, winner: Winner) -> None:
        """Change an applied step's outcome and refold; steps without one stay as they are."""
        if self.is_waiting(step):
            return
        self._winner[step - 1] = _WINNERS.index(winner)
        self.record = Record(self._start)
        for _ in self._fold(self.record):
            pass

    def history(self) -> Iterator[Applied]:
        """All applied outcomes in applied order, as they count now."""
        return self._fold(Record(self._start))

    def _fold(self, record: Record) -> Iterator[Applied]:
        for step in self._order:
            yield record.apply(*self.players(step), self._winner[step - 1], self._constants)


def _pair(one: int, other: int) -> int:
    low, high = (one, other) if one < other else (other, one)
    return high * (high - 1) // 2 + low
