"""What the keys of a run's screen do beyond its panes: abort, resume, limits, adding, exports, other screens.

Each asks what it needs in a dialog and lets the session or the installation do it in a worker.
"""

from __future__ import annotations

from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, cast

from textual.screen import Screen

from arena_tui.console.limits import used_up
from arena_tui.console.paths import POOLS
from arena_tui.console.paths import SUFFIXES as YAML
from arena_tui.console.screens.dialogs import AskScreen, ChooseScreen, LimitsScreen
from arena_tui.console.view import RunView
from arena_tui.console.widgets.plain import notify
from arena_tui.errors import ArenaError
from arena_tui.exit_codes import EXTERNAL
from arena_tui.values import counted

if TYPE_CHECKING:
    from arena_tui.console.app import ArenaApp

ABORT = "aborted at the console"
EXPORTS = (("s", "standings"), ("m", "matches"), ("c", "comparisons"), ("f", "config"))
SUFFIXES = {"config": ".yaml"}
TABLES = (".csv", ".jsonl", ".md")


def _path(typed: str) -> Path:
    return Path(typed.strip()).expanduser()


def _needs_path(typed: str) -> str:
    return "" if typed.strip() else "type the path of a file"


class RunKeys(Screen[None]):
    """The base of `RunScreen`: its keys. `view` and `pull` are the run screen's."""

    view: RunView

    @property
    def arena_app(self) -> ArenaApp:
        """The app, which knows the installation."""
        return cast("ArenaApp", self.app)

    def pull(self) -> None:
        """Draw everything that changed at once."""
        raise NotImplementedError

    # --- ending and going on -------------------------------------------------------------------

    def action_abort(self) -> None:
        """Ask, then stop: calls in flight finish; asked again, they are cancelled."""
        state = self.view.state
        if state.phase == "stopped":
            return
        calls = counted(len(state.in_flight), "call")
        if state.phase == "draining":
            question, first = f"Cancel the {calls} in flight?", ("c", "cancel them")
        else:
            question, first = "Abort the run?", ("a", "abort")
        detail = (
            "Nothing new starts; calls in flight finish. The run can be resumed later."
            if state.phase != "draining"
            else "What they would have said is asked for again when the run is resumed."
        )
        asked = ChooseScreen(
            question, (first, ("g", "go on")), first[0], detail=detail, again=("ctrl+c", "a", "q")
        )
        self.app.push_screen(asked, self._aborted)

    def _aborted(self, answer: str | None) -> None:
        if answer in ("a", "c"):
            self.view.session.abort(ABORT, EXTERNAL)
            self.pull()

    def action_resume(self) -> None:
        """Go on with a run that has stopped; one that a limit stopped asks for more first."""
        state = self.view.state
        if used_up(state):
            asked = LimitsScreen(
                state,
                question="A limit is used up: what shall it be?",
                hint="Enter goes on with these, Esc leaves the run as it is; empty: no limit",
            )
            self.app.push_screen(asked, self._resumed_with)
        else:
            self._resumed_with({})

    def _resumed_with(self, limits: dict[str, str] | None) -> None:
        if limits is not None:
            self.run_worker(self._resume(limits), group="resume", exclusive=True)

    async def _resume(self, limits: dict[str, str]) -> None:
        try:
            for key, value in limits.items():
                await self.view.session.act("limit", f"{key}={value or 'null'}")
        except ArenaError as error:
            notify(self.app, str(error), severity="error")
            return
        await self.arena_app.resume(self.view.session.db)

    def action_limits(self) -> None:
        """Change limits; journaled like any other action."""
        self.app.push_screen(LimitsScreen(self.view.state), self._limits_changed)

    def _limits_changed(self, limits: dict[str, str] | None) -> None:
        for key, value in (limits or {}).items():
            self.act("limit", f"{key}={value or 'null'}")

    def act(self, verb: str, *args: str) -> None:
        """Carry out one of `arena act`'s verbs and say what came of it."""
        self.run_worker(self._act(verb, args), group="acts")

    async def _act(self, verb: str, args: tuple[str, ...]) -> None:
        try:
            told = await self.view.session.act(verb, *args)
        except ArenaError as error:
            notify(self.app, str(error), severity="error")
        else:
            notify(self.app, told)
        self.pull()

    # --- files ---------------------------------------------------------------------------------

    def action_add(self) -> None:
        """Ask for a file of candidates and add them."""
        asked = AskScreen(
            "Add candidates",
            "a .jsonl, .csv or .yaml file, or a folder of texts",
            _needs_path,
            attempt=self._add,
            suffixes=POOLS,
        )
        self.app.push_screen(asked)

    async def _add(self, file: str) -> str:
        """Add what a file holds; what is wrong with it."""
        file = file.strip()
        try:
            candidates = await self.arena_app.arena.read_candidates(file)
            told = await self.view.session.act("add", file, candidates=candidates)
        except ArenaError as error:
            return str(error)
        notify(self.app, told)
        return ""

    def action_export(self) -> None:
        """Ask what, then where."""
        asked = ChooseScreen("Export what?", EXPORTS, "s")
        self.app.push_screen(asked, self._export_what)

    def _export_what(self, key: str | None) -> None:
        what = dict(EXPORTS).get(key or "")
        if what is None:
            return
        name = f"{self.view.session.run}-{what}{SUFFIXES.get(what, '.csv')}"
        kinds = YAML if what == "config" else TABLES
        asked = AskScreen(
            f"Export {what} to",
            f"a file: {', '.join(kinds)}",
            _needs_path,
            value=name,
            detail="An existing file is replaced.",
            attempt=partial(self._export, what),
            suffixes=kinds,
        )
        self.app.push_screen(asked)

    async def _export(self, what: str, target: str) -> str:
        """Write it; why it cannot be written."""
        try:
            told = await self.arena_app.arena.export(self.view.session.db, what, _path(target))
        except ArenaError as error:
            return str(error)
        notify(self.app, told)
        return ""

    # --- other screens -------------------------------------------------------------------------

    def action_groups(self) -> None:
        """The groups; Enter narrows everything to one."""
        from arena_tui.console.screens.groups import GroupsScreen

        self.app.push_screen(GroupsScreen(self.view), self._narrowed)

    def _narrowed(self, group: str | None) -> None:
        if group is not None:
            self.view.group = group
            self.pull()

    def action_history(self) -> None:
        """How ratings developed, and the run at an earlier moment."""
        from arena_tui.console.screens.history import HistoryScreen

        self.app.push_screen(HistoryScreen(self.view))

    def action_judge(self) -> None:
        """What is known of the judge."""
        from arena_tui.console.screens.judge_report import JudgeReportScreen

        self.app.push_screen(JudgeReportScreen(self.view.session))

    def action_hand(self) -> None:
        """What waits for the person, else the match on screen, blind."""
        if self.view.session.waiting():
            from arena_tui.console.by_hand import SessionQuestions
            from arena_tui.console.screens.hand import HandScreen

            self.app.push_screen(HandScreen(SessionQuestions(self.view.session), self.view.glyphs))
        elif self.view.match is not None:
            self.judge_by_hand(*self.view.match)
        else:
            notify(self.app, "nothing waits for you, and no match is on screen")

    def judge_by_hand(self, group: str, seq: int) -> None:
        """Judge one decided match without names, in an order drawn anew."""
        self.run_worker(self._judge_by_hand(group, seq), group="hand", exclusive=True)

    async def _judge_by_hand(self, group: str, seq: int) -> None:
        try:
            blind = await self.arena_app.arena.blind(self.view.session.db, group, seq)
        except ArenaError as error:
            notify(self.app, str(error), severity="warning")
        else:
            from arena_tui.console.by_hand import BlindMatches
            from arena_tui.console.screens.hand import HandScreen

            matches = BlindMatches(blind.matches, blind.titles, overrulable=True)
            self.app.push_screen(HandScreen(matches, self.view.glyphs))

    async def action_home(self) -> None:
        """All runs; the run that is driven here goes on."""
        await self.arena_app.go_home()
