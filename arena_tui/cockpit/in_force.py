"""The settings that a run has now: those it began with, and what journaled actions changed."""

from __future__ import annotations

from typing import TYPE_CHECKING

from arena_tui.engine.state import RunState
from arena_tui.store.reader import Reader

if TYPE_CHECKING:
    from arena_tui.settings import Limits, Tournament


def in_force(reader: Reader) -> Tournament:
    """The tournament as it stands."""
    from arena_tui.engine.replay import origin_of
    from arena_tui.settings import with_changes

    tournament = origin_of(reader).tournament
    for entry in reader.interventions():
        if entry.intervention.kind == "settings":
            tournament = with_changes(tournament, entry.intervention.values)
    return tournament


def show_limits(state: RunState, limits: Limits) -> None:
    """Let a state show these limits."""
    state.match_limit, state.usd_limit = limits.matches, limits.usd
    state.token_limit, state.wall_clock_limit = limits.tokens, limits.wall_clock
    state.concurrency = limits.concurrency
    state.touch()
