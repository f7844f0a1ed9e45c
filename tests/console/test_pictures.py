"""Pictures of the console, compared with the kept ones; `--snapshot-update` makes them anew.

Clock, seed, theme and size are fixed; the README shows the first one.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, get_args

import pytest
from console_facts import entrant, ledger_of, screen_text, view_of
from fake_arena import NOON, RUNS, FakeArena, setup_of
from picture_run import PictureApp, bracket, fitted, question, run_screen
from test_systems_screens import view as systems_view
from textual.app import App, ComposeResult
from textual.pilot import Pilot
from textual.screen import Screen

from arena_tui.console.glyphs import ASCII, UNICODE
from arena_tui.console.screens.dialogs import ChooseScreen
from arena_tui.console.screens.groups import GroupsScreen
from arena_tui.console.screens.hand import HandScreen, SessionQuestions
from arena_tui.console.screens.help import HelpScreen
from arena_tui.console.screens.home import HomeScreen
from arena_tui.console.screens.match import MatchScreen
from arena_tui.console.screens.ready import ReadyScreen
from arena_tui.console.screens.run import RunScreen
from arena_tui.console.widgets.status import Status
from arena_tui.engine.confident import Sureness
from arena_tui.engine.state import GroupState
from arena_tui.store.board_rows import GroupFact
from arena_tui.vocabulary import ARENA, StopReason

Compare = Callable[..., bool]


async def rest(pilot: Pilot[Any]) -> None:
    """Wait until everything is on the screen."""
    for _ in range(4):
        await pilot.pause(0.15)


def test_a_run_at_work(snap_compare: Compare) -> None:
    assert snap_compare(PictureApp(run_screen()), terminal_size=(120, 36), run_before=rest)


def test_a_run_at_work_on_80x24(snap_compare: Compare) -> None:
    assert snap_compare(PictureApp(run_screen()), terminal_size=(80, 24), run_before=rest)


def test_a_run_at_work_on_200x60(snap_compare: Compare) -> None:
    assert snap_compare(PictureApp(run_screen()), terminal_size=(200, 60), run_before=rest)


def test_a_paused_run_in_ascii(snap_compare: Compare) -> None:
    app = PictureApp(run_screen(glyphs=ASCII, phase="paused"), plain_ascii=True)
    assert snap_compare(app, terminal_size=(120, 36), run_before=rest)


def test_an_abort_is_asked_about_while_calls_finish(snap_compare: Compare) -> None:
    async def ask(pilot: Pilot[Any]) -> None:
        await rest(pilot)
        await pilot.press("a")
        await rest(pilot)
        await pilot.press("a")
        await rest(pilot)
        assert "STOPPING" in screen_text(pilot.app)
        await pilot.press("a")
        await rest(pilot)
        assert isinstance(pilot.app.screen, ChooseScreen)

    assert snap_compare(PictureApp(run_screen()), terminal_size=(120, 36), run_before=ask)


SURE = Sureness(0, 1, 0.91, 0.74, 0.11, True, 62, 96, 1, 0.95, 0.3)


def scheduled(kind: str, *, behind: int = 0, sure: bool = False, **group: object) -> RunScreen:
    """A run of another format than Elo, which says how far it is."""
    group_state: Any = {"sureness": (SURE,) if sure else (), **group}
    return run_screen(fitted(kind, behind), groups={"main": GroupState("main", applied=62, **group_state)})


def test_an_adaptive_run_tells_how_sure_it_is(snap_compare: Compare) -> None:
    screen = scheduled("adaptive", sure=True)
    assert snap_compare(PictureApp(screen), terminal_size=(120, 40), run_before=rest)


def test_an_adaptive_run_on_80x24(snap_compare: Compare) -> None:
    screen = scheduled("adaptive", behind=2, sure=True)
    assert snap_compare(PictureApp(screen), terminal_size=(80, 24), run_before=rest)


def test_a_swiss_run_on_200x60(snap_compare: Compare) -> None:
    screen = scheduled("swiss", expected=496, phase="round 2 of 5")
    assert snap_compare(PictureApp(screen), terminal_size=(200, 60), run_before=rest)


def test_a_knockout_that_pauses_after_its_round(snap_compare: Compare) -> None:
    group = GroupState("main", applied=7, expected=11, phase="round 2 of 4")
    screen = run_screen(bracket(), groups={"main": group}, started=7, held=0, match_limit=None)
    state = screen.view.state
    state.phase, state.pause_reason = "paused", "round 2 of group main is finished"
    state.in_flight, state.quiet = {}, True
    assert snap_compare(PictureApp(screen), terminal_size=(120, 40), run_before=rest)


def test_a_match_of_systems(snap_compare: Compare) -> None:
    screen = MatchScreen(systems_view(), ARENA, 1)
    assert snap_compare(PictureApp(screen), terminal_size=(120, 30), run_before=rest)


class Endings(Screen[None]):
    """The status of runs that ended for each reason there is, one below the other."""

    CSS = "Status { height: 6; }"

    def compose(self) -> ComposeResult:
        for reason in get_args(StopReason):
            view = view_of(
                ledger_of([entrant("alpha"), entrant("beta")], 8),
                phase="stopped",
                stop_reason=reason,
                stop_detail=f"what the engine says of {reason}",
                match_limit=20,
                started=8,
            )
            yield Status(view, now=lambda: 600.0)

    def on_mount(self) -> None:
        for status in self.query(Status):
            status.pull()


def test_every_stop_reason_in_words(snap_compare: Compare) -> None:
    assert snap_compare(PictureApp(Endings()), terminal_size=(80, 44), run_before=rest)


def test_a_forest_with_children_of_two_parents(snap_compare: Compare) -> None:
    async def zoom(pilot: Pilot[Any]) -> None:
        await rest(pilot)
        await pilot.press("3", "z")
        await rest(pilot)

    assert snap_compare(PictureApp(run_screen()), terminal_size=(100, 24), run_before=zoom)


def test_groups(snap_compare: Compare) -> None:
    groups = [f"prompt-{number}" for number in range(6)]
    facts = [
        entrant(f"{group}-{name}", group=group, title=f"Answer {name} to {group}")
        for group in groups
        for name in "abc"
    ]
    view = view_of(ledger_of(facts, 60, groups=groups))
    for number, group in enumerate(groups):
        view.state.groups[group].applied = view.ledger.groups[group].applied
        if number > 3:
            view.ledger.open_group(GroupFact(group, None, "closed", "ELO_STABLE", "the top has settled"))

    class Under(Screen[None]):
        async def on_mount(self) -> None:
            await self.app.push_screen(GroupsScreen(view))

    assert snap_compare(PictureApp(Under()), terminal_size=(100, 24), run_before=rest)


def test_judging_by_hand(snap_compare: Compare) -> None:
    session = run_screen().view.session
    session.questions = [question()]  # type: ignore[attr-defined]
    screen = HandScreen(SessionQuestions(session), UNICODE)
    assert snap_compare(PictureApp(screen), terminal_size=(100, 30), run_before=rest)


def test_ready(snap_compare: Compare) -> None:
    screen = ReadyScreen(FakeArena(), setup_of(), glyphs=UNICODE)
    assert snap_compare(PictureApp(screen), terminal_size=(100, 30), run_before=rest)


def test_home_in_the_light_theme(snap_compare: Compare) -> None:
    screen = HomeScreen(FakeArena(list(RUNS)), UNICODE, now=lambda: NOON)
    assert snap_compare(PictureApp(screen, theme="arena-light"), terminal_size=(120, 30), run_before=rest)


def test_help(snap_compare: Compare) -> None:
    class Under(Screen[None]):
        async def on_mount(self) -> None:
            await self.app.push_screen(HelpScreen(["board", "rows"], (), {}))

    assert snap_compare(PictureApp(Under()), terminal_size=(100, 40), run_before=rest)


@pytest.mark.parametrize("size", [(40, 10), (59, 30), (100, 15)])
async def test_a_window_too_small_says_so_and_the_run_goes_on(size: tuple[int, int]) -> None:
    app: App[None] = PictureApp(run_screen())
    async with app.run_test(size=size) as pilot:
        await rest(pilot)
        assert "too small" in screen_text(app)
        assert "Leaderboard" not in screen_text(app)
        await pilot.resize_terminal(80, 24)
        await rest(pilot)
        assert "Leaderboard" in screen_text(app)
        assert "too small" not in screen_text(app)
