"""Which match the transcript shows: the newest in flight while it follows, or the one somebody stepped to.

Knows no widget and no clock; times are seconds on the caller's clock.
"""

from __future__ import annotations

from arena_tui.console.ledger import MatchLine
from arena_tui.console.view import RunView
from arena_tui.console.widgets.in_flight import MatchKey, flights

MOMENT = 2.0
"""Seconds that a match stays on screen after its verdict came, before the next is followed."""
HELD = 6.0
"""Seconds that it stays after it was judged while its outcome waits for its turn in the order."""


class Guide:
    """Follows, steps and counts. `following`: nobody has stepped to a match of their own choice."""

    def __init__(self, view: RunView) -> None:
        self._view = view
        self.following = True
        self._key: MatchKey | None = None
        self._left_at: float | None = None
        self._decided_at: float | None = None
        self._over = False  # time makes no difference any more

    def selected(self, key: MatchKey | None) -> None:
        """Another match is on screen."""
        self._key = key
        self._left_at = self._decided_at = None
        self._over = False

    def decided(self, now: float) -> None:
        """Its verdict is on the screen."""
        if self._decided_at is None:
            self._decided_at = now

    def waits(self, now: float) -> bool:
        """True when another match is to be chosen because time has passed."""
        if self._over or not self.following or self._left_at is None:
            return False
        return now >= self._until(self._left_at)

    def _until(self, left_at: float) -> float:
        return left_at + HELD if self._decided_at is None else self._decided_at + MOMENT

    def choose(self, now: float) -> MatchKey | None:
        """The match to show now."""
        if not self.following:
            return self._key
        key, view = self._key, self._view
        if view.past is not None:
            return self._last_applied() or key
        flying = flights(view)
        in_scope = key is not None and view.group in (None, key[0])
        if in_scope and key in {(each.group, each.seq) for each in flying}:
            self._left_at = None
            return key
        if in_scope:
            self._left_at = now if self._left_at is None else self._left_at
            if now < self._until(self._left_at):
                return key
            self._over = True
        if flying:
            newest = max(flying, key=lambda each: (each.mode == "debate", each.since))
            return newest.group, newest.seq
        if not in_scope or view.state.phase == "running":
            return self._last_applied() or key
        return key

    def newest(self) -> MatchKey | None:
        """The match that is followed from now on."""
        self.following = True
        self._left_at = self._decided_at = float("-inf")
        flying = {(each.group, each.seq) for each in flights(self._view)}
        key = self._key if self._key in flying else None
        if key is None:
            self._key = None
            key = self.choose(0.0)
        return key

    def _last_applied(self) -> MatchKey | None:
        line = self._applied_beside(self._view.ledger.match_count, -1)
        return None if line is None else (line.group, line.seq)

    def _applied_beside(self, index: int, step: int) -> MatchLine | None:
        """The applied match of the groups on screen next to an index."""
        ledger, group = self._view.ledger, self._view.group
        index += step
        while 0 <= index < ledger.match_count:
            line = ledger.match(index)
            if group in (None, line.group):
                return line
            index += step
        return None

    def beside(self, key: MatchKey | None, step: int) -> MatchKey | None:
        """The match before (-1) or after (1): the applied ones in their order, then those in flight."""
        ledger = self._view.ledger
        line = None if key is None else ledger.find_match(*key)
        flying = [
            (each.group, each.seq)
            for each in (() if self._view.past is not None else flights(self._view))
            if ledger.find_match(each.group, each.seq) is None
        ]
        if line is not None:
            found = self._applied_beside(line.index, step)
            if found is None and step > 0 and flying:
                return flying[0]
            return key if found is None else (found.group, found.seq)
        at = (flying.index(key) if key in flying else 0) + step
        if 0 <= at < len(flying):
            return flying[at]
        return key if at > 0 and key in flying else self._last_applied() or key

    def place(self, key: MatchKey | None) -> str:
        """Which of all matches it is, in words."""
        ledger = self._view.ledger
        line = None if key is None else ledger.find_match(*key)
        keys = [
            (each.group, each.seq)
            for each in (() if self._view.past is not None else flights(self._view))
            if ledger.find_match(each.group, each.seq) is None
        ]
        total = ledger.match_count + len(keys)
        if line is not None:
            return f"match {line.index + 1:,} of {total:,}"
        if key in keys:
            return f"match {ledger.match_count + keys.index(key) + 1:,} of {total:,}"
        return "judged, not counted yet"
