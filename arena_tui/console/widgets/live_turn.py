"""A turn that is being held: what its speaker has said so far, as plain wrapped rows.

Whatever is new goes through a `Cleaner` of the stream and is broken into rows behind what stands; only the
last row is ever broken again. A pull costs what is new in the stream.
"""

from __future__ import annotations

from collections.abc import Sequence

from arena_tui.console.lines import Block, rows_of
from arena_tui.console.speech import tabless
from arena_tui.console.widgets.sections import Row, Section
from arena_tui.safetext import Cleaner


class LiveTurn(Section):
    """Implements `Section` over `source`, of which `str(source)` grows; the header comes before it.

    `live` is the sign that more is to come. Once `ended` it stays on the screen as it is until the stored
    turn is there.
    """

    def __init__(self, header: Sequence[Block], source: object, live: str) -> None:
        super().__init__(header)
        self.source = source
        self.ended = False
        self._header = list(header)
        self._live = live
        self._cleaner = Cleaner()
        self._taken = 0  # characters of the source that were read
        self._text: list[str] = []  # what they came to, cleaned
        self._tail = ""  # of that, the row that is not full yet

    @property
    def said(self) -> str:
        """All that was said so far, cleaned."""
        return "".join(self._text)

    def take(self) -> bool:
        """Read what is new; False when there is nothing."""
        whole = str(self.source)
        if len(whole) <= self._taken:
            return False
        new = tabless(self._cleaner.feed(whole[self._taken :]))
        self._taken = len(whole)
        self._text.append(new)
        if self.width:
            self._add(new)
        return True

    def end(self) -> None:
        """Nothing more is to come."""
        self.ended = True
        if self.rows:
            self._show_tail()

    def fit(self, width: int) -> None:
        """Break everything anew for another width; what came since is broken by `take`."""
        if self.width == width:
            return
        self.blocks = list(self._header)
        super().fit(width)
        self._tail = ""
        self.rows.append(Row(Block(""), 0, 0, ""))
        self._add(self.said)

    def _add(self, new: str) -> None:
        """Put text behind the last row, which is not full."""
        lines = tabless(self._tail + new).split("\n")
        del self.rows[-1]
        for line in lines:
            broken = rows_of(line, self.width - 1)  # which leaves room for the sign
            self.rows.extend(_row(line[start:end]) for start, end in broken)
            self._tail = line[broken[-1][0] :]  # with the blanks at its end: more may come
        self._show_tail()

    def _show_tail(self) -> None:
        self.rows[-1] = _row(self._tail.rstrip(" "), "" if self.ended else self._live)


def _row(text: str, sign: str = "") -> Row:
    end = len(text) + len(sign)
    return Row(Block(text + sign, ((len(text), end, "judge"),) if sign else ()), 0, end, "")
