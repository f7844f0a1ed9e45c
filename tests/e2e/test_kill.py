"""kill -9, at random moments and at every named point: nothing paid for is lost, bought twice or doubled."""

from __future__ import annotations

import json
import random
import shutil
import signal
import time
from contextlib import closing
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest
from arena_cli import Arena, Done, assert_acknowledged_is_stored, events_of, eventually, lines_of

from arena_tui.candidate import Candidate
from arena_tui.engine.actions import Action
from arena_tui.engine.opening import action_to
from arena_tui.store import inbox
from arena_tui.store.crash_points import CrashPoint
from arena_tui.store.reader import Reader
from arena_tui.store.schema import open_reading

IN_FLIGHT = 32
USAGE = {"input_tokens": 100, "output_tokens": 10, "usd": 0.001}
LATENCIES: tuple[Any, ...] = (0, 0.005, 0.02, {"mean": 0.01, "cv": 0.5}, {"mean": 0.008, "cv": 1.0})
KILLS = 10  # of each run; five runs make fifty


def stored_replies(db: Path) -> set[tuple[str, ...]]:
    """Every comparison whose paid reply is in the database; none is there twice."""
    with closing(open_reading(db)) as conn:
        rows = conn.rows(
            "SELECT s.group_id, s.group_seq, c.orientation FROM calls c JOIN steps s ON s.id = c.step"
        )
    replies = [(group, str(seq), orientation) for group, seq, orientation in rows]
    assert len(replies) == len(set(replies)), "a reply is stored twice"
    return set(replies)


@dataclass
class Calls:
    """The calls of a run as `crash_driver` notes them, sitting by sitting."""

    log: Path
    stored: set[tuple[str, ...]] = field(default_factory=set)
    asked: int = 0
    seen: int = 0

    def sitting_ended(self, db: Path) -> int:
        """Check the sitting that has just ended; how many of its calls will have to be repeated."""
        lines = [tuple(line.split()) for line in lines_of(self.log)[self.seen :]]
        self.seen += len(lines)
        asked = [call[1:] for call in lines if call[0] == "asked"]
        replied = {call[1:] for call in lines if call[0] == "replied"}
        self.asked += len(asked)
        assert len(asked) == len(set(asked)), "a call was made twice in one sitting"
        assert not self.stored & set(asked), "a call was repeated although its reply is stored"
        assert len(asked) - len(replied) <= IN_FLIGHT
        self.stored = stored_replies(db) if db.exists() else set()
        return len(set(asked) - self.stored)


@pytest.mark.parametrize("number", range(len(LATENCIES)))
def test_run_killed_ten_times_at_random_moments_ends_like_the_unbroken_run(arena: Arena, number: int) -> None:
    moments = random.Random(f"kill:{number}")
    candidates = [{"id": f"c{i}", "text": f"text {i}"} for i in range(12)]
    judge = {"kind": "simulated", "latency": LATENCIES[number], "usage": USAGE}
    limits = {"wall_clock": "1h", "concurrency": IN_FLIGHT}
    file = arena.tournament(candidates=candidates, judge=judge, limits=limits)
    db, told, calls = arena.folder / "run.db", arena.folder / "events", Calls(arena.folder / "calls")
    lost = []
    for kill in range(KILLS):
        before = len(lines_of(told))
        starting = kill % 3 == 0
        wishes = {"calls": calls.log}
        running = arena.start(
            "--no-ui", "--quiet", "--db", db, "--events", told, file, driver=wishes, cold=starting
        )
        if starting:  # in start-up, which takes about 0.3 s
            time.sleep(moments.uniform(0.05, 0.35))
        else:
            eventually(lambda: len(lines_of(told)) > before + 40, "matches")  # noqa: B023 - called at once
            time.sleep(moments.uniform(0, 0.1))
        running.kill()
        lost.append(calls.sitting_ended(db))
        if db.exists():
            assert_acknowledged_is_stored(db, events_of(told))
    with Reader(db) as reader:
        enough = reader.counts().planned + 40
    assert arena.run("act", db, "limit", f"matches={enough}").code == 0
    assert arena.run("act", db, "limit", "concurrency=5").code == 0
    ended = arena.run("resume", db, "--quiet", "--events", told, driver={"calls": calls.log})
    assert ended.code == 3, ended
    assert calls.sitting_ended(db) == 0
    assert sum(lost) <= KILLS * IN_FLIGHT
    assert calls.asked == len(calls.stored) + sum(lost)
    assert len(calls.stored) == enough
    assert_acknowledged_is_stored(db, events_of(told))
    print(f"calls to repeat after each kill: {lost}")
    arena.verify(db)
    unbroken = arena.folder / "unbroken.db"
    whole = arena.run(
        *("--no-ui", "--quiet", "--db", unbroken, file),
        *("--set", "judge.latency=0", "--set", f"limits.matches={enough}"),
    )
    assert whole.code == 3, whole
    assert arena.matches(db) == arena.matches(unbroken)


def test_kill_while_a_run_is_made_leaves_no_half_made_run(arena: Arena) -> None:
    file = arena.tournament()
    assert arena.run("--no-ui", file, driver={"making": True}).code == -signal.SIGKILL
    assert list((arena.home / "runs").glob("*.db")) == []
    assert json.loads(arena.run("runs", "--json").out) == []
    assert arena.run("--no-ui", "--quiet", file).code == 3
    arena.verify()


def test_killed_run_is_listed_as_interrupted_and_goes_on_by_default(arena: Arena) -> None:
    file, go = arena.tournament(), arena.folder / "go"
    held = {"calls": arena.folder / "calls", "hold": {"from": 20, "until": go}}
    running = arena.start("--no-ui", "--events", "events", file, driver=held)
    eventually(lambda: len(events_of(arena.folder / "events")) > 50, "events")
    (row,) = json.loads(arena.run("runs", "--json").out)
    assert row["status"] == "running"
    running.kill()
    (row,) = json.loads(arena.run("runs", "--json").out)
    assert (row["status"], row["stop_reason"]) == ("interrupted", None)
    resumed = arena.run("--no-ui", "--json", file)
    assert resumed.code == 3
    assert resumed.result["run"] == row["run"]
    assert f"going on with run {row['run']}" in resumed.err


# --- named points -----------------------------------------------------------------------------------

PLAYED = 12  # matches before the interventions: an overrule needs some
ADDED = Candidate("gorse", "A text about gorse.", strength=2.0)
REQUESTS = (  # the last frees places of the window, so what comes after it would meet another moment
    Action("add", ("more.jsonl",), (ADDED,)),
    Action("overrule", ("3", "void")),
    Action("focus", ("amber",)),
    Action("overrule", ("main:5", "draw")),
    Action("reject", ("fern",)),
)
HITS = {  # which time of reaching the point is the last: early, and in the thick of it
    CrashPoint.BEFORE_BEGIN: (1, 9),
    CrashPoint.IN_BATCH: (1, 60),
    CrashPoint.BEFORE_COMMIT: (1, 9),
    CrashPoint.AFTER_COMMIT: (1, 9),
    CrashPoint.AFTER_RESOLVE: (1, 9),
    CrashPoint.IN_RECORD: (1, 30),
    CrashPoint.IN_REFOLD: (1, 2),
    CrashPoint.BEFORE_CALL: (1, 30),
    CrashPoint.AFTER_CALL: (1, 30),
    CrashPoint.INTERVENTION_QUEUED: (1, 5),
}


class Prepared:
    """A run that has stopped after `PLAYED` matches, to be copied, and how it goes on unbroken."""

    def __init__(self, folder: Path) -> None:
        self.arena = Arena(folder)
        judge = {"kind": "simulated", "mode": "pairwise", "usage": USAGE, "latency": 0.002}
        file = self.arena.tournament(judge=judge, limits={"matches": PLAYED, "concurrency": 8})
        self.db = folder / "prepared.db"
        self.arena.run("--no-ui", "--quiet", "--db", self.db, file)
        assert self.arena.run("act", self.db, "limit", "matches=60").code == 0
        whole = self.copy(folder / "whole.db")
        leave_requests(whole)
        assert go_on(self.arena, whole, {}).code == 3
        self.unbroken = self.arena.matches(whole)

    def copy(self, db: Path) -> Path:
        shutil.copy(self.db, db)
        return db


def leave_requests(db: Path) -> list[str]:
    """Queue the interventions as another process would; the judge then waits until all are taken."""
    return [inbox.send(db, action_to(request), "a test") for request in REQUESTS]


def go_on(arena: Arena, db: Path, wishes: dict[str, Any], *more: object) -> Done:
    """`arena resume`; no call is answered while a request is waiting, so all take effect after PLAYED."""
    driver = {"inbox": db.with_name(f"{db.name}.inbox"), **wishes}
    return arena.run("resume", db, "--quiet", *more, driver=driver)


@pytest.fixture(scope="module")
def prepared(tmp_path_factory: pytest.TempPathFactory) -> Prepared:
    return Prepared(tmp_path_factory.mktemp("prepared"))


def test_unbroken_run_takes_all_interventions_at_the_same_place(prepared: Prepared) -> None:
    with Reader(prepared.db.with_name("whole.db")) as reader:
        acts = reader.interventions()
        assert reader.counts().withdrawn > 0
    asked = [request.verb for request in REQUESTS]
    assert [act.intervention.kind for act in acts] == ["settings", *asked]
    assert {act.after_applied for act in acts} == {PLAYED}


@pytest.mark.parametrize("late", [False, True], ids=["early", "late"])
@pytest.mark.parametrize("point", CrashPoint)
def test_kill_at_a_named_point_loses_and_doubles_nothing(
    arena: Arena, prepared: Prepared, point: CrashPoint, late: bool
) -> None:
    db, told, calls = arena.folder / "run.db", arena.folder / "events", Calls(arena.folder / "calls")
    prepared.copy(db)
    calls.stored = stored_replies(db)
    before = len(calls.stored)
    requests = leave_requests(db)
    killed = go_on(arena, db, {"crash": [point, HITS[point][late]], "calls": calls.log}, "--events", told)
    assert killed.code == -signal.SIGKILL, f"{point} was not reached: {killed}"
    lost = calls.sitting_ended(db)
    assert_acknowledged_is_stored(db, events_of(told))
    if late:
        arena.verify(db)
        assert arena.run("act", db, "limit", "concurrency=3").code == 0
    resumed = go_on(arena, db, {"calls": calls.log}, "--events", told)
    assert resumed.code == 3, resumed
    assert calls.sitting_ended(db) == 0
    assert calls.asked == len(calls.stored) - before + lost
    assert lost <= 8
    assert_acknowledged_is_stored(db, events_of(told))
    with Reader(db) as reader:
        journaled = [act.origin for act in reader.interventions() if act.origin in requests]
    assert journaled == requests, "each request takes effect once, in the order of asking"
    assert all(inbox.wait_answer(db, request, 0) is not None for request in requests)
    arena.verify(db)
    assert arena.matches(db) == prepared.unbroken
