"""What gets imported, read from `sys.modules` of fresh processes: starting is quick, headless is light."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
HEAVY = ("asyncio", "pydantic", "numpy", "yaml", "rich", "scipy", "sqlite3", "textual")

LOADED = "import json, sys; print(json.dumps(sorted({name.partition('.')[0] for name in sys.modules})))"
RUN = """
import sys
from arena_tui import cli
try:
    cli.main(sys.argv[1:])
except SystemExit as end:
    assert end.code == 3, end.code
"""


def loaded_after(script: str, *args: str, home: Path | None = None) -> set[str]:
    """The top-level modules in memory after `script` has run in a process of its own."""
    environment = {**os.environ, "PYTHONPATH": str(ROOT), "ARENA_HOME": str(home or "/nonexistent")}
    done = subprocess.run(
        [sys.executable, "-c", f"{script}\n{LOADED}", *args],
        capture_output=True,
        text=True,
        env=environment,
        timeout=60,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return set(json.loads(done.stdout.splitlines()[-1]))


@pytest.mark.parametrize("module", ["arena_tui", "arena_tui.cli", "arena_tui.errors", "arena_tui.__main__"])
def test_what_the_command_line_starts_with_is_light(module: str) -> None:
    loaded = loaded_after(f"import {module}")
    assert "arena_tui" in loaded
    assert loaded.isdisjoint(HEAVY)


def test_help_is_light() -> None:
    script = "from arena_tui import cli\ntry:\n    cli.main(['--help'])\nexcept SystemExit:\n    pass"
    assert loaded_after(script).isdisjoint(HEAVY)


@pytest.mark.parametrize(
    "module", ["arena_tui.engine.state", "arena_tui.safetext", "arena_tui.report.result"]
)
def test_what_a_console_needs_first_loads_neither_pydantic_nor_numpy(module: str) -> None:
    assert loaded_after(f"import {module}").isdisjoint(("pydantic", "numpy", "scipy", "yaml"))


def test_ratings_and_formats_run_without_engine_store_or_displays() -> None:
    loaded = loaded_after(
        "import sys, arena_tui.formats.elo\n"
        "assert not [n for n in sys.modules if n.startswith(('arena_tui.engine', 'arena_tui.store'))]"
    )
    assert loaded.isdisjoint(("asyncio", "sqlite3", "textual", "click"))


def test_headless_run_loads_no_console_and_no_provider(tmp_path: Path) -> None:
    file = tmp_path / "t.yaml"
    file.write_text(
        "candidates: [{id: a, text: one two}, {id: b, text: two three}, {id: c, text: three four}]\n"
        "judge: {kind: simulated}\nlimits: {matches: 10}\nstop: {rule: none}\n"
    )
    loaded = loaded_after(RUN, "--no-ui", str(file), home=tmp_path / "home")
    assert {"asyncio", "sqlite3", "pydantic"} <= loaded, "the run has been held"
    assert loaded.isdisjoint(("textual", "anthropic", "openai", "genai_prices", "httpx", "networkx"))
