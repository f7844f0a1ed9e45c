"""An overruled outcome: ratings refold, the schedule that was played stands."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from scripted_runs import (
    Desk,
    ScriptedJudge,
    Sitting,
    matches,
    run,
)
from steered_runs import APPLIED, WINDOW, a_judge, a_run, actions_of, later, steered

from arena_tui.engine.actions import Action
from arena_tui.engine.replay import replay
from arena_tui.engine.standstill import act_at_rest
from arena_tui.errors import RefusedAction
from arena_tui.ratings.elo import k_factor, update
from arena_tui.store.reader import Reader

Fresh = Callable[[], Path]


def refolded(rows: list[dict[str, Any]]) -> dict[str, tuple[float, int]]:
    """Ratings and valid matches from the outcomes alone; asserts that every row says so too."""
    state = {id_: (1200.0, 0) for row in rows for id_ in (row["hyp_a"], row["hyp_b"])}
    for row in rows:
        a, b = row["hyp_a"], row["hyp_b"]
        (rating_a, played_a), (rating_b, played_b) = state[a], state[b]
        assert (row["elo_a_before"], row["elo_b_before"]) == (rating_a, rating_b)
        if row["winner"] != "void":
            score = {"a": 1.0, "draw": 0.5, "b": 0.0}[row["winner"]]
            done = update(rating_a, rating_b, score, k=k_factor(min(played_a, played_b)))
            state[a], state[b] = (done.elo_a_after, played_a + 1), (done.elo_b_after, played_b + 1)
        assert (row["elo_a_after"], row["elo_b_after"]) == (state[a][0], state[b][0])
    return state


@pytest.mark.parametrize("outcome", ["a", "b", "draw", "void"])
def test_an_overrule_refolds_everything_and_lets_the_played_schedule_stand(db: Path, outcome: str) -> None:
    undisturbed = a_run(db.with_name("undisturbed.db"))
    run(undisturbed)
    a_run(db)
    which = next(row for row in matches(undisturbed) if row["seq"] > 2 and row["winner"] != outcome)["seq"]
    steered(db, Action("overrule", (str(which), outcome)), Action("overrule", ("1", "draw")))
    rows = matches(db)
    overruled = rows[which - 1]
    assert (overruled["winner"], overruled["overruled_by"]) == (outcome, 1)
    with Reader(db) as reader:
        stored = {entrant: value for (_, entrant), value in reader.ratings().items()}
        played = [entry.outcome.winner for entry in reader.journal() if hasattr(entry, "outcome")]
    assert refolded(rows) == {id_: stored[id_] for id_ in refolded(rows)}
    before = matches(undisturbed)
    assert played[which - 1] == before[which - 1]["winner"], "the journal keeps what was played"
    pairs = [(row["hyp_a"], row["hyp_b"], row["mode"]) for row in rows]
    stands = APPLIED + WINDOW
    assert pairs[:stands] == [(row["hyp_a"], row["hyp_b"], row["mode"]) for row in before][:stands]


def test_an_outcome_may_be_named_by_the_winner_and_overruled_again(db: Path) -> None:
    a_run(db)
    rows: list[dict[str, Any]] = []

    async def script(sitting: Sitting) -> None:
        await sitting.at_rest(APPLIED, WINDOW)
        rows.extend(matches(db))
        a, b = rows[4]["hyp_a"], rows[4]["hyp_b"]
        for outcome in (a, b, a):
            ok, message = await sitting.act("overrule", "main:5", outcome)
            assert ok or "already" in message
        assert await sitting.act("overrule", "5", "a") == (
            False,
            "the outcome of match main:5 is a already",
        )
        sitting.judge.desk.open_up()

    ended = run(db, a_judge(), script)
    assert matches(db)[4]["winner"] == "a"
    refolded(matches(db))
    with Reader(db) as reader:
        counts = reader.counts()
    state = ended.engine.state
    assert (state.a, state.b, state.draw, state.void) == (counts.a, counts.b, counts.draw, counts.void)


def test_overrules_that_come_before_the_first_is_durable_see_each_other(db: Path) -> None:
    a_run(db)
    answers: list[tuple[bool, str]] = []

    async def script(sitting: Sitting) -> None:
        await sitting.at_rest(APPLIED, WINDOW)
        outcomes = ("void", "draw", "draw", "void", "a")
        answers.extend(await asyncio.gather(*(sitting.act("overrule", "5", outcome) for outcome in outcomes)))
        sitting.judge.desk.open_up()

    ended = run(db, a_judge(), script)
    assert [ok for ok, _ in answers] == [True, True, False, True, True]
    assert [action.values["was"] for action in actions_of(db)] == ["a", "void", "draw", "void"]
    state = ended.engine.state
    with Reader(db) as reader:
        counts, outcomes = reader.counts(), replay(reader).groups["main"].outcomes
    assert (state.a, state.b, state.draw, state.void) == (counts.a, counts.b, counts.draw, counts.void)
    assert outcomes == {"a": counts.a, "b": counts.b, "draw": counts.draw, "void": counts.void}


def test_a_withdrawn_match_cannot_be_overruled(db: Path) -> None:
    a_run(db)
    steered(db, Action("reject", ("c01",)))
    withdrawn = next(row["seq"] for row in matches(db)[APPLIED:] if row["winner"] == "void")
    with pytest.raises(RefusedAction, match="withdrawn"):
        act_at_rest(db, Action("overrule", (str(withdrawn), "a")))


def test_an_overrule_starts_the_stability_window_anew(fresh: Fresh) -> None:
    stop = {
        "top_k": 6,
        "n": 2,
        "eps": 1000,
        "match_snapshot_every": 5,
        "min_matches_before_stable": 15,
        "min_matches_each": 0,
    }

    def a_stable_run() -> Path:
        return a_run(fresh(), stop={"rule": "stability", **stop})

    first = ScriptedJudge(lambda q: "first" if q.first.id < q.second.id else "second", Desk(hold=later))
    plain = a_stable_run()
    steered(plain, judge=first)
    assert len(matches(plain)) == 15, "snapshots at 10 and 15"
    db = a_stable_run()
    again = ScriptedJudge(first.say, Desk(hold=later))
    steered(db, Action("overrule", ("2", "draw")), judge=again)
    assert len(matches(db)) == 20, "the snapshot at 10 is forgotten; those at 15 and 20 count"
