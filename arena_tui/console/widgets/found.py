"""Where the words that somebody looks for stand in the sections of a `Paper`. Knows no widget."""

from __future__ import annotations

import re
from collections.abc import Sequence

from arena_tui.console.lines import Block, Span
from arena_tui.console.widgets.sections import Section


class Found:
    """`places` are the blocks and the offsets in them; `now` is the one that was jumped to, -1 for none."""

    def __init__(self) -> None:
        self.words = ""
        self.places: list[tuple[Block, int]] = []
        self.now = -1
        self._spans: dict[int, list[Span]] = {}

    def look_for(self, words: str, sections: Sequence[Section]) -> None:
        """Look for other words."""
        self.words, self.now = words, -1
        self.again(sections)

    def again(self, sections: Sequence[Section]) -> None:
        """Look for the same words in other sections."""
        self.places, self._spans = [], {}
        if not self.words:
            return
        wanted = re.compile(re.escape(self.words), re.IGNORECASE)
        for section in sections:
            for block in section.blocks:
                for found in wanted.finditer(block.plain):
                    style = "hit-now" if len(self.places) == self.now else "hit"
                    self._spans.setdefault(id(block), []).append((found.start(), found.end(), style))
                    self.places.append((block, found.start()))

    def spans_in(self, block: Block) -> Sequence[Span]:
        """The places in a block, with their styles."""
        return self._spans.get(id(block), ())

    def next_row(self, sections: Sequence[Section]) -> int | None:
        """Go to the next place, from the last to the first: its row, counted from the top; None when there
        is no place."""
        if not self.places:
            return None
        self.now = (self.now + 1) % len(self.places)
        block, start = self.places[self.now]
        self.again(sections)
        number = 0
        for section in sections:
            for row in section.rows:
                if row.block is block and row.start <= start <= row.end:
                    return number
                number += 1
        return None
