"""The small questions: what Enter, Esc, letters and arrows answer, and that bad input is told in place."""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest
from console_facts import HOSTILE_KINDS, screen_text, settled
from textual.screen import ModalScreen

from arena_tui.console.framed import FramedApp
from arena_tui.console.limits import in_force, wrong_with
from arena_tui.console.paths import POOLS
from arena_tui.console.screens.dialogs import AskScreen, ChooseScreen, ConfirmScreen, LimitsScreen
from arena_tui.console.widgets.path_line import PathInput
from arena_tui.engine.state import RunState
from arena_tui.pool_formats import SUFFIXES

QUIT = (("p", "Pause and quit"), ("a", "Abort, then quit"), ("c", "Stay"))
NONE = object()


async def answer(dialog: ModalScreen[object], *keys: str, size: tuple[int, int] = (80, 24)) -> object:
    """What the dialog gives after these keys; NONE while it is still there."""
    given: list[object] = []
    app: FramedApp[None] = FramedApp()
    async with app.run_test(size=size) as pilot:
        app.push_screen(dialog, given.append)
        await settled(pilot)
        await pilot.press(*keys)
        await settled(pilot)
    return given[0] if given else NONE


def quit_question() -> ChooseScreen:
    """What is asked when a person leaves a run that is going on."""
    return ChooseScreen("Leave?", QUIT, "p", detail="It can be resumed.", again=("q", "ctrl+c"))


@pytest.mark.parametrize(
    ("keys", "given"),
    [
        (("enter",), "p"),
        (("a",), "a"),
        (("c",), "c"),
        (("A",), "a"),
        (("escape",), None),
        (("q",), "p"),
        (("right", "enter"), "a"),
        (("tab", "tab", "enter"), "c"),
        (("right", "left", "enter"), "p"),
        (("x",), NONE),
    ],
)
async def test_enter_takes_the_default_and_letters_choose(keys: tuple[str, ...], given: object) -> None:
    assert await answer(quit_question(), *keys) == given


async def test_a_key_that_the_app_keeps_can_take_the_default() -> None:
    given: list[object] = []
    app: FramedApp[None] = FramedApp()
    async with app.run_test() as pilot:
        dialog = quit_question()
        app.push_screen(dialog, given.append)
        await settled(pilot)
        dialog.take_default()
        dialog.take_default()
        await settled(pilot)
    assert given == ["p"]


async def test_a_click_chooses() -> None:
    given: list[object] = []
    app: FramedApp[None] = FramedApp()
    async with app.run_test() as pilot:
        app.push_screen(quit_question(), given.append)
        await settled(pilot)
        await pilot.click("#choice-1")
        await settled(pilot)
    assert given == ["a"]


async def test_many_long_answers_stand_one_below_the_other() -> None:
    choices = tuple((str(number), f"a rather long answer number {number}") for number in range(1, 6))
    app: FramedApp[None] = FramedApp()
    async with app.run_test(size=(60, 24)) as pilot:
        app.push_screen(ChooseScreen("Which?", choices, "3"))
        await settled(pilot)
        text = screen_text(app)
    assert all(label in text for _, label in choices)


@pytest.mark.parametrize(
    ("keys", "given"),
    [(("enter",), False), (("y",), True), (("n",), False), (("escape",), False), (("left", "enter"), True)],
)
async def test_confirming_takes_more_than_enter(keys: tuple[str, ...], given: bool) -> None:
    assert await answer(ConfirmScreen("Delete it?", "all of it", yes="Delete", no="Keep"), *keys) is given


def no_blanks(text: str) -> str:
    """A sentence about blanks."""
    return "it must not have blanks" if " " in text else ""


async def test_a_line_is_asked_for_until_it_is_right() -> None:
    given: list[object] = []
    app: FramedApp[None] = FramedApp()
    async with app.run_test() as pilot:
        app.push_screen(AskScreen("Name?", "one word", no_blanks), given.append)
        await settled(pilot)
        assert "one word" in screen_text(app)
        await pilot.press("a", "space", "b", "enter")
        await settled(pilot)
        assert "it must not have blanks" in screen_text(app)
        assert given == []
        await pilot.press("backspace", "backspace", "enter")
        await settled(pilot)
    assert given == ["a"]


async def test_esc_asks_for_nothing() -> None:
    assert await answer(AskScreen("Name?"), "a", "escape") is None
    assert await answer(LimitsScreen(RunState(concurrency=8)), "escape") is None


def limited() -> RunState:
    """A run with limits."""
    return RunState(
        match_limit=120, started=62, usd_limit=2.5, wall_clock_limit=5_400.0, elapsed=130, concurrency=8
    )


def test_limits_in_force_read_as_they_are_typed() -> None:
    assert in_force(limited()) == {
        "matches": "120",
        "usd": "2.5",
        "tokens": "",
        "wall_clock": "90m",
        "concurrency": "8",
    }
    assert in_force(RunState(wall_clock_limit=7_200.0))["wall_clock"] == "2h"
    assert in_force(RunState(wall_clock_limit=90.5))["wall_clock"] == "90.5s"


async def test_only_limits_that_were_changed_are_given_back() -> None:
    assert await answer(LimitsScreen(limited()), "ctrl+u", *"200", "enter") == {"matches": "200"}
    assert await answer(LimitsScreen(limited()), "down", "ctrl+u", "backspace", "enter") == {"usd": ""}
    assert await answer(LimitsScreen(limited()), "enter") == {}


async def test_a_limit_that_cannot_be_read_is_told_at_its_line() -> None:
    given: list[object] = []
    app: FramedApp[None] = FramedApp()
    async with app.run_test() as pilot:
        app.push_screen(LimitsScreen(limited()), given.append)
        await settled(pilot)
        await pilot.press("ctrl+u", *"many", "enter")
        await settled(pilot)
        lines = [line.strip(" │") for line in screen_text(app).splitlines()]
        at = next(place for place, line in enumerate(lines) if line.startswith("matches  many"))
        assert lines[at + 1].startswith("matches: expected a whole number of at least 1")
        assert "62 started" in lines[at]
        assert given == []


@pytest.mark.parametrize(
    ("key", "text", "bad"),
    [
        ("matches", "", False),
        ("matches", "12", False),
        ("matches", "0", True),
        ("matches", "2.5", True),
        ("usd", "2.50", False),
        ("usd", "-1", True),
        ("usd", "nan", True),
        ("wall_clock", "1h 30m", False),
        ("wall_clock", "soon", True),
        ("concurrency", "", True),
        ("concurrency", "16", False),
        ("tokens", "1e6", True),
    ],
)
def test_limits_are_read_as_in_a_file(key: str, text: str, bad: bool) -> None:
    assert bool(wrong_with(key, text)) is bad


@pytest.mark.parametrize("text", HOSTILE_KINDS)
async def test_hostile_texts_stay_text_in_questions(text: str) -> None:
    for dialog in (
        ChooseScreen(text, (("a", text), ("b", text)), "a", detail=text),
        ConfirmScreen(text, text, yes=text, no=text),
        AskScreen(text, text, lambda _: text, value=text, detail=text),
    ):
        app: FramedApp[None] = FramedApp()
        async with app.run_test(size=(80, 24)) as pilot:
            app.push_screen(dialog)
            await settled(pilot)
            if isinstance(dialog, AskScreen):
                await pilot.press("enter")
                await settled(pilot)
            told = screen_text(app)
        assert "\x1b" not in told
        assert "\x9b" not in told
        assert "╭" in told


async def test_a_line_stays_until_what_it_is_for_succeeds() -> None:
    tried: list[str] = []
    given: list[object] = []

    async def attempt(typed: str) -> str:
        tried.append(typed)
        return "" if typed == "ab" else f"no such file: '{typed}'"

    app: FramedApp[None] = FramedApp()
    async with app.run_test() as pilot:
        app.push_screen(AskScreen("File?", attempt=attempt), given.append)
        await settled(pilot)
        await pilot.press("a", "enter")
        await app.workers.wait_for_complete()
        await settled(pilot)
        assert "no such file: 'a'" in screen_text(app)
        assert given == []
        await pilot.press("b")
        await settled(pilot)
        assert "no such file" not in screen_text(app)
        await pilot.press("enter")
        await app.workers.wait_for_complete()
        await settled(pilot)
    assert tried == ["a", "ab"]
    assert given == ["ab"]


async def test_what_fails_after_the_question_was_left_is_told_all_the_same() -> None:
    goes_on = asyncio.Event()

    async def attempt(typed: str) -> str:
        await goes_on.wait()
        return f"no candidate in {typed}"

    app: FramedApp[None] = FramedApp()
    async with app.run_test(notifications=True) as pilot:
        app.push_screen(AskScreen("File?", attempt=attempt))
        await settled(pilot)
        await pilot.press("a", "enter", "escape")
        await pilot.pause()
        goes_on.set()
        await app.workers.wait_for_complete()
        await settled(pilot)
        assert "no candidate in a" in screen_text(app)


async def test_tab_completes_a_path_to_files_of_the_kinds_that_are_asked_for(tmp_path: Path) -> None:
    for called in ("more.jsonl", "more.py", "other.csv"):
        (tmp_path / called).write_text("", encoding="utf-8")
    app: FramedApp[None] = FramedApp()
    async with app.run_test(size=(120, 24)) as pilot:
        app.push_screen(AskScreen("Add?", value=f"{tmp_path}/", suffixes=POOLS))
        await app.workers.wait_for_complete()
        await settled(pilot)
        assert "more.jsonl" in screen_text(app)
        assert "other.csv" in screen_text(app)
        assert "more.py" not in screen_text(app)
        await pilot.press("end", "m", "tab")
        await app.workers.wait_for_complete()
        await settled(pilot)
        assert app.screen.query_one(PathInput).value == f"{tmp_path}/more.jsonl"


def test_pools_are_completed_to_every_kind_of_file_that_holds_candidates() -> None:
    assert set(POOLS) == SUFFIXES
