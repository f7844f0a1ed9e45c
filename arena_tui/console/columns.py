"""Columns of a list: what each shows, how it sorts, and which of them a width has room for. Pure.

A column draws pieces, (text, ink) pairs, whose ink names a component class of the list or is "": what is
drawn can be looked at without a screen.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, Generic, NamedTuple, TypeVar

from rich.cells import cell_len, set_cell_size

Item = TypeVar("Item")
Look = TypeVar("Look")

Pieces = Sequence[tuple[str, str]]
GAP = 1  # cells between two columns
WELL = 28  # cells at which most titles can be told from each other


@dataclass(frozen=True, slots=True)
class Column(Generic[Item, Look]):
    """One column. What its functions get of the list as a whole (widths, glyphs, scale) is its `Look`.

    `width` is 0 where there is nothing to show; a `flexible` column takes what the others leave and needs
    `width` cells at the least. `key` is None for what is unknown, which sorts last in either direction; a
    column without `key` stands for the order of its own that the list has. `wide` is the width it takes
    when everything else has found its place. `plain` is the cell in a copied row. `spares` are the cells that
    the flexible column must keep beside this one, where that is more than what it always keeps.
    """

    id: str
    heading: Callable[[Look, int], str]
    width: Callable[[Look], int]
    draw: Callable[[Item, Look, int], Pieces]
    key: Callable[[Item, Look], Any] | None = None
    right: bool = False
    descending: bool = False  # figures are of interest from the highest down
    flexible: bool = False
    wide: Callable[[Look], int] | None = None
    plain: Callable[[Item, Look], str] | None = None
    spares: Callable[[Look], int] | None = None


class Placed(NamedTuple):
    """A column on the screen: its first cell and how many it has."""

    column: Column[Any, Any]
    x: int
    width: int


def lay_out(
    columns: Sequence[Column[Any, Any]], importance: Sequence[str], look: object, width: int
) -> tuple[Placed, ...]:
    """Those of `columns` that `width` cells have room for, in their order from left to right.

    They find room in the order of `importance`, which names every column; columns that do not fit are
    passed over for later ones that do. The flexible column keeps a third of the width, but no more than it
    needs to be read well, and what a column spares of it.
    """
    by_id = {column.id: column for column in columns}
    flexible = next(column for column in columns if column.flexible)
    widths = {flexible.id: 0}
    kept = max(flexible.width(look), min(WELL, width // 3))
    room = width
    for id_ in importance:
        column = by_id[id_]
        takes = 0 if column.flexible else column.width(look)
        spared = 0 if column.spares is None else column.spares(look)
        if takes and takes + GAP <= room - max(kept, spared):
            widths[id_] = takes
            room -= takes + GAP
    spare = width - sum(widths.values()) - GAP * (len(widths) - 1) - 40
    for column in columns:
        wanted = column.wide(look) if column.wide is not None and column.id in widths else 0
        grows = min(wanted - widths.get(column.id, 0), spare)
        if grows > 0:
            widths[column.id] += grows
            spare -= grows
    widths[flexible.id] = max(1, width - sum(widths.values()) - GAP * (len(widths) - 1))
    placed, x = [], 0
    for column in columns:
        if column.id in widths:
            placed.append(Placed(column, x, widths[column.id]))
            x += widths[column.id] + GAP
    return tuple(placed)


def fit(text: str, cells: int, ellipsis: str) -> str:
    """`text`, which is one clean line, cut to `cells` with an ellipsis of one cell where it is longer."""
    if cell_len(text) <= cells:
        return text
    return set_cell_size(text, cells - 1).rstrip(" ") + ellipsis if cells > 0 else ""


def aligned(pieces: Pieces, cells: int, *, right: bool, ellipsis: str) -> Pieces:
    """The pieces at exactly `cells` cells; what is too wide is cut and keeps the first ink."""
    taken = sum(cell_len(text) for text, _ in pieces)
    if taken > cells:
        pieces = [(fit("".join(text for text, _ in pieces), cells, ellipsis), pieces[0][1])]
        taken = cell_len(pieces[0][0])
    blank = [(" " * (cells - taken), "")] if taken < cells else []
    return [*blank, *pieces] if right else [*pieces, *blank]
