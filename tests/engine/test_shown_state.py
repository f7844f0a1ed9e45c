"""What displays pull of a live run: how far each group is from its stop rule, and how many calls failed."""

from __future__ import annotations

from pathlib import Path

from scripted_runs import Desk, ScriptedJudge, Sitting, create, run

from arena_tui.judging.base import Desk as JudgingDesk
from arena_tui.judging.base import Question, Reply
from arena_tui.ratings.stability import Distance

STABILITY = {"rule": "stability", "match_snapshot_every": 5, "n": 3, "min_matches_before_stable": 1_000}


def shown(sitting: Sitting) -> Distance | None:
    return sitting.engine.state.groups["main"].distance


def test_the_distance_shown_is_the_stop_rules_at_every_moment(db: Path) -> None:
    create(db, 6, stop=STABILITY, limits={"matches": 40, "concurrency": 4, "lookahead": 4})
    seen: list[Distance | None] = []

    async def script(sitting: Sitting) -> None:
        await sitting.at_rest(16, 4)
        watch = sitting.engine.course.groups["main"].stop
        seen.append(shown(sitting))
        assert shown(sitting) == watch.distance
        overruled = next(e for e in sitting.told("match") if e.winner != "draw")
        await sitting.act("overrule", str(overruled.seq), "draw")
        seen.append(shown(sitting))
        sitting.judge.desk.open_up()

    ended = run(db, ScriptedJudge(desk=Desk(hold=lambda q: q.seq > 16)), script)
    taken, restarted = seen
    assert taken is not None
    assert restarted == Distance(0, 3)
    assert (taken.snapshots, taken.needed) == (3, 3)
    assert taken.matches_missing > 900
    last = shown(ended)
    assert last == ended.engine.course.groups["main"].stop.distance
    at_start: list[Distance | None] = []

    async def look(sitting: Sitting) -> None:
        await sitting.until(lambda: bool(sitting.told("run")))
        at_start.append(shown(sitting))

    held = ScriptedJudge(desk=Desk(hold=lambda q: True))

    async def resumed(sitting: Sitting) -> None:
        await look(sitting)
        sitting.judge.desk.open_up()

    run(db, held, resumed, add={"matches": 4})
    assert at_start == [last], "a run that is loaded shows it from the start"


def test_without_a_stability_rule_there_is_no_distance(db: Path) -> None:
    create(db, 4, stop={"rule": "none"}, limits={"matches": 4})
    assert shown(run(db)) is None


class FailingFirst(ScriptedJudge):
    """Every second call fails once before it is answered."""

    async def ask(self, question: Question, desk: JudgingDesk) -> None:
        if question.seq % 2:
            desk.keep(Reply("", failure="HTTP 500", stop_reason="retried"))
            desk.show("judge", "so far", 2)
        await super().ask(question, desk)


def test_calls_that_failed_are_counted(db: Path) -> None:
    create(db, 4, limits={"matches": 10})
    assert run(db, FailingFirst()).engine.state.errors == 5


def test_who_speaks_for_which_text_is_shown_while_it_speaks(db: Path) -> None:
    create(db, 4, limits={"matches": 4, "concurrency": 2})
    seen = set()

    async def script(sitting: Sitting) -> None:
        await sitting.at_rest(0, 2)
        seen.update((f.speaker, f.slot, str(f.text)) for f in sitting.engine.state.in_flight.values())
        sitting.judge.desk.open_up()

    run(db, FailingFirst(desk=Desk(hold=lambda q: True)), script)
    assert seen == {("judge", 2, "so far"), ("", None, "")}


def test_a_stop_rule_that_changes_while_the_run_goes_on_shows_its_own_distance(db: Path) -> None:
    create(db, 6, stop={"rule": "none"}, limits={"matches": 12, "concurrency": 4, "lookahead": 4})
    run(db)
    ended = run(db, add={"matches": 12}, changes={"stop.rule": "stability", "stop.match_snapshot_every": 5})
    assert shown(ended) == ended.engine.course.groups["main"].stop.distance
    assert shown(ended) is not None
