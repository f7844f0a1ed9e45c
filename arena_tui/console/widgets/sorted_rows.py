"""Rows in columns that sort by any of them, filter by words and keep the cursor on the same item.

The order is made anew when the facts have moved; a long list does so at most once a second and shows
new figures in the rows in sight meanwhile, since sorting 10,000 rows takes longer than drawing 40.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Hashable, Sequence
from operator import itemgetter
from typing import Any, ClassVar, TypeVar

from textual.message import Message

from arena_tui.console.columns import Column
from arena_tui.console.glyphs import Glyphs
from arena_tui.console.widgets.column_rows import ColumnRows

Item = TypeVar("Item")
Look = TypeVar("Look")
Thing = TypeVar("Thing")

REST = 1.0  # seconds between two orders of a long list, ...
SHARE = 30  # ... or this many times what the last one cost


class SortedRows(ColumnRows[Item, Look]):
    """A subclass says what there is, in the list's own order, and how an item is recognised."""

    long: ClassVar[int] = 2_000
    """Rows beyond which the order is not made anew on every pull."""

    class Chosen(Message):
        """Enter or a double click on an item."""

        def __init__(self, item: Any) -> None:
            self.item = item
            super().__init__()

    class Reached(Message):
        """Another item is under the cursor, by a key or because the rows changed. None: there is none."""

        def __init__(self, item: Any) -> None:
            self.item = item
            super().__init__()

        def can_replace(self, message: Message) -> bool:
            """Where a held key has rushed past, only the last one counts."""
            return isinstance(message, SortedRows.Reached)

    class Rearranged(Message):
        """Another sort column, direction or filter."""

    def __init__(
        self,
        columns: Sequence[Column[Item, Look]],
        importance: Sequence[str],
        glyphs: Glyphs,
        *,
        now: Callable[[], float] = time.monotonic,
    ) -> None:
        super().__init__(columns, importance, glyphs)
        self.total = 0
        self.words: tuple[str, ...] = ()
        self._now = now
        self._made: tuple[Hashable, Hashable] | None = None
        self._drawn: Hashable = None
        self._due = 0.0
        self._current: Item | None = None
        self._moved = False
        self._placing = False

    # --- what a subclass says --------------------------------------------------------------------

    def source(self) -> Hashable:
        """Which facts are shown; another source is shown at once."""
        raise NotImplementedError

    def revision(self) -> Hashable:
        """How far they have come."""
        raise NotImplementedError

    def everything(self) -> Sequence[Item]:
        """All items in the list's own order."""
        raise NotImplementedError

    def measure(self, items: Sequence[Item]) -> Look:
        """What the columns need to know of the items that are shown as a whole."""
        raise NotImplementedError

    def identity(self, item: Item) -> Hashable:
        """What stays the same of an item."""
        raise NotImplementedError

    def attached(self, item: Item, to: Item) -> bool:
        """True for an item that stays below another whatever the order."""
        return False

    def attaches(self, items: Sequence[Item]) -> bool:
        """True when any of these is attached to another."""
        return False

    def words_of(self, item: Item) -> str:
        """What the filter looks into, casefolded."""
        raise NotImplementedError

    # --- order -----------------------------------------------------------------------------------

    @property
    def current(self) -> Item | None:
        """The item under the cursor."""
        return self._current

    def pull(self) -> bool:
        """Look again; True when the order was made anew."""
        seen = self.source(), self.revision()
        if seen == self._made:
            return False
        same = self._made is not None and self._made[0] == seen[0]
        if same and self.total > self.long and self._now() < self._due:
            if seen != self._drawn:
                self._drawn = seen
                self.rows_changed()
            return False
        self.reorder()
        return True

    def reorder(self) -> None:
        """Filter and sort anew, and draw what changed."""
        started = time.perf_counter()
        self._made = self._drawn = self.source(), self.revision()
        items = self.everything()
        self.total = len(items)
        self.empty = "nothing holds these words" if self.words and items else type(self).empty
        if self.words:
            items = [item for item in items if self._holds(item)]
        look = self.measure(items)
        self.items = self._ordered(items, look)
        self._placing = True
        try:
            if look != self.look:
                self.look = look
                self.lay_out_again()
            else:
                self.rows_changed()
            self._follow()
        finally:
            self._placing = False
        self._due = self._now() + max(REST, SHARE * (time.perf_counter() - started))

    def sort_by(self, column: Column[Item, Look], *, turned: bool = False) -> None:
        """Another order, at once."""
        self.sorted_by, self.turned = column, turned
        self.reorder()
        self.refresh()
        self.post_message(self.Rearranged())

    def turn(self) -> None:
        """The order the other way round."""
        self.sort_by(self.sorted_by, turned=not self.turned)

    def sort_beside(self, step: int) -> None:
        """Sort by the column `step` places to the right of the one in force; the ends are joined."""
        shown = [place.column for place in self.placed]
        at = shown.index(self.sorted_by) if self.sorted_by in shown else -1
        if shown:
            self.sort_by(shown[(at + step) % len(shown)])

    def filter_by(self, words: str) -> None:
        """Show only items that hold every one of these words."""
        self.words = tuple(words.casefold().split())
        self.reorder()
        self.post_message(self.Rearranged())

    def _holds(self, item: Item) -> bool:
        text = self.words_of(item)
        return all(word in text for word in self.words)

    def _ordered(self, items: Sequence[Item], look: Look) -> list[Item]:
        if not self.attaches(items):
            return self._sorted(items, lambda item: item, look)
        bundles: list[list[Item]] = []
        for item in items:
            if bundles and self.attached(item, bundles[-1][0]):
                bundles[-1].append(item)
            else:
                bundles.append([item])
        return [item for bundle in self._sorted(bundles, lambda each: each[0], look) for item in bundle]

    def _sorted(self, things: Sequence[Thing], head: Callable[[Thing], Item], look: Look) -> list[Thing]:
        """Sorted by their heads; what is unknown comes last, and ties keep the list's own order."""
        key = self.sorted_by.key
        if key is None:
            return list(reversed(things)) if self.descends else list(things)
        known: list[tuple[Any, Thing]] = []
        unknown: list[Thing] = []
        for thing in things:
            value = key(head(thing), look)
            if value is None:
                unknown.append(thing)
            else:
                known.append((value, thing))
        known.sort(key=itemgetter(0), reverse=self.descends)
        return [thing for _, thing in known] + unknown

    # --- cursor ----------------------------------------------------------------------------------

    def _follow(self) -> None:
        """Keep the cursor on its item; one that never left the first row stays there."""
        if self._moved and self._current is not None and self.items:
            wanted = self.identity(self._current)
            at = next((at for at, item in enumerate(self.items) if self.identity(item) == wanted), None)
            self.show_row(self.cursor if at is None else at)
        else:
            self.show_row(0)
        self._reach()

    def watch_cursor(self, before: int, now: int) -> None:
        """The user moved it, or the rows did under it."""
        super().watch_cursor(before, now)
        if not self._placing:
            self._moved = True
            self._reach()

    def _reach(self) -> None:
        item = self.items[self.cursor] if self.cursor < len(self.items) else None
        if item is not self._current:
            self._current = item
            self.post_message(self.Reached(item))

    # --- keys and mouse --------------------------------------------------------------------------

    def chosen(self, index: int) -> None:
        """Enter or a double click."""
        self.post_message(self.Chosen(self.items[index]))

    def header_clicked(self, x: int) -> None:
        """Sort by the column that was clicked; once more: the other way round."""
        for place in reversed(self.placed):
            if x >= place.x:
                self.sort_by(place.column, turned=place.column == self.sorted_by and not self.turned)
                return
