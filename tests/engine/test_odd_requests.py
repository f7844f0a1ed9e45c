"""Requests that no command would send end no run: each is refused or left alone, and the run goes on."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any
from unittest import mock

import pytest
from scripted_runs import (
    PATIENCE,
    Sitting,
    assert_sound,
    matches,
    run,
)
from steered_runs import APPLIED, TOTAL, WINDOW, a_judge, a_run, actions_of, newcomer, steered

from arena_tui.engine.actions import Action
from arena_tui.engine.opening import action_from, action_to
from arena_tui.engine.standstill import act_at_rest
from arena_tui.errors import DiskTrouble, RefusedAction
from arena_tui.formats.elo import EloTournament
from arena_tui.store import inbox
from arena_tui.store.lock import beside
from arena_tui.store.payloads import candidate_fields
from arena_tui.store.reader import Reader

NUMBERS = ["99999999999999999999", "²", "٣", "-1", "0", "1e3", "main:99999999999999999999", "main:²", ""]


@pytest.mark.parametrize("number", NUMBERS)
def test_what_is_no_match_number_cannot_be_overruled(db: Path, number: str) -> None:
    a_run(db)
    run(db)
    with pytest.raises(RefusedAction, match=r"names no match|no outcome yet"):
        act_at_rest(db, Action("overrule", (number, "a")))


def new(**fields: Any) -> dict[str, Any]:
    return {"verb": "add", "args": ["f"], "candidates": [candidate_fields(newcomer()) | fields]}


ODD: dict[str, Mapping[str, Any]] = {
    **{f"overrule {n}": {"verb": "overrule", "args": [n, "a"], "candidates": []} for n in NUMBERS},
    "half a character": {"verb": "pin", "args": ["\ud800"], "candidates": []},
    "no list of arguments": {"verb": "pin", "args": {"a": 1}, "candidates": []},
    "candidates that are a number": {"verb": "add", "args": ["f"], "candidates": 7},
    "a candidate that is a text": {"verb": "add", "args": ["f"], "candidates": ["x"]},
    "an unknown field": new(colour="red"),
    "a missing field": {"verb": "add", "args": ["f"], "candidates": [{"id": "x", "text": "y"}]},
    "a text that is a list": new(text=["a"]),
    "a text that is empty": new(text=" "),
    "an id that is a list": new(id=["a"]),
    "an id of two lines": new(id="a\nb"),
    "a group that is a list": new(group=[]),
    "a group that is not there": new(group="elsewhere"),
    "a rating that is a text": new(rating="high"),
    "a rating that is no number": new(rating=float("nan")),
    "a rating without end": new(rating=float("inf")),
    "a strength that is a list": new(strength=[1]),
    "an embedding of texts": new(embedding=["x"]),
    "a generation below zero": new(generation=-1),
    "an unknown state": new(state="bogus"),
    "meta that is a list": new(meta=[1]),
    "meta without": new(meta=None),
    "a limit that is no number": {"verb": "limit", "args": ["matches=²"], "candidates": []},
    "a limit of brackets": {"verb": "limit", "args": ["matches=" + "[" * 5_000], "candidates": []},
    "a limit beyond all numbers": {"verb": "limit", "args": ["tokens=" + "9" * 400], "candidates": []},
}


def test_no_request_ends_a_run_and_none_of_the_odd_ones_is_journaled(db: Path) -> None:
    a_run(db)
    answers: dict[str, Any] = {}

    async def script(sitting: Sitting) -> None:
        await sitting.at_rest(APPLIED, WINDOW)
        sent = {name: inbox.send(db, action, "another process") for name, action in ODD.items()}
        for name, request in sent.items():
            answers[name] = await asyncio.to_thread(inbox.wait_answer, db, request, PATIENCE)
        sitting.judge.desk.open_up()

    assert run(db, a_judge(), script).reason == "BUDGET"
    assert {name: answer and answer[0] for name, answer in answers.items()} == dict.fromkeys(ODD, False)
    assert actions_of(db) == []
    assert len(matches(db)) == TOTAL
    assert inbox.requests(db) == []


def test_a_candidate_passes_the_inbox_unchanged() -> None:
    candidate = newcomer(
        group="g", system="s", class_="c", parent_ids=("p", "q"), generation=2, rating=1300.5,
        strength=-1.0, embedding=(0.5, 1.0), review="good", meta={"a": [1, None, {"b": 2.5}]},
    )  # fmt: skip
    sent = json.loads(json.dumps(action_to(Action("add", ("f",), (candidate, newcomer())))))
    assert action_from(sent).candidates == (candidate, newcomer())


def test_folders_and_pipes_named_like_requests_and_answers_are_left_alone(db: Path) -> None:
    a_run(db)
    folder = beside(db, ".inbox")

    async def script(sitting: Sitting) -> None:
        await sitting.at_rest(APPLIED, WINDOW)
        inbox.send(db, {"verb": "pin", "args": ["c00"], "candidates": []}, "x")
        (folder / f"{1:020d}-0badcafe.request.json").mkdir()
        (folder / f"{2:020d}-0badcafe.request.json").symlink_to("nowhere")
        (folder / f"{3:020d}-0badcafe.answer.json").mkdir()
        (folder / f"{3:020d}-0badcafe.request.json").write_text("junk")
        request = inbox.send(db, {"verb": "pin", "args": ["c01"], "candidates": []}, "x")
        answer = await asyncio.to_thread(inbox.wait_answer, db, request, PATIENCE)
        assert answer is not None
        assert answer[0]
        sitting.judge.desk.open_up()

    assert run(db, a_judge(), script).reason == "BUDGET"
    run(db, add={"matches": 4})
    assert [action.candidate for action in actions_of(db)][:2] == ["c00", "c01"]


def test_an_inbox_that_is_a_file_ends_no_run(db: Path) -> None:
    a_run(db)
    beside(db, ".inbox").write_text("mine")
    assert inbox.requests(db) == []
    assert run(db).reason == "BUDGET"


def test_an_answer_that_cannot_be_left_is_tried_again(db: Path) -> None:
    a_run(db)
    real, failures = inbox.answer, [DiskTrouble("full")] * 2

    def answer(*args: Any) -> None:
        if failures:
            raise failures.pop()
        real(*args)

    async def script(sitting: Sitting) -> None:
        await sitting.at_rest(APPLIED, WINDOW)
        for verb, ok in (("pin", True), ("unpin", True), ("unpin", False)):
            request = inbox.send(db, {"verb": verb, "args": ["c00"], "candidates": []}, "x")
            told = await asyncio.to_thread(inbox.wait_answer, db, request, PATIENCE)
            assert told is not None
            assert told[0] is ok
        sitting.judge.desk.open_up()

    with mock.patch.object(inbox, "answer", answer):
        assert run(db, a_judge(), script).reason == "BUDGET"
    assert not failures
    assert [action.kind for action in actions_of(db)] == ["pin", "unpin"]


# --- many candidates at once --------------------------------------------------------------------------

MANY = 400


def many() -> Action:
    return Action("add", ("f",), tuple(newcomer(f"n{n:03d}", f"text of n{n:03d}") for n in range(MANY)))


def test_many_candidates_at_once_are_acknowledged_in_a_few_words(db: Path) -> None:
    a_run(db)
    answers = []

    async def script(sitting: Sitting) -> None:
        await sitting.at_rest(APPLIED, WINDOW)
        answers.append(await sitting.act("add", "f", candidates=many().candidates))
        sitting.judge.desk.open_up()

    run(db, a_judge(), script)
    other = a_run(db.with_name("rest.db"))
    answers.append((True, act_at_rest(other, many())))
    assert answers[0] == answers[1]
    assert answers[0][1].startswith("n000 is in the tournament; n001 ")
    assert answers[0][1].endswith(f"; and {MANY - 5} more")
    assert "n005" not in answers[0][1]
    for path in (db, other):
        assert_sound(path)
        with Reader(path) as reader:
            assert len(list(reader.candidates())) == 6 + MANY
            assert len(reader.ratings()) == 6 + MANY


def test_the_work_of_an_addition_does_not_grow_with_those_added_before_it(db: Path) -> None:
    """A walk over everybody for each of them would make 5,000 take minutes."""
    a_run(db)
    walks = []
    scores, standings = EloTournament.scores, EloTournament.standings

    def counted(self: EloTournament) -> Any:
        walks.append(len(self.entrants))
        return scores(self)

    def placed(self: EloTournament) -> Any:
        walks.append(len(self.entrants))
        return standings(self)

    patched = mock.patch.multiple(EloTournament, scores=counted, standings=placed)
    with patched:
        steered(db, many())
        act_at_rest(a_run(db.with_name("rest.db")), many())
    assert sum(n > 6 for n in walks) <= 8, "a few for the ratings, the result and the checks"
