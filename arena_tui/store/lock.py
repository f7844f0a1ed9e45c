"""One driver a run: an `flock` on a file beside the database, held for as long as a process drives it.

Never `lockf`, whose locks go when any descriptor of the file is closed, and never on the database
itself, whose locks are SQLite's. A lock dies with its process, so what kill -9 leaves is harmless; a
`fork`ed child would keep it alive, which is why nothing forks while it is held.
"""

from __future__ import annotations

import fcntl
import os
import re
import time
from pathlib import Path
from types import TracebackType

from arena_tui.errors import DiskTrouble, RunLocked

_REMOTE = frozenset({"nfs", "nfs4", "cifs", "smb3", "smbfs", "ncpfs", "afs", "fuse.sshfs"})
_MOUNTS = Path("/proc/mounts")
_PATIENCE = 10  # tries of 20 ms: a look by `holder` takes the lock for microseconds


def beside(db: Path, suffix: str) -> Path:
    """The path of what belongs to a run, beside the database that `db` names, links resolved."""
    real = Path(os.path.realpath(db))
    return real.with_name(real.name + suffix)


class RunLock:
    """The right to drive the run at `db_path`; also a context manager."""

    def __init__(self, db_path: Path) -> None:
        self._db = db_path
        self._path = beside(db_path, ".lock")
        self._descriptor: int | None = None

    def acquire(self) -> None:
        """Take the lock at once; RunLocked when another process (or another lock here) holds it."""
        if self._descriptor is not None:
            return
        refuse_remote(self._path)
        for attempt in range(_PATIENCE):
            if attempt:
                time.sleep(0.02)
            descriptor = self._open()
            if _locked(descriptor, self._path):
                os.ftruncate(descriptor, 0)
                os.pwrite(descriptor, f"{os.getpid()}\n".encode(), 0)
                self._descriptor = descriptor
                return
            os.close(descriptor)
        pid = holder(self._db) or -1
        who = "another process" if pid < 0 else f"process {pid}"
        raise RunLocked(
            f"{self._db} is driven by {who}: act on it with `arena act {self._db} ...`, "
            "or end that process first"
        )

    def release(self) -> None:
        """Let go; harmless when the lock is not held."""
        if self._descriptor is not None:
            os.close(self._descriptor)
            self._descriptor = None

    def _open(self) -> int:
        try:
            return os.open(self._path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
        except OSError as error:
            raise DiskTrouble(
                f"{self._path}: the run cannot be locked ({error.strerror}); make its folder writable"
            ) from error

    def __enter__(self) -> RunLock:
        self.acquire()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.release()


class StartLock:
    """The right to make the run of one tournament file; also a context manager.

    Held from the last look for a run of the file until the new run's own lock is taken, so that of two
    processes which start the same file at once one finds the other's run. `path` is a file that exists
    while somebody starts.
    """

    def __init__(self, path: Path) -> None:
        self._path = path
        self._descriptor: int | None = None

    def acquire(self, patience: float) -> None:
        """Wait for the lock; RunLocked after `patience` seconds."""
        refuse_remote(self._path)
        deadline = time.monotonic() + patience
        while True:
            descriptor = self._open()
            if _locked(descriptor, self._path):
                self._descriptor = descriptor
                return
            os.close(descriptor)
            if time.monotonic() >= deadline:
                raise RunLocked(
                    "another process has been starting a run of this file for "
                    f"{patience:g} s: wait for it, or end that process"
                )
            time.sleep(0.02)

    def release(self) -> None:
        """Let go and take the file away; harmless when the lock is not held."""
        if self._descriptor is not None:
            self._path.unlink(missing_ok=True)
            os.close(self._descriptor)
            self._descriptor = None

    def _open(self) -> int:
        try:
            self._path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
            return os.open(self._path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
        except OSError as error:
            raise DiskTrouble(
                f"{self._path.parent}: no run can be made there ({error.strerror}): "
                "choose another place with --db"
            ) from error

    def __enter__(self) -> StartLock:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.release()


def _locked(descriptor: int, path: Path) -> bool:
    """Take the lock of an open file if nobody has it and the file is still the one at `path`."""
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    # The file may have been removed between our opening and our locking it.
    try:
        return os.path.samestat(os.fstat(descriptor), os.stat(path))
    except FileNotFoundError:
        return False


def holder(db_path: Path) -> int | None:
    """The pid of the process that drives the run, None when none does.

    -1 when the holder's pid cannot be read. Looks by a shared lock that is given back at once.
    """
    try:
        descriptor = os.open(beside(db_path, ".lock"), os.O_RDONLY | os.O_CLOEXEC)
    except FileNotFoundError:
        return None
    except OSError as error:
        raise DiskTrouble(f"{beside(db_path, '.lock')} cannot be read ({error.strerror})") from error
    try:
        for attempt in range(_PATIENCE):
            if attempt:
                time.sleep(0.005)
            try:
                fcntl.flock(descriptor, fcntl.LOCK_SH | fcntl.LOCK_NB)
            except BlockingIOError:
                # Between taking the lock and writing its pid the holder is nameless for a moment.
                if (pid := _live_pid(os.pread(descriptor, 32, 0))) is not None:
                    return pid
            else:
                return None
        return -1
    finally:
        os.close(descriptor)


def _live_pid(content: bytes) -> int | None:
    if not re.fullmatch(rb"[1-9][0-9]{0,9}\n", content):
        return None
    try:
        os.kill(int(content), 0)
    except ProcessLookupError:
        return None  # left behind by an earlier holder
    except PermissionError:
        return int(content)
    return int(content)


def remote_file_system(path: Path, mounts: Path = _MOUNTS) -> str | None:
    """The kind of network file system `path` lies on; None when it is local, or where Linux is not."""
    try:
        table = mounts.read_text(encoding="utf-8", errors="surrogateescape")
    except OSError:
        return None
    place = os.path.realpath(path)
    found, kind = "", ""
    for line in table.splitlines():
        fields = line.split(" ")
        if len(fields) < 3:
            continue
        point = re.sub(r"\\([0-7]{3})", lambda octal: chr(int(octal[1], 8)), fields[1])
        inside = place == point or place.startswith(point.rstrip("/") + "/")
        if inside and len(point) >= len(found):  # the last mount on a point hides the earlier ones
            found, kind = point, fields[2]
    return kind if kind in _REMOTE else None


def refuse_remote(path: Path) -> None:
    """DiskTrouble when `path` lies on a network file system, where two writers can break a run."""
    kind = remote_file_system(path)
    if kind is not None:
        raise DiskTrouble(
            f"{path} lies on a network file system ({kind}), where a run is not safe: "
            "give --db or ARENA_HOME a place on a local disk"
        )
