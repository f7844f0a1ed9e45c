"""Which file events may be added to: their own, never one that holds something else.

`--events` appends, so a name mistyped as that of a tournament file, a pool or a run would spoil it.
"""

from __future__ import annotations

import json
import os
import stat
from pathlib import Path

from arena_tui.engine.events import Event
from arena_tui.errors import UsageError

_LONGEST_LINE = 10_000_000  # bytes of a first line that are looked at; a reason may be a whole transcript


def refuse_other_file(target: Path, db: Path | None) -> None:
    """UsageError when `target` holds something else than events, or belongs to the database at `db`."""
    if db is not None and _belongs_to(target, db):
        raise UsageError(f"--events {target}: that file belongs to the run's database; name another one")
    try:
        regular = stat.S_ISREG(os.stat(target).st_mode)
        holds_events = not regular or _begins_with_event(target)
    except FileNotFoundError:
        return
    except (OSError, ValueError) as error:
        reason = error.strerror if isinstance(error, OSError) else "no possible file name"
        raise UsageError(f"--events {target}: {reason}; name a file that can be written") from None
    if not holds_events:
        raise UsageError(f"--events {target}: the file holds something else than events; name another one")


def _belongs_to(target: Path, db: Path) -> bool:
    """True for the database itself and for what is kept beside it under its name (-wal, .lock, ...)."""
    one, other = Path(os.path.realpath(target)), Path(os.path.realpath(db))
    return one.parent == other.parent and one.name in (
        other.name,
        *(f"{other.name}{end}" for end in ("-wal", "-shm", "-journal", ".lock", ".inbox", ".starting")),
    )


def _begins_with_event(path: Path) -> bool:
    """True for an empty file and for one whose first line is an event."""
    with path.open("rb") as file:
        line = file.readline(_LONGEST_LINE)
    if not line:
        return True
    try:
        first = json.loads(line)
    except (ValueError, RecursionError):
        return False
    kinds = {event.kind for event in Event.__subclasses__()}
    return isinstance(first, dict) and isinstance(first.get("pos"), int) and first.get("kind") in kinds
