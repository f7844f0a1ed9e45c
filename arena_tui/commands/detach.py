"""`arena --detach FILE`: a run in the background, in a process of its own that no terminal can end."""

from __future__ import annotations

import subprocess
import sys
import time
from pathlib import Path

from arena_tui import exit_codes
from arena_tui.errors import ArenaError, UsageError
from arena_tui.judging.human import has_person
from arena_tui.resumption import options_of, overrides
from arena_tui.safetext import clean
from arena_tui.starting import Start
from arena_tui.store import folder
from arena_tui.store.lock import beside, holder
from arena_tui.tournament_file import load_file

PATIENCE = 60.0  # seconds for the other process to take the run up
LAST = 20  # lines of what it said that are told when it fails


class NotTakenUp(ArenaError):
    """The background process ended, or did not begin."""

    exit_code = exit_codes.ERROR


def detach(
    file: str, *, db: str | None, new: bool, extend: bool, seed: int | None, assignments: tuple[str, ...]
) -> int:
    """Make or find the run here, where refusals can be read, and have another process drive it.

    Says how to watch it. Its lines go to a log beside the run's database.
    """
    loaded = load_file(Path(file), overrides=overrides(assignments), seed=seed)
    if has_person(loaded.tournament.judge):
        raise UsageError("a person judges this tournament, so it cannot run in the background")
    start = Start(loaded, db=db, new=new, extend=extend, options=options_of(assignments, seed))
    try:
        path, _ = start.begin()
        log = beside(path, ".log")
        command = [sys.executable, "-m", "arena_tui", "--no-ui", file]
        command += [] if db is None else ["--db", db]
        command += ["--extend"] * extend + ([] if seed is None else ["--seed", str(seed)])
        for assignment in assignments:
            command += ["--set", assignment]
        with log.open("ab") as lines:
            child = subprocess.Popen(
                command, stdin=subprocess.DEVNULL, stdout=lines, stderr=lines, start_new_session=True
            )
        _wait(child, path, log)
    finally:
        start.close()
    name = folder.called(path)
    print(f"run {path.stem} goes on in the background, process {child.pid}", file=sys.stderr)
    print(f"watch it: arena watch {name}", file=sys.stderr)
    print(f"stop it:  arena act {name} abort", file=sys.stderr)
    print(f"its log:  {log}", file=sys.stderr)
    return exit_codes.OK


def _wait(child: subprocess.Popen[bytes], path: Path, log: Path) -> None:
    """Until the other process has taken the run up, or has ended."""
    deadline = time.monotonic() + PATIENCE
    while holder(path) != child.pid:
        code = child.poll()
        if code == exit_codes.OK:
            return  # a short run is over already
        if code is not None:
            said = log.read_text(encoding="utf-8", errors="replace").splitlines()[-LAST:]
            told = clean("\n".join(said)) or f"see {log}"
            raise NotTakenUp(f"the background process ended with exit code {code}:\n{told}")
        if time.monotonic() > deadline:
            raise NotTakenUp(f"process {child.pid} has not taken the run up within {PATIENCE:g} s; see {log}")
        time.sleep(0.02)
