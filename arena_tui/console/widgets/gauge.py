"""A gauge of one line: how much of a limit is spent, reserved for what is under way, and free. Pure."""

from __future__ import annotations

from arena_tui.console.glyphs import Glyphs
from arena_tui.console.status_words import Role

Piece = tuple[str, Role]
"""A text and what it is."""


def gauge(width: int, spent: float, reserved: float, limit: float, glyphs: Glyphs) -> list[Piece]:
    """`width` cells, of which something spent shows at least one and something free too.

    More than the limit fills it all; a limit of 0 is full.
    """
    if width < 1:
        return []
    filled = _cells(width, spent, limit)
    both = max(filled, _cells(width, spent + reserved, limit))
    if reserved > 0 and both == filled and filled < width:
        both += 1
    pieces: list[Piece] = [
        (glyphs.bar * filled, "bar"),
        (glyphs.reserved * (both - filled), "reserved"),
        (glyphs.empty * (width - both), "empty"),
    ]
    return [piece for piece in pieces if piece[0]]


def _cells(width: int, part: float, whole: float) -> int:
    if part <= 0 and whole > 0:
        return 0
    if part >= whole:
        return width
    return max(1, min(width - 1, int(part / whole * width)))
