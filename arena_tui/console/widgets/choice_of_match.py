"""Which match the transcript shows: the newest in flight while it follows, or the one somebody stepped to.

Matches in which something is said are preferred, debates first; one without a word does not hold the screen.

Knows no widget and no clock; times are seconds on the caller's clock.
"""

from __future__ import annotations

from arena_tui.console.ledger import MatchLine
from arena_tui.console.view import RunView
from arena_tui.console.widgets.in_flight import MatchKey, flights
from arena_tui.engine.state import InFlight

MOMENT = 2.0
"""Seconds that a match in which something was said stays on screen after its verdict came."""
BRIEF = 0.8
"""The same for a match in which nothing was said: quick judges decide many in that time."""
HELD = 2.0
"""Seconds that a match stays which is no longer in flight and whose verdict does not come."""


class Guide:
    """Follows, steps and counts. `following`: nobody has stepped to a match of their own choice."""

    def __init__(self, view: RunView) -> None:
        self._view = view
        self.following = True
        self._key: MatchKey | None = None
        self._left_at: float | None = None
        self._decided_at: float | None = None
        self._words = False  # something was said in it
        self._over = False  # time makes no difference any more

    def selected(self, key: MatchKey | None) -> None:
        """Another match is on screen."""
        self._key = key
        self._left_at = self._decided_at = None
        self._words = self._over = False

    def decided(self, now: float, *, words: bool) -> None:
        """Its verdict is on the screen, be it held or counted; `words`: so are turns that led to it."""
        self._words = self._words or words
        if self._decided_at is None:
            self._decided_at = now

    def waits(self, now: float) -> bool:
        """True when another match is to be chosen because time has passed."""
        if self._over or not self.following or self._left_at is None:
            return False
        return now >= self._until(self._left_at)

    def _until(self, left_at: float) -> float:
        if self._decided_at is None:
            return left_at + HELD
        return self._decided_at + (MOMENT if self._words else BRIEF)

    def choose(self, now: float) -> MatchKey | None:
        """The match to show now."""
        if not self.following:
            return self._key
        key, view = self._key, self._view
        if view.past is not None:
            return self._last_applied() or key
        flying = flights(view)
        in_scope = key is not None and view.group in (None, key[0])
        newest = max(flying, key=self._rank, default=None)
        shown = next((each for each in flying if (each.group, each.seq) == key), None)
        if in_scope and shown is not None and newest is not None:
            self._left_at = None
            self._words = self._words or self._speaks(shown)
            return key if self._speaks(shown) or not self._speaks(newest) else (newest.group, newest.seq)
        if in_scope:
            self._left_at = now if self._left_at is None else self._left_at
            if now < self._until(self._left_at):
                return key
            self._over = True
        if newest is not None:
            return newest.group, newest.seq
        if not in_scope or view.state.phase == "running" or view.ledger.find_match(*(key or ("", 0))):
            return self._last_applied() or key
        return key

    def _speaks(self, flight: InFlight) -> bool:
        """Something is being said in it; of another process's matches that is not known, but expected of
        debates."""
        return bool(flight.speaker) or (not self._view.session.drives and flight.mode == "debate")

    def _rank(self, flight: InFlight) -> tuple[bool, bool, float, int]:
        speaks = self._speaks(flight)
        return speaks, speaks and flight.mode == "debate", flight.since, flight.seq

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
        if key not in flying and step > 0:
            return flying[0] if flying else key
        at = (flying.index(key) if key in flying else 0) + step
        if 0 <= at < len(flying):
            return flying[at]
        return key if at > 0 and key in flying else self._last_applied() or key

    def place(self, key: MatchKey | None) -> str:
        """Its place among those decided or in flight, in words that no match's number can be mistaken for."""
        ledger = self._view.ledger
        line = None if key is None else ledger.find_match(*key)
        keys = [
            (each.group, each.seq)
            for each in (() if self._view.past is not None else flights(self._view))
            if ledger.find_match(each.group, each.seq) is None
        ]
        if line is not None:
            return f"{_ordinal(line.index + 1)} of {ledger.match_count:,} decided"
        if key in keys:
            return f"in flight, {_ordinal(keys.index(key) + 1)} of {len(keys):,}"
        return "not decided yet"


def _ordinal(number: int) -> str:
    ending = "th" if number % 100 in (11, 12, 13) else {1: "st", 2: "nd", 3: "rd"}.get(number % 10, "th")
    return f"{number:,}{ending}"
