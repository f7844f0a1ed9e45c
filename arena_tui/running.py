"""Driving a run from a process: signals, the inbox, settings that changed, and the result at the end.

Above the engine and below the command line and the Python API, which both call `drive`.
"""

from __future__ import annotations

import asyncio
import json
import signal
from collections.abc import Callable, Iterable, Mapping
from contextlib import contextmanager, nullcontext
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from arena_tui import exit_codes
from arena_tui.engine.actions import RESUMED, Action, Resolved, resolve
from arena_tui.engine.events import Event
from arena_tui.engine.opening import PYTHON_JUDGE, Driver
from arena_tui.engine.tournament import Engine
from arena_tui.errors import Problem, UsageError
from arena_tui.facts import Intervention
from arena_tui.identity import prompts_identity, votes_identity
from arena_tui.judging.base import Judge
from arena_tui.judging.build import Person, build_judge, check_models
from arena_tui.judging.recorded import RecordedJudge
from arena_tui.settings import Tournament, with_changes
from arena_tui.settings_faults import key_text
from arena_tui.store.folder import data_folder, delete_run
from arena_tui.store.reader import Reader
from arena_tui.store.schema import readable
from arena_tui.summary import summarize
from arena_tui.threads import finished

if TYPE_CHECKING:
    from collections.abc import Iterator

    from arena_tui.candidate import Candidate, Pool
    from arena_tui.report.result import Result
    from arena_tui.tournament_file import Loaded

SIGNALS: Mapping[signal.Signals, tuple[str, int]] = {
    signal.SIGINT: ("interrupted by ctrl+c", exit_codes.EXTERNAL),
    signal.SIGTERM: ("terminated by SIGTERM", exit_codes.SIGTERM),
    signal.SIGHUP: ("hung up: its terminal closed", exit_codes.SIGHUP),
}


@contextmanager
def on_signals(react: Callable[[str, int], object]) -> Iterator[None]:
    """Instead of ending the process a signal calls `react` with its sentence and its exit code."""
    loop = asyncio.get_running_loop()
    for number, (detail, code) in SIGNALS.items():
        loop.add_signal_handler(number, react, detail, code)
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
    person: Person = "terminal",
    told: Callable[[str], None] = lambda _trouble: None,
) -> tuple[Result, int]:
    """Run the database at `path` until something ends it: its result, and the exit code.

    `changes` are settings (dotted keys) that differ from the stored ones, `add` extends limits (usd,
    tokens, matches, time), `admit` are further candidates; all are journaled before anything else happens.
    `asked` is what the tournament file asks for now, kept for the next time it is compared. Without a
    `judge` the one of the stored settings judges, asking a `person` as told; a run that was begun with a
    Python judge is refused. `told` hears of trouble that stops nothing, such as a cache of replies that
    could not be written. What takes long (replaying the journal, summing up) happens in a thread, so that
    the loop goes on.
    """
    if judge is None:
        await finished(_refuse_run_of_python, path)

    def judge_of(tournament: Tournament, seed: int, candidates: Iterable[Candidate], secret: bytes) -> Judge:
        if judge is not None:
            return judge
        return build_judge(
            tournament,
            seed=seed,
            candidates=candidates,
            folder=path.parent,
            secret=secret,
            home=data_folder(),
            person=person,
            told=told,
        )

    switch = _Switch()
    signals = on_signals(switch.stop) if handle_signals else nullcontext()
    with signals, await finished(Driver, path, judge_of, discard=Driver.close) as driver:
        if judge is None:
            _refuse_edited_votes(driver)
        notes = {} if asked is None else {"asked": asked}
        engine = await finished(partial(driver.engine, listeners=listeners, notes=notes))
        values = {**changes, **extended(engine, add)}
        if values:
            _refuse_fixed(values)
            with_changes(driver.course.tournament, values)  # refuses before anything is journaled
            engine.prepare([Resolved(Intervention("settings", values=values), "")], RESUMED)
        if admit:
            addition = Action("add", ("the tournament file",), admit)
            engine.prepare(resolve(addition, driver.course, driver.find_match), RESUMED)
        if on_engine is not None:
            on_engine(engine)
        switch.connect(engine)
        ending = await engine.run()
        result = await finished(summarize, driver.course, driver.reader, path)
        if ending.exit_code == exit_codes.OK and driver.course.tournament.overview is not None:
            await _overview(engine, result, path, handle_signals, told)
            result = await finished(summarize, driver.course, driver.reader, path)
        return result, ending.exit_code


class _Switch:
    """Where signals go: the first lets calls in flight finish, the second cancels them; those that come
    before there is an engine wait for it."""

    def __init__(self) -> None:
        self._engine: Engine | None = None
        self._early: list[tuple[str, int]] = []

    def stop(self, detail: str, code: int) -> None:
        """Ask for the end."""
        if self._engine is None:
            self._early.append((detail, code))
        else:
            self._engine.stop(detail, code)

    def connect(self, engine: Engine) -> None:
        """From now on it is the engine that is asked."""
        self._engine = engine
        for detail, code in self._early:
            engine.stop(detail, code)


async def _overview(
    engine: Engine, result: Result, path: Path, handle_signals: bool, told: Callable[[str], None]
) -> None:
    """Have the overview written; a signal ends the writing, and the run has ended by itself all the same."""
    from arena_tui.overview import write_overview  # loads what calls to models need

    writing = write_overview(
        engine.course, path, result.standings, engine.budget, home=data_folder(), told=told
    )
    if not handle_signals:
        await writing
        return
    async with asyncio.TaskGroup() as tasks:
        task = tasks.create_task(writing)
        with on_signals(lambda _detail, _code: task.cancel()):
            await asyncio.wait([task])


def prove_judge(tournament: Tournament, pool: Pool, folder: Path, *, person: Person = "terminal") -> None:
    """Refuse what cannot judge a new run, before anything of it is written.

    Raises what `build_judge` does, and FileProblems for recorded verdicts of which none fits the pool.
    """
    everyone = [candidate for group in pool.groups for candidate in group.candidates]
    judge = build_judge(
        tournament, seed=tournament.seed or 0, candidates=everyone, folder=folder, person=person
    )
    if isinstance(judge, RecordedJudge):
        judge.refuse_strangers(pool.playable)


def model_problems(loaded: Loaded, *, key: bool = True) -> list[Problem]:
    """Every model of a tournament that cannot be used, at its line; not `key`: keys may be missing."""
    faults, _ = check_models(loaded.tournament, key=key)
    return [Problem(*loaded.place(where), f"{key_text(where)}: {fault}") for where, fault in faults]


def discard_unbegun(path: Path) -> None:
    """Delete a run that was made just now if nothing was planned in it: its judge could not be opened."""
    with Reader(path) as reader:
        begun = reader.last_pos() > 0
    if not begun:
        delete_run(path)


def _refuse_run_of_python(path: Path) -> None:
    """A run keeps its judge, and a function is nowhere stored."""
    with Reader(path) as reader:
        meta = reader.meta()
    if PYTHON_JUDGE in meta:
        raise UsageError(
            f"run {meta.get('run', path.stem)} was begun with the Python judge {meta[PYTHON_JUDGE]!r}, which "
            f"only Python can give: arena_tui.run(..., judge=..., db={str(path)!r}), or start a fresh run"
        )


def _refuse_edited_votes(driver: Driver) -> None:
    """A run keeps its judge: what other votes or prompts gave so far would not fit the rest."""
    with readable(driver.path, "what the run was started with"):
        stored = json.loads(driver.meta["identity"])
    if prompts_identity(driver.course.tournament.judge) != stored.get("prompts", ""):
        raise UsageError(
            f"run {driver.course.run}: the templates of its judge.prompts have changed since it began: "
            "put them back as they were, or start a fresh run with --new"
        )
    if votes_identity(driver.course.tournament.judge) != stored.get("votes", ""):
        raise UsageError(
            f"run {driver.course.run}: the file of its recorded votes has changed since it began: "
            "put it back as it was, or start a fresh run with --new"
        )


def may_change(key: str) -> bool:
    """True for a setting of a run that has begun: it keeps all but name, limits, stop rule and overview."""
    if key.startswith(("limits.ordering", "limits.durations")):
        return False
    return key == "name" or f"{key}.".startswith(("limits.", "stop.", "overview."))


def _refuse_fixed(changes: Iterable[str]) -> None:
    for key in changes:
        if not may_change(key):
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
