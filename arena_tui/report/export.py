"""Rows as CSV, JSON Lines or Markdown: the same rows always give the same bytes.

Lines end in LF, keys keep the order of the columns, numbers have fixed decimals, nothing depends on
the locale. JSON Lines is the faithful format: pure ASCII, every text as it is. CSV and Markdown may
be shown by a terminal or opened by a spreadsheet, so their texts pass `safetext`, and a CSV text that
a spreadsheet would take for a formula gets an apostrophe in front (numbers do not).
"""

from __future__ import annotations

import csv
import json
import math
import re
from collections.abc import Iterable, Mapping, Sequence
from pathlib import PurePath
from typing import Any, Literal, TextIO

from arena_tui.errors import UsageError
from arena_tui.safetext import clean
from arena_tui.values import did_you_mean

ExportFormat = Literal["csv", "jsonl", "md"]

DECIMALS: Mapping[str, int] = {
    **dict.fromkeys(("elo_a_before", "elo_a_after", "elo_b_before", "elo_b_after", "rating", "score"), 6),
    **dict.fromkeys(("low", "high", "p_best", "fitted"), 4),
}
"""Decimals by column: 6 for what a match adds up to, 4 for fitted figures."""
FITTED_DECIMALS: Mapping[str, int] = {**DECIMALS, "rating": 4}
"""The same where the rating is a fitted one: in all formats but elo."""

# A formula, or one that was already given an apostrophe: adding one more keeps the mapping reversible.
_FORMULA = re.compile(r"'*[=+\-@\t]")
_MARKDOWN = re.compile(r"([\\|`<\[])")


def suffix_format(path: str | PurePath) -> ExportFormat:
    """The format that the suffix of `path` names; UsageError names the three there are."""
    suffix = PurePath(path).suffix.lower()
    match suffix:
        case ".csv":
            return "csv"
        case ".jsonl":
            return "jsonl"
        case ".md":
            return "md"
    told = f"the suffix {suffix!r}" if suffix else "no suffix"
    near = did_you_mean(suffix, (".csv", ".jsonl", ".md"))
    hint = f" ({near})" if near else ""
    raise UsageError(f"{path}: {told} names no export format; use .csv, .jsonl or .md{hint}")


def write_rows(
    rows: Iterable[Mapping[str, Any]],
    columns: Sequence[str],
    fmt: ExportFormat,
    stream: TextIO,
    *,
    decimals: Mapping[str, int] = DECIMALS,
) -> None:
    """Write `rows` one by one to `stream`, a text stream opened with newline="".

    None, a missing key and a number that is not finite are empty in CSV and Markdown, null in JSON
    Lines. A list or a mapping is JSON in a CSV cell; a list is comma-separated in Markdown.
    """
    match fmt:
        case "csv":
            table = csv.writer(stream, lineterminator="\n")
            table.writerow(map(clean, columns))
            for row in rows:
                table.writerow([_csv_cell(row.get(key), decimals.get(key)) for key in columns])
        case "jsonl":
            names = [json.dumps(key) for key in columns]
            for row in rows:
                values = (_json(row.get(key), decimals.get(key)) for key in columns)
                pairs = (f"{name}: {value}" for name, value in zip(names, values, strict=True))
                stream.write("{" + ", ".join(pairs) + "}\n")
        case "md":
            stream.write(_markdown_line(map(_markdown_text, columns)))
            stream.write(_markdown_line(["---"] * len(columns)))
            for row in rows:
                stream.write(
                    _markdown_line(_markdown_cell(row.get(key), decimals.get(key)) for key in columns)
                )


def _number(value: float, decimals: int | None) -> str:
    """Digits of a finite number: as many decimals as asked for, else the shortest that reads back equal."""
    if isinstance(value, int) or decimals is None:
        return repr(value)
    return f"{value:.{decimals}f}"


def _json(value: Any, decimals: int | None) -> str:
    """`value` as JSON in ASCII, DEL escaped too."""
    if isinstance(value, float):
        return _number(value, decimals) if math.isfinite(value) else "null"
    return json.dumps(value, allow_nan=False).replace("\x7f", "\\u007f")


def _csv_cell(value: Any, decimals: int | None) -> str:
    match value:
        case None:
            return ""
        case str():
            return _no_formula(clean(value))
        case bool():
            return "true" if value else "false"
        case int() | float():
            return _number(value, decimals) if math.isfinite(value) else ""
    return _json(value, None)


def _no_formula(text: str) -> str:
    """`text`, with one apostrophe more where a spreadsheet would evaluate it."""
    return f"'{text}" if _FORMULA.match(text) else text


def _markdown_cell(value: Any, decimals: int | None) -> str:
    match value:
        case None:
            return ""
        case str():
            return _markdown_text(value)
        case list() | tuple():
            return ", ".join(_markdown_cell(item, None) for item in value)
        case bool():
            return "true" if value else "false"
        case int() | float():
            return _number(value, decimals) if math.isfinite(value) else ""
    return _markdown_text(_json(value, None))


def _markdown_text(text: str) -> str:
    """`text` as literal text of one table cell: no column, code, tag, link or line of its own."""
    return _MARKDOWN.sub(r"\\\1", clean(text)).replace("\n", "<br>")


def _markdown_line(cells: Iterable[str]) -> str:
    return f"| {' | '.join(cells)} |\n"
