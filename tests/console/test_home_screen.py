"""Home: the list of runs, what keys ask for, the first screen, and a new run from a file."""

from __future__ import annotations

from pathlib import Path

import pytest
from console_facts import HOSTILE_KINDS, screen_text, settled
from fake_arena import NOON, RUNS, FakeArena, ScreenApp, card, until_shown
from rich.cells import cell_len

from arena_tui.console.glyphs import ASCII
from arena_tui.console.paths import candidates_for, completed
from arena_tui.console.run_columns import told_apart
from arena_tui.console.screens.home import HomeScreen
from arena_tui.console.screens.new_run import NewRunScreen
from arena_tui.console.widgets.path_line import PathInput
from arena_tui.errors import FileProblems, Problem, RunLocked


def home(arena: FakeArena, **given: object) -> HomeScreen:
    """Home at noon."""
    return HomeScreen(arena, now=lambda: NOON, **given)  # type: ignore[arg-type]


@pytest.mark.parametrize("size", [(80, 24), (200, 60)])
async def test_each_run_is_a_line_with_sign_word_progress_and_age(size: tuple[int, int]) -> None:
    app = ScreenApp(home(FakeArena(RUNS)))
    async with app.run_test(size=size) as pilot:
        text = await until_shown(pilot, "heat-plan")
        lines = text.splitlines()
    line = next(line for line in lines if "heat-plan" in line)
    for words in ("▶ running", "52%", "62", "3 h ago"):
        assert words in line
    for words in (
        "‖ paused",
        "✓ finished",
        "▽ interrupted",
        "■ stopped",
        "✗ damaged",
        "20 d ago",
        "arena: 6 runs",
    ):
        assert words in text
    assert all(cell_len(line) <= size[0] for line in lines)
    if size[0] == 200:
        for words in ("0.84", "Alpha", "BUDGET", "elo"):
            assert words in text


async def test_the_foot_tells_of_the_run_under_the_cursor() -> None:
    app = ScreenApp(home(FakeArena(RUNS)))
    async with app.run_test(size=(80, 24), notifications=True) as pilot:
        await until_shown(pilot, "another process drives it; Enter watches")
        await pilot.press("down", "down")
        text = await until_shown(pilot, "ELO_STABLE: the top has settled")
        assert "leader Beta" in text
        await pilot.press("down")
        text = await until_shown(pilot, "its process is gone; R goes on")
        assert "at an unknown price" in text


async def test_enter_opens_and_r_resumes_what_no_process_drives() -> None:
    app = ScreenApp(home(FakeArena(RUNS)))
    async with app.run_test(size=(80, 24), notifications=True) as pilot:
        await until_shown(pilot, "heat-plan")
        await pilot.press("R")
        await until_shown(pilot, "heat-plan is driven by")
        await pilot.press("enter", "down", "down", "R")
        await settled(pilot)
        opened, resumed = app.wanted
    assert isinstance(opened, HomeScreen.RunOpened)
    assert opened.db == RUNS[0].db
    assert isinstance(resumed, HomeScreen.ResumeWanted)
    assert resumed.db == RUNS[2].db


async def test_c_marks_a_run_and_compares_it_with_the_next() -> None:
    app = ScreenApp(home(FakeArena(RUNS), glyphs=ASCII))
    async with app.run_test(size=(80, 24), notifications=True) as pilot:
        await until_shown(pilot, "heat-plan")
        await pilot.press("c")
        text = await until_shown(pilot, "* heat-plan")
        assert f"marked {RUNS[0].run}: c on another run compares them" in text
        await pilot.press("down")
        assert f"c compares it with {RUNS[0].run}" in await until_shown(pilot, "c compares")
        await pilot.press("up", "c")
        await settled(pilot)
        assert "* heat-plan" not in screen_text(app)
        assert not app.wanted
        await pilot.press("c", "down", "c")
        await settled(pilot)
        text = screen_text(app)
    (compared,) = app.wanted
    assert isinstance(compared, HomeScreen.CompareWanted)
    assert (compared.one, compared.other) == (RUNS[0].db, RUNS[1].db)
    assert "* heat-plan" not in text


async def test_a_run_is_deleted_only_after_a_yes() -> None:
    arena = FakeArena(RUNS)
    app = ScreenApp(home(arena))
    async with app.run_test(size=(80, 24), notifications=True) as pilot:
        await until_shown(pilot, "heat-plan")
        await pilot.press("down", "down", "D")
        await until_shown(pilot, "Delete old ideas for good?")
        await pilot.press("enter")
        await settled(pilot)
        assert ("delete", RUNS[2].db) not in arena.asked
        await pilot.press("D", "y")
        text = await until_shown(pilot, "deleted old ideas")
        await until_shown(pilot, "arena: 5 runs")
    assert ("delete", RUNS[2].db) in arena.asked
    assert text


async def test_a_run_that_cannot_be_deleted_says_why() -> None:
    arena = FakeArena(RUNS, fails={"delete": RunLocked("process 71 drives it; abort it first")})
    app = ScreenApp(home(arena))
    async with app.run_test(size=(80, 24), notifications=True) as pilot:
        await until_shown(pilot, "heat-plan")
        await pilot.press("D", "y")
        text = await until_shown(pilot, "process 71 drives it")
    assert "heat-plan" in text


async def test_a_filter_keeps_the_runs_that_hold_its_words() -> None:
    app = ScreenApp(home(FakeArena(RUNS)))
    async with app.run_test(size=(80, 24), notifications=True) as pilot:
        await until_shown(pilot, "heat-plan")
        await pilot.press("slash", *"budget")
        await settled(pilot)
        text = screen_text(app)
        assert "short of money" in text
        assert "longevity" not in text
        await pilot.press("escape")
        await until_shown(pilot, "longevity")


async def test_the_list_is_read_anew_and_keeps_the_cursor_on_its_run() -> None:
    arena = FakeArena(RUNS)
    screen = home(arena)
    app = ScreenApp(screen)
    async with app.run_test(size=(80, 24), notifications=True) as pilot:
        await until_shown(pilot, "heat-plan")
        await pilot.press("down", "down")
        arena.cards = (card("brand new"), *RUNS)
        screen.reload()
        await until_shown(pilot, "brand new")
        await pilot.press("enter")
        await settled(pilot)
        (opened,) = app.wanted
    assert isinstance(opened, HomeScreen.RunOpened)
    assert opened.db == RUNS[2].db


async def test_without_runs_the_first_screen_offers_the_demo() -> None:
    arena = FakeArena()
    app = ScreenApp(home(arena))
    async with app.run_test(size=(80, 24), notifications=True) as pilot:
        text = await until_shown(pilot, "No runs yet.")
        assert "demo.yaml" in text
        assert "elo.yaml" in text
        assert "delete" not in text
        await pilot.press("enter")
        await settled(pilot)
        (ready,) = app.wanted
    assert isinstance(ready, HomeScreen.SetupReady)
    assert ("setup", str(Path("config/demo.yaml"))) in arena.asked


async def test_the_first_screen_comes_when_the_last_run_is_deleted_and_goes_with_a_new_one() -> None:
    arena = FakeArena(RUNS[2:3])
    screen = home(arena)
    app = ScreenApp(screen)
    async with app.run_test(size=(80, 24), notifications=True) as pilot:
        await until_shown(pilot, "old ideas")
        await pilot.press("D", "y")
        await until_shown(pilot, "demo.yaml")
        arena.cards = RUNS
        screen.reload()
        await until_shown(pilot, "heat-plan")
        await pilot.press("enter")
        await settled(pilot)
    assert isinstance(app.wanted[-1], HomeScreen.RunOpened)


async def test_problems_of_a_file_are_shown_in_place_and_the_line_stays() -> None:
    problems = [
        Problem("a.yaml", 3, "task is missing", "write one question"),
        Problem("a.yaml", None, "no pool"),
    ]
    arena = FakeArena(RUNS, fails={"setup": FileProblems(problems)})
    app = ScreenApp(home(arena))
    async with app.run_test(size=(80, 24), notifications=True) as pilot:
        await until_shown(pilot, "heat-plan")
        await pilot.press("n", *"a.yaml", "enter")
        text = await until_shown(pilot, "a.yaml:3: task is missing")
        assert "write one question" in text
        assert "a.yaml: no pool" in text
        assert not app.wanted
        assert app.screen.query_one(PathInput).value == "a.yaml"
        del arena.fails["setup"]
        await pilot.press("enter")
        await settled(pilot)
    assert isinstance(app.wanted[0], HomeScreen.SetupReady)


async def test_an_example_starts_a_new_run() -> None:
    arena = FakeArena(RUNS)
    app = ScreenApp(home(arena))
    async with app.run_test(size=(80, 24), notifications=True) as pilot:
        await until_shown(pilot, "heat-plan")
        await pilot.press("n")
        await until_shown(pilot, "examples that come with arena")
        await pilot.press("down", "down", "enter")
        await settled(pilot)
    assert isinstance(app.wanted[0], HomeScreen.SetupReady)
    assert ("setup", str(Path("config/elo.yaml"))) in arena.asked


async def test_tab_completes_a_path(tmp_path: Path) -> None:
    folder = tmp_path / "tournaments"
    folder.mkdir()
    for name in ("heat-a.yaml", "heat-b.yml", "notes.txt"):
        (folder / name).write_text("")
    app = ScreenApp(home(FakeArena(RUNS)))
    async with app.run_test(size=(200, 40)) as pilot:
        await until_shown(pilot, "heat-plan")
        app.push_screen(NewRunScreen(FakeArena(), typed=f"{tmp_path}/to"))
        await settled(pilot)
        line = app.screen.query_one(PathInput)
        await pilot.press("end", "tab")
        await settled(pilot)
        assert line.value == f"{folder}/"
        await pilot.press("tab")
        await settled(pilot)
        assert line.value == f"{folder}/heat-"
        text = screen_text(app)
        assert "heat-a.yaml" in text
        assert "heat-b.yml" in text
        assert "notes.txt" not in text
        await pilot.press("escape")
        await settled(pilot)
        assert app.screen is app.shown


def test_paths_offer_folders_and_tournament_files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "b").mkdir()
    (tmp_path / ".hidden").mkdir()
    for name in ("a.yaml", "c.txt", ".secret.yaml"):
        (tmp_path / name).write_text("")
    assert candidates_for(f"{tmp_path}/") == [f"{tmp_path}/a.yaml", f"{tmp_path}/b/"]
    assert candidates_for(f"{tmp_path}/.") == [f"{tmp_path}/.secret.yaml", f"{tmp_path}/.hidden/"]
    assert candidates_for(f"{tmp_path}/none/here") == []
    assert candidates_for("\0") == []
    monkeypatch.chdir(tmp_path)
    assert candidates_for("") == ["a.yaml", "b/"]
    monkeypatch.setenv("HOME", str(tmp_path))
    assert candidates_for("~/a") == ["~/a.yaml"]


def test_completion_goes_as_far_as_all_agree() -> None:
    assert completed("a", ["abc", "abd"]) == "ab"
    assert completed("ab", ["ab", "abc"]) == "ab"
    assert completed("x", []) == "x"
    assert completed("a", ["abc"]) == "abc"


@pytest.mark.parametrize("text", HOSTILE_KINDS)
async def test_hostile_texts_stay_text_on_home(text: str) -> None:
    cards = (
        card("x", name=text, format=text, leader=text, source=text, stop_reason=text),
        card("y", status=text),
    )
    arena = FakeArena(cards, fails={"setup": FileProblems([Problem(text, 1, text, text)])})
    arena.known = ((text, Path("demo.yaml")),)
    app = ScreenApp(home(arena))
    async with app.run_test(size=(200, 30)) as pilot:
        told = await until_shown(pilot, "arena: 2 runs")
        await pilot.press("D")
        told += await until_shown(pilot, "for good?")
        await pilot.press("escape", "n", "down", "enter")
        await settled(pilot)
        told += screen_text(app)
    assert "\x1b" not in told
    assert "\x9b" not in told


async def test_ascii_glyphs_are_enough_for_the_list() -> None:
    app = ScreenApp(home(FakeArena(RUNS), glyphs=ASCII))
    async with app.run_test(size=(120, 24)) as pilot:
        text = await until_shown(pilot, "> running")
    rows = [line.strip("│") for line in text.splitlines() if line.startswith("│")]
    assert all(row.isascii() for row in rows)


async def test_runs_of_one_name_are_told_apart_by_their_ids() -> None:
    ids = ("plan-1201-0900-ab12", "plan-1202-0900-cd34", "plan-1203-0900-cd34")
    cards = [card("plan", run=run, db=Path(f"{run}.db")) for run in ids]
    app = ScreenApp(home(FakeArena([*cards, card("another")])))
    async with app.run_test(size=(80, 24)) as pilot:
        text = await until_shown(pilot, "another")
    assert "plan ab12 " in text
    assert "plan 1202-0900-cd34" in text
    assert "plan 1203-0900-cd34" in text
    assert "another ab12" not in text


def test_only_what_it_takes_tells_runs_apart() -> None:
    cards = [card("a", run="a-1-x"), card("a", run="a-2-x"), card("a", run="b-2-y"), card("c", run="c-1")]
    assert told_apart(cards) == {"a-1-x": "1-x", "a-2-x": "2-x", "b-2-y": "y"}
