"""What candidates, models and files can make a terminal do through the console: nothing."""

from __future__ import annotations

import json
import re
from pathlib import Path

from console_runs import arena

PAYLOADS = (
    "\x1b]52;c;ZXZpbA==\x07",
    "\x1b]8;;https://example.org\x1b\\link\x1b]8;;\x1b\\",
    "\x1b[2J\x1b[Hgone",
    "\x1b]0;owned\x07",
    "\x1bP+q544e\x1b\\",
    "\x9b31m",
    "\x1b[?1049l",
    "[@click=app.quit]x[/] a [/] b [/foo] [link=https://example.org]y[/link]",
    "\u202egnp",
)
# 22, the shape of the mouse pointer, is Textual's own.
OSC = re.compile(rb"\x1b\](?!22;[a-z-]*(?:\x1b\\|\x07))([0-9]+);")
DCS = re.compile(rb"\x1b[PX^_]")


def hostile_tournament(folder: Path) -> Path:
    folder.mkdir(parents=True, exist_ok=True)
    rows = [
        {
            "id": f"c{number} [/] [@click=app.quit]x[/]",
            "title": f"Title {number} {payload}",
            "text": f"Text {number} {payload} end.\n\n# {payload}\n\n| {payload} | b |\n|--|--|\n| [x] | y |",
            "review": payload,
            "system": "[red]s[/red] [/",
            "strength": float(number),
        }
        for number, payload in enumerate(PAYLOADS)
    ]
    (folder / "pool.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    settings = {
        "name": "hostile " + "".join(PAYLOADS),
        "task": "Which is better? " + "".join(PAYLOADS),
        "criteria": {"c" + PAYLOADS[0]: "words " + PAYLOADS[2]},
        "candidates": "pool.jsonl",
        "format": "elo",
        "judge": {
            "kind": "llm",
            "model": "mock:panel",
            "latency": {"pairwise": 0.02, "debate": 0.05},
        },
        "limits": {"matches": 40, "concurrency": 4},
        "stop": "none",
        "seed": 3,
    }
    file = folder / "hostile.yaml"
    file.write_text(json.dumps(settings, ensure_ascii=True), encoding="utf-8")  # JSON is YAML
    return file


def test_no_escape_but_textuals_own_reaches_the_terminal(tmp_path: Path) -> None:
    """Every pane and screen is walked through; then the bytes are looked at."""
    with arena(tmp_path / "home", hostile_tournament(tmp_path / "files"), columns=160, rows=50) as terminal:
        terminal.wait_for("Enter starts")
        terminal.press("enter")
        terminal.wait_for("STOPPED  BUDGET")
        terminal.press("down", "i")
        terminal.wait_for("now pinned")
        terminal.press("enter")
        terminal.wait_for("Matches")
        terminal.press("escape")
        terminal.wait_for("Leaderboard")
        terminal.press("2", "enter")
        terminal.wait_for("o overrule")
        terminal.press("w", "d", "escape", "3", "H")
        terminal.wait_for("now: after")
        terminal.press("left", "left", "escape", "J")
        terminal.wait_for("first slot")
        terminal.press("escape", "O")
        terminal.wait_for("new run")
        terminal.press("q")
        assert terminal.wait_exit() == 3
        assert terminal.is_restored()
        written = bytes(terminal.bytes)
    assert OSC.findall(written) == [], "no clipboard, no link, no title"
    assert not DCS.search(written)
    assert b"Title 3 owned" not in written, "a sequence goes whole; a debate may quote the plain word"
    text = written.decode("utf-8", "replace")
    assert not any(char in text for char in "\x9b\u202e")
    left = text.count("\x1b[?1049l")
    assert left == 1, "the alternate screen is left once, by the console"


def test_copying_is_the_only_way_to_the_clipboard(tmp_path: Path) -> None:
    with arena(tmp_path / "home", hostile_tournament(tmp_path / "files"), columns=160, rows=50) as terminal:
        terminal.wait_for("Enter starts")
        terminal.press("enter")
        terminal.wait_for("STOPPED  BUDGET")
        terminal.press("1", "y")
        terminal.wait_for("copied")
        assert OSC.findall(bytes(terminal.bytes)) == [b"52"]
        terminal.press("q")
        assert terminal.wait_exit() == 3
