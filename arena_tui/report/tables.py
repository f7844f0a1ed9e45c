"""Tables for a terminal or a pipe: standings, the list of runs, what is known of a judge, as plain text.

Every foreign string passes `safetext`; widths are terminal cells, so that CJK and emoji line up.
Colour only repeats what the words say. Nothing here prints.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import groupby
from typing import Any

from arena_tui.report.judge_words import judge_lines
from arena_tui.report.result import RunRow, StandingRow
from arena_tui.safetext import one_line
from arena_tui.values import visible
from arena_tui.vocabulary import PLAYING

SIMULATED = "SIMULATED"
_GAP = "  "
_UNCUT = 2000  # cells: more than any id, whose 500 characters may take two each
_BOLD, _DIM, _RESET = "\x1b[1m", "\x1b[2m", "\x1b[0m"


@dataclass(frozen=True, slots=True)
class _Column:
    """A column takes its widest cell. Those with a `least` give way when the line is too long; the others,
    ids among them, are never cut: what is shown of an id must be enough to type it."""

    heading: str
    right: bool = False
    least: int = 0  # > 0: may be cut down to this many cells
    goes: int = 0  # > 0: left out where cutting is not enough, the lowest first


def standings_table(
    rows: Sequence[StandingRow], *, color: bool, width: int, simulated: bool = False, format_kind: str = ""
) -> str:
    """The standings as lines of at most `width` cells, if ids and figures leave room; with a line end.

    Several groups come one after the other, each under its name. Twins, rejected and other candidates
    that do not play say so in the last column. Columns of which nothing is known (titles, intervals,
    ...) are left out; so are, where there is no room, the counts of matches, records, intervals and more,
    in that order. Without rows, one line says so. A simulation is named in the heading. `format_kind` decides
    what ratings and scores are called.
    """
    if not rows:
        return "no candidates\n"
    groups = [(group, list(members)) for group, members in groupby(rows, key=lambda row: row.group)]
    parts = []
    for group, members in groups:
        lines = list(_standings_of(members, color, width, SIMULATED if simulated else "", format_kind))
        if len(groups) > 1:
            lines.insert(0, _styled(one_line(group, _UNCUT), _BOLD if color else ""))
        parts.append("\n".join(lines) + "\n")
    return "\n".join(parts)


_RUNS = (
    _Column("run"),
    _Column("name", least=6),
    _Column("format"),
    _Column("status", least=8),
    _Column("matches", right=True),
    _Column("created", least=10),
)


def runs_table(rows: Sequence[RunRow], *, color: bool, width: int) -> str:
    """All runs as lines of at most `width` cells, if the ids leave room, ending in a line end."""
    if not rows:
        return "no runs yet\n"
    cells = [
        [row.run, row.name, row.format, _status(row), str(row.matches), row.created_at[:16].replace("T", " ")]
        for row in rows
    ]
    return "\n".join(_lines(_RUNS, cells, [False] * len(rows), color, width)) + "\n"


def judge_table(report: Mapping[str, Any], *, color: bool, width: int) -> str:
    """What is known of a judge as lines of at most `width` cells under a heading; empty if nothing is."""
    lines = judge_lines(report)
    if not lines:
        return ""
    widest = max(len(what) for what, _ in lines)
    told = [f"{_GAP}{one_line(f'{what:<{widest}}{_GAP}{figures}', width - 2)}" for what, figures in lines]
    return "\n".join([_styled("the judge", _BOLD if color else ""), *told]) + "\n"


def _status(row: RunRow) -> str:
    return f"{row.status}, {row.stop_reason}" if row.stop_reason else row.status


SCORES: Mapping[str, str] = {
    "swiss": "points",
    "round_robin": "points",
    "pivot": "w/c",
    "knockout": "rounds won",
}
"""What the score of a format is called, by kind."""


def _standings_columns(format_kind: str) -> tuple[_Column, ...]:
    elo = format_kind == "elo"
    return (
        _Column("rank", right=True),
        _Column("range", right=True, goes=6),
        _Column("title", least=20),
        _Column("id"),
        _Column("Elo" if elo else "rating", right=True),
        _Column("BT", right=True, goes=4),
        _Column("95 %", right=True, goes=3),
        _Column("P(best)", right=True, goes=5),
        _Column(SCORES.get(format_kind, "score"), right=True, goes=7),
        _Column("W-D-L", right=True, goes=2),
        _Column("matches", right=True, goes=1),
        _Column("state"),  # of a twin it holds an id
    )


def _standings_of(
    rows: list[StandingRow], color: bool, width: int, label: str, format_kind: str
) -> Iterator[str]:
    """Heading and lines of one group."""
    titled = any(row.title not in ("", row.id) for row in rows)
    elo = format_kind == "elo"
    fitted = not elo and any(row.fitted is not None for row in rows)
    cells = [
        [
            str(row.rank),
            _span(row.rank_low, row.rank_high),
            (row.title if visible(row.title) else row.id) if titled else "",
            row.id,
            "" if fitted and row.fitted is None else f"{row.rating:.1f}",
            f"{row.fitted:.1f}" if elo and row.fitted is not None else "",
            "" if row.low is None or row.high is None else f"{row.low:.0f}..{row.high:.0f}",
            "" if row.p_best is None else f"{100 * row.p_best:.0f}%",
            "" if row.score is None else _score(row.score, format_kind),
            f"{row.wins}-{row.draws}-{row.losses}",
            str(row.matches),
            _state(row),
        ]
        for row in rows
    ]
    aside = [row.twin_of is not None or row.state not in PLAYING for row in rows]
    yield from _lines(_standings_columns(format_kind), cells, aside, color, width, label)


def _score(score: float, format_kind: str) -> str:
    return f"{score:.3f}" if format_kind == "pivot" else f"{score:g}"


def _state(row: StandingRow) -> str:
    """In words whatever sets a candidate apart; nothing for one that simply plays."""
    twin = () if row.twin_of is None else (f"twin of {row.twin_of}",)
    state = () if row.state == "in_tournament" else (row.state,)
    return ", ".join([*state, *twin, *row.flags])


def _span(low: int | None, high: int | None) -> str:
    if low is None or high is None:
        return ""
    return str(low) if low == high else f"{low}-{high}"


def _lines(
    columns: Sequence[_Column],
    cells: list[list[str]],
    aside: list[bool],
    color: bool,
    width: int,
    label: str = "",
) -> Iterator[str]:
    """The heading and one line a row, cut and padded; columns without content are left out.

    Lines set `aside` are dim where there is colour; `label` follows the heading.
    """
    used = [at for at in range(len(columns)) if any(line[at] for line in cells)]
    safe = [[one_line(line[at], _UNCUT) for at in used] for line in cells]
    kept = _kept([columns[at] for at in used], safe, width)
    columns = [columns[used[at]] for at in kept]
    safe = [[line[at] for at in kept] for line in safe]
    heading = [column.heading for column in columns]
    widths = _widths(columns, [heading, *safe], width)
    top = _line(columns, heading, widths)
    yield _styled(f"{top}{_GAP}{label}" if label else top, _BOLD if color else "")
    for line, dim in zip(safe, aside, strict=True):
        yield _styled(_line(columns, line, widths), _DIM if color and dim else "")


def _kept(columns: Sequence[_Column], cells: list[list[str]], width: int) -> list[int]:
    """The columns that have room when the flexible ones are cut to their least."""
    from rich.cells import cell_len

    least = []
    for at, column in enumerate(columns):
        widest = max(cell_len(text) for text in (column.heading, *(line[at] for line in cells)))
        least.append(min(widest, column.least) if column.least else widest)
    kept = list(range(len(columns)))
    leaving = sorted((column.goes, at) for at, column in enumerate(columns) if column.goes)
    for _, at in leaving:
        if sum(least[each] for each in kept) + len(_GAP) * (len(kept) - 1) <= width:
            break
        kept.remove(at)
    return kept


def _widths(columns: Sequence[_Column], cells: list[list[str]], width: int) -> list[int]:
    """Cells each column gets: its widest, and if that is too much, flexible columns shrink, widest first."""
    from rich.cells import cell_len

    widths = [max(cell_len(line[at]) for line in cells) for at in range(len(columns))]
    excess = sum(widths) + len(_GAP) * (len(columns) - 1) - width
    while excess > 0:
        spare = [(widths[at] - c.least, at) for at, c in enumerate(columns) if 0 < c.least < widths[at]]
        if not spare:
            break
        most, at = max(spare)
        runner_up = sorted(spare)[-2][0] if len(spare) > 1 else 0
        cut = min(excess, most, max(1, most - runner_up))
        widths[at] -= cut
        excess -= cut
    return widths


def _line(columns: Sequence[_Column], cells: list[str], widths: list[int]) -> str:
    """One line, each cell as wide as its column."""
    from rich.cells import cell_len

    padded = []
    for column, cell, size in zip(columns, cells, widths, strict=True):
        text = one_line(cell, size)
        space = " " * (size - cell_len(text))
        padded.append(space + text if column.right else text + space)
    return _GAP.join(padded).rstrip(" ")


def _styled(line: str, style: str) -> str:
    return f"{style}{line}{_RESET}" if style else line
