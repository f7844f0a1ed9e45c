"""Where runs live: the data folder, names for new runs, finding, listing and deleting them."""

from __future__ import annotations

import difflib
import hashlib
import os
import re
import shlex
import shutil
import sqlite3
import unicodedata
from contextlib import suppress
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Literal

from arena_tui.errors import DiskTrouble, RunNotFound, StoreError
from arena_tui.store.lock import RunLock, beside, holder
from arena_tui.store.place import data_folder as data_folder
from arena_tui.store.reader import Reader
from arena_tui.values import shown

Status = Literal["running", "paused", "stopped", "finished", "interrupted", "damaged"]


@dataclass(frozen=True, slots=True)
class RunInfo:
    """A run in a list. `running` and `paused` ones are driven by a process, `stopped` and `interrupted`
    (killed, or crashed) ones can be resumed.

    `matches` counts applied ones; `created_at` is UTC in ISO 8601; `source` is the tournament file.
    """

    run: str
    name: str
    format: str
    status: Status
    stop_reason: str | None
    matches: int
    created_at: str
    db: Path
    source: str


def new_run(name: str, now: datetime, token: str) -> tuple[str, Path]:
    """A run id that no run in the data folder has, as `longevity-1130-2248-k3f9`, and its file's path.

    Made of the tournament's `name`, the local time `now` and a short random `token`; no file is made.
    """
    plain = unicodedata.normalize("NFKD", name).encode("ascii", "ignore").decode().lower()
    slug = re.sub(r"[^a-z0-9]+", "-", plain).strip("-")[:40].rstrip("-") or "run"
    first = run_id = f"{slug}-{now:%m%d-%H%M}-{token}"
    number = 1
    while os.path.lexists(path := _runs() / f"{run_id}.db"):
        number += 1
        run_id = f"{first}-{number}"
    return run_id, path


def start_lock(source: Path, db: Path | None) -> Path:
    """The file that is locked while a run of the tournament file `source` is made, or one at `db`."""
    if db is not None:
        return beside(db, ".starting")
    return _runs() / f".{hashlib.sha256(os.fsencode(source.resolve())).hexdigest()[:16]}.starting"


def list_runs() -> list[RunInfo]:
    """The runs of the data folder, newest first."""
    infos = [info for path in _files() if (info := run_info(path)) is not None]
    return sorted(infos, key=lambda info: (info.created_at, info.run), reverse=True)


def run_info(path: Path) -> RunInfo | None:
    """What a list shows of the run at `path`; None when it was deleted meanwhile."""
    try:
        with Reader(path) as reader:
            meta = reader.meta()
            matches = reader.applied()
        driven = holder(path) is not None
    except RunNotFound:
        return None
    except (StoreError, sqlite3.Error):
        return _damaged(path)
    return RunInfo(
        run=meta.get("run", path.stem),
        name=meta.get("name", ""),
        format=meta.get("format", ""),
        status=_status(meta, driven),
        stop_reason=meta.get("stop_reason") or None,
        matches=matches,
        created_at=meta.get("created_at", ""),
        db=path,
        source=meta.get("source", ""),
    )


def find_run(text: str | None) -> Path:
    """The file of the run meant by `text`: an id, a unique beginning of one, or a file; None: the newest.

    A beginning may end in the ellipsis of a shortened id. RunNotFound when there is none, or more than
    one, which are then named.
    """
    if text is None:
        newest = list_runs()
        if not newest:
            raise RunNotFound(f"there is no run in {_runs()} yet: start one with `arena FILE`")
        return newest[0].db
    file = Path(text).expanduser()
    with suppress(OSError, ValueError):  # no file can have such a name, so it is an id that will not be found
        if file.is_file():
            _refuse_tournament_file(file)
            return file.absolute()
    known = {path.stem: path for path in _files()}
    if text in known:
        return known[text]
    beginning = text.removesuffix("…")
    meant = sorted(run for run in known if beginning and run.startswith(beginning))
    if len(meant) == 1:
        return known[meant[0]]
    if not meant:
        heads = {run[: len(beginning)]: run for run in known}  # a beginning is compared with beginnings
        near = difflib.get_close_matches(beginning, heads, n=1) if 0 < len(beginning) < 200 else []
        hint = f"did you mean {heads[near[0]]}?" if near else "`arena runs` lists the runs"
        raise RunNotFound(f"no run and no file is called {shown(text, 1000)}: {hint}")
    named = ", ".join(meant[:5]) + (f" and {len(meant) - 5} more" if len(meant) > 5 else "")
    raise RunNotFound(f"{text!r} is the beginning of {len(meant)} runs, give more of it: {named}")


def unfinished_run() -> Path:
    """The newest run that has not ended by itself, also one that a process drives; RunNotFound if none."""
    runs = [info for info in list_runs() if info.status != "damaged"]
    if not runs:
        raise RunNotFound(f"there is no run in {_runs()} yet: start one with `arena FILE`")
    unfinished = next((info for info in runs if info.status != "finished"), None)
    if unfinished is None:
        raise RunNotFound(
            f"no run is unfinished; a finished one goes on when it is named: `arena resume {runs[0].run}`"
        )
    return unfinished.db


def _refuse_tournament_file(file: Path) -> None:
    """RunNotFound for the file that a run was started from, naming its newest run."""
    if file.suffix.lower() not in (".yaml", ".yml"):
        return
    source = str(file.resolve())
    newest = next((info for info in list_runs() if info.source == source), None)
    hint = f"start one with `arena {file}`" if newest is None else f"give {newest.run}"
    which = "it has no run yet" if newest is None else f"its newest run is {newest.run}"
    raise RunNotFound(f"{file} is a tournament file, not a run; {which}: {hint}")


def called(path: Path) -> str:
    """What names the run at `path` on a command line: its id in the data folder, elsewhere its file."""
    path = path.absolute()
    return path.stem if path.parent == _runs() else shlex.quote(str(path))


def delete_run(path: Path) -> None:
    """Remove a run with everything beside it; RunLocked while a process drives it.

    A file that is not a run is refused, unless it is a damaged one in the data folder.
    """
    if path.absolute() not in _files():
        Reader(path).close()
    path = beside(path, "")  # what a link leads to
    with RunLock(path):
        try:
            path.unlink()
            for beside_it in (Path(f"{path}-wal"), Path(f"{path}-shm")):
                beside_it.unlink(missing_ok=True)
            inbox = beside(path, ".inbox")
            if inbox.is_dir():
                shutil.rmtree(inbox)
            beside(path, ".log").unlink(missing_ok=True)
            beside(path, ".lock").unlink(missing_ok=True)
        except FileNotFoundError as error:
            raise RunNotFound(f"{path}: the run is gone already") from error
        except OSError as error:
            raise DiskTrouble(f"{path}: the run cannot be deleted ({error.strerror})") from error


def _runs() -> Path:
    return data_folder() / "runs"


def _files() -> list[Path]:
    return sorted(path for path in _runs().glob("*.db") if not path.name.startswith("."))


def _status(meta: dict[str, str], driven: bool) -> Status:
    if driven:
        return "paused" if meta.get("paused") else "running"
    if not meta.get("stop_reason"):
        return "interrupted"
    return "finished" if meta.get("exit_code") == "0" else "stopped"


def _damaged(path: Path) -> RunInfo | None:
    try:
        changed = path.stat().st_mtime
    except FileNotFoundError:
        return None
    when = datetime.fromtimestamp(changed, UTC).isoformat(timespec="seconds")
    return RunInfo(path.stem, "", "", "damaged", None, 0, when, path, "")
