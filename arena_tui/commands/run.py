"""`arena FILE` and `arena resume` without the console: find or make the run, drive it, print the result."""

from __future__ import annotations

import asyncio
import json
import os
import shutil
import sys
from collections.abc import Callable, Mapping
from contextlib import ExitStack
from pathlib import Path
from textwrap import wrap
from typing import TextIO, TypedDict

from arena_tui import exit_codes
from arena_tui.engine.events import Event
from arena_tui.engine.tournament import Engine
from arena_tui.errors import DiskTrouble, JudgeError, UsageError
from arena_tui.judging.human import has_person
from arena_tui.report.overview_text import overview_lines
from arena_tui.report.plain import PlainDisplay, event_lines
from arena_tui.report.result import Result
from arena_tui.report.standing_notes import standing_notes
from arena_tui.report.system_words import system_lines
from arena_tui.report.tables import standings_table
from arena_tui.resumption import NO_DIFFERENCES, Differences, options_of, overrides
from arena_tui.running import drive
from arena_tui.safetext import clean
from arena_tui.starting import Start
from arena_tui.streams import silence
from arena_tui.tournament_file import load_file

NO_OVERVIEW = "no overview was written: it comes when the run ends by its own rule"


class Layout(TypedDict):
    """What a table needs to know of where it is printed."""

    color: bool
    width: int


def run_headless(
    *,
    file: str,
    as_json: bool,
    quiet: bool,
    events: str | None,
    db: str | None,
    new: bool,
    extend: bool,
    seed: int | None,
    assignments: tuple[str, ...],
) -> int:
    """Run a tournament file without the console; the process's exit code. See `cli.run` for the options."""
    loaded = load_file(Path(file), overrides=overrides(assignments), seed=seed)
    start = Start(loaded, db=db, new=new, extend=extend, options=options_of(assignments, seed))
    try:
        return _drive(
            start.begin,
            start.notes,
            as_json=as_json,
            quiet=quiet,
            events=events,
            db=start.db,
            on_lock=start.driven,
        )
    except (JudgeError, UsageError):
        start.failed()
        raise
    finally:
        start.close()


def resume_headless(
    path: Path, add: Mapping[str, float], *, as_json: bool, quiet: bool, events: str | None
) -> int:
    """Go on with the run at `path`, its limits raised by `add`; the process's exit code."""
    return _drive(
        lambda: (path, NO_DIFFERENCES), [], as_json=as_json, quiet=quiet, events=events, add=add, db=path
    )


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
    print_end(result, as_json, exit_code, quiet=quiet, events=events)
    if wants_overview and exit_code != exit_codes.OK:
        display.notes([NO_OVERVIEW])
    return exit_code


def print_end(result: Result, as_json: bool, exit_code: int, *, quiet: bool, events: str | None) -> None:
    """The result on stdout, then on stderr how it ended. DiskTrouble when stdout cannot take it."""
    display = PlainDisplay(sys.stderr, quiet=quiet)
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


def print_result(result: Result, as_json: bool, stream: TextIO) -> None:
    """The result: one JSON object, or the standings as a table and what a model wrote of them."""
    if as_json:
        print(json.dumps(result.to_dict(), ensure_ascii=True), file=stream, flush=True)
        return
    simulated, place = result.judge["simulated"], layout()
    table = standings_table(result.standings, simulated=simulated, format_kind=result.format, **place)
    lines = [line for note in standing_notes(result) for line in wrap(clean(note), max(40, place["width"]))]
    lines += [clean(line) for line in system_lines(result.details)]
    notes = "".join(f"{line}\n" for line in lines)
    print(table, end=f"\n{notes}" if notes else "", file=stream, flush=True)
    written = "\n".join(overview_lines(result.overview))
    if written:
        print(f"\n{written}", file=stream, flush=True)


def layout() -> Layout:
    """How tables fit stdout: colour only on a terminal without NO_COLOR, 100 cells elsewhere."""
    tty = sys.stdout.isatty()
    width = shutil.get_terminal_size().columns if tty else 100
    return {"color": tty and not os.environ.get("NO_COLOR"), "width": width}
