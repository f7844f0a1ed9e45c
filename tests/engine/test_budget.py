"""Limits: what is spent and reserved never exceeds them, and where they cut depends on no latency."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from random import Random
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from scripted_runs import (
    Desk,
    Rank,
    ScriptedJudge,
    Sitting,
    better,
    create,
    exported,
    killed,
    matches,
    pool,
    run,
)

from arena_tui.engine.budget import NANO, NOTHING, Account, Budget, Caps, Cost
from arena_tui.engine.replay import replay
from arena_tui.judging.base import Question, Usage
from arena_tui.store.reader import Reader
from arena_tui.store.schema import open_reading
from arena_tui.summary import summarize

Fresh = Callable[[], Path]

PAID = {"kind": "simulated", "usage": {"input_tokens": 100, "output_tokens": 20, "usd": 0.01}}
WORST = Usage(input_tokens=100, output_tokens=20, usd=0.01)


def worst(question: Question) -> Usage:
    return WORST


def actual(question: Question) -> Usage:
    """What a comparison takes: never more than the worst case, often much less."""
    share = Random(f"{question.group}:{question.seq}:{question.orientation}").random()
    return Usage(input_tokens=int(100 * share), output_tokens=int(20 * share), usd=round(0.01 * share, 6))


def paid(desk: Desk | None = None, **more: Any) -> ScriptedJudge:
    return ScriptedJudge(desk=desk, **{"worst": worst, "cost": actual, **more})


def order(number: int) -> Rank:
    return lambda q: Random(f"{number}:{q.group}:{q.seq}:{q.orientation}").random()


def paid_run(db: Path, size: int = 8, **limits: Any) -> Path:
    return create(
        db,
        size,
        judge=PAID,
        format={"debate_when_elo_delta_lt": 12},
        limits={"lookahead": 12, "concurrency": 8, **limits},
    )


# --- where a limit cuts -----------------------------------------------------------------------


@pytest.mark.parametrize("limit", [{"matches": 30}, {"usd": 0.2}, {"tokens": 2_400}])
def test_30_latency_draws_apply_equally_many(fresh: Fresh, limit: dict[str, Any]) -> None:
    exports = set()
    for number in range(30):
        db = paid_run(fresh(), **limit)
        desk = Desk(order(number), at_once=1 + number % 4) if number else Desk()
        ended = run(db, paid(desk))
        assert (ended.reason, ended.code) == ("BUDGET", 3)
        assert len(matches(db)) > 20
        exports.add(exported(db))
    assert len(exports) == 1


@pytest.mark.parametrize("limit", [{"matches": 12}, {"usd": 0.1}, {"tokens": 1_000}])
def test_30_latency_draws_close_each_group_at_its_own_limit(fresh: Fresh, limit: dict[str, Any]) -> None:
    exports = set()
    for number in range(30):
        db = create(
            fresh(),
            [*pool(6, "one"), *pool(6, "two"), *pool(6, "three")],
            judge=PAID,
            limits={"per_group": limit, "lookahead": 5, "concurrency": 8},
        )
        ended = run(db, paid(Desk(order(number), at_once=1 + number % 3)))
        assert ended.code == 3
        assert ended.result.groups["stop_reasons"] == dict.fromkeys(("one", "two", "three"), "BUDGET")
        exports.add(exported(db))
    assert len(exports) == 1


STEPS = {"matches": (10, 40), "usd": (0.08, 0.32), "tokens": (1_000, 4_000)}


@pytest.mark.parametrize("limit", list(STEPS))
def test_three_additions_equal_one(fresh: Fresh, limit: str) -> None:
    step, whole = STEPS[limit]
    at_once = paid_run(fresh(), **{limit: whole})
    run(at_once, paid())
    in_steps = paid_run(fresh(), **{limit: step})
    cut = run(in_steps, paid(Desk(order(1))))
    for number in range(3):
        assert cut.code == 3
        before = exported(in_steps)
        assert exported(at_once).startswith(before)
        assert before != exported(at_once)
        cut = run(in_steps, paid(Desk(order(number), at_once=2)), add={limit: step})
    assert exported(in_steps) == exported(at_once)
    with Reader(in_steps) as one, Reader(at_once) as other:
        spent, wanted = one.spent(), other.spent()
        assert (spent.calls, spent.tokens) == (wanted.calls, wanted.tokens)
        assert spent.usd == pytest.approx(wanted.usd, abs=1e-12)
        assert one.ratings() == other.ratings()


def test_an_addition_without_a_limit_starts_at_what_is_used_up(db: Path) -> None:
    create(db, 6, limits={"wall_clock": "1h", "lookahead": 4}, judge=PAID)

    async def stop_early(sitting: Sitting) -> None:
        await sitting.at_rest(9, 4)
        sitting.engine.stop("enough")
        sitting.engine.stop("enough")

    run(db, paid(Desk(hold=lambda q: q.seq > 9)), stop_early)
    assert run(db, paid(), add={"matches": 5}).engine.state.started == 14


def test_a_killed_run_with_a_limit_exports_a_prefix_and_never_pays_beyond_it(fresh: Fresh) -> None:
    """What was reserved at the kill counts as spent, so the resumed run ends earlier, not later."""
    whole = paid_run(fresh(), usd=0.25)
    images: list[Path] = []

    def image(event: Any) -> None:
        if event.kind == "match" and event.applied_no % 7 == 0:
            images.append(killed(whole, fresh()))

    run(whole, paid(Desk(order(4))), listener=image)
    assert len(images) >= 3
    for cut in images:
        with closing(open_reading(cut)) as conn:
            ((open_usd,),) = conn.rows("SELECT COALESCE(SUM(usd), 0) FROM reservations WHERE state = 'open'")
        ended = run(cut, paid(Desk(order(5))))
        assert ended.reason == "BUDGET"
        assert exported(whole).startswith(exported(cut))
        assert ended.engine.budget.peak.usd <= 0.25
        assert ended.result.usage["usd"] <= 0.25
        with closing(open_reading(cut)) as conn:
            ((lost_usd,),) = conn.rows("SELECT SUM(usd) FROM reservations WHERE state = 'lost'")
        assert lost_usd == open_usd > 0


# --- the promise ------------------------------------------------------------------------------


@pytest.mark.parametrize("limit", [{"usd": 0.205}, {"tokens": 2_450}])
def test_spent_and_reserved_never_exceed_the_limit(db: Path, limit: dict[str, Any]) -> None:
    create(db, 16, judge={**PAID, "orders": "both"}, limits={**limit, "concurrency": 64, "lookahead": 64})
    budget = run(db, paid(Desk(order(6), at_once=3))).engine.budget
    assert 0 < budget.peak.usd <= limit.get("usd", 1)
    assert 0 < budget.peak.tokens <= limit.get("tokens", 10**9)
    assert budget.run.reserved == NOTHING
    assert budget.groups["main"].reserved == NOTHING
    with Reader(db) as reader:
        assert reader.spent().tokens == budget.run.spent.tokens
        assert reader.spent().usd == pytest.approx(budget.run.spent.usd, abs=1e-12)


@given(st.lists(st.tuples(st.integers(0, 500), st.integers(0, 500), st.booleans()), max_size=60))
def test_an_account_takes_what_fits_and_nothing_else(calls: list[tuple[int, int, bool]]) -> None:
    """Random reservations, settled in any order at no more than they reserved."""
    budget = Budget(Account(Caps(tokens=2_000)), {"g": Account(Caps(tokens=1_500, matches=20))})
    out: list[Cost] = []
    for most, took, settle in calls:
        if settle and out:
            reserved = out.pop(took % len(out))
            budget.settle("g", reserved, Cost(min(took, reserved.tokens)))
            continue
        asked = Cost(most)
        fits = budget.run.obstacle(asked, True) is None and budget.groups["g"].obstacle(asked, True) is None
        account = budget.groups["g"]
        committed = (account.spent + account.reserved).tokens
        assert fits == (committed + most <= 1_500 and account.matches < 20)
        if fits:
            budget.start("g", asked, True)
            out.append(asked)
    assert budget.peak.tokens <= 1_500
    assert budget.run.reserved == sum(out, NOTHING)


def test_ten_cents_fit_ten_times_into_a_dollar() -> None:
    budget = Budget(Account(Caps(usd=1.0)), {"g": Account(Caps())})
    cent = Cost.at_most(Usage(usd=0.1))
    for _ in range(10):
        assert budget.run.obstacle(cent, True) is None
        budget.start("g", cent, True)
        budget.settle("g", cent, Cost.of(Usage(usd=0.1)))
    assert budget.run.spent.nano_usd == NANO
    assert "may cost 0.1 USD, and 1 of 1 USD are spent" in str(budget.run.obstacle(cent, True))


def test_the_head_waits_and_nothing_overtakes(fresh: Fresh, monkeypatch: pytest.MonkeyPatch) -> None:
    """A dear debate of one group holds back the cheap matches of the other, however they come back."""
    here: list[Sitting] = []
    started = 0
    start = Budget.start

    def watched(budget: Budget, group: str, worst: Cost, new_match: bool) -> None:
        nonlocal started
        started += 1
        heads = [lane.head() for lane in here[-1].engine.lanes.values()]
        head = min((h.step.seq, h.step.group) for h in heads if h is not None)
        assert head[1] == group, "a match overtook the head"
        start(budget, group, worst, new_match)

    def dear(question: Question) -> Usage:
        return Usage(input_tokens=500 if question.mode == "debate" else 40)

    monkeypatch.setattr(Budget, "start", watched)
    held_back = 0
    for number in range(6):
        db = create(
            fresh(),
            [*pool(6, "one"), *pool(6, "two")],
            judge=PAID,
            format={"debate_when_elo_delta_lt": 15},
            limits={"tokens": 9_300 + 130 * number, "concurrency": 16, "lookahead": 8},
        )
        judge = paid(Desk(order(number)), say=better, worst=dear, cost=dear)
        ended = run(db, judge, before=here.append)
        assert ended.reason == "BUDGET"
        budget = ended.engine.budget
        assert budget.peak.tokens <= 9_300 + 130 * number
        heads = [lane.head() for lane in ended.engine.lanes.values()]
        held_back += any(h is not None and budget.run.obstacle(h.worst_case, True) is None for h in heads)
    assert started > 100
    assert held_back, "somewhere a cheap match would still have fitted"


def test_budget_is_told_only_when_nothing_is_in_flight(db: Path) -> None:
    paid_run(db, usd=0.06)  # six at their worst
    seen: list[tuple[int, str | None]] = []

    async def watch(sitting: Sitting) -> None:
        await sitting.until(lambda: len(sitting.judge.desk.held) == 6)
        for _ in range(5):
            seen.append((sitting.engine.state.started, sitting.engine.state.stop_reason))
            sitting.judge.desk.open_up(lambda q: q.seq == len(seen))
            await sitting.until(lambda: len(sitting.told("comparison")) >= len(seen))
        sitting.judge.desk.open_up()

    ended = run(db, paid(Desk(hold=lambda _: True)), watch)
    assert all(reason is None for _, reason in seen)
    assert ended.reason == "BUDGET"
    assert ended.engine.state.started > 6, "what was reserved and not used is spent on further matches"


# --- what the result says ---------------------------------------------------------------------


def test_held_verdicts_count_in_the_result_of_a_budget_stop_and_are_redone_on_resume(fresh: Fresh) -> None:
    def a_run(limit: int) -> Path:
        return create(
            fresh(), 7, format={"debate_when_elo_delta_lt": 12}, limits={"matches": limit, "lookahead": 10}
        )

    db = a_run(31)
    ended = run(db)
    assert ended.reason == "BUDGET"
    held = ended.result.matches["held"]
    applied = sum(ended.result.matches.values()) - held
    assert held > 1
    assert applied + held == 31
    voids_held = 31 - ended.result.matches["void"] - sum(row.matches for row in ended.result.standings) // 2
    assert sum(row.matches for row in ended.result.standings) % 2 == 0
    assert 0 <= voids_held < held, "held verdicts are in the standings"
    with Reader(db) as reader:
        stored = reader.ratings()
        assert len(list(reader.matches())) == applied
        assert any(stored["main", row.id][0] != row.rating for row in ended.result.standings)
        # An epilogue is stored nowhere: `show` makes it anew.
        assert summarize(replay(reader), reader, db).to_dict() == ended.result.to_dict()
    run(db, add={"matches": 20})
    whole = a_run(51)
    run(whole)
    assert exported(db) == exported(whole)


def test_verdicts_after_a_stop_rule_do_not_count_though_another_group_meets_the_budget(db: Path) -> None:
    """One group is stable with later verdicts in store; the other one ends the run by BUDGET."""
    stop = {"top_k": 4, "n": 2, "eps": 1000, "match_snapshot_every": 5, "min_matches_before_stable": 30}
    create(
        db,
        [*pool(6, "calm"), *pool(9, "wild")],
        stop={**stop, "min_matches_each": 0},
        limits={"per_group": {"matches": 40}, "lookahead": 8, "concurrency": 32},
    )

    def say(question: Question) -> Any:
        if question.group == "calm" or question.seq % 3:
            return "first" if question.first.id < question.second.id else "second"
        return "invalid"

    ended = run(db, ScriptedJudge(say, Desk(lambda q: (q.group == "wild") * 1000 + q.seq, at_once=8)))
    assert ended.reason == "BUDGET"
    assert ended.result.groups["stop_reasons"] == {"calm": "ELO_STABLE", "wild": "BUDGET"}
    with Reader(db) as reader:
        stored, pending = reader.ratings(), reader.pending()
    assert any(step.verdicts for step in pending if step.step.group == "calm"), "later verdicts are kept"
    rows = {row.id: (row.rating, row.matches) for row in ended.result.standings if row.group == "calm"}
    assert rows == {id_: stored["calm", id_] for id_ in rows}


def test_unused_reservations_of_a_match_cut_between_its_two_orders_are_not_spent(db: Path) -> None:
    """One slot: the second order is reserved and not asked when the run is stopped."""
    create(db, 6, judge={**PAID, "orders": "both"}, limits={"usd": 1, "concurrency": 1})

    async def stop(sitting: Sitting) -> None:
        await sitting.until(lambda: len(sitting.judge.desk.held) == 1)
        sitting.engine.stop("enough")
        sitting.judge.desk.open_up()

    ended = run(db, ScriptedJudge(desk=Desk(hold=lambda q: q.seq == 3), worst=worst), stop)
    assert ended.judge.asked[-1] == ("main", 3, "ab")
    assert ended.result.usage["usd"] == pytest.approx(0.05), "five calls were made, one was reserved only"
    assert ended.result.calls["sent"] == 5
    resumed = run(db, ScriptedJudge(worst=worst))
    assert resumed.result.usage["usd"] == 1.0
