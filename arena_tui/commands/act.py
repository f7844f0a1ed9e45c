"""`arena act`: at once on a run that nobody drives, else through the inbox of the process that does."""

from __future__ import annotations

import os
import sys
from pathlib import Path

from arena_tui import exit_codes
from arena_tui.candidate import Candidate
from arena_tui.engine.actions import CONTROLS, Action, check_arity
from arena_tui.engine.opening import action_to
from arena_tui.engine.standstill import act_at_rest
from arena_tui.errors import RefusedAction, RunLocked
from arena_tui.pool import load_candidates
from arena_tui.safetext import clean
from arena_tui.store import folder, inbox
from arena_tui.store.lock import holder

PATIENCE = 10.0  # seconds to wait for a driver's answer


def act_on(run: str, verb: str, args: tuple[str, ...]) -> int:
    """Carry out an action or have it carried out, and say what came of it."""
    action = Action(verb, args)
    check_arity(action)
    path = folder.find_run(run)
    if verb == "add":
        action = Action(verb, args, _candidates(args[0]))
    pid = holder(path)
    if pid is None:
        if verb in CONTROLS:
            name = folder.called(path)
            raise RefusedAction(f"nothing drives {name}: `arena resume {name}` goes on with it")
        try:
            print(clean(act_at_rest(path, action)), file=sys.stderr)
        except RunLocked:
            return _through_inbox(path, action)  # somebody took it up in the meantime
        return exit_codes.OK
    return _through_inbox(path, action)


def _through_inbox(path: Path, action: Action) -> int:
    request = inbox.send(path, action_to(action), f"process {os.getpid()}")
    answer = inbox.wait_answer(path, request, PATIENCE)
    if answer is None:
        print(
            f"no answer within {PATIENCE:g} s; the request stays in the inbox and is carried out once "
            "the run's process looks",
            file=sys.stderr,
        )
        return exit_codes.ERROR
    ok, message = answer
    print(clean(message if ok else f"refused: {message}"), file=sys.stderr)
    return exit_codes.OK if ok else exit_codes.USAGE


def _candidates(file: str) -> tuple[Candidate, ...]:
    return load_candidates(file, Path.cwd())
