"""The Python API behind `import arena_tui`: load a tournament, run it, get its result.

A run started from Python is always fresh unless `db` names an existing run's file.
"""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, cast

from arena_tui.candidate import Pool
from arena_tui.engine import opening
from arena_tui.errors import UsageError
from arena_tui.judging.base import Judge
from arena_tui.judging.function import CallableJudge, JudgeFunction
from arena_tui.report.result import Result
from arena_tui.running import drive
from arena_tui.settings import Tournament as TournamentSettings
from arena_tui.settings import with_changes
from arena_tui.tournament_file import load_file, load_mapping


@dataclass(frozen=True)
class Tournament:
    """A tournament ready to run: its settings and its pool. Made by `load`."""

    settings: TournamentSettings
    pool: Pool
    path: Path | None = None
    notes: tuple[str, ...] = ()


def load(source: str | Path | Mapping[str, Any]) -> Tournament:
    """Load a tournament file, or a mapping with the same keys (relative paths: the working folder).

    Raises FileProblems or UsageError, whose text says what is wrong and where.
    """
    loaded = load_mapping(source) if isinstance(source, Mapping) else load_file(source)
    return Tournament(loaded.tournament, loaded.pool, loaded.path, loaded.notes)


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
    with a double underscore for the dot: `limits__matches=100, seed=7`.
    """
    changes = {key.replace("__", "."): value for key, value in overrides.items()}
    settings = with_changes(tournament.settings, changes) if changes else tournament.settings
    path = None if db is None else Path(db)
    if path is None or not path.exists():
        path = opening.create(settings, tournament.pool, source=tournament.path, db=path)
        changes = {}
    elif "seed" in changes:
        raise UsageError(f"{path}: a run keeps the seed it was started with; leave seed out")
    result, _ = await drive(path, judge=_judge(judge, settings), changes=changes, handle_signals=False)
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
    if judge is None or hasattr(judge, "ask"):
        return cast("Judge | None", judge)
    return CallableJudge(judge, draws=settings.judge.draws)


__all__ = ["Tournament", "arun", "load", "run"]
