"""What a candidate changed in its parent's text, word by word."""

from __future__ import annotations

import asyncio
from collections.abc import Iterable
from typing import ClassVar

from rich.style import Style
from rich.text import Text
from textual import on, work
from textual.app import ComposeResult
from textual.binding import BindingType
from textual.containers import VerticalScroll
from textual.content import Content
from textual.events import Resize
from textual.screen import Screen
from textual.widgets import Footer

from arena_tui.candidate import Candidate
from arena_tui.console.actions import bindings
from arena_tui.console.messages import Copied
from arena_tui.console.screens.match import WIDE
from arena_tui.console.view import RunView
from arena_tui.console.widgets.plain import PlainStatic, safe, safe_line
from arena_tui.console.widgets.side_by_side import SideBySide, text_sections
from arena_tui.console.worddiff import MOSTLY, difference, share
from arena_tui.console.woven import weave
from arena_tui.errors import ArenaError

ADDED = ("{+", "+}")
REMOVED = ("[-", "-]")


class DiffScreen(Screen[None]):
    """A candidate against one of its parents; `o` goes on to the next parent."""

    DEFAULT_CSS = """
    DiffScreen {
        #heading { height: auto; max-height: 3; padding: 0 1; }
        #page { border: $frame $primary; border-title-color: $text; height: 1fr; padding: 0 1;
                scrollbar-size-vertical: 1; }
        SideBySide { display: none; }
        &.rewritten #page { display: none; }
        &.rewritten SideBySide { display: block; }
        & .diff--added { color: $text-success; text-style: bold; }
        & .diff--removed { color: $text-error; text-style: strike; }
    }
    """
    COMPONENT_CLASSES: ClassVar[set[str]] = {"diff--added", "diff--removed"}
    BINDINGS: ClassVar[list[BindingType]] = bindings("diff")
    help_title = "Difference to a parent"
    help_text = (
        "The candidate's text with what it added to its parent's in {+ +} and what it left out in [- -]. "
        "A text that is mostly rewritten stands beside its parent's instead. "
        "With two parents, the key for the other parent goes from one to the next."
    )

    def __init__(self, view: RunView, group: str, id: str) -> None:
        super().__init__()
        self.view = view
        self.key = (group, id)
        self._parents: list[str] = []
        self._at = 0
        self._marked = ""

    def compose(self) -> ComposeResult:
        """Who is compared with whom, and the marked text."""
        yield PlainStatic(id="heading")
        with VerticalScroll(id="page"):
            yield PlainStatic(id="marked")
        yield SideBySide()
        yield Footer(show_command_palette=False)

    def on_mount(self) -> None:
        """Begin with the first parent that is in the run."""
        group, _ = self.key
        entrant = self.view.ledger.find(*self.key)
        named = [] if entrant is None else list(dict.fromkeys(entrant.parent_ids))
        self._parents = [id_ for id_ in named if self.view.ledger.find(group, id_) is not None]
        self.query_one("#page").focus()
        if self._parents:
            self._compare_with(self._parents[self._at])
            return
        told = f"{', '.join(named)} is not in this run" if named else "it has no parent"
        self.query_one("#heading", PlainStatic).show(
            safe_line(f"{self.key[1]}: nothing to compare with, {told}", 400)
        )

    def help_texts(self) -> Iterable[tuple[str, str]]:
        """What the screen is."""
        return [(self.help_title, self.help_text)]

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        """The other parent only where there is one."""
        return action != "other_parent" or len(self._parents) > 1

    @work(exclusive=True)
    async def _compare_with(self, parent: str) -> None:
        group, id_ = self.key
        heading, marked = self.query_one("#heading", PlainStatic), self.query_one("#marked", PlainStatic)
        try:
            before = await self.view.facts.candidate(group, parent)
            after = await self.view.facts.candidate(group, id_)
        except ArenaError as error:
            heading.show(safe_line(str(error), 400))
            return
        old, new = safe(before.text), safe(after.text)
        found = await asyncio.to_thread(difference, old, new)
        pieces = await asyncio.to_thread(weave, old, new, found)
        rewritten = share(old, new, found) > MOSTLY
        added = sum(len(text.split()) for kind, text in pieces if kind == "added")
        removed = sum(len(text.split()) for kind, text in pieces if kind == "removed")
        text = marked_text(
            pieces,
            self.get_component_rich_style("diff--added", partial=True),
            self.get_component_rich_style("diff--removed", partial=True),
        )
        self._marked = text.plain
        marked.show(text)
        self._stand_beside(before, after)
        page = self.query_one("#page")
        if self.has_class("rewritten") != rewritten:
            self.set_class(rewritten, "rewritten")
            (self.query_one(SideBySide).second if rewritten else page).focus()
        how = "mostly rewritten, " if rewritten else ""
        which = "" if len(self._parents) == 1 else f" (parent {self._at + 1} of {len(self._parents)})"
        heading.show(
            Text.assemble(
                (safe_line(after.title or after.id, 120), "bold"),
                " against ",
                (safe_line(before.title or before.id, 120), "bold"),
                f"{which}: ",
                f"{how}{added:,} words added, {removed:,} left out" if added or removed else "the same words",
            )
        )
        page.border_title = Content("{+added+}  [-left out-]")
        page.scroll_home(animate=False)

    def _stand_beside(self, before: Candidate, after: Candidate) -> None:
        """Both texts as they are, the parent's to the left."""
        beside = self.query_one(SideBySide)
        for paper, whose, each in ((beside.first, "Parent", before), (beside.second, "Child", after)):
            paper.show(text_sections(each.text, None, self.view.glyphs), to_end=False)
            paper.titled(f"{whose}: {each.title or each.id}")

    @on(Resize)
    def _resized(self, event: Resize) -> None:
        self.query_one(SideBySide).set_class(event.size.width < WIDE, "stacked")

    def action_other_parent(self) -> None:
        """On to the next parent."""
        self._at = (self._at + 1) % len(self._parents)
        self._compare_with(self._parents[self._at])

    def action_copy(self) -> None:
        """Copy the text with its marks."""
        if self._marked:
            self.post_message(Copied(self._marked))


def marked_text(pieces: Iterable[tuple[str, str]], added: Style, removed: Style) -> Text:
    """The pieces as one text, with signs around what differs, since colours may not show.

    White space at the ends of a piece stays outside the signs.
    """
    text = Text()
    for kind, piece in pieces:
        words = piece.strip()
        if kind == "same" or not words:
            text.append("" if kind == "removed" else piece)
        elif kind == "added":
            start = piece.index(words)
            text.append(piece[:start])
            text.append(ADDED[0] + words + ADDED[1], added)
            text.append(piece[start + len(words) :])
        else:
            if text.plain and not text.plain[-1].isspace():
                text.append(" ")
            text.append(REMOVED[0] + words + REMOVED[1], removed)
    return text
