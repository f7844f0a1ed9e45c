"""Rejected candidates: what is planned is withdrawn in its place, without a call."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from scripted_runs import (
    Desk,
    ScriptedJudge,
    Sitting,
    coin,
    matches,
    run,
)
from steered_runs import APPLIED, TOTAL, WINDOW, a_judge, a_run, later, steered

from arena_tui.engine.actions import Action
from arena_tui.engine.course import Course
from arena_tui.facts import Intervention
from arena_tui.judging.base import Question, Usage
from arena_tui.store.reader import Reader

Fresh = Callable[[], Path]


def test_planned_matches_of_a_rejected_candidate_are_withdrawn_in_their_places_without_a_call(
    db: Path,
) -> None:
    """Four of eight planned steps are asked: none of the others with the rejected one is asked any more."""
    a_run(db, limits={"concurrency": 4})
    ended = steered(db, Action("reject", ("c01",)), judge=a_judge(), in_flight=4)
    rows = matches(db)
    assert [row["seq"] for row in rows] == list(range(1, len(rows) + 1)), "each keeps its place"
    withdrawn = [row["seq"] for row in rows if row["winner"] == "void" and row["seq"] > APPLIED]
    hers = [row["seq"] for row in rows if "c01" in (row["hyp_a"], row["hyp_b"]) and row["seq"] > APPLIED]
    assert hers
    assert max(hers) <= APPLIED + WINDOW, "she is in no match planned later"
    assert set(hers) <= set(withdrawn)
    asked = {seq for _, seq, _ in ended.judge.asked}
    assert not [seq for seq in hers if seq > APPLIED + 4 and seq in asked]
    with Reader(db) as reader:
        counts = reader.counts()
    assert counts.withdrawn == len(hers)
    assert counts.applied - counts.withdrawn == TOTAL, "they do not count against the limit"
    assert ended.engine.state.started == TOTAL
    assert ended.engine.state.held == 0


def test_withdrawn_matches_are_no_voids_in_a_row_and_break_none(fresh: Fresh) -> None:
    """All matches planned at the time are withdrawn, more than the voids that would end the group."""
    db = a_run(fresh(), 3, stop={"rule": "none", "voids_in_a_row": 3})

    async def script(sitting: Sitting) -> None:
        await sitting.at_rest(APPLIED, WINDOW)
        everyone = ("c00", "c01", "c02")
        asked = [sitting.act(verb, who) for verb in ("reject", "restore") for who in everyone]
        assert all(ok for ok, _ in await asyncio.gather(*asked)), "all of it between two outcomes"
        sitting.judge.desk.open_up()

    def say(question: Question) -> Any:
        return "invalid" if question.seq in (11, 12, 21) else "first"

    ended = run(db, ScriptedJudge(say, Desk(hold=later)), script)
    with Reader(db) as reader:
        assert reader.counts().withdrawn == WINDOW
    assert (ended.reason, ended.code) == ("IDLE", 1), "11, 12 and 21 are three in a row"
    assert matches(db)[-1]["seq"] == 21


def test_replies_for_withdrawn_matches_are_stored_and_paid(db: Path) -> None:
    price = Usage(input_tokens=10)
    a_run(db)
    ended = steered(
        db, Action("reject", ("c01",)), judge=ScriptedJudge(coin, Desk(hold=later), worst=lambda _: price)
    )
    with Reader(db) as reader:
        spent, counts = reader.spent(), reader.counts()
    assert counts.withdrawn > 0
    assert spent.calls == len(ended.judge.asked) == TOTAL + counts.withdrawn
    assert spent.tokens == 10 * spent.calls


def test_a_reply_that_comes_while_its_match_is_withdrawn_does_not_block_the_run(
    db: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """By arrival: the reply is read between the format's taking of the action and the engine's."""
    a_run(db, limits={"ordering": "arrival"})
    read = threading.Event()
    intervene = Course.intervene
    here: list[Sitting] = []

    def meanwhile(course: Course, action: Intervention) -> Any:
        taken = intervene(course, action)
        seqs = {step.seq for step in taken[1]}
        if seqs:
            sitting = here[0]
            loop.call_soon_threadsafe(sitting.judge.desk.open_up, lambda q: q.seq in seqs)
            assert read.wait(5.0)
        return taken

    def listener(event: Any) -> None:
        if event.kind == "comparison" and event.seq > APPLIED:
            read.set()

    async def script(sitting: Sitting) -> None:
        nonlocal loop
        loop = asyncio.get_running_loop()
        here.append(sitting)
        await sitting.at_rest(APPLIED, WINDOW)
        monkeypatch.setattr(Course, "intervene", meanwhile)
        assert (await sitting.act("reject", "c01"))[0]
        monkeypatch.setattr(Course, "intervene", intervene)
        sitting.judge.desk.open_up()

    loop: asyncio.AbstractEventLoop
    ended = run(db, a_judge(), script, listener=listener)
    assert ended.reason == "BUDGET"
    assert ended.engine.state.held == 0
    with Reader(db) as reader:
        assert reader.counts().withdrawn > 0
        assert reader.counts().applied - reader.counts().withdrawn == TOTAL


def test_a_rejected_leader_stays_in_the_table_and_out_of_play(db: Path) -> None:
    a_run(db)
    ended = steered(db, Action("reject", ("c00",)))
    rows = {row.id: row for row in ended.result.standings}
    assert rows["c00"].state == "rejected"
    assert rows["c00"].rank == len(rows)
    assert "c00" not in {id_ for race in ended.result.details["closest_races"] for id_ in race.values()}
