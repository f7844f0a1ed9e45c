"""Two texts next to each other, each in a paper of its own, on request with the words marked that differ."""

from __future__ import annotations

from collections.abc import Sequence

from textual.app import ComposeResult
from textual.containers import Container

from arena_tui.console.glyphs import Glyphs
from arena_tui.console.lines import BLANK, Block, Span
from arena_tui.console.speech import blocks_of, plain_blocks, whole
from arena_tui.console.widgets.paper import Paper
from arena_tui.console.widgets.sections import Section
from arena_tui.console.worddiff import Range


class SideBySide(Container):
    """The texts are `first` and `second`; a screen says by the class `stacked` that there is little width."""

    DEFAULT_CSS = """
    SideBySide {
        layout: horizontal;
        height: 1fr;
        & > Paper {
            width: 1fr; height: 100%; border: $frame $panel;
            border-title-color: $text-muted; border-subtitle-color: $text-muted;
            &:focus { border: $frame $primary; border-title-color: $text; border-title-style: bold; }
        }
        &.stacked { layout: vertical; }
        &.stacked > Paper { width: 100%; height: 1fr; }
    }
    """

    def __init__(self, *, id: str | None = None) -> None:
        super().__init__(id=id)
        self.first = Paper(classes="part")
        self.second = Paper(classes="part")

    def compose(self) -> ComposeResult:
        """Both papers."""
        yield self.first
        yield self.second


def text_sections(text: str, review: str | None, glyphs: Glyphs) -> list[Section]:
    """A text from outside as it is (it may be code, so nothing is rendered), and a review of it under a line
    that says so."""
    cleaned = whole(text)
    sections = [Section(plain_blocks(cleaned.strip("\n")), cleaned)]
    if review and review.strip():
        told = whole(review)
        head = [BLANK, Block(glyphs.line, style="dim", rule=True), Block("Review", style="dim")]
        sections.append(Section([*head, *blocks_of(told, glyphs)], told))
    return sections


def marked_sections(cleaned: str, ranges: Sequence[Range]) -> list[Section]:
    """A cleaned text as it stands, with parts of it marked."""
    blocks: list[Block] = []
    at = number = 0
    for block in plain_blocks(cleaned):
        end = at + len(block.plain)
        while number < len(ranges) and ranges[number][1] <= at:
            number += 1
        spans: list[Span] = []
        for start, stop in ranges[number:]:
            if start >= end:
                break
            spans.append((max(start, at) - at, min(stop, end) - at, "only"))
        blocks.append(block._replace(spans=tuple(spans)))
        at = end + 1
    return [Section(blocks, cleaned)]
