"""The planned matches of a group and what came of them, in flat arrays: a match costs some 40 bytes.

A `Meeting` is a view of one of them; who meets and why is read back from what the plan said.
"""

from __future__ import annotations

import math
from array import array
from collections.abc import Iterator, Sequence
from copy import copy
from dataclasses import dataclass
from typing import Any, overload

from arena_tui.facts import Match, Outcome, Step
from arena_tui.vocabulary import Mode, Orientation, Winner

_WINNERS: tuple[Winner, ...] = ("a", "b", "draw", "void")
_CODES = {winner: code for code, winner in enumerate(_WINNERS)}
_WAITING = 255
_MODES: tuple[Mode, ...] = ("pairwise", "debate", "score")
_ORDERS: tuple[tuple[Orientation, ...], ...] = (("ab",), ("ab", "ba"), ("ba",), ("ba", "ab"))
_NO_ROUND = -1


@dataclass(frozen=True, slots=True)
class Meeting:
    """One planned match: a view, so it always shows how things stand."""

    _log: Meetings
    seq: int

    @property
    def a(self) -> int:
        """The entrant in slot 1 of the first comparison."""
        return self._log._a[self.seq - 1]

    @property
    def b(self) -> int:
        """The other one."""
        return self._log._b[self.seq - 1]

    @property
    def winner(self) -> Winner | None:
        """The outcome that counts now; None before it is applied."""
        code = self._log._winner[self.seq - 1]
        return None if code == _WAITING else _WINNERS[code]

    @property
    def p_a(self) -> float | None:
        """The judge's probability that a is better, where it gave one and the outcome is still its own."""
        log, at = self._log, self.seq - 1
        p = log._p[at]
        return None if math.isnan(p) or log._winner[at] != log._played[at] else p

    @property
    def consistent(self) -> bool | None:
        """Whether the two orders named the same side; None unless both could be read."""
        return (None, False, True)[self._log._consistent[self.seq - 1]]

    @property
    def round(self) -> int | None:
        """The round it was planned in."""
        number = self._log._round[self.seq - 1]
        return None if number == _NO_ROUND else number

    @property
    def why(self) -> str:
        """Why these two met."""
        return self._log._words[self._log._why[self.seq - 1]]

    @property
    def orders(self) -> tuple[Orientation, ...]:
        """The comparisons that were planned."""
        return _ORDERS[self._log._orders[self.seq - 1]]

    @property
    def step(self) -> Step:
        """The plan."""
        log, at = self._log, self.seq - 1
        a, b = log._names[log._a[at]], log._names[log._b[at]]
        mode, where = _MODES[log._mode[at]], log._places[log._at[at]]
        return Match(log.group, self.seq, a, b, mode, self.orders, self.round, None, self.why, where)


class Meetings(Sequence[Meeting]):
    """All planned matches of `group` by their number - 1; `names` are the entrants' ids, as they come."""

    def __init__(self, group: str, names: list[str]) -> None:
        self.group = group
        self._names = names
        self._a, self._b, self._round = array("i"), array("i"), array("i")
        self._p = array("d")
        self._why, self._at = array("i"), array("i")
        self._winner, self._played, self._consistent = bytearray(), bytearray(), bytearray()
        self._mode, self._orders = bytearray(), bytearray()
        self._words: list[str] = []  # every reason once
        self._word: dict[str, int] = {}
        self._places: list[str | None] = []
        self._place: dict[str | None, int] = {}

    def copy(self, names: list[str]) -> Meetings:
        """An independent copy, with the copy of the entrants' ids."""
        twin = copy(self)
        for name, value in vars(self).items():
            setattr(twin, name, copy(value))
        twin._names = names
        return twin

    def __len__(self) -> int:
        return len(self._a)

    @overload
    def __getitem__(self, at: int) -> Meeting: ...
    @overload
    def __getitem__(self, at: slice) -> list[Meeting]: ...
    def __getitem__(self, at: int | slice) -> Any:
        if isinstance(at, slice):
            return [Meeting(self, index + 1) for index in range(*at.indices(len(self)))]
        if not -len(self) <= at < len(self):
            raise IndexError(at)
        return Meeting(self, at % len(self) + 1)

    def __iter__(self) -> Iterator[Meeting]:
        return (Meeting(self, seq) for seq in range(1, len(self) + 1))

    def plan(self, step: Step, a: int, b: int) -> Meeting:
        """The next match, between entrants `a` and `b`."""
        self._a.append(a)
        self._b.append(b)
        self._round.append(_NO_ROUND if step.round is None else step.round)
        self._p.append(math.nan)
        self._why.append(_numbered(step.why, self._word, self._words))
        self._at.append(_numbered(step.at, self._place, self._places))
        self._mode.append(_MODES.index(step.mode))
        self._orders.append(_ORDERS.index(step.orders))
        self._winner.append(_WAITING)
        self._played.append(_WAITING)
        self._consistent.append(0)
        return Meeting(self, len(self))

    def record(self, outcome: Outcome) -> None:
        """What a planned match said."""
        at = outcome.step.seq - 1
        self._winner[at] = self._played[at] = _CODES[outcome.winner]
        if outcome.p_a is not None:
            self._p[at] = outcome.p_a
        agreed = consistent(outcome)
        self._consistent[at] = 0 if agreed is None else 1 + agreed

    def overrule(self, seq: int, winner: Winner) -> None:
        """What an applied match counts as from now on."""
        self._winner[seq - 1] = _CODES[winner]


def consistent(outcome: Outcome) -> bool | None:
    """Whether the two orders of a match named the same side; None unless both could be read."""
    sides = {
        each.orientation: "draw" if each.verdict == "draw" else (each.verdict == "first")
        for each in outcome.comparisons
        if each.verdict != "invalid"
    }
    if len(sides) < 2:
        return None
    ab, ba = sides["ab"], sides["ba"]
    return ab == ba if "draw" in (ab, ba) else ab != ba


def _numbered(word: Any, known: dict[Any, int], words: list[Any]) -> int:
    number = known.get(word)
    if number is None:
        number = known[word] = len(words)
        words.append(word)
    return number
