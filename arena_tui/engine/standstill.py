"""Actions on a run that nobody drives: journaled at once, with the same checks as in a live run."""

from __future__ import annotations

import sqlite3
import time
from contextlib import closing
from pathlib import Path

from arena_tui.engine.actions import Action, Resolved, resolve
from arena_tui.engine.journal import intervention_unit, overrule_unit
from arena_tui.engine.opening import Driver
from arena_tui.store import schema


def act_at_rest(path: Path, action: Action, origin: str = "cli") -> str:
    """Carry out `action` on the run at `path`; the sentence that says what came of it.

    RefusedAction when the run's state does not allow it, RunLocked when a process drives the run.
    """
    with Driver(path) as driver, closing(schema.open_writing(path)) as conn:
        resolved = resolve(action, driver.course, driver.find_match)
        conn.execute("BEGIN IMMEDIATE")
        for each in resolved:
            _write(conn, driver, each, origin)
        conn.execute("COMMIT")
        # The driver's reader outlives `conn`, so closing it would leave the action beside the file,
        # in the WAL, where a copy of the file would miss it.
        conn.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchall()
    return "; ".join(each.done for each in resolved)


def _write(conn: sqlite3.Connection, driver: Driver, resolved: Resolved, origin: str) -> None:
    action, course = resolved.intervention, driver.course
    new_state = course.roster.new_state(action)
    pos, _ = course.intervene(action)
    group = course.groups.get(action.group or "")
    after = course.applied if group is None else group.order.applied
    at = time.time()
    if resolved.overruled is not None and group is not None:
        changes, ratings = group.refolded(resolved.overruled.applied_no)
        overrule_unit(course.run, pos, action, resolved.overruled, after, origin, at, changes, ratings)(conn)
    else:
        rating = None if group is None else group.start_rating(action)
        intervention_unit(pos, action, after, origin, at, new_state, rating)(conn)
