"""Builds the pool of a tournament: candidates and their groups, ids, twins, and who can play at all.

A pool is given as a path (file, folder or glob), as a list of texts or mappings, or as {files,
columns}. Decisions: a later text equal to an earlier one of the same group and class is its twin
(classes never meet, so equal texts of two classes are rated apart); a group listed in `groups` comes
before the ones that only candidates name; an id that is not given is the system, else a slug.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from arena_tui.candidate import Candidate, Group, Pool
from arena_tui.errors import FileProblems
from arena_tui.pool_entries import Place, read_entries
from arena_tui.pool_fields import CANDIDATE_FIELDS, GROUP_FIELDS, slug, title_of
from arena_tui.pool_formats import Findings, Row
from arena_tui.values import counted, shown, visible

WHOLE = 500  # characters: no id is longer, and what is shown of one must be enough to type it


def load_pool(spec: Any, folder: Path, *, groups: Any = None) -> Pool:
    """The pool that `spec` gives, paths relative to `folder`; FileProblems with everything wrong in it.

    Groups that cannot hold a match are there with the reason in `skipped`; when no group can play
    that is a problem.
    """
    found = Findings()
    pool = read_pool(spec, folder, groups=groups, found=found)
    if found.problems or pool is None:
        raise FileProblems(found.problems)
    return pool


def load_candidates(spec: Any, folder: Path) -> tuple[Candidate, ...]:
    """Candidates to be added to a run: read as `load_pool` does, but one of them alone will do."""
    found = Findings()
    pool = _read(spec, folder, None, found, ("pool", None), ("pool", None))
    if not found.problems and not pool.groups:
        found.fault("pool", None, f"there is no candidate to add in {shown(spec, 200)}")
    if found.problems:
        raise FileProblems(found.problems)
    return tuple(candidate for group in pool.groups for candidate in group.candidates)


def read_pool(
    spec: Any,
    folder: Path,
    *,
    groups: Any = None,
    found: Findings,
    place: Place = ("pool", None),
    groups_place: Place = ("pool", None),
) -> Pool | None:
    """As `load_pool`, but problems and notes go into `found`; None when there is nothing to use.

    `place` and `groups_place` say where the two were given.
    """
    before = len(found.problems)
    try:
        pool = _read(spec, folder, groups, found, place, groups_place)
        if len(found.problems) == before:
            _check_can_play(pool, place, found)
    except FileProblems as error:  # too many to go on
        found.problems = list(error.problems)
        return None
    return pool if len(found.problems) == before else None


def _read(spec: Any, folder: Path, groups: Any, found: Findings, place: Place, groups_place: Place) -> Pool:
    entries = read_entries(spec, folder, CANDIDATE_FIELDS, "text", place, "candidates", found)
    listed = {} if groups is None else _listed_groups(groups, folder, groups_place, found)
    drafts: dict[str, list[_Draft]] = {id_: [] for id_ in listed}
    for row, values in entries:
        drafts.setdefault(values.get("group", "main"), []).append(_Draft(row, values))
    if listed and entries and not any(drafts[id_] for id_ in listed):
        message = "groups: no candidate belongs to a listed group"
        named = ", ".join(shown(id_, WHOLE) for id_ in list(drafts)[:4])
        found.fault(*groups_place, message, f"are the ids the same? Groups: {named}")
    built = [_group(id_, members, listed.get(id_), found) for id_, members in drafts.items()]
    pool = Pool(tuple(built))
    _check_vectors(drafts, found)
    _note_twins(pool, found)
    return pool


@dataclass(slots=True)
class _Draft:
    """A candidate on its way: its entry, the checked values, and the id once it is settled."""

    row: Row
    values: dict[str, Any]
    id: str = ""
    title: str = field(default="", init=False)

    def __post_init__(self) -> None:
        given = self.values.get("title")
        self.title = " ".join(given.split()) if given else title_of(self.values["text"])

    @property
    def default_id(self) -> str:
        """The id of a candidate that gives none."""
        system: str | None = self.values.get("system")
        if system is not None:
            return system
        stem = self.row.stem if "title" not in self.values else None
        return slug(stem or self.title)


def _listed_groups(spec: Any, folder: Path, place: Place, found: Findings) -> dict[str, dict[str, Any]]:
    listed: dict[str, dict[str, Any]] = {}
    rows: dict[str, Row] = {}
    for row, values in read_entries(spec, folder, GROUP_FIELDS, "id", place, "groups", found):
        id_ = values["id"]
        if id_ in listed:
            found.fault_in(row, f"the group {shown(id_, WHOLE)} is listed twice, first at {rows[id_].place}")
        else:
            listed[id_], rows[id_] = values, row
    return listed


def _group(id_: str, drafts: list[_Draft], listed: dict[str, Any] | None, found: Findings) -> Group:
    """One group with the ids of its candidates settled and its twins marked."""
    listed = listed or {}
    _settle_ids(id_, drafts, found)
    prompt = _prompt(id_, drafts, listed.get("prompt"), found)
    first: dict[tuple[str | None, str], str] = {}
    candidates = []
    for draft in drafts:
        candidate = _candidate(id_, draft)
        key = (candidate.class_, candidate.text_hash)
        earlier = first.setdefault(key, candidate.id)
        if earlier != candidate.id:
            candidate = _candidate(id_, draft, twin_of=earlier)
        candidates.append(candidate)
    _check_descent(drafts, found)
    group = Group(
        id=id_,
        candidates=tuple(candidates),
        prompt=prompt,
        category=listed.get("category"),
        criteria=listed.get("criteria", {}),
        meta=listed.get("meta", {}),
    )
    reason = _why_skipped(group)
    if reason is None:
        return group
    return Group(group.id, group.candidates, prompt, group.category, group.criteria, group.meta, reason)


def _candidate(group: str, draft: _Draft, twin_of: str | None = None) -> Candidate:
    values = draft.values
    return Candidate(
        id=draft.id,
        text=values["text"],
        title=draft.title if visible(draft.title) else draft.id,
        group=group,
        system=values.get("system"),
        class_=values.get("class"),
        parent_ids=values.get("parent_ids", ()),
        generation=values.get("generation", 0),
        rating=values.get("rating"),
        strength=values.get("strength"),
        embedding=values.get("embedding"),
        review=values.get("review"),
        meta=values.get("meta", {}),
        twin_of=twin_of,
    )


def _settle_ids(group: str, drafts: list[_Draft], found: Findings) -> None:
    """Ids that are given stand, equal ones are a problem; the others give way with -2, -3, ..."""
    taken: dict[str, Row] = {}
    for draft in drafts:
        given = draft.values.get("id")
        if given is None:
            continue
        draft.id = given
        earlier = taken.setdefault(given, draft.row)
        if earlier is not draft.row:
            where = "" if group == "main" else f" of the group {shown(group, WHOLE)}"
            message = f"the id {shown(given, WHOLE)}{where} is given twice, first at {earlier.place}"
            found.fault_in(draft.row, message)
    last: dict[str, int] = {}
    for draft in drafts:
        if draft.id:
            continue
        base = draft.id = draft.default_id
        while draft.id in taken:
            last[base] = last.get(base, 1) + 1
            draft.id = f"{base}-{last[base]}"
        taken[draft.id] = draft.row


def _prompt(id_: str, drafts: list[_Draft], listed: str | None, found: Findings) -> str | None:
    """The group's prompt: as listed, or as its candidates give it; two different ones are a problem."""
    prompt, origin = listed, "the list of groups"
    for draft in drafts:
        given = draft.values.get("prompt")
        if given is None or given == prompt:
            continue
        if prompt is not None:
            message = f"the prompt of the group {shown(id_, WHOLE)} differs from the one in {origin}"
            found.fault_in(draft.row, message, "one group has one prompt: give a group for each")
            break
        prompt, origin = given, draft.row.place
    return prompt


def _check_descent(drafts: list[_Draft], found: Findings) -> None:
    """Nobody descends from itself. Parents that are not in the pool are allowed: they are history."""
    by_id = {draft.id: draft for draft in drafts}
    children: dict[str, list[_Draft]] = {}
    waiting: Counter[str] = Counter()
    for draft in by_id.values():
        for parent in set(draft.values.get("parent_ids", ())) & by_id.keys():
            children.setdefault(parent, []).append(draft)
            waiting[draft.id] += 1
    if not waiting:
        return
    free = [id_ for id_ in by_id if not waiting[id_]]
    while free:
        for child in children.get(free.pop(), ()):
            waiting[child.id] -= 1
            if not waiting[child.id]:
                free.append(child.id)
    circle = [draft for draft in by_id.values() if waiting[draft.id]]
    if circle:
        message = f"parent_ids: {shown(circle[0].id, WHOLE)} descends from itself"
        found.fault_in(circle[0].row, message, "parents are older than their children")


def _check_vectors(drafts: Mapping[str, list[_Draft]], found: Findings) -> None:
    sizes: dict[int, Row] = {}
    for members in drafts.values():
        for draft in members:
            vector = draft.values.get("embedding")
            if vector is not None:
                sizes.setdefault(len(vector), draft.row)
    for size, row in list(sizes.items())[1:]:
        (expected, first), *_ = sizes.items()
        found.fault_in(row, f"embedding: expected {expected} numbers as at {first.place}, got {size}")


def _why_skipped(group: Group) -> str | None:
    """Why no match can be held in the group, or None."""
    if not group.candidates:
        return "it has no candidates"
    if len(group.candidates) == 1:
        return "it has only one candidate"
    if len(group.entrants) == 1:
        return f"its {len(group.candidates)} candidates all have the same text"
    if max(Counter(entrant.class_ for entrant in group.entrants).values()) < 2:
        return "no two different candidates are of one class"
    return None


def _check_can_play(pool: Pool, place: Place, found: Findings) -> None:
    if not pool.groups:
        found.fault(*place, "the pool has no candidates", "a tournament needs at least two different texts")
    elif not pool.playable:
        first = pool.groups[0]
        if len(pool.groups) == 1:
            message = f"no match can be held: the group {shown(first.id, WHOLE)} cannot play, {first.skipped}"
        else:
            message = (
                f"none of the {len(pool.groups)} groups can play; {shown(first.id, WHOLE)}: {first.skipped}"
            )
        found.fault(*place, message, "a match needs two different texts of one group")
    for group in pool.groups if pool.playable else ():
        if group.skipped is not None:
            found.notes.append(f"the group {shown(group.id, WHOLE)} is skipped: {group.skipped}")
        else:
            _note_lonely(group, found)


def _note_lonely(group: Group, found: Findings) -> None:
    """Tell of candidates that can meet nobody, since no other one is of their class."""
    sizes = Counter(entrant.class_ for entrant in group.entrants)
    lonely = [c for c in group.entrants if sizes[c.class_] == 1]
    if lonely:
        named = ", ".join(
            f"{shown(c.id, WHOLE)} ({'no class' if c.class_ is None else shown(c.class_, WHOLE)})"
            for c in lonely[:3]
        )
        more = f" and {len(lonely) - 3} more" if len(lonely) > 3 else ""
        whose = "their classes" if len(lonely) > 1 else "its class"
        found.notes.append(
            f"{counted(len(lonely), 'candidate')} of the group {shown(group.id, WHOLE)} can meet nobody, "
            f"alone in {whose}: {named}{more}"
        )


def _note_twins(pool: Pool, found: Findings) -> None:
    twins = [c for group in pool.groups for c in group.candidates if c.twin_of is not None]
    if twins:
        pairs = [f"{shown(c.id, WHOLE)} = {shown(c.twin_of, WHOLE)}" for c in twins[:3]]
        more = f" and {len(twins) - 3} more" if len(twins) > 3 else ""
        one = len(twins) == 1
        have, share = ("has", "shares its rating") if one else ("have", "share its rating")
        found.notes.append(
            f"{counted(len(twins), 'candidate')} {have} the text of an earlier one and {share}: "
            f"{', '.join(pairs)}{more}"
        )
