"""How the status pane lays out words: lines of pieces, labels, breaks between words. Pure."""

from __future__ import annotations

from rich.cells import cell_len

from arena_tui.console.status_words import Role
from arena_tui.console.widgets.gauge import Piece
from arena_tui.console.widgets.plain import safe_line

Line = list[Piece]
LABEL = 9  # cells of the words in front


def labelled(label: str, text: str, role: Role, width: int, most: int) -> list[Line]:
    """A text behind its label, on at most `most` lines; nothing for no text."""
    if not text:
        return []
    lead = max(LABEL, cell_len(label) + 1)
    parts = fold(text, width - lead, most)
    lines: list[Line] = []
    for place, part in enumerate(parts):
        head = label + " " * (lead - cell_len(label)) if place == 0 else " " * lead
        lines.append([(head, "dim"), (part, role)])
    return lines


def fold(text: str, width: int, most: int) -> list[str]:
    """A text of one line on at most `most` lines of `width` cells, broken between words; the last is cut."""
    lines: list[str] = []
    rest = text
    while rest and len(lines) < most - 1 and cell_len(rest) > width:
        line = ""
        for word in rest.split(" "):
            longer = f"{line} {word}" if line else word
            if cell_len(longer) > width:
                break
            line = longer
        if not line:
            break
        lines.append(line)
        rest = rest[len(line) :].lstrip(" ")
    return [*lines, safe_line(rest, width)] if rest else lines
