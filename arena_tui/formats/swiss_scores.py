"""What a Swiss pairing goes by: everybody's score for pairing, whom it has met, its byes and its slots.

A sheet is filled from what happened, game by game, and asked once a round. It rates nothing: a bye or a
forfeit is worth a score here and is no evidence anywhere.
"""

from __future__ import annotations


class ScoreSheet:
    """The history of `size` entrants as a pairing sees it. Lists are by entrant.

    `byes` are those assigned, which bar another; `balance` is how many more single comparisons an entrant
    stood first in than second.
    """

    def __init__(self, size: int) -> None:
        self.scores = [0.0] * size
        self.met: list[set[int]] = [set() for _ in range(size)]
        self.byes = [0] * size
        self.balance = [0] * size
        self._run = [0] * size  # the latest slots alike: 2 is first twice in a row, -1 second once

    def played(self, a: int, b: int, score_a: float, score_b: float) -> None:
        """The two have met."""
        self.met[a].add(b)
        self.met[b].add(a)
        self.scores[a] += score_a
        self.scores[b] += score_b

    def forfeited(self, a: int, b: int, score_a: float, score_b: float) -> None:
        """The two were to meet and did not: they may yet."""
        self.scores[a] += score_a
        self.scores[b] += score_b

    def idle(self, entrant: int, score: float, *, assigned: bool) -> None:
        """A round without a game. `assigned`: because the number was odd, not because it was asked for."""
        self.scores[entrant] += score
        self.byes[entrant] += assigned

    def stood(self, first: int, second: int, *, both: bool) -> None:
        """The slots of a game; in `both` orders they say nothing, and no row of equal slots goes on."""
        if both:
            self._run[first] = self._run[second] = 0
            return
        self.balance[first] += 1
        self.balance[second] -= 1
        self._run[first] = max(self._run[first], 0) + 1
        self._run[second] = min(self._run[second], 0) - 1

    def first_of(self, one: int, other: int) -> int | None:
        """Which of two is to stand first in their game; None: nothing speaks for either.

        Nobody has one slot a third time in a row if the other has not, too; then who stood first less
        often; then who stood second last.
        """
        runs = self._run[one], self._run[other]
        pressed = [(run >= 2) - (run <= -2) for run in runs]
        for mine, theirs in (pressed, (self.balance[one], self.balance[other]), runs):
            if mine != theirs:
                return one if mine < theirs else other
        return None
