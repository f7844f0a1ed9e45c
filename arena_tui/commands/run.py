"""`arena FILE` and `arena resume`: find or make the run, drive it, print what it amounts to."""

from __future__ import annotations

import asyncio
import json
import os
import shutil
import sys
from collections.abc import Callable, Container, Mapping
from contextlib import ExitStack
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any, TextIO, TypedDict

from arena_tui.candidate import Candidate
from arena_tui.engine import opening
from arena_tui.engine.events import Event
from arena_tui.engine.replay import replay
from arena_tui.errors import DiskTrouble, RunLocked, UsageError
from arena_tui.identity import identity, identity_changes
from arena_tui.report.plain import PlainDisplay, event_lines
from arena_tui.report.result import Result
from arena_tui.report.tables import standings_table
from arena_tui.running import drive
from arena_tui.settings import Tournament
from arena_tui.store import folder
from arena_tui.store.lock import holder
from arena_tui.store.reader import Reader
from arena_tui.streams import silence
from arena_tui.tournament_file import Loaded, load_file
from arena_tui.values import seconds as parse_seconds


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
    path: Path | None = None
    changes: Mapping[str, Any] = {}
    admit: tuple[Candidate, ...] = ()
    if not new:
        path = _run_to_resume(loaded, db, extend)
        if path is not None:
            changes, admit = _differences(loaded, path, extend)
            notes.append(f"going on with run {path.stem}; --new would start a fresh one")
    if path is None and extend:
        raise UsageError(f"{file} has no run yet that could be extended: leave --extend out")
    make = partial(
        opening.create,
        loaded.tournament,
        loaded.pool,
        source=loaded.path,
        db=None if db is None else Path(db),
    )
    return _drive(
        path or make, notes, as_json=as_json, quiet=quiet, events=events, changes=changes, admit=admit
    )


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
    path = folder.find_run(run)
    return _drive(path, [], as_json=as_json, quiet=quiet, events=events, add=add)


def overrides(assignments: tuple[str, ...]) -> dict[str, str]:
    """`--set KEY=VALUE` options as a mapping."""
    pairs = {}
    for assignment in assignments:
        key, equals, value = assignment.partition("=")
        if not equals or not key:
            raise UsageError(f"--set {assignment}: write KEY=VALUE, as in --set limits.matches=100")
        pairs[key] = value
    return pairs


def _run_to_resume(loaded: Loaded, db: str | None, extend: bool) -> Path | None:
    """The run of this file that goes on: its newest, if that is unfinished (or is to be extended)."""
    if db is not None:
        return Path(db) if Path(db).exists() else None
    source = "" if loaded.path is None else str(loaded.path.resolve())
    newest = next((info for info in folder.list_runs() if info.source == source), None)
    if newest is None or (newest.status == "finished" and not extend):
        return None
    return newest.db


def _differences(loaded: Loaded, path: Path, extend: bool) -> tuple[dict[str, Any], tuple[Candidate, ...]]:
    """Settings that the file has changed, and candidates it has gained; refuses what makes another run."""
    pid = holder(path)
    if pid is not None:
        raise RunLocked(
            f"run {path.stem} of this file is driven by process {pid}: act on it with "
            f"`arena act {path.stem} ...`, end that process, or start a fresh run with --new"
        )
    with Reader(path) as reader:
        meta = reader.meta()
        course = replay(reader)
        changed = identity_changes(json.loads(meta["identity"]), identity(loaded.tournament, loaded.pool))
        known = {(c.group, c.id): c for c in reader.candidates()}
        first = {(c.group, c.id) for group in reader.groups() for c in group.candidates}
    if "candidates" in changed and _has_all_that_was_added(loaded, meta["identity"], known, first):
        changed.remove("candidates")
    gained: tuple[Candidate, ...] = ()
    if extend and "candidates" in changed:
        ours = {(c.group, c.id): c for group in loaded.pool.groups for c in group.candidates}
        lost = [id_ for key, (_, id_) in ((k, k) for k in known) if key not in ours]
        altered = [key[1] for key, c in known.items() if key in ours and ours[key].text != c.text]
        if lost or altered:
            raise UsageError(
                f"--extend only admits further candidates, but the file has lost or changed "
                f"{', '.join((lost + altered)[:5])}: put them back, or start a fresh run with --new"
            )
        gained = tuple(candidate for key, candidate in ours.items() if key not in known)
        changed.remove("candidates")
    if changed:
        more = " (--extend admits new candidates)" if changed == ["candidates"] else ""
        raise UsageError(
            f"run {path.stem} is unfinished, but the file's {', '.join(changed)} changed since: "
            f"undo that, or start a fresh run with --new{more}"
        )
    return _setting_changes(course.tournament, loaded.tournament), gained


def _has_all_that_was_added(
    loaded: Loaded,
    stored: str,
    known: Mapping[tuple[str, str], Candidate],
    first: Container[tuple[str, str]],
) -> bool:
    """True when the file's pool is the run's: what it started with (`first`), and what was added since."""
    pool = loaded.pool
    ours = {(c.group, c.id): c for group in pool.groups for c in group.candidates}
    if any(key not in ours or ours[key].text != c.text for key, c in known.items() if key not in first):
        return False

    def added(c: Candidate) -> bool:
        return (c.group, c.id) in known and (c.group, c.id) not in first

    groups = (
        replace(group, candidates=tuple(c for c in group.candidates if not added(c))) for group in pool.groups
    )
    was = identity(loaded.tournament, replace(pool, groups=tuple(groups)))
    return bool(was["candidates"] == json.loads(stored)["candidates"])


def _setting_changes(before: Tournament, after: Tournament) -> dict[str, Any]:
    """Dotted keys of limits, stop rule and name that differ, with their new values."""
    old, new = _flat(before), _flat(after)
    return {key: value for key, value in new.items() if old.get(key) != value}


def _flat(tournament: Tournament) -> dict[str, Any]:
    dumped = tournament.model_dump(mode="json", include={"name", "limits", "stop"})
    flat: dict[str, Any] = {}
    stack: list[tuple[str, Any]] = list(dumped.items())
    while stack:
        key, value = stack.pop()
        if isinstance(value, Mapping):
            stack.extend((f"{key}.{name}", part) for name, part in value.items())
        else:
            flat[key] = value
    return dict(sorted(flat.items()))


def _drive(
    place: Path | Callable[[], Path],
    notes: list[str],
    *,
    as_json: bool,
    quiet: bool,
    events: str | None,
    changes: Mapping[str, Any] = {},
    add: Mapping[str, float] = {},
    admit: tuple[Candidate, ...] = (),
) -> int:
    """Drive the run at `place`, which is made first if need be; the process's exit code."""
    with ExitStack() as stack:
        display = PlainDisplay(sys.stderr, quiet=quiet)
        display.notes(notes)
        listeners: list[Callable[[Event], None]] = [display.event]
        if events is not None:
            listeners.append(stack.enter_context(event_lines(events)))
        # A new run is made last: what can be refused has been refused by now.
        path = place if isinstance(place, Path) else place()
        try:
            result, exit_code = asyncio.run(
                drive(
                    path,
                    changes=changes,
                    add=add,
                    admit=admit,
                    listeners=listeners,
                    on_engine=lambda engine: display.attach(engine.state, engine.title),
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
        display.ended(result)
        silence(sys.stdout)
        raise DiskTrouble(
            f"the result could not be written to stdout ({error.strerror}); it is stored: "
            f"`arena show {result.run}` prints it"
        ) from error
    display.ended(result)
    return exit_code


def print_result(result: Result, as_json: bool, stream: TextIO) -> None:
    """The result: one JSON object, or the standings as a table."""
    if as_json:
        print(json.dumps(result.to_dict(), ensure_ascii=True), file=stream, flush=True)
    else:
        print(standings_table(result.standings, **layout()), end="", file=stream, flush=True)


def layout() -> Layout:
    """How tables fit stdout: colour only on a terminal without NO_COLOR, 100 cells elsewhere."""
    tty = sys.stdout.isatty()
    width = shutil.get_terminal_size().columns if tty else 100
    return {"color": tty and not os.environ.get("NO_COLOR"), "width": width}
