"""What a ledger keeps of each group, and an applied match as a list shows it."""

from __future__ import annotations

from array import array
from collections import deque
from dataclasses import dataclass, field

from arena_tui.console.entrants import MOVEMENT, Entrant, Recent, Table
from arena_tui.console.fit_facts import GroupFit
from arena_tui.ratings.rows import Rows
from arena_tui.vocabulary import Mode, StopReason, Winner


@dataclass(slots=True)
class GroupBoard:
    """One group: its entrants in admission order and where it stands. `number` counts over the run.

    `rows` are the comparisons of its matches as a fit takes them, by match number; `clusters` the groups its
    matches were dealt to. `fit` is the last fit, `changes` counts what may change the next one.
    """

    id: str
    number: int
    prompt: str | None
    state: str = "open"
    stop_reason: StopReason | None = None
    stop_detail: str = ""
    applied: int = 0
    entrants: list[Entrant] = field(default_factory=list)
    by_id: dict[str, Entrant] = field(default_factory=dict)
    rivals: list[Entrant] = field(default_factory=list)  # those of `entrants` without twins
    rows: Rows = field(default_factory=Rows)
    clusters: dict[str | None, int] = field(default_factory=dict)
    fit: GroupFit | None = None
    changes: int = 0
    category: str | None = None
    tables: dict[str | None, Table] = field(default_factory=dict)  # by class, in pool order
    twins: dict[str, list[Entrant]] = field(default_factory=dict)  # by the original's id
    children: dict[str, list[Entrant]] = field(default_factory=dict)  # by the parent's id
    recent: Recent = field(default_factory=lambda: deque(maxlen=MOVEMENT))
    at: array[int] = field(
        default_factory=lambda: array("I")
    )  # by seq - 1: index of the match + 1, 0 for none

    @property
    def lag(self) -> int:
        """Outcomes that the last fit does not know, all of them before the first."""
        return self.applied - (0 if self.fit is None else self.fit.applied)


@dataclass(frozen=True, slots=True)
class MatchLine:
    """An applied match as a list shows it: its index in `Ledger.matches`, who met and what came of it."""

    index: int
    pos: int
    group: str
    seq: int
    a: Entrant
    b: Entrant
    mode: Mode
    winner: Winner
    a_change: float
    b_change: float
    overruled: bool
    withdrawn: bool
    at: str | None = None  # the group whose texts were shown, where systems meet
