"""The least of an app that our widgets need: how frames are drawn, and what keys are called in the footer."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TypeVar

from rich.console import RenderableType
from rich.segment import Segment
from textual.await_complete import AwaitComplete
from textual.binding import Binding
from textual.color import Color
from textual.dom import DOMNode
from textual.filter import LineFilter

from arena_tui.console.actions import ACTS
from arena_tui.console.key_turns import KeyTurns
from arena_tui.console.keys import key_name, keys_of

Result = TypeVar("Result")
_MARKS = str.maketrans(
    {
        "…": "~",
        "•": "*",
        "×": "x",
        "▌": "|",
        "▐": "|",
        "▎": "|",
        "▏": "|",
        **{chr(code): "#" for code in range(0x2580, 0x25A0) if chr(code) not in "▌▐▎▏"},
        **{chr(code): "+" for code in range(0x2500, 0x2580)},
        **dict.fromkeys("─━═╌┄┈╴╶", "-"),
        **dict.fromkeys("│┃║╎┆┊╵╷", "|"),
    }
)


class AsciiMarks(LineFilter):
    """Draws with signs of ASCII what Textual's widgets and the cuts of long texts draw beyond it."""

    def apply(self, segments: list[Segment], background: Color) -> list[Segment]:
        """The same line in ASCII, but for words in other scripts."""
        return [
            segment if segment.text.isascii() else Segment(segment.text.translate(_MARKS), segment.style)
            for segment in segments
        ]


class FramedApp(KeyTurns[Result]):
    """`plain_ascii` draws everything but words with signs of ASCII; set it before the app runs."""

    plain_ascii = False
    keymap_words: Mapping[str, str] = {}
    """The keys that a person has changed, by the ids of their acts."""

    def keys_for(self, id_: str) -> str:
        """The first key of an act as a person types it."""
        act = next(act for act in ACTS if act.id == id_)
        return keys_of(act, self.keymap_words).split(" ")[0]

    def pop_screen(self) -> AwaitComplete:
        """Leave a screen; what it was still looking up ends before its widgets do, not after them."""
        left = self.screen
        leaving = super().pop_screen()
        self._end_work_below(left)
        return leaving

    def exit(
        self, result: Result | None = None, return_code: int = 0, message: RenderableType | None = None
    ) -> None:
        """Leave the app; what screens were still looking up ends first, the app's own work does not."""
        super().exit(result, return_code, message)
        self._end_work_below(self)

    def _end_work_below(self, top: DOMNode) -> None:
        for worker in list(self.workers):
            if worker.node is not self and top in worker.node.ancestors_with_self:
                worker.cancel()

    def get_theme_variable_defaults(self) -> dict[str, str]:
        """`$frame` is the border of everything that has one."""
        return {"frame": "ascii" if self.plain_ascii else "round"}

    def get_line_filters(self) -> Sequence[LineFilter]:
        """What every drawn line goes through."""
        filters = super().get_line_filters()
        return [*filters, AsciiMarks()] if self.plain_ascii else filters

    def get_key_display(self, binding: Binding) -> str:
        """The key as a person types it."""
        return key_name(binding.key.partition(",")[0])
