"""How screens lead to each other: from candidate to match, to parents, to a moment of the past; and copying.

Screens post what a person wanted and know no other screen; the app, which is built on this, connects them.
Handlers go by Textual's names for messages, so that the screens need not be imported before one is shown.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from arena_tui.console.framed import FramedApp
from arena_tui.console.widgets.plain import notify
from arena_tui.safetext import clean

if TYPE_CHECKING:
    from arena_tui.console.messages import Copied, EntrantActed, EntrantOpened, MatchOpened
    from arena_tui.console.screens.history import HistoryScreen
    from arena_tui.console.screens.match import MatchScreen
    from arena_tui.console.screens.run import RunScreen

SHOWN = 60  # cells of what was copied that the notice repeats


class Links(FramedApp[None]):
    """The part of the app that connects screens."""

    def run_screen(self) -> RunScreen | None:
        """The run that the present screen belongs to: the nearest one below."""
        from arena_tui.console.screens.run import RunScreen

        return next((each for each in reversed(self.screen_stack) if isinstance(each, RunScreen)), None)

    def on_entrant_acted(self, event: EntrantActed) -> None:
        """Do what was asked of a candidate."""
        if (run := self.run_screen()) is not None:
            run.act_on(event.verb, event.entrant)

    def on_entrant_opened(self, event: EntrantOpened) -> None:
        """To a candidate's own screen."""
        if (run := self.run_screen()) is not None:
            from arena_tui.console.screens.candidate import CandidateScreen

            self.push_screen(CandidateScreen(run.view, event.entrant.group, event.entrant.id))

    def on_match_opened(self, event: MatchOpened) -> None:
        """To a match's own screen."""
        if (run := self.run_screen()) is not None:
            from arena_tui.console.screens.match import MatchScreen

            self.push_screen(MatchScreen(run.view, event.group, event.seq))

    def on_match_screen_overruled(self, event: MatchScreen.Overruled) -> None:
        """Give a match another outcome."""
        if (run := self.run_screen()) is not None:
            run.act("overrule", f"{event.group}:{event.seq}", event.outcome)

    def on_match_screen_hand_wanted(self, event: MatchScreen.HandWanted) -> None:
        """Judge a match by hand."""
        if (run := self.run_screen()) is not None:
            run.judge_by_hand(event.group, event.seq)

    def on_history_screen_moment_chosen(self, event: HistoryScreen.MomentChosen) -> None:
        """All panes as they were at a moment."""
        from arena_tui.console.screens.history import HistoryScreen

        run = self.run_screen()
        if run is None:
            return
        run.view.past = event.ledger
        if isinstance(self.screen, HistoryScreen):
            self.pop_screen()
        run.pull()

    def on_copied(self, event: Copied) -> None:
        """To the clipboard; over ssh too, where the terminal takes OSC 52."""
        text = clean(event.text)
        self.copy_to_clipboard(text)
        first = text.strip().partition("\n")[0]
        notify(self, f"copied: {first if len(first) <= SHOWN else first[:SHOWN] + '...'}")
