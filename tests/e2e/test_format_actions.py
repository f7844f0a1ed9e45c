"""Pauses after rounds and actions in mid-round, asked of a process that drives the run."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest
from arena_cli import Arena, eventually

from arena_tui.candidate import Candidate
from arena_tui.engine.actions import Action
from arena_tui.engine.opening import action_to
from arena_tui.engine.replay import replay
from arena_tui.store import inbox
from arena_tui.store.reader import Reader

NEWCOMER = Candidate("late", "A text that came late.", strength=2.0)
SINGLE = "this format plays a schedule of its own: it takes no single matches"
PAUSED = re.compile(r"paused: round (\d+) of group (\w+) is finished; `arena act (\S+) resume` goes on")

Answers = dict[str, tuple[bool, str]]


def texts(size: int, group: str) -> list[dict[str, Any]]:
    return [{"id": f"{group}{n}", "group": group, "text": f"{group}: text {n}"} for n in range(size)]


@pytest.mark.parametrize("kind", ["swiss", "pivot"])
def test_a_run_that_pauses_after_each_round_says_how_to_go_on(arena: Arena, kind: str) -> None:
    file = arena.tournament(
        candidates=[*texts(6, "x"), *texts(4, "y")],
        format={"kind": kind, "pause_after": "round"},
        judge={"kind": "simulated"},
        limits={"concurrency": 2},
    )
    running = arena.start("--no-ui", "--quiet", file)
    heard = 0
    while not running.ended:
        eventually(lambda: running.ended or len(PAUSED.findall(running.err)) > heard, "a pause")  # noqa: B023
        pauses = PAUSED.findall(running.err)
        if len(pauses) > heard:
            heard = len(pauses)
            assert arena.run("act", pauses[-1][2], "resume").err == "going on\n"
    done = running.wait()
    assert done.code == 0, done
    assert "COMPLETED" in done.err
    arena.verify()
    with Reader(arena.db()) as reader:
        rounds = {name: max(r["round"] for r in reader.matches() if r["group"] == name) for name in "xy"}
    last = {
        name: max(int(r) for r, of, _ in pauses if of == name) for name in dict.fromkeys(p[1] for p in pauses)
    }
    assert rounds == {"x": 3, "y": 2} if kind == "swiss" else {"x": 2, "y": 2}
    assert all(number < rounds[name] for name, number in last.items()), (
        "there is no pause after the last round"
    )
    assert "x" in last
    assert 2 <= heard <= sum(rounds.values()) - 2 or kind == "pivot"


def test_a_run_killed_in_its_pause_goes_on_with_the_next_round(arena: Arena) -> None:
    file = arena.tournament(
        candidates=texts(4, "x"),
        format={"kind": "swiss", "pause_after": "round"},
        judge={"kind": "simulated"},
        limits={},
    )
    running = arena.start("--no-ui", "--quiet", file)
    running.until_said("paused: round 1 of group x is finished")
    eventually(lambda: [step.round for step in planned(arena.db())] == [2, 2], "the next round is on disk")
    running.kill()
    done = arena.run("resume", "--quiet")
    assert done.code == 0, done
    assert "paused" not in done.err
    arena.verify()
    with Reader(arena.db()) as reader:
        assert [row["round"] for row in reader.matches()] == [1, 1, 2, 2]


def stopped_after(arena: Arena, matches: int, **parts: Any) -> Path:
    """A run of six candidates that a limit stopped in mid-round."""
    limits = {"matches": matches, "concurrency": 2}
    file = arena.tournament(judge={"kind": "simulated"}, limits=limits, **parts)
    done = arena.run("--no-ui", "--quiet", file)
    assert done.code == 3, done
    return arena.db()


def go_on(arena: Arena, db: Path, *actions: Action) -> Answers:
    """Resume; the actions lie in the inbox, and nothing is judged before all of them are answered."""
    asked = {action.verb: inbox.send(db, action_to(action), "a test") for action in actions}
    wishes = {"inbox": db.with_name(f"{db.name}.inbox")}
    done = arena.run("resume", db, "--quiet", "--add-matches", 200, driver=wishes)
    assert done.code == 0, done
    arena.verify(db)
    answers = {verb: inbox.wait_answer(db, request, 0) for verb, request in asked.items()}
    return {verb: answer for verb, answer in answers.items() if answer is not None}


def planned(db: Path) -> list[Any]:
    """The steps of the round that are planned and have no outcome."""
    with Reader(db) as reader:
        return [pending.step for pending in reader.pending()]


def pairings(db: Path) -> list[dict[str, Any]]:
    with Reader(db) as reader:
        (group,) = replay(reader).groups.values()
    return list(group.format.pairings())


@pytest.mark.parametrize("kind", ["swiss", "round_robin"])
def test_in_mid_round_an_opponent_gets_a_bye_and_a_newcomer_enters_the_next_round(
    arena: Arena, kind: str
) -> None:
    db = stopped_after(arena, 1, format={"kind": kind})
    *_, last = planned(db)
    assert last.round == 1
    answers = go_on(
        arena,
        db,
        Action("reject", (last.a,)),
        Action("add", ("f",), (NEWCOMER,)),
        Action("overrule", ("1", "void")),
        Action("focus", (last.b,)),
        Action("match", ("late", last.b)),
    )
    assert answers["reject"] == (True, f"{last.a} is now rejected")
    assert answers["add"][0]
    assert answers["overrule"] == (True, "match main:1 now counts as void")
    assert answers["focus"] == answers["match"] == (False, SINGLE)
    rows = pairings(db)
    (bye,) = [row for row in rows if row["b"] is None and last.b == row["a"] and row["round"] == 1]
    assert f"{last.a} was rejected" in bye["why"]
    entered = [row["round"] for row in rows if "late" in (row["a"], row["b"]) and row["seq"]]
    assert min(entered) == 2
    assert not [row for row in rows if last.a in (row["a"], row["b"]) and row["round"] > 1]


def test_in_mid_ring_one_leaves_and_a_newcomer_meets_the_pivots_only(arena: Arena) -> None:
    db = stopped_after(arena, 2, format={"kind": "pivot"})
    *_, last = planned(db)
    answers = go_on(
        arena,
        db,
        Action("reject", (last.b,)),
        Action("add", ("f",), (NEWCOMER,)),
        Action("overrule", ("1", "draw")),
        Action("focus", (last.a,)),
        Action("match", ("late", last.a)),
    )
    assert [verb for verb, (done, _) in answers.items() if done] == ["reject", "add", "overrule"]
    assert answers["focus"][1] == answers["match"][1] == SINGLE
    rows = [row for row in pairings(db) if row["seq"]]
    assert {row["round"] for row in rows if "late" in (row["a"], row["b"])} == {2}
    assert all("pivot" in row["why"] for row in rows if "late" in (row["a"], row["b"]))
    assert not [row for row in rows if last.b in (row["a"], row["b"]) and row["round"] == 2]


def test_a_knockout_lets_an_opponent_pass_and_says_what_it_cannot_take(arena: Arena) -> None:
    db = stopped_after(arena, 3, format={"kind": "knockout"})  # two of the first round, one of the second
    (step, *_) = planned(db)
    assert step.round == 2
    answers = go_on(
        arena,
        db,
        Action("overrule", ("1", "draw")),
        Action("add", ("f",), (NEWCOMER,)),
        Action("focus", (step.a,)),
        Action("match", (step.a, step.b)),
        Action("reject", (step.a,)),
    )
    assert answers == {
        "overrule": (
            False,
            "its winner has played on in round 2, which is drawn: a match can be overruled until then",
        ),
        "add": (False, "the bracket is drawn and takes nobody in: start a new run, or use format swiss"),
        "focus": (False, SINGLE),
        "match": (False, SINGLE),
        "reject": (True, f"{step.a} is now rejected"),
    }
    rows = pairings(db)
    assert [row["a"] for row in rows if row["why"] == f"bye: {step.a} was rejected"] == [step.b]
    assert any(step.b in (row["a"], row["b"]) and row["round"] == 3 and row["seq"] for row in rows)


def test_an_adaptive_run_takes_every_action(arena: Arena) -> None:
    db = stopped_after(arena, 5, format={"kind": "adaptive"}, stop={"rule": "confident", "delta": 2})
    step = planned(db)[0]
    answers = go_on(
        arena,
        db,
        Action("overrule", ("1", "void")),
        Action("add", ("f",), (NEWCOMER,)),
        Action("match", (step.b, "late")),
        Action("focus", (step.b,)),
        Action("reject", (step.a,)),
    )
    assert all(done for done, _ in answers.values()), answers
    rows = pairings(db)
    assert [{row["a"], row["b"]} for row in rows if row["why"] == "asked"] == [{step.b, "late"}]
    owed = [row for row in rows if row["why"] == "focus"]
    assert "late" in (owed[0]["a"], owed[0]["b"])
    assert step.b in (owed[1]["a"], owed[1]["b"])
