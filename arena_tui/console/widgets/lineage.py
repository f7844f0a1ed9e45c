"""The lineage pane: the forest of parents and children, who lives, and how much each founder's line holds."""

from __future__ import annotations

from typing import ClassVar

from rich.text import Text
from textual import on
from textual.app import ComposeResult
from textual.binding import Binding, BindingType

from arena_tui.console.actions import bindings
from arena_tui.console.entrant_keys import EntrantKeys
from arena_tui.console.family import Share, Show
from arena_tui.console.figures import rating_words
from arena_tui.console.glyphs import Glyphs
from arena_tui.console.ledger import Entrant, Ledger
from arena_tui.console.messages import Copied, EntrantOpened, EntrantSelected
from arena_tui.console.view import RunView
from arena_tui.console.widgets.lineage_row import HUE_COLOURS, cut, rated, words_of
from arena_tui.console.widgets.lineage_rows import LineageRows
from arena_tui.console.widgets.pane import FilterLine, Pane
from arena_tui.console.widgets.plain import PlainStatic, safe_line
from arena_tui.console.widgets.rows import Rows

NO_LINEAGE = "no parents: no family tree yet"
OF_SYSTEMS = "systems have no family tree"
_NEXT: dict[Show, Show] = {"all": "alive", "alive": "lineage", "lineage": "all"}


class Lineage(Pane, EntrantKeys):
    """The pane. `pull` at 1 Hz: structure when candidates came, figures when anything changed."""

    DEFAULT_CSS = """
    Lineage .shares { height: 1; padding: 0; display: none; }
    Lineage.tall .shares { display: block; }
    Lineage .without { display: none; color: $text-muted; padding: 0 1; }
    Lineage.no-lineage { height: 3; }
    Lineage.no-lineage .without { display: block; }
    Lineage.no-lineage LineageRows, Lineage.no-lineage .shares { display: none; }
    """
    BINDINGS: ClassVar[list[BindingType]] = [
        each
        for each in bindings("tree", "entrant")
        if not (isinstance(each, Binding) and "fold" in each.action)  # those are on the rows
    ]
    help_title = "Lineage"
    help_text = (
        "Each row is a candidate under its first parent, in the column of its generation: the longest known "
        "path from a founder, or the stored generation where that is larger. The letter and the colour tell "
        "the founder; a hollow sign has not played yet, a dim cross is out. The figure under parent is the "
        "difference to the parent's rating; the line above the rows tells which part of the playing "
        "candidates each founder's line holds."
    )

    def __init__(self, view: RunView, *, id: str | None = None, classes: str | None = None) -> None:
        super().__init__(id=id, classes=classes)
        self._view = view
        self._pulled: tuple[object, ...] = ()
        self._rows = LineageRows(view.ledger, view.group, view.glyphs)
        self._filter = FilterLine("words in title, id or system")
        self._shares = PlainStatic("", classes="shares")

    def compose(self) -> ComposeResult:
        """Shares, rows, filter line."""
        yield PlainStatic(NO_LINEAGE, classes="without")
        yield self._shares
        yield self._rows
        yield self._filter

    def on_mount(self) -> None:
        """First look."""
        self.pull()

    def on_resize(self) -> None:
        """The line of shares only where there is room to spare."""
        self.set_class(self.size.height >= 7, "tall")
        self._describe()

    def pull(self) -> None:
        """Look at the ledger again; nothing to do while it is the same."""
        ledger, group = self._view.ledger, self._view.group
        pulled = (ledger, ledger.revision, group)
        if self._pulled and self._pulled[0] is ledger and self._pulled[1:] == pulled[1:]:
            return
        self._pulled = pulled
        self._rows.look(ledger, group)
        without = not self._rows.forest.has_lineage
        if without != self.has_class("no-lineage") and without and self._rows.has_focus:
            self.screen.focus_next()
        self.set_class(without, "no-lineage")
        told = OF_SYSTEMS if ledger.rules.dealt else NO_LINEAGE
        self.query_one(".without", PlainStatic).show(told, fits=True)
        self._describe()

    def _describe(self) -> None:
        rows = self._rows
        if not rows.forest.has_lineage:
            self.titled("Lineage")
            return
        shares = rows.forest.shares()
        living = sum(share.living for share in shares)
        shown = {
            "all": "all",
            "alive": "the living",
            "lineage": f"lineage {rows.lineage_of.letters}" if rows.lineage_of is not None else "one lineage",
        }[rows.show_only]
        if rows.wanted_words:
            shown += f", /{rows.wanted_words}"
        total = sum(node.entrant is not None for node in rows.forest.nodes)
        dot = "·" if self._view.glyphs.ellipsis == "…" else "-"
        self.titled("Lineage", f"{shown} {dot} {living} of {total} play")
        self._shares.show(shares_line(shares, self.size.width, self._view.glyphs), fits=True)

    def seek(self, entrant: Entrant) -> None:
        """Put the cursor on a candidate, where it is shown."""
        node = self._rows.forest.find((entrant.group, entrant.id))
        if node is not None and node is not self._rows.node:
            self._rows.go_to(node)

    # --- messages of the parts -------------------------------------------------------------------

    @on(LineageRows.Moved)
    def _node_moved(self, event: LineageRows.Moved) -> None:
        event.stop()
        if event.node.entrant is not None:
            self.post_message(EntrantSelected(event.node.entrant, self))

    @on(LineageRows.Chosen)
    def _node_opened(self, event: LineageRows.Chosen) -> None:
        event.stop()
        if event.node.entrant is not None:
            self.post_message(EntrantOpened(event.node.entrant))

    @on(FilterLine.Typed)
    def _filter_typed(self, event: FilterLine.Typed) -> None:
        event.stop()
        self._rows.wanted_words = event.words
        self._rows.empty = "no node holds these words" if event.words else Rows.empty
        self._rows.rearrange()
        self._describe()

    @on(FilterLine.Closed)
    def _filter_left(self, event: FilterLine.Closed) -> None:
        event.stop()
        self._rows.focus()

    # --- keys --------------------------------------------------------------------------------------

    def action_living(self) -> None:
        """All, the living, the lineage of the node under the cursor."""
        rows = self._rows
        rows.show_only = _NEXT[rows.show_only]
        if rows.show_only == "lineage":
            node = rows.node
            rows.lineage_of = node.founder if node is not None else None
            if node is None:
                rows.show_only = "all"
        rows.rearrange()
        self._describe()

    def action_filter(self) -> None:
        """Open the filter line."""
        if self._rows.forest.has_lineage:
            self._filter.open()

    def action_copy(self) -> None:
        """Copy the row's words and figures."""
        node = self._rows.node
        if node is None:
            return
        if node.entrant is None:
            self.post_message(Copied(safe_line(f"missing: {node.id}")))
            return
        who = rated(self._view.ledger, node.entrant)
        figures = f"{rating_words(who)}\t{who.wins}-{who.draws}-{who.losses}"
        words = words_of(self._rows.rows[self._rows.cursor], self._rows.forest)
        parts = (node.entrant.title, node.id, f"generation {node.column}", words)
        title, id_, generation, state = (safe_line(part) for part in parts)
        self.post_message(Copied("\t".join((title, id_, generation, figures, state)).rstrip("\t")))

    def acted_on(self) -> tuple[Entrant | None, Ledger]:
        """The one under the cursor; a missing parent is none."""
        node = self._rows.node
        return (None if node is None else node.entrant), self._view.ledger


def shares_line(shares: list[Share], width: int, glyphs: Glyphs) -> Text:
    """Which part of the playing each founder's line holds, the largest first, as far as there is room."""
    line = Text.assemble(("share", "dim"))
    held = sorted((share for share in shares if share.living), key=lambda share: -share.living)
    for number, share in enumerate(held):
        hue = HUE_COLOURS[share.founder.hue]
        name = share.founder.node
        title = name.id if name.entrant is None else name.entrant.title
        words = f"{share.founder.letters} {cut(title, 16 if width >= 80 else 8, glyphs)} {share.share:.0%}"
        bar = glyphs.bar * max(1, round(share.share * 10))
        part = Text.assemble("  ", (bar, hue), " ", words)
        if line.cell_len + part.cell_len + (8 if number + 1 < len(held) else 0) > width:
            line.append(f"  +{len(held) - number}", "dim")
            break
        line.append_text(part)
    return line
