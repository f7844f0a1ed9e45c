"""A match that is judged while earlier ones are missing: what its verdicts say, and that it waits."""

from __future__ import annotations

from arena_tui.console.widgets.turns import Names
from arena_tui.store.match_rows import MatchRecord, SaidRecord

HELD = "held until an earlier match is decided"


def held_words(record: MatchRecord, names: Names) -> str:
    """In one line: "judged: Alpha is better; held until an earlier match is decided"."""
    return f"judged: {_opinion(record, names)}; {HELD}"


def _opinion(record: MatchRecord, names: Names) -> str:
    """What the outcome will be: both orders have to agree, scores are averaged, an order without a verdict
    leaves it to the other."""
    read = [said for said in record.said if said.verdict != "invalid"]
    if not read:
        return "no usable verdict"
    chances = [_chance_of_a(said) for said in read]
    sides = {_side(said) for said in read}
    side = sides.pop() if len(sides) == 1 else "draw"
    if record.mode == "score" and len(read) > 1 and all(chance is not None for chance in chances):
        mean = sum(chance or 0.0 for chance in chances) / len(chances)
        side = "a" if mean > 0.5 else "b" if mean < 0.5 else "draw"
    if side != "draw":
        return f"{names.a if side == 'a' else names.b} is better"
    return "a draw, as the two orders do not agree" if sides else "a draw"


def _side(said: SaidRecord) -> str:
    if said.verdict == "draw":
        return "draw"
    return "a" if (said.verdict == "first") == (said.orientation == "ab") else "b"


def _chance_of_a(said: SaidRecord) -> float | None:
    if said.p_first is None or said.orientation == "ab":
        return said.p_first
    return 1.0 - said.p_first
