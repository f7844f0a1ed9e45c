"""When a leaderboard has settled: the same top set, hardly moving, over several snapshots.

Pure; one tracker a group. The engine's stop watch takes the snapshots and asks whether the group may
end; displays ask how far away that is. Source: the Co-Scientist Elo tournament.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Sequence
from dataclasses import dataclass, field

MATCHES_PER_CANDIDATE = 5
"""The guard on valid matches where none is set: this many times the number of playing candidates."""


@dataclass(frozen=True, slots=True)
class Snapshot:
    """The top of a leaderboard after `valid_matches`, best first, and whether it closed a stable window.

    `playing` counts the candidates that may play, `fewest_matches` is the least valid matches any
    of them has.
    """

    valid_matches: int
    top: tuple[tuple[str, float], ...]
    playing: int
    fewest_matches: int
    stable: bool


@dataclass(frozen=True, slots=True)
class Distance:
    """What still stands between a group and a stable top.

    `snapshots` of `needed` are in the window; `changed` came into or fell out of the top set within
    it; `moving` are members of the latest top with their spread (max - min, in points) where that is
    not below eps. The last three are what the guards still miss: candidates, valid matches in all,
    and valid matches of the candidate that has the fewest. `eps` is the spread, in points, below which
    a member counts as settled.
    """

    snapshots: int
    needed: int
    changed: tuple[str, ...] = ()
    moving: tuple[tuple[str, float], ...] = ()
    ideas_missing: int = 0
    matches_missing: int = 0
    matches_each_missing: int = 0
    eps: float = field(default=0.0, compare=False)


class StabilityTracker:
    """Watches the top `top_k` over `n` snapshots.

    Stable: the window is full, every snapshot has the same set of ids (order is free), each
    member's max - min stays below `eps` points, and the latest snapshot meets the guards. A
    `min_matches` of None asks for five valid matches per playing candidate. With several classes
    the caller passes the union of each class's best `top_k`.
    """

    def __init__(
        self,
        *,
        top_k: int = 5,
        n: int = 3,
        eps: float = 25.0,
        min_ideas: int = 0,
        min_matches: int | None = None,
        min_matches_each: int = 3,
    ) -> None:
        self.top_k = top_k
        self._needed = n
        self._eps = eps
        self._min_ideas = min_ideas
        self._min_matches = min_matches
        self._min_matches_each = min_matches_each
        self._window: deque[Snapshot] = deque(maxlen=n)

    @property
    def stable(self) -> bool:
        """True when the latest snapshot closed a stable window."""
        return bool(self._window) and self._window[-1].stable

    def snapshot(
        self, valid_matches: int, top: Sequence[tuple[str, float]], *, playing: int, fewest_matches: int
    ) -> Snapshot:
        """Take a snapshot: `top` is the top set now, best first; the caller counts when one is due."""
        draft = Snapshot(valid_matches, tuple(top), playing, fewest_matches, stable=False)
        self._window.append(draft)
        if self.distance() == Distance(self._needed, self._needed):
            settled = Snapshot(valid_matches, draft.top, playing, fewest_matches, stable=True)
            self._window[-1] = settled
            return settled
        return draft

    def restart(self) -> None:
        """Start the window anew: after an overrule, or when a closed group goes on."""
        self._window.clear()

    def distance(self) -> Distance:
        """What is still missing, by the latest snapshot; equal to a full window alone when stable."""
        if not self._window:
            return Distance(0, self._needed, eps=self._eps)
        latest = self._window[-1]
        tables = [dict(snapshot.top) for snapshot in self._window]
        union = dict.fromkeys(id_ for table in reversed(tables) for id_ in table)
        changed = tuple(id_ for id_ in union if any(id_ not in table for table in tables))
        spreads = []
        for id_, _ in latest.top:
            ratings = [table[id_] for table in tables if id_ in table]
            spreads.append((id_, max(ratings) - min(ratings)))
        guard = self._min_matches
        if guard is None:
            guard = MATCHES_PER_CANDIDATE * latest.playing
        return Distance(
            snapshots=len(self._window),
            needed=self._needed,
            changed=changed,
            moving=tuple((id_, spread) for id_, spread in spreads if not spread < self._eps),
            ideas_missing=max(0, self._min_ideas - latest.playing),
            matches_missing=max(0, guard - latest.valid_matches),
            matches_each_missing=max(0, self._min_matches_each - latest.fewest_matches),
            eps=self._eps,
        )
