"""Acting on a run whoever drives it: at once where nobody does, else through the inbox of its driver.

`arena act` and the console's followed runs call `carry_out`.
"""

from __future__ import annotations

import os
from dataclasses import dataclass
from pathlib import Path

from arena_tui.engine.actions import CONTROLS, Action
from arena_tui.engine.opening import action_to
from arena_tui.engine.standstill import act_at_rest
from arena_tui.errors import RefusedAction, RunLocked
from arena_tui.store import inbox
from arena_tui.store.lock import holder

PATIENCE = 10.0  # seconds to wait for a driver's answer


@dataclass(frozen=True, slots=True)
class Answer:
    """What came of an action, in a sentence; not `done`: its driver refused it."""

    done: bool
    message: str


def carry_out(path: Path, action: Action, *, origin: str, nobody: str) -> Answer | None:
    """Carry out an action on the run at `path`; None when its driver has not answered yet.

    `origin` is journaled where nobody drives the run. RefusedAction when the run's state does not allow the
    action, and with the sentence `nobody` for one that takes a driver.
    """
    if holder(path) is None:
        if action.verb in CONTROLS:
            raise RefusedAction(nobody)
        try:
            return Answer(True, act_at_rest(path, action, origin))
        except RunLocked:
            pass  # somebody took it up in the meantime
    request = inbox.send(path, action_to(action), f"process {os.getpid()}")
    answer = inbox.wait_answer(path, request, PATIENCE)
    return None if answer is None else Answer(*answer)
