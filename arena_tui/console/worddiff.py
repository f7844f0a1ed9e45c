"""Where two texts differ, word by word; by sentences and lines where they are too long for that. Pure.

Lines that both share are found first, and words are compared only inside what is left, so that the time stays
bounded: two texts of 64 KB that have nothing in common take some tens of milliseconds.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher

Range = tuple[int, int]

WORD_PAIRS = 90_000
"""Words of the one times words of the other that are compared word by word in one piece."""
MOST_PIECES = 4_000
"""Lines or sentences of a text beyond which only its start and its end are compared."""
MOSTLY = 0.7
"""Share of the words that differ from which on a text counts as rewritten."""
WORD = re.compile(r"\d+(?:[.,'’:/]\d+)*\w*%?|\w+|[^\w\s]")
"""A word: letters, a number with its separators and its unit ("1,000", "3.5kg", "12%"), or a sign."""
_PIECE = re.compile(r"(?:[^\n.!?]+|[.!?](?=\d))*+(?:[.!?]+[ \t]*|\n+)|(?:[^\n.!?]+|[.!?](?=\d))++$")


@dataclass(frozen=True, slots=True)
class Difference:
    """The parts of each text that the other does not have, as (start, end) in characters, in order.

    `coarse` tells that some parts were compared by whole lines and sentences.
    """

    first: tuple[Range, ...]
    second: tuple[Range, ...]
    coarse: bool = False


def difference(first: str, second: str) -> Difference:
    """What differs; equal texts have no parts."""
    if first == second:
        return Difference((), ())
    only: tuple[list[Range], list[Range]] = ([], [])
    coarse = False
    for left, right in _unequal_pieces(first, second):
        words = [_tokens(text, span) for text, span in ((first, left), (second, right))]
        if len(words[0]) * len(words[1]) <= WORD_PAIRS:
            for side, ranges in enumerate(_unequal(first, second, *words)):
                only[side].extend(ranges)
        else:
            coarse = True
            for side, span in enumerate((left, right)):
                only[side].extend(_by_line(span, words[side]))
    return Difference(tuple(_joined(first, only[0])), tuple(_joined(second, only[1])), coarse)


def share(first: str, second: str, found: Difference) -> float:
    """How many of the words of both texts differ, from 0 to 1; 0 where there are none."""
    total = unlike = 0
    for text, ranges in ((first, found.first), (second, found.second)):
        total += sum(1 for _ in WORD.finditer(text))
        unlike += sum(1 for start, end in ranges for _ in WORD.finditer(text, start, end))
    return unlike / total if total else 0.0


def _unequal_pieces(first: str, second: str) -> Iterator[tuple[Range, Range]]:
    """The parts that are left when lines and sentences both have are taken out."""
    pieces = [[found.span() for found in _PIECE.finditer(text)] for text in (first, second)]
    if sum(len(WORD.findall(text[:20_000])) for text in (first, second)) ** 2 // 4 <= WORD_PAIRS:
        yield (0, len(first)), (0, len(second))
        return
    if max(map(len, pieces)) > MOST_PIECES:
        yield _middle(first, second)
        return
    keys = [
        [text[slice(*span)].strip() for span in spans]
        for text, spans in zip((first, second), pieces, strict=True)
    ]
    matcher = SequenceMatcher(None, keys[0], keys[1], autojunk=True)
    for tag, a, b, c, d in matcher.get_opcodes():
        if tag != "equal":
            yield _span(pieces[0], a, b, len(first)), _span(pieces[1], c, d, len(second))


def _span(pieces: Sequence[Range], start: int, end: int, length: int) -> Range:
    left = pieces[start][0] if start < len(pieces) else length
    return left, pieces[end - 1][1] if end > start else left


def _middle(first: str, second: str) -> tuple[Range, Range]:
    """What is left of both when the start and the end they share are taken away."""
    shorter = min(len(first), len(second))
    start = next((at for at in range(shorter) if first[at] != second[at]), shorter)
    while start and not first[start - 1].isspace():
        start -= 1  # no word is cut
    rest = shorter - start
    end = next((at for at in range(rest) if first[-1 - at] != second[-1 - at]), rest)
    while end and not first[-end].isspace():
        end -= 1
    return (start, len(first) - end), (start, len(second) - end)


def _tokens(text: str, span: Range) -> list[Range]:
    return [found.span() for found in WORD.finditer(text, *span)]


def _unequal(
    first: str, second: str, ours: Sequence[Range], theirs: Sequence[Range]
) -> tuple[list[Range], list[Range]]:
    words = [first[slice(*span)] for span in ours], [second[slice(*span)] for span in theirs]
    matcher = SequenceMatcher(None, *words, autojunk=False)
    only: tuple[list[Range], list[Range]] = ([], [])
    for tag, a, b, c, d in matcher.get_opcodes():
        if tag != "equal":
            only[0].extend(ours[a:b])
            only[1].extend(theirs[c:d])
    return only


def _by_line(span: Range, words: Sequence[Range]) -> list[Range]:
    return [(words[0][0], words[-1][1])] if words else []


def _joined(text: str, ranges: Sequence[Range]) -> Iterator[Range]:
    """Words next to each other, with nothing but blanks between, as one part."""
    last: Range | None = None
    for start, end in ranges:
        if last is not None and not text[last[1] : start].strip(" \t"):
            last = last[0], end
            continue
        if last is not None:
            yield last
        last = start, end
    if last is not None:
        yield last
