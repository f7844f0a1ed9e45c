"""Keys of a run's screen that reach a pane which has not the focus."""

from __future__ import annotations

from console_facts import FakeFacts, FakeSession, entrant, ledger_of, screen_text
from debate_facts import decided
from picture_run import PictureApp, run_screen
from textual.message import Message

from arena_tui.console.framed import FramedApp
from arena_tui.console.glyphs import UNICODE
from arena_tui.console.messages import EntrantSelected
from arena_tui.console.screens.run import RunScreen
from arena_tui.console.widgets.leaderboard import BoardRows, Leaderboard
from arena_tui.console.widgets.lineage import Lineage
from arena_tui.console.widgets.lineage_rows import LineageRows
from arena_tui.console.widgets.pane import FilterLine


class Between(Message):
    """A message that nobody handles."""


class Host(FramedApp[None]):
    """An app with the screen on it."""

    def __init__(self, shown: RunScreen) -> None:
        super().__init__()
        self.shown = shown

    def on_mount(self) -> None:
        """Show it."""
        self.push_screen(self.shown)


async def test_brackets_step_through_the_transcript_from_the_leaderboard() -> None:
    facts = FakeFacts(ledger_of([entrant("alpha"), entrant("beta")], 5))
    facts.matches = {("main", seq): decided(seq) for seq in range(1, 6)}
    screen = RunScreen(FakeSession(), UNICODE, feed=facts)
    app = Host(screen)
    async with app.run_test(size=(120, 40)) as pilot:
        await pilot.pause()
        screen.action_pane("board")
        focused = app.focused
        assert focused is not None
        assert screen.query_one(Leaderboard) in focused.ancestors_with_self
        for key, words in (
            ("left_square_bracket", "4th of 5 decided"),
            ("left_square_bracket", "3rd of 5 decided"),
            ("right_square_bracket", "4th of 5 decided"),
        ):
            screen.pull()
            await pilot.press(key)
            await pilot.pause()
            assert words in screen_text(app)
        assert app.focused is focused


async def test_board_and_lineage_point_to_the_same_candidate() -> None:
    screen = run_screen()
    app = PictureApp(screen)
    async with app.run_test(size=(120, 40)) as pilot:
        await pilot.pause(0.2)
        board, lineage = screen.query_one(Leaderboard), screen.query_one(Lineage)
        await pilot.press("1", "down", "down")
        await pilot.pause(0.2)
        node = lineage.query_one(LineageRows).node
        assert node is not None
        assert board.entrant is node.entrant
        await pilot.press("3", "end")
        await pilot.pause(0.2)
        node = lineage.query_one(LineageRows).node
        assert node is not None
        assert board.entrant is node.entrant


async def test_the_pane_that_follows_does_not_lead_by_its_echo() -> None:
    """Two echoes under way at once would drive the panes to and fro for ever, and starve the run."""
    screen = run_screen()
    app = PictureApp(screen)
    told: list[Message] = []
    async with app.run_test(size=(120, 40), message_hook=told.append) as pilot:
        await pilot.pause(0.2)
        board, rows = screen.query_one(Leaderboard), screen.query_one(LineageRows)
        await pilot.press("1", "down")
        await pilot.pause(0.2)
        led, others = rows.node, [row.node.entrant for row in rows.rows if row.node is not rows.node]
        told.clear()
        for entrant_ in others[:2]:
            assert entrant_ is not None
            screen.post_message(EntrantSelected(entrant_, screen.query_one(Lineage)))
            screen.post_message(Between())  # else the second would take the place of the first
        await pilot.pause(0.2)
        assert rows.node is led
        assert led is not None
        assert board.entrant is led.entrant
        assert not [message for message in told if isinstance(message, LineageRows.Moved)]


async def test_a_key_typed_ahead_is_for_the_pane_or_line_that_the_key_before_opened() -> None:
    screen = run_screen()
    app = PictureApp(screen)
    async with app.run_test(size=(120, 40)) as pilot:
        await pilot.pause(0.2)
        screen.action_pane("tree")
        assert isinstance(screen.focused, LineageRows)
        screen.query_one(Lineage).action_filter()
        assert isinstance(screen.focused, FilterLine)
        screen.action_pane("board")
        assert isinstance(screen.focused, BoardRows)
