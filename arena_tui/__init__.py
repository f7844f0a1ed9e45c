"""arena: tournaments of ideas, ranked by judges you choose.

    import arena_tui
    result = arena_tui.run(arena_tui.load("tournament.yaml"))
    print(result.standings[0].title)

Public names load when they are first used, so importing the package costs next to nothing.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from arena_tui.api import Tournament, arun, load, run
    from arena_tui.candidate import Candidate
    from arena_tui.errors import ArenaError
    from arena_tui.judging.base import Judge, Question, Reply, Usage, Verdict
    from arena_tui.report.result import Result, StandingRow

__version__ = "0.1.0"

_HOMES = {
    "ArenaError": "arena_tui.errors",
    "Candidate": "arena_tui.candidate",
    "Judge": "arena_tui.judging.base",
    "Question": "arena_tui.judging.base",
    "Reply": "arena_tui.judging.base",
    "Result": "arena_tui.report.result",
    "StandingRow": "arena_tui.report.result",
    "Tournament": "arena_tui.api",
    "Usage": "arena_tui.judging.base",
    "Verdict": "arena_tui.judging.base",
    "arun": "arena_tui.api",
    "load": "arena_tui.api",
    "run": "arena_tui.api",
}

__all__ = [
    "ArenaError",
    "Candidate",
    "Judge",
    "Question",
    "Reply",
    "Result",
    "StandingRow",
    "Tournament",
    "Usage",
    "Verdict",
    "__version__",
    "arun",
    "load",
    "run",
]


def __getattr__(name: str) -> object:
    home = _HOMES.get(name)
    if home is None:
        raise AttributeError(f"module 'arena_tui' has no attribute {name!r}")
    from importlib import import_module

    return getattr(import_module(home), name)


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
