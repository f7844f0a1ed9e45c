"""What a comparison of systems tells under its table: who beats whom, each category, the baseline.

Pure: from the `details` of a result to lines.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from arena_tui.safetext import one_line

MATRIX = 8  # systems up to which all pairs are told
_CELL = 12


def system_lines(details: Mapping[str, Any]) -> list[str]:
    """The lines; none where the run does not compare systems."""
    if "matrix" not in details:
        return []
    return [*_matrix(details["matrix"]), *_categories(details), *_baseline(details.get("baseline"))]


def _matrix(matrix: Mapping[str, Mapping[str, float | None]]) -> Iterator[str]:
    names = list(matrix)
    if not 1 < len(names) <= MATRIX:
        return
    labels = {name: one_line(name, _CELL) for name in names}
    first = max(len(label) for label in labels.values())
    yield "win rates, row against column (a draw counts half):"
    yield f"  {'':<{first}}" + "".join(f"  {labels[name]:>{max(5, len(labels[name]))}}" for name in names)
    for name, row in matrix.items():
        cells = (
            f"  {_share(row.get(other)) if other != name else '':>{max(5, len(labels[other]))}}"
            for other in names
        )
        yield f"  {labels[name]:<{first}}" + "".join(cells).rstrip()


def _categories(details: Mapping[str, Any]) -> Iterator[str]:
    for category, rows in details.get("by_category", {}).items():
        ranked = ", ".join(f"{one_line(row['system'], 40)} {row['rating']:.0f}" for row in rows[:MATRIX])
        yield f"{one_line(category, 40)}: {ranked}"


def _baseline(told: Mapping[str, Any] | None) -> Iterator[str]:
    if told is None:
        return
    for name, each in told["win_rates"].items():
        if each["win_rate"] is not None:
            between = f"{_share(each['low'])} to {_share(each['high'])}, {each['matches']} matches"
            who, base = one_line(name, 40), one_line(told["system"], 40)
            yield f"against {base}: {who} wins {_share(each['win_rate'])} ({between})"


def _share(value: float | None) -> str:
    return "-" if value is None else f"{value:.0%}"
