"""The list of a run's groups: where each stands, who leads it, how far it is."""

from __future__ import annotations

import time
from collections.abc import Callable, Hashable, Sequence
from dataclasses import dataclass
from typing import ClassVar

from textual.message import Message

from arena_tui.console.actions import bindings
from arena_tui.console.ledger import GroupBoard, Ledger
from arena_tui.console.view import RunView
from arena_tui.console.widgets.group_columns import (
    GROUP_COLUMNS,
    IMPORTANCE,
    REASONS,
    GroupLook,
    GroupRow,
    measure_groups,
)
from arena_tui.console.widgets.list_pane import ListPane
from arena_tui.console.widgets.plain import safe_line
from arena_tui.console.widgets.sorted_rows import SortedRows

TEXT_CELLS = 300  # of a prompt or a title that are kept


class GroupRows(SortedRows[GroupRow, GroupLook]):
    """The groups of a view in columns."""

    DEFAULT_CSS = """
    GroupRows {
        & > .groups--muted { color: $text-muted; }
        & > .groups--open { color: $text-success; }
        & > .groups--skipped { color: $text-warning; }
    }
    """
    COMPONENT_CLASSES: ClassVar[set[str]] = {"groups--muted", "groups--open", "groups--skipped"}
    empty = "no groups yet"
    long = 100  # a row asks every class of its group who leads

    def __init__(self, view: RunView, *, now: Callable[[], float] = time.monotonic) -> None:
        super().__init__(GROUP_COLUMNS, IMPORTANCE, view.glyphs, now=now)
        self.view = view
        self._ledger: Ledger | None = None
        self._texts: dict[str, str] = {}
        self._rows: dict[str, GroupRow] = {}

    def source(self) -> Hashable:
        """The ledger."""
        return id(self.view.ledger)

    def revision(self) -> Hashable:
        """The facts so far, and how many matches are expected."""
        return self.view.ledger.revision, sum(each.expected or 0 for each in self.view.state.groups.values())

    def everything(self) -> Sequence[GroupRow]:
        """The groups in the order of the run; a row is the same object while nothing in it changed."""
        if self._ledger is not self.view.ledger:
            self._ledger = self.view.ledger  # held, so that its id stays its own
            self._rows.clear()
        rows = []
        for place, board in enumerate(self._ledger.groups.values()):
            made = self._row(place, board)
            if self._rows.get(board.id) != made:
                self._rows[board.id] = made
            rows.append(self._rows[board.id])
        return rows

    def _row(self, place: int, board: GroupBoard) -> GroupRow:
        state = self.view.state.groups.get(board.id)
        firsts = [table.ranked()[0] for table in board.tables.values()] if board.applied else []
        leader = max((each for each in firsts if each.plays), key=lambda each: each.worth, default=None)
        return GroupRow(
            board=board,
            place=place,
            id=self._clean(board.id),
            prompt=self._clean((board.prompt or "").strip().partition("\n")[0]),
            leader="" if leader is None else self._clean(leader.title),
            applied=board.applied,
            expected=None if state is None else state.expected,
            state=self._clean(board.state),
            reason=REASONS.get(board.stop_reason or "", ""),
        )

    def _clean(self, text: str) -> str:
        known = self._texts.get(text)
        if known is None:
            known = self._texts[text] = safe_line(text, TEXT_CELLS)
        return known

    def measure(self, items: Sequence[GroupRow]) -> GroupLook:
        """Widths for these groups."""
        return measure_groups(items, self.glyphs)

    def identity(self, item: GroupRow) -> Hashable:
        """Its place in the run."""
        return item.place

    def words_of(self, item: GroupRow) -> str:
        """Everything that a row says."""
        return "\n".join((item.id, item.prompt, item.leader, item.state, item.reason)).casefold()

    def depends(self, item: GroupRow) -> Hashable:
        """Every word and figure that a column shows."""
        return item.place, item.leader, item.applied, item.expected, item.state, item.reason

    def base_ink(self, item: GroupRow) -> str:
        """A skipped group is dim."""
        return "groups--muted" if item.state == "skipped" else ""


class GroupList(ListPane):
    """The pane; Enter asks to narrow all panes to the group."""

    BINDINGS = bindings("groups")
    help_title = "Groups"
    help_text = (
        "Every group is a tournament of its own; no match crosses groups. The list tells who leads each, how "
        "many of its matches are done, and why it ended. Enter narrows all panes to the group under the "
        "cursor, Esc widens them again."
    )

    @dataclass
    class GroupChosen(Message):
        """All panes are to show this group alone."""

        group_id: str

    def __init__(self, view: RunView, *, now: Callable[[], float] = time.monotonic) -> None:
        self.groups = GroupRows(view, now=now)
        self.view = view
        super().__init__(self.groups)

    def heading(self) -> str:
        """The pane's name, and how many groups have ended."""
        boards = self.view.ledger.groups.values()
        ended = sum(board.state != "open" for board in boards)
        return f"Groups: {len(boards):,}, {ended:,} ended"

    def opened(self, item: GroupRow) -> None:
        """Enter on a group."""
        self.post_message(self.GroupChosen(item.board.id))
