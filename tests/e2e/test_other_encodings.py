"""Where the terminal's encoding lacks a character, it is written as an escape, and nothing is lost."""

from __future__ import annotations

import csv
import io
import json
import subprocess
from typing import Any

import pytest
from arena_cli import Arena

LATIN = {"PYTHONIOENCODING": "latin-1"}
ASCII = {"LC_ALL": "C", "PYTHONUTF8": "0", "PYTHONCOERCECLOCALE": "0"}
TITLE = "naïve 漢字 🎲"
ROWS = [
    {"id": "日本", "title": TITLE, "text": "one text"},
    {"id": "b", "text": "another text — with a dash"},
    {"id": "c", "text": "naïve"},
]


def run(arena: Arena, environment: dict[str, str], *args: object) -> Any:
    """Bytes that are no UTF-8 are read as they would be shown."""
    done = subprocess.run(
        arena.argv(args), cwd=arena.folder, env=arena.environment(**environment), capture_output=True
    )
    return done.returncode, done.stdout.decode("latin-1"), done.stderr.decode("latin-1")


@pytest.mark.parametrize("environment", [LATIN, ASCII], ids=["latin-1", "ascii"])
def test_every_command_says_all_it_has_to_say(arena: Arena, environment: dict[str, str]) -> None:
    (arena.folder / "pool.jsonl").write_text("".join(json.dumps(row) + "\n" for row in ROWS))
    file = arena.tournament(candidates="pool.jsonl", limits={"matches": 6})
    code, out, err = run(arena, environment, "--no-ui", file)
    assert code == 3
    assert "Traceback" not in err
    assert "\\u6f22\\u5b57 \\U0001f3b2" in out
    assert ("naïve" if environment is LATIN else "na\\xefve") in out
    assert "\\u6f22\\u5b57" in err
    for args in (
        ("check", file),
        ("plan", file),
        ("runs",),
        ("show",),
        ("export",),
        ("export", "--what", "matches"),
        ("export", "--what", "config"),
        ("act", arena.db().stem, "pin", "b"),
        ("verify",),
    ):
        code, out, err = run(arena, environment, *args)
        assert code == 0, (args, err)
        assert "Traceback" not in err
    _, out, _ = run(arena, environment, "export")
    assert {row["id"] for row in csv.DictReader(io.StringIO(out))} == {"\\u65e5\\u672c", "b", "c"}
    _, out, _ = run(arena, environment, "show", "--json")
    assert {row["title"] for row in json.loads(out)["standings"]} >= {TITLE}


@pytest.mark.parametrize("environment", [LATIN, ASCII], ids=["latin-1", "ascii"])
def test_errors_with_any_name_are_told(arena: Arena, environment: dict[str, str]) -> None:
    code, out, err = run(arena, environment, "check", "漢字.yaml")
    assert (code, "Traceback" in err + out) == (2, False)
