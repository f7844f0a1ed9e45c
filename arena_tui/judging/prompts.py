"""Prompt templates: Markdown files with a front matter that names their variables, filled strictly.

A template is trusted text with places for values; values are foreign and are never looked at again once
they are in their place. What a body may hold is told in `prompt_body`.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path

from arena_tui import resources
from arena_tui.conventions import CONTRACT, LINE_ONLY, SCALE, SCORE, TIE
from arena_tui.errors import FileProblems, Problem, UsageError
from arena_tui.judging.prompt_body import PLACE, BodyReader, Section
from arena_tui.providers.base import Part
from arena_tui.text_files import label_of, read_text
from arena_tui.values import nearest
from arena_tui.yaml_text import LinedDict, read_yaml

NAMES = (
    "pairwise",
    "debate_advocate",
    "debate_judge",
    "debate_single_call",
    "score",
    "reask",
    "overview",
    "rubric",
)
"""The templates there are."""
CONSTANTS: Mapping[str, str] = {
    "contract": CONTRACT,
    "tie": TIE,
    "score": SCORE,
    "best": SCALE[0],
    "worst": SCALE[-1],
    "scale": " ".join(SCALE),
    "line_only": LINE_ONLY,
}
"""What every template may use without declaring it: the words that readers of replies rely on."""

Value = str | bool | tuple[str, ...]
"""A text; a condition that is no text; or several texts, each to become a part of its own."""

LIMIT = 100_000  # bytes of a template
_FRONT = re.compile(r"---\n(.*?\n)---\n", re.DOTALL)
_GAPS = re.compile(r"\n{3,}")


@dataclass(frozen=True, slots=True)
class Template:
    """A prompt with places for values. `variables` says of each what it is; `source` names the file."""

    source: str
    variables: Mapping[str, str]
    sections: tuple[Section, ...]

    @property
    def used(self) -> frozenset[str]:
        """The variables that have a place in the text."""
        return frozenset(set().union(*(section.places for section in self.sections)) & self.variables.keys())

    def fill(self, *, tie: str = TIE, **values: Value) -> tuple[tuple[Part, ...], tuple[Part, ...]]:
        """The system parts and the user parts, with `values` in their places, unaltered.

        `tie` is what a draw is called, if not as usual. Several texts need a section of their own. Raises
        UsageError, which names the file, when a variable has no value, a value no variable, or a place no
        text.
        """
        for name in self.variables:
            if name not in values:
                raise UsageError(f"{self.source}: no value for the variable {name!r}")
        for name in values:
            if name not in self.variables:
                raise UsageError(f"{self.source}: the front matter names no variable {name!r}")
        filled: tuple[list[Part], list[Part]] = ([], [])
        known = {**values, **CONSTANTS, "tie": tie}
        for section in self.sections:
            texts = self._texts(section, known)
            last = len(texts) - 1
            filled[section.is_user].extend(
                Part(text, section.cache and at == last) for at, text in enumerate(texts)
            )
        system, user = (_apart(parts) for parts in filled)
        return system, user

    def _texts(self, section: Section, values: Mapping[str, Value]) -> list[str]:
        chosen = [
            passage.text
            for passage in section.passages
            if all(bool(values[name]) == wanted for name, wanted in passage.conditions)
        ]
        template = _GAPS.sub("\n\n", "\n".join(chosen)).strip("\n")
        alone = PLACE.fullmatch(template.strip())
        several = values.get(alone[1]) if alone else None
        if isinstance(several, tuple):
            return list(several)
        text = PLACE.sub(lambda place: self._text(place[1], values), template)
        return [text] if text else []

    def _text(self, name: str, values: Mapping[str, Value]) -> str:
        value = values[name]
        if not isinstance(value, str):
            raise UsageError(f"{self.source}: the value of {name!r} is no text that could stand in a line")
        return value


def _apart(parts: list[Part]) -> tuple[Part, ...]:
    """The parts with a blank line after each but the last."""
    return (*(Part(part.text + "\n\n", part.cache) for part in parts[:-1]), *parts[-1:])


@lru_cache(maxsize=64)
def load(name: str, folder: Path | None = None) -> Template:
    """The template `name`: the copy in `folder` if there is one, else the one that is shipped.

    Read once. A copy must have the same variables and use all that are used in the shipped text. Raises
    FileProblems with file and line for what is no template, UsageError for an unknown name.
    """
    if name not in NAMES:
        near = nearest(name, NAMES)
        raise UsageError(f"there is no prompt {name!r}" + (f" (did you mean {near}?)" if near else ""))
    original = _read(resources.shipped_file(f"prompts/{name}.md"), f"prompts/{name}.md")
    copy = folder / f"{name}.md" if folder is not None else None
    if copy is None or not copy.exists():
        return original
    own = _read(copy, label_of(copy))
    odd = sorted(own.variables.keys() ^ original.variables.keys())
    if odd:
        message = f"its variables differ from those of the shipped prompt {name} in {', '.join(odd)}"
        raise FileProblems([Problem(own.source, None, message)])
    left_out = sorted(original.used - own.used)
    if left_out:
        message = f"it leaves out {', '.join('{{' + place + '}}' for place in left_out)}"
        raise FileProblems([Problem(own.source, None, message, "a copy says all that the original says")])
    return own


def _read(path: Path, source: str) -> Template:
    text, _ = read_text(path, source, limit=LIMIT, what="a prompt template")
    front = _FRONT.match(text)
    if front is None:
        raise FileProblems([Problem(source, 1, "a prompt begins with a front matter between two lines ---")])
    settings, problems = read_yaml("\n" + front[1], source)  # the line of --- keeps the numbers right
    if problems:
        raise FileProblems(problems)
    variables = settings.get("variables") if isinstance(settings, LinedDict) else None
    if not isinstance(variables, dict) or not all(isinstance(about, str) for about in variables.values()):
        raise FileProblems([Problem(source, 2, "the front matter needs variables: {name: what it is}")])
    reader = BodyReader(source, front[0].count("\n"), {*variables, *CONSTANTS}, variables)
    return Template(source, dict(variables), reader.sections(text[front.end() :]))
