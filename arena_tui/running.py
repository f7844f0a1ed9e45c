"""Driving a run from a process: signals, the inbox, settings that changed, and the result at the end.

Above the engine and below the command line and the Python API, which both call `drive`.
"""

from __future__ import annotations

import asyncio
import signal
from collections.abc import Callable, Iterable, Mapping
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from arena_tui import exit_codes
from arena_tui.engine.actions import Action, Resolved, resolve
from arena_tui.engine.events import Event
from arena_tui.engine.opening import Driver
from arena_tui.engine.tournament import Engine
from arena_tui.errors import UsageError
from arena_tui.facts import Intervention
from arena_tui.judging.base import Judge
from arena_tui.judging.build import build_judge
from arena_tui.settings import Tournament, with_changes
from arena_tui.summary import summarize

if TYPE_CHECKING:
    from collections.abc import Iterator

    from arena_tui.candidate import Candidate
    from arena_tui.report.result import Result

SIGNALS: Mapping[signal.Signals, tuple[str, int]] = {
    signal.SIGINT: ("interrupted by ctrl+c", exit_codes.EXTERNAL),
    signal.SIGTERM: ("terminated by SIGTERM", exit_codes.SIGTERM),
    signal.SIGHUP: ("hung up: its terminal closed", exit_codes.SIGHUP),
}

ADDABLE = {
    "usd": "limits.usd",
    "tokens": "limits.tokens",
    "matches": "limits.matches",
    "time": "limits.wall_clock",
}
"""What `--add-KEY` extends."""


@contextmanager
def signals_stop(engine: Engine) -> Iterator[None]:
    """First signal: nothing new starts and calls in flight finish; second: they are cancelled."""
    loop = asyncio.get_running_loop()
    for number, (detail, code) in SIGNALS.items():
        loop.add_signal_handler(number, partial(engine.stop, detail, code))
    try:
        yield
    finally:
        for number in SIGNALS:
            loop.remove_signal_handler(number)


async def drive(
    path: Path,
    *,
    judge: Judge | None = None,
    changes: Mapping[str, Any] = {},
    asked: str | None = None,
    add: Mapping[str, float] = {},
    admit: tuple[Candidate, ...] = (),
    listeners: Iterable[Callable[[Event], None]] = (),
    on_engine: Callable[[Engine], None] | None = None,
    handle_signals: bool = True,
) -> tuple[Result, int]:
    """Run the database at `path` until something ends it: its result, and the exit code.

    `changes` are settings (dotted keys) that differ from the stored ones, `add` extends limits (keys
    of ADDABLE), `admit` are further candidates; all are journaled before anything else happens.
    `asked` is what the tournament file asks for now, kept for the next time it is compared.
    """

    def judge_of(tournament: Tournament, seed: int, candidates: Iterable[Candidate]) -> Judge:
        if judge is not None:
            return judge
        return build_judge(tournament, seed=seed, candidates=candidates, folder=path.parent)

    with Driver(path, judge_of) as driver:
        notes = {} if asked is None else {"asked": asked}
        engine = driver.engine(listeners=listeners, notes=notes)
        values = {**changes, **extended(engine, add)}
        if values:
            _refuse_fixed(values)
            with_changes(driver.course.tournament, values)  # refuses before anything is journaled
            engine.prepare([Resolved(Intervention("settings", values=values), "")], "resume")
        if admit:
            addition = Action("add", ("the tournament file",), admit)
            engine.prepare(resolve(addition, driver.course, driver.find_match), "resume")
        if on_engine is not None:
            on_engine(engine)
        if handle_signals:
            with signals_stop(engine):
                ending = await engine.run()
        else:
            ending = await engine.run()
        return summarize(driver.course, driver.reader, path), ending.exit_code


def _refuse_fixed(changes: Iterable[str]) -> None:
    """A run keeps what makes it this run: only its name, its limits and its stop rule may change."""
    for key in changes:
        may = key == "name" or key.startswith(("limits.", "stop."))
        if not may or key.startswith(("limits.ordering", "limits.durations")):
            raise UsageError(
                f"{key} cannot change in a run that has begun: leave it out, or start a fresh run"
            )


def extended(engine: Engine, add: Mapping[str, float]) -> dict[str, Any]:
    """The limits after `--add-*`: what was the limit, or without one what is used up, plus the addition."""
    limits, used = engine.course.tournament.limits, engine.budget.run
    values: dict[str, Any] = {}
    for name, more in add.items():
        match name:
            case "usd":
                values["limits.usd"] = (limits.usd or used.spent.usd) + more
            case "tokens":
                values["limits.tokens"] = (limits.tokens or used.spent.tokens) + int(more)
            case "matches":
                values["limits.matches"] = (limits.matches or used.matches) + int(more)
            case "time":
                values["limits.wall_clock"] = (limits.wall_clock or engine.state.elapsed) + more
    return values
