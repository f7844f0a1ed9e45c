"""The app as a whole over facts: which screen comes first, driving, leaving, exit codes, keys and help."""

from __future__ import annotations

import asyncio
import re
from pathlib import Path
from typing import Any

import pytest
from console_facts import FakeSession, screen_text
from fake_arena import RUNS, FakeArena, setup_of
from textual.pilot import Pilot

from arena_tui.console.actions import ACTS, PLACES
from arena_tui.console.app import ArenaApp, Opening
from arena_tui.console.keys import key_table, keys_of
from arena_tui.console.ports import Ended, Session
from arena_tui.console.preferences import Preferences
from arena_tui.console.screens.dialogs import ChooseScreen
from arena_tui.console.screens.help import HelpScreen
from arena_tui.console.screens.home import HomeScreen
from arena_tui.console.screens.ready import ReadyScreen
from arena_tui.console.screens.run import RunScreen
from arena_tui.console.widgets.path_line import PathInput
from arena_tui.errors import JudgeError, RunLocked, UsageError

README = Path(__file__).parents[2] / "README.md"


class Driven(FakeSession):
    """A run that goes on until it is told to stop, or until a test ends it."""

    def __init__(self) -> None:
        super().__init__()
        self.ending: asyncio.Future[Ended] | None = None
        self.aborts: list[tuple[str, int]] = []

    async def live(self) -> Ended:
        self.ending = asyncio.get_running_loop().create_future()
        self.state.phase = "running"
        self.state.touch()
        return await self.ending

    def abort(self, detail: str, exit_code: int) -> None:
        super().abort(detail, exit_code)
        self.aborts.append((detail, exit_code))
        self.end(exit_code)

    def end(self, code: int) -> None:
        assert self.ending is not None
        self.state.phase = "stopped"
        if not self.ending.done():
            self.ending.set_result(Ended(code))


class Installed(FakeArena):
    """An installation whose runs are driven by `session`."""

    session: Driven

    async def begin(self, setup: Any, limits: Any, *, fresh: bool = False) -> Session:
        self.session = Driven()
        return self.session

    async def open(self, db: Path, *, resume: bool = False) -> Session:
        if resume and "open" in self.fails:
            raise self.fails["open"]
        self.session = Driven()
        self.session.drives = resume
        self.session.db = db
        return self.session


async def until(pilot: Pilot[Any], true: Any) -> None:
    """Wait until something holds."""
    for _ in range(400):
        if true():
            return
        await pilot.pause(0.02)
    raise AssertionError(f"never came: {screen_text(pilot.app)}")


async def started(pilot: Pilot[Any], arena: Installed) -> RunScreen:
    """From Ready to the run."""
    app = pilot.app
    await until(pilot, lambda: isinstance(app.screen, ReadyScreen))
    await pilot.press("enter")
    await until(pilot, lambda: isinstance(app.screen, RunScreen))
    await until(pilot, lambda: arena.session.state.phase == "running")
    assert isinstance(app.screen, RunScreen)
    return app.screen


def app_of(arena: Installed, opening: Opening | None = None, **preferred: Any) -> ArenaApp:
    return ArenaApp(arena, opening or Opening(file="demo.yaml"), Preferences(**preferred))


async def test_enter_in_ready_drives_and_the_exit_code_is_the_runs() -> None:
    arena = Installed(file=setup_of())
    app = app_of(arena)
    async with app.run_test() as pilot:
        await started(pilot, arena)
        arena.session.end(3)
        await until(pilot, lambda: not app._live)
        await pilot.press("q")
    assert app.return_code == 3


async def test_quitting_asks_while_a_run_is_active_and_enter_pauses_and_quits() -> None:
    arena = Installed(file=setup_of())
    app = app_of(arena)
    async with app.run_test() as pilot:
        await started(pilot, arena)
        await pilot.press("q")
        await until(pilot, lambda: isinstance(app.screen, ChooseScreen))
        assert "pause and quit" in screen_text(app)
        await pilot.press("enter")
        await until(pilot, lambda: app.return_code is not None)
    assert app.return_code == 130
    assert arena.session.aborts == [("paused and left at the console", 130)]


async def test_escape_never_quits() -> None:
    arena = Installed(file=setup_of())
    app = app_of(arena)
    async with app.run_test() as pilot:
        await started(pilot, arena)
        for _ in range(5):
            await pilot.press("escape")
        assert app.return_code is None
        assert isinstance(app.screen, RunScreen)


async def test_ctrl_c_asks_to_abort_and_means_yes_in_the_question() -> None:
    arena = Installed(file=setup_of())
    app = app_of(arena)
    async with app.run_test() as pilot:
        await started(pilot, arena)
        await pilot.press("ctrl+c")
        await until(pilot, lambda: isinstance(app.screen, ChooseScreen))
        await pilot.press("ctrl+c")
        await until(pilot, lambda: not app._live)
    assert arena.session.aborts == [("aborted at the console", 130)]


@pytest.mark.parametrize(("code", "name"), [(143, "SIGTERM"), (129, "SIGHUP")])
async def test_a_signal_leaves_with_its_code(code: int, name: str) -> None:
    arena = Installed(file=setup_of())
    app = app_of(arena)
    async with app.run_test() as pilot:
        await started(pilot, arena)
        app.signalled(f"ended by {name}", code)
        await until(pilot, lambda: app.return_code is not None)
    assert app.return_code == code
    assert arena.session.aborts == [(f"ended by {name}", code)]


async def test_a_file_that_cannot_be_read_leaves_with_its_sentence() -> None:
    arena = Installed(fails={"setup": UsageError("demo.yaml:3: no such key")})
    app = app_of(arena)
    async with app.run_test() as pilot:
        await until(pilot, lambda: app.return_code is not None)
    assert (app.return_code, app.fault) == (2, "demo.yaml:3: no such key")


async def test_a_run_of_another_process_is_refused_with_exit_code_4() -> None:
    arena = Installed(fails={"open": RunLocked("driven by process 17")})
    app = app_of(arena, Opening(db=Path("run.db"), resume=True))
    async with app.run_test() as pilot:
        await until(pilot, lambda: app.return_code is not None)
    assert (app.return_code, app.fault) == (4, "driven by process 17")


async def test_a_judge_that_cannot_be_used_is_told_and_stays_the_exit_code() -> None:
    arena = Installed(file=setup_of())
    app = app_of(arena)
    async with app.run_test() as pilot:
        await started(pilot, arena)
        assert arena.session.ending is not None
        arena.session.ending.set_exception(JudgeError("the key was refused"))
        await until(pilot, lambda: not app._live)
        await pilot.press("q")
    assert (app.return_code, app.fault) == (1, "the key was refused")


async def test_home_lists_runs_and_a_driven_run_goes_on_below_it() -> None:
    arena = Installed(list(RUNS), file=setup_of())
    app = app_of(arena)
    async with app.run_test(size=(120, 40)) as pilot:
        run = await started(pilot, arena)
        await pilot.press("O")
        await until(pilot, lambda: isinstance(app.screen, HomeScreen))
        assert app._live
        await pilot.press("escape")
        await until(pilot, lambda: app.screen is run)


async def test_a_second_run_is_not_driven_beside_the_first() -> None:
    arena = Installed(list(RUNS), file=setup_of())
    app = app_of(arena)
    async with app.run_test(size=(120, 40)) as pilot:
        await started(pilot, arena)
        first = arena.session
        await pilot.press("O")
        await until(pilot, lambda: isinstance(app.screen, HomeScreen))
        await pilot.press("down", "down", "down", "R")  # the one that was cut off
        await until(pilot, lambda: any("stop that run first" in str(n.message) for n in app._notifications))
        assert arena.session is first


async def test_help_is_searchable_and_names_every_key() -> None:
    arena = Installed(file=setup_of())
    app = app_of(arena, keys={"run.pause": "ctrl+o"})
    async with app.run_test(size=(120, 260)) as pilot:
        await started(pilot, arena)
        await pilot.press("question_mark")
        await until(pilot, lambda: isinstance(app.screen, HelpScreen))
        shown = screen_text(app)
        assert all(heading in shown for heading in PLACES.values())
        assert re.search(r"ctrl\+o +Pause", shown), "a remapped key is shown as it is"
        await pilot.press("slash", *"overrule", "enter")
        await pilot.pause()
        found = screen_text(app)
        assert "match.overrule" in found
        assert "Turn the order round" not in found


async def test_a_remapped_key_does_what_the_old_one_did() -> None:
    arena = Installed(file=setup_of())
    app = app_of(arena, keys={"run.pause": "ctrl+o"})
    async with app.run_test(size=(120, 40)) as pilot:
        await started(pilot, arena)
        await pilot.press("space")
        assert arena.session.state.phase == "running"
        await pilot.press("ctrl+o")
        assert arena.session.state.phase == "paused"
        assert "PAUSED: ctrl+o goes on" in screen_text(app)


async def test_the_palette_finds_what_applies() -> None:
    arena = Installed(file=setup_of())
    app = app_of(arena)
    async with app.run_test(size=(120, 40)) as pilot:
        await started(pilot, arena)
        await pilot.press("ctrl+p", *"pause")
        await until(pilot, lambda: "a run: pause" in screen_text(app))
        await pilot.press("enter")
        await until(pilot, lambda: arena.session.state.phase == "paused")


async def test_a_pool_that_cannot_be_added_is_told_in_the_question_which_keeps_the_path() -> None:
    arena = Installed(file=setup_of())
    app = app_of(arena)
    async with app.run_test(size=(120, 40)) as pilot:
        await started(pilot, arena)
        await pilot.press("plus", *"gone.csv", "enter")
        await until(pilot, lambda: "gone.csv: no candidates here" in screen_text(app))
        assert app.screen.query_one(PathInput).value == "gone.csv"


def test_the_readme_has_the_key_table_of_the_registry() -> None:
    text = README.read_text(encoding="utf-8")
    found = re.search(r"<!-- keys -->\n(.*?)\n<!-- end of keys -->", text, re.DOTALL)
    assert found is not None
    assert found[1] == key_table()


def test_every_act_has_a_place_a_tooltip_and_a_key_of_its_own_there() -> None:
    taken: dict[tuple[str, str], str] = {}
    for act in ACTS:
        assert act.place in PLACES
        assert act.tooltip.endswith(".")
        for key in keys_of(act).split(" "):
            other = taken.setdefault((act.place, key), act.id)
            assert other == act.id, f"{key} is both {other} and {act.id}"
