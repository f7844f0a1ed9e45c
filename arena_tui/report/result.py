"""What a run amounts to: the fields of `--json` as attributes, and one row of the standings.

Plain frozen dataclasses without heavy imports, for the Python API as for every printer. What is not
known yet is None, never invented. Keys are only ever added, never renamed.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields
from typing import Any

from arena_tui.vocabulary import CandidateState


@dataclass(frozen=True, slots=True)
class StandingRow:
    """One candidate's line in the standings, twins and rejected ones included.

    `fitted` is the Bradley-Terry rating, 1500 on average, which `rating` is too in every format but elo's;
    `low` to `high` are its 95 % interval, `rank_low` to `rank_high` the ranks that cannot be told apart from
    this one, `p_best` the chance to be the best of the class. All of these are None before the candidate has
    been compared. `score` is what the format goes by beside ratings (points, w/c, rounds won), None where
    there is no such thing. `class_` is the key `class`.
    """

    rank: int
    id: str
    rating: float
    rank_low: int | None = None
    rank_high: int | None = None
    group: str = "main"
    class_: str | None = None
    title: str = ""
    system: str | None = None
    state: CandidateState = "in_tournament"
    low: float | None = None
    high: float | None = None
    p_best: float | None = None
    wins: int = 0
    losses: int = 0
    draws: int = 0
    matches: int = 0
    twin_of: str | None = None
    parent_ids: Sequence[str] = ()
    generation: int = 0
    flags: Sequence[str] = ()
    fitted: float | None = None
    score: float | None = None

    def to_dict(self) -> dict[str, Any]:
        """The row with its keys in the documented order."""
        row = {key: getattr(self, "class_" if key == "class" else key) for key in STANDING_COLUMNS}
        return row | {"parent_ids": list(self.parent_ids), "flags": list(self.flags)}


STANDING_COLUMNS = (
    *("rank", "rank_low", "rank_high", "group", "class", "id", "title", "system", "state", "rating"),
    *("low", "high", "p_best", "wins", "losses", "draws", "matches"),
    *("twin_of", "parent_ids", "generation", "flags", "fitted", "score"),
)
"""The keys of a standings row in the order in which JSON and exports give them."""

_ORDERS: Mapping[str, tuple[str, ...]] = {
    "matches": ("a", "b", "draw", "void", "held"),
    "calls": ("sent", "failed", "from_cache"),
    "usage": ("input_tokens", "cached_input_tokens", "output_tokens", "usd"),
    "groups": ("total", "finished", "stop_reasons", "skipped"),
    "judge": ("first_slot_rate", "order_consistency", "invalid_rate", "slot_effect"),
}
"""The documented order of keys in the parts of a result."""


@dataclass(frozen=True, slots=True)
class Result:
    """A run's result, field by field the JSON object of `--json`.

    `stop_reason` is None while the run can still go on by itself. `usage["usd"]` is None when a price
    is unknown. `details` is the format's own. `overview` is what a model wrote at the end, if it was asked
    to.
    """

    run: str
    name: str
    format: str
    compare: str
    seed: int
    stop_reason: str | None
    stop_detail: str
    db: str
    matches: Mapping[str, int]
    comparisons: int
    calls: Mapping[str, int]
    usage: Mapping[str, Any]
    groups: Mapping[str, Any]
    standings: Sequence[StandingRow]
    judge: Mapping[str, Any]
    details: Mapping[str, Any]
    overview: Mapping[str, Any] | None = None

    def to_dict(self) -> dict[str, Any]:
        """The JSON object, keys in the documented order at every level; fresh containers throughout."""
        result = {field.name: getattr(self, field.name) for field in fields(self)}
        for part, order in _ORDERS.items():
            result[part] = _in_order(result[part], order)
        result["standings"] = [row.to_dict() for row in self.standings]
        result["details"] = dict(self.details)
        result["overview"] = None if self.overview is None else dict(self.overview)
        return result


@dataclass(frozen=True, slots=True)
class RunRow:
    """One run in the list of all runs. `created_at` is ISO 8601; `matches` counts applied ones."""

    run: str
    name: str
    format: str
    status: str
    stop_reason: str | None
    matches: int
    created_at: str
    db: str

    def to_dict(self) -> dict[str, Any]:
        """The row with its keys in the documented order."""
        return {field.name: getattr(self, field.name) for field in fields(self)}


def _in_order(part: Mapping[str, Any], order: tuple[str, ...]) -> dict[str, Any]:
    """`part` with the documented keys first, in their order, then any that were added."""
    known = {key: part[key] for key in order if key in part}
    return known | {key: value for key, value in part.items() if key not in known}
