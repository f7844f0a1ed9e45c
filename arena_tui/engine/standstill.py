"""Actions on a run that nobody drives: journaled at once, with the same checks as in a live run."""

from __future__ import annotations

import time
from contextlib import closing
from pathlib import Path

from arena_tui.engine.actions import Action, acknowledgement, resolve
from arena_tui.engine.effects import take_effect, units_of
from arena_tui.engine.opening import Driver
from arena_tui.store import schema


def act_at_rest(path: Path, action: Action, origin: str = "cli") -> str:
    """Carry out `action` on the run at `path`; the sentence that says what came of it.

    RefusedAction when the run's state does not allow it, RunLocked when a process drives the run.
    """
    with Driver(path) as driver, closing(schema.open_writing(path)) as conn, schema.store_errors(path):
        resolved = resolve(action, driver.course, driver.find_match)
        effects = [take_effect(driver.course, each) for each in resolved]
        conn.execute("BEGIN IMMEDIATE")
        for unit in units_of(driver.course, effects, origin, time.time()):
            unit(conn)
        conn.execute("COMMIT")
        # The driver's reader outlives `conn`, so closing it would leave the action beside the file,
        # in the WAL, where a copy of the file would miss it.
        conn.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchall()
    return acknowledgement(resolved)
