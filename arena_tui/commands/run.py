"""`arena FILE` and `arena resume`: find or make the run, drive it, print what it amounts to."""

from __future__ import annotations

import asyncio
import json
import os
import shutil
import sys
from collections.abc import Callable, Mapping
from contextlib import ExitStack
from functools import partial
from pathlib import Path
from typing import TextIO, TypedDict

from arena_tui import exit_codes
from arena_tui.commands.resumption import (
    NO_DIFFERENCES,
    Differences,
    differences_of,
    options_of,
    run_to_resume,
)
from arena_tui.embedding import fetch_vectors
from arena_tui.engine import opening
from arena_tui.engine.events import Event
from arena_tui.engine.tournament import Engine
from arena_tui.errors import DiskTrouble, FileProblems, JudgeError, UsageError
from arena_tui.judging.human import has_person
from arena_tui.report.overview_text import overview_lines
from arena_tui.report.plain import PlainDisplay, event_lines
from arena_tui.report.result import Result
from arena_tui.report.tables import standings_table
from arena_tui.running import discard_unbegun, drive, model_problems, prove_judge
from arena_tui.store import folder
from arena_tui.store.lock import StartLock
from arena_tui.streams import silence
from arena_tui.tournament_file import load_file
from arena_tui.values import seconds as parse_seconds

PATIENCE = 30.0  # seconds to wait for another process that is just making a run of the same file


NO_OVERVIEW = "no overview was written: it comes when the run ends by its own rule"


class Layout(TypedDict):
    """What a table needs to know of where it is printed."""

    color: bool
    width: int


def run_file(
    *,
    file: str,
    no_ui: bool,
    as_json: bool,
    quiet: bool,
    events: str | None,
    db: str | None,
    new: bool,
    extend: bool,
    seed: int | None,
    assignments: tuple[str, ...],
) -> int:
    """Run a tournament file; the process's exit code. See `cli.run` for the options."""
    if new and extend:
        raise UsageError(
            "--new and --extend exclude each other: a fresh run, or the last one with more candidates"
        )
    loaded = load_file(Path(file), overrides=overrides(assignments), seed=seed)
    notes = list(loaded.notes)
    chosen = None if db is None else Path(db)
    path = None if new else run_to_resume(loaded, db, extend)
    if path is None and extend:
        raise UsageError(f"{file} has no run yet that could be extended: leave --extend out")
    if path is None:
        if problems := model_problems(loaded):
            raise FileProblems(problems)
        prove_judge(loaded.tournament, loaded.pool, loaded.folder)
    compare = partial(differences_of, loaded, extend=extend, options=options_of(assignments, seed))
    differences = NO_DIFFERENCES
    if path is not None:
        differences = compare(path)
        notes.append(f"going on with run {path.stem}; --new would start a fresh one")

    def begin() -> tuple[Path, Differences]:
        if path is not None:
            return path, differences
        if not new:
            start.acquire(PATIENCE)
            other = run_to_resume(loaded, db, extend)  # of a process that began at the same time
            if other is not None:
                return other, compare(other)
        vectors = asyncio.run(fetch_vectors(loaded.tournament, loaded.pool))
        made = opening.create(loaded.tournament, loaded.pool, source=loaded.path, db=chosen, vectors=vectors)
        fresh.append(made)
        return made, NO_DIFFERENCES

    fresh: list[Path] = []
    with StartLock(folder.start_lock(loaded.path or Path(file), chosen)) as start:
        try:
            return _drive(
                begin,
                notes,
                as_json=as_json,
                quiet=quiet,
                events=events,
                db=path or chosen,
                on_lock=start.release,
            )
        except (JudgeError, UsageError):
            for made in fresh:
                discard_unbegun(made)  # or the next start would go on with a run that never was one
            raise


def resume_run(
    *,
    run: str | None,
    no_ui: bool,
    as_json: bool,
    quiet: bool,
    events: str | None,
    add_usd: float | None,
    add_tokens: int | None,
    add_matches: int | None,
    add_time: str | None,
) -> int:
    """Go on with a stopped run, with higher limits if asked; the process's exit code."""
    add: dict[str, float] = {}
    for name, more in (("usd", add_usd), ("tokens", add_tokens), ("matches", add_matches)):
        if more is not None:
            if not 0 < more < float("inf"):
                raise UsageError(f"--add-{name} {more:g}: give a number above 0")
            add[name] = more
    if add_time is not None:
        try:
            add["time"] = parse_seconds(add_time)
        except ValueError as error:
            raise UsageError(f"--add-time {add_time}: {error}") from None
    path = folder.unfinished_run() if run is None else folder.find_run(run)
    return _drive(
        lambda: (path, NO_DIFFERENCES), [], as_json=as_json, quiet=quiet, events=events, add=add, db=path
    )


def overrides(assignments: tuple[str, ...]) -> dict[str, str]:
    """`--set KEY=VALUE` options as a mapping."""
    pairs = {}
    for assignment in assignments:
        key, equals, value = assignment.partition("=")
        if not equals or not key:
            raise UsageError(f"--set {assignment}: write KEY=VALUE, as in --set limits.matches=100")
        pairs[key] = value
    return pairs


def _drive(
    begin: Callable[[], tuple[Path, Differences]],
    notes: list[str],
    *,
    as_json: bool,
    quiet: bool,
    events: str | None,
    add: Mapping[str, float] = {},
    db: Path | None = None,
    on_lock: Callable[[], None] = lambda: None,
) -> int:
    """Drive the run that `begin` names, and makes if need be; the process's exit code.

    `db` is where the run's database is or will be, if that is known; `on_lock` is called once the run is
    locked for this process.
    """

    wants_overview = False

    def begun(engine: Engine) -> None:
        nonlocal wants_overview
        on_lock()
        wants_overview = engine.course.tournament.overview is not None
        person = has_person(engine.course.tournament.judge)
        display.attach(engine.state, engine.title, person=person)

    with ExitStack() as stack:
        display = PlainDisplay(sys.stderr, quiet=quiet)
        display.notes(notes)
        listeners: list[Callable[[Event], None]] = [display.event]
        if events is not None:
            listeners.append(stack.enter_context(event_lines(events, db)))
        path, differences = begin()  # last: what can be refused has been refused by now
        try:
            result, exit_code = asyncio.run(
                drive(
                    path,
                    changes=differences.changes,
                    asked=differences.asked,
                    add=add,
                    admit=differences.gained,
                    listeners=listeners,
                    on_engine=begun,
                    told=lambda trouble: display.notes([trouble]),
                )
            )
        finally:
            display.close()
    try:
        # Where events take stdout, a table between them would spoil the lines of JSON.
        print_result(result, as_json, sys.stderr if events == "-" and not as_json else sys.stdout)
    except BrokenPipeError:
        silence(sys.stdout)  # nobody takes the result; it is stored, and the run's exit code stands
    except OSError as error:
        display.ended(result, finished=exit_code == exit_codes.OK)
        silence(sys.stdout)
        raise DiskTrouble(
            f"the result could not be written to stdout ({error.strerror}); it is stored: "
            f"`arena show {result.run}` prints it"
        ) from error
    display.ended(result, finished=exit_code == exit_codes.OK)
    if wants_overview and exit_code != exit_codes.OK:
        display.notes([NO_OVERVIEW])
    return exit_code


def print_result(result: Result, as_json: bool, stream: TextIO) -> None:
    """The result: one JSON object, or the standings as a table and what a model wrote of them."""
    if as_json:
        print(json.dumps(result.to_dict(), ensure_ascii=True), file=stream, flush=True)
        return
    table = standings_table(result.standings, simulated=result.judge["simulated"], **layout())
    print(table, end="", file=stream, flush=True)
    written = "\n".join(overview_lines(result.overview))
    if written:
        print(f"\n{written}", file=stream, flush=True)


def layout() -> Layout:
    """How tables fit stdout: colour only on a terminal without NO_COLOR, 100 cells elsewhere."""
    tty = sys.stdout.isatty()
    width = shutil.get_terminal_size().columns if tty else 100
    return {"color": tty and not os.environ.get("NO_COLOR"), "width": width}
