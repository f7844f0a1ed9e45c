"""From what was said of one or both orders of a pair to what the match says. Pure.

The engine calls `combine` with the verdicts of a match; a draw of two contradicting orders and a
void match keep apart here, since only the first is evidence.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from arena_tui.judging.base import Verdict
from arena_tui.vocabulary import Mode, Orientation, Winner

ONE_UNREADABLE = "one order unreadable"
_ORDERS: tuple[Orientation, ...] = ("ab", "ba")  # the order in which reasons and flags are told


@dataclass(frozen=True, slots=True)
class Combined:
    """What a match says.

    `p_a` is the mean probability that a is better over the orders that gave one. `reason` says why a
    void match is void, `rationale` holds the judge's words on both orders. `order_consistent` is None
    unless both orders could be read: then it says whether they agreed.
    """

    winner: Winner
    p_a: float | None
    reason: str
    flags: tuple[str, ...]
    order_consistent: bool | None
    rationale: str


def combine(verdicts: Mapping[Orientation, Verdict], mode: Mode = "pairwise") -> Combined:
    """What the verdicts of one or both orders (`ab`: a was shown first) say of the match.

    Both orders: the same side twice is that side, anything else a draw. Scores (`mode`) are measurements
    of one quantity instead: their mean probability decides, which is a draw only at exactly 1/2. Where
    only one order can be read it counts alone, flagged; where none can, the match is void. ValueError when
    nothing was judged.
    """
    judged = [(order, verdicts[order]) for order in _ORDERS if order in verdicts]
    if not judged:
        raise ValueError("a match without a verdict says nothing")
    readable = [(order, verdict) for order, verdict in judged if verdict.winner != "invalid"]
    flags = list(dict.fromkeys(flag for _, verdict in judged for flag in verdict.flags))
    rationale = _told(judged)
    if not readable:
        return Combined("void", None, _why_void(judged), tuple(flags), None, rationale)
    sides = [_side(order, verdict) for order, verdict in readable]
    consistent = sides[0] == sides[1] if len(sides) == 2 else None
    if len(readable) < len(judged):
        flags.append(ONE_UNREADABLE)
    p_a = _mean_p_a(readable)
    winner = "draw" if consistent is False else sides[0]
    if mode == "score" and consistent is not None and p_a is not None:
        winner = "a" if p_a > 0.5 else "b" if p_a < 0.5 else "draw"
    return Combined(
        winner=winner,
        p_a=p_a,
        reason="",
        flags=tuple(flags),
        order_consistent=consistent,
        rationale=rationale,
    )


def _side(order: Orientation, verdict: Verdict) -> Winner:
    """Whom a readable verdict names: first and second become a and b."""
    if verdict.winner == "draw":
        return "draw"
    return "a" if (verdict.winner == "first") == (order == "ab") else "b"


def _mean_p_a(readable: list[tuple[Orientation, Verdict]]) -> float | None:
    """The mean over the orders that gave a probability, turned so that it speaks of a."""
    given = [
        verdict.p_first if order == "ab" else 1.0 - verdict.p_first
        for order, verdict in readable
        if verdict.p_first is not None
    ]
    return sum(given) / len(given) if given else None


def _why_void(judged: list[tuple[Orientation, Verdict]]) -> str:
    """The reasons of the unreadable orders, each once."""
    reasons = dict.fromkeys(verdict.reason or "no usable verdict" for _, verdict in judged)
    return "; ".join(reasons)


def _told(judged: list[tuple[Orientation, Verdict]]) -> str:
    """The judge's words; with two orders each part is headed by who was shown first."""
    if len(judged) == 1:
        return judged[0][1].reason
    return "\n\n".join(
        f"[{order[0]} shown first] {verdict.reason}" for order, verdict in judged if verdict.reason
    )
