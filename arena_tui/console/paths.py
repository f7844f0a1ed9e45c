"""Which files and folders a path that is being typed may mean. Reads folders, opens no file."""

from __future__ import annotations

import os
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path

SUFFIXES = (".yaml", ".yml")
"""Of tournament files."""
POOLS = (".jsonl", ".ndjson", ".json", ".csv", ".tsv", ".yaml", ".yml", ".md", ".markdown", ".txt")
"""Of files with candidates."""
MOST = 200  # entries of a folder that are offered
LOOKS = 5_000  # entries of a folder that are looked at


def candidates_for(typed: str, suffixes: Sequence[str] = SUFFIXES) -> list[str]:
    """The folders (with a slash behind) and files of these suffixes that begin with `typed`, spelled alike.

    Hidden ones only where the typed name begins with a dot. A folder that cannot be read holds nothing.
    """
    head, _, last = typed.rpartition("/")
    folder = Path(f"{head}/" if head or typed.startswith("/") else ".")
    prefix = typed[: len(typed) - len(last)]
    found: list[tuple[bool, str]] = []
    with suppress(OSError, ValueError, RuntimeError), os.scandir(folder.expanduser()) as entries:
        for place, entry in enumerate(entries):
            if place >= LOOKS or len(found) >= MOST:
                break
            name = entry.name
            if not name.startswith(last) or (name.startswith(".") and not last.startswith(".")):
                continue
            if _is_folder(entry):
                found.append((False, f"{prefix}{name}/"))
            elif name.lower().endswith(tuple(suffixes)):
                found.append((True, f"{prefix}{name}"))
    return [path for _, path in sorted(found, key=lambda each: (not each[0], each[1]))]


def _is_folder(entry: os.DirEntry[str]) -> bool:
    with suppress(OSError):
        return entry.is_dir()
    return False


def completed(typed: str, found: Sequence[str]) -> str:
    """`typed` with as much behind it as all that was found have in common."""
    if not found:
        return typed
    first, last = min(found), max(found)
    same = next((at for at, (a, b) in enumerate(zip(first, last, strict=False)) if a != b), len(first))
    return first[:same] if same > len(typed) else typed
