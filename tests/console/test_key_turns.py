"""Keys that come faster than they are handled do what they would have done one by one."""

from __future__ import annotations

import asyncio
from typing import ClassVar

import pytest
from picture_run import PictureApp, run_screen
from textual import events, on
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.pilot import Pilot
from textual.widgets import Input, Static

from arena_tui.console.framed import FramedApp
from arena_tui.console.widgets.leaderboard import BoardRows, Leaderboard
from arena_tui.console.widgets.pane import FilterLine


class Slow(Static, can_focus=True):
    """A widget that takes its time for each key."""

    async def on_key(self) -> None:
        """Be slow."""
        await asyncio.sleep(0.02)


class Lines(FramedApp[None]):
    """`n` opens a line, Enter closes it by way of two messages; digits outside of it are commands."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("n", "note"),
        *(Binding(digit, f"say({digit})") for digit in "12"),
    ]

    class Closed(events.Message):
        """The line is done."""

    def __init__(self) -> None:
        super().__init__()
        self.said: list[int | str] = []

    def compose(self) -> ComposeResult:
        """What has the focus, and the line."""
        yield Slow("slow")
        yield Input()

    def on_mount(self) -> None:
        """Begin outside of the line."""
        self.query_one(Slow).focus()

    def action_note(self) -> None:
        """Open the line."""
        self.query_one(Input).focus()

    def action_say(self, digit: int) -> None:
        """A command."""
        self.said.append(digit)

    @on(Input.Submitted)
    def _submitted(self, event: Input.Submitted) -> None:
        self.said.append(event.value)
        event.input.post_message(self.Closed())

    async def on_lines_closed(self) -> None:
        """Back."""
        self.query_one(Slow).focus()


def type_at_once(pilot: Pilot[None], *keys: str) -> None:
    """All keys before the first is looked at."""
    for key in keys:
        pilot.app.post_message(events.Key("slash" if key == "/" else key, key if len(key) == 1 else None))


async def done(pilot: Pilot[None], keys: int) -> None:
    """Every key has had its turn."""
    for _ in range(keys * 20):
        await pilot.pause(0.02)


async def test_what_is_typed_ahead_goes_to_the_line_that_opens_and_after_it_to_what_is_below() -> None:
    async with Lines().run_test() as pilot:
        await pilot.pause()
        app = pilot.app
        assert isinstance(app, Lines)
        type_at_once(pilot, "1", "n", "1", "2", "n", "enter", "2", "1")
        await done(pilot, 8)
        assert app.said == [1, "12n", 2, 1]


async def test_a_paste_behind_a_key_waits_its_turn() -> None:
    async with Lines().run_test() as pilot:
        await pilot.pause()
        type_at_once(pilot, "n", "1")
        pilot.app.post_message(events.Paste("pasted"))
        await done(pilot, 3)
        assert pilot.app.query_one(Input).value == "1pasted"


async def test_a_key_whose_widget_goes_away_does_not_hold_the_others_for_ever() -> None:
    async with Lines().run_test() as pilot:
        await pilot.pause()
        app = pilot.app
        type_at_once(pilot, "1")
        app.query_one(Slow).remove()
        type_at_once(pilot, "2", "n", "x")
        await done(pilot, 10)
        assert app.query_one(Input).value.endswith("2nx"), "the line has the focus now"


@pytest.mark.parametrize("size", [(80, 24), (120, 40)])
async def test_a_filter_can_be_typed_in_one_go(size: tuple[int, int]) -> None:
    screen = run_screen()
    async with PictureApp(screen).run_test(size=size) as pilot:
        await pilot.pause(0.2)
        type_at_once(pilot, "2", "1", "/", "a", "x", "enter", "end")
        await done(pilot, 7)
        assert screen.query_one(Leaderboard).query_one(FilterLine).value == "ax"
        assert isinstance(screen.focused, BoardRows)
        assert len(pilot.app.screen_stack) == 2, "no letter was taken for a command"
