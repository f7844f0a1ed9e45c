"""How fast a run goes and when it will end: a rate, and a range for what is left.

Pure: it is given the time and the number of applied matches and keeps marks of them. Several windows
give several rates; the fastest and the slowest of them are the two ends of the range.
"""

from __future__ import annotations

from collections import deque

from arena_tui.amounts import duration, span
from arena_tui.engine.state import RunState

MINUTE = 60.0
WINDOWS = (20.0, MINUTE, 300.0)
"""Seconds over which rates are measured: what is happening now, lately, and on the whole."""
LEAST = 3  # matches a window must hold before its rate says anything
APART = 0.2  # seconds between two marks that are both kept


class Pace:
    """Marks of (time in seconds, applied matches), for the last few minutes of running time."""

    def __init__(self) -> None:
        self._marks: deque[tuple[float, int]] = deque()
        self._last_change = 0.0

    def mark(self, now: float, applied: int) -> None:
        """Note where the run is. Fewer matches than before (an earlier moment) start the marks anew."""
        marks = self._marks
        if marks and (applied < marks[-1][1] or now < marks[-1][0]):
            marks.clear()
        if not marks or applied != marks[-1][1]:
            self._last_change = now
        if len(marks) > 1 and now - marks[-2][0] < APART:
            marks.pop()
        marks.append((now, applied))
        while len(marks) > 2 and now - marks[1][0] >= WINDOWS[-1]:
            marks.popleft()

    def restart(self) -> None:
        """Forget everything: the run was paused, and that time does not count."""
        self._marks.clear()

    def silence(self, now: float) -> float:
        """Seconds since a match was last applied, or since the first mark."""
        return now - self._last_change if self._marks else 0.0

    def over(self, window: float) -> tuple[int, float]:
        """(matches, seconds) of the last `window` seconds, or of all there is when that is less."""
        if len(self._marks) < 2:
            return 0, 0.0
        last, applied = self._marks[-1]
        then, before = self._marks[0]
        for mark in reversed(self._marks):
            if last - mark[0] >= window:
                then, before = mark
                break
        return applied - before, last - then

    @property
    def rate(self) -> float | None:
        """Matches a second over the last minute; None before there is anything to measure."""
        matches, seconds = self.over(MINUTE)
        return matches / seconds if seconds >= 1 else None

    @property
    def rates(self) -> tuple[float, float] | None:
        """The slowest and the fastest rate of all windows, in matches a second; None: too little is known."""
        found = [
            matches / seconds
            for matches, seconds in map(self.over, WINDOWS)
            if matches >= LEAST and seconds >= 1
        ]
        return (min(found), max(found)) if found else None


def matches_left(state: RunState) -> float | None:
    """How many more matches there can be at most, by the schedule and every limit but time; None: open."""
    found: list[float] = []
    groups = [group for group in state.groups.values() if group.stop_reason is None]
    expected = [group.expected for group in groups]
    if groups and None not in expected:
        found.append(sum(max(0, (group.expected or 0) - group.applied) for group in groups))
    under_way = len({(group, seq) for group, seq, _ in state.in_flight}) + state.held
    if state.match_limit is not None:
        found.append(max(0, state.match_limit - state.started) + under_way)
    applied = state.applied
    if applied and state.usd_limit is not None and state.usd:
        found.append(max(0.0, state.usd_limit - state.usd) / (state.usd / applied))
    if applied and state.token_limit is not None and state.tokens:
        found.append(max(0, state.token_limit - state.tokens) / (state.tokens / applied))
    return min(found, default=None)


def time_left(state: RunState, pace: Pace) -> tuple[float, float] | None:
    """Seconds to the end by the earliest of schedule and limits, (least, most); None: nothing says so."""
    left, rates, clock = matches_left(state), pace.rates, _clock_left(state)
    if left is None or rates is None:
        return clock
    slow, fast = rates
    low, high = left / fast, left / slow
    return (low, high) if clock is None else (min(low, clock[0]), min(high, clock[1]))


def _clock_left(state: RunState) -> tuple[float, float] | None:
    """Seconds that the limit of running time leaves, twice: that is no estimate."""
    if state.wall_clock_limit is None:
        return None
    left = max(0.0, state.wall_clock_limit - state.elapsed)
    return left, left


def open_ended(state: RunState) -> bool:
    """True when a stop rule may end the run before its schedule or a limit does."""
    return any(group.distance is not None for group in state.groups.values() if group.stop_reason is None)


def left_words(state: RunState, pace: Pace) -> str:
    """What is left, in words: "4 to 7 min left", "at most 9 to 12 min left", "until its stop rule fires"."""
    found = time_left(state, pace)
    if found is None:
        left = matches_left(state)
        if left is not None:
            return f"at most {left:,.0f} matches left" if open_ended(state) else f"{left:,.0f} matches left"
        if state.usd_limit is not None or state.token_limit is not None:
            return "until its stop rule fires or its budget is spent"
        return "until its stop rule fires"
    told = duration(found[0]) if found == _clock_left(state) else span(*found)
    return f"at most {told} left" if open_ended(state) else f"{told} left"
