"""How ratings developed, and the run at an earlier moment: curves, a time slider, board and lineage then."""

from __future__ import annotations

import asyncio
from collections.abc import Iterable, Sequence
from typing import ClassVar

from textual import on, work
from textual.app import ComposeResult
from textual.binding import BindingType
from textual.containers import Horizontal, Vertical
from textual.content import Content
from textual.message import Message
from textual.screen import Screen
from textual.widgets import Footer

from arena_tui.console.actions import bindings
from arena_tui.console.figures import rating_words, score_words
from arena_tui.console.ledger import Entrant, Ledger
from arena_tui.console.moments import Moments, leading
from arena_tui.console.view import RunView
from arena_tui.console.widgets.curves import SIGNS, Curves, Picture, by_all_matches, legend
from arena_tui.console.widgets.fitted_bars import FittedBars, bars_of
from arena_tui.console.widgets.lineage_rows import LineageRows
from arena_tui.console.widgets.plain import PlainStatic, notify, safe_line
from arena_tui.console.widgets.time_slider import MomentRows, TimeSlider
from arena_tui.errors import ArenaError

LOOK = 0.5  # seconds between looks at a live run
REST = 0.1  # seconds for which the slider must stand still before the journal is read
CURVES = 8  # candidates that are drawn at first
POINTS = "points after each match, by the matches of the run"
WHAT = {
    "elo": "Elo rating after each match, by the matches of the run",
    "adaptive": "fitted ratings at the moment of the slider",
}
"""What the picture shows, by kind of format."""


class HistoryScreen(Screen[None]):
    """Shows now, until the slider is moved; Enter takes its moment to the main panes."""

    DEFAULT_CSS = """
    HistoryScreen {
        #top { height: 3fr; }
        #curves { height: 1fr; width: 1fr; padding: 0 1 0 0; }
        #picture { width: 1fr; }
        #what { height: 1; color: $text-muted; }
        #legend { width: 34; padding: 0 1; }
        &.narrow #legend { width: 26; }
        #then { height: 2fr; }
        MomentRows, LineageRows {
            border: $frame $panel; border-title-color: $text-muted; width: 1fr; height: 1fr;
        }
        MomentRows:focus, LineageRows:focus { border: $frame $primary; border-title-color: $text; }
        LineageRows.none { display: none; }
    }
    """
    BINDINGS: ClassVar[list[BindingType]] = bindings("history")
    help_title = "Rating history"
    help_text = (
        "The ratings of the best candidates after each applied match; outside elo the points they had won in "
        "matches by then, and in adaptive, where points say nothing, the fitted ratings of the moment. A "
        "letter stands where a curve ends. "
        "Below the axis are actions and the first match of each generation. Left and right move the slider "
        "through the run: board and lineage show the moment it stands at. Enter takes that moment to the "
        "board and the lineage of the run's screen (its status stays at now); at the right end it is now, "
        "and follows the run."
    )

    class MomentChosen(Message):
        """The main panes are to show an earlier moment; None: now. `view.past` is set already."""

        def __init__(self, ledger: Ledger | None) -> None:
            self.ledger = ledger
            super().__init__()

    def __init__(self, view: RunView) -> None:
        super().__init__()
        self.view = view
        self._moments = Moments(view.group)
        self._moment: int | None = None  # None: now
        self._then: tuple[int, Ledger] | None = None  # the moment that was read last, and its facts
        self._curves = CURVES
        self._pulled: tuple[object, ...] = ()
        self._kind = view.facts.ledger.rules.kind

    def compose(self) -> ComposeResult:
        """Curves and legend, the slider, board and lineage."""
        with Horizontal(id="top"):
            with Vertical(id="picture"):
                yield PlainStatic(WHAT.get(self._kind, POINTS), id="what")
                if self._kind == "adaptive":
                    yield FittedBars(self.view.glyphs, id="curves")
                else:
                    yield Curves(self.view.glyphs, id="curves")
                yield TimeSlider(self.view.glyphs)
            yield PlainStatic(id="legend")
        with Horizontal(id="then"):
            yield MomentRows(self.view.glyphs, id="board")
            yield LineageRows(self.view.facts.ledger, self.view.group, self.view.glyphs)
        yield Footer(show_command_palette=False)

    def on_mount(self) -> None:
        """Begin at now, or at the moment that the main panes show: these go back to now."""
        now = self.view.facts.ledger
        self._moments.look(now)
        if self.view.past is not None:
            self._moment = self._moments.of_ledger(self.view.past)
            self._then = (self._moment, self.view.past)
            self.view.past = None
        self.query_one(TimeSlider).focus()
        self.set_interval(LOOK, self.pull)
        self.pull()

    def on_resize(self) -> None:
        """A narrow legend on a narrow screen."""
        self.set_class(self.size.width < 100, "narrow")
        self._pulled = ()
        self.pull()

    def help_texts(self) -> Iterable[tuple[str, str]]:
        """What the screen is."""
        return [(self.help_title, self.help_text)]

    # --- facts -----------------------------------------------------------------------------------

    @property
    def moment(self) -> int:
        """After how many applied matches the slider stands."""
        return self._moments.last if self._moment is None else self._moment

    def pull(self) -> None:
        """Look at the live facts; nothing to do while they, the slider and the choices are the same."""
        now = self.view.facts.ledger
        pulled = (now, now.revision, self._moment, self._curves, self._then)
        if len(pulled) == len(self._pulled) and all(
            one is other or one == other for one, other in zip(pulled, self._pulled, strict=True)
        ):
            return
        self._pulled = pulled
        self._moments.look(now)
        if self._moment is not None:
            self._moment = min(self._moment, self._moments.last)
        self._show_curves(now)
        self._show_slider()
        self._show_board(now)

    def _show_curves(self, now: Ledger) -> None:
        moments, last = self._moments, max(1, self._moments.last)
        drawn = leading(now, self._moments.group, self._curves)
        marks = tuple((x, safe_line(words, 60)) for x, words in moments.marks())
        if self._kind == "adaptive":
            shown = [self._as_then(each) for each in drawn]
            self.query_one(FittedBars).bars(bars_of(shown, marks, last))
            figures = ["" if each is None else rating_words(each) for each in shown]
            self._show_legend(drawn, figures)
            return
        then = None if self._moment is None else self._moments.index(self._moment) + 1 if self._moment else 0
        self.query_one(Curves).picture(
            Picture(
                tuple(by_all_matches(each, moments.indices, moments.began(each)) for each in drawn),
                (0, last),
                marks,
                None if self._moment is None else self._moment,
            )
        )
        ratings = [each.rating if then is None else each.rating_before(then) for each in drawn]
        elo = self._kind == "elo"
        self._show_legend(drawn, [f"{x:.0f}" if elo else score_words(x, self._kind) for x in ratings])

    def _as_then(self, entrant: Entrant) -> Entrant | None:
        """The candidate at the slider's moment; None before it was there, or before that moment is read."""
        if self._moment is None:
            return entrant
        if self._then is None or self._then[0] != self._moment:
            return None
        return self._then[1].find(entrant.group, entrant.id)

    def _show_legend(self, drawn: Sequence[Entrant], figures: Sequence[str]) -> None:
        width = (26 if self.has_class("narrow") else 34) - 2  # without its padding
        self.query_one("#legend", PlainStatic).show(legend(drawn, figures, width, self.view.glyphs))

    def _show_slider(self) -> None:
        last = self._moments.last
        self.query_one(TimeSlider).put(self.moment / last if last else 1.0, self._moments.words(self._moment))

    def _show_board(self, now: Ledger) -> None:
        """Board and lineage of the moment, as soon as its facts are there."""
        board, forest = self.query_one(MomentRows), self.query_one(LineageRows)
        ledger = now
        if self._moment is not None:
            if self._then is None or self._then[0] != self._moment:
                board.border_title = Content(f"Board: looking at match {self._moment:,}")
                return
            ledger = self._then[1]
        when = "now" if self._moment is None else f"after match {self._moment:,}"
        board.border_title = Content(f"Board, {when}")
        forest.border_title = Content(f"Lineage, {when}")
        board.look(ledger, self._moments.group, None if self._moment is None else now)
        forest.look(ledger, self._moments.group)
        forest.set_class(not forest.forest.has_lineage, "none")

    # --- the slider ------------------------------------------------------------------------------

    def go_to(self, moment: int) -> None:
        """Put the slider after that many matches; the newest is now, which follows the run."""
        last = self._moments.last
        moment = max(0, min(moment, last))
        self._moment = None if moment == last else moment
        self.workers.cancel_group(self, "then")
        if self._moment is not None and (self._then is None or self._then[0] != self._moment):
            self._read_soon(self._moment)
        self.pull()

    @work(exclusive=True, group="then")
    async def _read_soon(self, moment: int) -> None:
        await asyncio.sleep(REST)  # a held key is on its way to another moment
        await self._read(moment)

    async def _read(self, moment: int) -> Ledger | None:
        """The facts of a moment, shown when they are there; None when they cannot be read."""
        try:
            ledger = await self.view.facts.at(self._moments.pos(moment))
        except ArenaError as error:
            notify(self.app, str(error), severity="error")
            return None
        self._then = (moment, ledger)
        self.pull()
        return ledger

    @work(exclusive=True, group="then")
    async def _choose(self, moment: int) -> None:
        known = self._then[1] if self._then is not None and self._then[0] == moment else None
        ledger = known or await self._read(moment)
        if ledger is not None:
            self.view.past = ledger
            self.post_message(self.MomentChosen(ledger))

    @on(Curves.Placed)
    def _curves_placed(self, event: Curves.Placed) -> None:
        event.stop()
        self.query_one(TimeSlider).span(event.left, event.columns)

    @on(TimeSlider.Dragged)
    def _slider_dragged(self, event: TimeSlider.Dragged) -> None:
        event.stop()
        self.go_to(round(event.part * self._moments.last))

    @on(LineageRows.Chosen)
    def _node_chosen(self, event: LineageRows.Chosen) -> None:
        event.stop()
        self.action_show_moment()

    @on(LineageRows.Moved)
    def _node_reached(self, event: LineageRows.Moved) -> None:
        event.stop()

    def action_earlier(self) -> None:
        """One match back."""
        self.go_to(self.moment - 1)

    def action_later(self) -> None:
        """One match on."""
        self.go_to(self.moment + 1)

    def action_much_earlier(self) -> None:
        """A tenth of the run back."""
        self.go_to(self.moment - max(1, self._moments.last // 10))

    def action_much_later(self) -> None:
        """A tenth of the run on."""
        self.go_to(self.moment + max(1, self._moments.last // 10))

    def action_now(self) -> None:
        """Back to now."""
        self.go_to(self._moments.last)

    def action_show_moment(self) -> None:
        """Take the moment to the main panes."""
        self.workers.cancel_group(self, "then")
        if self._moment is None:
            self.view.past = None
            self.post_message(self.MomentChosen(None))
        else:
            self._choose(self._moment)

    def action_more(self) -> None:
        """One more curve."""
        self._curves = min(len(SIGNS), self._curves + 1)
        self.pull()

    def action_fewer(self) -> None:
        """One curve fewer."""
        self._curves = max(1, self._curves - 1)
        self.pull()
