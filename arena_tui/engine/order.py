"""Which outcome is applied next, and when the next step may be chosen.

Both are functions of the plans and of what has been applied, never of latency: so the same seed and
the same verdicts give the same tournament, however long each verdict took. One `AppliedOrder`
belongs to one group; it is pure and is rebuilt by replaying the group's journal.
"""

from __future__ import annotations

import heapq
from collections import deque
from collections.abc import Mapping
from typing import Literal

from arena_tui.facts import Match
from arena_tui.vocabulary import Mode

Ordering = Literal["seq", "arrival"]
WHOLE_ROUND = 1 << 30  # room offered to a round format, which hands out no more than its round


class AppliedOrder:
    """The window of planned, unapplied steps of one group and the order in which they are applied.

    `seq`: by (virtual finish, step number), where a step planned when the last applied outcome
    finished at v finishes at v + the duration of its mode. `arrival`: as verdicts come.
    """

    def __init__(
        self, *, ordering: Ordering, durations: Mapping[Mode, float], lookahead: int, windowed: bool
    ) -> None:
        self.lookahead = lookahead
        self.planned = 0
        self.applied = 0
        self._ordering = ordering
        self._durations = durations
        self._windowed = windowed
        self._now = 0.0  # virtual finish of the last applied outcome
        self._queue: list[tuple[float, int, Match]] = []
        self._arrived: deque[Match] = deque()
        self._gone: set[int] = set()  # arrival only: applied, still in the queue

    @property
    def open_steps(self) -> int:
        """Planned steps whose outcome is not applied yet."""
        return self.planned - self.applied

    def room(self) -> int:
        """How many steps may be chosen now.

        For a windowed format step k (from 1) is chosen when exactly max(0, k - lookahead) outcomes
        are applied, provided that the window is refilled after every single outcome.
        """
        return max(0, self.lookahead - self.open_steps) if self._windowed else WHOLE_ROUND

    def plan(self, step: Match) -> None:
        """Take a chosen or adopted step into the window."""
        self.planned += 1
        heapq.heappush(self._queue, (self._now + self._durations[step.mode], step.seq, step))

    def arrive(self, step: Match) -> None:
        """The outcome of `step` is known (only `arrival` cares)."""
        if self._ordering == "arrival":
            self._arrived.append(step)

    def due(self) -> Match | None:
        """The step whose outcome must be applied next, known or not; None when none is planned."""
        if self._ordering == "arrival":
            return self._arrived[0] if self._arrived else None
        return self._queue[0][2] if self._queue else None

    def apply(self, step: Match) -> int:
        """Apply the outcome of `step`; its number in the group, from 1.

        Under `seq` it must be the due step; a journal of an `arrival` run may name any planned one.
        """
        if self._ordering == "seq":
            finish, seq, _ = heapq.heappop(self._queue)
            if seq != step.seq:
                raise ValueError(f"step {step.seq} applied while step {seq} is due")
            self._now = finish
        else:
            if self._arrived and self._arrived[0].seq == step.seq:
                self._arrived.popleft()
            self._gone.add(step.seq)
            while self._queue and self._queue[0][1] in self._gone:
                self._now = self._queue[0][0]
                self._gone.remove(heapq.heappop(self._queue)[1])
        self.applied += 1
        return self.applied

    def waiting(self) -> list[Match]:
        """All planned, unapplied steps in the order in which they would be applied."""
        return [step for _, seq, step in sorted(self._queue, key=_finish_then_seq) if seq not in self._gone]


def _finish_then_seq(entry: tuple[float, int, Match]) -> tuple[float, int]:
    return entry[:2]


def default_lookahead(concurrency: int, playable_groups: int) -> int:
    """Twice the concurrency; 1 when there are more groups than slots (each slot has a group then)."""
    return 1 if playable_groups > concurrency else 2 * concurrency
