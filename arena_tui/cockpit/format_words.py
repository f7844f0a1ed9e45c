"""What a tournament's format and stop rule will do, in a line for a person who is about to start it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from arena_tui.systems import is_dealt
from arena_tui.values import counted

if TYPE_CHECKING:
    from arena_tui.format_settings import AnyFormat
    from arena_tui.limit_settings import Stop
    from arena_tui.settings import Tournament

_GOALS = {
    "best": "who is at the very top counts most",
    "balanced": "the top counts more than the rest",
    "order": "all places count alike",
}


def format_words(tournament: Tournament, *, rated: bool = True) -> str:
    """Who meets whom, and what ends it. `rated`: some candidates bring a rating to begin with."""
    told = _pairs(tournament.format, rated)
    if is_dealt(tournament):
        told = f"systems meet over the texts of all groups: {told}"
    elif tournament.compare == "systems":
        told = f"systems are rated from what their texts play in each group: {told}"
    return f"{told}; {_end(tournament.stop, tournament.format.kind)}"


def _pairs(chosen: AnyFormat, rated: bool) -> str:
    match chosen.kind:
        case "elo":
            return "new against warm, near ratings, and at random; ratings move match by match"
        case "swiss":
            usual = "the fewest rounds in which one can win every match"
            rounds = usual if chosen.rounds is None else counted(chosen.rounds, "round")
            return f"{rounds}; each pairs equal scores that have not met"
        case "pivot":
            return f"a ring, then everybody against its best {chosen.pivots}; by the share of wins"
        case "adaptive":
            return f"always the pair whose verdict teaches most; {_GOALS[chosen.goal]}"
        case "round_robin":
            return f"everybody against everybody{', twice' if chosen.double else ''}"
        case "knockout":
            games = f", best of {chosen.best_of}" if chosen.best_of > 1 else ""
            drawn = chosen.seeding == "random" or not rated
            seeds = "seeds are drawn by lot" if drawn else "seeds by the ratings given"
            return f"a bracket{games}, {seeds}: who loses is out"


def _end(stop: Stop, kind: str) -> str:
    match stop.rule:
        case "stability":
            return f"until the top {stop.top_k} is stable"
        case "confident":
            what = "the best" if stop.strict else f"within {stop.delta:g} logit of the best"
            sure = f"with probability {stop.confidence:g}"
            return f"until the leader is {what} {sure}, by this judge's own noise"
        case "none":
            return "until a limit ends it" if kind in ("elo", "adaptive") else "to the end of its schedule"
