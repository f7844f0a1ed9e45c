"""A group as a row of the list of groups, and the columns that show it."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from rich.cells import cell_len

from arena_tui.console.columns import Column, Pieces, fit
from arena_tui.console.glyphs import Glyphs
from arena_tui.console.ledger import GroupBoard

REASONS = {
    "BUDGET": "budget used up",
    "WALL_CLOCK": "time is up",
    "ELO_STABLE": "ratings stable",
    "EXTERNAL": "stopped by hand",
    "IDLE": "nothing left to do",
    "COMPLETED": "all played",
    "CONFIDENT": "leader sure enough",
}
"""Why a group ended, in the few words that a column holds."""


@dataclass(frozen=True, slots=True)
class GroupRow:
    """A group as the list shows it: all texts are clean and on one line. `expected` is None for an
    open-ended format."""

    board: GroupBoard
    place: int
    id: str
    prompt: str
    leader: str
    applied: int
    expected: int | None
    state: str
    reason: str


@dataclass(frozen=True, slots=True)
class GroupLook:
    """Widths of the columns in cells, and the glyphs to draw with."""

    glyphs: Glyphs
    id: int
    prompt: int
    done: int
    reason: int


def _done(row: GroupRow) -> str:
    return str(row.applied) if row.expected is None else f"{row.applied}/{row.expected}"


def _text(attribute: str, ink: str = "") -> Callable[[GroupRow, GroupLook, int], Pieces]:
    def draw(row: GroupRow, look: GroupLook, width: int) -> Pieces:
        return [(fit(getattr(row, attribute), width, look.glyphs.ellipsis), ink)]

    return draw


def _folded(attribute: str) -> Callable[[GroupRow, GroupLook], str | None]:
    return lambda row, look: getattr(row, attribute).casefold() or None


def _plain(attribute: str) -> Callable[[GroupRow, GroupLook], str]:
    return lambda row, look: str(getattr(row, attribute))


def _state(row: GroupRow, look: GroupLook, width: int) -> Pieces:
    ink = {"open": "groups--open", "closed": "groups--muted", "skipped": "groups--skipped"}
    return [(row.state, ink.get(row.state, ""))]


def _share(row: GroupRow, look: GroupLook) -> float | None:
    """How far it is; None where nothing says how many matches there will be."""
    return row.applied / row.expected if row.expected else None


def _heading(words: str) -> Callable[[GroupLook, int], str]:
    return lambda look, width: words


GROUP_COLUMNS: tuple[Column[GroupRow, GroupLook], ...] = (
    Column("group", _heading("group"), lambda look: look.id, _text("id"), plain=_plain("id")),
    Column("state", _heading("state"), lambda look: 7, _state, key=_folded("state"), plain=_plain("state")),
    Column(
        "done",
        _heading("done"),
        lambda look: look.done,
        lambda row, look, width: [(_done(row), "")],
        key=_share,
        right=True,
        descending=True,
        plain=lambda row, look: _done(row),
    ),
    Column(
        "leader",
        _heading("leader"),
        lambda look: 12,
        _text("leader"),
        key=_folded("leader"),
        flexible=True,
        plain=_plain("leader"),
    ),
    Column(
        "reason",
        _heading("ended"),
        lambda look: look.reason,
        _text("reason", "groups--muted"),
        key=_folded("reason"),
        plain=_plain("reason"),
    ),
    Column(
        "prompt",
        _heading("prompt"),
        lambda look: min(24, look.prompt),
        _text("prompt", "groups--muted"),
        key=_folded("prompt"),
        wide=lambda look: look.prompt,
        plain=_plain("prompt"),
    ),
)
"""All columns from left to right; the first stands for the order of the run."""

IMPORTANCE = ("leader", "group", "done", "state", "reason", "prompt")


def measure_groups(rows: Sequence[GroupRow], glyphs: Glyphs) -> GroupLook:
    """The widths that these rows want."""
    return GroupLook(
        glyphs=glyphs,
        id=min(20, max([6, *(cell_len(row.id) for row in rows)])),
        prompt=min(60, max([0, *(cell_len(row.prompt) for row in rows)])),
        done=max([5, *(len(_done(row)) for row in rows)]),
        reason=max([0, *(len(row.reason) for row in rows)]),
    )
