"""What a run amounts to: its `Result`, built from its replayed course and what its database counts.

The same function serves the end of a run and `arena show`, so both always say the same.
"""

from __future__ import annotations

from collections.abc import Iterator
from copy import deepcopy
from itertools import pairwise
from pathlib import Path
from typing import Any

from arena_tui.candidate import Candidate
from arena_tui.engine.course import Course
from arena_tui.engine.group import GroupRun
from arena_tui.engine.lane import Pending
from arena_tui.engine.replay import load_pending
from arena_tui.facts import Outcome, Standing
from arena_tui.report.result import Result, StandingRow
from arena_tui.store.reader import Reader

CLOSEST = 3  # races told in the overview
HARDLY_PLAYED = 3  # fewer valid matches than this are hardly any


def summarize(course: Course, reader: Reader, db: Path) -> Result:
    """The result of the run at `db` as it stands, running or ended."""
    meta, counts, spent = reader.meta(), reader.counts(), reader.spent()
    pending = load_pending(reader, course)
    held = {id_: _held(group, pending) for id_, group in course.groups.items()}
    standings = {
        id_: _standings(group, meta.get("stop_reason", ""), held[id_]) for id_, group in course.groups.items()
    }
    ends = reader.group_ends()
    said = counts.first + counts.second
    judged = said + counts.drawn + counts.invalid
    return Result(
        run=course.run,
        name=course.tournament.name,
        format=course.tournament.format.kind,
        compare=course.tournament.compare,
        seed=course.seed,
        stop_reason=meta.get("stop_reason") or None,
        stop_detail=meta.get("stop_detail", ""),
        db=str(db),
        matches={
            "a": counts.a,
            "b": counts.b,
            "draw": counts.draw,
            "void": counts.void,
            "held": sum(map(len, held.values())),
        },
        comparisons=judged,
        calls={"sent": spent.calls, "failed": spent.failed, "from_cache": 0},
        usage={
            "input_tokens": spent.input_tokens,
            "cached_input_tokens": spent.cached_input_tokens,
            "output_tokens": spent.output_tokens,
            # In whole nano-dollars, as budgets are: a sum of floats would depend on the order of replies.
            "usd": None if spent.usd is None else round(spent.usd, 9),
        },
        groups={
            "total": len(course.groups) + len(course.skipped),
            "finished": sum(ends[id_].state == "closed" for id_ in course.groups),
            "stop_reasons": {id_: ends[id_].stop_reason for id_ in course.groups if ends[id_].stop_reason},
            "skipped": [{"group": group.id, "reason": group.skipped} for group in course.skipped],
        },
        standings=[row for id_ in course.groups for row in _rows(course, id_, standings[id_])],
        judge={
            "first_slot_rate": counts.first / said if said else None,
            "order_consistency": reader.order_consistency(),
            "invalid_rate": counts.invalid / judged if judged else None,
            "slot_effect": None,
        },
        details=_details(course, standings),
    )


def _held(group: GroupRun, pending: list[Pending]) -> list[Pending]:
    """Known outcomes behind a gap, in the order in which they would be applied."""
    known = {p.step.seq: p for p in pending if p.step.group == group.id and p.combined is not None}
    return [
        known[step.seq]
        for step in group.order.waiting()
        if step.seq in known and step.seq not in group.withdrawn
    ]


def _standings(group: GroupRun, stop_reason: str, held: list[Pending]) -> list[Standing]:
    """The standings; after a BUDGET stop held verdicts count too, as an epilogue that is not stored.

    Not in a group that a rule of its own had closed: what came after the rule fired does not count.
    """
    cut = group.closing is None or group.closing.reason == "BUDGET"
    if stop_reason != "BUDGET" or not cut or not held:
        return list(group.format.standings())
    epilogue = deepcopy(group.format)
    for number, pending in enumerate(held, group.order.applied + 1):
        if pending.combined is not None:
            said = pending.combined
            epilogue.record(Outcome(pending.step, said.winner, number, said.p_a, said.reason))
    return list(epilogue.standings())


def _rows(course: Course, group: str, standings: list[Standing]) -> Iterator[StandingRow]:
    """One row a candidate: entrants by rank, each followed by its twins; then those never rated."""
    twins: dict[str, list[Candidate]] = {}
    for candidate in course.roster.members(group):
        if candidate.twin_of is not None:
            twins.setdefault(candidate.twin_of, []).append(candidate)
    shown = set()
    for standing in standings:
        shown.add(standing.id)
        for candidate in (course.candidate(group, standing.id), *twins.get(standing.id, ())):
            yield _row(course, candidate, standing)


def _row(course: Course, candidate: Candidate, standing: Standing) -> StandingRow:
    return StandingRow(
        rank=standing.rank,
        rank_low=standing.rank_low,
        rank_high=standing.rank_high,
        group=candidate.group,
        class_=candidate.class_,
        id=candidate.id,
        title=candidate.title,
        system=candidate.system,
        state=course.roster.state(candidate.group, candidate.id),
        rating=standing.rating,
        low=standing.low,
        high=standing.high,
        p_best=standing.p_best,
        wins=standing.wins,
        losses=standing.losses,
        draws=standing.draws,
        matches=standing.matches,
        twin_of=candidate.twin_of,
        parent_ids=candidate.parent_ids,
        generation=candidate.generation,
        flags=(),
    )


def _details(course: Course, standings: dict[str, list[Standing]]) -> dict[str, Any]:
    """The final overview of each group: the closest races and who has hardly played."""
    overviews = {
        id_: {
            "closest_races": _closest(course, id_, rows),
            "hardly_played": [
                row.id for row in rows if course.roster.plays(id_, row.id) and row.matches < HARDLY_PLAYED
            ],
        }
        for id_, rows in standings.items()
    }
    return next(iter(overviews.values())) if len(overviews) == 1 else overviews


def _closest(course: Course, group: str, rows: list[Standing]) -> list[dict[str, Any]]:
    """Neighbours in rank whose ratings are nearest, nearest first."""
    playing = [row for row in rows if course.roster.plays(group, row.id)]
    races = sorted(
        (
            (above.rating - below.rating, place, above.id, below.id)
            for place, (above, below) in enumerate(pairwise(playing))
        ),
    )
    return [
        {"ahead": ahead, "behind": behind, "gap": round(gap, 4)} for gap, _, ahead, behind in races[:CLOSEST]
    ]
