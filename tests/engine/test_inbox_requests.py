"""Requests of other processes: answered once, applied once, whole or not at all."""

from __future__ import annotations

import asyncio
import json
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from scripted_runs import (
    PATIENCE,
    Desk,
    ScriptedJudge,
    Sitting,
    images_of_commits,
    run,
)
from steered_runs import APPLIED, TOTAL, WINDOW, a_judge, a_run, actions_of, newcomer, steered

from arena_tui.engine.actions import Action
from arena_tui.engine.opening import action_to
from arena_tui.store import inbox
from arena_tui.store.lock import beside

Fresh = Callable[[], Path]


def test_refused_and_unreadable_requests_are_answered_too(db: Path) -> None:
    a_run(db)
    answers: dict[str, Any] = {}

    async def script(sitting: Sitting) -> None:
        await sitting.at_rest(APPLIED, WINDOW)
        wanted = {
            "unpin": {"verb": "unpin", "args": ["c00"], "candidates": []},
            "junk": {"verb": 7, "args": "x"},
            "no text": {"verb": "add", "args": ["f"], "candidates": [{"id": 3}]},
            "pause": {"verb": "pause", "args": [], "candidates": []},
            "resume": {"verb": "resume", "args": [], "candidates": []},
        }
        for name, action in wanted.items():
            request = inbox.send(db, action, "another process")
            answers[name] = await asyncio.to_thread(inbox.wait_answer, db, request, PATIENCE)
        sitting.judge.desk.open_up()

    run(db, a_judge(), script)
    assert answers["unpin"][0] is False
    assert "'c00' is in_tournament and cannot be unpinned" in answers["unpin"][1]
    assert answers["junk"][0] is False
    assert answers["no text"][0] is False
    assert answers["pause"] == (True, "paused")
    assert answers["resume"] == (True, "going on")
    assert actions_of(db) == []
    assert inbox.requests(db) == []


REPEATED = {
    "reject": Action("reject", ("c01",)),
    "add two": Action("add", ("file",), (newcomer(), newcomer("other", "another text"))),
    "overrule": Action("overrule", ("3", "void")),
}


@pytest.mark.parametrize("case", list(REPEATED))
def test_a_request_that_is_delivered_again_after_a_crash_is_answered_and_not_applied_twice(
    db: Path, tmp_path: Path, case: str
) -> None:
    a_run(db)
    action = REPEATED[case]
    kept = tmp_path / "kept"

    async def script(sitting: Sitting) -> None:
        await sitting.at_rest(APPLIED, WINDOW)
        request = inbox.send(db, action_to(action), "another process")
        folder = beside(db, ".inbox")
        shutil.copytree(folder, kept)
        assert await asyncio.to_thread(inbox.wait_answer, db, request, PATIENCE)
        sitting.judge.desk.open_up()

    run(db, a_judge(), script)
    once = len(actions_of(db))
    shutil.copytree(kept, beside(db, ".inbox"), dirs_exist_ok=True)
    (stored,) = inbox.requests(db)

    async def again(sitting: Sitting) -> None:
        answer = await asyncio.to_thread(inbox.wait_answer, db, stored.id, PATIENCE)
        assert answer is not None
        assert answer[0], json.dumps(answer)
        sitting.judge.desk.open_up()

    run(db, ScriptedJudge(desk=Desk(hold=lambda q: q.seq > TOTAL + 4)), again, add={"matches": 10})
    assert len(actions_of(db)) == once + 1, "the other one is the limit"


def test_a_request_for_several_candidates_is_journaled_whole_or_not_at_all(db: Path, tmp_path: Path) -> None:
    a_run(db)
    with images_of_commits(db, tmp_path) as images:
        steered(db, Action("add", ("file",), tuple(newcomer(f"n{n}", f"text of n{n}") for n in range(4))))
    assert {len(actions_of(image)) for image in images} == {0, 4}
