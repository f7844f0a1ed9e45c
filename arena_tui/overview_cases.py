"""What the writer of an overview is shown: the best texts of a group and the reasons that decided for them.

Pure: standings and stored matches in, cases out. `overview` puts them into a prompt.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from arena_tui.report.result import StandingRow
from arena_tui.vocabulary import PLAYING

MATCHES_EACH = 8
"""Matches shown for each of the best: those among them first, then those against the highest in rank."""
REASON_CHARS = 1_200
"""Characters of a rationale that are shown: its end, where the judgment stands."""
ELLIPSIS = "[...]"


@dataclass(frozen=True, slots=True)
class Exhibit:
    """A decided match: its number, who won and lost (ids), and the end of its rationale."""

    number: int
    winner: str
    loser: str
    reason: str


@dataclass(slots=True)
class Case:
    """One group: `best` are the rows of the texts to be argued for, best first; `labels` how they are
    called in the prompt (id to label); `played` the numbers of all its applied matches."""

    group: str
    best: list[StandingRow]
    labels: dict[str, str]
    exhibits: list[Exhibit] = field(default_factory=list)
    played: set[int] = field(default_factory=set)

    @property
    def given(self) -> list[int]:
        """The numbers of the matches that are shown."""
        return [exhibit.number for exhibit in self.exhibits]

    def named(self, id_: str) -> str:
        """How a text is called in the prompt."""
        return f"text {self.labels[id_]}" if id_ in self.labels else "another text"


def cases_of(
    standings: Iterable[StandingRow], matches: Iterable[Mapping[str, Any]], top_k: int
) -> list[Case]:
    """The cases of all groups in which at least one match was decided, in group order.

    `matches` are rows of `export --what matches`; void, drawn and overruled ones decide nothing here.
    """
    rows: dict[str, list[StandingRow]] = {}
    for row in standings:
        if row.twin_of is None:
            rows.setdefault(row.group, []).append(row)
    cases = {group: _case(group, members, top_k) for group, members in rows.items()}
    ranks = {group: {row.id: row.rank for row in members} for group, members in rows.items()}
    found: dict[str, list[Exhibit]] = {group: [] for group in rows}
    for match in matches:
        group, a, b = match["group"], match["hyp_a"], match["hyp_b"]
        if group not in cases:
            continue
        case = cases[group]
        case.played.add(match["seq"])
        decided = match["winner"] in ("a", "b") and match["overruled_by"] is None
        if not decided or not (a in case.labels or b in case.labels) or not match["rationale"].strip():
            continue
        winner, loser = (a, b) if match["winner"] == "a" else (b, a)
        found[group].append(Exhibit(match["seq"], winner, loser, _end(match["rationale"])))
    for group, case in cases.items():
        case.exhibits = _chosen(case, found[group], ranks[group])
    return [case for case in cases.values() if case.best and case.exhibits]


def _case(group: str, members: Sequence[StandingRow], top_k: int) -> Case:
    best = [row for row in members if row.state in PLAYING and row.matches][:top_k]
    return Case(group, best, {row.id: str(place) for place, row in enumerate(best, 1)})


def _chosen(case: Case, found: Sequence[Exhibit], ranks: Mapping[str, int]) -> list[Exhibit]:
    """For each of the best its most telling matches, in the order of their numbers, none twice."""
    chosen: dict[int, Exhibit] = {}
    for row in case.best:
        own = [exhibit for exhibit in found if row.id in (exhibit.winner, exhibit.loser)]
        own.sort(key=lambda exhibit: _weight(exhibit, row.id, case, ranks))
        chosen |= {exhibit.number: exhibit for exhibit in own[:MATCHES_EACH]}
    return [chosen[number] for number in sorted(chosen)]


def _weight(exhibit: Exhibit, id_: str, case: Case, ranks: Mapping[str, int]) -> tuple[bool, int, int]:
    other = exhibit.loser if exhibit.winner == id_ else exhibit.winner
    return other not in case.labels, ranks.get(other, len(ranks) + 1), exhibit.number


def _end(rationale: str) -> str:
    text = rationale.strip()
    return text if len(text) <= REASON_CHARS else f"{ELLIPSIS} {text[-REASON_CHARS:]}"
