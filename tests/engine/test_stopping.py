"""Rules that end a group, and what the run ends with."""

from __future__ import annotations

import itertools
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from scripted_runs import (
    Desk,
    ScriptedJudge,
    Sitting,
    better,
    create,
    exported,
    images_of_commits,
    journal,
    matches,
    pool,
    run,
)

from arena_tui.engine.stopping import REASONS, Closing, first_reason
from arena_tui.errors import JudgeError
from arena_tui.judging.base import Desk as JudgingDesk
from arena_tui.judging.base import Question
from arena_tui.store.reader import Reader
from arena_tui.vocabulary import Said

Fresh = Callable[[], Path]

STABLE = {
    "rule": "stability",
    "top_k": 3,
    "n": 2,
    "eps": 60,
    "match_snapshot_every": 5,
    "min_matches_before_stable": 20,
    "min_matches_each": 0,
}
LIMITS = {"concurrency": 8, "lookahead": 8}


def some_voids(question: Question) -> Said:
    return "invalid" if question.seq % 4 == 1 else better(question)


def unreadable(question: Question) -> Said:
    return "invalid"


def a_run(db: Path, *groups: str, stop: dict[str, Any] = STABLE, **limits: Any) -> Path:
    candidates = [c for name in groups for c in pool(6, name)] if groups else 6
    return create(db, candidates, stop=stop, limits={"wall_clock": "1h", **LIMITS, **limits})


def endless(db: Path, matches: int) -> Path:
    """The same tournament without a stop rule."""
    return create(db, 6, limits={**LIMITS, "matches": matches})


# --- the stop rule ----------------------------------------------------------------------------


def test_the_rule_cuts_at_the_outcome_on_which_it_fires_at_any_latency(fresh: Fresh) -> None:
    whole = endless(fresh(), 60)
    run(whole, ScriptedJudge(some_voids))
    exports = set()
    for desk in (Desk(), Desk(lambda q: -q.seq), Desk(lambda q: q.seq, at_once=8), Desk(lambda q: q.seq % 3)):
        db = a_run(fresh())
        ended = run(db, ScriptedJudge(some_voids, desk))
        assert (ended.reason, ended.code) == ("ELO_STABLE", 0)
        with Reader(db) as reader:
            snapshots, ends = reader.snapshots(), reader.group_ends()
        assert [snapshot.stable for snapshot in snapshots] == [False] * (len(snapshots) - 1) + [True]
        assert snapshots[-1].applied_no == len(matches(db)), "nothing is applied after it fired"
        assert ends["main"].stop_reason == "ELO_STABLE"
        exports.add(exported(db))
    assert len(exports) == 1
    assert exported(whole).startswith(exports.pop())


def test_snapshots_follow_exactly_every_fifth_valid_match(db: Path) -> None:
    ended = run(a_run(db), ScriptedJudge(some_voids))
    valid = [row["seq"] for row in matches(db) if row["winner"] != "void"]
    voids = len(matches(db)) - len(valid)
    assert voids > 3
    taken = [event.valid_matches for event in ended.told("snapshot")]
    assert taken == list(range(5, len(valid) + 1, 5))
    assert taken[-1] == len(valid)


def test_later_verdicts_are_kept_and_used_when_the_run_goes_on(fresh: Fresh) -> None:
    """The window starts anew: stable again only after two further snapshots."""
    db = a_run(fresh())
    first = run(db)
    ends = [len(matches(db))]
    assert first.result.matches["held"] > 0
    for _ in range(2):
        before = exported(db)
        again = run(db, ScriptedJudge(desk=Desk(lambda q: -q.seq)))
        assert (again.reason, again.code) == ("ELO_STABLE", 0)
        assert not set(first.judge.asked) & set(again.judge.asked), "no verdict is bought twice"
        assert exported(db).startswith(before)
        ends.append(len(matches(db)))
        first.judge.asked += again.judge.asked
    with Reader(db) as reader:
        stable_at = [snapshot.applied_no for snapshot in reader.snapshots() if snapshot.stable]
    assert stable_at == ends
    valid = [sum(row["winner"] != "void" for row in matches(db)[:end]) for end in ends]
    assert all(later - earlier >= 10 for earlier, later in itertools.pairwise(valid))
    whole = endless(fresh(), ends[-1] + 30)
    run(whole)
    assert exported(whole).startswith(exported(db))


def test_a_run_killed_after_the_rule_fired_ends_there_and_does_not_go_on(
    fresh: Fresh, tmp_path: Path
) -> None:
    db = a_run(fresh())
    with images_of_commits(db, tmp_path) as images:
        run(db)
    after = [image for image in images if ended_as(image) == ("ELO_STABLE", "")]
    assert after, "there are moments at which the group is closed and the run has not ended"
    for image in after:
        resumed = run(image)
        assert (resumed.reason, resumed.code, resumed.judge.asked) == ("ELO_STABLE", 0, [])
        assert exported(image) == exported(db)
        assert not any(entry[0] == "action" for entry in journal(image))


def ended_as(db: Path) -> tuple[str | None, str]:
    """The stop reasons of the group and of the run."""
    with Reader(db) as reader:
        return reader.group_ends()["main"].stop_reason, reader.meta().get("stop_reason", "")


def test_a_run_killed_while_it_is_being_reopened_goes_on(fresh: Fresh, tmp_path: Path) -> None:
    """A kill after every commit of the second sitting's beginning."""
    db = a_run(fresh())
    run(db)
    before = exported(db)
    with images_of_commits(db, tmp_path) as images:
        run(db)
    assert exported(db) != before
    for cut in images[:8]:
        resumed = run(cut)
        assert resumed.reason == "ELO_STABLE"
        assert resumed.judge.asked
        assert exported(cut) == exported(db)


def test_a_group_that_is_stable_closes_and_the_run_goes_on_with_the_others(db: Path) -> None:
    stop = {**STABLE, "min_matches_before_stable": None}  # five matches a candidate: 20 and 60
    limits = {**LIMITS, "per_group": {"matches": 45}}
    create(db, [*pool(4, "calm"), *pool(12, "wild")], stop=stop, limits=limits)
    ended = run(db)
    assert ended.result.groups["stop_reasons"] == {"calm": "ELO_STABLE", "wild": "BUDGET"}
    assert (ended.reason, ended.code) == ("BUDGET", 3), "the first of the two by rank"
    assert [(event.group, event.stop_reason) for event in ended.told("group")] == [
        ("calm", "ELO_STABLE"),
        ("wild", "BUDGET"),
    ]
    again = run(db)
    assert again.judge.asked == []
    assert again.result.groups["stop_reasons"] == ended.result.groups["stop_reasons"]


class GivesOut(ScriptedJudge):
    """Cannot be used at all from its 70th question on."""

    async def ask(self, question: Question, desk: JudgingDesk) -> None:
        if len(self.asked) >= 70:
            raise JudgeError("the model server is gone")
        await super().ask(question, desk)


def test_a_failing_judge_does_not_reopen_a_group_that_was_stable(fresh: Fresh) -> None:
    def say(question: Question) -> Said:
        return better(question) if question.group == "calm" else "draw"

    wide = {**STABLE, "min_matches_before_stable": 25}
    unbroken, db = (a_run(fresh(), "calm", "long", stop=wide, per_group={"matches": 70}) for _ in range(2))
    run(unbroken, ScriptedJudge(lambda q: say(q) if q.seq % 3 else ("first" if q.seq % 2 else "second")))
    broken = run(db, GivesOut(lambda q: say(q) if q.seq % 3 else ("first" if q.seq % 2 else "second")))
    assert (broken.reason, broken.code) == ("IDLE", 1)
    assert len(broken.result.groups["stop_reasons"]) == 1
    run(db, ScriptedJudge(lambda q: say(q) if q.seq % 3 else ("first" if q.seq % 2 else "second")))
    assert exported(db) == exported(unbroken)
    assert not any(entry[0] == "action" for entry in journal(db))


# --- voids ------------------------------------------------------------------------------------


def test_ten_voids_in_a_row_end_the_group_and_the_run_with_exit_1(db: Path) -> None:
    ended = run(a_run(db), ScriptedJudge(unreadable))
    assert (ended.reason, ended.code) == ("IDLE", 1)
    assert ended.result.matches["void"] == 10
    assert "10 matches in a row had no usable verdict" in ended.result.stop_detail
    assert ended.result.stop_detail.endswith("said invalid"), "the cause is told"
    assert all(row["elo_a_before"] == row["elo_a_after"] for row in matches(db))


def test_the_number_of_voids_is_a_setting_and_their_row_is_one_of_applied_matches(db: Path) -> None:
    a_run(db, stop={**STABLE, "voids_in_a_row": 4})
    ended = run(
        db, ScriptedJudge(lambda q: "invalid" if q.seq in {1, 2, 3, 5, 6, 9, 10, 11, 12, 13} else "first")
    )
    rows = matches(db)
    assert ended.code == 1
    assert [row["winner"] for row in rows[-4:]] == ["void"] * 4
    voids = [row["winner"] == "void" for row in rows]
    assert not any(all(voids[i : i + 4]) for i in range(len(voids) - 4))


def test_single_voids_never_stop_anything(db: Path) -> None:
    a_run(db, stop={"rule": "none"}, matches=100, durations={"debate": 1})
    ended = run(db, ScriptedJudge(lambda q: better(q) if q.seq % 10 == 0 else "invalid"))
    assert (ended.reason, ended.code) == ("BUDGET", 3)
    assert ended.result.matches["void"] == 90


def test_three_unusable_groups_in_a_row_end_the_run(db: Path) -> None:
    a_run(db, "one", "two", "three", "four", "five", stop={"rule": "none"}, matches=400)
    dead = ("one", "two", "three")
    desk = Desk(hold=lambda q: q.group not in dead)

    async def script(sitting: Sitting) -> None:
        await sitting.until(lambda: len(sitting.told("group")) == 3)
        desk.open_up()

    ended = run(
        db, ScriptedJudge(lambda q: "invalid" if q.group in dead else better(q), desk), script,
        changes={"limits.concurrency": 64},
    )  # fmt: skip
    assert (ended.reason, ended.code) == ("IDLE", 1)
    assert ended.result.groups["stop_reasons"] == dict.fromkeys(dead, "IDLE")
    assert {group for group, *_ in ended.judge.asked} == {*dead, "four", "five"}


def test_unusable_groups_with_a_usable_one_between_them_do_not_end_the_run(db: Path) -> None:
    limits = {"per_group": {"matches": 12}, "concurrency": 1, "lookahead": 2}
    names = ("one", "two", "good", "three", "fine")
    candidates = [c for name in names for c in pool(4, name)]
    create(db, candidates, stop={"rule": "none"}, limits=limits, schedule="depth")
    ended = run(db, ScriptedJudge(lambda q: better(q) if q.group in ("good", "fine") else "invalid"))
    assert ended.result.groups["stop_reasons"] == {
        "one": "IDLE",
        "two": "IDLE",
        "good": "BUDGET",
        "three": "IDLE",
        "fine": "BUDGET",
    }
    assert (ended.reason, ended.code) == ("BUDGET", 3)


def test_a_run_whose_judge_works_again_goes_on_with_a_new_row(db: Path) -> None:
    a_run(db, stop={"rule": "none"}, matches=60)
    assert run(db, ScriptedJudge(unreadable)).code == 1
    assert run(db, ScriptedJudge(unreadable)).code == 1
    assert len(matches(db)) == 20, "ten further voids, not one"
    assert run(db, ScriptedJudge(better)).reason == "BUDGET"
    assert sum(row["winner"] != "void" for row in matches(db)) > 20


# --- what the run ends with -------------------------------------------------------------------


def test_a_run_in_which_nobody_is_left_to_meet_is_idle_and_fine(db: Path) -> None:
    create(db, 3, limits={"matches": 50, **LIMITS})

    async def script(sitting: Sitting) -> None:
        await sitting.at_rest(6, 8)
        for who in ("c00", "c01"):
            assert (await sitting.act("reject", who))[0]
        sitting.judge.desk.open_up()

    ended = run(db, ScriptedJudge(desk=Desk(hold=lambda q: q.seq > 6)), script)
    assert (ended.reason, ended.code) == ("IDLE", 0)
    assert "no two candidates are left" in ended.result.stop_detail


def test_reasons_have_the_documented_rank() -> None:
    order = ("EXTERNAL", "BUDGET", "WALL_CLOCK", "CONFIDENT", "ELO_STABLE", "COMPLETED", "IDLE")
    assert order == REASONS


@given(st.lists(st.tuples(st.sampled_from(REASONS), st.booleans()), min_size=1))
def test_the_first_reason_speaks_for_the_run_and_an_unusable_judge_before_a_plain_idle(
    ends: list[tuple[Any, bool]],
) -> None:
    closings = [Closing(reason, "", unusable and reason == "IDLE") for reason, unusable in ends]
    first = first_reason(closings)
    assert first.reason == next(reason for reason in REASONS if reason in {c.reason for c in closings})
    assert first.unusable == (first.reason == "IDLE" and any(c.unusable for c in closings))


@pytest.mark.parametrize("kind", ["swiss", "pivot", "round_robin", "knockout"])
def test_a_schedule_without_a_usable_verdict_is_an_error(db: Path, kind: str) -> None:
    judge = {"kind": "simulated", "mode": "pairwise", "invalid_rate": 1.0}
    create(db, 4, format=kind, judge=judge, stop={"voids_in_a_row": 1000}, limits={})
    outcome = run(db, own_judge=True).outcome
    assert outcome is not None
    result, code = outcome
    assert (result.stop_reason, code) == ("IDLE", 1)
    assert "had a usable verdict" in result.stop_detail
