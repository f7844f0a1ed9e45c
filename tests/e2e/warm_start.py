"""Processes of `arena` that need not import it again: forks of interpreters that have done nothing else.

Each is a process of its own, with its own folder, environment, arguments and files; it can be signalled
and killed. There are two interpreters, taken in turn, because each has its own hash seed: a process and
the next, which resumes or verifies what it wrote, never agree by the order of a set alone. Run as a
script, this is one of them.
"""

from __future__ import annotations

import contextlib
import importlib
import json
import os
import pkgutil
import runpy
import select
import signal
import socket
import subprocess
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import IO, Any, NoReturn

INTERPRETERS = 2
WARM_PACKAGES = ("arena_tui.commands",)
STARTING = ("PYTHON", "LC_", "LANG", "MALLOC", "OPENBLAS", "OMP_", "LD_")


def needs_a_start_of_its_own(environment: Mapping[str, str]) -> bool:
    """Whether a variable is read while an interpreter or a library starts: a fork would be deaf to it."""
    return any(name.startswith(STARTING) for name in environment)


class WarmProcess:
    """The part of `subprocess.Popen` that the tests use, for a fork of a warm interpreter."""

    def __init__(self, status: int) -> None:
        self._status = status
        self.returncode: int | None = None
        self.pid = int(self._line())

    def _line(self) -> bytes:
        """The next line of the keeper: first the pid, then the exit code."""
        said = b""
        while not said.endswith(b"\n"):
            more = os.read(self._status, 1)
            if not more:
                raise ChildProcessError("a warm interpreter has ended without saying how its process did")
            said += more
        return said

    def wait(self, timeout: float | None = None) -> int:
        if self.returncode is None:
            if not select.select([self._status], [], [], timeout)[0]:
                raise subprocess.TimeoutExpired(f"warm process {self.pid}", timeout or 0.0)
            self.returncode = int(self._line())
            os.close(self._status)
        return self.returncode

    def poll(self) -> int | None:
        with contextlib.suppress(subprocess.TimeoutExpired):
            self.wait(0)
        return self.returncode

    def send_signal(self, number: signal.Signals) -> None:
        if self.poll() is None:
            with contextlib.suppress(ProcessLookupError):
                os.kill(self.pid, number)

    def kill(self) -> None:
        self.send_signal(signal.SIGKILL)


class WarmInterpreter:
    """An interpreter that has imported what the commands need, and forks a process for each request."""

    def __init__(self, environment: Mapping[str, str]) -> None:
        self._ours, theirs = socket.socketpair()
        with theirs:
            self._process = subprocess.Popen(
                [sys.executable, __file__, str(theirs.fileno())],
                env=dict(environment),
                stdin=subprocess.DEVNULL,
                pass_fds=[theirs.fileno()],
            )

    def start(
        self,
        argv: Sequence[str],
        *,
        cwd: Path,
        env: Mapping[str, str],
        stdin: int | IO[bytes],
        stdout: int | IO[bytes],
        stderr: int | IO[bytes],
    ) -> WarmProcess:
        """Start `python *argv`; `argv` begins with `-m MODULE` or with a script."""
        job = json.dumps({"argv": list(argv), "cwd": str(cwd), "env": dict(env)}).encode()
        status, keeper = os.pipe()
        files = [each if isinstance(each, int) else each.fileno() for each in (stdin, stdout, stderr)]
        socket.send_fds(self._ours, [len(job).to_bytes(4, "big")], [*files, keeper])
        self._ours.sendall(job)
        os.close(keeper)
        return WarmProcess(status)

    def close(self) -> None:
        self._ours.close()
        self._process.wait(60)


@dataclass(frozen=True)
class Job:
    """What one process has to do."""

    argv: list[str]
    cwd: str
    env: dict[str, str]


def serve(requests: socket.socket) -> Job | None:
    """Fork a process for each request; comes back in that process with its job, or with none at the end.

    Between the two stands a keeper, the parent that says the pid and then the exit code.
    """
    signal.signal(signal.SIGCHLD, signal.SIG_IGN)  # keepers are waited for by nobody
    while True:
        head, files, _, _ = socket.recv_fds(requests, 4, 4)
        if not head:
            return None
        content = requests.recv(int.from_bytes(head, "big"), socket.MSG_WAITALL)
        if os.fork():
            for each in files:
                os.close(each)
            continue
        signal.signal(signal.SIGCHLD, signal.SIG_DFL)
        requests.close()
        *standard, keeper = files
        waiting, ready = os.pipe()
        child = os.fork()
        if child == 0:
            os.close(keeper)
            os.close(waiting)
            for number, each in enumerate(standard):
                os.dup2(each, number)
                os.close(each)
            os.close(ready)
            return Job(**json.loads(content))
        os.close(ready)
        os.read(waiting, 1)  # a fork forgets signals that come before it has taken hold
        os.close(waiting)
        keep(child, keeper, standard)


def keep(child: int, status: int, files: Sequence[int]) -> NoReturn:
    """Tell of one process until it has ended; whoever reads its output must not wait for the keeper."""
    quiet = os.open(os.devnull, os.O_RDWR)
    for number in (0, 1, 2):
        os.dup2(quiet, number)
    for each in files:
        os.close(each)
    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        signal.signal(number, signal.SIG_IGN)
    os.write(status, b"%d\n" % child)
    _, ended = os.waitpid(child, 0)
    os.write(status, b"%d\n" % os.waitstatus_to_exitcode(ended))
    os._exit(0)


def become(job: Job) -> None:
    """Do what `python *argv` does once it is running."""
    os.chdir(job.cwd)
    os.environ.clear()
    os.environ.update(job.env)
    for number, (name, mode) in enumerate((("stdin", "r"), ("stdout", "w"), ("stderr", "w"))):
        old = getattr(sys, name)  # it has made up its mind whether it can seek
        line_wise = 1 if name == "stderr" else -1
        new = open(number, mode, line_wise, old.encoding, old.errors, closefd=False)  # noqa: SIM115
        setattr(sys, name, new)
        setattr(sys, f"__{name}__", new)
    if job.argv[0] == "-m":
        sys.argv, sys.path[0] = job.argv[1:], job.cwd
        runpy.run_module(job.argv[1], run_name="__main__", alter_sys=True)
    else:
        sys.argv, sys.path[0] = job.argv, str(Path(job.argv[0]).parent)
        runpy.run_path(job.argv[0], run_name="__main__")


def import_all() -> None:
    for package in WARM_PACKAGES:
        found: Any = importlib.import_module(package)
        for module in pkgutil.iter_modules(found.__path__, f"{package}."):
            importlib.import_module(module.name)


if __name__ == "__main__":
    import_all()
    with socket.socket(fileno=int(sys.argv[1])) as door:
        todo = serve(door)
    if todo is not None:
        become(todo)
