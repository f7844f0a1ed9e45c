"""The rows of a family forest with their folding: for the lineage pane and the rating history."""

from __future__ import annotations

from collections.abc import Hashable
from typing import ClassVar

from rich.text import Text
from textual.binding import Binding, BindingType
from textual.message import Message

from arena_tui.console.actions import bindings
from arena_tui.console.family import Founder, Key, Node, Row, Show
from arena_tui.console.figures import rating_words
from arena_tui.console.forest import Forest
from arena_tui.console.glyphs import UNICODE, Glyphs
from arena_tui.console.ledger import Ledger
from arena_tui.console.widgets.lineage_row import Columns, columns_of, header_line, rated, row_line
from arena_tui.console.widgets.rows import Rows

_FOLDING: list[BindingType] = [
    each for each in bindings("tree") if isinstance(each, Binding) and "fold" in each.action
]  # on the list itself, for scrolling views have keys of their own for left and right


class LineageRows(Rows):
    """The forest of one ledger as rows; the pane and the rating history show it."""

    DEFAULT_CSS = """
    LineageRows > .lineage--muted { color: $text-muted; }
    LineageRows > .lineage--out { color: $text-disabled; text-style: dim; }
    """
    COMPONENT_CLASSES: ClassVar[set[str]] = {"lineage--muted", "lineage--out"}
    BINDINGS = _FOLDING

    class Moved(Message):
        """The cursor is on another node."""

        def __init__(self, node: Node) -> None:
            self.node = node
            super().__init__()

        def can_replace(self, message: Message) -> bool:
            """Where a held key has rushed past, only the last one counts."""
            return isinstance(message, LineageRows.Moved)

    class Chosen(Message):
        """A node was opened."""

        def __init__(self, node: Node) -> None:
            self.node = node
            super().__init__()

    def __init__(self, ledger: Ledger, group: str | None = None, glyphs: Glyphs = UNICODE) -> None:
        super().__init__()
        self._ledger = ledger
        self._group = group
        self._glyphs = glyphs
        self._grown: tuple[Ledger, str | None, int] | None = None
        self._told: tuple[object, ...] = ()
        self._first = 0
        self._at: Key | None = None
        self.folded: set[Key] = set()
        self.show_only: Show = "all"
        self.lineage_of: Founder | None = None
        self.wanted_words = ""
        self.forest = Forest(Ledger())
        self.rows: list[Row] = []

    # --- the facts -------------------------------------------------------------------------------

    def look(self, ledger: Ledger, group: str | None) -> bool:
        """Look at a ledger: a new forest only for new candidates. True when there is a new one."""
        if group is not None and group not in ledger.groups:
            group = None
        grown = (ledger, group, len(ledger.entrants))
        new = self._grown is None or self._grown[0] is not ledger or self._grown[1:] != grown[1:]
        self._ledger, self._group = ledger, group
        if new:
            self._grown = grown
            self.forest = Forest(ledger, group)
            if self.lineage_of is not None:
                root = self.forest.find(self.lineage_of.node.key)
                self.lineage_of = None if root is None else root.founder
                self.show_only = "all" if root is None else self.show_only
            self.rearrange()
        elif self.show_only == "alive":
            living = tuple(node.entrant.plays for node in self.forest.nodes if node.entrant is not None)
            if living != self._told:
                self.rearrange()
            self._told = living
        self.rows_changed()
        return new

    def rearrange(self) -> None:
        """The rows in sight, anew; the cursor stays on its node, else goes to the nearest ancestor's row."""
        self.rows = self.forest.rows(self.folded, self.show_only, self.lineage_of, self.wanted_words)
        places = {row.node.place: index for index, row in enumerate(self.rows)}
        node = None if self._at is None else self.forest.find(self._at)
        while node is not None and node.place not in places:
            node = node.under
        self.redraw()
        self.show_row(0 if node is None else places[node.place])
        self._tell()

    @property
    def node(self) -> Node | None:
        """The node under the cursor."""
        return self.rows[self.cursor].node if self.cursor < len(self.rows) else None

    # --- rows ------------------------------------------------------------------------------------

    def count(self) -> int:
        """How many nodes are in sight."""
        return len(self.rows)

    def signature(self, index: int) -> Hashable:
        """Everything but the branches, which only change with the whole list."""
        node = self.rows[index].node
        entrant = node.entrant
        if entrant is None:
            return node.key
        who = rated(self._ledger, entrant)
        parent = node.under.entrant if node.under is not None else None
        above = None if parent is None else rating_words(rated(self._ledger, parent))
        return (
            *(node.key, entrant.state, entrant.flags, rating_words(who), above),
            *(who.wins, who.draws, who.losses, len(who.history)),
        )

    def draw(self, index: int, width: int) -> Text:
        """See `lineage_row`."""
        muted, out = self.ink("lineage--muted"), self.ink("lineage--out")
        columns = self._columns(width)
        return row_line(
            self.rows[index],
            self.forest,
            self._ledger,
            columns,
            self._glyphs,
            muted=muted,
            out=out,
            width=width,
        )

    def header(self, width: int) -> Text:
        """The generations and the names of the figures."""
        return header_line(self._columns(width), width)

    def _columns(self, width: int) -> Columns:
        groups = self._group is None and self._ledger.several
        trend = self._ledger.rules.kind == "elo"
        return columns_of(self.forest, width, self._first, groups=groups, trend=trend)

    def watch_cursor(self, before: int, now: int) -> None:
        """Generations scroll with the cursor where there are too many for the width."""
        super().watch_cursor(before, now)
        self._tell()

    def on_resize(self) -> None:
        """Another width."""
        self._follow()
        super().on_resize()

    def _tell(self) -> None:
        node = self.node
        if node is not None and node.key != self._at:
            self._at = node.key
            self.post_message(self.Moved(node))
        self._follow()

    def _follow(self) -> None:
        node = self.node
        if node is None or not self.row_width:
            return
        columns = self._columns(self.row_width)
        first = columns.first
        if node.column <= first:
            first = max(0, node.column - 1)
        elif node.column >= first + columns.shown:
            first = node.column - columns.shown + 1
        if first != self._first:
            self._first = first
            self.redraw()

    def chosen(self, index: int) -> None:
        """Enter opens the node."""
        self.post_message(self.Chosen(self.rows[index].node))

    # --- folding ---------------------------------------------------------------------------------

    def fold(self, node: Node, folded: bool) -> None:
        """Fold or unfold what is below a node."""
        if folded:
            self.folded.add(node.key)
        else:
            self.folded.discard(node.key)
        self.rearrange()

    def go_to(self, node: Node) -> None:
        """Put the cursor on a node, if it is in sight."""
        for index, row in enumerate(self.rows):
            if row.node is node:
                self.show_row(index)
                return

    def action_fold(self) -> None:
        """Fold or unfold the descendants."""
        node = self.node
        if node is not None and node.below:
            self.fold(node, node.key not in self.folded)

    def action_fold_away(self) -> None:
        """Fold the descendants; folded or without any: on to the parent."""
        node = self.node
        if node is not None and node.below and node.key not in self.folded:
            self.fold(node, True)
        elif node is not None and node.under is not None:
            self.go_to(node.under)

    def action_unfold(self) -> None:
        """Unfold the descendants; unfolded: on to the first child."""
        node = self.node
        if node is not None and node.key in self.folded:
            self.fold(node, False)
        elif node is not None and self.cursor + 1 < len(self.rows):
            below = self.rows[self.cursor + 1].node
            if below.under is node:
                self.go_to(below)
