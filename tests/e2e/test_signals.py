"""Signals and closed streams: an end that was asked for is quick, loses nothing and can be resumed."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import time
from typing import Any

import pytest
from arena_cli import WAIT, Arena, Running, asked_in, events_of, eventually, lines_of

from arena_tui.store.reader import Reader

CONCURRENCY = 6
LIMITS = {"matches": 40, "concurrency": CONCURRENCY}


def started_and_held(arena: Arena, hold: dict[str, Any], calls: int, limits: Any = None) -> Running:
    """A run that has made `calls` calls, of which those in `hold` wait for the file `go`."""
    file = arena.tournament(limits=LIMITS | (limits or {}))
    driver = {"calls": arena.folder / "calls", "hold": hold | {"until": arena.folder / "go"}}
    running = arena.start("--no-ui", "--json", "--events", "events", file, driver=driver)
    eventually(lambda: len(asked_in(arena.folder / "calls")) == calls or running.ended, f"{calls} calls")
    assert not running.ended, running.err
    return running


def resumed_to_the_end(arena: Arena, already: set[tuple[str, ...]]) -> None:
    """The run goes on to its limit, without a second call of those in `already`."""
    log = arena.folder / "calls-of-the-rest"
    done = arena.run("resume", "--no-ui", "--json", driver={"calls": log})
    assert done.code == 3, done
    assert sum(done.result["matches"].values()) == LIMITS["matches"]
    assert not already & set(asked_in(log))
    arena.verify()
    killed_export = arena.matches()
    assert arena.run("--no-ui", "--new", "--quiet", "--db", "whole.db", "t.yaml").code == 3
    assert arena.matches("whole.db") == killed_export


@pytest.mark.parametrize(
    ("number", "code"), [(signal.SIGINT, 130), (signal.SIGTERM, 143), (signal.SIGHUP, 129)]
)
def test_first_signal_answers_at_once_and_lets_calls_in_flight_finish(
    arena: Arena, number: signal.Signals, code: int
) -> None:
    running = started_and_held(arena, {"from": 7}, 6 + CONCURRENCY)
    asked = time.monotonic()
    running.signal(number)
    running.until_said("nothing new starts, 6 calls finish")
    assert time.monotonic() - asked < 1.0
    assert not running.ended, "the calls in flight are still going on"
    (arena.folder / "go").touch()
    done = running.wait()
    assert done.code == code
    assert "Traceback" not in done.err
    calls = asked_in(arena.folder / "calls")
    assert len(calls) == 6 + CONCURRENCY, "nothing new has started"
    result = done.result
    assert (result["stop_reason"], result["matches"]["held"]) == ("EXTERNAL", 0)
    assert sum(result["matches"].values()) == len(calls), "every call in flight has counted"
    assert events_of(arena.folder / "events")[-1]["exit_code"] == code
    resumed_to_the_end(arena, set(calls))


def test_second_signal_ends_at_once_and_verdicts_behind_the_gap_are_held(arena: Arena) -> None:
    # Match 3 hangs; with a lookahead of 12 the others go on to match 14, whose plan needs 2 outcomes.
    running = started_and_held(arena, {"seqs": [3]}, 14)
    eventually(lambda: sum(e["kind"] == "comparison" for e in events_of(arena.folder / "events")) == 13)
    running.signal(signal.SIGINT)
    running.until_said("nothing new starts")
    asked = time.monotonic()
    running.signal(signal.SIGINT)
    done = running.wait()
    assert time.monotonic() - asked < 3.0
    assert done.code == 130
    assert "Traceback" not in done.err
    matches = done.result["matches"]
    assert matches["held"] == 11
    assert sum(matches.values()) == 13
    assert "11 held for later" in done.err
    shown = json.loads(arena.run("show", "--json").out)
    assert shown["matches"] == matches
    answered = {call for call in asked_in(arena.folder / "calls") if call[1] != "3"}
    resumed_to_the_end(arena, answered)


def test_calls_that_outlive_the_grace_are_cancelled(arena: Arena) -> None:
    running = started_and_held(arena, {"from": 1}, CONCURRENCY, {"grace": 0.3})
    running.signal(signal.SIGTERM)
    done = running.wait()
    assert done.code == 143
    assert sum(done.result["matches"].values()) == 0
    resumed_to_the_end(arena, set())


def test_signal_during_a_pause_ends_the_run(arena: Arena) -> None:
    running = started_and_held(arena, {"from": 7}, 6 + CONCURRENCY)
    assert arena.run("act", arena.db(), "pause").code == 0
    (arena.folder / "go").touch()
    running.until_said("paused: nothing is in flight")
    running.signal(signal.SIGINT)
    assert running.wait().code == 130


def test_signal_before_the_run_has_started_is_no_traceback(arena: Arena) -> None:
    file = arena.tournament()
    for _ in range(3):
        held = {"hold": {"from": 1, "until": "never"}}
        running = arena.start("--no-ui", "--quiet", file, driver=held, cold=True)
        eventually(lambda: (arena.home / "runs").exists() or running.ended)  # noqa: B023 - called at once
        running.signal(signal.SIGINT)
        running.signal(signal.SIGINT)
        done = running.wait()
        assert done.code in (130, -signal.SIGINT), done  # a shell sees 130 in either case
        assert "Traceback" not in done.err


# --- closed streams ---------------------------------------------------------------------------------


def through_shell(arena: Arena, redirection: str, *args: object) -> subprocess.CompletedProcess[str]:
    """Run `arena ARGS REDIRECTION` in bash; its return code is arena's, also before a pipe."""
    words = [*arena.argv(()), *map(str, args)]
    return subprocess.run(
        ["bash", "-c", f'"$@" {redirection}; exit ${{PIPESTATUS[0]}}', "bash", *words],
        cwd=arena.folder,
        env=arena.environment(),
        capture_output=True,
        text=True,
        timeout=WAIT,
        stdin=subprocess.DEVNULL,
    )


@pytest.mark.parametrize("redirection", ["| true", "| head -1", ">&-", "> /dev/full"])
@pytest.mark.parametrize("output", ["--json", "--quiet", "--events=-"])
def test_closed_stdout_is_no_traceback_and_the_run_is_whole(
    arena: Arena, redirection: str, output: str
) -> None:
    file = arena.tournament()
    done = through_shell(arena, redirection, "--no-ui", output, file)
    assert "Traceback" not in done.stderr
    assert "Exception ignored" not in done.stderr
    assert done.returncode in (1, 3) if redirection == "> /dev/full" else done.returncode == 3, done
    with Reader(arena.db()) as reader:
        assert reader.applied() == 60
        assert reader.meta()["exit_code"] == "3"


@pytest.mark.parametrize("command", ["runs", "show", "export", "check t.yaml", "plan t.yaml", "--help"])
def test_reader_that_goes_away_is_no_traceback(arena: Arena, command: str) -> None:
    file = arena.tournament()
    arena.run("--no-ui", "--quiet", file)
    for redirection in ("| true", ">&-"):
        done = through_shell(arena, redirection, *command.split())
        said = [line for line in done.stderr.splitlines() if not line.endswith("other formats")]  # progress
        assert said == []


@pytest.mark.parametrize("redirection", ["2>&-", "2> /dev/full", "2> >(true)"])
def test_closed_stderr_does_not_stop_a_run(arena: Arena, redirection: str) -> None:
    done = through_shell(arena, redirection, "--no-ui", "--json", arena.tournament())
    assert done.returncode == 3
    assert sum(json.loads(done.stdout)["matches"].values()) == 60
    arena.verify()


def test_events_that_nobody_takes_any_more_do_not_stop_a_run(arena: Arena) -> None:
    fifo = arena.folder / "fifo"
    os.mkfifo(fifo)
    go = arena.folder / "go"
    driver = {"hold": {"from": 20, "until": go}, "calls": arena.folder / "calls"}
    running = arena.start("--no-ui", "--json", "--events", fifo, arena.tournament(), driver=driver)
    with fifo.open(encoding="utf-8") as events:
        assert json.loads(events.readline())["kind"] == "run"
    go.touch()
    done = running.wait()
    assert done.code == 3
    assert "Traceback" not in done.err
    assert len(lines_of(arena.folder / "calls")) == 120
