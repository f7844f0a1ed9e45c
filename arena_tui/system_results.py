"""What a comparison of systems amounts to: one pooled fit, each category, who beats whom, and a baseline.

The comparisons of all groups count together; two texts of one system that met tell nothing and are left
out. Intervals allow for what a prompt does to all of its comparisons: each group is one cluster.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, Any

from arena_tui.facts import Standing
from arena_tui.formats.fit_log import completed
from arena_tui.ratings.proportions import wilson_interval
from arena_tui.ratings.rows import Masses, Rows

if TYPE_CHECKING:
    from arena_tui.engine.course import Course
    from arena_tui.ratings.estimates import Estimates

SEED = 0  # of the draws behind P(best)
DECIMALS = 4

Met = tuple[str, int, int, int, Masses]
"""One comparison: its group, the number of its match there, first and second system, masses."""


@dataclass(slots=True)
class Record:
    """One system's matches (against all, or against one other)."""

    wins: int = 0
    losses: int = 0
    draws: int = 0

    @property
    def matches(self) -> int:
        """All of them."""
        return self.wins + self.losses + self.draws

    @property
    def win_rate(self) -> float | None:
        """Wins and half the draws among all; None without any."""
        return (self.wins + self.draws / 2) / self.matches if self.matches else None


@dataclass
class Pooled:
    """All comparisons between different systems. `names` are in the order of the pool."""

    names: list[str]
    met: list[Met] = field(default_factory=list)

    def rows(self, groups: Iterable[str] | None = None) -> Rows:
        """All comparisons, or those of some groups; each group is a cluster."""
        wanted = None if groups is None else set(groups)
        rows = Rows()
        clusters: dict[str, int] = {}
        for number, comparisons in enumerate(self._by_match()):
            group = comparisons[0][0]
            if wanted is None or group in wanted:
                said = [(first, second, masses) for _, _, first, second, masses in comparisons]
                rows.add(number, said, cluster=clusters.setdefault(group, len(clusters)))
        return rows

    @cached_property
    def whole(self) -> Estimates:
        """One fit of all comparisons; ask for it once they are all there."""
        return self.fit()

    def fit(self, groups: Iterable[str] | None = None) -> Estimates:
        """One fit of all comparisons, or of those of some groups."""
        from arena_tui.ratings.estimates import estimate

        everyone = [None] * len(self.names)
        plays = [True] * len(self.names)
        rows = self.rows(groups)
        return estimate(rows, len(self.names), classes=everyone, playing=plays, cluster=True, seed=SEED)

    def records(self) -> dict[tuple[int, int], Record]:
        """By pair of systems, in both orders, what their matches came to."""
        found: dict[tuple[int, int], Record] = defaultdict(Record)
        for comparisons in self._by_match():
            _, _, a, b, _ = comparisons[0]
            points = sum(_points(a, first, masses) for _, _, first, _, masses in comparisons)
            half = sum(sum(masses) for *_, masses in comparisons) / 2
            ours, theirs = found[a, b], found[b, a]
            if abs(points - half) < 1e-9:
                ours.draws += 1
                theirs.draws += 1
            elif points > half:
                ours.wins += 1
                theirs.losses += 1
            else:
                ours.losses += 1
                theirs.wins += 1
        return found

    def _by_match(self) -> Iterator[list[Met]]:
        matches: dict[tuple[str, int], list[Met]] = {}
        for met in self.met:
            matches.setdefault((met[0], met[1]), []).append(met)
        return iter(matches.values())


def pooled(course: Course) -> Pooled:
    """The comparisons of a run that compares systems, whether they were dealt or played group by group."""
    number: dict[str, int] = {}
    found = Pooled([])
    for group in course.groups.values():
        for candidate in group.format.entrants:
            if candidate.system is not None and candidate.system not in number:
                number[candidate.system] = len(number)
    found.names = list(number)
    for id_, group in course.groups.items():
        log = group.format.fit_log
        systems = [None if c.system is None else number[c.system] for c in group.format.entrants]
        where = log.clusters()
        for match, first, second, masses, cluster in log.rows:
            one, other = systems[first], systems[second]
            if one is not None and other is not None and one != other:
                found.met.append((where[cluster] or id_, match, one, other, masses))
    return found


def standings(found: Pooled) -> list[Standing]:
    """The systems by the pooled fit, best first; ties keep the order of the pool."""
    fit = found.whole
    totals = [Record() for _ in found.names]
    for (a, _), record in found.records().items():
        totals[a].wins += record.wins
        totals[a].losses += record.losses
        totals[a].draws += record.draws
    order = sorted(range(len(found.names)), key=lambda system: (-fit.entrants[system].rating, system))
    return [_standing(rank, found.names[s], totals[s], fit, s) for rank, s in enumerate(order, 1)]


def details(found: Pooled, categories: Mapping[str, str | None], baseline: str | None) -> dict[str, Any]:
    """`by_category` (where the groups have any), `matrix` and, with a baseline, `baseline`.

    `categories`: the category of each group.
    """
    records = found.records()
    told: dict[str, Any] = {}
    by_category: dict[str, list[str]] = defaultdict(list)
    for group, category in categories.items():
        if category is not None:
            by_category[category].append(group)
    if by_category:
        told["by_category"] = {name: _category(found, groups) for name, groups in by_category.items()}
    told["matrix"] = {
        name: {
            other: _rounded(records[a, b].win_rate) if (a, b) in records else None
            for b, other in enumerate(found.names)
            if a != b
        }
        for a, name in enumerate(found.names)
    }
    if baseline is not None and baseline in found.names:
        base = found.names.index(baseline)
        told["baseline"] = {
            "system": baseline,
            "win_rates": {
                name: _against(records[a, base]) for a, name in enumerate(found.names) if (a, base) in records
            },
        }
    return told


def _category(found: Pooled, groups: Sequence[str]) -> list[dict[str, Any]]:
    fit = found.fit(groups)
    order = sorted(range(len(found.names)), key=lambda system: (-fit.entrants[system].rating, system))
    return [
        {
            "rank": rank,
            "system": found.names[system],
            "rating": _rounded(fit.entrants[system].rating),
            "low": _rounded(fit.entrants[system].low),
            "high": _rounded(fit.entrants[system].high),
        }
        for rank, system in enumerate(order, 1)
    ]


def _against(record: Record) -> dict[str, Any]:
    rate = record.win_rate
    low, high = (None, None) if rate is None else wilson_interval(rate, record.matches)
    return {
        "win_rate": _rounded(rate),
        "low": _rounded(low),
        "high": _rounded(high),
        "matches": record.matches,
    }


def _standing(rank: int, name: str, record: Record, fit: Estimates, system: int) -> Standing:
    plain = Standing(
        id=name,
        rank=rank,
        rating=fit.entrants[system].rating,
        wins=record.wins,
        losses=record.losses,
        draws=record.draws,
        matches=record.matches,
    )
    return completed(plain, system, fit) if record.matches else plain


def _points(a: int, first: int, masses: Masses) -> float:
    won, lost, tied = masses
    return (won if first == a else lost) + tied / 2


def _rounded(value: float | None) -> float | None:
    return None if value is None else round(value, DECIMALS)
