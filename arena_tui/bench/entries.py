"""Who takes part in a bench: formats with the settings that make them use up the calls, and their rankings.

A format that would end before the calls are used up is set to go on as far as its settings allow; what it
made is told with its figures.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any, Literal

from arena_tui.formats.pivot import comparisons
from arena_tui.settings import Tournament, validate

Goal = Literal["best", "balanced", "order"]
Ranking = Literal["standings", "fit"]

FORMATS = ("elo", "swiss", "pivot", "round_robin", "knockout", "adaptive")
GOALS: tuple[Goal, ...] = ("best", "balanced", "order")

FILLED = {
    "elo": "the published tournament's rules (preset co_scientist)",
    "swiss": "as many rounds as the calls take, without rematches",
    "pivot": "the fewest pivots with which the schedule is long enough",
    "round_robin": "as many cycles as the calls take",
    "knockout": "the least odd best_of that may take all calls; a bracket that is decided earlier ends",
}
"""How a format is set so that it does not end too early, by kind."""


@dataclass(frozen=True, slots=True)
class Entry:
    """A format in a bench. `rankings` are the rows it gives, by label; `lookahead` as typed (None: usual)."""

    kind: str
    rankings: tuple[tuple[str, Ranking], ...]
    goal: Goal | None = None
    orders: Literal["alternate", "both"] = "alternate"
    lookahead: str | None = None


def entries(kinds: Sequence[str], goals: Sequence[str], lookaheads: Iterable[str]) -> list[Entry]:
    """The entries of these formats, all of them if none is named; adaptive ones by goal and lookahead."""
    found: list[Entry] = []
    for kind in FORMATS:
        if kinds and kind not in kinds:
            continue
        match kind:
            case "elo":
                found.append(Entry(kind, (("elo", "standings"), ("elo + bt", "fit"))))
            case "swiss":
                found.append(Entry(kind, (("swiss, both orders", "standings"),), orders="both"))
                found.append(Entry(kind, (("swiss, alternate", "standings"),)))
            case "pivot":
                found.append(Entry(kind, (("pivot, w/c", "standings"), ("pivot + bt", "fit"))))
            case "adaptive":
                chosen = [goal for goal in GOALS if not goals or goal in goals]
                ahead: str | None
                for ahead in tuple(dict.fromkeys(lookaheads)) or (None,):
                    found += [_adaptive(goal, ahead) for goal in chosen]
            case _:
                found.append(Entry(kind, ((kind, "standings"),)))
    return found


def _adaptive(goal: Goal, lookahead: str | None) -> Entry:
    label = f"adaptive, {goal}" + ("" if lookahead is None else f", lookahead {lookahead}")
    return Entry("adaptive", ((label, "standings"),), goal=goal, lookahead=lookahead)


def tournament_of(
    entry: Entry, *, n: int, calls: int, in_flight: int, lookahead: int | None, compare: str
) -> Tournament:
    """The tournament that an entry plays among `n` with `calls` comparisons."""
    return validate(
        {
            "format": {"kind": entry.kind, **_filled(entry, n, calls)},
            "judge": {"kind": "simulated", "mode": "pairwise", "orders": entry.orders, "draws": True},
            "stop": {"rule": "none"},
            "limits": {"matches": calls, "concurrency": in_flight, "lookahead": lookahead},
            "compare": compare,
        }
    )


def _filled(entry: Entry, n: int, calls: int) -> dict[str, Any]:
    """The format's own settings; see `FILLED`."""
    match entry.kind:
        case "elo":
            return {"preset": "co_scientist", "similarity": "none"}  # its rules; the texts are names
        case "adaptive":
            return {"goal": entry.goal}
        case "swiss":
            a_round = max(1, n // 2) * (2 if entry.orders == "both" else 1)
            return {"rounds": -(-calls // a_round)}
        case "pivot":
            return {"pivots": next((k for k in range(1, n) if comparisons(n, k) >= calls), n)}
        case "round_robin":
            return {"cycles": max(1, -(-calls // math.comb(n, 2)))}
        case _:
            meetings = max(1, n - 1 + (n >= 4))  # with the match for the third place
            return {"best_of": -(-calls // meetings) | 1}
