"""Actions on a run: what each state allows, and that they do the same however they come."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any, get_args

import pytest
from scripted_runs import (
    PATIENCE,
    Desk,
    ScriptedJudge,
    Sitting,
    assert_sound,
    exported,
    journal,
    killed,
    pool,
    run,
)
from steered_runs import APPLIED, WINDOW, a_judge, a_run, actions_of, newcomer, steered

from arena_tui.candidate import Candidate, Group
from arena_tui.engine.actions import VERBS, Action, resolve
from arena_tui.engine.course import Course
from arena_tui.engine.opening import action_to
from arena_tui.engine.replay import replay
from arena_tui.engine.roster import Roster
from arena_tui.engine.standstill import act_at_rest
from arena_tui.errors import ArenaError, RefusedAction
from arena_tui.facts import Intervention
from arena_tui.store import inbox
from arena_tui.store.reader import Reader
from arena_tui.vocabulary import CandidateState

Fresh = Callable[[], Path]


# --- the same however it comes ----------------------------------------------------------------

# Nobody of step 13, the next one due, is rejected: else it would be applied before the next action comes.
CASES: dict[str, list[Action]] = {
    "reject": [Action("reject", ("c01",))],
    "reject and restore": [Action("reject", ("c01",)), Action("restore", ("c01",))],
    "reject two": [Action("reject", ("c01",)), Action("reject", ("c04",))],
    "pin and unpin": [Action("pin", ("c02",)), Action("unpin", ("c02",))],
    "focus": [Action("focus", ("c05",))],
    "match": [Action("match", ("c00", "c05")), Action("match", ("c05", "c00"))],
    "add": [Action("add", ("file",), (newcomer(),))],
    "add two": [Action("add", ("file",), (newcomer(), newcomer("other", "another text", strength=2.0)))],
    "add a twin": [Action("add", ("file",), (newcomer("echo", "TEXT number 3 of  main, word3 word0"),))],
    "overrule": [Action("overrule", ("3", "void")), Action("overrule", ("7", "a"))],
    "fewer matches": [Action("limit", ("matches=24",))],
    "a narrower window": [Action("limit", ("lookahead=3",))],
    "a wider window": [Action("limit", ("lookahead=14",)), Action("limit", ("concurrency=2",))],
    "much": [
        Action("reject", ("c02",)),
        Action("overrule", ("5", "b")),
        Action("add", ("file",), (newcomer(),)),
        Action("focus", ("c03",)),
        Action("restore", ("c02",)),
        Action("limit", ("lookahead=5",)),
    ],
}


@pytest.mark.parametrize("case", list(CASES))
def test_live_at_rest_by_inbox_and_killed_in_between_give_the_same_export(fresh: Fresh, case: str) -> None:
    actions = CASES[case]
    live = a_run(fresh())
    steered(live, *actions)
    assert exported(live) == exported(resting(a_run(fresh()), actions))
    assert exported(live) == exported(by_inbox(a_run(fresh()), actions))
    for image in killed_after_each(a_run(fresh()), actions, fresh):
        run(image)
        assert exported(live) == exported(image)
    with Reader(live) as reader:
        course = replay(reader)
        states = {(c.group, c.id): c.state for c in reader.candidates()}
        assert states == {key: course.roster.state(*key) for key in states}


def resting(db: Path, actions: list[Action]) -> Path:
    """Stopped, acted on while nobody drives it, resumed."""

    async def stop(sitting: Sitting) -> None:
        await sitting.at_rest(APPLIED, WINDOW)
        sitting.engine.stop("later")
        sitting.engine.stop("later")

    run(db, a_judge(), stop)
    for action in actions:
        act_at_rest(db, action)
        assert_sound(db)
    run(db)
    return db


def by_inbox(db: Path, actions: list[Action]) -> Path:
    """Asked for by another process."""

    async def script(sitting: Sitting) -> None:
        await sitting.at_rest(APPLIED, WINDOW)
        for action in actions:
            request = inbox.send(db, action_to(action), "another process")
            answer = await asyncio.to_thread(inbox.wait_answer, db, request, PATIENCE)
            assert answer is not None, "never answered"
            assert answer[0], answer
        sitting.judge.desk.open_up()

    run(db, a_judge(), script)
    assert inbox.requests(db) == []
    return db


def killed_after_each(db: Path, actions: list[Action], fresh: Fresh) -> list[Path]:
    """Killed right after each acknowledgement; what is left to do is then done at rest."""
    images = []

    async def script(sitting: Sitting) -> None:
        await sitting.at_rest(APPLIED, WINDOW)
        for action in actions:
            answer = await sitting.act(action.verb, *action.args, candidates=action.candidates)
            assert answer[0], answer
            images.append(killed(db, fresh()))
        sitting.judge.desk.open_up()

    run(db, a_judge(), script)
    for number, image in enumerate(images, 1):
        for action in actions[number:]:
            act_at_rest(image, action)
    return images


# --- states -----------------------------------------------------------------------------------

STATES = get_args(CandidateState)
TABLE: dict[str, dict[str, str]] = {
    "pin": {"in_tournament": "pinned"},
    "unpin": {"pinned": "in_tournament"},
    "reject": dict.fromkeys(("draft", "reviewed", "in_tournament", "pinned", "quarantined"), "rejected"),
    "restore": dict.fromkeys(("rejected", "quarantined", "retired"), "in_tournament"),
}


@pytest.mark.parametrize("state", STATES)
@pytest.mark.parametrize("action", list(TABLE))
def test_every_action_on_every_state_is_allowed_or_refused_by_name(action: Any, state: Any) -> None:
    roster = Roster([Group("main", (Candidate("x", "text", state=state),))])
    asked = Intervention(action, "main", "x")
    if state in TABLE[action]:
        assert roster.new_state(asked) == TABLE[action][state]
        roster.apply(asked)
        assert roster.state("main", "x") == TABLE[action][state]
        assert roster.plays("main", "x") == (TABLE[action][state] in ("in_tournament", "pinned"))
    else:
        with pytest.raises(RefusedAction, match=f"'x' is {state} and cannot be"):
            roster.new_state(asked)
        assert roster.state("main", "x") == state


REFUSED: list[tuple[Action, str]] = [
    (Action("pin", ("nobody",)), "no candidate has the id 'nobody'"),
    (Action("pin", ("c00",)), "stands in 2 groups; say which, as in left:c00, right:c00"),
    (Action("pin", ("left:echo",)), "is a twin of 'c00'"),
    (Action("focus", ("left:c03",)), "'c03' is rejected and plays no match"),
    (Action("match", ("left:c03", "left:c00")), "'c03' is rejected and plays no match"),
    (Action("match", ("left:c00", "left:c00")), "cannot meet itself"),
    (Action("match", ("left:c00", "right:c00")), "different groups"),
    (Action("unpin", ("left:c00",)), "'c00' is in_tournament and cannot be unpinned"),
    (Action("restore", ("left:c00",)), "'c00' is in_tournament and cannot be restored"),
    (Action("reject", ("left:c03",)), "'c03' is rejected and cannot be rejected"),
    (Action("add", ("file",)), "holds no candidate"),
    (Action("add", ("f",), (newcomer("c00", group="left"),)), "already has a candidate 'c00'"),
    (Action("add", ("f",), (newcomer(group="up"),)), "no group 'up'|'up' holds no matches"),
    (
        Action("overrule", ("left:99", "a")),
        "so there is nothing to overrule (one that is judged is held until every earlier",
    ),
    (Action("overrule", ("99", "a")), "names no match"),
    (Action("overrule", ("left:1", "maybe")), "'maybe' is no outcome of match left:1"),
    (Action("limit", ("speed=3",)), "KEY one of usd, tokens"),
    (Action("limit", ("matches=many",)), "matches"),
    (Action("limit", ("usd=[1",)), "not valid YAML"),
    (Action("limit", ("concurrency=0",)), "concurrency"),
    (Action("fly", ()), "unknown action 'fly'"),
    (Action("pin", ()), "usage: arena act RUN pin ID"),
]


def test_refusals_are_named_and_leave_no_trace_live_and_at_rest(db: Path) -> None:
    candidates = [*pool(5, "left"), {"id": "echo", "group": "left", "text": pool(1, "left")[0]["text"]}]
    a_run(db, [*candidates, *pool(4, "right")], limits={"matches": 30})
    answers: list[tuple[bool, str]] = []

    async def script(sitting: Sitting) -> None:
        await sitting.applied(8)
        assert (await sitting.act("reject", "left:c03"))[0]
        for action, _ in REFUSED:
            answers.append(await sitting.act(action.verb, *action.args, candidates=action.candidates))
        sitting.judge.desk.open_up()

    run(db, ScriptedJudge(desk=Desk(hold=lambda q: q.seq > 5)), script)
    assert len(actions_of(db)) == 1
    before = journal(db)
    for (action, says), (ok, message) in zip(REFUSED, answers, strict=True):
        assert not ok, action
        assert any(part in message for part in says.split("|")), (action, message)
        with pytest.raises(ArenaError) as refusal:
            act_at_rest(db, action)
        assert str(refusal.value) == message
    assert journal(db) == before


def test_controls_need_a_process_that_drives_the_run(db: Path) -> None:
    run(a_run(db))
    for verb in ("pause", "resume", "abort"):
        with pytest.raises(RefusedAction, match="needs a process that drives the run"):
            act_at_rest(db, Action(verb))


def test_every_verb_is_known_to_resolve(db: Path) -> None:
    run(a_run(db))
    with Reader(db) as reader:
        course: Course = replay(reader)
    for verb, usage in VERBS.items():
        with pytest.raises(ArenaError) as refusal:
            resolve(Action(verb, ("?",) * len(usage.split())), course, lambda *_: None)
        assert "unknown action" not in str(refusal.value)


def test_the_states_of_twins_and_of_skipped_groups_are_refused(db: Path) -> None:
    lonely = [{"id": "alone", "text": "a text", "group": "lonely"}]
    a_run(db, [*pool(4, "main"), *lonely])
    run(db)
    for action in (Action("pin", ("alone",)), Action("focus", ("alone",))):
        with pytest.raises(RefusedAction, match="skipped when the run began"):
            act_at_rest(db, action)
    with pytest.raises(RefusedAction, match="was skipped"):
        act_at_rest(db, Action("add", ("f",), (replace(newcomer(), group="lonely"),)))
