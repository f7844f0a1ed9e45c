"""Reads the files that a pool may come in: JSON Lines, JSON, CSV, YAML, single texts, folders, globs.

Every reader gives `Row`s: the fields as the file names them, and where they stand. What the fields
mean is decided in `pool_fields`. Foreign bytes are treated as such: whatever is wrong becomes a `Problem`.
"""

from __future__ import annotations

import csv
import glob
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from io import StringIO
from pathlib import Path
from typing import Any

from arena_tui.errors import FileProblems, Problem
from arena_tui.json_text import json_value
from arena_tui.text_files import label_of, near_file, read_text
from arena_tui.values import did_you_mean, shown

MAX_POOL_BYTES = 1_000_000_000
MAX_PROBLEMS = 100  # a file of another shape has a fault on every line; more would tell nothing
TEXTS = frozenset({".md", ".markdown", ".txt"})
SUFFIXES = frozenset({".jsonl", ".ndjson", ".json", ".csv", ".tsv", ".yaml", ".yml"}) | TEXTS
_WHAT = "a pool of texts (JSON Lines, CSV, YAML, Markdown or plain text)"
_DELIMITERS = ",;\t|"


@dataclass(slots=True)
class Row:
    """One entry of a pool: its fields as written, and where it stands; `stem` when it is a file's text."""

    fields: Mapping[str, Any]
    path: str
    line: int | None
    item: str = ""  # which entry, where no line is known
    stem: str | None = None

    @property
    def place(self) -> str:
        """file:line, as far as it is known."""
        where = self.path if self.line is None else f"{self.path}:{self.line}"
        return f"{where}, {self.item}" if self.item else where


@dataclass(slots=True)
class Findings:
    """The problems and notes met on the way; stops the reading when the problems become too many."""

    problems: list[Problem] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)

    def fault(self, path: str, line: int | None, message: str, hint: str = "") -> None:
        """Add a problem; FileProblems once there are `MAX_PROBLEMS`."""
        self.problems.append(Problem(path, line, message, hint))
        if len(self.problems) >= MAX_PROBLEMS:
            message = f"gave up after {MAX_PROBLEMS} problems"
            raise FileProblems([*self.problems, Problem(path, None, message)])

    def fault_in(self, row: Row, message: str, hint: str = "") -> None:
        """Add a problem of one entry."""
        self.fault(row.path, row.line, f"{row.item}: {message}" if row.item else message, hint)


def files_of(given: str, folder: Path, place: tuple[str, int | None], found: Findings) -> list[Path]:
    """The files that `given` names below `folder`: one file, a folder's texts, or what a glob matches.

    A folder gives its .md and .txt files by name, without subfolders and hidden files.
    """
    path = folder / Path(given).expanduser() if given.startswith("~") else folder / given
    try:
        if path.is_dir():
            texts = [p for p in path.iterdir() if p.suffix.lower() in TEXTS and p.name[0] != "."]
            texts = sorted((p for p in texts if p.is_file()), key=lambda p: (p.name.casefold(), p.name))
            if not texts:
                found.fault(*place, f"the folder {shown(given)} has no .md or .txt file", _instead(path))
            return texts
        if path.exists():
            return [path]
        if not any(char in given for char in "*?["):
            hint = near_file(path) or f"looked in {label_of(path.parent)}"
            found.fault(*place, f"no such file or folder: {shown(given, 200)}", hint)
            return []
        matched = sorted(Path(p) for p in glob.glob(str(path), recursive=True))
    except (OSError, ValueError) as error:
        reason = error.strerror if isinstance(error, OSError) else "no possible file name"
        found.fault(*place, f"cannot read {shown(given)}: {reason}")
        return []
    files = [p for p in matched if p.is_file()]
    if not files:
        found.fault(*place, f"no file matches {shown(given, 200)}", f"looked in {label_of(folder)}")
    return files


def _instead(path: Path) -> str:
    others = sorted({p.suffix.lower() for p in path.iterdir() if p.suffix.lower() in SUFFIXES - TEXTS})
    return f"for its {others[0]} files write {path.name}/*{others[0]}" if others else ""


def rows_of_file(path: Path, wanted: frozenset[str], found: Findings) -> list[Row]:
    """The rows of one file by its suffix; `wanted` are the columns that the tournament asks for."""
    label = label_of(path)
    suffix = path.suffix.lower()
    if suffix not in SUFFIXES and path.exists():
        hint = did_you_mean(suffix, sorted(SUFFIXES)) or f"known: {', '.join(sorted(SUFFIXES))}"
        found.fault(label, None, f"is of an unknown kind {shown(suffix)}", hint)
        return []
    try:
        text, note = read_text(path, label, limit=MAX_POOL_BYTES, what=_WHAT)
    except FileProblems as error:
        found.problems.extend(error.problems)
        return []
    if note:
        found.notes.append(note)
    if suffix in TEXTS:
        return [Row({"text": text}, label, None, stem=path.stem)]
    if suffix in (".csv", ".tsv"):
        delimiter = "\t" if suffix == ".tsv" else _delimiter(text, wanted)
        return list(_csv_rows(text, label, delimiter, found))
    if suffix in (".yaml", ".yml"):
        return _yaml_rows(text, label, found)
    if suffix == ".json":
        return list(_json_rows(text, label, found))
    return list(_jsonl_rows(text, label, found))


def _jsonl_rows(text: str, label: str, found: Findings) -> Iterator[Row]:
    for number, line in enumerate(text.split("\n"), 1):  # not splitlines: JSON may hold U+2028
        if not line or line.isspace():
            continue
        try:
            fields = json_value(line)
        except ValueError as error:
            whole = text.lstrip()[:1] == "["
            found.fault(label, number, str(error), "a JSON list belongs in a .json file" if whole else "")
            if whole:
                return
            continue
        if not isinstance(fields, dict):
            found.fault(label, number, f"expected a JSON object on every line, got {shown(fields)}")
            continue
        yield Row(fields, label, number)


def _json_rows(text: str, label: str, found: Findings) -> Iterator[Row]:
    try:
        items = json_value(text)
    except ValueError as error:
        found.fault(label, None, str(error), "one object a line belongs in a .jsonl file")
        return
    if not isinstance(items, list):
        found.fault(label, None, f"expected a JSON list of objects or texts, got {shown(items)}")
        return
    yield from item_rows(items, label, "item", found)


def _yaml_rows(text: str, label: str, found: Findings) -> list[Row]:
    from arena_tui.yaml_text import read_yaml  # PyYAML only when a pool is written in YAML

    try:
        items, problems = read_yaml(text, label)
    except FileProblems as error:
        found.problems.extend(error.problems)
        return []
    found.problems.extend(problems)
    if not isinstance(items, list):
        found.fault(label, None, f"expected a YAML list of candidates, got {shown(items)}")
        return []
    return list(item_rows(items, label, "", found))


def item_rows(items: list[Any] | tuple[Any, ...], label: str, called: str, found: Findings) -> Iterator[Row]:
    """The rows of a list of mappings or texts; `called` names an item where lines are not known."""
    lines = getattr(items, "lines", None)
    for number, item in enumerate(items):
        line = lines[number] if lines is not None else None
        row = Row({}, label, line, f"{called}[{number}]" if line is None else "")
        if isinstance(item, str):
            row.fields = {"text": item}
        elif isinstance(item, Mapping):
            row.fields = item
        else:
            found.fault_in(row, f"expected a text or a mapping, got {shown(item)}", "put a text in quotes")
            continue
        yield row


def _delimiter(text: str, wanted: frozenset[str]) -> str:
    """The delimiter under which the head of a table looks most like one.

    First whether the header has the wanted columns, then how many of the rows are as long as the
    header, then how many columns there are.
    """
    head = text[:200_000]

    def score(delimiter: str) -> tuple[int, float, int]:
        rows = []
        try:
            for row in csv.reader(StringIO(head, newline=""), delimiter=delimiter):
                rows.append(row)
                if len(rows) == 50:
                    break
        except csv.Error:
            pass  # the rows so far tell enough; reading in earnest will name the line
        if not rows:
            return 0, 0.0, 0
        columns = len(rows[0])
        even = sum(len(row) == columns for row in rows) / len(rows)
        return len(wanted & {cell.strip() for cell in rows[0]}), even if columns > 1 else 0.0, columns

    return max(_DELIMITERS, key=score)


def _csv_rows(text: str, label: str, delimiter: str, found: Findings) -> Iterator[Row]:
    # The module's limit is a process-wide setting; raising it harms nobody.
    csv.field_size_limit(max(csv.field_size_limit(), MAX_POOL_BYTES))
    reader = csv.reader(StringIO(text, newline=""), delimiter=delimiter, strict=True)
    header: list[str] | None = None
    start = 1
    try:
        for cells in reader:
            line, start = start, reader.line_num + 1
            if not any(cells):
                continue
            if header is None:
                header = [cell.strip() for cell in cells]
                if not _good_header(header, label, line, found):
                    return
            elif len(cells) != len(header):
                hint = "quote a text that contains the delimiter" if len(cells) > len(header) else ""
                message = f"expected {len(header)} cells as in the header, got {len(cells)}"
                found.fault(label, line, message, hint)
            else:
                fields = {name: cell or None for name, cell in zip(header, cells, strict=True) if name}
                yield Row(fields, label, line)
    except csv.Error as error:
        found.fault(label, start, f"not valid CSV: {error}", "are the quotes around this text closed?")


def _good_header(header: list[str], label: str, line: int, found: Findings) -> bool:
    twice = [name for name in header if name and header.count(name) > 1]
    if twice:
        found.fault(label, line, f"the column {shown(twice[0])} is given twice")
    return not twice
