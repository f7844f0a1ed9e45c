"""Two runs side by side, and the judge report."""

from __future__ import annotations

from pathlib import Path

import pytest
from console_facts import HOSTILE_KINDS, FakeSession, settled
from fake_arena import FakeArena, ScreenApp, until_shown
from rich.cells import cell_len

from arena_tui.console.screens.compare import CompareScreen
from arena_tui.console.screens.judge_report import JudgeReportScreen
from arena_tui.errors import NotARun, StoreError

ROWS = (("matches", "40", "62"), ("judge", "mock:panel", "mock:panel"), ("Alpha", "1 (1312)", "2 (1290)"))


def compared(arena: FakeArena) -> ScreenApp:
    """Two runs side by side."""
    return ScreenApp(CompareScreen(arena, Path("one.db"), Path("other.db")))


@pytest.mark.parametrize("width", [80, 200])
async def test_two_runs_stand_in_columns_under_their_names(width: int) -> None:
    async with compared(FakeArena(rows=ROWS)).run_test(size=(width, 24)) as pilot:
        text = await until_shown(pilot, "1 (1312)")
    lines = text.splitlines()
    head = next(line for line in lines if "other" in line)
    row = next(line for line in lines if "Alpha" in line)
    assert head.index("one") == row.index("1 (1312)")
    assert head.index("other") == row.index("2 (1290)")


async def test_a_run_that_cannot_be_read_says_why() -> None:
    arena = FakeArena(fails={"compare": NotARun("one.db: this is not a run of arena")})
    async with compared(arena).run_test(size=(80, 24)) as pilot:
        await until_shown(pilot, "one.db: this is not a run of arena")


@pytest.mark.parametrize("text", HOSTILE_KINDS)
async def test_hostile_texts_stay_text_in_comparison_and_report(text: str) -> None:
    async with compared(FakeArena(rows=[(text, text, "x" * 500), *ROWS])).run_test(size=(80, 24)) as pilot:
        told = await until_shown(pilot, "1 (1312)")
    assert all(cell_len(line) <= 80 for line in told.splitlines())
    async with ScreenApp(JudgeReportScreen(FakeSession(health=[text, text, "end"]))).run_test() as pilot:
        told += await until_shown(pilot, "end")
    assert "\x1b" not in told
    assert "\x9b" not in told


async def test_the_judge_report_is_read_anew_by_a_key() -> None:
    session = FakeSession(health=["the judge is consistent", "draws 3 %"])
    async with ScreenApp(JudgeReportScreen(session)).run_test(size=(80, 24)) as pilot:
        text = await until_shown(pilot, "the judge is consistent")
        assert "draws 3 %" in text
        session.health = ["the judge contradicts itself"]
        await pilot.press("f5")
        text = await until_shown(pilot, "the judge contradicts itself")
        assert "draws" not in text


async def test_a_long_report_scrolls() -> None:
    session = FakeSession(health=[f"line {number}" for number in range(200)])
    async with ScreenApp(JudgeReportScreen(session)).run_test(size=(80, 24)) as pilot:
        await until_shown(pilot, "line 5")
        await pilot.press("end")
        await until_shown(pilot, "line 199")


async def test_a_report_that_cannot_be_had_says_why() -> None:
    session = FakeSession()

    async def judge_words() -> list[str]:
        raise StoreError("the run's database is gone")

    session.judge_words = judge_words  # type: ignore[method-assign]
    async with ScreenApp(JudgeReportScreen(session)).run_test(size=(80, 24)) as pilot:
        await until_shown(pilot, "the run's database is gone")
        await settled(pilot)


async def test_figures_have_their_difference_and_the_header_is_not_repeated() -> None:
    rows = [
        ("run", "one", "other"),
        ("seed", "11", "12"),
        ("matches", "40", "62"),
        ("USD", "0.84", "not known"),
        ("Alpha", "1.  1312.0", "2.  1290.5"),
        ("Beta", "2.  1200.0", "1.  1200.0"),
    ]
    async with compared(FakeArena(rows=rows)).run_test(size=(80, 24)) as pilot:
        lines = (await until_shown(pilot, "1290.5")).splitlines()
    ends = {line.strip("│ ").split(" ")[0]: line.strip("│ ").split(" ")[-1] for line in lines}
    assert "run" not in ends
    assert ends["one"] == "difference"
    assert (ends["seed"], ends["matches"], ends["USD"]) == ("12", "+22", "known")
    assert (ends["Alpha"], ends["Beta"]) == ("-21.5", "0")


async def test_enter_is_not_offered_where_it_opens_nothing() -> None:
    async with compared(FakeArena(rows=ROWS)).run_test(size=(80, 24)) as pilot:
        text = await until_shown(pilot, "1 (1312)")
    assert "open" not in text
