"""What a person prefers, from `console.yaml` of the data folder and the command line: keys, theme, glyphs.

theme: arena-light      # or one of Textual's: nord, gruvbox, ansi-dark, ...
mouse: false
ascii: true
keys:
  run.pause: ctrl+p     # by the ids that help shows
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from arena_tui.console.actions import ACTS, Act
from arena_tui.console.keys import keys_of
from arena_tui.console.themes import DEFAULT, OWN
from arena_tui.errors import FileProblems, Problem
from arena_tui.values import did_you_mean, shown

FILE = "console.yaml"
TOGETHER = (
    frozenset({"app", "run", "board", "entrant", "rows"}),
    frozenset({"app", "run", "debate"}),
    frozenset({"app", "run", "tree", "entrant", "rows"}),
    frozenset({"app", "home", "rows"}),
    frozenset({"groups", "rows", "over"}),
    frozenset({"app", "ready"}),
    frozenset({"app", "candidate", "entrant", "paper"}),
    frozenset({"app", "match", "paper"}),
    frozenset({"app", "diff", "paper"}),
    frozenset({"app", "judge_report", "paper"}),
    frozenset({"app", "hand"}),
    frozenset({"app", "history", "rows"}),
)
"""Places whose keys apply at the same time."""


@dataclass(frozen=True, slots=True)
class Preferences:
    """`keys` maps ids of acts to keys as Textual writes them; `ascii` draws without Unicode."""

    theme: str = DEFAULT
    mouse: bool = True
    ascii: bool = False
    keys: Mapping[str, str] = field(default_factory=dict)

    def given(self, *, theme: str | None = None, mouse: bool = True, ascii: bool = False) -> Preferences:
        """With what the command line asks for. FileProblems for a theme that nobody has."""
        if theme is not None:
            problem = _theme_problem(theme)
            if problem:
                raise FileProblems([Problem("--theme", None, problem)])
        return replace(self, theme=theme or self.theme, mouse=self.mouse and mouse, ascii=self.ascii or ascii)


def themes() -> list[str]:
    """The names of all themes."""
    from textual.theme import BUILTIN_THEMES

    return [*(theme.name for theme in OWN), *BUILTIN_THEMES]


def read_preferences(file: Path) -> Preferences:
    """The preferences in `file`; the defaults where there is none. FileProblems names every mistake."""
    try:
        text = file.read_text(encoding="utf-8")
    except FileNotFoundError:
        return Preferences()
    except (OSError, UnicodeDecodeError) as error:
        raise FileProblems([Problem(str(file), None, f"cannot be read ({error})")]) from None
    from arena_tui.yaml_text import line_of, read_yaml  # PyYAML only where there is a file

    label = file.name
    content, problems = read_yaml(text, label)
    problems = list(problems)
    if content is None and not problems:
        return Preferences()
    if not isinstance(content, dict):
        raise FileProblems(
            problems or [Problem(label, 1, f"expected keys such as theme:, got {shown(content)}")]
        )
    values: dict[str, Any] = {}
    for key, value in content.items():
        found = _checked(key, value, values)
        problems += [Problem(label, line_of(content, (key, *below)), text) for below, text in found]
    if problems:
        raise FileProblems(problems)
    return Preferences(**values)


def _checked(key: object, value: Any, values: dict[str, Any]) -> Sequence[tuple[tuple[str, ...], str]]:
    """Put a key's value into `values`; what is wrong with it, and at which keys below it."""
    match key:
        case "theme":
            values["theme"] = value
            problem = _theme_problem(value)
            return [((), problem)] if problem else []
        case "mouse" | "ascii":
            values[key] = value
            return [] if isinstance(value, bool) else [((), f"{key} is true or false, not {shown(value)}")]
        case "keys" if isinstance(value, dict):
            given = values["keys"] = {str(id_): str(keys) for id_, keys in value.items()}
            known = [act.id for act in ACTS]
            return [
                *(
                    ((id_,), f"keys: nothing is called {shown(id_)}; {near or 'see help for ids'}")
                    for id_ in given
                    if id_ not in known
                    for near in [did_you_mean(id_, known)]
                ),
                *_taken(given),
            ]
        case "keys":
            return [((), f"keys holds lines such as run.pause: p, not {shown(value)}")]
    near = did_you_mean(str(key), ("theme", "mouse", "ascii", "keys"))
    return [((), f"no preference is called {shown(key)}; {near or 'there are theme, mouse, ascii and keys'}")]


def _taken(given: Mapping[str, str]) -> list[tuple[tuple[str, ...], str]]:
    """Keys of `given` that are another act's too where both apply; whose, unless they always share it."""
    found: list[tuple[tuple[str, ...], str]] = []
    told: set[frozenset[str]] = set()
    for act in ACTS:
        for other in ACTS if act.id in given else ():
            pair = frozenset((act.id, other.id))
            if act is other or pair in told or not _together(act.place, other.place):
                continue
            both = _keys(act, given) & _keys(other, given)
            for key in sorted(both - (_keys(act, {}) & _keys(other, {}))):
                told.add(pair)
                text = f"keys: {act.id}: {key} is taken by {other.id}; give that another key too"
                found.append(((act.id,), text))
    return found


def _keys(act: Act, given: Mapping[str, str]) -> frozenset[str]:
    return frozenset(keys_of(act, given).split(" "))


def _together(place: str, other: str) -> bool:
    """True for places whose keys apply at the same time, so that one key cannot be of both."""
    return place == other or any(place in each and other in each for each in TOGETHER)


def _theme_problem(name: object) -> str:
    known = themes()
    if name in known:
        return ""
    near = did_you_mean(str(name), known)
    return f"no theme is called {shown(name)}; {near or 'there are ' + ', '.join(known)}"
