"""Exports: a run's standings, matches, comparisons and pairings as tables, and its tournament file.

`arena export` and the console call `export`.
"""

from __future__ import annotations

import sys
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any, TextIO

from arena_tui.candidate import Candidate
from arena_tui.engine.course import Course
from arena_tui.engine.opening import PYTHON_JUDGE
from arena_tui.engine.replay import replay
from arena_tui.errors import UsageError
from arena_tui.report.export import DECIMALS, FITTED_DECIMALS, ExportFormat, suffix_format, write_rows
from arena_tui.report.result import STANDING_COLUMNS
from arena_tui.safetext import one_line
from arena_tui.store.reader import Reader
from arena_tui.summary import summarize
from arena_tui.yaml_text import write_yaml

MATCH_COLUMNS = (
    *("seq", "applied_no", "group", "round", "hyp_a", "hyp_b", "mode", "winner"),
    *("elo_a_before", "elo_a_after", "elo_b_before", "elo_b_after"),
    *("p_a", "similarity", "rationale", "flags", "order_consistent", "overruled_by", "at", "why"),
)
COMPARISON_COLUMNS = (
    *("a", "b", "winner", "p_a", "group", "seq", "mode", "reason", "flags"),
    *("first", "weight", "match", "overruled", "system_a", "system_b"),
)
PAIRING_COLUMNS = ("group", "round", "seq", "a", "b", "why")
Table = tuple[Iterable[Mapping[str, Any]], tuple[str, ...], Mapping[str, int]]  # rows, columns, decimals
INLINE_BYTES = 900_000  # a tournament file may have 1 MB; larger pools go into a file beside it


def export(path: Path, what: str, to: Path | None, times: bool) -> None:
    """Write one view of the run at `path` to `to` (format by suffix), or to stdout as CSV (config: YAML)."""
    with Reader(path) as reader:
        if what == "config":
            with reader.frozen():
                _write_config(reader, to)
            return
        fmt: ExportFormat = "csv" if to is None else suffix_format(to)
        rows, columns, decimals = _rows(reader, path, what, times)
        if to is None:
            write_rows(rows, columns, fmt, sys.stdout, decimals=decimals)
            return
        with _opened(to) as stream:
            write_rows(rows, columns, fmt, stream, decimals=decimals)


def _rows(reader: Reader, path: Path, what: str, times: bool) -> Table:
    match what:
        case "matches":
            columns = (*MATCH_COLUMNS, "applied_at") if times else MATCH_COLUMNS
            return reader.matches(times), columns, DECIMALS
        case "comparisons":
            return reader.comparisons(), COMPARISON_COLUMNS, DECIMALS
        case "pairings":
            with reader.frozen():
                return _pairings(replay(reader))
    with reader.frozen():
        result = summarize(replay(reader), reader, path)
    rows = (row.to_dict() for row in result.standings)
    return rows, STANDING_COLUMNS, DECIMALS if result.format == "elo" else FITTED_DECIMALS


def _pairings(course: Course) -> Table:
    """Why these two met, pairing by pairing; a format adds columns of its own."""
    rows = [row for group in course.groups.values() for row in group.format.pairings()]
    if not rows and any(group.order.planned for group in course.groups.values()):
        kind = course.tournament.format.kind
        raise UsageError(
            f"the format {kind} keeps no pairings; --what matches says in its column `why` what brought "
            "two candidates together"
        )
    more = dict.fromkeys(key for row in rows for key in row if key not in PAIRING_COLUMNS)
    return rows, (*PAIRING_COLUMNS, *more), DECIMALS


def _opened(to: Path) -> TextIO:
    try:
        return to.open("w", encoding="utf-8", newline="")
    except OSError as error:
        raise UsageError(f"{to}: {error.strerror}; name a file that can be written") from None


def _write_config(reader: Reader, to: Path | None) -> None:
    """The tournament file of a run, which runs again as it is: settings in force, seed, groups, and all
    candidates, those that were added later too."""
    if to is not None and to.suffix.lower() not in (".yaml", ".yml"):
        raise UsageError(f"{to}: a tournament file is YAML; use .yaml")
    groups = reader.groups()
    course = replay(reader)
    lookahead = next(iter(course.groups.values())).order.lookahead
    limits = course.tournament.limits.model_copy(update={"lookahead": lookahead})
    tournament = course.tournament.model_copy(update={"limits": limits, "seed": course.seed})
    config: dict[str, Any] = tournament.model_dump(mode="json", exclude_none=True)
    config["groups"] = [
        {
            "id": group.id,
            **_given({"prompt": group.prompt, "category": group.category}),
            **({"criteria": dict(group.criteria)} if group.criteria else {}),
            **({"meta": dict(group.meta)} if group.meta else {}),
        }
        for group in groups
    ]
    candidates = [_fields(c) for group in groups for c in course.roster.members(group.id)]
    config["candidates"] = candidates
    remark = _remark(reader.meta().get(PYTHON_JUDGE))
    text = remark + write_yaml(config)
    if len(text.encode()) > INLINE_BYTES:
        if to is None:
            raise UsageError("the pool is too large to stand inside the tournament file: give --to FILE.yaml")
        beside = to.with_suffix(".candidates.jsonl")
        columns = sorted({key: None for row in candidates for key in row})
        with _opened(beside) as stream:
            write_rows(candidates, columns, "jsonl", stream, decimals={})
        config["candidates"] = beside.name
        text = remark + write_yaml(config)
    if to is None:
        sys.stdout.write(text)
        return
    with _opened(to) as stream:
        stream.write(text)


def _remark(python_judge: str | None) -> str:
    """A comment where the file's judge is not the one that judged."""
    if python_judge is None:
        return ""
    return (
        f"# The verdicts of this run came from a Python judge ({one_line(python_judge, 60)}), which no file\n"
        "# can name. The judge below stood in the tournament and was not asked.\n"
    )


def _fields(candidate: Candidate) -> dict[str, Any]:
    """A candidate as a pool gives it, without what is empty."""
    c = candidate
    fields = {
        "id": c.id,
        "group": c.group,
        "title": c.title,
        "text": c.text,
        "system": c.system,
        "class": c.class_,
        "parent_ids": list(c.parent_ids) or None,
        "generation": c.generation or None,
        "rating": c.rating,
        "strength": c.strength,
        "embedding": None if c.embedding is None else list(c.embedding),
        "review": c.review,
        "meta": dict(c.meta) or None,
    }
    return _given(fields)


def _given(fields: Mapping[str, Any]) -> dict[str, Any]:
    return {key: value for key, value in fields.items() if value is not None}
