"""Which run of a tournament file goes on, and what the file asks for that the run does not have yet."""

from __future__ import annotations

import json
from collections.abc import Container, Iterable, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from arena_tui.candidate import Candidate, Pool
from arena_tui.engine.actions import RESUMED
from arena_tui.engine.replay import origin_of
from arena_tui.errors import RunLocked, UsageError
from arena_tui.identity import identity, identity_changes, pool_identity, same_candidate
from arena_tui.settings import Tournament
from arena_tui.store import folder
from arena_tui.store.lock import holder
from arena_tui.store.reader import Reader
from arena_tui.store.schema import readable
from arena_tui.tournament_file import Loaded


@dataclass(frozen=True, slots=True)
class Differences:
    """Settings to change (dotted keys), all that the file asks for now (`asked_of`), candidates gained."""

    changes: Mapping[str, Any]
    asked: str | None
    gained: tuple[Candidate, ...]


NO_DIFFERENCES = Differences({}, None, ())


def run_to_resume(loaded: Loaded, db: str | None, extend: bool) -> Path | None:
    """The run of this file that goes on: its newest, if that is unfinished (or is to be extended)."""
    if db is not None:
        return Path(db) if Path(db).exists() else None
    source = "" if loaded.path is None else str(loaded.path.resolve())
    newest = next((info for info in folder.list_runs() if info.source == source), None)
    if newest is None or (newest.status == "finished" and not extend):
        return None
    return newest.db


def differences_of(
    loaded: Loaded,
    path: Path,
    extend: bool,
    *,
    options: Mapping[str, str] = {},
    fresh: str = "start a fresh run with --new",
    more: str = " (--extend admits new candidates)",
) -> Differences:
    """What the file asks for now that the run at `path` does not have; refuses what makes another run.

    `options` names, for parts of the identity, what was given beside the file. `fresh` and, where only
    candidates differ, `more` say what can be done about it.
    """
    pid = holder(path)
    if pid is not None:
        raise RunLocked(
            f"run {path.stem} of this file is driven by process {pid}: follow it with "
            f"`arena watch {folder.called(path)}`, act on it with `arena act {folder.called(path)} ...`, "
            f"end that process, or {fresh}"
        )
    with Reader(path) as reader, readable(path, "what the run was started with"):
        meta = reader.meta()
        before = json.loads(meta.get("asked") or asked_of(origin_of(reader).tournament))
        stored = json.loads(meta["identity"])
        known = {(c.group, c.id): c for c in reader.candidates()}
        first = {(c.group, c.id) for group in reader.groups() for c in group.candidates}
        from_file = first | {
            (added.group, added.id)
            for entry in reader.interventions()
            if (added := entry.intervention.added) is not None and entry.origin == RESUMED
        }
    changed = identity_changes(stored, identity(loaded.tournament, loaded.pool))
    seed = loaded.tournament.seed
    changed = [part for part in changed if part != "seed"]
    if seed is not None and str(seed) != meta["seed"]:  # a seed that was drawn is the run's all the same
        changed.append("seed")
    gained: tuple[Candidate, ...] = ()
    ours = {(c.group, c.id): c for group in loaded.pool.groups for c in group.candidates}
    if "candidates" in changed or from_file != first:
        lost = [key[1] for key in known if key in from_file and key not in ours]
        altered = [key[1] for key, c in known.items() if key in ours and not same_candidate(ours[key], c)]
        if extend and (lost or altered):
            raise UsageError(
                f"--extend only admits further candidates, but the file has lost or changed "
                f"{', '.join((lost + altered)[:5])}: put them back, or {fresh}"
            )
        gained = tuple(candidate for key, candidate in ours.items() if key not in known)
        as_it_was = not lost and not altered and _began_with(loaded, first) == stored["candidates"]
        changed = [part for part in changed if part != "candidates"]
        if not as_it_was or (gained and not extend):
            changed.append("candidates")
    if changed:
        whose = "the tournament given" if loaded.path is None else "the file"
        undo = "leave that out" if options.keys() >= set(changed) else "undo that"
        raise UsageError(
            f"run {path.stem} differs from {_named(changed, options, whose)}, so it cannot go on: "
            f"{undo}, or {fresh}{more if changed == ['candidates'] else ''}"
        )
    now = asked_of(loaded.tournament)
    changes = {key: value for key, value in json.loads(now).items() if before.get(key) != value}
    return Differences(changes, now, gained)


def _named(changed: list[str], options: Mapping[str, str], whose: str) -> str:
    """The parts that differ, each with what asks for it: an option, or else `whose`."""
    given = list(dict.fromkeys(options[part] for part in changed if part in options))
    parts = [part for part in changed if part not in options]
    return " and from ".join([f"{whose} in its {', '.join(parts)}"] * bool(parts) + given)


def overrides(assignments: tuple[str, ...]) -> dict[str, str]:
    """`--set KEY=VALUE` options as a mapping."""
    pairs = {}
    for assignment in assignments:
        key, equals, value = assignment.partition("=")
        if not equals or not key:
            raise UsageError(f"--set {assignment}: write KEY=VALUE, as in --set limits.matches=100")
        pairs[key] = value
    return pairs


def options_of(assignments: Iterable[str], seed: int | None) -> dict[str, str]:
    """What `--set` and `--seed` ask for, by the part of the identity that it touches."""
    given: dict[str, str] = {}
    for assignment in assignments:
        section, _, rest = assignment.partition("=")[0].partition(".")
        part = "ordering" if section == "limits" and rest.startswith(("ordering", "durations")) else section
        given[part] = f"{given[part]}, --set {assignment}" if part in given else f"--set {assignment}"
    if seed is not None:
        given["seed"] = f"--seed {seed}"
    return given


def _began_with(loaded: Loaded, first: Container[tuple[str, str]]) -> str:
    """The identity of the file's candidates without those that the run did not start with."""
    groups = (
        replace(group, candidates=tuple(c for c in group.candidates if (c.group, c.id) in first))
        for group in loaded.pool.groups
    )
    return pool_identity(Pool(tuple(groups)))["candidates"]


def asked_of(tournament: Tournament) -> str:
    """The name, limits, stop rule and overview that a file asks for, flat, as JSON.

    Kept with the run: only what the file has *changed* since applies on a resume, so that a limit that
    was raised by `arena act` or `--add-*` is not put back.
    """
    dumped = tournament.model_dump(mode="json", include={"name", "limits", "stop", "overview"})
    flat: dict[str, Any] = {}
    stack: list[tuple[str, Any]] = list(dumped.items())
    while stack:
        key, value = stack.pop()
        if isinstance(value, Mapping):
            stack.extend((f"{key}.{name}", part) for name, part in value.items())
        else:
            flat[key] = value
    return json.dumps(flat, sort_keys=True)
