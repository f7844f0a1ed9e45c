"""The base of all long lists: what it draws, and how its cursor moves."""

from __future__ import annotations

from collections.abc import Hashable

from console_facts import PaneApp, screen_text, settled
from rich.text import Text

from arena_tui.console.widgets.rows import Rows


class Numbers(Rows):
    """Counts how often each row was drawn."""

    def __init__(self, count: int) -> None:
        super().__init__()
        self.values = list(range(count))
        self.drawn: list[int] = []
        self.picked: list[int] = []
        self.clicked: list[int] = []

    def count(self) -> int:
        return len(self.values)

    def signature(self, index: int) -> Hashable:
        return self.values[index]

    def draw(self, index: int, width: int) -> Text:
        self.drawn.append(index)
        return Text(f"row {self.values[index]}")

    def header(self, width: int) -> Text:
        return Text(f"header of {width}")

    def chosen(self, index: int) -> None:
        self.picked.append(index)

    def header_clicked(self, x: int) -> None:
        self.clicked.append(x)


async def test_only_rows_in_sight_are_drawn() -> None:
    rows = Numbers(10_000)
    async with PaneApp(rows).run_test(size=(30, 10)) as pilot:
        await settled(pilot)
        assert set(rows.drawn) <= set(range(10))
        rows.focus()
        rows.drawn.clear()
        await pilot.press("end")
        await settled(pilot)
        assert set(rows.drawn) - {0} <= set(range(9_990, 10_000))
        assert "row 9999" in screen_text(pilot.app)


async def test_only_a_changed_row_is_drawn_again() -> None:
    rows = Numbers(100)
    async with PaneApp(rows).run_test(size=(30, 10)) as pilot:
        await settled(pilot)
        rows.drawn.clear()
        rows.rows_changed()
        await settled(pilot)
        assert rows.drawn == []
        rows.values[3] = 333
        rows.rows_changed()
        await settled(pilot)
        assert rows.drawn == [3]
        assert "row 333" in screen_text(pilot.app)


async def test_the_header_stays_while_rows_scroll() -> None:
    rows = Numbers(100)
    async with PaneApp(rows).run_test(size=(30, 10)) as pilot:
        rows.focus()
        await pilot.press("end")
        await settled(pilot)
        lines = screen_text(pilot.app).split("\n")
        assert lines[0].startswith("header of 29")
        assert lines[9].startswith("row 99")


async def test_the_cursor_stays_within_the_rows_and_in_sight() -> None:
    rows = Numbers(50)
    async with PaneApp(rows).run_test(size=(30, 10)) as pilot:
        rows.focus()
        await pilot.press("up")
        assert rows.cursor == 0
        await pilot.press("pagedown", "pagedown", "j", "k")
        await settled(pilot)
        assert rows.cursor == 16
        assert "row 16" in screen_text(pilot.app)
        await pilot.press("end", "down")
        assert rows.cursor == 49
        await pilot.press("home")
        await settled(pilot)
        assert "row 0" in screen_text(pilot.app)


async def test_rows_that_go_away_take_the_cursor_along() -> None:
    rows = Numbers(50)
    async with PaneApp(rows).run_test(size=(30, 10)) as pilot:
        rows.focus()
        await pilot.press("end")
        del rows.values[5:]
        rows.rows_changed()
        await settled(pilot)
        assert rows.cursor == 4
        assert "row 5" not in screen_text(pilot.app)
        rows.values.clear()
        rows.rows_changed()
        await settled(pilot)
        assert "nothing here yet" in screen_text(pilot.app)
        await pilot.press("enter")
        assert rows.picked == []


async def test_a_click_moves_the_cursor_and_two_choose() -> None:
    rows = Numbers(50)
    async with PaneApp(rows).run_test(size=(30, 10)) as pilot:
        await settled(pilot)
        await pilot.click(rows, offset=(2, 4))
        assert (rows.cursor, rows.picked) == (3, [])
        await pilot.click(rows, offset=(2, 4), times=2)
        assert rows.picked == [3]
        await pilot.click(rows, offset=(7, 0))
        assert rows.clicked == [7]
        await pilot.press("enter")
        assert rows.picked == [3, 3]


async def test_the_last_column_is_not_under_the_scrollbar() -> None:
    for count in (3, 300):
        rows = Numbers(count)
        async with PaneApp(rows).run_test(size=(30, 10)) as pilot:
            await settled(pilot)
            assert rows.row_width == 29
            assert screen_text(pilot.app).startswith("header of 29")


async def test_a_smaller_terminal_keeps_the_cursor_in_sight() -> None:
    rows = Numbers(100)
    async with PaneApp(rows).run_test(size=(60, 40)) as pilot:
        rows.focus()
        rows.show_row(35)
        await settled(pilot)
        await pilot.resize_terminal(30, 10)
        await settled(pilot)
        assert "row 35" in screen_text(pilot.app)
