"""What a run's state means in words: its phase, why it stopped, how far it is from its stop rule.

Pure, shared by the status pane and by lists of runs. Names of candidates come from whoever calls and
have passed `safetext`.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Literal

from arena_tui.console.glyphs import Glyphs
from arena_tui.engine.state import GroupState, RunState
from arena_tui.ratings.stability import Distance
from arena_tui.values import counted

Role = Literal["", "bold", "dim", "good", "warn", "bad", "live", "bar", "reserved", "empty"]
"""What a piece of text is; a screen gives each role a colour of its theme."""

STAGES = 3  # rounds of several groups that are named
MOVERS = 3  # members of the top that are named before the rest is only counted

REASONS: Mapping[str, str] = {
    "BUDGET": "a limit is used up",
    "WALL_CLOCK": "its time is used up",
    "ELO_STABLE": "the top has settled",
    "EXTERNAL": "it was told to stop",
    "IDLE": "nothing is left that could be played",
    "COMPLETED": "its schedule is played",
    "CONFIDENT": "this judge is sure enough of the leader",
}
"""stop reason -> what it means."""


def phase_words(state: RunState) -> tuple[str, str, Role]:
    """(word, what goes on beside it, role) of the phase the run is in."""
    calls = len(state.in_flight)
    finish = "the call in flight finishes" if calls == 1 else "calls in flight finish"
    match state.phase:
        case "ready":
            return "Ready", "nothing is asked before it starts", "dim"
        case "running":
            return "RUNNING", "", "good"
        case "paused" if calls or not state.quiet:
            return f"PAUSED, DRAINING {calls}", _with(state, finish), "warn"
        case "paused":
            return "PAUSED", _with(state, "nothing in flight"), "warn"
        case "draining":
            return f"STOPPING {calls}", f"{finish}; once more cancels", "warn"
        case "cancelling":
            return f"CANCELLING {calls}", "what was cut off is asked again on resume", "bad"
        case "stopped":
            return "STOPPED", "", "live"


def _with(state: RunState, told: str) -> str:
    """Why it is paused, where nobody asked for it; a group that is the only one needs no name."""
    reason = state.pause_reason
    if len(state.groups) == 1:
        reason = reason.replace(f" of group {next(iter(state.groups))}", "")
    return f"{reason}; {told}" if reason else told


def phase_sign(state: RunState, glyphs: Glyphs) -> str:
    """The sign of the phase, one cell."""
    match state.phase:
        case "ready":
            return glyphs.ready
        case "running":
            return glyphs.running
        case "paused":
            return glyphs.paused
        case "draining" | "cancelling":
            return glyphs.draining
        case "stopped":
            return glyphs.stopped


def run_words(status: str, glyphs: Glyphs) -> tuple[str, str, Role]:
    """(sign, word, role) of a run in a list, by its status there."""
    match status:
        case "running":
            return glyphs.running, "running", "good"
        case "paused":
            return glyphs.paused, "paused", "warn"
        case "finished":
            return glyphs.good, "finished", "live"
        case "interrupted":
            return glyphs.draining, "interrupted", "warn"
        case "damaged":
            return glyphs.bad, "damaged", "bad"
    return glyphs.stopped, status, ""


def reason_words(reason: str | None) -> str:
    """A stop reason with its meaning: "ELO_STABLE: the top has settled"; "" for none."""
    if not reason:
        return ""
    meaning = REASONS.get(reason, "")
    return f"{reason}: {meaning}" if meaning else reason


def next_words(reason: str | None, resume: str, limits: str, kind: str = "elo") -> str:
    """What can be done with a run that stopped: `resume` and `limits` are the keys for that, `kind` is its
    format's."""
    match reason:
        case "BUDGET" | "WALL_CLOCK":
            return f"{limits} raises the limit, then {resume} goes on"
        case "COMPLETED" if kind == "knockout":
            return "all is played; a bracket takes nobody in"
        case "COMPLETED":
            return "all is played; a new candidate (+) opens it again"
        case "IDLE":
            return f"{resume} tries again"
    return f"{resume} goes on"


def how_far(distance: Distance) -> tuple[int, int, int, float]:
    """A key that orders groups by how far they are from their stop rule."""
    return (
        max(distance.matches_missing, distance.matches_each_missing, distance.ideas_missing),
        len(distance.changed) + len(distance.moving),
        distance.needed - distance.snapshots,
        max((spread for _, spread in distance.moving), default=0.0),
    )


def distance_words(distance: Distance, named: Callable[[str], str]) -> list[str]:
    """What still stands between a group and its stop rule, the weightiest first; `named` names an id."""
    parts = []
    if distance.matches_missing:
        parts.append(counted(distance.matches_missing, "more match", "more matches"))
    movers = sorted(distance.moving, key=lambda each: -each[1])
    told = []
    settled = f" (settled below {distance.eps:g})" if distance.eps else ""
    for place, (id_, spread) in enumerate(movers[:MOVERS]):
        points = _points(spread)
        told.append(f"{named(id_)} {points}" if place else f"{named(id_)} moves {points} points{settled}")
    if len(movers) > MOVERS:
        told.append(f"{len(movers) - MOVERS} more move")
    if told:
        parts.append(", ".join(told))
    if distance.changed:
        names = [named(id_) for id_ in distance.changed[:MOVERS]]
        more = len(distance.changed) - len(names)
        parts.append(f"in and out of the top: {', '.join(names)}{f' and {more} more' if more else ''}")
    if distance.matches_each_missing:
        parts.append(f"some lack {counted(distance.matches_each_missing, 'match', 'matches')} each")
    if distance.ideas_missing:
        parts.append(f"{counted(distance.ideas_missing, 'candidate')} too few play")
    if not parts and distance.snapshots >= distance.needed:
        parts.append("settled")
    return [*parts, f"{distance.snapshots} of {distance.needed} snapshots"]


def _points(spread: float) -> str:
    return f"{spread:.0f}" if spread >= 10 else f"{spread:.1f}"


def stage_words(groups: Sequence[GroupState], *, matches: bool) -> str:
    """The round or phase that is played, with `matches` also how many of all are done; of several groups how
    many are where. "" when there is nothing of that kind."""
    if len(groups) == 1:
        (only,) = groups
        parts = [only.phase] if only.phase else []
        if matches and only.expected:
            parts.append(f"{only.applied:,} of {counted(only.expected, 'match', 'matches')}")
        return ", ".join(parts)
    stages = Counter(group.phase for group in groups if group.phase and group.stop_reason is None)
    return ", ".join(f"{stage} in {counted(number, 'group')}" for stage, number in stages.most_common(STAGES))


def groups_words(groups: Iterable[GroupState]) -> str:
    """How many groups have ended and why: "3 of 12 groups ended: 2 ELO_STABLE, 1 COMPLETED"."""
    reasons = [group.stop_reason for group in groups]
    ended = Counter(reason for reason in reasons if reason is not None)
    told = ", ".join(f"{number} {reason}" for reason, number in ended.most_common())
    return f"{ended.total()} of {len(reasons)} groups ended" + (f": {told}" if told else "")
