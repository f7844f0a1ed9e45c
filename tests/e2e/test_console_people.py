"""People as judges at the console: a run that asks, and an audit by hand."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest
from console_runs import arena, tournament

from arena_tui.store.reader import Reader

HUMAN = """\
name: by-hand
task: Which plan is better?
candidates: pool.jsonl
format: elo
judge: {kind: human}
limits: {concurrency: 2, matches: 4}
stop: none
seed: 5
"""


def shown(home: Path, *argv: str) -> str:
    return subprocess.run(
        [sys.executable, "-m", "arena_tui", *argv],
        env={**os.environ, "ARENA_HOME": str(home)},
        capture_output=True,
        text=True,
        check=True,
    ).stdout


def _texts(screen: str) -> list[str]:
    """The lines of both texts."""
    return [line for line in screen.splitlines() if "does not help." in line]


def test_a_person_judges_a_run_at_the_console(tmp_path: Path) -> None:
    """The first question opens by itself; an answer can be taken back; names are never shown."""
    home = tmp_path / "home"
    file = tournament(tmp_path / "files")
    file.write_text(HUMAN, encoding="utf-8")
    with arena(home, file) as terminal:
        terminal.wait_for("Enter starts")
        terminal.press("enter")
        first = terminal.wait_for(lambda text: "Which plan is better?" in text and "s skip" in text)
        assert "1200" not in first
        terminal.press("n", "w", "h", "y", "enter", "1")
        terminal.wait_for("1 is better")
        terminal.press("u")
        terminal.wait_for("note: why")
        for key in ("1", "2", "t", "1"):
            asked = _texts(terminal.wait_for("does not help."))
            terminal.press(key)
            terminal.wait_for(lambda shown, asked=asked: _texts(shown) != asked)
        terminal.wait_for("has stopped", timeout=90)
        terminal.press("escape")
        terminal.wait_for("STOPPED  BUDGET")
        terminal.press("q")
        assert terminal.wait_exit() == 3
        assert terminal.is_restored()
    result = json.loads(shown(home, "show", "--json"))
    assert result["matches"]["void"] == 0
    assert sum(result["matches"][kind] for kind in ("a", "b", "draw")) == 4
    assert result["matches"]["draw"] == 1


def test_matches_of_a_run_are_judged_by_hand_on_a_terminal(tmp_path: Path) -> None:
    home = tmp_path / "home"
    file = tournament(tmp_path / "files", matches=20, pairwise=0.0, debate=0.0)
    subprocess.run(
        [sys.executable, "-m", "arena_tui", "--no-ui", str(file)],
        env={**os.environ, "ARENA_HOME": str(home)},
        capture_output=True,
        check=False,
    )
    with arena(home, "audit", "plans", "--by-hand", "3") as terminal:
        terminal.wait_for("Text 2")
        terminal.press("1", "2", "s")
        terminal.wait_for("agree on", timeout=30)
        terminal.press("q")
        assert terminal.wait_exit() == 0
        terminal.wait_for("you and the judge agree on")
        assert terminal.is_restored()


@pytest.mark.parametrize("how", ["ctrl+c", "act", "SIGTERM"])
def test_the_last_answer_counts_however_the_run_is_stopped(tmp_path: Path, how: str) -> None:
    """An answer can be taken back for a while; when the run stops meanwhile it is passed on first."""
    home = tmp_path / "home"
    file = tournament(tmp_path / "files")
    file.write_text(HUMAN.replace("matches: 4", "matches: 40"), encoding="utf-8")
    with arena(home, file) as terminal:
        terminal.wait_for("Enter starts")
        terminal.press("enter")
        for key in ("1", "2"):
            asked = _texts(terminal.wait_for("does not help."))
            terminal.press(key)
            terminal.wait_for(lambda shown, asked=asked: _texts(shown) != asked)
        terminal.wait_for("text 2 is better")
        match how:
            case "ctrl+c":
                terminal.press("ctrl+c")
                terminal.wait_for("Abort the run?")
                terminal.press("ctrl+c")
                terminal.wait_for("has stopped")
                terminal.press("q")
            case "act":
                shown(home, "act", "by-hand", "abort")
                terminal.wait_for("has stopped")
                terminal.press("q")
            case _:
                os.kill(terminal.process.pid, signal.SIGTERM)
        assert terminal.wait_exit() == (143 if how == "SIGTERM" else 130)
    with Reader(next((home / "runs").glob("*.db"))) as reader:
        replies = [reply for pending in reader.pending() for reply in pending.replies]
        assert reader.counts().applied + len(replies) == 2, "both answers are stored"
