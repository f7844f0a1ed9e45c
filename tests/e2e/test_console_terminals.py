"""The console and the terminals there are: without colour, without Unicode, with stdout elsewhere, none."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest
from console_runs import arena, tournament
from pty_terminal import Terminal

NAMES = (
    "Alpha",
    "Beta with a very long title that no column of a leaderboard can hold in full",
    "Gamma",
    "Delta",
)


def test_ascii_draws_with_ascii_alone(tmp_path: Path) -> None:
    file = tournament(tmp_path / "files", matches=30, names=NAMES)
    with arena(tmp_path / "home", "--ascii", file, columns=120, rows=40) as terminal:
        terminal.wait_for("Enter starts")
        terminal.press("enter")
        terminal.wait_for("STOPPED  BUDGET")
        terminal.press("enter")
        terminal.wait_for("Matches")
        terminal.press("escape", "H")
        terminal.wait_for("now: after")
        terminal.press("escape")
        terminal.wait_for("Leaderboard")
        terminal.press("2", "enter")
        terminal.wait_for("o overrule")
        terminal.press("escape", "?")
        terminal.wait_for("searches")
        terminal.press("escape", "O")
        terminal.wait_for("new run")
        terminal.press("q")
        assert terminal.wait_exit() == 3
        drawn, _, _ = bytes(terminal.bytes).partition(b"\x1b[?1049l")
    beyond = {char for char in drawn.decode() if ord(char) > 126}
    assert beyond <= set("“”"), "but for the quotation marks in what the simulated panel says"


def test_no_color_sends_no_hues_and_still_tells_states(tmp_path: Path) -> None:
    file = tournament(tmp_path / "files", matches=20)
    with arena(tmp_path / "home", file, NO_COLOR="1") as terminal:
        terminal.wait_for("Enter starts")
        terminal.press("enter")
        terminal.wait_for("STOPPED  BUDGET")
        terminal.press("1", "x")
        terminal.wait_for("now rejected")
        terminal.wait_for("✕")
        terminal.press("q")
        assert terminal.wait_exit() == 3
        drawn, _, _ = bytes(terminal.bytes).partition(b"\x1b[?1049l")
    hues = {tuple(found) for found in re.findall(rb"[34]8;2;(\d+);(\d+);(\d+)", drawn)}
    assert all(max(map(int, hue)) - min(map(int, hue)) <= 2 for hue in hues), "greys only"


@pytest.mark.parametrize("theme", ["ansi-dark", "arena-light", "textual-light"])
def test_every_kind_of_theme_can_be_chosen(tmp_path: Path, theme: str) -> None:
    with arena(tmp_path / "home", "--theme", theme, tournament(tmp_path / "files")) as terminal:
        terminal.wait_for("Enter starts")
        terminal.press("q")
        assert terminal.wait_exit() == 0
        assert terminal.is_restored()


def test_a_mistake_in_the_preferences_is_told_before_anything_is_drawn(tmp_path: Path) -> None:
    home = tmp_path / "home"
    home.mkdir()
    (home / "console.yaml").write_text("theme: nort\n", encoding="utf-8")
    with arena(home, tournament(tmp_path / "files")) as terminal:
        assert terminal.wait_exit() == 2
        terminal.wait_for("no theme is called 'nort'; did you mean nord?")
        assert b"\x1b[?1049h" not in bytes(terminal.bytes)


def test_the_result_goes_to_stdout_and_the_console_to_the_terminal(tmp_path: Path) -> None:
    """`arena --json FILE > result.json` and `--events FILE` work beside the console."""
    home, events, target = tmp_path / "home", tmp_path / "events.jsonl", tmp_path / "result.json"
    file = tournament(tmp_path / "files", matches=12)
    command = [sys.executable, "-m", "arena_tui", "--json", "--events", str(events), str(file)]
    env = {**os.environ, "ARENA_HOME": str(home)}
    with (
        target.open("wb") as stream,
        Terminal(command, env=env, cwd=tmp_path, stdout=stream.fileno()) as terminal,
    ):
        terminal.wait_for("Enter starts")
        terminal.press("enter")
        terminal.wait_for("STOPPED  BUDGET")
        terminal.press("q")
        assert terminal.wait_exit() == 3
    result = json.loads(target.read_text(encoding="utf-8"))
    assert result["stop_reason"] == "BUDGET"
    kinds = [json.loads(line)["kind"] for line in events.read_text(encoding="utf-8").splitlines()]
    assert kinds[0] == "run"
    assert kinds.count("match") == sum(result["matches"][kind] for kind in ("a", "b", "draw", "void"))


@pytest.mark.parametrize("term", ["dumb", ""])
def test_a_terminal_that_cannot_show_it_gets_plain_lines(tmp_path: Path, term: str) -> None:
    file = tournament(tmp_path / "files", matches=6)
    command = ["env", f"TERM={term}", sys.executable, "-m", "arena_tui", str(file)]
    env = {**os.environ, "ARENA_HOME": str(tmp_path / "home")}
    with Terminal(command, env=env, cwd=tmp_path) as terminal:
        assert terminal.wait_exit() == 3
        terminal.wait_for("go on with: arena resume")
        assert b"\x1b[?1049h" not in bytes(terminal.bytes)


def test_without_a_terminal_arena_alone_shows_its_usage(tmp_path: Path) -> None:
    done = subprocess.run(
        [sys.executable, "-m", "arena_tui"],
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        env={**os.environ, "ARENA_HOME": str(tmp_path)},
        check=False,
    )
    assert (done.returncode, done.stdout) == (2, "")
    assert "Usage: arena" in done.stderr
