"""Which run of a tournament file goes on, and what the file asks for that the run does not have yet."""

from __future__ import annotations

import json
from collections.abc import Container, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from arena_tui.candidate import Candidate
from arena_tui.engine.replay import origin_of
from arena_tui.errors import RunLocked, UsageError
from arena_tui.identity import identity, identity_changes
from arena_tui.settings import Tournament
from arena_tui.store import folder
from arena_tui.store.lock import holder
from arena_tui.store.reader import Reader
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


def differences_of(loaded: Loaded, path: Path, extend: bool) -> Differences:
    """What the file asks for now that the run at `path` does not have; refuses what makes another run."""
    pid = holder(path)
    if pid is not None:
        raise RunLocked(
            f"run {path.stem} of this file is driven by process {pid}: act on it with "
            f"`arena act {path.stem} ...`, end that process, or start a fresh run with --new"
        )
    with Reader(path) as reader:
        meta = reader.meta()
        asked = meta.get("asked") or asked_of(origin_of(reader).tournament)
        changed = identity_changes(json.loads(meta["identity"]), identity(loaded.tournament, loaded.pool))
        known = {(c.group, c.id): c for c in reader.candidates()}
        first = {(c.group, c.id) for group in reader.groups() for c in group.candidates}
    if "candidates" in changed and _has_all_that_was_added(loaded, meta["identity"], known, first):
        changed.remove("candidates")
    gained: tuple[Candidate, ...] = ()
    if extend and "candidates" in changed:
        ours = {(c.group, c.id): c for group in loaded.pool.groups for c in group.candidates}
        lost = [id_ for key, (_, id_) in ((k, k) for k in known) if key not in ours]
        altered = [key[1] for key, c in known.items() if key in ours and ours[key].text != c.text]
        if lost or altered:
            raise UsageError(
                f"--extend only admits further candidates, but the file has lost or changed "
                f"{', '.join((lost + altered)[:5])}: put them back, or start a fresh run with --new"
            )
        gained = tuple(candidate for key, candidate in ours.items() if key not in known)
        changed.remove("candidates")
    if changed:
        more = " (--extend admits new candidates)" if changed == ["candidates"] else ""
        raise UsageError(
            f"run {path.stem} is unfinished, but the file's {', '.join(changed)} changed since: "
            f"undo that, or start a fresh run with --new{more}"
        )
    now = asked_of(loaded.tournament)
    before = json.loads(asked)
    changes = {key: value for key, value in json.loads(now).items() if before.get(key) != value}
    return Differences(changes, now, gained)


def _has_all_that_was_added(
    loaded: Loaded,
    stored: str,
    known: Mapping[tuple[str, str], Candidate],
    first: Container[tuple[str, str]],
) -> bool:
    """True when the file's pool is the run's: what it started with (`first`), and what was added since."""
    pool = loaded.pool
    ours = {(c.group, c.id): c for group in pool.groups for c in group.candidates}
    if any(key not in ours or ours[key].text != c.text for key, c in known.items() if key not in first):
        return False

    def added(c: Candidate) -> bool:
        return (c.group, c.id) in known and (c.group, c.id) not in first

    groups = (
        replace(group, candidates=tuple(c for c in group.candidates if not added(c))) for group in pool.groups
    )
    was = identity(loaded.tournament, replace(pool, groups=tuple(groups)))
    return bool(was["candidates"] == json.loads(stored)["candidates"])


def asked_of(tournament: Tournament) -> str:
    """The name, limits and stop rule that a file asks for, flat, as JSON.

    Kept with the run: only what the file has *changed* since applies on a resume, so that a limit that
    was raised by `arena act` or `--add-*` is not put back.
    """
    dumped = tournament.model_dump(mode="json", include={"name", "limits", "stop"})
    flat: dict[str, Any] = {}
    stack: list[tuple[str, Any]] = list(dumped.items())
    while stack:
        key, value = stack.pop()
        if isinstance(value, Mapping):
            stack.extend((f"{key}.{name}", part) for name, part in value.items())
        else:
            flat[key] = value
    return json.dumps(flat, sort_keys=True)
