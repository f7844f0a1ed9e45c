"""One driver a run: who holds the lock, who is refused, and what a killed holder leaves."""

from __future__ import annotations

import fcntl
import os
import signal
import stat
import subprocess
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
import small_run

from arena_tui.errors import DiskTrouble, RunLocked
from arena_tui.store import lock
from arena_tui.store.lock import RunLock, holder, remote_file_system

CHILD = """
import sys
from pathlib import Path
from arena_tui.errors import RunLocked
from arena_tui.store.lock import RunLock
lock = RunLock(Path(sys.argv[1]))
try:
    lock.acquire()
except RunLocked as refused:
    print("refused", refused, flush=True)
else:
    print("held", flush=True)
    sys.stdin.read()
"""


@pytest.fixture
def run(tmp_path: Path) -> Path:
    return small_run.new(tmp_path / "run.db")


def start(run: Path) -> subprocess.Popen[str]:
    return subprocess.Popen(
        [sys.executable, "-c", CHILD, str(run)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
        env={**os.environ, "PYTHONPATH": str(small_run.ROOT)},
    )


@contextmanager
def driver(run: Path) -> Iterator[subprocess.Popen[str]]:
    """Another process that drives the run."""
    child = start(run)
    assert child.stdout is not None
    assert child.stdout.readline() == "held\n"
    try:
        yield child
    finally:
        child.communicate(timeout=20)


def test_a_second_process_is_refused_and_told_who_drives_the_run(run: Path) -> None:
    with driver(run) as child:
        with pytest.raises(RunLocked) as refused:
            RunLock(run).acquire()
        assert f"process {child.pid}" in str(refused.value)
        assert "arena act" in str(refused.value)
        assert "arena act" in str(refused.value)
        assert holder(run) == child.pid
    assert holder(run) is None
    with RunLock(run):
        assert holder(run) == os.getpid()


def test_one_of_many_processes_that_start_at_once_gets_the_run(run: Path) -> None:
    children = [start(run) for _ in range(4)]
    said = [child.stdout.readline() for child in children if child.stdout is not None]
    for child in children:
        child.communicate(timeout=20)
    winner = children[said.index("held\n")].pid
    refused = [line for line in said if line.startswith("refused")]
    assert len(refused) == 3
    assert all(f"process {winner}:" in line for line in refused)


def test_the_lock_of_a_killed_process_is_free_and_its_pid_forgotten(run: Path) -> None:
    with driver(run) as child:
        child.send_signal(signal.SIGKILL)
        child.wait(timeout=20)
        assert Path(f"{run}.lock").read_text() == f"{child.pid}\n"
        assert holder(run) is None
        with RunLock(run):
            assert holder(run) == os.getpid()


def test_a_second_lock_in_the_same_process_is_refused(run: Path) -> None:
    with RunLock(run), pytest.raises(RunLocked, match=f"process {os.getpid()}"):
        RunLock(run).acquire()


def test_another_name_of_the_same_file_is_the_same_lock(run: Path) -> None:
    alias = run.with_name("alias.db")
    alias.symlink_to(run)
    with RunLock(run):
        assert holder(alias) == os.getpid()
        with pytest.raises(RunLocked):
            RunLock(alias).acquire()


def test_a_process_started_by_the_driver_does_not_keep_the_lock(run: Path) -> None:
    lock = RunLock(run)
    lock.acquire()
    child = subprocess.Popen(["cat"], stdin=subprocess.PIPE, close_fds=False)
    lock.release()
    assert holder(run) is None
    child.communicate(timeout=20)


def test_release_and_acquire_may_be_repeated(run: Path) -> None:
    lock = RunLock(run)
    lock.release()
    lock.acquire()
    lock.acquire()
    lock.release()
    lock.release()
    assert holder(run) is None


def test_a_look_at_the_holder_never_makes_a_driver_fail(run: Path) -> None:
    stop = threading.Event()

    def look() -> None:
        while not stop.wait(0.0001):
            holder(run)

    with RunLock(run):
        pass  # the file exists, so there is something to look at
    looker = threading.Thread(target=look)
    looker.start()
    try:
        for _ in range(200):
            with RunLock(run):
                pass
    finally:
        stop.set()
        looker.join()


def test_a_look_in_progress_is_waited_out(run: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with RunLock(run):
        pass
    look = os.open(f"{run}.lock", os.O_RDONLY)
    fcntl.flock(look, fcntl.LOCK_SH)
    waited: list[float] = []

    def sleep(seconds: float) -> None:
        waited.append(seconds)
        fcntl.flock(look, fcntl.LOCK_UN)

    monkeypatch.setattr(lock.time, "sleep", sleep)
    with RunLock(run):
        assert waited == [0.02]
    os.close(look)


def test_a_lock_file_that_was_deleted_under_a_waiting_driver_is_made_anew(
    run: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = Path(f"{run}.lock")
    opened = os.open

    def open_then_delete(*arguments: object, **more: object) -> int:
        descriptor = opened(*arguments, **more)  # type: ignore[arg-type]  # passed on as it came
        monkeypatch.setattr(os, "open", opened)
        path.unlink()
        return descriptor

    monkeypatch.setattr(os, "open", open_then_delete)
    with RunLock(run), pytest.raises(RunLocked):
        RunLock(run).acquire()


def test_the_lock_is_a_file_of_its_own_for_the_owner_only(run: Path) -> None:
    with RunLock(run):
        assert stat.S_IMODE(Path(f"{run}.lock").stat().st_mode) == 0o600


def test_a_lock_cannot_be_made_where_no_folder_is(tmp_path: Path) -> None:
    with pytest.raises(DiskTrouble, match="cannot be locked"):
        RunLock(tmp_path / "nowhere" / "run.db").acquire()


MOUNTS = """\
/dev/sda1 / ext4 rw 0 0
server:/home /home nfs4 rw 0 0
/dev/sdb1 /home/ann/local ext4 rw 0 0
//nas/share /media/my\\040share cifs rw 0 0
server:/old /mnt/twice nfs rw 0 0
/dev/sdc1 /mnt/twice ext4 rw 0 0
broken
"""


@pytest.mark.parametrize(
    ("path", "kind"),
    [
        ("/var/run.db", None),
        ("/home/ann/run.db", "nfs4"),
        ("/home", "nfs4"),
        ("/homeless/run.db", None),
        ("/home/ann/local/run.db", None),
        ("/media/my share/run.db", "cifs"),
        ("/mnt/twice/run.db", None),
    ],
)
def test_network_file_systems_are_known_by_their_mounts(tmp_path: Path, path: str, kind: str | None) -> None:
    mounts = tmp_path / "mounts"
    mounts.write_text(MOUNTS)
    assert remote_file_system(Path(path), mounts) == kind


def test_without_a_table_of_mounts_every_file_system_counts_as_local(tmp_path: Path) -> None:
    assert remote_file_system(tmp_path, tmp_path / "none") is None


def test_a_run_on_a_network_file_system_is_refused(run: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(lock, "remote_file_system", lambda path: "nfs4")
    with pytest.raises(DiskTrouble, match="nfs4"):
        RunLock(run).acquire()
    with pytest.raises(DiskTrouble, match="local disk"):
        small_run.new(run.with_name("other.db"))
    assert sorted(path.name for path in run.parent.iterdir()) == ["run.db"]
