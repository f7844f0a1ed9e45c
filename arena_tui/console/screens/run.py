"""The screen of a run: leaderboard, transcript, lineage and status over one view, and what they ask for.

It pulls the panes on one timer (transcript 10 Hz, board and status 4 Hz, lineage 1 Hz), so that what is due
together is drawn in one frame; panes know nothing of each other, this screen connects them.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable, Iterable

from textual import on
from textual.app import ComposeResult
from textual.containers import Container, Vertical
from textual.screen import ModalScreen

from arena_tui.console.actions import bindings
from arena_tui.console.feed import Feed
from arena_tui.console.glyphs import Glyphs
from arena_tui.console.ledger import Entrant
from arena_tui.console.messages import EntrantSelected
from arena_tui.console.ports import Session
from arena_tui.console.rubbish import settle
from arena_tui.console.screens.run_keys import RunKeys
from arena_tui.console.view import LiveFacts, RunView
from arena_tui.console.widgets.key_line import KeyLine
from arena_tui.console.widgets.leaderboard import Leaderboard
from arena_tui.console.widgets.lineage import Lineage
from arena_tui.console.widgets.masthead import Masthead
from arena_tui.console.widgets.pane import Pane
from arena_tui.console.widgets.pane_tabs import PaneTabs
from arena_tui.console.widgets.plain import PlainStatic, notify
from arena_tui.console.widgets.status import Status
from arena_tui.console.widgets.transcript import Transcript
from arena_tui.errors import ArenaError

TEXT = 0.1  # seconds between looks at the live text
BOARD = (0, 3)  # of five such looks, those at which the board and the status are looked at too: 4 Hz
FOREST = 10  # the lineage, at every tenth
FACTS = 0.25  # seconds between looks at the database
SETTLED = 2.0  # seconds after which what a run needs has come up
PANES: tuple[tuple[str, str, type[Pane]], ...] = (
    ("board", "Board", Leaderboard),
    ("debate", "Debate", Transcript),
    ("tree", "Lineage", Lineage),
    ("status", "Status", Status),
)
TOO_SMALL = "too small for the console: the run goes on; 60 x 16 is the least"


class RunScreen(RunKeys):
    """`session` may be replaced when a stopped run goes on (`go_on_with`). `feed` brings the facts, by
    default from the session's database; `now` is a monotonic clock in seconds."""

    BINDINGS = bindings("run")

    def __init__(
        self,
        session: Session,
        glyphs: Glyphs,
        *,
        feed: LiveFacts | None = None,
        now: Callable[[], float] = time.monotonic,
    ) -> None:
        super().__init__()
        self.feed: LiveFacts = Feed(session.db) if feed is None else feed
        self._now = now
        self.view = RunView(session, self.feed, glyphs)
        self.facts_read = asyncio.Event()
        """Set once the facts that were there have been read, or could not be."""
        self._ticks = 0
        self._applies: tuple[str, bool] | None = None  # what `check_action` looks at, as the footer shows it
        self._asked = False  # the person was led to the first question that waited

    def compose(self) -> ComposeResult:
        """The masthead, the panes, the keys."""
        yield Masthead(self.view)
        yield PaneTabs([(name, words) for name, words, _ in PANES])
        with Container(id="panes"):
            with Vertical(classes="column"):
                yield Leaderboard(self.view, now=self._now)
                yield Lineage(self.view)
            with Vertical(classes="column"):
                yield Transcript(self.view)
                yield Status(self.view, now=self._now)
        yield PlainStatic(TOO_SMALL, id="too-small")
        yield KeyLine(self._key_words)

    def on_mount(self) -> None:
        """Begin to follow the facts."""
        for name, _, kind in PANES:
            self.query_one(kind).add_class(f"pane-{name}")
        self._choose("board")
        self.run_worker(self._follow(), group="feed")
        self.set_interval(TEXT, self._tick)

    async def on_unmount(self) -> None:
        """Let go of the database."""
        await self.feed.close()

    def go_on_with(self, session: Session) -> None:
        """The run goes on: another session drives it from now on."""
        self.view.session = session
        self.pull()

    # --- pulling -------------------------------------------------------------------------------

    async def _follow(self) -> None:
        """Bring facts from the database as long as the screen lives; trouble is told once."""
        told, opened = "", False
        while True:
            try:
                if opened:
                    await self.feed.look()
                else:
                    await self.feed.open()
                    self.set_timer(SETTLED, settle)
                told, opened = "", True
                self.facts_read.set()
            except ArenaError as error:
                if str(error) != told:
                    told = str(error)
                    notify(self.app, told, severity="error")
                self.facts_read.set()
            await asyncio.sleep(FACTS)

    @property
    def _in_sight(self) -> bool:
        return self.is_attached and (self.app.screen is self or isinstance(self.app.screen, ModalScreen))

    def _tick(self) -> None:
        self._ticks += 1
        self._pull_text()
        if self._ticks % 5 in BOARD:
            self._pull_board()
        if self._ticks % FOREST == 0:
            self._pull_forest()

    def pull(self) -> None:
        """Everything, at once: after a key that changed something."""
        self._pull_board()
        self._pull_text()
        self._pull_forest()

    def _pull_board(self) -> None:
        self._lead_to_question()
        if self._in_sight:
            self.query_one(Masthead).pull()
            self.query_one(Leaderboard).pull()
            self.query_one(Status).pull()
            self._offer_keys()

    def _offer_keys(self) -> None:
        """The footer is made anew only when other keys apply."""
        applies = self.view.state.phase, self.view.ledger.several
        if applies != self._applies:
            self._applies = applies
            self.refresh_bindings()

    def _key_words(self) -> dict[str, str]:
        return {"pause": "go on"} if self.view.state.phase == "paused" else {}

    def _pull_text(self) -> None:
        if self._in_sight:
            self.query_one(Transcript).pull()

    def _pull_forest(self) -> None:
        if self._in_sight:
            self.query_one(Lineage).pull()

    def _lead_to_question(self) -> None:
        """The first question that waits for the person opens by itself, later ones do not."""
        if not self._asked and self.app.screen is self and self.view.session.waiting():
            self._asked = True
            self.action_hand()

    # --- panes ---------------------------------------------------------------------------------

    def action_pane(self, pane: str) -> None:
        """Go to a pane; where there is room for one only, show it."""
        self._choose(pane)
        widget = self.query_one(f".pane-{pane}")
        target = next((each for each in widget.query("*") if each.focusable), None)
        self.set_focus(target or widget)  # at once: a key typed ahead is for this pane

    @on(PaneTabs.Chosen)
    def _tab_clicked(self, event: PaneTabs.Chosen) -> None:
        self.action_pane(event.pane)

    def _choose(self, pane: str) -> None:
        for name, _, kind in PANES:
            widget = self.query_one(kind)
            widget.set_class(name == pane, "chosen")
            if name == pane:
                for column in self.query(".column"):
                    column.set_class(column in widget.ancestors, "chosen")
        self.query_one(PaneTabs).choose(pane)

    def action_zoom(self) -> None:
        """The pane in focus alone, and back."""
        focused = self.focused
        for name, _, kind in PANES:
            pane = self.query_one(kind)
            if focused is not None and (pane is focused or pane in focused.ancestors):
                self._choose(name)
        self.toggle_class("-zoomed")

    @property
    def can_go_back(self) -> bool:
        """True when `back` would do something."""
        return self.view.past is not None or self.view.group is not None or self.has_class("-zoomed")

    def back(self) -> bool:
        """One step back on this screen: to now, to all groups, out of the zoom; False when there is none."""
        if self.view.past is not None:
            self.view.past = None
        elif self.view.group is not None:
            self.view.group = None
        elif self.has_class("-zoomed"):
            self.remove_class("-zoomed")
        else:
            return False
        self.pull()
        return True

    def help_texts(self) -> Iterable[tuple[str, str]]:
        """What the panes are, the one in focus first."""
        panes = list(self.query(Pane))
        focused = self.focused
        panes.sort(
            key=lambda pane: focused is None or (pane is not focused and pane not in focused.ancestors)
        )
        return [(pane.help_title, pane.help_text) for pane in panes]

    # --- what panes ask for --------------------------------------------------------------------

    @on(EntrantSelected)
    def _entrant_selected(self, event: EntrantSelected) -> None:
        """Board and lineage point to the same candidate: the pane with the focus leads, and no echo of it."""
        event.stop()
        if event.pane.has_focus_within:
            board, lineage = self.query_one(Leaderboard), self.query_one(Lineage)
            (lineage if event.pane is board else board).seek(event.entrant)

    def act_on(self, verb: str, entrant: Entrant) -> None:
        """Carry out what was asked of a candidate."""
        if verb == "diff":
            from arena_tui.console.screens.diff import DiffScreen

            self.app.push_screen(DiffScreen(self.view, entrant.group, entrant.id))
            return
        named = f"{entrant.group}:{entrant.id}" if self.view.ledger.several else entrant.id
        self.act(verb, named)

    # --- keys ----------------------------------------------------------------------------------

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        """Which keys apply now; the footer shows the others not at all."""
        state = self.view.state
        active = state.phase in ("running", "paused", "draining", "ready")
        match action:
            case "pause":
                return state.phase in ("running", "paused")
            case "abort":
                return active
            case "resume":
                return state.phase == "stopped"
            case "groups":
                return self.view.ledger.several
        return True

    def action_match_before(self) -> None:
        """The match before in the transcript, whatever pane has the focus."""
        self.query_one(Transcript).action_previous_match()

    def action_match_after(self) -> None:
        """The match after."""
        self.query_one(Transcript).action_next_match()

    def action_pause(self) -> None:
        """Pause, or go on; shown in the same frame."""
        self.view.session.pause()
        self.pull()
