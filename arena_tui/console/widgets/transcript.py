"""The transcript: the debate that is being held, or any match of the run, with its verdict.

It follows the newest match in flight until somebody steps to another one. It reads the store when something
that it shows can have changed there, and streams live texts from the run's state.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable
from time import monotonic

from textual import on
from textual.app import ComposeResult

from arena_tui.console.actions import bindings
from arena_tui.console.ledger import MatchLine
from arena_tui.console.messages import Copied, MatchOpened
from arena_tui.console.view import RunView
from arena_tui.console.widgets.choice_of_match import Guide
from arena_tui.console.widgets.in_flight import InFlightScreen, MatchKey
from arena_tui.console.widgets.match_head import match_head, match_number, place_words
from arena_tui.console.widgets.pane import FilterLine, Pane
from arena_tui.console.widgets.paper import Paper
from arena_tui.console.widgets.plain import PlainStatic, notify, safe_line
from arena_tui.console.widgets.transcript_turns import TranscriptTurns
from arena_tui.console.widgets.turns import Names, is_spoken, names_of
from arena_tui.console.widgets.verdict_badge import VerdictBadge
from arena_tui.engine.state import InFlight
from arena_tui.errors import ArenaError
from arena_tui.store.match_rows import MatchRecord
from arena_tui.vocabulary import Orientation

AGAIN = 1.0
"""Seconds between two looks at the store for a match of which nothing here tells when it changes."""
SOON = 0.3
"""Seconds until the store is looked at again for a turn or a followed match that has just ended."""
_ORDERS: tuple[Orientation, ...] = ("ab", "ba")
_NOTHING = "No match yet: here stands what is said about two candidates, while it is said."


class Transcript(Pane):
    """The match `view.match`: who meets whom, what is said, what came of it."""

    help_title = "Transcript"
    help_text = (
        "The match that is being held: its advocates, its judge, the verdict and what it does to both "
        "ratings. It follows the newest match in flight in which something is said, debates first; [ and ] "
        "step through all matches, f follows again, m lists what is in flight. / finds words: Enter "
        "goes to the next place that holds them, Esc in the line ends the search."
    )
    DEFAULT_CSS = """
    Transcript {
        & > .head { height: auto; max-height: 4; padding: 0 1; text-wrap: nowrap; text-overflow: ellipsis; }
    }
    """
    BINDINGS = bindings("debate")

    def __init__(self, view: RunView, *, id: str | None = None) -> None:
        super().__init__(id=id)
        self.clock: Callable[[], float] = monotonic
        self._view = view
        self._guide = Guide(view)
        self._turns = TranscriptTurns(view.glyphs)
        self._head = PlainStatic(classes="head")
        self._paper = Paper(sticky=True)
        self._badge = VerdictBadge()
        self._line = FilterLine()
        self._list: InFlightScreen | None = None
        self._shown: MatchKey | None = None
        self._seen: Hashable = None
        self._wanted: Hashable = None
        self._look_again: float | None = None
        self._told: Hashable = None
        self._trouble = ""

    def compose(self) -> ComposeResult:
        """Who meets whom, what is said, what came of it, the line that `/` opens."""
        yield self._head
        yield self._paper
        yield self._badge
        yield self._line

    def on_mount(self) -> None:
        """Show what is there; a match that is selected already is not left by itself."""
        self._guide.following = self._view.match is None
        self._select(self._view.match)
        self.pull()

    # --- looking ---------------------------------------------------------------------------------

    def pull(self) -> None:
        """Look again: choose the match when following, stream its live texts, read the store when due."""
        view, now = self._view, self.clock()
        if self._list is not None:
            self._list.pull()
        due = self._look_again is not None and now >= self._look_again
        if self._revisions() == self._seen and not due and not self._guide.waits(now):
            return
        if view.match != self._shown:
            self._guide.following = view.match is None
            self._select(view.match)
        chosen = self._guide.choose(now)
        if chosen != self._shown:
            self._select(chosen)
        self._stream()
        self._read(now, due)
        self._frame()
        self._seen = self._revisions()

    def _revisions(self) -> Hashable:
        """What all that is shown depends on, the time apart."""
        view, ledger = self._view, self._view.ledger
        return view.state.revision, id(ledger), ledger.revision, view.match, view.group

    def _select(self, key: MatchKey | None) -> None:
        """Another match: forget all of the one before."""
        self._view.match = self._shown = key
        self._turns = TranscriptTurns(self._view.glyphs)
        self._wanted = self._look_again = self._told = None
        self._trouble = ""
        self._guide.selected(key)
        self._badge.tell(None, Names("", ""), self._view.glyphs)
        self._show_head()
        self._show(to_end=self._guide.following or bool(self._flying()))

    def _flying(self) -> dict[Orientation, InFlight]:
        """The comparisons of the match on screen that are in flight."""
        if self._shown is None or self._view.past is not None:
            return {}
        flying = self._view.state.in_flight
        keys = [(*self._shown, orientation) for orientation in _ORDERS]
        return {key[2]: flying[key] for key in keys if key in flying}

    def _applied(self) -> MatchLine | None:
        return None if self._shown is None else self._view.ledger.find_match(*self._shown)

    def _stream(self) -> None:
        turned, grown = self._turns.stream(self._flying(), self._names())
        if turned:
            self._show()
        elif grown:
            self._paper.grew()

    def _read(self, now: float, due: bool) -> None:
        """Read the store again when what it holds of the match can have changed."""
        if self._shown is None:
            return
        flying, applied = self._flying(), self._applied()
        texts = tuple((orientation, id(flight.text)) for orientation, flight in flying.items())
        wanted = (texts, applied and (applied.index, applied.winner, applied.overruled))
        if wanted == self._wanted and not due:
            return
        self._wanted = wanted
        if applied is None and (not flying or not self._view.session.drives):
            soon = self._guide.following and not flying and self._view.state.phase == "running"
            self._look_again = now + (SOON if soon else AGAIN)
        else:
            self._look_again = None
        self._turns.loads += 1
        self.run_worker(self._load(self._shown, self._turns.loads), exclusive=True, group="transcript")

    async def _load(self, key: MatchKey, load: int) -> None:
        try:
            record = await self._view.facts.match(*key)
        except ArenaError as error:
            record, self._trouble = None, f"this match cannot be read: {safe_line(str(error), 300)}"
        if key != self._shown:
            return
        if record is not None:
            self._trouble = ""
            names = self._names_in(record)
            self._turns.stored(record, names, load)
            self._badge.tell(record, names, self._view.glyphs, self._view.ledger.rules.kind)
            if record.winner is not None or record.held:
                self._guide.decided(self.clock(), words=any(is_spoken(turn) for turn in record.turns))
            self._show_head()
        if self._turns.awaits and self._look_again is None:
            self._look_again = self.clock() + SOON
        self._show()
        self._frame()

    # --- drawing ---------------------------------------------------------------------------------

    def _names_in(self, record: MatchRecord) -> Names:
        both = len(record.orders) > 1
        return names_of(self._view.ledger, record.group, record.a, record.b, both=both)

    def _names(self) -> Names:
        """The two candidates, from whatever is known of the match."""
        if self._turns.record is not None:
            return self._names_in(self._turns.record)
        flying, applied = self._flying(), self._applied()
        for flight in flying.values():
            return names_of(self._view.ledger, flight.group, flight.a, flight.b, both=len(flying) > 1)
        if applied is not None:
            return names_of(self._view.ledger, applied.group, applied.a.id, applied.b.id)
        return Names("", "")

    def _show(self, *, to_end: bool | None = None) -> None:
        self._paper.show(self._turns.sections(self._trouble or self._waiting()), to_end=to_end)

    def _waiting(self) -> str:
        if self._shown is None:
            return _NOTHING
        if self._flying():
            return f"{self._view.glyphs.live} the two are before the judge"
        record = self._turns.record
        if record is None:
            return ""
        if record.winner is None:
            return "not judged yet" if not record.held else "the judge gave no reason"
        return "the judge gave no reason"

    def _show_head(self) -> None:
        if self._shown is None:
            self._head.show("")
            return
        record, applied = self._turns.record, self._applied()
        modes = [flight.mode for flight in self._flying().values()]
        modes += [each.mode for each in (record, applied) if each is not None]
        number = match_number(self._view.ledger, *self._shown)
        place = place_words(self._view.ledger, record)
        self._head.show(match_head(self._names(), number, modes[0] if modes else None, record, place))

    def _frame(self) -> None:
        """Whether it follows, and what is out of sight."""
        sign = self._view.glyphs
        place = "following" if self._guide.following else self._guide.place(self._shown)
        told = [] if self._paper.at_end else [f"{sign.down} more"]
        if self._line.value.strip():
            found = self._paper
            told.append(f"{found.hit} of {found.hits} found" if found.hits else "not found")
        framed = f"Transcript: {place}" if self._shown else "Transcript", ", ".join(told)
        if framed != self._told:
            self._told = framed
            self.titled(*framed)

    @on(Paper.Moved)
    def _moved(self, event: Paper.Moved) -> None:
        event.stop()
        self._frame()

    # --- keys ------------------------------------------------------------------------------------

    def _go(self, key: MatchKey | None, *, following: bool) -> None:
        self._guide.following = following
        if key is not None and key != self._shown:
            self._select(key)
        self._seen = None
        self.pull()
        self._frame()

    def action_previous_match(self) -> None:
        """The match before."""
        self._go(self._guide.beside(self._shown, -1), following=False)

    def action_next_match(self) -> None:
        """The match after."""
        self._go(self._guide.beside(self._shown, 1), following=False)

    def action_follow(self) -> None:
        """Follow the newest match."""
        self._go(self._guide.newest(), following=True)
        self._paper.action_scroll_end()

    def action_in_flight(self) -> None:
        """List the matches in flight."""
        if self._list is not None and self._list.is_attached:
            return
        self._list = InFlightScreen(self._view, self.clock)
        self.app.push_screen(self._list, self._listed)

    def _listed(self, key: MatchKey | None) -> None:
        self._list = None
        if key is not None:
            self._go(key, following=False)

    def action_open_match(self) -> None:
        """The match as a whole; while words are looked for, the next place that holds them."""
        if self._line.value.strip():
            self._next_hit()
        elif self._shown is not None:
            self.post_message(MatchOpened(*self._shown))

    def action_copy(self) -> None:
        """The newest turn in sight, or everything when all of it is in sight."""
        sections = [section for section in self._paper.sections if section.copy]
        seen = [section for section in self._paper.in_sight() if section.copy]
        if not seen:
            notify(self.app, "nothing to copy here yet")
            return
        copied = seen if len(seen) == len(sections) and self._paper.max_scroll_y == 0 else seen[-1:]
        self.post_message(Copied("\n\n".join(section.copy.strip() for section in copied)))

    def action_filter(self) -> None:
        """Open the line that looks for words."""
        self._line.open()
        self._line.action_select_all()

    @on(FilterLine.Typed)
    def _typed(self, event: FilterLine.Typed) -> None:
        event.stop()
        self._paper.look_for(event.words)
        self._frame()

    @on(FilterLine.Closed)
    def _line_closed(self, event: FilterLine.Closed) -> None:
        event.stop()
        self._paper.focus()
        if self._line.value.strip():
            self._next_hit()
        self._frame()

    def _next_hit(self) -> None:
        self._paper.next_hit()
        self._frame()
