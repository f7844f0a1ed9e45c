"""What else `arena verify` compares: everything a journal implies besides outcomes and ratings.

Candidates and their states, snapshots, closed groups, and when each action took effect, as the
database has them and as the replayed course has them.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence

from arena_tui.candidate import Candidate, Pool
from arena_tui.engine.course import Course
from arena_tui.identity import pool_identity, same_candidate
from arena_tui.store.reader import Reader
from arena_tui.store.records import Snapshot
from arena_tui.store.schema import readable
from arena_tui.values import whole_text


def differences(reader: Reader, course: Course, snapshots: Sequence[Snapshot]) -> Iterator[str]:
    """What differs, one sentence each; `snapshots` are those that the replay took, group by group."""
    yield from _of_candidates(reader, course)
    yield from _of_snapshots(reader, snapshots)
    yield from _of_groups(reader, course)
    rated = {(group.id, row.id) for group in course.groups.values() for row in group.format.scores()}
    for scope, entrant in reader.ratings():
        if (scope, entrant) not in rated:
            yield f"group {scope}, {entrant}: a rating is stored, and nobody of that name is rated"


def _of_candidates(reader: Reader, course: Course) -> Iterator[str]:
    """Those of the start by the identity that was noted then, later ones by the action that added them."""
    with readable(reader.path, "what the run was started with"):
        noted = json.loads(reader.meta().get("identity", "{}"))
    for part, begun in pool_identity(Pool(reader.groups())).items():
        if noted.get(part) != begun:
            yield f"the {part} differ from those that the run was started with"
    added: dict[tuple[str, str], Candidate] = {}
    for entry in reader.interventions():
        if (candidate := entry.intervention.added) is not None:
            added[candidate.group, candidate.id] = candidate
    for stored in reader.candidates():
        where = f"group {stored.group}, {stored.id}"
        journaled = added.pop((stored.group, stored.id), stored)
        if not same_candidate(stored, journaled) or stored.twin_of != journaled.twin_of:
            yield f"{where}: the stored candidate differs from the one that the journal added"
        state = course.roster.state(stored.group, stored.id)
        if stored.state != state:
            yield f"{where}: its stored state {stored.state!r} differs from the journal's, {state!r}"
    for group, id_ in added:
        yield f"group {group}, {id_}: the journal added it, and it is not stored"


def _of_snapshots(reader: Reader, taken: Sequence[Snapshot]) -> Iterator[str]:
    by_place = {(s.group, s.applied_no): s for s in reader.snapshots()}
    for expected in taken:
        where = f"group {expected.group}, snapshot after {expected.applied_no} outcomes"
        stored = by_place.pop((expected.group, expected.applied_no), None)
        if stored is None:
            yield f"{where}: it is not stored"
        elif stored != expected:
            yield f"{where}: it differs from what the journal gives"
    for group, applied_no in by_place:
        yield f"group {group}, snapshot after {applied_no} outcomes: the journal gives none there"


def _of_groups(reader: Reader, course: Course) -> Iterator[str]:
    """A group that its own rule closed says so; limits and ends of the whole run are not in the journal."""
    ends = reader.group_ends()
    for id_, group in course.groups.items():
        closing, end = group.closing, ends[id_]
        if closing is None:
            continue
        if (end.stop_reason, end.detail) != (closing.reason, whole_text(closing.detail)):
            yield (
                f"group {id_}: its stored end {end.stop_reason!r} differs from the journal's, "
                f"{closing.reason!r}"
            )
