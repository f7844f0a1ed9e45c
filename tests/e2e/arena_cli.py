"""`arena` as a process: started, waited for, signalled, killed, its folders photographed.

Everything lies under one temporary folder: the tournament files in it, ARENA_HOME in `home`.
"""

from __future__ import annotations

import atexit
import functools
import hashlib
import itertools
import json
import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from warm_start import INTERPRETERS, WarmInterpreter, WarmProcess, needs_a_start_of_its_own

from arena_tui.store.reader import Reader

ROOT = Path(__file__).parents[2]
DRIVER = Path(__file__).with_name("crash_driver.py")
WAIT = 60.0  # seconds; no state that a test waits for takes longer, however busy the machine is
STRENGTHS = {"amber": 1.5, "birch": 1.0, "cedar": 0.5, "dune": 0.0, "ember": -0.5, "fern": -1.0}


@dataclass(frozen=True)
class Done:
    """A process that has ended."""

    code: int
    out: str
    err: str

    @property
    def result(self) -> dict[str, Any]:
        """The object that `--json` printed."""
        return dict(json.loads(self.out))


class Running:
    """A process that is running; what it says goes to files, so that it can be read at any time."""

    def __init__(self, process: subprocess.Popen[bytes] | WarmProcess, out: Path, err: Path) -> None:
        self.process = process
        self.pid = process.pid
        self._out, self._err = out, err

    @property
    def out(self) -> str:
        return self._out.read_text(encoding="utf-8")

    @property
    def err(self) -> str:
        return self._err.read_text(encoding="utf-8")

    def signal(self, number: signal.Signals) -> None:
        self.process.send_signal(number)

    def until_said(self, text: str) -> None:
        """Wait until stderr holds `text`."""
        eventually(lambda: text in self.err or self.ended, f"{text!r} on stderr")
        assert text in self.err, f"ended without saying {text!r}: {self.err}"

    @property
    def ended(self) -> bool:
        return self.process.poll() is not None

    def wait(self) -> Done:
        code = self.process.wait(WAIT)
        return Done(code, self.out, self.err)

    def kill(self) -> None:
        """kill -9, which must find the process alive."""
        self.process.kill()
        assert self.process.wait(WAIT) == -signal.SIGKILL, f"it had ended by itself: {self.err}"


class Arena:
    """One ARENA_HOME and one working folder, and the command line in them."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.home = folder / "home"
        self.started: list[Running] = []
        self._number = itertools.count()

    def tournament(self, file_name: str = "t.yaml", /, **parts: Any) -> Path:
        """Write a tournament file: six candidates, a simulated judge, 60 matches, unless told otherwise."""
        content = {
            "name": "e2e",
            "task": "Which text is better?",
            "candidates": [
                {"id": id_, "text": f"A text about {id_}.", "strength": strength}
                for id_, strength in STRENGTHS.items()
            ],
            "format": {"kind": "elo", "similarity": "none"},
            "judge": {"kind": "simulated", "mode": "pairwise"},
            "limits": {"matches": 60},
            "stop": {"rule": "none"},
            "seed": 7,
        } | parts
        path = self.folder / file_name
        path.write_text(json.dumps(content, indent=1), encoding="utf-8")
        return path

    def environment(self, driver: Mapping[str, Any] | None = None, **more: str) -> dict[str, str]:
        # Whatever the tests themselves run with; compiling everything anew would take a third of the time.
        ours = ("ARENA_HOME", "NO_COLOR", "PYTHONUNBUFFERED", "PYTHONDONTWRITEBYTECODE")
        kept = {key: value for key, value in os.environ.items() if key not in ours}
        kept |= {"ARENA_HOME": str(self.home), "PYTHONPATH": str(ROOT)} | more
        return kept if driver is None else kept | {"ARENA_DRIVER": json.dumps(driver, default=str)}

    def argv(self, args: tuple[object, ...], driver: Mapping[str, Any] | None = None) -> list[str]:
        program = ["-m", "arena_tui"] if driver is None else [str(DRIVER)]
        return [sys.executable, *program, *map(str, args)]

    def run(
        self, *args: object, driver: Mapping[str, Any] | None = None, typed: str = "", **environment: str
    ) -> Done:
        """Run a command to its end. `driver` are the wishes of `crash_driver`."""
        argv, env = self.argv(args, driver), self.environment(driver, **environment)
        if not needs_a_start_of_its_own(environment):
            return run_warm(argv[1:], cwd=self.folder, env=env, typed=typed.encode())
        done = subprocess.run(
            argv, cwd=self.folder, env=env, input=typed.encode(), capture_output=True, timeout=WAIT
        )
        return Done(done.returncode, done.stdout.decode(), done.stderr.decode())

    def start(
        self,
        *args: object,
        driver: Mapping[str, Any] | None = None,
        cold: bool = False,
        **environment: str,
    ) -> Running:
        """Start a command and come back at once; `cold`: in a new interpreter, for tests of the start."""
        number = next(self._number)
        out, err = self.folder / f"out.{number}", self.folder / f"err.{number}"
        with out.open("wb") as stdout, err.open("wb") as stderr:
            argv, env = self.argv(args, driver), self.environment(driver, **environment)
            process: subprocess.Popen[bytes] | WarmProcess
            if cold or needs_a_start_of_its_own(environment):
                process = subprocess.Popen(
                    argv, cwd=self.folder, env=env, stdin=subprocess.DEVNULL, stdout=stdout, stderr=stderr
                )
            else:
                with Path(os.devnull).open("rb") as nothing:
                    process = warm_interpreter().start(
                        argv[1:], cwd=self.folder, env=env, stdin=nothing, stdout=stdout, stderr=stderr
                    )
        running = Running(process, out, err)
        self.started.append(running)
        return running

    def db(self) -> Path:
        """The file of the only run."""
        (path,) = (self.home / "runs").glob("*.db")
        return path

    def matches(self, run: object = None) -> str:
        """`arena export --what matches`."""
        done = self.run("export", *([] if run is None else [run]), "--what", "matches")
        assert (done.code, done.err) == (0, ""), done
        return done.out

    def verify(self, run: object = None) -> None:
        """`arena verify` must find nothing."""
        done = self.run("verify", *([] if run is None else [run]))
        assert (done.code, done.err) == (0, ""), done


@functools.cache
def warm_interpreters() -> Callable[[], WarmInterpreter]:
    """The next of this test process's warm interpreters, in turn."""
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}
    for name in ("PYTHONUNBUFFERED", "PYTHONDONTWRITEBYTECODE", "PYTHONHASHSEED"):
        environment.pop(name, None)
    made = [WarmInterpreter(environment) for _ in range(INTERPRETERS)]
    for each in made:
        atexit.register(each.close)
    turns = itertools.cycle(made)
    return lambda: next(turns)


def warm_interpreter() -> WarmInterpreter:
    return warm_interpreters()()


def run_warm(argv: list[str], *, cwd: Path, env: Mapping[str, str], typed: bytes) -> Done:
    """`subprocess.run` with captured output, as a fork of a warm interpreter."""
    pipes = [os.pipe() for _ in range(3)]
    (stdin, to_stdin), (from_stdout, stdout), (from_stderr, stderr) = pipes
    os.write(to_stdin, typed)  # what tests type is shorter than what a pipe holds
    os.close(to_stdin)
    process = warm_interpreter().start(argv, cwd=cwd, env=env, stdin=stdin, stdout=stdout, stderr=stderr)
    for each in (stdin, stdout, stderr):
        os.close(each)
    said: dict[int, bytes] = {}

    def read(end: int) -> None:
        with open(end, "rb") as stream:
            said[end] = stream.read()

    readers = [threading.Thread(target=read, args=(end,), daemon=True) for end in (from_stdout, from_stderr)]
    for reader in readers:
        reader.start()
    try:
        code = process.wait(WAIT)
    except subprocess.TimeoutExpired:
        process.kill()
        process.wait()
        raise
    for reader in readers:
        reader.join(WAIT)
    return Done(code, said[from_stdout].decode(), said[from_stderr].decode())


def eventually(condition: Callable[[], bool], what: str = "the state that was waited for") -> None:
    """Wait, within a bound, until `condition()` holds."""
    deadline = time.monotonic() + WAIT
    while not condition():
        assert time.monotonic() < deadline, f"never came: {what}"
        time.sleep(0.005)


def lines_of(path: Path) -> list[str]:
    """The whole lines of a file that another process writes; none when it is not there yet."""
    if not path.exists():
        return []
    return path.read_bytes().decode().split("\n")[:-1]


def events_of(path: Path) -> list[dict[str, Any]]:
    """The events of `--events FILE` that are written to their ends."""
    return [json.loads(line) for line in lines_of(path)]


def asked_in(path: Path) -> list[tuple[str, ...]]:
    """What `crash_driver` noted as asked: (group, seq, orientation), once a call."""
    return [tuple(line.split()[1:]) for line in lines_of(path) if line.startswith("asked ")]


def assert_acknowledged_is_stored(db: Path, told: list[dict[str, Any]]) -> None:
    """Everything that an event has told is in the database, as it was told, exactly once."""
    with Reader(db) as reader:
        applied = {(m["group"], m["seq"]): m for m in reader.matches()}
        assert len(applied) == reader.applied()
        said = {(c["group"], c["seq"], c["a"]): c["winner"] for c in reader.comparisons()}
        waiting = {(p.step.group, p.step.seq): p for p in reader.pending()}
        journaled = [(a.pos, a.intervention.kind) for a in reader.interventions()]
    for event in told:
        match event:
            case {"kind": "match", "group": group, "seq": seq}:
                stored = applied[group, seq]
                assert stored["applied_no"] == event["applied_no"]
                assert (stored["hyp_a"], stored["hyp_b"]) == (event["hyp_a"], event["hyp_b"])
                assert stored["overruled_by"] or stored["winner"] == event["winner"]
            case {"kind": "rating", "group": group, "seq": seq}:
                stored = applied[group, seq]
                if not any(kind == "overrule" for _, kind in journaled):
                    assert stored["elo_a_after"] == event["a_after"]
                    assert stored["elo_b_after"] == event["b_after"]
            case {"kind": "comparison", "group": group, "seq": seq, "orientation": orientation}:
                if (group, seq) in waiting:
                    verdicts = {v.orientation: v.verdict for v in waiting[group, seq].verdicts}
                    assert verdicts[orientation] == event["verdict"]
                else:
                    first = applied[group, seq]["hyp_a" if orientation == "ab" else "hyp_b"]
                    winner = {"first": "a", "second": "b"}.get(event["verdict"], event["verdict"])
                    assert said[group, seq, first] == winner
            case {"kind": "intervention", "pos": pos, "action": action}:
                assert (pos, action) in journaled
    for kind, key in (("match", ("group", "seq")), ("comparison", ("group", "seq", "orientation"))):
        heard = [tuple(event[name] for name in key) for event in told if event["kind"] == kind]
        assert len(heard) == len(set(heard)), f"a {kind} was told twice"


def photograph(*folders: Path) -> dict[str, str]:
    """Every path below `folders` with what is in it (large files: their size), to compare later."""
    seen: dict[str, str] = {}
    for folder in folders:
        for path in sorted(folder.rglob("*")):
            if path.is_dir():
                seen[str(path)] = "folder"
            elif path.stat().st_size > 50_000_000:
                seen[str(path)] = f"{path.stat().st_size} bytes"
            else:
                seen[str(path)] = photograph_of(path.read_bytes())
    return seen


def photograph_of(content: bytes) -> str:
    """What a file with this content is in a photograph."""
    return hashlib.sha256(content).hexdigest()
