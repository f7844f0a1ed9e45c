"""The closed sets of words that code, file keys, tables and screens share."""

from __future__ import annotations

from typing import Literal

CandidateState = Literal["draft", "reviewed", "in_tournament", "pinned", "rejected", "quarantined", "retired"]
PLAYING: frozenset[str] = frozenset({"in_tournament", "pinned"})

ARENA = "*"
"""The id of the one group in which systems meet over the texts of all others."""
ARENA_META = {"arena": "systems"}

Mode = Literal["pairwise", "debate", "score"]
Orientation = Literal["ab", "ba"]  # ab: entrant a is shown in slot 1
Said = Literal["first", "second", "draw", "invalid"]  # what a comparison says
Winner = Literal["a", "b", "draw", "void"]  # what a match says
StopReason = Literal["BUDGET", "WALL_CLOCK", "ELO_STABLE", "EXTERNAL", "IDLE", "COMPLETED", "CONFIDENT"]
