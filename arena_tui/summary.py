"""What a run amounts to: its `Result`, built from its replayed course and what its database counts.

The same function serves the end of a run and `arena show`, so both always say the same.
"""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from copy import deepcopy
from dataclasses import asdict
from dataclasses import fields as fields_of
from functools import partial
from itertools import pairwise
from pathlib import Path
from typing import Any

from arena_tui import system_results
from arena_tui.candidate import Candidate
from arena_tui.engine.course import Course
from arena_tui.engine.group import GroupRun
from arena_tui.engine.lane import Pending, held_in
from arena_tui.engine.opening import PYTHON_JUDGE
from arena_tui.engine.replay import load_pending
from arena_tui.facts import Outcome, Standing
from arena_tui.fit_report import fit_details, slot_of
from arena_tui.formats.base import Format
from arena_tui.formats.fit_log import DELTA
from arena_tui.judge_settings import AnyJudge, LlmJudge, PanelJudge
from arena_tui.judging.base import FREE, Usage
from arena_tui.judging.simulated import SimulatedJudge
from arena_tui.report.judge_report import judge_report
from arena_tui.report.result import Result, StandingRow
from arena_tui.store.booked import OVERVIEW
from arena_tui.store.reader import Reader
from arena_tui.vocabulary import ARENA

CLOSEST = 3  # races told in the overview
HARDLY_PLAYED = 3  # fewer valid matches than this are hardly any
REASONS = 3  # why verdicts could not be used: the most frequent ones


def summarize(course: Course, reader: Reader, db: Path) -> Result:
    """The result of the run at `db` as it stands, running or ended."""
    meta, counts, spent, judged = reader.meta(), reader.counts(), reader.spent(), reader.about_judge()
    pending = load_pending(reader, course)
    held = {id_: _held(group, pending) for id_, group in course.groups.items()}
    formats = {
        id_: _as_told(group, meta.get("stop_reason", ""), held[id_]) for id_, group in course.groups.items()
    }
    standings = {id_: list(format_.standings()) for id_, format_ in formats.items()}
    systems = system_results.pooled(course) if course.tournament.compare == "systems" else None
    ends = reader.group_ends()
    delta = course.tournament.stop.delta
    return Result(
        run=course.run,
        name=course.tournament.name,
        format=course.tournament.format.kind,
        compare=course.tournament.compare,
        seed=course.seed,
        stop_reason=meta.get("stop_reason") or None,
        stop_detail=meta.get("stop_detail", ""),
        db=str(db.absolute()),
        matches={
            "a": counts.a,
            "b": counts.b,
            "draw": counts.draw,
            "void": counts.void,
            "held": sum(map(len, held.values())),
        },
        comparisons=counts.comparisons,
        calls={
            "sent": spent.calls - judged.calls.from_cache,
            "failed": spent.failed,
            "from_cache": judged.calls.from_cache,
        },
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
        standings=(
            _all_rows(course, standings, reader.comparison_flags())
            if systems is None or course.texts is not None
            else [_system_row(row) for row in system_results.standings(systems)]
        ),
        judge={
            **judge_report(
                judged,
                orders=course.tournament.judge.orders,
                slot=slot_of(format_.estimates(delta) for format_ in formats.values()),
            ),
            **who_judged(course.tournament.judge, meta.get(PYTHON_JUDGE)),
            "invalid_reasons": [
                {"reason": reason, "comparisons": count} for reason, count in reader.invalid_reasons(REASONS)
            ],
        },
        details=_details(course, formats, standings)
        | ({} if systems is None else _of_systems(course, systems)),
        overview=_overview(meta.get(OVERVIEW)),
    )


def _of_systems(course: Course, systems: system_results.Pooled) -> dict[str, Any]:
    """What is told of systems beside the standings."""
    groups = course.texts.groups if course.texts is not None else [g.group for g in course.groups.values()]
    categories = {group.id: group.category for group in groups}
    told = system_results.details(systems, categories, course.tournament.baseline)
    if course.texts is None:  # what the fit of each group tells is about texts, not about systems
        nobody = [None] * len(systems.names)
        clustered = len({met[0] for met in systems.met}) > 1
        told |= fit_details(systems.names, nobody, systems.whole, delta=DELTA, clustered=clustered)
    return told


def _system_row(standing: Standing) -> StandingRow:
    name = standing.id
    return StandingRow(**_figures(standing), group=ARENA, id=name, title=name, system=name)


def _figures(standing: Standing) -> dict[str, Any]:
    """What a row takes over from its standing."""
    return {field.name: getattr(standing, field.name) for field in fields_of(standing) if field.name != "id"}


def _overview(stored: str | None) -> dict[str, Any] | None:
    """What a model wrote at the end, as stored, with what all overviews of the run took together."""
    if stored is None:
        return None
    told: dict[str, Any] = json.loads(stored)
    usages = [Usage(**row["usage"]) for row in told.pop("spent").values()]
    return {**told, "usage": asdict(sum(usages, FREE))}


def who_judged(judge: AnyJudge, python_judge: str | None) -> dict[str, Any]:
    """Who decided, and whether that was a simulation, if only in part."""
    if python_judge is not None:
        return {"kind": "python", "simulated": python_judge == SimulatedJudge.label}
    members = judge.judges if isinstance(judge, PanelJudge) else (judge,)
    simulated = (m.kind == "simulated" or (isinstance(m, LlmJudge) and m.is_mock) for m in members)
    return {"kind": judge.kind, "simulated": any(simulated)}


def _held(group: GroupRun, pending: list[Pending]) -> list[Pending]:
    """Known outcomes behind a gap, in the order in which they would be applied."""
    return held_in(group, {each.step.seq: each for each in pending if each.step.group == group.id})


def _as_told(group: GroupRun, stop_reason: str, held: list[Pending]) -> Format:
    """The format that standings are of; after a BUDGET stop one that has taken held verdicts too, as an
    epilogue that is not stored.

    Not in a group that a rule of its own had closed: what came after the rule fired does not count.
    """
    cut = group.closing is None or group.closing.reason == "BUDGET"
    if stop_reason != "BUDGET" or not cut or not held:
        return group.format
    epilogue = deepcopy(group.format)
    for number, pending in enumerate(held, group.order.applied + 1):
        if pending.combined is not None:
            said = pending.combined
            epilogue.record(
                Outcome(pending.step, said.winner, number, said.p_a, said.reason, pending.comparisons)
            )
    return epilogue


def _all_rows(
    course: Course, standings: Mapping[str, list[Standing]], flags: Iterable[tuple[str, tuple[str, ...]]]
) -> list[StandingRow]:
    """The rows of all groups. Of the `flags` of comparisons (see `Reader.comparison_flags`) those that begin
    with a candidate's id speak of its text, and stand in its row."""
    told: dict[tuple[str, str], dict[str, None]] = defaultdict(dict)
    for group, of_comparison in flags:
        for flag in of_comparison:
            id_, _, what = flag.rpartition(": ")
            told[group, id_][what] = None
    return [row for id_ in course.groups for row in _rows(course, id_, standings[id_], told)]


def _rows(
    course: Course,
    group: str,
    standings: list[Standing],
    flags: Mapping[tuple[str, str], Iterable[str]],
) -> Iterator[StandingRow]:
    """One row a candidate: entrants by rank, each followed by its twins; then those never rated."""
    twins: dict[str, list[Candidate]] = {}
    for candidate in course.roster.members(group):
        if candidate.twin_of is not None:
            twins.setdefault(candidate.twin_of, []).append(candidate)
    shown = set()
    for standing in standings:
        shown.add(standing.id)
        for candidate in (course.candidate(group, standing.id), *twins.get(standing.id, ())):
            yield _row(course, candidate, standing, tuple(flags.get((group, standing.id), ())))


def _row(course: Course, candidate: Candidate, standing: Standing, flags: tuple[str, ...]) -> StandingRow:
    return StandingRow(
        **_figures(standing),
        group=candidate.group,
        class_=candidate.class_,
        id=candidate.id,
        title=candidate.title,
        system=candidate.system,
        state=course.roster.state(candidate.group, candidate.id),
        twin_of=candidate.twin_of,
        parent_ids=candidate.parent_ids,
        generation=candidate.generation,
        flags=flags,
    )


def _details(
    course: Course, formats: Mapping[str, Format], standings: Mapping[str, list[Standing]]
) -> dict[str, Any]:
    """Of each group: what its format tells, the closest races, who has hardly played, what the fit tells."""
    overviews: dict[str, dict[str, Any]] = {}
    delta = course.tournament.stop.delta
    for id_, rows in standings.items():
        fields = _fields(course, id_, rows)
        hardly = {row.id for field in fields for row in field if row.matches < HARDLY_PLAYED}
        entrants = formats[id_].entrants
        overviews[id_] = {
            **formats[id_].details(),
            "closest_races": _closest(fields),
            "hardly_played": [row.id for row in rows if row.id in hardly],
            **fit_details(
                [each.id for each in entrants],
                [each.class_ for each in entrants],
                formats[id_].estimates(delta),
                delta=delta,
                clustered=len(formats[id_].fit_log.clusters()) > 1,
                plays=partial(course.roster.plays, id_),
            ),
        }
    return next(iter(overviews.values())) if len(overviews) == 1 else overviews


def _fields(course: Course, group: str, rows: list[Standing]) -> list[list[Standing]]:
    """Those who play, class by class and best first; nobody meets one of another class, so a candidate
    alone in its class is in no field."""
    classes: dict[str | None, list[Standing]] = {}
    for row in rows:
        if course.roster.plays(group, row.id):
            classes.setdefault(course.candidate(group, row.id).class_, []).append(row)
    return [field for field in classes.values() if len(field) > 1]


def _closest(fields: list[list[Standing]]) -> list[dict[str, Any]]:
    """Neighbours in rank, both of whom have played, whose ratings are nearest; nearest first.

    The gap is below 0 where a format ranks by something else than ratings and these say otherwise.
    """
    neighbours = (pair for field in fields for pair in pairwise(row for row in field if row.matches))
    races = sorted(
        (abs(above.rating - below.rating), place, above, below)
        for place, (above, below) in enumerate(neighbours)
    )
    return [
        {"ahead": above.id, "behind": below.id, "gap": round(above.rating - below.rating, 4)}
        for _, _, above, below in races[:CLOSEST]
    ]
