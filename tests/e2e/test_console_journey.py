"""The console in a real pseudo-terminal: what a person does in it, what they see, how it is left."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest
from console_runs import arena, tournament


@pytest.fixture
def home(tmp_path: Path) -> Path:
    return tmp_path / "home"


def runs(home: Path) -> list[dict[str, object]]:
    shown = subprocess.run(
        [sys.executable, "-m", "arena_tui", "runs", "--json"],
        env={**os.environ, "ARENA_HOME": str(home)},
        capture_output=True,
        check=True,
    )
    return list(json.loads(shown.stdout))


def test_a_day_at_the_console(home: Path) -> None:
    """Ready, start, read a debate, pause, go on, pin, open a match, make the window small, abort; then
    resume from Home and let it finish."""
    file = tournament(home.parent, matches=60)
    with arena(home, file) as terminal:
        terminal.wait_for("Enter starts")
        assert not runs(home), "nothing is made before Enter"
        terminal.press("enter")
        terminal.wait_for("RUNNING")
        terminal.wait_for("text 1, turn")  # a held turn, named by its slot
        terminal.wait_for("beats")
        terminal.press("space")
        terminal.wait_for("PAUSED")
        terminal.wait_for("nothing in flight")
        terminal.press("space")
        terminal.wait_gone("PAUSED")
        terminal.press("i")
        terminal.wait_for("now pinned")
        terminal.press("2", "enter")
        terminal.wait_for("o overrule")
        terminal.press("escape")
        terminal.wait_for("Leaderboard")
        terminal.resize(80, 24)
        terminal.wait_for("[2 Debate]")
        terminal.press("1")
        terminal.wait_for("[1 Board]")
        terminal.resize(120, 40)
        terminal.wait_for("Lineage")
        terminal.press("a")
        terminal.wait_for("Abort the run?")
        terminal.press("a")
        terminal.wait_for("STOPPED  EXTERNAL")
        terminal.press("q")
        assert terminal.wait_exit() == 130
        assert terminal.is_restored()
        terminal.wait_for("go on with: arena resume")
    (before,) = runs(home)
    assert before["stop_reason"] == "EXTERNAL"

    with arena(home) as terminal:
        terminal.wait_for("plans")
        terminal.press("R")
        terminal.wait_for("STOPPED  BUDGET", timeout=120)
        terminal.press("q")
        assert terminal.wait_exit() == 3
        assert terminal.is_restored()
    (after,) = runs(home)
    assert after["run"] == before["run"]
    assert after["stop_reason"] == "BUDGET"
    assert int(str(after["matches"])) > int(str(before["matches"]))


def test_quitting_an_active_run_pauses_it_and_asks_once(home: Path) -> None:
    with arena(home, tournament(home.parent)) as terminal:
        terminal.wait_for("Enter starts")
        terminal.press("enter")
        terminal.wait_for("RUNNING")
        terminal.press("q")
        terminal.wait_for("pause and quit")
        terminal.press("escape")
        terminal.wait_gone("pause and quit")
        terminal.press("escape")  # never quits
        terminal.press("q")
        terminal.wait_for("pause and quit")
        terminal.press("enter")
        assert terminal.wait_exit() == 130
        assert terminal.is_restored()


def test_ctrl_c_asks_and_a_second_one_means_it(home: Path) -> None:
    with arena(home, tournament(home.parent)) as terminal:
        terminal.wait_for("Enter starts")
        terminal.press("enter")
        terminal.wait_for("RUNNING")
        terminal.press("ctrl+c")
        terminal.wait_for("Abort the run?")
        terminal.press("ctrl+c")
        terminal.wait_for("STOPPED  EXTERNAL")
        terminal.press("q")
        assert terminal.wait_exit() == 130


def test_leaving_ready_spends_nothing_and_exits_with_0(home: Path) -> None:
    with arena(home, tournament(home.parent)) as terminal:
        terminal.wait_for("Enter starts")
        terminal.press("q")
        assert terminal.wait_exit() == 0
        assert terminal.is_restored()
    assert runs(home) == []


@pytest.mark.parametrize(("number", "code"), [(signal.SIGTERM, 143), (signal.SIGINT, 130)])
def test_a_signal_restores_the_screen_and_leaves_a_resumable_run(
    home: Path, number: signal.Signals, code: int
) -> None:
    with arena(home, tournament(home.parent)) as terminal:
        terminal.wait_for("Enter starts")
        terminal.press("enter")
        terminal.wait_for("beats")
        os.kill(terminal.process.pid, number)
        assert terminal.wait_exit() == code
        assert terminal.is_restored()
    (run,) = runs(home)
    assert (run["status"], run["stop_reason"]) == ("stopped", "EXTERNAL")


def test_a_terminal_that_closes_ends_the_run_with_129(home: Path) -> None:
    with arena(home, tournament(home.parent)) as terminal:
        terminal.wait_for("Enter starts")
        terminal.press("enter")
        terminal.wait_for("beats")
        terminal.hang_up()
        os.kill(terminal.process.pid, signal.SIGHUP)
        assert terminal.wait_exit() == 129
    (run,) = runs(home)
    assert (run["status"], run["stop_reason"]) == ("stopped", "EXTERNAL")


def test_a_killed_console_goes_on_where_it_was(home: Path) -> None:
    file = tournament(home.parent, matches=40)
    with arena(home, file) as terminal:
        terminal.wait_for("Enter starts")
        terminal.press("enter")
        terminal.wait_for("beats")
        os.kill(terminal.process.pid, signal.SIGKILL)
        terminal.wait_exit()
    (killed,) = runs(home)
    assert killed["status"] == "interrupted"
    with arena(home, file) as terminal:
        terminal.wait_for("goes on")
        terminal.press("enter")
        terminal.wait_for("STOPPED  BUDGET", timeout=120)
        terminal.press("q")
        assert terminal.wait_exit() == 3
    (finished,) = runs(home)
    assert (finished["run"], finished["stop_reason"]) == (killed["run"], "BUDGET")


def test_a_second_terminal_watches_pauses_and_aborts(home: Path) -> None:
    with arena(home, tournament(home.parent, matches=9_000)) as driver:
        driver.wait_for("Enter starts")
        driver.press("enter")
        driver.wait_for("beats")
        with arena(home, "watch") as watcher:
            watcher.wait_for("watching")
            watcher.wait_for("beats")
            watcher.wait_for("space pause")  # it knows of a driver that can be asked
            watcher.press("space")
            driver.wait_for("PAUSED")
            watcher.wait_for("PAUSED")
            watcher.press("p")
            driver.wait_gone("PAUSED")
            watcher.press("a")
            watcher.wait_for("Abort the run?")
            watcher.press("a")
            driver.wait_for("STOPPED  EXTERNAL")
            watcher.wait_for("STOPPED  EXTERNAL")
            watcher.press("q")
            assert watcher.wait_exit() == 0
        driver.press("q")
        assert driver.wait_exit() == 130


def test_a_detached_run_outlives_its_terminal(home: Path) -> None:
    file = tournament(home.parent, matches=30)
    with arena(home, "--detach", file) as terminal:
        terminal.wait_for("arena watch")
        assert terminal.wait_exit() == 0
    with arena(home, "watch") as watcher:
        watcher.wait_for("STOPPED  BUDGET", timeout=120)
        watcher.press("q")
        assert watcher.wait_exit() == 0
    (run,) = runs(home)
    assert run["stop_reason"] == "BUDGET"
