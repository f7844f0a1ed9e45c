"""Anyone's log of votes, read strictly: who met whom, who won, and what is known beside that.

Rows of JSON Lines or of a table are `{"a", "b", "winner"}`, and `weight`, `first`, `group`, `judge`, `match`
and `p_a` if there are any; what a run exports as comparisons is such a log. Faults are named with their line.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from arena_tui.errors import FileProblems, Problem, UsageError
from arena_tui.pool_formats import Findings, Row, rows_of_file
from arena_tui.ratings.rows import Masses
from arena_tui.text_files import label_of
from arena_tui.values import did_you_mean, finite_number, name, shown

if TYPE_CHECKING:
    from arena_tui.ratings.rows import Columns

HEAVIEST, LIGHTEST = 1e6, 1e-6  # weights beyond which a fit is a matter of rounding
FIELDS = ("a", "b", "winner", "weight", "first", "group", "judge", "match", "p_a", "overruled")
PROBLEMS_SHOWN = 20
_DRAWN = frozenset({"draw", "tie", "tied", "equal", "tie (bothbad)"})
_UNUSABLE = frozenset({"invalid", "void"})
_SUFFIXES = frozenset({".jsonl", ".ndjson", ".json", ".csv", ".tsv"})


@dataclass(frozen=True, slots=True)
class Vote:
    """One usable row. `a` and `b` are places in the log's `ids`; `masses` are what it weighs for a, for b,
    and as a tie. `b_first`: b was shown first; None where nobody says. `group`, `judge` and `match` are
    numbers in the order of first mention, 0 (each row its own match) where nothing is given."""

    a: int
    b: int
    masses: Masses
    b_first: bool | None
    group: int
    judge: int
    match: int


@dataclass(frozen=True, slots=True)
class VoteLog:
    """The usable rows in their order; `ids` in the order of first mention, those of unusable rows too.

    `groups` and `judges` are empty where the log has no such column. `skipped` counts the rows that are
    void, invalid or without weight.
    """

    label: str
    ids: tuple[str, ...]
    votes: tuple[Vote, ...]
    groups: tuple[str, ...]
    judges: tuple[str, ...]
    skipped: int

    @property
    def unordered(self) -> int:
        """Votes of which nobody says who was shown first."""
        return sum(vote.b_first is None for vote in self.votes)

    def columns(self) -> Columns:
        """The votes as a fit takes them: each from its first, groups being the clusters."""
        import numpy as np

        from arena_tui.ratings.rows import Columns

        turned = [vote.b_first or False for vote in self.votes]
        seen = [
            (v.b, v.a, v.masses[1], v.masses[0], v.masses[2]) if turn else (v.a, v.b, *v.masses)
            for v, turn in zip(self.votes, turned, strict=True)
        ]
        table = np.array(seen, dtype=np.float64).reshape(-1, 5)
        more = np.array([(v.match, v.group, v.judge) for v in self.votes], dtype=np.int32).reshape(-1, 3)
        return Columns(
            first=table[:, 0].astype(np.int32),
            second=table[:, 1].astype(np.int32),
            won=table[:, 2],
            lost=table[:, 3],
            tied=table[:, 4],
            match=more[:, 0],
            cluster=more[:, 1],
            judge=more[:, 2],
        )

    def of_group(self, group: int) -> VoteLog:
        """The votes of one group, and those who met there."""
        votes = [vote for vote in self.votes if vote.group == group]
        places: dict[int, int] = {}
        for vote in votes:
            places.setdefault(vote.a, len(places))
            places.setdefault(vote.b, len(places))
        moved = tuple(Vote(places[v.a], places[v.b], v.masses, v.b_first, 0, v.judge, v.match) for v in votes)
        return VoteLog(self.label, tuple(self.ids[at] for at in places), moved, (), self.judges, 0)


def column_names(written: str | None) -> dict[str, str]:
    """`--columns a=model_a,b=model_b` as a mapping from our names to the log's."""
    names: dict[str, str] = {}
    for part in (written or "").split(","):
        ours, equals, theirs = (word.strip() for word in part.partition("="))
        if not part.strip():
            continue
        if not equals or not theirs or ours not in FIELDS:
            hint = did_you_mean(ours, FIELDS) or f"known: {', '.join(FIELDS)}"
            raise UsageError(f"--columns {part.strip()}: write OURS=THEIRS, as in a=model_a ({hint})")
        if ours in names:
            raise UsageError(f"--columns names {ours} twice")
        names[ours] = theirs
    return names


def read_votes(path: Path, names: Mapping[str, str] | None = None) -> VoteLog:
    """The log in a .jsonl, .json, .csv or .tsv file; `names` maps our column names to the file's.

    FileProblems with the bad rows (the first 20 and how many more). A file without rows is an empty log.
    """
    columns = {field: field for field in FIELDS} | dict(names or {})
    label = label_of(path)
    if path.suffix.lower() not in _SUFFIXES and path.exists():
        kinds = ", ".join(sorted(_SUFFIXES))
        raise FileProblems(
            [Problem(label, None, f"is of an unknown kind {path.suffix!r}", f"known: {kinds}")]
        )
    found = Findings()
    rows = rows_of_file(path, frozenset(columns.values()), found)
    if not found.problems:
        _check_columns(rows, columns, set(names or ()), label, found)
    reading = _Reading(columns)
    if not found.problems:
        for row in rows:
            try:
                reading.take(row.fields)
            except ValueError as error:
                message = f"{row.item}: {error}" if row.item else str(error)
                found.problems.append(Problem(row.path, row.line, message))
    if found.problems:
        shown_problems = found.problems[:PROBLEMS_SHOWN]
        if len(found.problems) > PROBLEMS_SHOWN:
            more = len(found.problems) - PROBLEMS_SHOWN
            shown_problems.append(Problem(label, None, f"and {more:,} more such rows"))
        raise FileProblems(shown_problems)
    return reading.log(label)


def _check_columns(
    rows: Sequence[Row], columns: Mapping[str, str], asked: set[str], label: str, found: Findings
) -> None:
    """A problem for each column that is needed, or was named, and that no row has."""
    if not rows:
        return
    there = {key for row in rows for key in row.fields}
    needed = {"a", "b", *asked}
    if columns["p_a"] not in there:
        needed.add("winner")
    for field in FIELDS:
        if field in needed and columns[field] not in there:
            near = did_you_mean(columns[field], there)
            hint = (
                f"name it with --columns {field}=NAME; there are {', '.join(map(shown, sorted(there)[:12]))}"
            )
            found.fault(label, None, f"has no column {shown(columns[field])}", f"{near} {hint}".strip())


class _Reading:
    """What has been read so far; a row with a fault leaves nothing behind."""

    def __init__(self, columns: Mapping[str, str]) -> None:
        self._columns = columns
        self._ids: dict[str, int] = {}
        self._groups: dict[str, int] = {}
        self._judges: dict[str, int] = {}
        self._matches: dict[object, int] = {}
        self._votes: list[Vote] = []
        self._skipped = 0

    def take(self, fields: Mapping[str, Any]) -> None:
        """One row; ValueError says what is wrong with it and what was expected."""
        row = {field: fields.get(column) for field, column in self._columns.items()}
        a, b = self._named(row, "a"), self._named(row, "b")
        if a == b:
            raise ValueError(f"{shown(a)} meets itself; a and b must be two")
        weight = 1.0 if row["weight"] is None else self._number(row, "weight", high=HEAVIEST)
        if 0.0 < weight < LIGHTEST:
            raise ValueError(f"{self._called('weight')} must be 0 or at least {LIGHTEST:g}, got {weight:g}")
        masses = self._masses(row, a, b)
        first = None if row["first"] is None else self._side(row, "first", a, b)
        group, judge = (None if row[key] is None else self._named(row, key) for key in ("group", "judge"))
        match: object = len(self._votes) + self._skipped
        if row["match"] is not None:
            match = group, self._named(row, "match")
        at_a, at_b = (self._ids.setdefault(id_, len(self._ids)) for id_ in (a, b))
        if masses is None or weight == 0.0:
            self._skipped += 1
            return
        self._votes.append(
            Vote(
                at_a,
                at_b,
                (masses[0] * weight, masses[1] * weight, masses[2] * weight),
                None if first is None else first == "b",
                0 if group is None else self._groups.setdefault(group, len(self._groups)),
                0 if judge is None else self._judges.setdefault(judge, len(self._judges)),
                self._matches.setdefault(match, len(self._matches)),
            )
        )

    def log(self, label: str) -> VoteLog:
        """All of it."""
        ids, groups, judges = (tuple(table) for table in (self._ids, self._groups, self._judges))
        return VoteLog(label, ids, tuple(self._votes), groups, judges, self._skipped)

    def _masses(self, row: Mapping[str, Any], a: str, b: str) -> Masses | None:
        """What the row says, before its weight; None for one that cannot be used."""
        said = None
        if row["overruled"] is not None:
            said = self._side(row, "overruled", a, b)
        elif row["winner"] is not None:
            said = self._side(row, "winner", a, b)
        if said is None and row["p_a"] is None:
            raise ValueError(f"{self._called('winner')} must be a, b, draw, tie or one of the two ids")
        if said == "unusable":
            return None
        if row["p_a"] is not None and row["overruled"] is None:
            p_a = self._number(row, "p_a", high=1.0)
            return p_a, 1.0 - p_a, 0.0
        return {"a": (1.0, 0.0, 0.0), "b": (0.0, 1.0, 0.0)}.get(said or "", (0.0, 0.0, 1.0))

    def _side(self, row: Mapping[str, Any], key: str, a: str, b: str) -> str:
        """`a`, `b`, `draw` or `unusable`, written so, as an id, or as the name of the column of a or b."""
        written = self._named(row, key)
        word = written.casefold()
        meant = {
            "a": written == a or word in ("a", self._columns["a"].casefold()),
            "b": written == b or word in ("b", self._columns["b"].casefold()),
            "draw": key != "first" and word in _DRAWN,
            "unusable": key != "first" and word in _UNUSABLE,
        }
        meanings = [meaning for meaning, fits in meant.items() if fits]
        if len(meanings) == 1:
            return meanings[0]
        draw = "" if key == "first" else " draw, tie"
        wanted = f"a, b,{draw} or one of the two ids, {shown(a)} and {shown(b)}"
        if meanings:
            raise ValueError(f"{self._called(key)} {shown(written)} may mean {' or '.join(meanings)}")
        raise ValueError(f"{self._called(key)} must be {wanted}, not {shown(written)}")

    def _named(self, row: Mapping[str, Any], key: str) -> str:
        try:
            return name(row[key])
        except ValueError as error:
            raise ValueError(f"{self._called(key)}: {error}") from None

    def _number(self, row: Mapping[str, Any], key: str, high: float | None = None) -> float:
        try:
            return finite_number(row[key], low=0.0, high=high)
        except ValueError as error:
            raise ValueError(f"{self._called(key)}: {error}") from None

    def _called(self, key: str) -> str:
        return f'"{self._columns[key]}"'
