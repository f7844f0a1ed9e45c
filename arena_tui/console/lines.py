"""Paragraphs as data, and where they break into rows: what `widgets.paper` draws. Pure.

Breaking is greedy and needs nothing behind a row, so a text that grows has only its last row broken anew.
"""

from __future__ import annotations

from typing import NamedTuple

from rich.cells import get_character_cell_size

Span = tuple[int, int, str]
"""Start, end and the style name of a piece of a paragraph."""


class Block(NamedTuple):
    """One paragraph without line ends, cleaned. `first` goes before its first row, `rest` before the others.

    `style` is that of the whole paragraph, `lead` that of the prefixes. A `rule` fills its row with the text.
    """

    plain: str
    spans: tuple[Span, ...] = ()
    first: str = ""
    rest: str = ""
    style: str = ""
    lead: str = ""
    rule: bool = False


BLANK = Block("")


def rows_of(text: str, width: int) -> list[tuple[int, int]]:
    """Start and end of each row of a paragraph of at most `width` cells, without the blanks at its end; one
    empty row for an empty text."""
    width = max(1, width)
    if len(text) <= width and text.isascii():
        return [(0, len(text))]
    return _ascii_rows(text, width) if text.isascii() else _wide_rows(text, width)


def _ascii_rows(text: str, width: int) -> list[tuple[int, int]]:
    rows: list[tuple[int, int]] = []
    at, end = 0, len(text.rstrip(" "))
    while end - at > width:
        cut = text.rfind(" ", at + 1, at + width + 1)
        if cut < 0:
            rows.append((at, at + width))
            at += width
        else:
            rows.append((at, cut))
            at = cut + 1
    rows.append((at, end))
    return rows


def _wide_rows(text: str, width: int) -> list[tuple[int, int]]:
    rows: list[tuple[int, int]] = []
    at, end = 0, len(text.rstrip(" "))
    while True:
        used, space, stop = 0, -1, at
        while stop < end:
            char = text[stop]
            cells = 1 if char < "\u0300" or char == "\ufe0f" else get_character_cell_size(char)
            if used + cells > width:
                break
            if char == " " and stop > at:
                space = stop
            used += cells
            stop += 1
        else:
            rows.append((at, end))
            return rows
        if text[stop] == " " and stop > at:
            space = stop
        cut = space if space > 0 else max(stop, at + 1)
        rows.append((at, cut))
        at = cut + 1 if space > 0 else cut
