"""The lines above a match: who meets whom in which slots, and what is known of the meeting."""

from __future__ import annotations

from collections.abc import Sequence

from rich.text import Text

from arena_tui.console.ledger import Ledger
from arena_tui.console.widgets.plain import safe_line
from arena_tui.console.widgets.turns import Names
from arena_tui.store.match_rows import MatchRecord
from arena_tui.vocabulary import Mode, Orientation

WHY = {
    "information": "chosen as the pair whose verdict teaches most",
    "opening": "an opening match, so that everybody is compared early",
    "focus": "somebody asked that one of them play next",
    "asked": "somebody asked for this match",
}
"""a format's one-word reason for a match -> what it means; other reasons are told as they are."""


def match_number(ledger: Ledger, group: str, seq: int) -> str:
    """What a match is called: its number in its group, with the group where there are several."""
    return f"match {seq}" if not ledger.several else f"match {safe_line(group, 40)}:{seq}"


def slots(orders: Sequence[Orientation]) -> tuple[int, int]:
    """The slots of a and of b in the first comparison."""
    return (1, 2) if not orders or orders[0] == "ab" else (2, 1)


def place_words(ledger: Ledger, record: MatchRecord | None) -> str:
    """The group whose texts were shown, with its prompt, where systems meet; not cleaned."""
    if record is None or record.at is None:
        return ""
    board = ledger.groups.get(record.at)
    prompt = "" if board is None or board.prompt is None else board.prompt.strip()
    return f"texts of group {record.at}" + (f": {prompt}" if prompt else "")


def match_head(
    names: Names, number: str, mode: Mode | None, record: MatchRecord | None, place: str = ""
) -> Text:
    """Two lines, and one for the `place` where systems meet; what is not known (yet) is left out."""
    text = Text()
    if names.a:
        sides = sorted(zip(slots(() if record is None else record.orders), (names.a, names.b), strict=True))
        for slot, title in sides:
            text.append("" if slot == 1 else "  vs  ")
            text.append(f"{slot} {title}", "bold")
        text.append("\n")
    words = [number]
    if mode is not None:
        words.append(mode)
    if record is not None:
        words.append("both orders" if len(record.orders) > 1 else "one order")
        words += [] if record.round is None else [f"round {record.round}"]
        words += [WHY.get(record.why, safe_line(record.why, 200))] if record.why.strip() else []
    text.append(", ".join(words), "dim")
    if place:
        text.append(f"\n{safe_line(place, 400)}", "dim")
    return text
