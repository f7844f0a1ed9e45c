"""The limits a person may edit, as lines of text: their names, how they read, what is wrong. Pure."""

from __future__ import annotations

from collections.abc import Mapping

from arena_tui.amounts import duration
from arena_tui.console.ports import LIMITS
from arena_tui.engine.state import RunState
from arena_tui.values import finite_number, seconds, whole_number

LABELS: Mapping[str, str] = {
    "matches": "matches",
    "usd": "USD",
    "tokens": "tokens",
    "wall_clock": "time",
    "concurrency": "at once",
}
"""key of `limits:` -> what a line of it is called."""

HINTS: Mapping[str, str] = {
    "matches": "none",
    "usd": "none, or such as 2.50",
    "tokens": "none",
    "wall_clock": "none, or such as 30m, 2h",
    "concurrency": "comparisons in flight",
}
"""key -> what an empty line says."""


def wrong_with(key: str, text: str) -> str:
    """What is wrong with a limit as it was typed, in one sentence; "" when it can be read.

    Empty is no limit, which all but `concurrency` may have.
    """
    text = text.strip()
    label = LABELS[key]
    if not text:
        return "" if key != "concurrency" else f"{label}: there must be one at least"
    try:
        match key:
            case "usd":
                finite_number(text, above=0)
            case "wall_clock":
                seconds(text)
            case _:
                whole_number(text, low=1)
    except ValueError as error:
        return f"{label}: {error}"
    return ""


def in_force(state: RunState) -> dict[str, str]:
    """The limits of a run as texts, "" where there is none."""
    given: dict[str, int | float | None] = {
        "matches": state.match_limit,
        "usd": state.usd_limit,
        "tokens": state.token_limit,
        "wall_clock": state.wall_clock_limit,
        "concurrency": state.concurrency,
    }
    return {key: as_text(key, given[key]) for key in LIMITS}


def as_text(key: str, value: float | None) -> str:
    """A limit as a person types it, "" for none."""
    if value is None:
        return ""
    if key != "wall_clock":
        return f"{value:.12g}"
    for size, unit in ((3600, "h"), (60, "m")):
        if value >= size and value % size == 0:
            return f"{value / size:.0f}{unit}"
    return f"{value:g}s"


def used_up(state: RunState) -> bool:
    """True when a limit in force leaves nothing, so that going on would end at once."""
    used = (
        (state.match_limit, state.started),
        (state.usd_limit, state.usd),
        (state.token_limit, state.tokens),
        (state.wall_clock_limit, state.elapsed),
    )
    return any(limit is not None and spent >= limit for limit, spent in used)


def spent_of(state: RunState) -> dict[str, str]:
    """What is spent already of each limit, in words; a limit below that ends the run."""
    return {
        "matches": f"{state.started:,} started",
        "usd": f"{state.usd:,.2f} spent",
        "tokens": f"{state.tokens:,} used",
        "wall_clock": f"{duration(state.elapsed)} run",
        "concurrency": f"{len(state.in_flight)} in flight",
    }
