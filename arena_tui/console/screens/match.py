"""One match as a whole: both texts, every turn, the replies as they came, what was read from them."""

from __future__ import annotations

import asyncio
from collections.abc import Hashable

from rich.text import Text
from textual import on
from textual.app import ComposeResult
from textual.events import DescendantFocus, Resize
from textual.message import Message
from textual.screen import Screen
from textual.widgets import Footer

from arena_tui.candidate import Candidate
from arena_tui.console.actions import bindings
from arena_tui.console.lines import Block
from arena_tui.console.messages import Copied
from arena_tui.console.screens.dialogs import ChooseScreen
from arena_tui.console.speech import whole
from arena_tui.console.view import RunView
from arena_tui.console.widgets.held import held_words
from arena_tui.console.widgets.match_head import match_head, match_number, place_words, slots
from arena_tui.console.widgets.paper import Paper
from arena_tui.console.widgets.plain import PlainStatic, notify, safe_line
from arena_tui.console.widgets.sections import Section
from arena_tui.console.widgets.side_by_side import SideBySide, marked_sections, text_sections
from arena_tui.console.widgets.turns import (
    Names,
    is_panel,
    names_of,
    parsed_section,
    raw_section,
    reasons,
    repeats,
    said_section,
    turn_section,
)
from arena_tui.console.widgets.verdict_badge import VerdictBadge
from arena_tui.console.worddiff import MOSTLY, difference, share
from arena_tui.errors import ArenaError
from arena_tui.store.match_rows import MatchRecord
from arena_tui.vocabulary import Orientation, Winner

WIDE = 100
"""Cells from which both texts and the turns are on the screen at once; below it is one of them."""
_ORDERS: tuple[Orientation, ...] = ("ab", "ba")
LOOK = 0.5  # seconds between looks


class MatchScreen(Screen[None]):
    """The match `seq` of a group. `pull` looks whether it has changed since it was read."""

    help_title = "Match"
    help_text = (
        "Both texts, all that was said in the match, the verdict, ratings (or points) before and after. d "
        "marks the words that one text has and the other has not; w shows the replies as they came, with "
        "what they cost and what was read from them. o gives the match another outcome, h lets you judge it "
        "yourself, without names and in an order drawn anew. On a narrow screen Tab changes between "
        "the texts and the turns."
    )
    DEFAULT_CSS = """
    MatchScreen {
        & > .head { height: auto; max-height: 4; padding: 0 1; text-wrap: nowrap; text-overflow: ellipsis; }
        & > .parts { display: none; height: 1; padding: 0 1; }
        & #turns { height: 1fr; border: $frame $panel; border-title-color: $text-muted; }
        & #turns:focus { border: $frame $primary; border-title-color: $text; border-title-style: bold; }
        &.narrow > .parts { display: block; }
        &.narrow .part { display: none; }
        &.narrow .part.chosen { display: block; }
        &.narrow.turns-chosen > SideBySide { display: none; }
    }
    """
    BINDINGS = bindings("match")
    AUTO_FOCUS = "#turns"

    class Overruled(Message):
        """The match is to have another outcome."""

        def __init__(self, group: str, seq: int, outcome: Winner) -> None:
            self.group = group
            self.seq = seq
            self.outcome: Winner = outcome
            super().__init__()

    class HandWanted(Message):
        """The match is to be judged by hand."""

        def __init__(self, group: str, seq: int) -> None:
            self.group = group
            self.seq = seq
            super().__init__()

    def __init__(self, view: RunView, group: str, seq: int) -> None:
        super().__init__()
        self._view = view
        self.match = group, seq
        self._record: MatchRecord | None = None
        self._titles = Names("", "")
        self._both: tuple[Candidate, ...] = ()  # as they stand on the screen, from the left
        self._marks = False
        self._raw = False
        self._known: Hashable = None
        self._head = PlainStatic(classes="head")
        self._parts = PlainStatic(classes="parts")
        self._badge = VerdictBadge(before=True)
        self._texts = SideBySide()
        self._turns = Paper(id="turns", classes="part chosen")

    def compose(self) -> ComposeResult:
        """Who meets whom, what came of it, the texts, the turns."""
        yield self._head
        yield self._badge
        yield self._parts
        yield self._texts
        yield self._turns
        yield Footer(show_command_palette=False)

    def on_mount(self) -> None:
        """Read the match."""
        self._choose(self._turns)
        self._show_turns()
        self.pull()
        self.set_interval(LOOK, self.pull)

    # --- looking ---------------------------------------------------------------------------------

    def pull(self) -> None:
        """Read the match again when its outcome or its turns can have changed."""
        group, seq = self.match
        line = self._view.ledger.find_match(group, seq)
        flying = [self._view.state.in_flight.get((group, seq, orientation)) for orientation in _ORDERS]
        known = (
            line and (line.index, line.winner, line.overruled),
            tuple(None if flight is None else id(flight.text) for flight in flying),
        )
        record, flies = self._record, any(flying)
        awaited = record is not None and record.winner is None and not record.held and not flies
        if known != self._known or awaited:  # nothing tells when a verdict that does not count yet is stored
            self._known = known
            self.run_worker(self._load(), exclusive=True, group="match")

    async def _load(self) -> None:
        facts, (group, seq) = self._view.facts, self.match
        try:
            record = await facts.match(group, seq)
            if record is None:
                self._say(f"there is no {match_number(self._view.ledger, group, seq)}")
                return
            if not self._both:
                left, right = (record.a, record.b) if slots(record.orders) == (1, 2) else (record.b, record.a)
                self._both = (await facts.shown(record, left), await facts.shown(record, right))
            elif record == self._record:
                return
        except ArenaError as error:
            self._say(f"this match cannot be read: {safe_line(str(error), 300)}")
            return
        self._record = record
        self._titles = names_of(self._view.ledger, group, record.a, record.b, both=len(record.orders) > 1)
        number = match_number(self._view.ledger, group, seq)
        self._head.show(
            match_head(self._titles, number, record.mode, record, place_words(self._view.ledger, record))
        )
        self._badge.tell(record, self._titles, self._view.glyphs, self._view.ledger.rules.kind)
        self._show_turns()
        await self._show_texts()

    def _say(self, words: str) -> None:
        self._turns.show([Section([Block(words, style="dim")])])

    def _left_and_right(self) -> tuple[str, str]:
        """The titles as they stand on the screen."""
        names, record = self._titles, self._record
        return (names.a, names.b) if record is None or slots(record.orders) == (1, 2) else (names.b, names.a)

    async def _show_texts(self) -> None:
        papers = (self._texts.first, self._texts.second)
        told = ""
        if self._marks and self._both:
            cleaned = [whole(each.text) for each in self._both]
            found = await asyncio.to_thread(difference, cleaned[0], cleaned[1])
            for paper, text, ranges in zip(papers, cleaned, (found.first, found.second), strict=True):
                paper.show(marked_sections(text, ranges))
            told = "the marked words are only here" if found.first or found.second else "both are equal"
            if share(cleaned[0], cleaned[1], found) > MOSTLY:
                told = f"mostly rewritten: {told}"
        else:
            for paper, each in zip(papers, self._both, strict=False):
                paper.show(text_sections(each.text, each.review, self._view.glyphs))
        for slot, (paper, title) in enumerate(zip(papers, self._left_and_right(), strict=True), 1):
            paper.titled(f"Text {slot}: {title}", told)
        self._show_parts()
        self.call_after_refresh(self._share_height)

    def _share_height(self) -> None:
        """Short texts leave their room to the turns; long ones take half of it."""
        if self.has_class("narrow"):
            self._texts.styles.height = None
            return
        rows = max(paper.virtual_size.height for paper in (self._texts.first, self._texts.second))
        self._texts.styles.height = max(6, min(rows + 2, self.size.height // 2 - 4))

    def _show_turns(self) -> None:
        record, names, glyphs = self._record, self._titles, self._view.glyphs
        self._turns.titled("Replies as they came, and what was read from them" if self._raw else "Turns")
        if record is None:
            self._say("reading the match")
            return
        if self._raw:
            sections = [raw_section(turn, names, glyphs) for turn in record.turns]
        else:
            panel, score = is_panel(record.turns), record.mode == "score"
            sections = [
                turn_section(turn, names, glyphs, record.said, panel=panel, score=score)
                for turn in record.turns
            ]
            sections += [said_section(said, names, glyphs) for said in reasons(record)]
        sections += [
            parsed_section(said, names, glyphs, reason=self._raw and not repeats(said, record.turns))
            for said in record.said
        ]
        if not sections:
            self._say("nothing was said yet")
            return
        self._turns.show(sections)

    # --- parts -----------------------------------------------------------------------------------

    def _papers(self) -> tuple[Paper, Paper, Paper]:
        return self._texts.first, self._texts.second, self._turns

    def _choose(self, paper: Paper) -> None:
        for each in self._papers():
            each.set_class(each is paper, "chosen")
        self.set_class(paper is self._turns, "turns-chosen")
        self._show_parts()

    def _show_parts(self) -> None:
        """The line that says which part a narrow screen shows."""
        titles = [f"Text {slot}" for slot in (1, 2)] + ["Replies" if self._raw else "Turns"]
        text = Text()
        for paper, title in zip(self._papers(), titles, strict=True):
            chosen = paper.has_class("chosen")
            text.append(f"[{title}]" if chosen else f" {title} ", "bold reverse" if chosen else "")
            text.append(" ")
        text.append(" Tab changes", "dim")
        self._parts.show(text)

    @on(Resize)
    def _resized(self, event: Resize) -> None:
        self.set_class(event.size.width < WIDE, "narrow")
        self.call_after_refresh(self._share_height)

    @on(DescendantFocus)
    def _focused(self, event: DescendantFocus) -> None:
        if isinstance(event.widget, Paper):
            self._choose(event.widget)

    def _move(self, step: int) -> None:
        papers = self._papers()
        at = next((number for number, paper in enumerate(papers) if paper.has_class("chosen")), 2)
        paper = papers[(at + step) % 3]
        self._choose(paper)
        self.set_focus(paper)

    def action_next_part(self) -> None:
        """To the next of text 1, text 2 and the turns."""
        self._move(1)

    def action_previous_part(self) -> None:
        """To the one before."""
        self._move(-1)

    # --- keys ------------------------------------------------------------------------------------

    def action_differences(self) -> None:
        """Mark the words that differ; once more: show the texts as they are."""
        self._marks = not self._marks
        if self.has_class("narrow") and self._turns.has_class("chosen"):
            self._move(1)
        self.run_worker(self._show_texts(), exclusive=True, group="texts")

    def action_raw(self) -> None:
        """The replies as they came; once more: the turns."""
        self._raw = not self._raw
        self._show_turns()
        self._choose(self._turns)
        self._turns.focus()
        self._turns.scroll_home(animate=False)

    def action_overrule(self) -> None:
        """Ask for another outcome."""
        record = self._record
        if record is None or record.winner is None:
            self._not_yet("there is nothing to overrule")
            return
        left, right = self._left_and_right()
        choices = (
            ("1", f"{safe_line(left, 36)} wins"),
            ("2", f"{safe_line(right, 36)} wins"),
            ("d", "a draw"),
            ("v", "void: it counts for nothing"),
        )
        sides: tuple[Winner, Winner] = ("a", "b") if slots(record.orders) == (1, 2) else ("b", "a")
        outcomes: dict[str, Winner] = {"1": sides[0], "2": sides[1], "d": "draw", "v": "void"}
        now = next(key for key, outcome in outcomes.items() if outcome == record.winner)

        def chosen(key: str | None) -> None:
            if key is not None and key != now:
                self.post_message(self.Overruled(*self.match, outcomes[key]))

        question = f"Which outcome shall {match_number(self._view.ledger, *self.match)} have?"
        detail = "Ratings and points are worked out anew; what was played stays as it was."
        self.app.push_screen(ChooseScreen(question, choices, now, detail=detail), chosen)

    def action_hand(self) -> None:
        """Judge it by hand; what does not count yet cannot be."""
        if self._record is not None and self._record.held:
            self._not_yet("there is nothing to compare with")
        else:
            self.post_message(self.HandWanted(*self.match))

    def _not_yet(self, so: str) -> None:
        """Say why a key does nothing: the match has no outcome that counts."""
        record = self._record
        why = held_words(record, self._titles) if record and record.held else "not decided yet"
        number = match_number(self._view.ledger, *self.match)
        notify(self.app, f"{number} is {why}, so {so}", severity="warning")

    def action_copy(self) -> None:
        """The part in focus, as text."""
        paper = next((each for each in self._papers() if each.has_class("chosen")), self._turns)
        text = "\n\n".join(section.copy.strip() for section in paper.sections if section.copy.strip())
        if text:
            self.post_message(Copied(text))
        else:
            notify(self.app, "nothing to copy here yet")
