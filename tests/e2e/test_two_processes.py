"""Two processes and one run: one drives it, the others are told so, act through its inbox, and read along."""

from __future__ import annotations

import json
import re
import time
from pathlib import Path
from typing import Any

import pytest
from arena_cli import STRENGTHS, Arena, Running, asked_in, events_of, eventually, photograph

from arena_tui.engine.actions import Action
from arena_tui.engine.opening import action_to
from arena_tui.store import inbox
from arena_tui.store.reader import Reader

PROMPTLY = 2.0  # seconds in which a driver answers; it looks four times a second
MATCHES = 60


class Driven:
    """A run in mid-course: 20 matches applied, the calls of the next ones waiting for `let_go`."""

    def __init__(self, arena: Arena, **limits: Any) -> None:
        self.arena = arena
        self.file = arena.tournament(limits={"matches": MATCHES, "concurrency": 4, "lookahead": 8} | limits)
        self.go, self.events, self.calls = (arena.folder / name for name in ("go", "events", "calls"))
        driver = {"hold": {"from": 21, "until": self.go}, "calls": self.calls}
        self.process: Running = arena.start(
            "--no-ui", "--json", "--events", self.events, self.file, driver=driver
        )
        eventually(lambda: self.told("match") == 20 or self.process.ended, "20 matches")
        self.db = arena.db()

    def told(self, kind: str) -> int:
        return sum(event["kind"] == kind for event in events_of(self.events))

    def act(self, verb: str, *args: str) -> tuple[bool, str]:
        """Ask as `arena act` does; the answer, which must be prompt."""
        request = inbox.send(self.db, action_to(Action(verb, args)), "a test")
        answer = inbox.wait_answer(self.db, request, PROMPTLY)
        assert answer is not None, f"{verb} was not answered within {PROMPTLY} s: {self.process.err}"
        return answer

    def let_go(self) -> None:
        self.go.touch()


@pytest.fixture
def driven(arena: Arena) -> Driven:
    return Driven(arena)


@pytest.mark.parametrize("command", ["resume {run}", "resume {db}", "--no-ui t.yaml", "delete --yes {run}"])
def test_second_process_is_refused_and_told_who_drives_the_run(driven: Driven, command: str) -> None:
    before = driven.db.read_bytes()
    args = command.format(run=driven.db.stem, db=driven.db).split()
    done = driven.arena.run(*args)
    assert done.code == 4
    assert done.out == ""
    assert f"process {driven.process.pid}" in done.err
    assert "arena act" in done.err
    assert len(done.err.strip().splitlines()) == 1
    assert driven.db.read_bytes() == before
    driven.let_go()
    assert driven.process.wait().code == 3
    driven.arena.verify()


def test_new_run_of_the_same_file_may_run_beside_a_driven_one(driven: Driven) -> None:
    assert driven.arena.run("--no-ui", "--quiet", "--new", driven.file).code == 3
    driven.let_go()
    assert driven.process.wait().code == 3
    rows = json.loads(driven.arena.run("runs", "--json").out)
    assert [row["matches"] for row in rows] == [MATCHES, MATCHES]


def test_reading_commands_work_beside_the_driver(driven: Driven) -> None:
    for command in ("runs", "show", "verify", "export", "export --what config", "export --what comparisons"):
        done = driven.arena.run(*command.split())
        assert (done.code, done.err) == (0, ""), done
    shown = json.loads(driven.arena.run("show", "--json").out)
    assert shown["stop_reason"] is None
    assert sum(shown["matches"].values()) == 20
    assert driven.process.process.poll() is None


def test_pause_and_resume_from_another_process(driven: Driven) -> None:
    asked = len(asked_in(driven.calls))
    began = time.monotonic()
    done = driven.arena.run("act", driven.db.stem, "pause")
    assert (done.code, done.err) == (0, "paused\n")
    assert time.monotonic() - began < 5, "one start of the program, and at most a second of waiting"
    driven.let_go()
    driven.process.until_said("paused: nothing is in flight")
    assert len(asked_in(driven.calls)) == asked, "nothing new starts in a pause"
    eventually(lambda: json.loads(driven.arena.run("runs", "--json").out)[0]["status"] == "paused")
    assert "paused: not ended yet" in driven.arena.run("show").out.splitlines()
    assert driven.act("pause") == (False, "the run is paused or stopping already")
    assert driven.arena.run("act", driven.db.stem, "pause").code == 2
    done = driven.arena.run("act", driven.db.stem, "resume")
    assert (done.code, done.err) == (0, "going on\n")
    eventually(lambda: json.loads(driven.arena.run("runs", "--json").out)[0]["status"] != "paused")
    assert driven.process.wait().code == 3
    phases = [event["phase"] for event in events_of(driven.events) if event["kind"] == "pause"]
    assert phases == ["paused", "quiesced", "resumed"]


def test_interventions_are_answered_promptly_and_journaled_where_they_took_effect(driven: Driven) -> None:
    more = driven.arena.folder / "more.jsonl"
    more.write_text(json.dumps({"id": "gorse", "text": "A text about gorse.", "strength": 3}) + "\n")
    assert driven.act("pin", "amber") == (True, "amber is now pinned")
    assert driven.act("reject", "fern") == (True, "fern is now rejected")
    assert driven.act("limit", "concurrency=2")[0]
    assert driven.act("overrule", "1", "void")[0]
    added = driven.arena.run("act", driven.db, "add", more)
    assert (added.code, added.err) == (0, "gorse is in the tournament\n")
    ok, told = driven.act("focus", "gorse")
    assert ok
    assert re.fullmatch(r"gorse meets its nearest opponent after the \d+ matches already planned", told)
    ok, told = driven.act("match", "amber", "birch")
    assert ok
    assert re.fullmatch(r"amber meets birch after the \d+ matches already planned", told)
    driven.let_go()
    assert driven.process.wait().code == 3
    said = driven.process.err
    for line in (
        "action: pin A text about amber.",
        "action: settings limits.concurrency=2",
        "action: overrule match 1 to void",
        "action: match A text about amber. and A text about birch.",
    ):
        assert f"{line}, after " in said, line
    told = [event["action"] for event in events_of(driven.events) if event["kind"] == "intervention"]
    with Reader(driven.db) as reader:
        acts = reader.interventions()
        states = {candidate.id: candidate.state for candidate in reader.candidates()}
        played = list(reader.matches())
    assert [act.intervention.kind for act in acts] == told
    assert told == ["pin", "reject", "settings", "overrule", "add", "focus", "match"]
    assert (states["amber"], states["fern"], states["gorse"]) == ("pinned", "rejected", "in_tournament")
    late = [m for m in played if m["seq"] > 28]
    assert late
    assert not any("fern" in (m["hyp_a"], m["hyp_b"]) for m in late)
    assert any("gorse" in (m["hyp_a"], m["hyp_b"]) for m in late)
    assert any({m["hyp_a"], m["hyp_b"]} == {"amber", "birch"} for m in late)
    assert (played[0]["winner"], played[0]["overruled_by"]) == ("void", 1)
    assert list((driven.db.with_name(f"{driven.db.name}.inbox")).iterdir()) == []
    driven.arena.verify()


def test_refused_actions_are_answered_and_change_nothing(driven: Driven) -> None:
    with Reader(driven.db) as reader:
        before = reader.last_pos()
    for verb, *args in (
        ("pin", "nobody"),
        ("restore", "amber"),
        ("overrule", "999", "a"),
        ("overrule", "1", "maybe"),
        ("match", "amber", "amber"),
        ("limit", "matches=-1"),
        ("limit", "nonsense=1"),
        ("resume",),
        ("dance",),
    ):
        ok, why = driven.act(verb, *args)
        assert not ok, (verb, args)
        assert why
    done = driven.arena.run("act", driven.db, "unpin", "nobody")
    assert done.code == 2
    assert done.err.startswith("refused: ")
    with Reader(driven.db) as reader:
        assert reader.last_pos() == before
    driven.let_go()
    assert driven.process.wait().code == 3


def test_junk_in_the_inbox_is_refused_and_disturbs_nothing(driven: Driven) -> None:
    assert driven.act("limit", "grace=1")[0]  # the inbox exists now
    folder = driven.db.with_name(f"{driven.db.name}.inbox")
    number = f"{time.time_ns():020d}-0000000"
    for i, junk in enumerate(("{", "[]", '{"action": {"verb": 3, "args": 4}, "origin": "x"}', "\x00" * 100)):
        (folder / f"{number}{i}.request.json").write_text(junk)
    answers = [inbox.wait_answer(driven.db, f"{number}{i}", PROMPTLY) for i in range(4)]
    assert [answer is not None and answer[0] for answer in answers] == [False] * 4
    driven.let_go()
    assert driven.process.wait().code == 3
    assert "Traceback" not in driven.process.err


def test_abort_from_another_process_ends_the_run_resumably(driven: Driven) -> None:
    done = driven.arena.run("act", driven.db, "abort")
    assert done.code == 0
    assert done.err.startswith("stopping")
    driven.process.until_said("nothing new starts")
    driven.let_go()
    ended = driven.process.wait()
    assert ended.code == 130
    assert ended.result["stop_reason"] == "EXTERNAL"
    assert re.fullmatch(r"aborted by process \d+", ended.result["stop_detail"])
    refused = driven.arena.run("act", driven.db, "abort")
    assert refused.code == 2
    assert "nothing drives" in refused.err
    assert driven.arena.run("resume", "--no-ui", "--quiet").code == 3
    driven.arena.verify()


def test_exports_of_a_running_run_are_prefixes_of_the_last(arena: Arena) -> None:
    judge = {"kind": "simulated", "mode": "pairwise", "latency": 0.05}
    file = arena.tournament(judge=judge, limits={"matches": 400, "concurrency": 8})
    running = arena.start("--no-ui", "--quiet", "--events", "events", file)
    eventually(lambda: len(events_of(arena.folder / "events")) > 20 or running.ended, "a start")
    seen = []
    while not running.ended:
        seen.append(arena.matches())
        if len(seen) % 2:
            arena.verify()
    assert running.wait().code == 3
    last = arena.matches()
    assert len(set(seen)) >= 3, "the run was seen in several states"
    for export in seen:
        assert last.startswith(export)
        assert export.endswith("\n")


def test_of_two_that_resume_at_once_exactly_one_drives(arena: Arena) -> None:
    arena.run("--no-ui", "--quiet", arena.tournament(limits={"matches": 10}))
    db = arena.db()
    for number in range(10):
        go = arena.folder / f"go.{number}"
        driver = {"hold": {"from": 0, "until": go}}
        both = [
            arena.start("resume", db, "--no-ui", "--json", "--add-matches", 2, driver=driver)
            for _ in range(2)
        ]
        eventually(lambda: any(one.ended for one in both), "one that is refused")  # noqa: B023 - called at once
        go.touch()
        ends = sorted((one.wait() for one in both), key=lambda done: done.code)
        assert [done.code for done in ends] == [3, 4], ends
        assert "is driven by" in ends[1].err
        assert sum(ends[0].result["matches"].values()) == 12 + 2 * number, "only the driver's addition counts"
    with Reader(db) as reader:
        assert len(reader.interventions()) == 10
    arena.verify()


def test_of_two_that_start_a_file_at_once_none_damages_the_other(arena: Arena) -> None:
    file = arena.tournament()
    both = [arena.start("--no-ui", "--json", file) for _ in range(2)]
    ends = [one.wait() for one in both]
    assert all(done.code in (3, 4) for done in ends)
    assert any(done.code == 3 for done in ends)
    for db in (arena.home / "runs").glob("*.db"):
        arena.verify(db)


def test_action_at_rest_leaves_everything_in_the_one_file(arena: Arena) -> None:
    """A run is one file, so a copy of it made after `act` has the action."""
    arena.run("--no-ui", "--quiet", arena.tournament())
    assert arena.run("act", arena.db(), "pin", "amber").code == 0
    copy = arena.folder / "copy.db"
    copy.write_bytes(arena.db().read_bytes())
    with Reader(copy) as reader:
        assert [act.intervention.kind for act in reader.interventions()] == ["pin"]


def test_deleted_run_leaves_nothing(arena: Arena) -> None:
    arena.run("--no-ui", "--quiet", arena.tournament())
    db = arena.db()
    inbox.send(db, action_to(Action("pause")), "a test")
    assert arena.run("delete", db.stem, typed="n\n").code == 130
    assert db.exists()
    assert arena.run("delete", db.stem, typed="y\n").code == 0
    assert photograph(arena.home / "runs") == {}


def test_lock_of_a_dead_process_is_no_lock(driven: Driven) -> None:
    driven.process.kill()
    lock = Path(f"{driven.db}.lock")
    assert lock.read_text() == f"{driven.process.pid}\n"
    done = driven.arena.run("resume", "--no-ui", "--json")
    assert done.code == 3
    assert sum(done.result["matches"].values()) == MATCHES
    assert set(STRENGTHS) == {row["id"] for row in done.result["standings"]}
