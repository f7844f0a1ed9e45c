"""A candidate: its text, its record and how it came about, every match it had, and its kin."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import ClassVar

from textual import events, on, work
from textual.app import ComposeResult
from textual.binding import BindingType
from textual.containers import Container, Vertical, VerticalScroll
from textual.content import Content
from textual.screen import Screen
from textual.widgets import Footer

from arena_tui.candidate import Candidate
from arena_tui.console.actions import bindings
from arena_tui.console.entrant_keys import EntrantKeys
from arena_tui.console.ledger import Entrant, Ledger, MatchLine
from arena_tui.console.messages import Copied, EntrantOpened, MatchOpened
from arena_tui.console.view import RunView
from arena_tui.console.widgets.candidate_words import page_of, reason_of, record_of, system_page
from arena_tui.console.widgets.curves import Curves, Picture, by_own_matches
from arena_tui.console.widgets.kin_rows import KinRows, PlayedRows
from arena_tui.console.widgets.lineage_row import rated
from arena_tui.console.widgets.plain import PlainStatic, safe, safe_line
from arena_tui.errors import ArenaError
from arena_tui.safetext import clean
from arena_tui.store.board_rows import TextFact
from arena_tui.values import counted
from arena_tui.vocabulary import ARENA

LOOK = 0.25  # seconds between looks at the facts
WIDE = 120  # cells from which on text and figures stand side by side


class CandidateScreen(Screen[None], EntrantKeys):
    """What there is of one candidate; it moves with a live run."""

    DEFAULT_CSS = """
    CandidateScreen {
        #record { height: auto; max-height: 5; padding: 0 1; }
        #body { layout: vertical; height: 1fr; }
        #page, #kin, #played, #rise {
            border: $frame $panel; border-title-color: $text-muted; border-subtitle-color: $text-muted;
        }
        #page:focus, #kin:focus, #played-part:focus-within #played {
            border: $frame $primary; border-title-color: $text; border-title-style: bold;
        }
        #page { height: 1fr; min-height: 4; padding: 0 1; scrollbar-size-vertical: 1; }
        #page:focus { height: 3fr; }
        #figures { height: 2fr; }
        #rise { display: none; height: 10; }
        #kin { height: 5; }
        #kin.none { display: none; }
        #played-part { height: 1fr; min-height: 5; }
        #played { height: 1fr; }
        #reason { height: auto; max-height: 3; padding: 0 1; color: $text-muted; }
        &.tall #rise { display: block; }
        &.fitted #rise { display: none; }
        &.tall #page, &.tall #figures { height: 1fr; }
        &.wide #body { layout: horizontal; }
        &.wide #page, &.wide #figures { width: 1fr; height: 1fr; }
        &.wide #rise { height: 14; }
        &.wide #reason { max-height: 6; }
    }
    """
    BINDINGS: ClassVar[list[BindingType]] = bindings("candidate", "entrant")
    help_title = "Candidate"
    help_text = (
        "The text as it was given, its review, and its record: rank and the ranks it cannot be told apart "
        "from, rating with its 95 % interval (in elo that of BT, which depends on no order), wins, draws "
        "and losses. Below are parents, children and twins, and every match, newest first, with the "
        "judge's reason for the one under the cursor. Enter opens the match or the relative. A system "
        "shows how its texts begin, group by group, and its record over each."
    )

    def __init__(self, view: RunView, group: str, id: str) -> None:
        super().__init__()
        self.view = view
        self.key = (group, id)
        self._candidate: Candidate | None = None
        self._texts: Sequence[TextFact] | None = None  # of a system
        self._pulled: tuple[Ledger, int] | None = None

    def compose(self) -> ComposeResult:
        """The record; text beside, or above, curve, kin and matches."""
        yield PlainStatic(id="record")
        with Container(id="body"):
            with VerticalScroll(id="page"):
                yield PlainStatic(id="text")
            with Vertical(id="figures"):
                yield Curves(self.view.glyphs, id="rise")
                yield KinRows(self.view.glyphs, id="kin")
                with Vertical(id="played-part"):
                    yield PlayedRows(self.view.glyphs, id="played")
                    yield PlainStatic(id="reason")
        yield Footer(show_command_palette=False)

    def on_mount(self) -> None:
        """Read the text; follow the facts."""
        for id_, words in (("page", "Text"), ("rise", "Rating"), ("kin", "Kin"), ("played", "Matches")):
            self.query_one(f"#{id_}").border_title = Content(words)
        self.query_one("#page").focus()
        self._load()
        self.set_interval(LOOK, self.pull)
        self.pull()

    def on_resize(self, event: events.Resize) -> None:
        """Side by side where there is room; the curve where there are lines to spare."""
        wide = event.size.width >= WIDE
        self.set_class(wide, "wide")
        self._pulled = None
        self.set_class(event.size.height >= (30 if wide else 44), "tall")
        self.pull()

    def help_texts(self) -> Iterable[tuple[str, str]]:
        """What the screen is."""
        return [(self.help_title, self.help_text)]

    # --- facts -----------------------------------------------------------------------------------

    @property
    def entrant(self) -> Entrant | None:
        """The candidate in the facts on show; None at a moment before it was there."""
        return self.view.ledger.find(*self.key)

    def pull(self) -> None:
        """Look at the facts again; nothing to do while they are the same."""
        ledger = self.view.ledger
        pulled = (ledger, ledger.revision)
        if self._pulled is not None and self._pulled[0] is ledger and self._pulled[1] == pulled[1]:
            return
        self._pulled = pulled
        entrant = self.entrant
        if entrant is None:
            told = f"{self.key[1]} is not there at this moment of the run"
            self.query_one("#record", PlainStatic).show(safe_line(told))
            return
        self.set_class(ledger.rules.kind == "adaptive", "fitted")  # whose points say nothing
        self.query_one("#record", PlainStatic).show(record_of(entrant, ledger))
        self._show_texts()
        kin = self.query_one(KinRows)
        kin.look(ledger, entrant)
        kin.set_class(not kin.kin, "none")
        kin.styles.height = 3 + min(len(kin.kin), 7 if self.has_class("wide") else 2)  # with frame and header
        self.query_one(PlayedRows).look(ledger, entrant)
        who = rated(ledger, entrant)
        self.query_one(Curves).picture(Picture((by_own_matches(who),), (0, max(1, len(who.history)))))
        rise = self.query_one("#rise")
        rise.border_title = Content("Rating" if ledger.rules.kind == "elo" else "Points")
        rise.border_subtitle = Content("by its valid matches")

    @work(exclusive=True, group="text")
    async def _load(self) -> None:
        text = self.query_one("#text", PlainStatic)
        try:
            if self.view.ledger.rules.dealt and self.key[0] == ARENA:
                self._texts = await self.view.facts.texts_of(self.key[1])
                self._show_texts()
                return
            self._candidate = await self.view.facts.candidate(*self.key)
        except ArenaError as error:
            text.show(safe(str(error)))
            return
        text.show(page_of(self._candidate))
        self.query_one("#page").border_subtitle = Content(f"{len(self._candidate.text):,} characters")

    def _show_texts(self) -> None:
        """What a system wrote; nothing for a candidate, which shows its text."""
        if self._texts is None or self.entrant is None:
            return
        page = system_page(self.entrant, self._texts, 160)
        self.query_one("#text", PlainStatic).show(page)
        self.query_one("#page").border_subtitle = Content(counted(len(self._texts), "text"))

    @on(PlayedRows.Moved)
    def _match_reached(self, event: PlayedRows.Moved) -> None:
        event.stop()
        self._tell_reason(event.line)

    @work(exclusive=True, group="reason")
    async def _tell_reason(self, line: MatchLine) -> None:
        try:
            record = await self.view.facts.match(line.group, line.seq)
            told = reason_of(record)
        except ArenaError as error:
            told = str(error)
        self.query_one("#reason", PlainStatic).show(safe_line(f"match {line.seq}: {told}"))

    # --- what the lists ask for --------------------------------------------------------------------

    @on(PlayedRows.Chosen)
    def _match_chosen(self, event: PlayedRows.Chosen) -> None:
        event.stop()
        self.post_message(MatchOpened(event.line.group, event.line.seq))

    @on(KinRows.Chosen)
    def _kin_chosen(self, event: KinRows.Chosen) -> None:
        event.stop()
        self.post_message(EntrantOpened(event.entrant))

    # --- keys --------------------------------------------------------------------------------------

    def action_copy(self) -> None:
        """Copy the text, whole and cleaned."""
        if self._candidate is not None:
            self.post_message(Copied(clean(self._candidate.text)))
        elif self._texts is not None and self.entrant is not None:
            self.post_message(Copied(system_page(self.entrant, self._texts, 160).plain))

    def acted_on(self) -> tuple[Entrant | None, Ledger]:
        """The candidate of this screen, if it is there at the moment that is shown."""
        return self.entrant, self.view.ledger
