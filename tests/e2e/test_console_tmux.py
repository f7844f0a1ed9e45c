"""The console inside tmux, which would obey what a candidate could smuggle through."""

from __future__ import annotations

import os
import shlex
import shutil
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest
from test_console_safety import hostile_tournament

TMUX = shutil.which("tmux")
pytestmark = pytest.mark.skipif(TMUX is None, reason="tmux is not installed here")


class Tmux:
    """A tmux server of its own with one window."""

    def __init__(self, folder: Path) -> None:
        folder.mkdir(parents=True, exist_ok=True)
        self.env = {**os.environ, "TMUX_TMPDIR": str(folder), "ARENA_HOME": str(folder / "home")}
        self.env.pop("TMUX", None)

    def __call__(self, *command: str) -> str:
        done = subprocess.run(
            [str(TMUX), "-L", "arena-test", "-f", os.devnull, *command],
            env=self.env,
            capture_output=True,
            text=True,
            check=False,
        )
        return done.stdout

    def wait_for(self, wanted: str, seconds: float = 60.0) -> str:
        deadline = time.monotonic() + seconds
        while True:
            shown = self("capture-pane", "-p", "-t", "console")
            if wanted in shown:
                return shown
            assert time.monotonic() < deadline, f"not shown: {wanted!r}\n{shown}"
            time.sleep(0.1)


@pytest.fixture
def tmux(tmp_path: Path) -> Iterator[Tmux]:
    server = Tmux(tmp_path / "tmux")
    yield server
    server("kill-server")


def test_tmux_keeps_its_clipboard_and_titles_and_gets_its_screen_back(tmux: Tmux, tmp_path: Path) -> None:
    file = hostile_tournament(tmp_path / "files")
    arena = shlex.join([sys.executable, "-m", "arena_tui", str(file)])
    command = f"{arena}; echo left with $?; exec sleep 1000"
    tmux("new-session", "-d", "-s", "console", "-x", "120", "-y", "40", "sh", "-c", command)
    tmux("set-option", "-s", "set-clipboard", "on")
    tmux("select-pane", "-t", "console", "-T", "mine")
    tmux.wait_for("Enter starts")
    tmux("send-keys", "-t", "console", "Enter")
    tmux.wait_for("STOPPED  BUDGET")
    shown = tmux.wait_for("Leaderboard")
    assert "Title 0" in shown
    tmux("resize-window", "-t", "console", "-x", "80", "-y", "24")
    tmux.wait_for("[1 Board]")
    tmux("send-keys", "-t", "console", "q")
    tmux.wait_for("left with 3")
    assert tmux("list-buffers") == "", "nothing was put into the clipboard"
    assert tmux("display-message", "-p", "-t", "console", "#{pane_title}").strip() == "mine"
    assert tmux("display-message", "-p", "-t", "console", "#{alternate_on}").strip() == "0"
    assert tmux("display-message", "-p", "-t", "console", "#{mouse_any_flag}").strip() == "0"
