"""A round robin that is played over and over: pairs that cost next to nothing to choose.

With it a benchmark measures the engine and not the choice of pairs. `replacing_elo` puts a schedule in
the place where the engine builds a group's format.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from random import Random
from unittest import mock

from arena_tui.candidate import Group
from arena_tui.engine import course
from arena_tui.facts import Match, Progress
from arena_tui.formats.fielded import Fielded
from arena_tui.vocabulary import Mode, StopReason


class FixedSchedule(Fielded):
    """`length` matches of one group, pair after pair; `mode_of` gives a step's mode by its number."""

    windowed = True

    def __init__(self, group: Group, length: int, mode_of: Callable[[int], Mode]) -> None:
        super().__init__(group)
        self._length = length
        self._mode_of = mode_of
        self._ids = [candidate.id for candidate in group.entrants]

    def next_steps(self, room: int) -> list[Match]:
        """The next pairs: everyone meets the one `1 + round` seats further on, round after round."""
        steps: list[Match] = []
        while len(steps) < room and self.field.planned < self._length:
            size, k = len(self._ids), self.field.planned
            a, away = k % size, 1 + k // size % (size - 1)
            b = self._ids[(a + away) % size]
            step = Match(self.field.group, k + 1, self._ids[a], b, self._mode_of(k + 1))
            self.field.plan(step)
            steps.append(step)
        return steps

    def adopt(self, step: Match) -> None:
        """Take a plan that was journaled."""
        self.field.plan(step)

    def finished(self) -> StopReason | None:
        """COMPLETED once all is planned; asked only when nothing is on its way."""
        return "COMPLETED" if self.field.planned == self._length else None

    def progress(self) -> Progress:
        """Applied outcomes of the whole schedule."""
        return Progress(self.field.applied, self._length)


def all_pairwise(seq: int) -> Mode:
    """Every match is a short one."""
    return "pairwise"


def debates(share: float) -> Callable[[int], Mode]:
    """A seeded coin for each step: a debate with chance `share`."""
    return lambda seq: "debate" if Random(f"modes:{seq}").random() < share else "pairwise"


@contextmanager
def replacing_elo(length: int, mode_of: Callable[[int], Mode] = all_pairwise) -> Iterator[None]:
    """Every group built in here plays `length` matches of the fixed schedule."""
    with mock.patch.object(
        course, "build_format", lambda tournament, group, seed, texts: FixedSchedule(group, length, mode_of)
    ):
        yield
