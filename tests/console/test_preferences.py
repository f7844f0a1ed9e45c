"""`console.yaml`: themes, mouse, glyphs and keys; every mistake is told with its line."""

from __future__ import annotations

from pathlib import Path

import pytest

from arena_tui.console.preferences import Preferences, read_preferences
from arena_tui.errors import FileProblems


def read(folder: Path, text: str) -> Preferences:
    file = folder / "console.yaml"
    file.write_text(text, encoding="utf-8")
    return read_preferences(file)


def test_without_a_file_the_defaults_hold(tmp_path: Path) -> None:
    assert read_preferences(tmp_path / "console.yaml") == Preferences()
    assert read(tmp_path, "") == Preferences()


def test_everything_can_be_chosen(tmp_path: Path) -> None:
    chosen = read(tmp_path, "theme: nord\nmouse: false\nascii: true\nkeys:\n  run.pause: ctrl+o\n")
    assert chosen == Preferences("nord", False, True, {"run.pause": "ctrl+o"})


def test_the_command_line_goes_first() -> None:
    preferred = Preferences(theme="nord", keys={"run.pause": "x"})
    given = preferred.given(theme="arena-light", mouse=False, ascii=True)
    assert given == Preferences("arena-light", False, True, {"run.pause": "x"})


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("theme: nort\n", "console.yaml:1: no theme is called 'nort'; did you mean nord?"),
        ("mouse: maybe\n", "console.yaml:1: mouse is true or false, not 'maybe'"),
        ("\nkeys: {run.paus: p}\n", "console.yaml:2: keys: nothing is called 'run.paus'; did you mean"),
        ("keys: [p]\n", "console.yaml:1: keys holds lines such as run.pause: p"),
        ("colour: red\n", "console.yaml:1: no preference is called 'colour'"),
        ("theme: nord\nmouse: maybe\n", "console.yaml:2: mouse is true or false"),
        ("keys:\n  app.help: f1\n  run.paus: p\n", "console.yaml:3: keys: nothing is called 'run.paus'"),
        ("- theme\n", "console.yaml:1: expected keys such as theme:"),
        ("theme: [\n", "console.yaml:"),
    ],
)
def test_a_mistake_is_told_with_its_line(tmp_path: Path, text: str, told: str) -> None:
    with pytest.raises(FileProblems) as raised:
        read(tmp_path, text)
    assert told in str(raised.value)


def test_a_theme_of_the_command_line_that_nobody_has_is_refused() -> None:
    with pytest.raises(FileProblems, match="--theme: no theme is called 'nort'"):
        Preferences().given(theme="nort")


@pytest.mark.parametrize(
    ("keys", "told"),
    [
        (("run.pause: a",), "2: keys: run.pause: a is taken by run.abort; give that another key too"),
        (("app.help: f1", "run.pause: a"), "3: keys: run.pause: a is taken by run.abort"),
        (("entrant.pin: q",), "2: keys: entrant.pin: q is taken by app.quit_console"),
        (("board.copy: L",), "2: keys: board.copy: L is taken by run.limits"),
        (("run.limits: y",), "2: keys: run.limits: y is taken by board.copy"),
        (("board.reverse: slash",), "2: keys: board.reverse: / is taken by board.filter"),
        (('run.pause: "x,o"', "run.abort: o"), "2: keys: run.pause: o is taken by run.abort"),
    ],
)
def test_a_key_that_is_another_acts_is_refused(tmp_path: Path, keys: tuple[str, ...], told: str) -> None:
    with pytest.raises(FileProblems) as raised:
        read(tmp_path, "keys:\n" + "".join(f"  {line}\n" for line in keys))
    assert f"console.yaml:{told}" in str(raised.value)


@pytest.mark.parametrize(
    "keys",
    [
        ("run.pause: a", "run.abort: ctrl+a"),
        ("run.pause: b", "run.abort: space"),
        ("hand.note: a",),
        ("board.copy: c",),
        ("rows.row_up: k", "run.pause: space"),
    ],
)
def test_a_key_that_is_free_where_it_applies_is_taken(tmp_path: Path, keys: tuple[str, ...]) -> None:
    read(tmp_path, "keys:\n" + "".join(f"  {line}\n" for line in keys))
