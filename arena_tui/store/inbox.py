"""Asking the driver of a run for an action: one file a request, one file an answer.

Files appear by rename, so nobody reads half of one. The asker calls `send` and `wait_answer`; the
driver takes `requests` several times a second and calls `answer` after the action's commit. A crash
between commit and answer delivers a request again: the driver journals the request's id as the
intervention's origin and answers, without acting, what is journaled already. Whatever lies in the
folder, looking at it never fails: a run does not end for what somebody left there.
"""

from __future__ import annotations

import json
import os
import re
import secrets
import time
from collections.abc import Container, Mapping
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from arena_tui.errors import DiskTrouble
from arena_tui.store.lock import beside

_REQUEST = ".request.json"
_ANSWER = ".answer.json"
_ID = re.compile(r"[0-9]{20}-[0-9a-f]{8}")
_LARGEST = 64 * 1024 * 1024  # bytes; an `add` carries whole texts


@dataclass(frozen=True, slots=True)
class Request:
    """An action asked for from outside; ids sort by the time of asking."""

    id: str
    action: Mapping[str, Any]
    origin: str


def send(db: Path, action: Mapping[str, Any], origin: str) -> str:
    """Put a request into the inbox of the run at `db`; returns its id. DiskTrouble if it cannot."""
    folder = beside(db, ".inbox")
    request_id = f"{time.time_ns():020d}-{secrets.token_hex(4)}"
    try:
        folder.mkdir(mode=0o700, exist_ok=True)
        _write(folder / f"{request_id}{_REQUEST}", {"action": dict(action), "origin": origin})
    except OSError as error:
        raise DiskTrouble(f"{folder}: the request cannot be left there ({error.strerror})") from error
    return request_id


def requests(db: Path, known: Container[str] = ()) -> list[Request]:
    """The open requests, oldest first; those whose id is `known` are not read again.

    Junk among them is answered as refused and removed.
    """
    found: list[Request] = []
    for path in _listed(db, _REQUEST):
        request_id = path.name.removesuffix(_REQUEST)
        if request_id in known:
            continue
        if path.with_name(request_id + _ANSWER).exists():
            with suppress(OSError):
                path.unlink()  # answered just before a crash
            continue
        request = _parsed(path, request_id)
        if request is not None:
            found.append(request)
            continue
        with suppress(DiskTrouble):  # it is tried again the next time
            answer(db, request_id, False, "the request cannot be read: ask again with `arena act`")
    return found


def answer(db: Path, request_id: str, ok: bool, message: str) -> None:
    """Answer a request; it is taken out of the inbox after its answer is there."""
    folder = beside(db, ".inbox")
    try:
        _write(folder / f"{request_id}{_ANSWER}", {"ok": ok, "message": message})
        (folder / f"{request_id}{_REQUEST}").unlink(missing_ok=True)
    except OSError as error:
        raise DiskTrouble(f"{folder}: an answer cannot be left there ({error.strerror})") from error


def wait_answer(db: Path, request_id: str, timeout: float) -> tuple[bool, str] | None:
    """(done, message) once the driver has answered, taken out of the inbox; None after `timeout` s."""
    path = beside(db, ".inbox") / f"{request_id}{_ANSWER}"
    deadline = time.monotonic() + timeout
    while True:
        try:
            told = json.loads(path.read_text(encoding="utf-8"))
        except FileNotFoundError:
            left = deadline - time.monotonic()
            if left <= 0:
                return None
            time.sleep(min(0.05, left))
            continue
        path.unlink(missing_ok=True)
        return bool(told["ok"]), str(told["message"])


def _listed(db: Path, suffix: str) -> list[Path]:
    """The files of that suffix by name. A folder or a pipe of such a name is none of ours, and an inbox
    that cannot be looked into holds nothing."""
    try:
        with os.scandir(beside(db, ".inbox")) as entries:
            wanted = [
                entry.name
                for entry in entries
                if entry.name.endswith(suffix)
                and _ID.fullmatch(entry.name.removesuffix(suffix))
                and entry.is_file()
            ]
    except OSError:
        return []
    return [beside(db, ".inbox") / name for name in sorted(wanted)]


def _parsed(path: Path, request_id: str) -> Request | None:
    try:
        if path.stat().st_size > _LARGEST:
            return None
        content = json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError, RecursionError):
        return None
    match content:
        case {"action": dict() as action, "origin": str() as origin}:
            return Request(request_id, action, origin)
        case _:
            return None


def _write(path: Path, content: Mapping[str, Any]) -> None:
    """Write `content` so that it is at `path` whole and durable, or not at all."""
    building = path.with_name(f".{path.name}.{secrets.token_hex(4)}.new")
    try:
        with open(os.open(building, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "w") as file:
            file.write(json.dumps(content))  # ASCII, so the encoding does not matter
            file.flush()
            os.fsync(file.fileno())
        building.rename(path)
    finally:
        building.unlink(missing_ok=True)
    folder = os.open(path.parent, os.O_RDONLY | os.O_DIRECTORY)
    try:
        os.fsync(folder)
    finally:
        os.close(folder)
