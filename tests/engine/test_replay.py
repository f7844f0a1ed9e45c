"""Ratings and schedule are a fold of the journal: replaying it gives the state, damage to it is found."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from random import Random
from typing import Any

import pytest
from scripted_runs import (
    Desk,
    ScriptedJudge,
    Sitting,
    create,
    exported,
    images_of_commits,
    journal,
    matches,
    run,
)

from arena_tui.candidate import Candidate
from arena_tui.engine.course import Course
from arena_tui.engine.opening import Driver
from arena_tui.engine.refolding import refold
from arena_tui.engine.replay import replay
from arena_tui.errors import StoreError
from arena_tui.judging.base import Usage
from arena_tui.store.lock import RunLock
from arena_tui.store.reader import Reader
from arena_tui.store.schema import open_reading
from arena_tui.store.verify import structural

Fresh = Callable[[], Path]

LIMITS = {"matches": 30, "concurrency": 6, "lookahead": 6}
DEBATES = {"debate_when_elo_delta_lt": 15}


async def some_actions(sitting: Sitting) -> None:
    """One of each kind, when nothing moves: the desk keeps whoever is next, and five wait there or behind."""

    def is_at_rest() -> bool:
        due = sitting.engine.course.groups["main"].order.due()
        kept = [question.seq for question, _ in sitting.judge.desk.held]
        return due is not None and due.seq in kept and len(kept) + sitting.engine.state.held == 6

    await sitting.until(is_at_rest)
    assert sitting.engine.state.applied > 2
    added = (Candidate("new", "another text"), Candidate("echo", "ANOTHER  text"))
    for verb, *args in (
        ("reject", "c04"),
        ("overrule", "2", "void"),
        ("overrule", "1", "draw"),
        ("pin", "c01"),
        ("add", "file"),
        ("match", "c00", "c03"),
        ("focus", "c02"),
        ("limit", "lookahead=9"),
    ):
        answer = await sitting.act(verb, *args, candidates=added if verb == "add" else ())
        assert answer[0] or "already" in answer[1], answer
    sitting.judge.desk.open_up()


def an_acted_run(db: Path) -> Sitting:
    create(db, 7, format=DEBATES, limits=LIMITS)
    return run(db, ScriptedJudge(desk=Desk(hold=lambda q: q.seq > 10)), some_actions)


def state_of(course: Course) -> dict[str, Any]:
    """All that a course knows, in terms that compare."""
    return {
        "pos": (course.pos, course.steps),
        "settings": course.tournament,
        "states": {
            (id_, candidate.id): course.roster.state(id_, candidate.id)
            for id_ in course.groups
            for candidate in course.roster.members(id_)
        },
        "groups": {
            id_: (
                (group.order.planned, group.order.applied, group.order.lookahead, group.order.waiting()),
                (group.waiting, group.withdrawn, group.outcomes, group.withdrawn_applied, group.played),
                (list(group.format.standings()), list(group.format.history()), group.closing),
                group.stop.distance,
            )
            for id_, group in course.groups.items()
        },
    }


def next_choices(course: Course, count: int) -> list[Any]:
    return [step for group in course.groups.values() for step in group.format.next_steps(count)]


def test_replaying_the_journal_of_a_run_gives_its_live_state_and_its_next_choices(db: Path) -> None:
    live = an_acted_run(db).engine.course
    with Reader(db) as reader:
        again = replay(reader)
    assert state_of(again) == state_of(live)
    assert next_choices(again, 50) == next_choices(live, 50)


def test_replaying_twice_gives_one_state_and_a_prefix_gives_what_was(db: Path, tmp_path: Path) -> None:
    create(db, 7, format=DEBATES, limits=LIMITS)
    with images_of_commits(db, tmp_path) as images:
        run(db, ScriptedJudge(desk=Desk(hold=lambda q: q.seq > 10)), some_actions)
    whole = journal(db)
    lengths = []
    for image in images:
        assert structural(image) == []
        with Reader(image) as reader:
            assert refold(reader) == []
        lengths.append(len(journal(image)))
        assert journal(image) == whole[: lengths[-1]]
    assert lengths == sorted(lengths)
    (unseen,) = set(range(len(whole) + 1)) - set(lengths)
    assert [entry[2].kind for entry in whole[unseen - 1 : unseen + 1]] == ["add", "add"], (
        "one request, one unit"
    )


def test_a_kill_after_any_commit_resumes_to_the_same_export_and_buys_no_reply_twice(
    db: Path, tmp_path: Path
) -> None:
    """Every fifth commit of a paid run in both orders, with debates."""
    limits = {**LIMITS, "matches": 22}
    create(db, 6, judge={"kind": "simulated", "orders": "both"}, format=DEBATES, limits=limits)

    def a_judge(number: int) -> ScriptedJudge:
        desk = Desk(lambda q: Random(f"{number}:{q.seq}:{q.orientation}").random(), at_once=2)
        return ScriptedJudge(desk=desk, worst=lambda _: Usage(input_tokens=3))

    with images_of_commits(db, tmp_path) as images:
        run(db, a_judge(0))
    assert len(images) > 150
    for number, image in enumerate(images[2::5], 1):
        with closing(open_reading(image)) as conn:
            stored = set(
                conn.rows(
                    "SELECT s.group_id, s.group_seq, c.orientation FROM calls c JOIN steps s ON s.id = c.step"
                )
            )
        resumed = run(image, a_judge(number), changes={"limits.concurrency": 1 + number % 7})
        assert not stored & set(resumed.judge.asked)
        assert exported(image) == exported(db)


# --- damage -----------------------------------------------------------------------------------


def damaged(db: Path, *statements: str) -> list[str]:
    """What verify says after someone has changed the file."""
    conn = sqlite3.connect(db)
    conn.execute("PRAGMA foreign_keys = OFF")
    for statement in statements:
        assert conn.execute(statement).rowcount != 0, f"changed nothing: {statement}"
    conn.commit()
    conn.close()
    problems = structural(db)
    if not problems:
        with Reader(db) as reader:
            problems = refold(reader)
    return problems


@pytest.mark.parametrize(
    ("statement", "says"),
    [
        ("UPDATE ratings SET rating = rating + 1e-9 WHERE entrant = 'c02'", "c02: stored rating"),
        (
            "UPDATE ratings SET matches_played = matches_played + 1 WHERE entrant = 'c02'",
            "c02: stored rating",
        ),
        ("DELETE FROM ratings WHERE entrant = 'c02'", "c02: stored rating None"),
        ("UPDATE tournament_matches SET elo_a_after = elo_a_after - 1e-9 WHERE applied_no = 9", "match 9"),
        ("UPDATE tournament_matches SET elo_b_before = elo_a_before + 1 WHERE applied_no = 9", "match 9"),
        ("UPDATE tournament_matches SET elo_a_after = NULL WHERE applied_no = 9", "match 9"),
        (
            "UPDATE tournament_matches SET winner = CASE winner WHEN 'a' THEN 'b' ELSE 'a' END"
            " WHERE applied_no = 9",
            "differs from the journal's",
        ),
        ("DELETE FROM tournament_matches WHERE applied_no = 9", "refers to a row"),
        ("DELETE FROM elo_journal WHERE pos = (SELECT MAX(pos) FROM elo_journal)", "applied"),
    ],
)
def test_verify_finds_a_change_of_the_last_digit_a_missing_row_and_another_winner(
    db: Path, statement: str, says: str
) -> None:
    an_acted_run(db)
    problems = damaged(db, statement)
    assert any(says in problem for problem in problems), problems


def test_verify_finds_a_winner_changed_in_match_and_journal_alike(db: Path) -> None:
    create(db, 6, limits=LIMITS)
    run(db)
    row = next(row for row in matches(db) if row["winner"] == "a" and row["applied_no"] > 4)
    number = row["applied_no"]
    problems = damaged(
        db,
        f"UPDATE elo_journal SET results = 'b' WHERE match_id ="
        f" (SELECT id FROM tournament_matches WHERE applied_no = {number})",
        f"UPDATE tournament_matches SET winner = 'b' WHERE applied_no = {number}",
    )
    assert any(f"match {number}: stored ratings" in problem for problem in problems)


NULLS = "elo_a_before = NULL, elo_a_after = NULL, elo_b_before = NULL, elo_b_after = NULL"
TURNED = "CASE {0} WHEN 'first' THEN 'second' WHEN 'second' THEN 'first' ELSE {0} END"


@pytest.mark.parametrize(
    ("changed", "says"),
    [
        (f"tournament_matches SET {NULLS} WHERE applied_no = 9", "match 9: stored ratings [None"),
        ("elo_journal SET expected_a = 0.5, k = 99 WHERE pos > 20", "stored ratings"),
        (f"comparisons SET verdict = {TURNED.format('verdict')}", "its stored outcome"),
        ("comparisons SET p_first = 0.9 WHERE step = 3", "its stored probability None"),
        ("tournament_matches SET p_a = 0.9 WHERE applied_no = 9", "match 9: its stored probability"),
        ("tournament_matches SET rationale = 'x' WHERE applied_no = 9", "match 9: its stored rationale"),
        ("tournament_matches SET order_consistent = 1 WHERE applied_no = 9", "order consistency"),
        ("tournament_matches SET flags = '[\"x\"]' WHERE applied_no = 9", "match 9: its stored flags"),
        ("tournament_matches SET void_reason = NULL WHERE void_reason = 'withdrawn'", "its stored reason"),
        ("tournament_matches SET winner = 'b' WHERE applied_no = 1", "the stored outcome in force ('b'"),
        ("tournament_matches SET overruled_by = NULL WHERE applied_no = 2", "differs from the journal"),
    ],
)
def test_verify_computes_every_change_from_the_journal_and_every_outcome_from_the_verdicts(
    db: Path, changed: str, says: str
) -> None:
    an_acted_run(db)
    problems = damaged(db, f"UPDATE {changed}")
    assert any(says in problem for problem in problems), problems


def test_a_missing_verdict_is_missed(db: Path) -> None:
    an_acted_run(db)
    (problem,) = damaged(db, "DELETE FROM comparisons WHERE step = 3")
    assert problem.endswith("verdicts are stored for no order, planned were ab")


def test_verdicts_of_both_orders_are_combined_again(db: Path) -> None:
    create(
        db, 6, judge={"kind": "simulated", "orders": "both", "invalid_rate": 0.2, "soft": True}, limits=LIMITS
    )
    run(db, own_judge=True)  # and is found sound
    (problem, *_) = damaged(
        db,
        f"UPDATE comparisons SET verdict = {TURNED.format('verdict')} WHERE orientation = 'ba'"
        " AND step = (SELECT MIN(step) FROM comparisons WHERE verdict IN ('first', 'second'))",
    )
    assert "match 1: its stored outcome" in problem or "order consistency" in problem


def test_a_journal_that_no_run_can_have_written_is_a_sentence(db: Path) -> None:
    """Every position is there, but two outcomes have changed places, in the journal and in the match."""
    create(db, 6, limits=LIMITS)
    run(db)
    with Reader(db) as reader:
        one, other = [entry for entry in reader.journal() if hasattr(entry, "outcome")][8:10]
    swap = "UPDATE {0} SET {1} = CASE {1} WHEN {2} THEN {3} ELSE {2} END WHERE {1} IN ({2}, {3})"
    (problem, *more) = damaged(
        db,
        "DROP INDEX matches_applied",
        f"UPDATE elo_journal SET pos = -1 WHERE pos = {one.pos}",
        f"UPDATE elo_journal SET pos = {one.pos} WHERE pos = {other.pos}",
        f"UPDATE elo_journal SET pos = {other.pos} WHERE pos = -1",
        swap.format("tournament_matches", "applied_no", one.outcome.applied_no, other.outcome.applied_no),
    )
    assert not more
    assert "cannot be followed beyond position" in problem


@pytest.mark.parametrize(
    "statement",
    [
        "DELETE FROM interventions WHERE kind = 'pin'",
        "UPDATE interventions SET pos = pos + 1000 WHERE kind = 'focus'",
        "UPDATE steps SET pos = pos + 1000 WHERE pos = 3",
    ],
)
def test_a_journal_with_a_gap_is_refused_by_whoever_replays_it(db: Path, statement: str) -> None:
    an_acted_run(db)
    assert any("position" in problem for problem in damaged(db, statement))
    with pytest.raises(StoreError, match="gap before position"), Reader(db) as reader:
        replay(reader)
    with pytest.raises(StoreError, match="gap before position"):
        Driver(db)
    RunLock(db).acquire()  # the refused driver has let go of the run


def test_a_schedule_played_by_another_seed_is_not_taken_for_this_one(fresh: Fresh) -> None:
    """Journaled plans are adopted, never chosen again: a changed seed changes only what comes later."""
    db = create(fresh(), 6, limits=LIMITS)
    run(db)
    before = exported(db)
    damaged(db, "UPDATE meta SET value = '77' WHERE key = 'seed'")
    run(db, add={"matches": 20})
    assert exported(db).startswith(before)
