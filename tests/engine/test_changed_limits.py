"""Limits and settings that change while a run is under way."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from scripted_runs import (
    Desk,
    ScriptedJudge,
    Sitting,
    exported,
    journal,
    killed,
    matches,
    pool,
    run,
)
from steered_runs import APPLIED, WINDOW, a_run, steered

from arena_tui.engine.actions import Action
from arena_tui.engine.standstill import act_at_rest
from arena_tui.errors import UsageError

Fresh = Callable[[], Path]


@pytest.mark.parametrize(("value", "lookahead"), [("3", 3), ("null", 16), ("11", 11)])
def test_a_changed_lookahead_holds_from_the_action_on(db: Path, value: str, lookahead: int) -> None:
    """`null` is twice the concurrency, as for a run that sets none."""
    a_run(db, limits={"matches": 60})
    steered(db, Action("limit", (f"lookahead={value}",)))
    applied = 0
    changed = False
    for kind, _, fact, *_ in journal(db):
        match kind:
            case "action":
                changed = True
            case "outcome":
                applied = fact.applied_no
            case "plan" if changed and fact.seq > 2 * APPLIED + 2 * WINDOW:
                assert applied == fact.seq - lookahead
            case "plan" if not changed:
                assert applied == max(0, fact.seq - WINDOW)
    again = run(db, add={"matches": 5})
    assert again.engine.lanes["main"].group.order.lookahead == lookahead


def test_a_higher_limit_lets_the_run_go_on_and_concurrency_changes_no_match(fresh: Fresh) -> None:
    db, plain = a_run(fresh()), a_run(fresh(), limits={"matches": 50})
    run(plain)
    changed = steered(db, Action("limit", ("matches=50",)), Action("limit", ("concurrency=2",)))
    assert changed.engine.state.concurrency == 2
    assert exported(db) == exported(plain)


def test_a_higher_limit_of_each_group_reopens_the_groups_it_had_closed(fresh: Fresh) -> None:
    """The same live as killed and resumed, though no journal knows that a limit closed a group."""
    limits = {"matches": None, "per_group": {"matches": 10}, "concurrency": 16}

    def two_groups() -> Path:
        return a_run(fresh(), [*pool(4, "left"), *pool(4, "right")], limits=limits)

    db, image = two_groups(), fresh()

    async def script(sitting: Sitting) -> None:
        await sitting.until(lambda: [event.group for event in sitting.told("group")] == ["left"])
        killed(db, image)
        assert (await sitting.act("limit", "per_group.matches=18"))[0]
        sitting.judge.desk.open_up()

    desk = Desk(hold=lambda q: q.group == "right" and q.seq == 5)
    ended = run(db, ScriptedJudge(desk=desk), script)
    assert [event.group for event in ended.told("group")] == ["left", "left", "right"]
    act_at_rest(image, Action("limit", ("per_group.matches=18",)))
    run(image)
    assert exported(db) == exported(image)
    assert len(matches(db)) == 36


def test_a_group_without_two_to_meet_goes_on_when_somebody_is_restored(fresh: Fresh) -> None:
    limits = {"matches": None, "per_group": {"matches": 20}, "concurrency": 16}
    db, image = a_run(fresh(), [*pool(2, "left"), *pool(4, "right")], limits=limits), fresh()

    async def script(sitting: Sitting) -> None:
        await sitting.until(lambda: len(sitting.judge.desk.held) == WINDOW + 1)
        assert (await sitting.act("reject", "left:c00"))[0]
        await sitting.until(lambda: bool(sitting.told("group")))
        killed(db, image)
        assert (await sitting.act("restore", "left:c00"))[0]
        sitting.judge.desk.open_up()

    held = lambda q: q.seq == 5 if q.group == "right" else q.seq > 6  # noqa: E731 - a rule in one line
    ended = run(db, ScriptedJudge(desk=Desk(hold=held)), script)
    assert next((event.group, event.stop_reason) for event in ended.told("group")) == ("left", "IDLE")
    assert ended.result.groups["stop_reasons"] == {"left": "BUDGET", "right": "BUDGET"}
    act_at_rest(image, Action("restore", ("left:c00",)))
    run(image)
    assert exported(db) == exported(image)


@pytest.mark.parametrize(
    "key", ["format.k_new", "judge.orders", "limits.ordering", "limits.durations.debate", "schedule", "task"]
)
def test_what_makes_a_run_this_run_cannot_change_in_it(db: Path, key: str) -> None:
    a_run(db)
    with pytest.raises(ExceptionGroup) as refused:
        run(db, changes={key: "whatever"})
    assert refused.group_contains(UsageError, match=f"{key} cannot change in a run that has begun")
    assert journal(db) == []
