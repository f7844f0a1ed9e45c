"""Reads a tournament file: YAML to settings and pool, with every problem at its file, line and key.

Criteria may stand in a Markdown file: each line `## Name` begins a criterion and what follows, up to
the next such line, is its text (without text the name stands for itself). What stands before the
first one, and headings of other levels, belong to no criterion of their own.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from pydantic import ValidationError

from arena_tui import resources
from arena_tui.candidate import Pool
from arena_tui.errors import FileProblems, Problem, UsageError
from arena_tui.file_checks import check_against_pool, check_judge
from arena_tui.pool import read_pool
from arena_tui.pool_formats import SUFFIXES, TEXTS, Findings
from arena_tui.secret_marks import secrets_in
from arena_tui.settings import (
    SHORT,
    Tournament,
    faults_in,
    typed_value,
)
from arena_tui.settings_faults import key_text
from arena_tui.text_files import NO_SUCH_FILE, label_of, read_text
from arena_tui.values import shown
from arena_tui.values import text as as_text
from arena_tui.yaml_text import LinedDict, line_of, read_yaml

MAX_BYTES = 1_000_000
_WHAT = "a tournament file (YAML)"
_FILE_KEYS = ("candidates", "groups")  # known in a file, but no settings
_POOLS = SUFFIXES - {".yaml", ".yml"}


@dataclass(frozen=True)
class Loaded:
    """A tournament as read: settings, pool, where from, and what the user should be told of it."""

    tournament: Tournament
    pool: Pool
    path: Path | None  # absolute; None for a mapping
    folder: Path  # absolute; what relative paths start from
    notes: tuple[str, ...]
    place: Callable[[tuple[str | int, ...]], tuple[str, int | None]] = lambda _key: ("tournament", None)
    """The file and line of a key, or the option that set it."""


def load_file(
    path: str | Path, *, overrides: Mapping[str, str] | None = None, seed: int | None = None
) -> Loaded:
    """The tournament in the file `path`, which may also name a file that arena ships (config/demo.yaml).

    `overrides` are dotted keys with values as typed after --set, `seed` wins over all. Raises
    FileProblems with every problem there is, or UsageError when `path` is a pool.
    """
    path = resources.locate(Path(path))
    label = label_of(path)
    content, repeated, notes = _content(path, label)
    source = _Source(content, label, repeated)
    for key, written in (overrides or {}).items():
        source.override(key, written)
    if seed is not None:
        source.override("seed", str(seed), option="--seed")
    path = path.resolve()
    return _load(source, path.parent, path, path.stem, notes)


def load_mapping(mapping: Mapping[str, Any], folder: Path | None = None) -> Loaded:
    """The tournament that a mapping with a tournament file's keys describes; problems name the key.

    `folder` is where relative paths start, by default the working folder.
    """
    folder = (Path.cwd() if folder is None else Path(folder)).resolve()
    if not isinstance(mapping, Mapping):
        raise UsageError(f"expected a mapping with a tournament file's keys, got {shown(mapping)}")
    content = {str(key): value for key, value in mapping.items()}
    return _load(_Source(content, "tournament", []), folder, None, None, [])


def check_file(path: str | Path) -> list[Problem]:
    """Every problem of a tournament file and its pool, in the order of files and lines; empty: usable."""
    try:
        load_file(path)
    except FileProblems as error:
        return list(error.problems)
    except UsageError as error:
        return [Problem(str(path), None, str(error))]
    return []


def _content(path: Path, label: str) -> tuple[dict[str, Any], list[Problem], list[str]]:
    """The mapping in the file, its repeated keys, and notes; raises when there is no mapping."""
    if _is_pool(path):
        raise UsageError(_pool_sentence(path, label))
    try:
        text, note = read_text(path, label, limit=MAX_BYTES, what=_WHAT)
    except FileProblems as error:
        (problem,) = error.problems
        if problem.message == NO_SUCH_FILE and not problem.hint:
            problem = replace(problem, hint=_others(path.parent))
        raise FileProblems([problem]) from None
    if not text.strip():
        raise FileProblems([Problem(label, None, f"is empty, expected {_WHAT}")])
    content, problems = read_yaml(text, label)
    if isinstance(content, list) and content and all(isinstance(item, (str, dict)) for item in content):
        raise UsageError(_pool_sentence(path, label))
    if not isinstance(content, LinedDict):
        message = f"expected keys such as task: and candidates:, got {shown(content)}"
        raise FileProblems([*problems, Problem(label, 1, message)])
    return content, problems, [note] if note else []


def _others(folder: Path) -> str:
    """The files in a folder that may be tournament files, for someone who named none of them."""
    there = sorted(path.name for path in folder.iterdir() if path.suffix.lower() in (".yaml", ".yml"))
    return f"its folder has {', '.join(there[:5])}" if there else ""


def _is_pool(path: Path) -> bool:
    """Whether the name alone says that these are texts: a table, a text, or a folder of texts."""
    if os.path.isdir(path):
        try:
            return any(entry.suffix.lower() in TEXTS for entry in path.iterdir())
        except OSError:
            return False
    return path.suffix.lower() in _POOLS and os.path.isfile(path)


def _pool_sentence(path: Path, label: str) -> str:
    """What to tell someone who gave a pool where a tournament file belongs."""
    return (
        f"{label} is a pool of texts, not a tournament file. A tournament file for it, saved as YAML:\n"
        f"  task: Which text is better?\n"
        f"  candidates: {_quoted(str(path.resolve()))}\n"
        f"  judge: {{kind: simulated}}   # or recorded, command\n"
        f"  stop: {{rule: stability}}"
    )


def _quoted(path: str) -> str:
    plain = all(char.isalnum() or char in "/._-" for char in path)
    return path if plain else "'" + path.replace("'", "''") + "'"


class _Source:
    """What was written, and where: finds the place of a key for messages."""

    def __init__(self, content: dict[str, Any], label: str, problems: list[Problem]) -> None:
        self.content = content
        self.label = label
        self.problems = problems
        self._overridden: dict[tuple[str, ...], str] = {}

    def override(self, key: str, written: str, option: str = "--set") -> None:
        """Put a value typed on the command line in the place of the file's."""
        path = tuple(key.split("."))
        where = option if option != "--set" else f"--set {key}"
        self._overridden[path] = where
        try:
            value = typed_value(key, written)
        except FileProblems:
            self.problems.append(Problem(where, None, f"{key}: cannot read {shown(written)}", "quote it"))
            return
        part = self.content
        for number, step in enumerate(path[:-1], 1):
            below = part.get(step)
            if not isinstance(below, dict):
                # `format: elo` is short for {kind: elo}: the rest may still be set.
                short = SHORT.get(".".join(path[:number]), "model" if step == "model" else None)
                below = {short: below} if short and isinstance(below, str) else {}
                part[step] = below
            part = below
        part[path[-1]] = value

    def place(self, key: tuple[str | int, ...]) -> tuple[str, int | None]:
        """The file and line of a key, or the option that set it or a part of it."""
        for path, where in self._overridden.items():
            if key[: len(path)] == path or (key and path[: len(key)] == key):
                return where, None
        return self.label, line_of(self.content, key)

    def fault(self, key: tuple[str | int, ...], message: str, hint: str = "") -> None:
        """Add a problem of a key."""
        where, line = self.place(key)
        option, _, named = where.partition(" ")
        if option == "--set" and message.startswith(f"{named}:"):
            where = option  # the message names the key
        self.problems.append(Problem(where, line, message, hint))


def _load(source: _Source, folder: Path, path: Path | None, name: str | None, notes: list[str]) -> Loaded:
    content = source.content
    secrets = list(secrets_in(content))
    for key in secrets:
        message = f"{key_text(key)}: a secret does not belong in a tournament file"
        source.fault(key, message, "remove it here; a run's settings are stored and exported")
    found = Findings(notes=notes)
    groups = content.get("groups")
    pool = None
    if content.get("candidates") is None:
        message = "candidates: missing, expected a file, a folder, a list or {files: ...}"
        source.fault(("candidates",) if "candidates" in content else (), message)
    else:
        pool = read_pool(
            content["candidates"],
            folder,
            groups=groups,
            found=found,
            place=source.place(("candidates",)),
            groups_place=source.place(("groups",)),
        )
    tournament = _settings(source, folder, name, secrets)
    if tournament is not None:
        check_judge(tournament, source.fault)
        if pool is not None:
            found.notes += check_against_pool(tournament, pool, source.fault)
    problems = source.problems + found.problems
    if problems or tournament is None or pool is None:
        first = source.label  # the file's own problems first, then those of its pools
        raise FileProblems(sorted(problems, key=lambda p: (p.path != first, p.path, p.line or 0)))
    return Loaded(tournament, pool, path, folder, tuple(found.notes), source.place)


def _settings(
    source: _Source, folder: Path, name: str | None, secrets: list[tuple[str | int, ...]]
) -> Tournament | None:
    """The settings with the files they name read in and their paths made absolute, or None."""
    given = {key: value for key, value in source.content.items() if key not in _FILE_KEYS}
    if name and given.get("name") is None:
        given["name"] = name
    _read_task(given, source, folder)
    _read_criteria(given, source, folder)
    judge = given.get("judge")
    if isinstance(judge, Mapping):
        given["judge"] = _absolute(judge, folder)
    try:
        return Tournament.model_validate(given)
    except ValidationError as error:
        for fault in faults_in(error, given, _FILE_KEYS):
            if fault.key not in secrets:  # its message would show the value
                source.fault(fault.key, fault.message, fault.hint)
        return None


def _absolute(judge: Mapping[str, Any], folder: Path) -> dict[str, Any]:
    """The judge with its paths made absolute, so that a stored run finds them from anywhere."""
    made = dict(judge)
    if judge.get("kind") == "recorded" and isinstance(judge.get("file"), str) and judge["file"].strip():
        made["file"] = str(folder / judge["file"])
    if judge.get("kind") == "command" and isinstance(judge.get("folder", ""), str):
        made["folder"] = str(folder / judge.get("folder", ""))
    if judge.get("kind") == "llm" and isinstance(judge.get("prompts"), str) and judge["prompts"].strip():
        made["prompts"] = str(folder / judge["prompts"])
    members = judge.get("judges")
    if judge.get("kind") == "panel" and isinstance(members, (list, tuple)):
        made["judges"] = [_absolute(m, folder) if isinstance(m, Mapping) else m for m in members]
    return made


def _read_task(given: dict[str, Any], source: _Source, folder: Path) -> None:
    task = given.get("task")
    if not isinstance(task, Mapping):
        return
    del given["task"]
    for key in task:
        if key != "file":
            source.fault(("task", key), f"unknown key task.{key_text((key,))}", "known here: file")
    if "file" not in task:
        source.fault(("task",), "task.file: missing, expected the path of a text file")
        return
    text = _side_file(task["file"], ("task", "file"), "the task's text", source, folder)
    if text is not None:
        given["task"] = text.strip()
        if not text.strip():
            source.fault(("task", "file"), f"task.file: {shown(task['file'])} is empty")


def _read_criteria(given: dict[str, Any], source: _Source, folder: Path) -> None:
    written = given.get("criteria")
    if not isinstance(written, str):
        return
    del given["criteria"]
    text = _side_file(written, ("criteria",), "criteria in Markdown", source, folder)
    if text is None:
        return
    label = label_of(folder / written)
    criteria: dict[str, str] = {}
    for line, name, body in _sections(text):
        if not name or name in criteria:
            message = "a criterion has no name" if not name else f"the criterion {shown(name)} is given twice"
            source.problems.append(Problem(label, line, message))
        criteria[name] = body or name
    if not criteria:
        message = "has no criteria, expected a line '## Name' for each, its text below"
        source.problems.append(Problem(label, None, message))
    given["criteria"] = criteria


def _sections(text: str) -> Iterator[tuple[int, str, str]]:
    """Line, name and text of each `## Name` section; headings inside code fences are text."""
    start: tuple[int, str] | None = None
    body: list[str] = []
    fenced = False
    for number, line in enumerate(text.split("\n"), 1):
        fenced ^= line.lstrip().startswith(("```", "~~~"))
        if not fenced and (line.startswith("## ") or line.rstrip() == "##"):
            if start is not None:
                yield *start, "\n".join(body).strip()
            start, body = (number, line[2:].strip().rstrip("#").strip()), []
        else:
            body.append(line)
    if start is not None:
        yield *start, "\n".join(body).strip()


def _side_file(written: Any, key: tuple[str, ...], what: str, source: _Source, folder: Path) -> str | None:
    """The text of a file that a key names; None, with the problem noted at the key, if there is none."""
    try:
        path = folder / as_text(written)
        return read_text(path, label_of(path), limit=MAX_BYTES, what=what)[0]
    except ValueError as error:
        source.fault(key, f"{key_text(key)}: {error}")
    except FileProblems as error:
        for problem in error.problems:
            source.fault(key, f"{key_text(key)}: {problem.path} {problem.message}", problem.hint)
    return None
