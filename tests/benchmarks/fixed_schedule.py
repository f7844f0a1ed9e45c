"""A round robin that is played over and over, rated by Elo: pairs that cost next to nothing to choose.

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
from arena_tui.facts import Intervention, Leaders, Match, Outcome, Progress, RatingChange, Standing
from arena_tui.ratings.elo import k_factor, update
from arena_tui.vocabulary import Mode, StopReason

SCORES = {"a": 1.0, "draw": 0.5, "b": 0.0}


class FixedSchedule:
    """`length` matches of one group, pair after pair; `mode_of` gives a step's mode by its number."""

    windowed = True
    off_loop = False

    def __init__(self, group: Group, length: int, mode_of: Callable[[int], Mode]) -> None:
        self._group = group.id
        self._length = length
        self._mode_of = mode_of
        self._ids = [candidate.id for candidate in group.entrants]
        self._index = {id_: entrant for entrant, id_ in enumerate(self._ids)}
        self._rating = [1200.0] * len(self._ids)
        self._valid = [0] * len(self._ids)
        self._planned = 0
        self._changes: list[RatingChange] = []

    def next_steps(self, room: int) -> list[Match]:
        """The next pairs: everyone meets the one `1 + round` seats further on, round after round."""
        steps: list[Match] = []
        while len(steps) < room and self._planned < self._length:
            size, k = len(self._ids), self._planned
            a, away = k % size, 1 + k // size % (size - 1)
            steps.append(
                Match(self._group, k + 1, self._ids[a], self._ids[(a + away) % size], self._mode_of(k + 1))
            )
            self._planned += 1
        return steps

    def adopt(self, step: Match) -> None:
        """Take a plan that was journaled."""
        self._planned = step.seq

    def record(self, outcome: Outcome) -> RatingChange:
        """Elo's update; a void match leaves both ratings alone."""
        step = outcome.step
        a, b = self._index[step.a], self._index[step.b]
        before = self._rating[a], self._rating[b]
        if outcome.winner == "void":
            change = RatingChange(step.a, step.b, before[0], before[0], before[1], before[1])
        else:
            k = k_factor(min(self._valid[a], self._valid[b]))
            done = update(*before, SCORES[outcome.winner], k=k)
            self._rating[a], self._rating[b] = done.elo_a_after, done.elo_b_after
            self._valid[a] += 1
            self._valid[b] += 1
            change = RatingChange(
                step.a, step.b, before[0], done.elo_a_after, before[1], done.elo_b_after, done.expected_a, k
            )
        self._changes.append(change)
        return change

    def intervene(self, action: Intervention) -> None:
        """A fixed schedule does not bend: ValueError."""
        raise ValueError(f"a fixed schedule takes no {action.kind}")

    def standings(self) -> list[Standing]:
        """By rating, the best first."""
        order = sorted(range(len(self._ids)), key=lambda entrant: -self._rating[entrant])
        return [
            Standing(self._ids[e], rank, self._rating[e], matches=self._valid[e])
            for rank, e in enumerate(order, start=1)
        ]

    def leaders(self, count: int) -> Leaders:
        """The best by rating."""
        rows = self.standings()
        return Leaders(
            tuple((row.id, row.rating) for row in rows[:count]), len(rows), min(row.matches for row in rows)
        )

    def history(self) -> Iterator[RatingChange]:
        """All changes in applied order."""
        return iter(self._changes)

    def finished(self) -> StopReason | None:
        """COMPLETED once all is planned; asked only when nothing is on its way."""
        return "COMPLETED" if self._planned == self._length else None

    def progress(self) -> Progress:
        """Applied outcomes of the whole schedule."""
        return Progress(len(self._changes), self._length)


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
        course, "build_format", lambda tournament, group, seed: FixedSchedule(group, length, mode_of)
    ):
        yield
