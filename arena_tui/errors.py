"""The error tree: every failure a user can act on is one sentence that says what, where and what to do.

    ArenaError                   exit 1
    |-- UsageError               exit 2   a bad command line, file or pool; nothing was written
    |   |-- FileProblems         exit 2   one or more problems of input files, each with file:line
    |   `-- RunNotFound          exit 2   no run, or more than one, matches what was given
    |-- RefusedAction            exit 2   an intervention the run's state does not allow
    |-- JudgeError               exit 1   the judge cannot be used at all (not: one unusable verdict)
    `-- StoreError               exit 1   the run's database cannot be used
        |-- NotARun              exit 1   the file is not a run of arena, or is damaged
        |-- NewerSchema          exit 1   written by a newer arena
        |-- DiskTrouble          exit 1   read-only, full, or failing storage
        `-- RunLocked            exit 4   driven by another process

Only `cli` turns these into messages and exit codes; nothing below it prints or exits.
"""

from __future__ import annotations

from dataclasses import dataclass

from arena_tui import exit_codes


class ArenaError(Exception):
    """Base of all errors meant for the user; `str()` is the sentence to show."""

    exit_code = exit_codes.ERROR


class UsageError(ArenaError):
    """The command line or an input file is wrong; nothing was written."""

    exit_code = exit_codes.USAGE


@dataclass(frozen=True, slots=True)
class Problem:
    """One fault of an input file: where it is (`line` counts from 1), what is wrong, what to do."""

    path: str
    line: int | None
    message: str
    hint: str = ""

    def __str__(self) -> str:
        where = self.path if self.line is None else f"{self.path}:{self.line}"
        return f"{where}: {self.message}" + (f" ({self.hint})" if self.hint else "")


class FileProblems(UsageError):
    """Input files with one or more faults; `problems` holds them all, `str()` one a line."""

    def __init__(self, problems: list[Problem]) -> None:
        self.problems = tuple(problems)
        super().__init__("\n".join(str(problem) for problem in problems))


class RunNotFound(UsageError):
    """What was given names no run, or more than one."""


class RefusedAction(ArenaError):
    """An intervention that the state of the run or of a candidate does not allow."""

    exit_code = exit_codes.USAGE


class JudgeError(ArenaError):
    """The judge cannot be used at all; a single unusable verdict is never an exception."""


class StoreError(ArenaError):
    """The run's database cannot be read or written."""


class NotARun(StoreError):
    """The file is not a run of arena, or is damaged beyond reading."""


class NewerSchema(StoreError):
    """The run was written by a newer arena than this one."""


class DiskTrouble(StoreError):
    """Storage that is read-only, full or failing."""


class RunLocked(StoreError):
    """Another process drives the run."""

    exit_code = exit_codes.LOCKED
