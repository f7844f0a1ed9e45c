"""What a `Paper` shows: sections of blocks, broken into rows once a width."""

from __future__ import annotations

from collections.abc import Sequence

from textual.strip import Strip

from arena_tui.console.lines import Block, rows_of


class Row:
    """A row of a block on the screen, with its picture once it was drawn."""

    __slots__ = ("block", "drawn", "end", "prefix", "start")

    def __init__(self, block: Block, start: int, end: int, prefix: str) -> None:
        self.block = block
        self.start = start
        self.end = end
        self.prefix = prefix
        self.drawn: tuple[int, Strip] | None = None

    @property
    def text(self) -> str:
        """What it shows."""
        return self.prefix + self.block.plain[self.start : self.end]


class Section:
    """Some blocks that belong together. `copy` is what copying it gives: cleaned text."""

    def __init__(self, blocks: Sequence[Block], copy: str = "") -> None:
        self.blocks = list(blocks)
        self.copy = copy
        self.rows: list[Row] = []
        self.width = 0

    def fit(self, width: int) -> None:
        """Break the blocks into rows of a width; nothing when they are."""
        if self.width != width:
            self.width = width
            self.rows = [row for block in self.blocks for row in broken(block, width)]


def broken(block: Block, width: int) -> list[Row]:
    """The rows of a block at a width."""
    if block.rule:
        return [Row(Block(block.plain * width, style=block.style), 0, width, "")]
    room = max(8, width - len(block.first))
    return [
        Row(block, start, end, block.rest if number else block.first)
        for number, (start, end) in enumerate(rows_of(block.plain, room))
    ]
