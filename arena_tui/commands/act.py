"""`arena act`: at once on a run that nobody drives, else through the inbox of the process that does."""

from __future__ import annotations

import sys
from pathlib import Path

from arena_tui import exit_codes
from arena_tui.acting import PATIENCE, carry_out
from arena_tui.candidate import Candidate
from arena_tui.engine.actions import Action, check_arity
from arena_tui.pool import load_candidates
from arena_tui.safetext import clean
from arena_tui.store import folder


def act_on(run: str, verb: str, args: tuple[str, ...]) -> int:
    """Carry out an action or have it carried out, and say what came of it."""
    action = Action(verb, args)
    check_arity(action)
    path = folder.find_run(run)
    if verb == "add":
        action = Action(verb, args, _candidates(args[0]))
    name = folder.called(path)
    nobody = f"nothing drives {name}: `arena resume {name}` goes on with it"
    answer = carry_out(path, action, origin="cli", nobody=nobody)
    if answer is None:
        print(
            f"no answer within {PATIENCE:g} s; the request stays in the inbox and is carried out once "
            "the run's process looks",
            file=sys.stderr,
        )
        return exit_codes.ERROR
    print(clean(answer.message if answer.done else f"refused: {answer.message}"), file=sys.stderr)
    return exit_codes.OK if answer.done else exit_codes.USAGE


def _candidates(file: str) -> tuple[Candidate, ...]:
    return load_candidates(file, Path.cwd())
