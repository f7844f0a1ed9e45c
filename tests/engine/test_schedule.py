"""The schedule is a function of seed, verdicts, lookahead and interventions, never of latency."""

from __future__ import annotations

import hashlib
import os
import subprocess
import sys
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from random import Random

import pytest
from scripted_runs import Desk, Rank, ScriptedJudge, create, exported, journal, killed, matches, pool, run

from arena_tui.judging.base import Question

Fresh = Callable[[], Path]

TWO_GROUPS = [*pool(7, "left"), *pool(6, "right")]
LOOKAHEAD = 12


def random_order(number: int) -> Rank:
    return lambda q: Random(f"{number}:{q.group}:{q.seq}:{q.orientation}").random()


def lowest_last(q: Question) -> float:
    return -q.seq


def straggler(q: Question) -> float:
    return 10_000 if q.seq == 2 else q.seq


def debates_last(q: Question) -> float:
    return q.seq + 10_000 * (q.mode == "debate")


def debates_first(q: Question) -> float:
    return q.seq - 10_000 * (q.mode == "debate")


def one_group_last(q: Question) -> float:
    return q.seq + 10_000 * (q.group == "left")


DRAWS: dict[str, Callable[[], Desk]] = {
    **{f"random {n}": lambda n=n: Desk(random_order(n)) for n in range(10)},
    **{f"random {n}, five at once": lambda n=n: Desk(random_order(n), at_once=5) for n in range(10, 16)},
    "at once": Desk,
    "all together": lambda: Desk(lowest_last, at_once=1000),
    "last come, first served": lambda: Desk(lowest_last),
    "one straggler": lambda: Desk(straggler),
    "debates last": lambda: Desk(debates_last, at_once=2),
    "debates first": lambda: Desk(debates_first),
    "one group last": lambda: Desk(one_group_last, at_once=3),
    "in turn": lambda: Desk(lambda q: q.seq),
}


def two_groups(db: Path, *, orders: str = "alternate", matches: int = 30, **limits: object) -> Path:
    given = {"concurrency": 8, "lookahead": LOOKAHEAD, "per_group": {"matches": matches}, **limits}
    judge = {"kind": "simulated", "orders": orders}
    return create(db, TWO_GROUPS, judge=judge, format={"debate_when_elo_delta_lt": 12}, limits=given)


@pytest.mark.parametrize("concurrency", [1, 8, 64])
def test_24_latency_draws_give_one_schedule(fresh: Fresh, concurrency: int) -> None:
    assert len(DRAWS) == 24
    reference = two_groups(fresh())
    run(reference)
    modes = Counter(row["mode"] for row in matches(reference))
    assert min(modes["debate"], modes["pairwise"]) > 15
    for name, desk in DRAWS.items():
        db = two_groups(fresh(), concurrency=concurrency)
        run(db, ScriptedJudge(desk=desk()))
        assert exported(db) == exported(reference), f"{name}, {concurrency} in flight"


@pytest.mark.parametrize("draw", ["random 1", "last come, first served", "debates last", "all together"])
def test_matches_in_both_orders_give_one_schedule(fresh: Fresh, draw: str) -> None:
    reference = two_groups(fresh(), orders="both")
    run(reference)
    for concurrency in (1, 3, 64):
        db = two_groups(fresh(), orders="both", concurrency=concurrency)
        run(db, ScriptedJudge(desk=DRAWS[draw]()))
        assert exported(db) == exported(reference)


def test_step_k_is_planned_after_exactly_k_minus_lookahead_outcomes_of_its_group(db: Path) -> None:
    run(two_groups(db), ScriptedJudge(desk=Desk(random_order(3), at_once=4)))
    applied = {"left": 0, "right": 0}
    for kind, _, fact, *_ in journal(db):
        if kind == "plan":
            assert applied[fact.group] == max(0, fact.seq - LOOKAHEAD)
        else:
            applied[fact.step.group] += 1
            assert fact.applied_no == applied[fact.step.group]


HASHED = """
import sys
sys.path[:0] = [{folder!r}]
from pathlib import Path
from scripted_runs import exported
from test_schedule import DRAWS, ScriptedJudge, run, two_groups
db = two_groups(Path({db!r}), concurrency=64)
run(db, ScriptedJudge(desk=DRAWS["random 7"]()))
sys.stdout.buffer.write(exported(db))
"""


def test_three_hash_seeds_give_one_schedule(fresh: Fresh) -> None:
    here = two_groups(fresh())
    run(here)
    for seed in ("0", "1", "4242"):
        script = HASHED.format(folder=str(Path(__file__).parent), db=str(fresh()))
        done = subprocess.run(
            [sys.executable, "-c", script],
            env={**os.environ, "PYTHONHASHSEED": seed},
            capture_output=True,
            timeout=60,
        )
        assert done.returncode == 0, done.stderr.decode()
        assert hashlib.sha256(done.stdout).digest() == hashlib.sha256(exported(here)).digest()


def test_arrival_follows_the_replies_and_resumes_exactly_what_was_journaled(fresh: Fresh) -> None:
    """Killed after every fourth outcome: the journal so far stands, and the resumed run is sound."""
    first = two_groups(fresh(), ordering="arrival")
    images: list[Path] = []

    def image(event: object) -> None:
        if getattr(event, "kind", "") == "match" and getattr(event, "applied_no", 0) % 4 == 0:
            images.append(killed(first, fresh()))

    desk = DRAWS["last come, first served"]
    run(first, ScriptedJudge(desk=desk()), listener=image)
    order = [row["seq"] for row in matches(first) if row["group"] == "left"]
    assert order != sorted(order), "replies came out of order and were applied so"
    in_turn = two_groups(fresh(), ordering="arrival")
    run(in_turn, ScriptedJudge(desk=DRAWS["in turn"]()))
    assert exported(in_turn) != exported(first), "another arrival is another run"
    assert len(images) == 14
    for cut in images[::3]:
        before = journal(cut)
        assert before == journal(first)[: len(before)]
        run(cut, ScriptedJudge(desk=desk()))
        assert journal(cut)[: len(before)] == before
        assert len(matches(cut)) == 60


@pytest.mark.parametrize("schedule", ["breadth", "depth"])
def test_comparisons_start_by_number_then_group_or_by_group_then_number(db: Path, schedule: str) -> None:
    create(db, TWO_GROUPS, schedule=schedule, limits={"per_group": {"matches": 9}, "concurrency": 1})
    asked = run(db).judge.asked
    place = {"left": 0, "right": 1}
    key = {"breadth": lambda q: (q[1], place[q[0]]), "depth": lambda q: (place[q[0]], q[1])}[schedule]
    assert len(asked) == 18
    assert asked == sorted(asked, key=key)


def test_at_lookahead_1_depth_stays_with_a_group_until_it_is_closed(db: Path) -> None:
    limits = {"per_group": {"matches": 9}, "concurrency": 1, "lookahead": 1}
    create(db, TWO_GROUPS, schedule="depth", limits=limits)
    asked = run(db).judge.asked
    assert [group for group, *_ in asked] == ["left"] * 9 + ["right"] * 9


@pytest.mark.parametrize("schedule", ["breadth", "depth"])
def test_one_group_alone_plays_the_same_matches_as_among_four(fresh: Fresh, schedule: str) -> None:
    names = ("n", "e", "s", "w")
    limits = {"per_group": {"matches": 25}, "lookahead": 6, "concurrency": 16}
    four = create(fresh(), [c for name in names for c in pool(6, name)], schedule=schedule, limits=limits)
    run(four, ScriptedJudge(desk=Desk(random_order(8), at_once=3)))
    for name in names:
        alone = create(fresh(), pool(6, name), limits={**limits, "concurrency": 2})
        run(alone, ScriptedJudge(desk=Desk(lowest_last)))
        assert exported(alone) == exported(four, name)


def test_a_run_wide_limit_cuts_each_group_at_a_prefix(fresh: Fresh) -> None:
    whole = two_groups(fresh(), matches=60)
    run(whole)
    for draw in ("random 2", "one group last", "debates last"):
        db = create(fresh(), TWO_GROUPS, limits={"matches": 37, "lookahead": LOOKAHEAD, "concurrency": 8})
        ended = run(db, ScriptedJudge(desk=DRAWS[draw]()))
        assert (ended.reason, ended.code) == ("BUDGET", 3)
        assert ended.engine.state.started == 37
        for group in ("left", "right"):
            assert exported(whole, group).startswith(exported(db, group))


def test_two_verdicts_at_the_same_time_give_the_table_of_one_after_the_other(fresh: Fresh) -> None:
    """Every update starts from what the one before it left, so no single rating drifts."""
    one, many = (create(fresh(), 4, limits={"matches": 80, "lookahead": 8, "concurrency": c}) for c in (1, 8))
    run(one)
    run(many, ScriptedJudge(desk=Desk(lowest_last, at_once=8)))
    assert exported(many) == exported(one)
    latest: dict[str, float] = {}
    for row in matches(many):
        for side in ("a", "b"):
            before = latest.setdefault(row[f"hyp_{side}"], 1200.0)
            if row["winner"] is not None:
                assert row[f"elo_{side}_before"] == before
                latest[row[f"hyp_{side}"]] = row[f"elo_{side}_after"]
    assert sum(latest.values()) == pytest.approx(4 * 1200.0, abs=1e-9)


@pytest.mark.parametrize("kind", ["adaptive", "elo", "round_robin"])
def test_a_limit_on_the_run_cuts_groups_at_even_places_though_replies_come_at_once(
    tmp_path: Path, kind: str
) -> None:
    """Replies that keep coming for one group hold up no other."""
    texts = [{"id": f"{g}{n}", "group": g, "text": f"{g} {n}"} for g in "abc" for n in range(8)]
    db = create(
        tmp_path / "run.db",
        texts,
        format=kind,
        judge={"kind": "simulated", "mode": "pairwise"},
        limits={"matches": 45, "concurrency": 8},
    )
    run(db, own_judge=True)
    counts = Counter(row["group"] for row in matches(db))
    assert max(counts.values()) - min(counts.values()) <= 4, "within one round of each other"
