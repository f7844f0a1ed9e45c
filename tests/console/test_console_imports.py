"""The console's first frame waits for nothing that is slow to import."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

SLOW = {"pydantic", "numpy", "scipy", "yaml", "anthropic", "openai", "genai_prices"}
SCREENS = {"home", "ready", "run", "match", "candidate", "compare", "help", "history"}
PROGRAM = """
import asyncio, json, sys
import arena_tui.cli, arena_tui.commands.front
from arena_tui.cockpit.installation import FileOptions, Installation
from arena_tui.commands.console import preferences
from arena_tui.console.app import ArenaApp, Opening

wanted, file = sys.argv[1], sys.argv[2] if len(sys.argv) > 2 else None
app = ArenaApp(Installation(file=file, options=FileOptions()), Opening(file=file), preferences())
if wanted == "BlankScreen":
    app._open_first = lambda: None  # it comes after the first frame

async def main():
    async with app.run_test() as pilot:
        while type(app.screen).__name__ != wanted:
            await pilot.pause()

asyncio.run(main())
print(json.dumps(sorted(sys.modules)))
"""


def modules_at(folder: Path, *argv: str) -> set[str]:
    """What is imported once the screen named first is shown; then a tournament file, if any."""
    done = subprocess.run(
        [sys.executable, "-c", PROGRAM, *argv],
        env={**os.environ, "ARENA_HOME": str(folder)},
        cwd=folder,
        capture_output=True,
        text=True,
        check=True,
    )
    return set(json.loads(done.stdout.splitlines()[-1]))


@pytest.mark.parametrize("file", [[], ["tournament.yaml"]])
def test_the_first_frame_needs_no_slow_library_and_no_other_screen(tmp_path: Path, file: list[str]) -> None:
    modules = modules_at(tmp_path, "BlankScreen", *file)
    assert not SLOW & {name.partition(".")[0] for name in modules}
    assert not {f"arena_tui.console.screens.{name}" for name in SCREENS} & modules
    assert not {"arena_tui.store.reader", "arena_tui.console.ledger", "markdown_it", "sqlite3"} & modules


def test_home_needs_no_slow_library_either(tmp_path: Path) -> None:
    modules = modules_at(tmp_path, "HomeScreen")
    assert "arena_tui.console.screens.home" in modules
    assert not SLOW & {name.partition(".")[0] for name in modules}
