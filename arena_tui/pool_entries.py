"""From what a tournament file says of its pool (a path, a list, {files, columns}) to checked entries.

Serves candidates and groups alike; `pool` decides what the entries amount to.
"""

from __future__ import annotations

import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from arena_tui.pool_fields import Columns, check_columns, parse_columns, read_fields
from arena_tui.pool_formats import SUFFIXES, Findings, Row, files_of, item_rows, rows_of_file
from arena_tui.values import nearest, shown

Place = tuple[str, int | None]  # the file that a spec stands in, and the line


def read_entries(
    spec: Any,
    folder: Path,
    kinds: Mapping[str, Any],
    required: str,
    place: Place,
    key: str,
    found: Findings,
) -> list[tuple[Row, dict[str, Any]]]:
    """The entries that `spec` gives with their checked values; those with a problem are left out.

    `kinds` are the fields an entry may have and `required` the one it must have; `key` is what the
    tournament file calls the spec, `place` where it stands.
    """
    columns = Columns()
    if isinstance(spec, Mapping):
        unknown = [name for name in spec if name not in ("files", "columns")]
        for name in unknown:
            near = nearest(str(name), ("files", "columns"))
            hint = f"did you mean {near}?" if near else "known here: files, columns"
            found.fault(*place, f"{key}: unknown key {shown(name)}", hint)
        if "files" not in spec:
            found.fault(*place, f"{key}.files: missing, expected a path, a glob, or a list of them")
            return []
        try:
            columns = parse_columns(spec.get("columns"), kinds)
        except ValueError as error:
            found.fault(*place, f"{key}.columns: {error}")
            return []
        paths = spec["files"] if isinstance(spec["files"], (list, tuple)) else [spec["files"]]
        batches = _file_batches(paths, folder, columns, required, place, f"{key}.files", found)
    elif isinstance(spec, (str, Path)):
        batches = _file_batches([spec], folder, columns, required, place, key, found)
    elif isinstance(spec, (list, tuple)):
        rows = list(item_rows(spec, place[0], key, found))
        _check_no_paths(rows, folder, found)
        batches = [[row for row in rows if _knows_fields(row, kinds, found)]]
    else:
        message = f"{key}: expected a file, a folder, a list or {{files: ...}}, got {shown(spec)}"
        found.fault(*place, message)
        return []
    entries = []
    for rows in batches:
        for row in rows:
            values = read_fields(row, columns, kinds, found)
            if values is not None and required in values:
                entries.append((row, values))
            elif values is not None:
                needed = columns.direct.get(required, required)
                near = nearest(needed, [str(name) for name in row.fields if name not in kinds])
                hint = f"is it {shown(near, 30)}? Then write {needed}" if near else ""
                found.fault_in(row, f"has no {needed}", hint)
    return entries


def _knows_fields(row: Row, kinds: Mapping[str, Any], found: Findings) -> bool:
    """Refuse what an entry in the tournament file itself calls by a name that means nothing here.

    Files may have columns of other tools, which become `meta`; here somebody has mistyped a field.
    """
    unknown = [str(key) for key in row.fields if key not in kinds]
    for key in unknown:
        near = nearest(key, kinds)
        hint = f"did you mean {near}?" if near else f"known: {', '.join(kinds)}; anything else goes into meta"
        found.fault_in(row, f"unknown field {shown(key, 30)}", hint)
    return not unknown


def _file_batches(
    paths: list[Any] | tuple[Any, ...],
    folder: Path,
    columns: Columns,
    required: str,
    place: Place,
    key: str,
    found: Findings,
) -> list[list[Row]]:
    """The rows of every file named, one batch a file; a file without the columns asked for gives none."""
    batches = []
    wanted = frozenset(columns.wanted) | {required}
    for path in paths:
        if not isinstance(path, (str, Path)) or not str(path).strip():
            found.fault(*place, f"{key}: expected a path, got {shown(path)}")
            continue
        for file in files_of(str(path), folder, place, found):
            rows = rows_of_file(file, wanted, found)
            single = bool(rows) and rows[0].stem is not None  # a text has no columns
            if single or check_columns(rows, columns, place, required, found):
                batches.append(rows)
    return batches


def _check_no_paths(rows: list[Row], folder: Path, found: Findings) -> None:
    """A list of texts that are file names was meant as files: nobody ranks file names."""
    for row in rows:
        text = row.fields.get("text")
        if isinstance(text, str) and len(row.fields) == 1 and len(text) < 200 and "\n" not in text:
            path = Path(text.strip())
            if path.suffix.lower() in SUFFIXES and os.path.isfile(folder / path):
                hint = "files are given as candidates: {files: [...]}"
                found.fault_in(row, f"the text {shown(text)} is the name of a file", hint)
