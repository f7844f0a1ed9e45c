"""What people and terminals do to a console: hurry, noise, tiny windows, files that vanish under it."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest
from console_runs import arena, tournament

from arena_tui.exporting import export


def headless(home: Path, file: Path) -> None:
    """A run that has ended, without a console."""
    subprocess.run(
        [sys.executable, "-m", "arena_tui", "--no-ui", "--quiet", str(file)],
        env={**os.environ, "ARENA_HOME": str(home)},
        capture_output=True,
        check=False,
    )


def test_opening_and_leaving_runs_in_a_hurry_harms_nothing(tmp_path: Path) -> None:
    home = tmp_path / "home"
    for number in range(2):
        headless(home, tournament(tmp_path / f"files{number}", matches=30, pairwise=0.0, debate=0.0))
    (home / "runs" / "cut.db").write_bytes(b"SQLite format 3\0" + b"\0" * 100)
    with arena(home) as terminal:
        terminal.wait_for("damaged")
        for pause in (0.04, 0.07):
            for _ in range(12):
                for key in (b"\x1b[B", b"\r", b"\x1b"):
                    os.write(terminal.primary, key)
                    time.sleep(pause)
        time.sleep(0.3)
        terminal.press("escape")
        terminal.wait_for("new run")
        terminal.press("q")
        assert terminal.wait_exit() == 0
        assert terminal.is_restored()


def test_bytes_that_are_no_text_do_not_make_the_console_deaf(tmp_path: Path) -> None:
    with arena(tmp_path / "home", tournament(tmp_path / "files")) as terminal:
        terminal.wait_for("Enter starts")
        terminal.press("enter")
        terminal.wait_for("RUNNING")
        for noise in (b"\xe9", b"\xc3?", b"\xff\xfe\x80"):
            os.write(terminal.primary, noise)
            time.sleep(0.2)
        terminal.press("?")
        terminal.wait_for("searches")
        terminal.press("escape", "q", "enter")
        assert terminal.wait_exit() == 130


def test_a_palette_in_a_tiny_window_ends_nothing(tmp_path: Path) -> None:
    with arena(tmp_path / "home", tournament(tmp_path / "files")) as terminal:
        terminal.wait_for("Enter starts")
        terminal.press("enter")
        terminal.wait_for("RUNNING")
        terminal.press("\x10")
        terminal.wait_for("Search")
        terminal.resize(80, 4)
        terminal.wait_for("too small")
        terminal.press("\x10", "q", "u", "\x1b[6~", "escape")
        terminal.resize(120, 40)
        terminal.wait_for("RUNNING")
        terminal.press("q")
        terminal.wait_for("pause and quit")
        terminal.press("enter")
        assert terminal.wait_exit() == 130
        assert terminal.is_restored()


@pytest.mark.parametrize("how", ["deleted", "moved"])
def test_a_run_whose_file_vanishes_asks_no_further_and_says_so(tmp_path: Path, how: str) -> None:
    home = tmp_path / "home"
    with arena(home, tournament(tmp_path / "files", matches=5000), columns=300) as terminal:
        terminal.wait_for("Enter starts")
        terminal.press("enter")
        terminal.wait_for("beats")
        (db,) = (home / "runs").glob("*.db")
        if how == "moved":
            db.rename(tmp_path / "elsewhere.db")
        else:
            db.unlink()
        terminal.wait_for("STOPPED")
        terminal.press("q")
        assert terminal.wait_exit() == 1
        terminal.wait_for("was moved, deleted or replaced while the run was being driven")
        assert terminal.is_restored()


@pytest.mark.parametrize("content", [b"", b"no database", b"SQLite format 3\0" + b"\0" * 200])
def test_watching_what_is_no_run_is_refused_before_anything_is_drawn(tmp_path: Path, content: bytes) -> None:
    file = tmp_path / "strange.db"
    file.write_bytes(content)
    with arena(tmp_path / "home", "watch", file) as terminal:
        assert terminal.wait_exit() in (1, 2)
        terminal.wait_for("arena: ")
        assert b"\x1b[?1049h" not in bytes(terminal.bytes)


def test_ctrl_c_twice_in_ready_leaves_in_order(tmp_path: Path) -> None:
    home = tmp_path / "home"
    with arena(home, tournament(tmp_path / "files")) as terminal:
        terminal.wait_for("Enter starts")
        os.write(terminal.primary, b"\x03\x03")
        assert terminal.wait_exit() == 0
        assert terminal.is_restored()
    assert not list(home.glob("runs/.*"))


def test_a_signal_while_a_run_is_being_made_leaves_nothing_behind(tmp_path: Path) -> None:
    home = tmp_path / "home"
    with arena(home, tournament(tmp_path / "files")) as terminal:
        terminal.wait_for("Enter starts")
        terminal.press("enter")
        os.kill(terminal.process.pid, signal.SIGTERM)
        assert terminal.wait_exit() == 143
    assert not list((home / "runs").glob(".*.starting"))


def test_exports_beside_a_driver_are_of_one_moment(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    home = tmp_path / "home"
    file = tournament(tmp_path / "files", matches=250, pairwise=0.005, debate=0.01)
    driver = subprocess.Popen(
        [sys.executable, "-m", "arena_tui", "--no-ui", "--quiet", str(file)],
        env={**os.environ, "ARENA_HOME": str(home)},
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
    try:
        while not (runs := list((home / "runs").glob("*.db"))):
            assert driver.poll() is None
            time.sleep(0.02)
        target, exported = tmp_path / "standings.csv", 0
        while driver.poll() is None and exported < 60:
            export(runs[0], "standings", target, times=False)
            exported += 1
        assert exported
    finally:
        driver.kill()
        driver.wait()


def test_a_stopped_console_takes_its_terminal_again(tmp_path: Path) -> None:
    """SIGSTOP and SIGCONT, twice: one reader of keys is left, and the run goes on."""
    with arena(tmp_path / "home", tournament(tmp_path / "files")) as terminal:
        terminal.wait_for("Enter starts")
        terminal.press("enter")
        terminal.wait_for("RUNNING")
        for _ in range(2):
            os.kill(terminal.process.pid, signal.SIGSTOP)
            time.sleep(0.2)
            os.kill(terminal.process.pid, signal.SIGCONT)
            time.sleep(0.3)
        terminal.press("?")
        terminal.wait_for("searches")
        terminal.press("escape", "q")
        terminal.wait_for("pause and quit")
        terminal.press("enter")
        assert terminal.wait_exit() == 130
        assert terminal.is_restored()
