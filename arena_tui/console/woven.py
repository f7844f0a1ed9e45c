"""Two texts as one: the later text with what the earlier one had in its place. Pure, over `worddiff`."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal

from arena_tui.console.worddiff import WORD, Difference, Range, difference

Piece = tuple[Literal["same", "added", "removed"], str]


def weave(before: str, after: str, unlike: Difference | None = None) -> list[Piece]:
    """`after` in pieces, with pieces of `before` that it lacks where they stood; `added` and `same` pieces
    joined are `after`, character for character. `unlike` is where they differ, if that is known.
    """
    unlike = difference(before, after) if unlike is None else unlike
    stood = _kept_before(before, unlike.first)
    kept = _kept(after, unlike.second)
    cuts: list[tuple[int, int, Piece, int]] = []  # where in `after`, order there, the piece, where it ends
    for (start, end), count in zip(unlike.first, stood, strict=True):
        at = kept[min(count, len(kept)) - 1][1] if count and kept else 0
        cuts.append((at, 0, ("removed", before[start:end]), at))
    cuts += [(start, 1, ("added", after[start:end]), end) for start, end in unlike.second]
    cuts.sort(key=lambda cut: cut[:2])
    pieces: list[Piece] = []
    reached = 0
    for at, _, piece, end in cuts:
        if at > reached:
            pieces.append(("same", after[reached:at]))
            reached = at
        pieces.append(piece)
        reached = max(reached, end)
    if reached < len(after):
        pieces.append(("same", after[reached:]))
    return pieces


def _kept(text: str, only: Sequence[Range]) -> list[Range]:
    """The words outside of the ranges."""
    kept: list[Range] = []
    at = 0
    for found in WORD.finditer(text):
        while at < len(only) and only[at][1] <= found.start():
            at += 1
        if at == len(only) or found.end() <= only[at][0]:
            kept.append(found.span())
    return kept


def _kept_before(text: str, only: Sequence[Range]) -> list[int]:
    """How many words outside of the ranges stand before each of them."""
    counts: list[int] = []
    kept = _kept(text, only)
    at = 0
    for start, _ in only:
        while at < len(kept) and kept[at][1] <= start:
            at += 1
        counts.append(at)
    return counts
