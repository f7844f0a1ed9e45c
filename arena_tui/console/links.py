"""How screens lead to each other: from candidate to match, to parents, to a moment of the past; and copying.

Screens post what a person wanted and know no other screen; the app, which is built on this, connects them.
"""

from __future__ import annotations

from textual import on

from arena_tui.console.framed import FramedApp
from arena_tui.console.screens.candidate import CandidateScreen
from arena_tui.console.screens.diff import DiffScreen
from arena_tui.console.screens.history import HistoryScreen
from arena_tui.console.screens.match import MatchScreen
from arena_tui.console.screens.run import RunScreen
from arena_tui.console.widgets.leaderboard import Leaderboard
from arena_tui.console.widgets.lineage import Lineage
from arena_tui.console.widgets.plain import notify
from arena_tui.console.widgets.transcript import Transcript
from arena_tui.safetext import clean

SHOWN = 60  # cells of what was copied that the notice repeats


class Links(FramedApp[None]):
    """The part of the app that connects screens."""

    def run_screen(self) -> RunScreen | None:
        """The run that the present screen belongs to: the nearest one below."""
        return next((each for each in reversed(self.screen_stack) if isinstance(each, RunScreen)), None)

    @on(CandidateScreen.EntrantActed)
    def _entrant_acted(self, event: CandidateScreen.EntrantActed) -> None:
        if (run := self.run_screen()) is not None:
            run.act_on(event.verb, event.entrant)

    @on(CandidateScreen.EntrantOpened)
    def _entrant_opened(self, event: CandidateScreen.EntrantOpened) -> None:
        if (run := self.run_screen()) is not None:
            self.push_screen(CandidateScreen(run.view, event.entrant.group, event.entrant.id))

    @on(CandidateScreen.MatchOpened)
    def _match_opened(self, event: CandidateScreen.MatchOpened) -> None:
        if (run := self.run_screen()) is not None:
            self.push_screen(MatchScreen(run.view, event.group, event.seq))

    @on(MatchScreen.Overruled)
    def _overruled(self, event: MatchScreen.Overruled) -> None:
        if (run := self.run_screen()) is not None:
            run.act("overrule", f"{event.group}:{event.seq}", event.outcome)

    @on(MatchScreen.HandWanted)
    def _hand_wanted(self, event: MatchScreen.HandWanted) -> None:
        if (run := self.run_screen()) is not None:
            run.judge_by_hand(event.group, event.seq)

    @on(HistoryScreen.MomentChosen)
    def _moment_chosen(self, event: HistoryScreen.MomentChosen) -> None:
        run = self.run_screen()
        if run is None:
            return
        run.view.past = event.ledger
        if isinstance(self.screen, HistoryScreen):
            self.pop_screen()
        run.pull()

    @on(Leaderboard.Copied)
    @on(Lineage.Copied)
    @on(Transcript.Copied)
    @on(CandidateScreen.Copied)
    @on(MatchScreen.Copied)
    @on(DiffScreen.Copied)
    def _copied(
        self,
        event: Leaderboard.Copied
        | Lineage.Copied
        | Transcript.Copied
        | CandidateScreen.Copied
        | MatchScreen.Copied
        | DiffScreen.Copied,
    ) -> None:
        text = clean(event.text)
        self.copy_to_clipboard(text)
        first = text.strip().partition("\n")[0]
        notify(self, f"copied: {first if len(first) <= SHOWN else first[:SHOWN] + '...'}")
