"""How far a group is from the rule `confident`, in words; and the same from a fit made here. Pure."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from arena_tui.console.ledger import GroupBoard
from arena_tui.engine.confident import RUNNING, Sureness
from arena_tui.engine.state import GroupState, Terms

CLOSE = 0.005  # two probabilities nearer than this are told with three decimals


@dataclass(frozen=True, slots=True)
class Certainty:
    """What is known of a group's classes; `counted`: the looks that agreed are known too."""

    classes: Sequence[Sureness]
    counted: bool

    @property
    def furthest(self) -> Sureness:
        """The class that keeps the group from its end."""
        return max(self.classes, key=lambda each: (how_far(each), -each.probability))


def certainty(group: GroupState, board: GroupBoard | None) -> Certainty | None:
    """The engine's last look where it runs here, else what the newest fit says; None without either."""
    if group.sureness:
        return Certainty(group.sureness, True)
    if group.terms is None or board is None or board.fit is None or not board.fit.fronts:
        return None
    return Certainty(_of_fit(board, group.terms), False)


def _of_fit(board: GroupBoard, terms: Terms) -> list[Sureness]:
    fronts = () if board.fit is None else board.fit.fronts
    return [
        Sureness(
            leader=board.by_id[each.leader].index,
            runner_up=board.by_id[each.runner_up].index,
            probability=each.p_best if terms.within is None else each.p_near,
            p_best=each.p_best,
            p_runner_up=each.p_runner_up,
            connected=each.connected,
            comparisons=each.comparisons,
            wanted=terms.each * each.playing,
            looks=0,
            needed=terms.needed,
            within=terms.within,
        )
        for each in fronts
    ]


def how_far(sure: Sureness) -> tuple[int, bool, float]:
    """A key that orders classes, and groups, by how far they are from the rule."""
    return (
        max(0, sure.wanted - sure.comparisons),
        not sure.connected,
        max(0.0, sure.needed - sure.probability),
    )


def sure_words(sure: Sureness, named: Callable[[int], str], *, counted: bool) -> list[str]:
    """What the rule asks for and what there is of it; `named` names an entrant by its index."""
    what = "P(leader is the best)" if sure.within is None else f"P(leader within {sure.within:g})"
    close = abs(sure.probability - sure.needed) < CLOSE
    parts = [f"{what} {_share(sure.probability, exactly=close)} of {_share(sure.needed, exactly=close)}"]
    if sure.runner_up != sure.leader:
        best = f"P(best) {_share(sure.p_best)}, " if sure.within is not None else ""
        parts.append(f"{best}runner-up {named(sure.runner_up)} {_share(sure.p_runner_up)}")
    parts.append(f"comparisons {sure.comparisons:,}, needs {sure.wanted:,}")
    parts.append("connected" if sure.connected else "not all connected")
    if counted:
        parts.append(f"{min(sure.looks, RUNNING)} of {RUNNING} fits agree")
    return parts


def _share(probability: float, *, exactly: bool = False) -> str:
    return f"{probability:.{3 if exactly else 2}f}".removeprefix("0")
