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

from arena_tui.console.actions import ACTS
from arena_tui.console.themes import DEFAULT, OWN
from arena_tui.errors import FileProblems, Problem
from arena_tui.values import did_you_mean, shown

FILE = "console.yaml"


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
        problems += [Problem(label, line_of(content, key), text) for text in found]
    if problems:
        raise FileProblems(problems)
    return Preferences(**values)


def _checked(key: object, value: Any, values: dict[str, Any]) -> Sequence[str]:
    """Put a key's value into `values`; what is wrong with it."""
    match key:
        case "theme":
            values["theme"] = value
            problem = _theme_problem(value)
            return [problem] if problem else []
        case "mouse" | "ascii":
            values[key] = value
            return [] if isinstance(value, bool) else [f"{key} is true or false, not {shown(value)}"]
        case "keys" if isinstance(value, dict):
            values["keys"] = {str(id_): str(keys) for id_, keys in value.items()}
            known = [act.id for act in ACTS]
            return [
                f"keys: nothing is called {shown(id_)}; {did_you_mean(str(id_), known) or 'see help for ids'}"
                for id_ in value
                if id_ not in known
            ]
        case "keys":
            return [f"keys holds lines such as run.pause: p, not {shown(value)}"]
    near = did_you_mean(str(key), ("theme", "mouse", "ascii", "keys"))
    return [f"no preference is called {shown(key)}; {near or 'there are theme, mouse, ascii and keys'}"]


def _theme_problem(name: object) -> str:
    known = themes()
    if name in known:
        return ""
    near = did_you_mean(str(name), known)
    return f"no theme is called {shown(name)}; {near or 'there are ' + ', '.join(known)}"
