"""How a run ended, what it took, and how to go on: the last lines of a run and of `arena show`."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from arena_tui.report.overview_text import overview_notes
from arena_tui.report.result import Result
from arena_tui.safetext import clean
from arena_tui.store.folder import called
from arena_tui.values import counted

OVERVIEWS = 5  # groups whose closest races are told
CLOSE = 50.0  # points: a lead that wins 57 of 100 matches is worth a remark, a larger one is none
PLAYING = ("in_tournament", "pinned")
NOTHING_USABLE = (
    "going on would only repeat this: mend the judge, then start a fresh run with: arena FILE --new"
)


def ending_lines(result: Result, status: str) -> list[str]:
    """How the run ended, what it took, and how to go on, in a few lines.

    `status` is the run's in the list of runs: finished, stopped, interrupted, running, paused.
    """
    m = result.matches
    total = m["a"] + m["b"] + m["draw"] + m["void"]
    parts = [counted(total, "match", "matches") + (f", {m['void']} of them void" if m["void"] else "")]
    if m["held"]:
        parts[0] += f", {_held(result)}"
    parts += [counted(result.comparisons, "comparison"), f"seed {result.seed}", f"run {result.run}"]
    if result.judge.get("simulated"):
        parts.append("SIMULATED")
    reason = result.stop_reason
    lines = [f"{reason}: {result.stop_detail}" if reason else _NOT_ENDED.get(status, "not ended yet")]
    lines.append("; ".join(parts))
    for told in result.judge.get("invalid_reasons", ()):
        lines.append(f"no verdict in {counted(told['comparisons'], 'comparison')}: {told['reason']}")
    for group in result.groups["skipped"]:
        lines.append(f"group {group['group']} was skipped: {group['reason']}")
    lines += _overview(result)
    lines += result.judge.get("warnings", ())
    lines += overview_notes(result.overview, total)
    if status in ("stopped", "interrupted"):
        nothing_usable = reason == "IDLE" and total and m["void"] == total
        lines.append(NOTHING_USABLE if nothing_usable else f"go on with: {_how_to_go_on(result)}")
    return [clean(line).replace("\n", " ") for line in lines]


_NOT_ENDED: Mapping[str, str] = {
    "running": "running: not ended yet",
    "paused": "paused: not ended yet",
    "interrupted": "interrupted: its process is gone, and what was in flight will be asked again",
}


def _held(result: Result) -> str:
    """What becomes of verdicts that are known and not applied."""
    held = result.matches["held"]
    counts = {result.stop_reason, *result.groups["stop_reasons"].values()} == {"BUDGET"}
    return f"{counted(held, 'held verdict')} counted in the table" if counts else f"{held} held for later"


_SPENT: Sequence[tuple[str, str, str]] = (
    ("USD", "usd", "X"),
    ("tokens", "tokens", "N"),
    ("limit", "matches", "N"),
)
"""A word of the sentence about a limit that is used up, the limit's key, and what stands for more of it."""


def _how_to_go_on(result: Result) -> str:
    """The command that goes on with the run, with the option that lifts the limit in its way."""
    run = called(Path(result.db))
    resume = f"arena resume {run}"
    match result.stop_reason:
        case "WALL_CLOCK":
            return f"{resume} --add-time T"
        case "BUDGET":
            detail = result.stop_detail
            key, more = next(((key, more) for word, key, more in _SPENT if word in detail), ("matches", "N"))
            if " group" in detail:
                return f"arena act {run} limit per_group.{key}={more}, then {resume}"
            return f"{resume} --add-{key} {more}"
    return resume


def _lead(gap: float) -> str:
    if abs(gap) < 0.05:
        return "level with"
    return f"{gap:.1f} ahead of" if gap > 0 else f"above and rated {-gap:.1f} lower than"


def _overview(result: Result) -> list[str]:
    """The closest races and who has hardly played, for one group or the first few."""
    details: Mapping[str, Any] = result.details
    if result.compare == "systems" and len(result.groups["stop_reasons"]) > 1:
        return []  # what is close in a prompt says nothing of the systems
    playing = Counter(row.group for row in result.standings if row.twin_of is None and row.state in PLAYING)
    only = next(iter(playing), "")
    groups = {"": details} if "closest_races" in details else details
    groups = {n: told for n, told in groups.items() if isinstance(told, Mapping) and "closest_races" in told}
    lines = []
    for name, overview in list(groups.items())[:OVERVIEWS]:
        prefix = f"{name}: " if name else ""
        for race in overview["closest_races"]:
            if abs(race["gap"]) < CLOSE:
                lines.append(f"{prefix}small gap: {race['ahead']} is {_lead(race['gap'])} {race['behind']}")
        hardly = overview["hardly_played"]
        if len(hardly) > 1 and len(hardly) == playing[name or only]:
            lines.append(f"{prefix}hardly played: all")
        elif hardly:
            more = f" and {len(hardly) - 8} more" if len(hardly) > 8 else ""
            lines.append(f"{prefix}hardly played: {', '.join(hardly[:8])}{more}")
    return lines
