"""Pause, resume, stop: what may start, what is told, and what a stopped run keeps."""

from __future__ import annotations

import os
import signal
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from scripted_runs import Desk, ScriptedJudge, Sitting, create, exported, killed, matches, run

from arena_tui.engine.gate import Gate
from arena_tui.errors import JudgeError
from arena_tui.judging.base import Desk as JudgingDesk
from arena_tui.judging.base import Question, Usage
from arena_tui.store.reader import Reader

Fresh = Callable[[], Path]
LIMITS = {"matches": 24, "concurrency": 4, "lookahead": 8}


def everything(question: Question) -> bool:
    return True


def after(seq: int) -> Callable[[Question], bool]:
    return lambda question: question.seq > seq


@pytest.fixture
def unbroken(fresh: Fresh) -> bytes:
    db = create(fresh(), limits=LIMITS)
    run(db)
    return exported(db)


class Clock:
    """Stands where the engine looks at the time; it moves only when a test says so."""

    def __init__(self) -> None:
        self.now = 1_000.0

    def monotonic(self) -> float:
        return self.now


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> Clock:
    clock = Clock()
    for module in ("tournament", "clock", "heartbeat"):
        monkeypatch.setattr(f"arena_tui.engine.{module}.time", clock)
    monkeypatch.setattr("arena_tui.engine.heartbeat.TICK", 0.005)
    return clock


# --- pause ------------------------------------------------------------------------------------


def test_a_paused_run_starts_nothing_tells_when_it_is_quiet_and_goes_on(db: Path, unbroken: bytes) -> None:
    async def script(sitting: Sitting) -> None:
        desk = sitting.judge.desk
        await sitting.until(lambda: len(desk.held) == 4)
        assert sitting.engine.pause()
        assert sitting.engine.state.phase == "paused"
        assert [event.phase for event in sitting.told("pause")] == ["paused"]
        assert sitting.told("pause")[0].in_flight == 4
        desk.open_up(lambda q: q.seq < 4)
        await sitting.applied(3)
        assert [event.phase for event in sitting.told("pause")] == ["paused"], "one is still in flight"
        desk.open_up()
        await sitting.until(lambda: len(sitting.told("pause")) == 2)
        assert (sitting.told("pause")[1].phase, sitting.told("pause")[1].in_flight) == ("quiesced", 0)
        await sitting.applied(4)
        assert len(sitting.judge.asked) == 4
        assert sitting.engine.state.quiet
        assert sitting.engine.resume()
        assert sitting.engine.state.phase == "running"

    create(db, limits=LIMITS)
    ended = run(db, ScriptedJudge(desk=Desk(hold=everything)), script)
    assert [event.phase for event in ended.told("pause")] == ["paused", "quiesced", "resumed"]
    assert exported(db) == unbroken


def test_a_run_paused_while_nothing_is_in_flight_is_quiet_at_once(db: Path, unbroken: bytes) -> None:
    async def script(sitting: Sitting) -> None:
        await sitting.until(lambda: bool(sitting.told("pause")))
        assert [event.phase for event in sitting.told("pause")] == ["quiesced"]
        assert sitting.judge.asked == []
        assert sitting.engine.resume()
        assert sitting.engine.pause()
        await sitting.until(lambda: len(sitting.told("pause")) == 4)
        assert sitting.judge.asked == []
        assert sitting.engine.resume()

    create(db, limits=LIMITS)
    ended = run(db, ScriptedJudge(), script, before=lambda sitting: sitting.engine.pause())
    phases = [event.phase for event in ended.told("pause")]
    assert phases == ["quiesced", "resumed", "paused", "quiesced", "resumed"]
    assert exported(db) == unbroken


def test_asking_twice_changes_nothing_and_says_so(db: Path) -> None:
    async def script(sitting: Sitting) -> None:
        await sitting.until(lambda: len(sitting.judge.desk.held) == 4)
        assert await sitting.act("resume") == (False, "the run is not paused")
        assert await sitting.act("pause") == (True, "paused")
        assert await sitting.act("pause") == (False, "the run is paused or stopping already")
        assert await sitting.act("resume") == (True, "going on")
        sitting.judge.desk.open_up()

    create(db, limits=LIMITS)
    ended = run(db, ScriptedJudge(desk=Desk(hold=everything)), script)
    assert [event.phase for event in ended.told("pause")] == ["paused", "resumed"]


def test_actions_take_effect_and_are_acknowledged_while_a_run_is_paused(db: Path) -> None:
    async def script(sitting: Sitting) -> None:
        await sitting.until(lambda: bool(sitting.told("pause")))
        assert (await sitting.act("pin", "c03"))[0]
        assert sitting.told("intervention")[0].action == "pin"
        sitting.engine.resume()

    create(db, limits=LIMITS)
    run(db, ScriptedJudge(), script, before=lambda sitting: sitting.engine.pause())
    with Reader(db) as reader:
        assert {c.id: c.state for c in reader.candidates()}["c03"] == "pinned"


# --- stop -------------------------------------------------------------------------------------


def test_a_stop_lets_calls_in_flight_finish_and_starts_nothing(db: Path, unbroken: bytes) -> None:
    async def script(sitting: Sitting) -> None:
        await sitting.at_rest(6, 4)
        sitting.engine.stop("enough")
        assert sitting.engine.state.phase == "draining"
        asked = len(sitting.judge.asked)
        sitting.judge.desk.open_up()
        await sitting.applied(10)
        assert len(sitting.judge.asked) == asked

    create(db, limits=LIMITS)
    ended = run(db, ScriptedJudge(desk=Desk(hold=after(6))), script)
    assert (ended.reason, ended.code) == ("EXTERNAL", 130)
    assert ended.result.stop_detail == "enough"
    assert ended.engine.state.phase == "stopped"
    assert unbroken.startswith(exported(db))
    assert run(db).code == 3
    assert exported(db) == unbroken


def test_a_second_stop_cancels_at_once(db: Path, unbroken: bytes) -> None:
    async def script(sitting: Sitting) -> None:
        await sitting.at_rest(6, 4)
        sitting.engine.stop("enough")
        sitting.engine.stop("enough")
        assert sitting.engine.state.phase == "cancelling"

    create(db, limits=LIMITS)
    ended = run(db, ScriptedJudge(desk=Desk(hold=after(6))), script)
    assert (ended.reason, ended.code, len(matches(db))) == ("EXTERNAL", 130, 6)
    assert [event.phase for event in ended.told("pause")] == ["draining", "cancelling"]
    assert all(future.cancelled() for _, future in ended.judge.desk.held)
    run(db)
    assert exported(db) == unbroken


def test_a_stop_cancels_when_the_grace_is_over_and_not_before(db: Path, clock: Clock) -> None:
    async def script(sitting: Sitting) -> None:
        await sitting.at_rest(6, 4)
        sitting.engine.stop("enough")
        clock.now += 59.0
        sitting.judge.desk.open_up(lambda q: q.seq == 7)
        await sitting.applied(7)
        assert sitting.engine.state.in_flight
        assert sitting.outcome is None
        clock.now += 2.0

    create(db, limits={**LIMITS, "grace": 60})
    ended = run(db, ScriptedJudge(desk=Desk(hold=after(6))), script)
    assert (ended.code, len(matches(db))) == (130, 7)


def test_a_grace_of_nothing_cancels_at_the_first_stop(db: Path) -> None:
    async def script(sitting: Sitting) -> None:
        await sitting.at_rest(6, 4)
        sitting.engine.stop("enough")

    create(db, limits={**LIMITS, "grace": 0})
    ended = run(db, ScriptedJudge(desk=Desk(hold=after(6))), script)
    assert (ended.code, len(matches(db))) == (130, 6)


@pytest.mark.parametrize("free", [True, False])
def test_verdicts_behind_a_gap_are_reported_as_held_and_applied_later_without_a_call(
    db: Path, unbroken: bytes, free: bool
) -> None:
    def a_judge(desk: Desk) -> ScriptedJudge:
        return ScriptedJudge(desk=desk, worst=None if free else lambda _: Usage(input_tokens=5))

    async def script(sitting: Sitting) -> None:
        await sitting.until(lambda: len(sitting.told("comparison")) == 7)
        sitting.engine.stop("enough")
        sitting.engine.stop("enough")

    create(db, limits=LIMITS)
    ended = run(db, a_judge(Desk(hold=lambda q: q.seq == 1)), script)
    assert ended.result.matches == {"a": 0, "b": 0, "draw": 0, "void": 0, "held": 7}
    assert ended.engine.state.held == 7
    assert ended.told("stop")[0].held == 7
    assert all(row.matches == 0 for row in ended.result.standings), "they count when they are applied"
    resumed = run(db, a_judge(Desk()))
    assert sorted(ended.judge.asked) == [("main", seq, "ab") for seq in range(1, 9)]
    asked_again = set(resumed.judge.asked) & set(ended.judge.asked)
    assert asked_again == {("main", 1, "ab")}
    assert exported(db) == unbroken


def test_one_of_two_orders_that_is_in_is_not_asked_again(db: Path, fresh: Fresh) -> None:
    judge = {"kind": "simulated", "orders": "both"}
    whole = create(fresh(), judge=judge, limits=LIMITS)
    run(whole)

    async def script(sitting: Sitting) -> None:
        await sitting.until(lambda: len(sitting.judge.desk.held) == 4 and bool(sitting.told("comparison")))
        sitting.engine.stop("enough")
        sitting.engine.stop("enough")

    create(db, judge=judge, limits=LIMITS)
    ended = run(db, ScriptedJudge(desk=Desk(hold=lambda q: q.orientation == "ba")), script)
    said = {(event.group, event.seq, event.orientation) for event in ended.told("comparison")}
    assert said
    assert all(orientation == "ab" for *_, orientation in said)
    assert not said & set(run(db).judge.asked)
    assert exported(db) == exported(whole)


@pytest.mark.parametrize(
    ("number", "code"), [(signal.SIGINT, 130), (signal.SIGTERM, 143), (signal.SIGHUP, 129)]
)
def test_signals_stop_the_run_each_with_its_code(db: Path, number: signal.Signals, code: int) -> None:
    async def script(sitting: Sitting) -> None:
        await sitting.at_rest(6, 4)
        os.kill(os.getpid(), number)
        await sitting.until(lambda: sitting.engine.state.phase == "draining")
        os.kill(os.getpid(), number)

    before = signal.getsignal(number)
    create(db, limits=LIMITS)
    ended = run(db, ScriptedJudge(desk=Desk(hold=after(6))), script, handle_signals=True)
    assert (ended.reason, ended.code, len(matches(db))) == ("EXTERNAL", code, 6)
    assert signal.getsignal(number) == before


def test_abort_is_a_stop_that_names_who_asked(db: Path) -> None:
    async def script(sitting: Sitting) -> None:
        await sitting.at_rest(6, 4)
        assert (await sitting.act("abort"))[0]
        sitting.judge.desk.open_up()

    create(db, limits=LIMITS)
    ended = run(db, ScriptedJudge(desk=Desk(hold=after(6))), script)
    assert (ended.reason, ended.code) == ("EXTERNAL", 130)
    assert ended.result.stop_detail == "aborted by test"


def test_a_stop_while_paused_ends_the_run(db: Path) -> None:
    async def script(sitting: Sitting) -> None:
        await sitting.until(lambda: bool(sitting.told("pause")))
        sitting.engine.stop("quit")

    create(db, limits=LIMITS)
    ended = run(db, ScriptedJudge(), script, before=lambda sitting: sitting.engine.pause())
    assert (ended.reason, ended.code, ended.judge.asked) == ("EXTERNAL", 130, [])


class BrokenJudge(ScriptedJudge):
    """Gives out at its 15th question."""

    async def ask(self, question: Question, desk: JudgingDesk) -> None:
        if len(self.asked) == 14:
            raise JudgeError("the model server is gone")
        await super().ask(question, desk)


def test_a_judge_that_gives_out_ends_the_run_with_exit_1_and_the_run_can_go_on(
    db: Path, unbroken: bytes
) -> None:
    create(db, limits=LIMITS)
    ended = run(db, BrokenJudge())
    assert (ended.reason, ended.code) == ("IDLE", 1)
    assert ended.result.stop_detail == "the model server is gone"
    assert unbroken.startswith(exported(db))
    assert matches(db)
    run(db)
    assert exported(db) == unbroken


# --- running time -----------------------------------------------------------------------------


def test_running_time_goes_on_over_resumes_and_does_not_count_pauses(db: Path, clock: Clock) -> None:
    create(db, limits={**LIMITS, "wall_clock": 100})

    async def first(sitting: Sitting) -> None:
        await sitting.at_rest(6, 4)
        clock.now += 60
        sitting.engine.stop("later")
        sitting.engine.stop("later")

    run(db, ScriptedJudge(desk=Desk(hold=after(6))), first)
    clock.now += 5_000  # nobody drives the run

    async def second(sitting: Sitting) -> None:
        await sitting.at_rest(8, 4)
        assert sitting.engine.state.elapsed == 60
        sitting.engine.pause()
        clock.now += 300
        assert sitting.engine.resume()
        clock.now += 39
        assert (await sitting.act("pin", "c01"))[0]
        await sitting.until(lambda: sitting.engine.state.elapsed == 99)
        assert sitting.engine.state.phase == "running"
        clock.now += 1
        await sitting.until(lambda: sitting.engine.state.phase == "draining")
        sitting.judge.desk.open_up()

    ended = run(db, ScriptedJudge(desk=Desk(hold=after(8))), second)
    assert (ended.reason, ended.code) == ("WALL_CLOCK", 3)
    assert len(matches(db)) == 12, "calls in flight finish"
    more = run(db, ScriptedJudge(), add={"time": 50})
    assert more.reason == "BUDGET"
    assert more.engine.course.tournament.limits.wall_clock == 150


def test_a_stop_by_the_user_outranks_the_limit_of_time(db: Path, clock: Clock) -> None:
    """The first request during the drain is the user's first: calls in flight still get their time."""
    create(db, limits={**LIMITS, "wall_clock": 100})

    async def script(sitting: Sitting) -> None:
        await sitting.at_rest(6, 4)
        clock.now += 100
        await sitting.until(lambda: sitting.engine.state.phase == "draining")
        sitting.engine.stop("enough")
        assert sitting.engine.state.phase == "draining"
        sitting.judge.desk.open_up()

    ended = run(db, ScriptedJudge(desk=Desk(hold=after(6))), script)
    assert (ended.reason, ended.code, len(matches(db))) == ("EXTERNAL", 130, 10)


# --- the gate by itself -----------------------------------------------------------------------


def a_gate(**state: Any) -> Gate:
    return Gate(grace=10, **state)


def test_a_gate_only_moves_forward() -> None:
    gate = a_gate()
    assert gate.is_open
    assert gate.phase == "open"
    assert not gate.resume()
    assert gate.pause()
    assert not gate.pause()
    assert gate.phase == "paused"
    assert not gate.is_open
    assert gate.resume()
    assert gate.is_open
    gate.stop("EXTERNAL", "why", 130, now=5.0)
    assert (gate.phase, gate.detail, gate.exit_code, gate.deadline) == ("draining", "why", 130, 15.0)
    assert not gate.pause()
    assert not gate.resume()
    assert not gate.is_open
    assert not gate.overdue(14.9)
    assert gate.overdue(15.0)
    gate.stop("EXTERNAL", "again", 143, now=6.0)
    assert (gate.phase, gate.detail, gate.exit_code) == ("cancelling", "why", 130)
    assert gate.overdue(0.0)


def test_time_does_not_take_a_users_stop_over() -> None:
    gate = a_gate()
    gate.stop("WALL_CLOCK", "time", 3, now=0.0)
    gate.stop("EXTERNAL", "me", 130, now=4.0)
    assert (gate.phase, gate.reason, gate.detail, gate.exit_code) == ("draining", "EXTERNAL", "me", 130)
    assert gate.deadline == 10.0, "the calls have had four of their ten seconds"
    gate.stop("EXTERNAL", "me", 130, now=5.0)
    assert gate.phase == "cancelling"


def test_time_that_is_used_up_starts_nothing_more_however_often_the_run_is_resumed(
    db: Path, clock: Clock
) -> None:
    create(db, limits={**LIMITS, "wall_clock": 100})

    async def script(sitting: Sitting) -> None:
        await sitting.at_rest(6, 4)
        clock.now += 100
        await sitting.until(lambda: sitting.engine.state.phase == "draining")
        sitting.judge.desk.open_up()

    run(db, ScriptedJudge(desk=Desk(hold=after(6))), script)
    before = exported(db)
    for _ in range(3):
        judge = ScriptedJudge()
        ended = run(db, judge)
        assert (ended.reason, ended.code) == ("WALL_CLOCK", 3)
        assert judge.asked == []
    assert exported(db) == before
    assert run(db, add={"time": 50}).reason == "BUDGET"


def test_a_killed_run_has_noted_its_time_to_the_second(db: Path, clock: Clock, tmp_path: Path) -> None:
    create(db, limits={**LIMITS, "wall_clock": 100})

    async def script(sitting: Sitting) -> None:
        await sitting.at_rest(6, 4)
        for second in range(1, 5):
            clock.now += 1
            await sitting.until(lambda second=second: elapsed_in(db) == second)
        killed(db, tmp_path / "killed.db")
        sitting.judge.desk.open_up()

    run(db, ScriptedJudge(desk=Desk(hold=after(6))), script)
    assert elapsed_in(tmp_path / "killed.db") == 4


def elapsed_in(db: Path) -> float:
    with Reader(db) as reader:
        return float(reader.meta().get("elapsed", 0))
