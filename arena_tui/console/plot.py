"""Step curves in a terminal: braille dots or, in ASCII and without colours, a letter per curve. Pure."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Sequence

from rich.cells import cell_len

Cell = tuple[str, int | None]
"""A character and the index of the series it belongs to; None for axes, labels and the ruler."""
Point = tuple[float, float]

FINE = 12  # below which the labels of a scale would repeat themselves without decimals
_DOTS = ((0x01, 0x08), (0x02, 0x10), (0x04, 0x20), (0x40, 0x80))  # of a braille cell, from its top row down
_FRAME = {False: ("┤", "│", "└", "─", "┊"), True: ("+", "|", "+", "-", ":")}


def plot(
    series: Sequence[Sequence[Point]],
    width: int,
    height: int,
    *,
    x_range: tuple[float, float],
    signs: Sequence[str],
    letters: bool = False,
    ascii_only: bool = False,
    ruler: float | None = None,
) -> list[list[Cell]]:
    """`height` lines of `width` cells: curves, axes, and `signs` (one character each) where curves end.

    A point's value holds up to the next point and from the last one to the right edge; points are sorted by
    x. The first series lies on top. `letters` draws each curve in its sign instead of dots. `ruler` is an x
    at which a dotted line stands. The last line holds the x labels. Too small a size gives empty lines.
    """
    shown = [value for points in series for x, value in points if x <= x_range[1]]
    low, high = (min(shown), max(shown)) if shown else (0.0, 1.0)
    if high - low < 2:
        middle = (low + high) / 2
        low, high = middle - 1, middle + 1
    rows = height - 2
    labels = _y_labels(low, high, rows)
    margin = max((len(label) for label in labels.values()), default=0) + 1
    columns = width - margin - 1 - 2  # the axis before them, a blank and the sign after them
    if rows < 1 or columns < 2:
        return [[(" ", None)] * width for _ in range(height)]
    letters = letters or ascii_only
    across, down = (1, 1) if letters else (2, 4)
    heights = [_sampled(points, x_range, columns * across, low, high, rows * down) for points in series]
    field = (_in_letters if letters else _in_dots)(heights, signs, columns, rows)
    tick, wall, corner, floor, dotted = _FRAME[ascii_only]
    at_ruler = None if ruler is None else _column(ruler, x_range, columns)
    ends = _ends(heights, rows, down)
    lines: list[list[Cell]] = []
    for row in range(rows):
        label = labels.get(row, "")
        line: list[Cell] = [(char, None) for char in label.rjust(margin - 1) + " "]
        line.append((tick if label else wall, None))
        cells = field[row]
        if at_ruler is not None and cells[at_ruler][0] == " ":
            cells[at_ruler] = (dotted, None)
        line.extend(cells)
        end = ends.get(row)
        line.extend([(" ", None), (" ", None) if end is None else (signs[end], end)])
        lines.append(line)
    lines.append([(char, None) for char in " " * margin + corner + floor * columns + "  "])
    lines.append([(char, None) for char in " " * (margin + 1) + _x_labels(x_range, columns) + "  "])
    return lines


def marks_line(
    marks: Sequence[tuple[float, str]], x_range: tuple[float, float], columns: int, sign: str
) -> str:
    """`sign` at each mark's x, and behind it as many whole words as there is room for before the next one.

    Marks of one column share its sign.
    """
    places: dict[int, list[str]] = {}
    for x, words in sorted(marks, key=lambda mark: mark[0]):
        if x_range[0] <= x <= x_range[1]:
            places.setdefault(_column(x, x_range, columns), []).append(words)
    line = ""
    for at, following in zip(places, [*list(places)[1:], columns + 1], strict=True):
        told = _whole_words(", ".join(places[at]), following - at - 2)
        line += " " * (at - cell_len(line)) + sign + told
    return line + " " * (columns - cell_len(line))


def _whole_words(text: str, room: int) -> str:
    """The words of `text` that `room` cells hold, none of them cut."""
    told = ""
    for word in text.split(" "):
        longer = f"{told} {word}" if told else word
        if cell_len(longer) > room:
            return told.rstrip(",")
        told = longer
    return told


def margins(lines: Sequence[Sequence[Cell]]) -> tuple[int, int]:
    """How many cells are to the left of the curves, and how many columns they have."""
    if len(lines) < 2:
        return 0, 0
    floor = "".join(char for char, _ in lines[-2])
    left = len(floor) - len(floor.lstrip()) + 1
    return left, max(0, len(floor.rstrip()) - left)


def _column(x: float, x_range: tuple[float, float], columns: int) -> int:
    first, last = x_range
    if last <= first:
        return 0
    return max(0, min(columns - 1, round((x - first) / (last - first) * (columns - 1))))


def _sampled(
    points: Sequence[Point],
    x_range: tuple[float, float],
    columns: int,
    low: float,
    high: float,
    levels: int,
) -> list[int | None]:
    """The level (0 at the bottom) of a step curve in each column, None before its first point."""
    first, last = x_range
    step = (last - first) / (columns - 1) if columns > 1 else 0.0
    places = [x for x, _ in points]
    sampled: list[int | None] = []
    for column in range(columns):
        at = bisect_right(places, first + (column + 0.5) * step) - 1
        value = points[at][1] if at >= 0 else None
        sampled.append(
            None
            if value is None
            else max(0, min(levels - 1, round((value - low) / (high - low) * (levels - 1))))
        )
    return sampled


def _in_dots(
    heights: Sequence[Sequence[int | None]], signs: Sequence[str], columns: int, rows: int
) -> list[list[Cell]]:
    dots = [[0] * columns for _ in range(rows)]
    owner: list[list[int | None]] = [[None] * columns for _ in range(rows)]
    top = rows * 4 - 1
    for number in range(len(heights) - 1, -1, -1):
        before: int | None = None
        for column, level in enumerate(heights[number]):
            if level is not None:
                start = level if before is None else before + (level > before) - (level < before)
                for each in range(min(start, level), max(start, level) + 1):
                    row, part = divmod(top - each, 4)
                    dots[row][column // 2] |= _DOTS[part][column % 2]
                    owner[row][column // 2] = number
            before = level
    return [
        [
            (chr(0x2800 + dots[row][column]) if dots[row][column] else " ", owner[row][column])
            for column in range(columns)
        ]
        for row in range(rows)
    ]


def _in_letters(
    heights: Sequence[Sequence[int | None]], signs: Sequence[str], columns: int, rows: int
) -> list[list[Cell]]:
    field: list[list[Cell]] = [[(" ", None)] * columns for _ in range(rows)]
    for number in range(len(heights) - 1, -1, -1):
        for column, level in enumerate(heights[number]):
            if level is not None:
                field[rows - 1 - level][column] = (signs[number], number)
    return field


def _ends(heights: Sequence[Sequence[int | None]], rows: int, down: int) -> dict[int, int]:
    """row -> the series whose sign stands at its end; where two end in one row, the lower series moves on."""
    ends: dict[int, int] = {}
    for number, levels in enumerate(heights):
        if not levels or levels[-1] is None:
            continue
        wanted = rows - 1 - levels[-1] // down
        free = [row for row in range(rows) if row not in ends]
        if free:
            ends[min(free, key=lambda row: (abs(row - wanted), -row))] = number
    return ends


def _y_labels(low: float, high: float, rows: int) -> dict[int, str]:
    """A label on the top and the bottom row and on every fourth between; a fine scale may have a decimal."""
    if rows < 1:
        return {}
    if rows == 1:
        values = {0: (low + high) / 2}
    else:
        values = {0: high, rows - 1: low}
        for row in range(4, rows - 3, 4):
            values[row] = high - (high - low) * row / (rows - 1)
    decimals = int(high - low < FINE and any(value != round(value) for value in values.values()))
    return {row: f"{value:.{decimals}f}" for row, value in values.items()}


def _x_labels(x_range: tuple[float, float], columns: int) -> str:
    first, middle, last = (f"{x:.0f}" for x in (x_range[0], sum(x_range) / 2, x_range[1]))
    if len(first) + len(last) + 1 > columns:
        return last[:columns].rjust(columns)
    line = first + last.rjust(columns - len(first))
    start = (columns - len(middle)) // 2
    if start > len(first) + 2 and start + len(middle) + 2 < columns - len(last):
        line = line[:start] + middle + line[start + len(middle) :]
    return line
