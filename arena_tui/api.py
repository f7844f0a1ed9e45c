"""The Python API behind `import arena_tui`: load a tournament, run it, get its result.

A run started from Python is always fresh unless `db` names an existing run's file.
"""

from __future__ import annotations

import asyncio
import inspect
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, cast

from arena_tui.candidate import Pool
from arena_tui.embedding import fetch_vectors
from arena_tui.engine import opening
from arena_tui.errors import JudgeError, UsageError
from arena_tui.judging.base import Judge
from arena_tui.judging.function import CallableJudge, JudgeFunction
from arena_tui.report.result import Result
from arena_tui.resumption import Differences, differences_of
from arena_tui.running import discard_unbegun, drive, may_change, prove_judge
from arena_tui.settings import Tournament as TournamentSettings
from arena_tui.settings import with_changes
from arena_tui.store.reader import Reader
from arena_tui.tournament_file import Loaded, load_file, load_mapping
from arena_tui.values import shown

PATHS = ("judge.file", "judge.folder", "judge.prompts")
"""Settings that are paths, relative to the tournament file's folder."""
STAND_IN = {"kind": "simulated"}
"""Stands where a mapping names no judge; it is never asked."""


@dataclass(frozen=True)
class Tournament:
    """A tournament ready to run: its settings and its pool. Made by `load`.

    Not `has_judge`: `run` must be given one, since the mapping it came from names none.
    """

    settings: TournamentSettings
    pool: Pool
    path: Path | None = None
    notes: tuple[str, ...] = ()
    has_judge: bool = True


def load(source: str | Path | Mapping[str, Any]) -> Tournament:
    """Load a tournament file, or a mapping with the same keys (relative paths: the working folder).

    A mapping may leave out the judge, which `run` is then to be given. Raises FileProblems or UsageError,
    whose text says what is wrong and where.
    """
    if not isinstance(source, (str, Path, Mapping)):
        raise UsageError(f"load: expected the path of a tournament file or a mapping, got {shown(source)}")
    if not isinstance(source, Mapping):
        loaded = load_file(source)
        return Tournament(loaded.tournament, loaded.pool, loaded.path, loaded.notes)
    has_judge = source.get("judge") is not None
    loaded = load_mapping(source if has_judge else {**source, "judge": STAND_IN})
    return Tournament(loaded.tournament, loaded.pool, loaded.path, loaded.notes, has_judge)


async def arun(
    tournament: Tournament,
    *,
    judge: Judge | JudgeFunction | None = None,
    db: str | Path | None = None,
    **overrides: Any,
) -> Result:
    """Run a tournament inside a running event loop.

    `judge` takes the place of the file's: a `Judge`, or a callable of the two candidates that returns
    "first", "second", "draw" or the probability that the first is better. `overrides` are settings
    with a double underscore for the dot: `limits__matches=100, seed=7`. A `db` that exists must hold a
    run of this tournament, begun with the same judge; it goes on. UsageError says what does not fit.
    """
    if not isinstance(tournament, Tournament):
        raise UsageError(
            f"expected a tournament, got {shown(tournament)}: run(load(...)) takes what it names"
        )
    folder = Path.cwd() if tournament.path is None else tournament.path.parent
    changes = {key.replace("__", "."): value for key, value in overrides.items()}
    changes |= {key: str(folder / changes[key]) for key in PATHS if key in changes}
    settings = with_changes(tournament.settings, changes) if changes else tournament.settings
    chosen = _judge(judge, settings)
    if chosen is None and not tournament.has_judge:
        raise UsageError("the tournament names no judge: give run() one, judge=..., or load() the key judge")
    path = None if db is None else Path(db)
    fresh = path is None or not path.exists()
    if path is not None and not fresh:
        differences = _differences(
            Loaded(settings, tournament.pool, tournament.path, folder, ()), path, chosen
        )
        limits = {key: value for key, value in changes.items() if may_change(key)}
        changes = {**differences.changes, **limits}
        asked = differences.asked
    else:
        if chosen is None:
            prove_judge(settings, tournament.pool, folder)
        label = None if chosen is None else chosen.label
        path = opening.create(
            settings,
            tournament.pool,
            source=tournament.path,
            db=path,
            python_judge=label,
            vectors=await fetch_vectors(settings, tournament.pool),
        )
        changes, asked = {}, None
    try:
        result, _ = await drive(path, judge=chosen, changes=changes, asked=asked, handle_signals=False)
    except (JudgeError, UsageError):
        if fresh:
            discard_unbegun(path)
        raise
    return result


def run(
    tournament: Tournament,
    *,
    judge: Judge | JudgeFunction | None = None,
    db: str | Path | None = None,
    **overrides: Any,
) -> Result:
    """Run a tournament and wait for its result; see `arun`, which is for running event loops."""
    try:
        asyncio.get_running_loop()
    except RuntimeError:
        return asyncio.run(arun(tournament, judge=judge, db=db, **overrides))
    raise UsageError(
        "arena_tui.run() cannot be called from a running event loop: await arena_tui.arun() there"
    )


def _judge(judge: Judge | JudgeFunction | None, settings: TournamentSettings) -> Judge | None:
    """A callable becomes a judge; anything with an `ask` of its own is one already."""
    if judge is None:
        return None
    if not isinstance(judge, type) and hasattr(judge, "ask") and hasattr(judge, "label"):
        return cast("Judge", judge)
    if not callable(judge) or isinstance(judge, type):
        got = f"the class {judge.__name__}" if isinstance(judge, type) else shown(judge)
        raise UsageError(
            f"judge: expected a function of two candidates or a Judge, got {got}; "
            "a kind of judge is a setting of the tournament, as in judge: {kind: simulated}"
        )
    try:
        inspect.signature(judge).bind(None, None)
    except TypeError:
        raise UsageError("judge: expected a function that takes two candidates, first and second") from None
    except ValueError:
        pass  # some callables written in C do not say what they take
    return CallableJudge(judge, draws=settings.judge.draws)


def _differences(loaded: Loaded, path: Path, judge: Judge | None) -> Differences:
    """What is asked for now that the run at `path` does not have; UsageError for a run of something else."""
    with Reader(path) as reader:
        begun_with = reader.meta().get(opening.PYTHON_JUDGE)
    if judge is not None and judge.label != begun_with:
        who = "the judge of its tournament" if begun_with is None else f"the Python judge {begun_with!r}"
        raise UsageError(
            f"{path}: this run was begun with {who}, not with {judge.label!r}, and a run keeps its judge: "
            "give the same one, or leave db out for a fresh run"
        )
    return differences_of(loaded, path, extend=False, fresh="leave db out for a fresh run", more="")


__all__ = ["Tournament", "arun", "load", "run"]
