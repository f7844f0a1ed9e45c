"""How far a run is, in words for one line: round or stage, matches foreseen, what its stop rule waits for."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from arena_tui.engine.confident import RUNNING, Sureness
from arena_tui.engine.state import GroupState
from arena_tui.ratings.stability import Distance
from arena_tui.values import counted


def progress_words(groups: Mapping[str, GroupState], applied: int) -> list[str]:
    """Stage and matches of a run, `applied` of them in all; of many groups also how many have ended."""
    expected = [group.expected for group in groups.values()]
    total = None if None in expected else sum(each or 0 for each in expected)
    matches = counted(applied, "match", "matches") if not total else f"{applied} of {total} matches"
    ended = sum(group.stop_reason is not None for group in groups.values())
    if len(groups) > 1:
        return [f"{ended} of {len(groups)} groups ended", matches]
    phase = next((group.phase for group in groups.values()), "")
    return [phase, matches] if phase else [matches]


def distance_words(groups: Mapping[str, GroupState]) -> str:
    """What the group that is left lacks for its stop rule; "" with several groups, or without a rule."""
    if len(groups) != 1:
        return ""
    (group,) = groups.values()
    if group.sureness:
        return _confident(group.sureness)
    return "" if group.distance is None else _stable(group.distance)


def _confident(classes: Sequence[Sureness]) -> str:
    least = min(classes, key=lambda each: each.probability)
    what = "P(best)" if least.within is None else f"P(leader within {least.within:g} of the best)"
    parts = [f"{what} {least.probability:.2f} of {least.needed:g}"]
    if least.comparisons < least.wanted:
        parts.append(f"{least.comparisons} of {least.wanted} comparisons")
    if not least.connected:
        parts.append("not all linked yet")
    if least.looks:
        parts.append(f"{least.looks} of {RUNNING} looks")
    return ", ".join(parts)


def _stable(distance: Distance) -> str:
    parts = []
    if distance.matches_missing:
        parts.append(counted(distance.matches_missing, "more match", "more matches"))
    if distance.moving:
        parts.append(f"{len(distance.moving)} of the top still move")
    if distance.changed:
        parts.append(f"{len(distance.changed)} in and out of the top")
    return ", ".join([*parts, f"{distance.snapshots} of {distance.needed} snapshots"])
