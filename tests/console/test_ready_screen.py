"""Ready: what a file would take, limits to edit, the judge's probe; only Enter starts."""

from __future__ import annotations

import asyncio

import pytest
from console_facts import HOSTILE_KINDS, screen_text, settled
from fake_arena import FakeArena, ScreenApp, setup_of, until_shown

from arena_tui.console.glyphs import ASCII
from arena_tui.console.ports import Forecast
from arena_tui.console.ready_text import forecast_text
from arena_tui.console.screens.ready import ReadyScreen
from arena_tui.errors import JudgeError, Problem, UsageError

UNFINISHED = ("heat-plan-1201-0900-ab12", 40)


def ready(arena: FakeArena, **fields: object) -> ReadyScreen:
    """Ready with a file, without a rest before a forecast."""
    return ReadyScreen(arena, setup_of(**fields), rest=0.01)


@pytest.mark.parametrize("size", [(80, 24), (200, 60)])
async def test_everything_is_told_before_anything_is_spent(size: tuple[int, int]) -> None:
    arena = FakeArena()
    app = ScreenApp(ready(arena, unfinished=UNFINISHED))
    async with app.run_test(size=size) as pilot:
        text = await until_shown(pilot, "120 matches, about 2.10 USD, 9 min: Enter goes on")
    for words in (
        "config/demo.yaml",
        "prevents more deaths",
        "16 candidates, 1 group, 2 twins",
        "SIMULATED: no model reads the texts",
        "a note on the file",
        "120 (90 to 130)",
        "reachable",
        "free of charge",
        "goes on with heat-plan-1201-0900-ab12 after 40 matches",
        "start a fresh one instead (F8)",
    ):
        assert words in text
    assert {what for what, *_ in arena.asked} == {"forecast", "probe"}
    assert not app.wanted


async def test_enter_starts_once_with_the_limits_as_they_stand() -> None:
    app = ScreenApp(ready(FakeArena()))
    async with app.run_test(size=(80, 24)) as pilot:
        await until_shown(pilot, "Enter starts")
        await pilot.press("enter", "enter")
        await until_shown(pilot, "starting")
        (wanted,) = app.wanted
    assert isinstance(wanted, ReadyScreen.StartWanted)
    assert wanted.limits == setup_of().limits
    assert wanted.fresh


async def test_enter_starts_from_within_a_limit_too() -> None:
    app = ScreenApp(ready(FakeArena()))
    async with app.run_test(size=(80, 24)) as pilot:
        await until_shown(pilot, "Enter starts")
        await pilot.press("tab", "ctrl+u", *"60", "enter")
        await settled(pilot)
        (wanted,) = app.wanted
    assert isinstance(wanted, ReadyScreen.StartWanted)
    assert wanted.limits["matches"] == "60"


async def test_a_changed_limit_makes_the_forecast_anew() -> None:
    arena = FakeArena()
    app = ScreenApp(ready(arena))
    async with app.run_test(size=(80, 24)) as pilot:
        await until_shown(pilot, "120 matches, about")
        arena.told = Forecast("60 matches, about 1.05 USD", ())
        await pilot.press("tab", "ctrl+u", *"60")
        await until_shown(pilot, "60 matches, about 1.05 USD: Enter starts")
    asked = [limits for what, *limits in arena.asked if what == "forecast"]
    assert asked[0] == [dict(setup_of().limits)]
    assert asked[-1] == [{**setup_of().limits, "matches": "60"}]


async def test_a_spinner_turns_while_the_forecast_is_made() -> None:
    arena = FakeArena(slow=asyncio.Event())
    screen = ReadyScreen(arena, setup_of(), glyphs=ASCII)
    app = ScreenApp(screen)
    async with app.run_test(size=(80, 24)) as pilot:
        pictures = set()
        while len(pictures) < 2:
            await pilot.pause()
            line = next((line for line in screen_text(app).splitlines() if "simulated judge" in line), "")
            pictures.update(sign for sign in ASCII.spinner if f"{sign} playing" in line)
        assert "nothing is spent before" in screen_text(app)
        assert arena.slow is not None
        arena.slow.set()
        await until_shown(pilot, "9 min: Enter starts")


async def test_enter_gives_the_forecast_up_before_the_run_is_made() -> None:
    """Both at once would share the processor, and with many candidates the making waited for minutes."""
    arena = FakeArena(slow=asyncio.Event())
    screen = ready(arena)
    app = ScreenApp(screen)
    async with app.run_test(size=(80, 30)) as pilot:
        while "simulated judge" not in screen_text(app):
            await pilot.pause()  # waiting for all workers would wait for the forecast, which never ends
        await pilot.press("enter")
        await settled(pilot)  # waits for all workers: the forecast would wait for ever
        assert len(app.wanted) == 1
        assert arena.slow is not None
        arena.slow.set()
        screen.refused("another process drives it")
        await until_shown(pilot, "another process drives it")
        await pilot.press("tab", "ctrl+u", *"7")
        await until_shown(pilot, "9 min: Enter starts")


async def test_a_limit_that_cannot_be_read_is_told_at_its_input_and_blocks() -> None:
    app = ScreenApp(ready(FakeArena()))
    async with app.run_test(size=(80, 30)) as pilot:
        await until_shown(pilot, "Enter starts")
        await pilot.press("tab", "ctrl+u", *"many")
        text = await until_shown(pilot, "cannot start: a limit above is not right")
        lines = [line.strip(" │") for line in text.splitlines()]
        at = next(place for place, line in enumerate(lines) if line.startswith("matches  many"))
        assert lines[at + 1].startswith("matches: expected a whole")
        await pilot.press("enter")
        await settled(pilot)
        assert not app.wanted
        await pilot.press("ctrl+u", *"7", "enter")
        await settled(pilot)
    assert len(app.wanted) == 1


async def test_a_limit_that_the_forecast_refuses_is_told_at_its_input() -> None:
    arena = FakeArena(fails={"forecast": UsageError("limits.usd: no price is known of this model")})
    app = ScreenApp(ready(arena))
    async with app.run_test(size=(80, 30)) as pilot:
        text = await until_shown(pilot, "cannot start: a limit above is not right")
        lines = [line.strip(" │") for line in text.splitlines()]
        at = next(place for place, line in enumerate(lines) if line.startswith("USD"))
        assert lines[at + 1].startswith("limits.usd: no price is")


async def test_problems_of_the_file_block_the_start_with_their_sentences() -> None:
    problem = Problem("config/elo.yaml", 12, "the model needs a key", "set ANTHROPIC_API_KEY")
    app = ScreenApp(ready(FakeArena(), problems=(problem,)))
    async with app.run_test(size=(80, 30)) as pilot:
        text = await until_shown(pilot, "cannot start: 1 problem above")
        assert "config/elo.yaml:12: the model needs a key" in text
        assert "set ANTHROPIC_API_KEY" in text
        await pilot.press("enter")
        await settled(pilot)
    assert not app.wanted


async def test_a_judge_that_is_not_there_is_told_and_asked_again_by_a_key() -> None:
    arena = FakeArena(fails={"probe": JudgeError("nobody answers at localhost:1")})
    app = ScreenApp(ready(arena, simulated=False))
    async with app.run_test(size=(80, 24)) as pilot:
        text = await until_shown(pilot, "✗ nobody answers at localhost:1")
        assert "SIMULATED" not in text
        arena.fails.clear()
        await pilot.press("f7")
        await until_shown(pilot, "✓ reachable")


async def test_a_fresh_run_can_be_had_instead_of_the_unfinished_one() -> None:
    app = ScreenApp(ready(FakeArena(), unfinished=UNFINISHED))
    async with app.run_test(size=(80, 24)) as pilot:
        await until_shown(pilot, "9 min: Enter goes on")
        await pilot.press("f8")
        text = await until_shown(pilot, "9 min: Enter starts")
        assert "[✓] start a fresh one" in text
        await pilot.click("#unfinished")
        await until_shown(pilot, "9 min: Enter goes on")
        await pilot.press("tab", "f8", "enter")
        await settled(pilot)
        (wanted,) = app.wanted
    assert isinstance(wanted, ReadyScreen.StartWanted)
    assert wanted.fresh


async def test_a_start_that_fails_can_be_tried_again() -> None:
    screen = ready(FakeArena())
    app = ScreenApp(screen)
    async with app.run_test(size=(80, 24)) as pilot:
        await until_shown(pilot, "Enter starts")
        await pilot.press("enter")
        await settled(pilot)
        screen.refused("the disk is full")
        await until_shown(pilot, "the disk is full")
        await pilot.press("enter")
        await settled(pilot)
    assert len(app.wanted) == 2


@pytest.mark.parametrize("text", HOSTILE_KINDS)
async def test_hostile_texts_stay_text_on_ready(text: str) -> None:
    arena = FakeArena(told=Forecast(text, ((text, text),)), probed=text)
    app = ScreenApp(
        ready(
            arena,
            name=text,
            task=text,
            judge=text,
            file=text,
            notes=(text,),
            unfinished=(text, 3),
            format=text,
        )
    )
    async with app.run_test(size=(120, 40)) as pilot:
        told = await until_shown(pilot, ": Enter goes on")
    assert "\x1b" not in told
    assert "\x9b" not in told


async def test_an_answer_that_comes_after_the_start_is_dropped() -> None:
    screen = ready(FakeArena())
    app = ScreenApp(screen)
    async with app.run_test(size=(80, 24)) as pilot:
        await until_shown(pilot, "Enter starts")
        await app.pop_screen()
        screen._draw()  # as a forecast does that was under way
        assert app.is_running


LINES = (
    ("", "elo, 5 simulated runs: median (least to most)"),
    *((label, "124 (94 to 184)") for label in ("matches", "comparisons", "debates", "time", "cost")),
    ("tokens", "1364624 (1127037 to 1841580), assuming replies of 25% of max_tokens"),
    ("ends by", "ELO_STABLE"),
)


async def test_all_of_a_forecast_can_be_read_on_80x24_also_beside_an_unfinished_run() -> None:
    app = ScreenApp(ready(FakeArena(told=Forecast("124 matches", LINES)), unfinished=UNFINISHED))
    async with app.run_test(size=(80, 24)) as pilot:
        text = await until_shown(pilot, "a whole run takes 124 matches: Enter goes on")
        assert "ELO_STABLE" in text
        assert "median (least to most)" in text
        assert "forecast of a whole run" in text
        await pilot.press("pagedown")
        await until_shown(pilot, "at once")
        await pilot.press("pageup")
        await until_shown(pilot, "config/demo.yaml")


def test_a_forecast_leaves_out_what_there_is_none_of() -> None:
    lines = (
        ("matches", "9 (9 to 9)"),
        ("debates", "0% of the matches"),
        ("time", "0 s (0 s to 0 s) at 4 in flight"),
    )
    assert forecast_text(Forecast("9 matches", lines), 60).plain == "matches  9 (9 to 9)"
    some = (("debates", "30% of the matches"), ("time", "0 s (0 s to 2 s) at 4 in flight"))
    told = forecast_text(Forecast("9 matches", some), 60).plain
    assert "30%" in told
    assert "0 s to 2 s" in told
