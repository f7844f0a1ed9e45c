"""Finds the tournament files and prompts that travel with the program, installed or in a checkout."""

from __future__ import annotations

from pathlib import Path

from arena_tui.errors import UsageError
from arena_tui.values import nearest, shown

_PACKAGE = Path(__file__).resolve().parent


def folder(name: str, package: Path = _PACKAGE) -> Path:
    """The folder `name` ("config" or "prompts"): inside the installed package, else beside it.

    Raises UsageError when neither is there: a broken installation.
    """
    for place in (package / "_bundled" / name, package.parent / name):
        if place.is_dir():
            return place
    raise UsageError(
        f"the folder {name!r} that belongs to arena is missing below {package}; install it again"
    )


def shipped_file(name: str, package: Path = _PACKAGE) -> Path:
    """A shipped file by its path, such as "config/demo.yaml", or UsageError naming the nearest one."""
    top, _, rest = name.partition("/")
    if top in ("config", "prompts") and rest and ".." not in Path(rest).parts:
        base = folder(top, package)
        path = base / rest
        if path.is_file():
            return path
        near = nearest(name, sorted(f"{top}/{p.relative_to(base).as_posix()}" for p in base.rglob("*.*")))
        raise UsageError(f"arena ships no file {shown(name)}" + (f" (did you mean {near}?)" if near else ""))
    raise UsageError(f"arena ships no file {shown(name)}; its files are below config/ and prompts/")


def locate(path: Path, package: Path = _PACKAGE) -> Path:
    """`path` itself, or the shipped file of that name when `path` is relative and does not exist.

    So `arena config/demo.yaml` works in any folder; a file of the user's always goes first.
    """
    try:
        if path.is_absolute() or path.exists():
            return path
        return shipped_file(path.as_posix(), package)
    except (UsageError, OSError, ValueError):
        return path  # the reader says what is wrong with it
