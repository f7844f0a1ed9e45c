"""The list of all runs, newest first, and that of the bundled examples."""

from __future__ import annotations

import time
from collections.abc import Callable, Hashable, Sequence
from pathlib import Path
from typing import ClassVar

from rich.text import Text
from textual.message import Message

from arena_tui.amounts import age
from arena_tui.console.glyphs import Glyphs
from arena_tui.console.ports import RunCard
from arena_tui.console.run_columns import COLUMNS, IMPORTANCE, Look, look_of
from arena_tui.console.widgets.plain import safe_line
from arena_tui.console.widgets.rows import Rows
from arena_tui.console.widgets.sorted_rows import SortedRows


class RunRows(SortedRows[RunCard, Look]):
    """Runs in columns. `now` is in seconds since the epoch; `marked` the id of the run to compare with."""

    DEFAULT_CSS = """
    RunRows {
        & > .runs--good { color: $text-success; text-style: bold; }
        & > .runs--warn { color: $text-warning; text-style: bold; }
        & > .runs--bad { color: $text-error; text-style: bold; }
        & > .runs--live { color: $text-primary; text-style: bold; }
        & > .runs--bar { color: $primary; }
        & > .runs--dim { color: $text-muted; }
    }
    """
    COMPONENT_CLASSES: ClassVar[set[str]] = {
        "runs--good",
        "runs--warn",
        "runs--bad",
        "runs--live",
        "runs--bar",
        "runs--dim",
    }
    empty = "no runs"

    def __init__(self, glyphs: Glyphs, *, now: Callable[[], float] = time.time) -> None:
        super().__init__(COLUMNS, IMPORTANCE, glyphs)
        self.cards: tuple[RunCard, ...] = ()
        self.marked: str | None = None
        self._clock = now

    def source(self) -> Hashable:
        """There is one list of runs."""
        return None

    def revision(self) -> Hashable:
        """What was read last, and what the clock and the mark change of it."""
        now = self._clock()
        return self.cards, self.marked, tuple(age(card.created_at, now) for card in self.cards)

    def everything(self) -> Sequence[RunCard]:
        """The runs as they were read."""
        return self.cards

    def measure(self, items: Sequence[RunCard]) -> Look:
        """The widest cells, and the clock by the minute."""
        return look_of(items, self.glyphs, self._clock() // 1, self.marked)

    def identity(self, item: RunCard) -> Hashable:
        """A run is its database."""
        return item.db

    def words_of(self, item: RunCard) -> str:
        """All that a person may remember of it."""
        words = (
            item.name,
            item.run,
            item.format,
            item.status,
            item.stop_reason or "",
            item.leader,
            item.source,
        )
        return safe_line(" ".join(words)).casefold()

    def depends(self, item: RunCard) -> Hashable:
        """The card itself, its age and the mark."""
        apart = "" if self.look is None else self.look.apart.get(item.run, "")
        return item, age(item.created_at, self._clock()), item.run == self.marked, apart


class ExampleRows(Rows):
    """Tournament files that come with arena: what each shows, and where it is."""

    DEFAULT_CSS = """
    ExampleRows {
        height: auto; max-height: 12;
        & > .examples--path { color: $text-muted; }
    }
    """
    COMPONENT_CLASSES: ClassVar[set[str]] = {"examples--path"}
    empty = "no examples are installed"

    class Chosen(Message):
        """An example, by its file."""

        def __init__(self, file: Path) -> None:
            self.file = file
            super().__init__()

    def __init__(self, *, id: str | None = None) -> None:
        super().__init__(id=id)
        self.examples: tuple[tuple[str, Path], ...] = ()

    def fill(self, examples: Sequence[tuple[str, Path]]) -> None:
        """Show these."""
        self.examples = tuple(examples)
        self.styles.height = max(2, len(self.examples) + 1)
        self.redraw()

    def count(self) -> int:
        """How many examples there are."""
        return len(self.examples)

    def signature(self, index: int) -> Hashable:
        """What it shows and its path."""
        return self.examples[index]

    def header(self, width: int) -> Text:
        """The heading."""
        return Text(" examples that come with arena")

    def draw(self, index: int, width: int) -> Text:
        """File name and what it shows."""
        what, file = self.examples[index]
        row = Text(f" {safe_line(file.name, 22):<22} ", end="")
        row.append(safe_line(what, max(1, width - 25)), self.ink("examples--path"))
        return row

    def chosen(self, index: int) -> None:
        """Enter or a double click."""
        self.post_message(self.Chosen(self.examples[index][1]))
