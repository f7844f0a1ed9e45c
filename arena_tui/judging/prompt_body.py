"""Reads the body of a prompt template into sections: what `prompts` fills.

Marks stand alone on a line: `<!-- user -->` ends the system part, `<!-- cache -->` ends a prefix that later
requests share, `<!-- if NAME -->`, `<!-- else -->` and `<!-- end -->` choose by whether a value is empty (or
false), `<!-- note: ... -->` says something to readers of the file.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass

from arena_tui.errors import FileProblems, Problem
from arena_tui.values import nearest

PLACE = re.compile(r"\{\{ ?([a-z][a-z0-9_]*) ?\}\}")
"""Where a value goes."""
_BRACES = re.compile(r"\{\{|\}\}")
_MARK = re.compile(r"<!--\s*(?:(?P<word>user|cache|else|end|note:.*)|if\s+(?P<name>\S+))\s*-->")

Condition = tuple[str, bool]
"""The name of a value, and whether it has to be there or to be missing."""


@dataclass(frozen=True, slots=True)
class Passage:
    """Some lines of a template, there when all conditions hold."""

    text: str
    conditions: tuple[Condition, ...] = ()


@dataclass(frozen=True, slots=True)
class Section:
    """Passages that become one part of a message; `cache` marks it as the end of a shared prefix."""

    passages: tuple[Passage, ...]
    is_user: bool
    cache: bool

    @property
    def places(self) -> set[str]:
        """The names of all values that may stand here."""
        return {name for passage in self.passages for name in PLACE.findall(passage.text)}


class BodyReader:
    """Reads one body. `known` are the names that may stand in places, `conditions` those that may choose."""

    def __init__(self, source: str, line: int, known: Iterable[str], conditions: Iterable[str]) -> None:
        self._source = source
        self._line = line  # of the file, counted from 1; the body starts on the next one
        self._known = set(known)
        self._conditions = set(conditions)
        self._sections: list[Section] = []
        self._passages: list[Passage] = []
        self._lines: list[str] = []
        self._open: list[Condition] = []
        self._is_user = False

    def sections(self, body: str) -> tuple[Section, ...]:
        """The sections of a body; FileProblems for unknown names and for marks in the wrong place."""
        for line in body.split("\n"):
            self._line += 1
            mark = _MARK.fullmatch(line.strip())
            if mark:
                self._take(mark["word"] or "if", mark["name"])
            elif line.strip().startswith("<!--"):
                self._fail(f"{line.strip()[:60]} is no mark", "user, cache, if NAME, else, end, or note: ...")
            else:
                self._check(line)
                self._lines.append(line)
        if self._open:
            self._fail(f"<!-- if {self._open[-1][0]} --> is never closed", "add <!-- end -->")
        self._end_section(cache=False)
        if not any(section.is_user for section in self._sections):
            self._fail("there is no user part", "add the line <!-- user -->")
        return tuple(self._sections)

    def _take(self, word: str, name: str | None) -> None:
        match word:
            case "if" if name is not None:
                if name not in self._conditions:
                    self._fail_unknown(name, self._conditions)
                self._end_passage()
                self._open.append((name, True))
            case "else" | "end":
                if not self._open or (word == "else" and not self._open[-1][1]):
                    self._fail(f"<!-- {word} --> without <!-- if NAME -->")
                self._end_passage()
                last, _ = self._open.pop()
                if word == "else":
                    self._open.append((last, False))
            case "user" | "cache":
                if self._open:
                    self._fail(f"<!-- {word} --> within a condition")
                if word == "user" and self._is_user:
                    self._fail("a second <!-- user -->")
                self._end_section(cache=word == "cache")
                self._is_user = self._is_user or word == "user"

    def _end_passage(self) -> None:
        if self._lines:
            self._passages.append(Passage("\n".join(self._lines), tuple(self._open)))
            self._lines = []

    def _end_section(self, *, cache: bool) -> None:
        self._end_passage()
        if any(passage.text.strip() for passage in self._passages):
            self._sections.append(Section(tuple(self._passages), self._is_user, cache))
        self._passages = []

    def _check(self, line: str) -> None:
        for name in PLACE.findall(line):
            if name not in self._known:
                self._fail_unknown(name, self._known)
        if _BRACES.search(PLACE.sub("", line)):
            self._fail("{{ and }} stand around the name of a variable")

    def _fail_unknown(self, name: str, known: Iterable[str]) -> None:
        near = nearest(name, sorted(known))
        self._fail(
            f"unknown variable {name!r}", f"did you mean {near}?" if near else "name it under variables"
        )

    def _fail(self, message: str, hint: str = "") -> None:
        raise FileProblems([Problem(self._source, self._line, message, hint)])
