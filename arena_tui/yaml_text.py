"""YAML with line numbers, read strictly: the subset of YAML 1.2 that settings and pools need.

Built on PyYAML's event stream instead of its constructors, without recursion: anchors, aliases,
tags and deep nesting are refused at the first event that shows them, before they can cost anything.
Plain words follow the YAML 1.2 core schema, so `no`, `on`, `1:30` and `2024-01-01` are texts; a
number written with leading zeros is a text too, since ids are written so.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Any

import yaml

from arena_tui.errors import FileProblems, Problem
from arena_tui.values import shown

MAX_DEPTH = 40
_INT = re.compile(r"[-+]?(0|[1-9][0-9]{0,299})", re.ASCII)
_FLOAT = re.compile(
    r"[-+]?(\.[0-9]+|(0|[1-9][0-9]*)(\.[0-9]*)?)([eE][-+]?[0-9]+)?|[-+]?\.(inf|Inf|INF)|\.(nan|NaN|NAN)",
    re.ASCII,
)
_WORDS: Mapping[str, bool | None] = {
    **dict.fromkeys(("", "~", "null", "Null", "NULL")),
    **dict.fromkeys(("true", "True", "TRUE"), True),
    **dict.fromkeys(("false", "False", "FALSE"), False),
}
_NOT_ASCII = re.compile(r"[^\x00-\x7e]")
_LOADER: Any = getattr(yaml, "CSafeLoader", yaml.SafeLoader)


class LinedDict(dict[str, Any]):
    """A mapping that knows its own `line` and, in `lines`, the line of each key (from 1)."""

    __slots__ = ("line", "lines")

    def __init__(self, line: int) -> None:
        super().__init__()
        self.line = line
        self.lines: dict[str, int] = {}


class LinedList(list[Any]):
    """A list that knows its own `line` and, in `lines`, the line of each item (from 1)."""

    __slots__ = ("line", "lines")

    def __init__(self, line: int) -> None:
        super().__init__()
        self.line = line
        self.lines: list[int] = []


def line_of(value: object, keys: tuple[str | int, ...]) -> int | None:
    """The line on which `keys` leads below `value`, as far as it leads; None where no line is known."""
    line = getattr(value, "line", None)
    for key in keys:
        if isinstance(value, LinedDict) and key in value:
            line, value = value.lines.get(str(key), line), value[str(key)]
        elif isinstance(value, LinedList) and isinstance(key, int) and key < len(value):
            line, value = value.lines[key], value[key]
        else:
            break
    return line


def plain_scalar(text: str) -> Any:
    """The value of an unquoted YAML word: null, true, false, a number, else the text itself."""
    if text in _WORDS:
        return _WORDS[text]
    first = text[0]
    if first in "0123456789+-.":
        if _INT.fullmatch(text):
            return int(text)
        if _FLOAT.fullmatch(text):
            return float(text.lower().replace(".inf", "inf").replace(".nan", "nan"))
    return text


def written_value(text: str) -> Any:
    """The value of KEY=VALUE on a command line: a YAML word, a quoted text, or a [list] or {mapping}."""
    text = text.strip()
    if text[:1] in ("[", "{", '"', "'"):
        value, problems = read_yaml(text, "value")
        if problems:
            raise FileProblems(problems)
        return value
    return plain_scalar(text)


def read_yaml(text: str, label: str) -> tuple[Any, list[Problem]]:
    """The one document in `text`, and the problems that did not hinder reading it (repeated keys).

    Raises FileProblems for what is no YAML, and for anchors, aliases, tags and deep nesting.
    """
    builder = _Builder(label)
    events: Iterator[Any] = yaml.parse(text, Loader=_LOADER)
    try:
        for event in events:
            builder.take(event)
    except yaml.MarkedYAMLError as error:
        mark = error.problem_mark or error.context_mark
        line = None if mark is None else mark.line + 1
        what = (error.problem or "not valid YAML").strip()
        hint = "YAML indents with spaces, not tabs" if "\t" in _line(text, line) else ""
        if "mapping values are not allowed" in what:
            hint = "a text that contains ': ' needs quotes"
        problem = Problem(label, line, f"not valid YAML: {what}", hint)
        raise FileProblems([*builder.problems, problem]) from None
    except (yaml.YAMLError, UnicodeError):
        problem = Problem(label, None, "not valid YAML: it contains characters that YAML does not allow")
        raise FileProblems([*builder.problems, problem]) from None
    return builder.document, builder.problems


class _Dumper(yaml.SafeDumper):
    """Writes what `read_yaml` reads back equal: no anchors, and quotes where a plain word would be more."""

    def ignore_aliases(self, data: Any) -> bool:
        return True


def _quoted_text(dumper: yaml.SafeDumper, text: str) -> yaml.ScalarNode:
    plain = plain_scalar(text) == text and text.isprintable()
    return dumper.represent_scalar("tag:yaml.org,2002:str", text, style=None if plain else '"')


_Dumper.add_representer(str, _quoted_text)


def write_yaml(value: Any) -> str:
    """`value` (mappings, lists, texts, finite numbers, true, false, null) as YAML, in its own order."""
    written: str = yaml.dump(value, Dumper=_Dumper, allow_unicode=True, sort_keys=False, width=100)
    # PyYAML leaves direction marks and the like as they are, and the file may be printed to a terminal.
    # Texts with such characters are all in double quotes, where an escape means the character.
    return _NOT_ASCII.sub(_escaped, written)


def _escaped(character: re.Match[str]) -> str:
    char = character[0]
    if char.isprintable():
        return char
    return f"\\u{ord(char):04X}" if ord(char) < 0x10000 else f"\\U{ord(char):08X}"


def _line(text: str, line: int | None) -> str:
    if line is None:
        return ""
    lines = text.split("\n", line)
    return lines[line - 1] if line <= len(lines) else ""


class _Builder:
    """Makes values out of events with a stack of its own, so that no input can exhaust Python's."""

    def __init__(self, label: str) -> None:
        self.label = label
        self.problems: list[Problem] = []
        self.document: Any = None
        self._documents = 0
        self._open: list[LinedDict | LinedList] = []
        self._keys: list[tuple[str, int] | None] = []  # the key that waits for its value, per open mapping

    def take(self, event: Any) -> None:
        line = event.start_mark.line + 1
        if isinstance(event, yaml.AliasEvent) or getattr(event, "anchor", None) is not None:
            self._fail(
                line, "anchors and aliases (& and *) are not allowed", "write the value out, or quote it"
            )
        tag = getattr(event, "tag", None)
        if tag not in (None, "!", "tag:yaml.org,2002:str"):
            self._fail(
                line, f"YAML tags such as {shown(tag)} are not allowed", "remove it, or quote the text"
            )
        match event:
            case yaml.ScalarEvent():
                if self._awaits_key():
                    self._key(event.value, line)
                elif event.implicit[0] and tag is None:
                    self._put(plain_scalar(event.value), line)
                else:
                    self._put(event.value, line)
            case yaml.MappingStartEvent():
                self._start(LinedDict(line), line)
            case yaml.SequenceStartEvent():
                self._start(LinedList(line), line)
            case yaml.MappingEndEvent() | yaml.SequenceEndEvent():
                self._open.pop()
                self._keys.pop()
            case yaml.DocumentStartEvent():
                self._documents += 1
                if self._documents > 1:
                    self._fail(
                        line, "a second YAML document begins here, expected one", "remove the --- line"
                    )

    def _fail(self, line: int, message: str, hint: str = "") -> None:
        raise FileProblems([*self.problems, Problem(self.label, line, message, hint)])

    def _awaits_key(self) -> bool:
        return bool(self._open) and isinstance(self._open[-1], LinedDict) and self._keys[-1] is None

    def _key(self, key: str, line: int) -> None:
        mapping = self._open[-1]
        assert isinstance(mapping, LinedDict)
        if key in mapping:
            message = f"the key {shown(key)} is given twice, first on line {mapping.lines[key]}"
            self.problems.append(Problem(self.label, line, message, "keep one of them"))
        self._keys[-1] = (key, line)

    def _start(self, container: LinedDict | LinedList, line: int) -> None:
        if self._awaits_key():
            self._fail(line, "a key is a list or a mapping, expected a text", "put it in quotes")
        if len(self._open) >= MAX_DEPTH:
            self._fail(line, f"nested deeper than {MAX_DEPTH} levels")
        self._put(container, line)
        self._open.append(container)
        self._keys.append(None)

    def _put(self, value: Any, line: int) -> None:
        if not self._open:
            self.document = value
            return
        parent = self._open[-1]
        if isinstance(parent, LinedList):
            parent.append(value)
            parent.lines.append(line)
            return
        waiting = self._keys[-1]
        assert waiting is not None
        key, key_line = waiting
        if key not in parent:  # the first of two equal keys stands; the second is a problem already
            parent[key] = value
            parent.lines[key] = key_line
        self._keys[-1] = None
