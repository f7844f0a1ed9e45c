"""What a program needs on this machine, as far as it can be seen without starting it.

For the check of a tournament file and for the judge that starts the program: both say the same.
"""

from __future__ import annotations

import os
import re
import shutil
from collections.abc import Sequence
from pathlib import Path

from arena_tui.text_files import near_file
from arena_tui.values import shown

_INTERPRETER = re.compile(
    r"(python[\d.]*|pypy[\d.]*|node|bun|ruby|perl|php|lua[\d.]*|Rscript|julia|sh|bash|dash|zsh|ksh|fish)"
)
_INTERPRETERS = {".py": "python3", ".sh": "sh", ".js": "node", ".rb": "ruby", ".pl": "perl", ".R": "Rscript"}
_WITHOUT_VALUE = re.compile(r"-[uBEIsSvOqx]+")  # options of interpreters that a script may follow


def fault_of(command: Sequence[str], folder: Path) -> tuple[str, str] | None:
    """What is missing for `command`, started in `folder`, and what to do about it; None if nothing is.

    The program must be there and executable, and so must be the script that an interpreter is given.
    """
    program = command[0]
    below = os.path.dirname(program) != ""
    if shutil.which(str(folder / program) if below else program) is None:
        return _of_program(program, folder, below)
    script = _script(command)
    if script is None or (folder / script).exists():
        return None
    return f"no file {shown(script)} for {program} in {folder}", near_file(folder / script)


def _of_program(program: str, folder: Path, below: bool) -> tuple[str, str]:
    path = folder / program
    if below and path.is_file():
        interpreter = _INTERPRETERS.get(path.suffix)
        instead = f", or start it as [{interpreter}, {program}]" if interpreter else ""
        return f"{program} is not executable", f"chmod +x {program}{instead}"
    if below:
        return f"no program {shown(program)} that can be run in {folder}", near_file(folder / program)
    hint = "a program beside the tournament file is written ./name"
    if path.is_file():
        hint = f"the one beside the tournament file is written ./{program}"
    return f"no program {shown(program)} that can be run on the PATH", hint


def _script(command: Sequence[str]) -> str | None:
    """The script that an interpreter is given; None where there is none, or it cannot be told."""
    words = list(command)
    if os.path.basename(words[0]) == "env":
        words = words[1:]
    elif [os.path.basename(word) for word in words[:2]] == ["uv", "run"]:
        words = words[2:]
    if not words or not _INTERPRETER.fullmatch(os.path.basename(words[0])):
        return None
    for word in words[1:]:
        if not word.startswith("-"):
            return word
        if not _WITHOUT_VALUE.fullmatch(word):
            return None  # such as -c or -m: what follows is no script
    return None
