"""What holds for every format that plans whole rounds, whatever it is given."""

from __future__ import annotations

import copy
from collections import Counter
from collections.abc import Callable
from random import Random
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from schedule_runs import Driven, by_seed, pool, replay, told

from arena_tui.candidate import Candidate, Group
from arena_tui.facts import Match, Outcome
from arena_tui.formats.base import Format
from arena_tui.formats.knockout import KnockoutTournament
from arena_tui.formats.pivot import PivotTournament
from arena_tui.formats.round_robin import RoundRobinTournament
from arena_tui.settings import KnockoutFormat, PivotFormat, RoundRobinFormat

Maker = Callable[[Group, int], Format]

FORMATS: dict[str, Maker] = {
    "pivot": lambda group, seed: PivotTournament(group, PivotFormat(), seed=seed),
    "pivot, seed": lambda group, seed: PivotTournament(
        group, PivotFormat(preset="seed", pivots=3), seed=seed
    ),
    "round robin": lambda group, seed: RoundRobinTournament(group, RoundRobinFormat(), seed=seed),
    "round robin, double": lambda group, seed: RoundRobinTournament(
        group, RoundRobinFormat(double=True), seed=seed, orders="given"
    ),
    "knockout": lambda group, seed: KnockoutTournament(group, KnockoutFormat(), seed=seed, orders="both"),
    "knockout, best of 3": lambda group, seed: KnockoutTournament(
        group, KnockoutFormat(best_of=3), seed=seed
    ),
}
every_format = pytest.mark.parametrize("make", FORMATS.values(), ids=FORMATS.keys())


def some_events(driven: Driven, rng: Random, count: int) -> None:
    """Plan a little or all, apply, and interfere, in any order."""
    ids = [c.id for c in driven.format.field.entrants]  # type: ignore[attr-defined]
    for _ in range(count):
        match rng.choice(["plan", "some", "apply", "apply", "apply", "act"]):
            case "plan":
                driven.plan()
            case "some":
                driven.plan(rng.randint(1, 3))
            case "apply" if driven.waiting:
                driven.apply()
            case "act":
                interfere(driven, rng, ids)


def interfere(driven: Driven, rng: Random, ids: list[str]) -> None:
    playing = {id_: driven.states.get(id_, True) for id_ in ids}
    match rng.choice(["reject", "restore", "add", "overrule"]):
        case "reject" if sum(playing.values()) > 0:
            gone = rng.choice([id_ for id_ in ids if playing[id_]])
            driven.act("reject", gone)
            driven.states[gone] = False
        case "restore" if not all(playing.values()):
            back = rng.choice([id_ for id_ in ids if not playing[id_]])
            if driven.act("restore", back) is None:
                driven.states[back] = True
        case "add" if len(ids) < 12:
            class_ = rng.choice([c.class_ for c in driven.format.field.entrants] or [None])  # type: ignore[attr-defined]
            late = Candidate(f"c{len(ids)}", f"late {len(ids)}", class_=class_)
            if driven.act("add", added=late) is None:
                ids.append(late.id)
        case "overrule":
            judged = [o for o in driven.outcomes if o.reason != "withdrawn"]
            if judged:
                winner: Any = rng.choice(["a", "b", "draw", "void"])
                driven.act("overrule", seq=rng.choice(judged).step.seq, winner=winner, values={"was": "a"})


@every_format
def test_it_is_a_format_of_rounds(make: Maker) -> None:
    format_ = make(pool(6), 1)
    assert not format_.windowed
    steps = Driven(format_).finish().steps
    assert [step.seq for step in steps] == list(range(1, len(steps) + 1))
    assert {step.round for step in steps} == set(range(1, max(step.round or 0 for step in steps) + 1))
    assert all(step.why and step.group == "main" for step in steps)


@every_format
@settings(max_examples=25)
@given(seed=st.integers(0, 2**32), size=st.integers(0, 9), classes=st.integers(1, 3))
def test_a_journal_gives_the_same_state_and_the_same_rest(
    make: Maker, seed: int, size: int, classes: int
) -> None:
    rng = Random(seed)
    group = pool(size, classes)
    live = Driven(make(group, seed), by_seed(seed))
    some_events(live, rng, rng.randint(0, 60))
    resumed = make(group, seed)
    replay(resumed, live.journal)
    assert told(resumed) == told(live.format)
    assert resumed.next_steps(50) == live.format.next_steps(50)


@every_format
@settings(max_examples=25)
@given(seed=st.integers(0, 2**32), size=st.integers(0, 9), a=st.integers(0, 4), b=st.integers(0, 4))
def test_planning_in_two_goes_equals_planning_in_one(
    make: Maker, seed: int, size: int, a: int, b: int
) -> None:
    live = Driven(make(pool(size, 2), seed), by_seed(seed))
    some_events(live, Random(seed), 30)
    split, whole = copy.deepcopy(live.format), copy.deepcopy(live.format)
    assert split.next_steps(a) + split.next_steps(b) == whole.next_steps(a + b)
    assert told(split) == told(whole)


@every_format
@settings(max_examples=25)
@given(seed=st.integers(0, 2**32), size=st.integers(0, 9), classes=st.integers(1, 3))
def test_whatever_happens_it_ends(make: Maker, seed: int, size: int, classes: int) -> None:
    rng = Random(seed)
    live = Driven(make(pool(size, classes), seed), by_seed(seed))
    some_events(live, rng, rng.randint(0, 60))
    live.finish()
    progress = live.format.progress()
    assert progress.done == progress.expected == len(live.steps)
    assert live.format.next_steps(5) == []


@every_format
@settings(max_examples=20)
@given(seed=st.integers(0, 2**32), size=st.integers(2, 9), classes=st.integers(1, 3))
def test_nobody_out_of_play_is_paired_and_classes_never_meet(
    make: Maker, seed: int, size: int, classes: int
) -> None:
    live = Driven(make(pool(size, classes), seed), by_seed(seed))
    some_events(live, Random(seed), 60)
    live.finish()
    out: set[str] = set()
    class_of = {c.id: c.class_ for c in live.format.field.entrants}  # type: ignore[attr-defined]
    for entry in live.journal:
        if isinstance(entry, Match):
            assert entry.a != entry.b
            assert class_of[entry.a] == class_of[entry.b]
            assert not {entry.a, entry.b} & out
        elif not isinstance(entry, Outcome):
            if entry.kind == "reject":
                out.add(entry.candidate)
            elif entry.kind == "restore":
                out.discard(entry.candidate)


@every_format
@pytest.mark.parametrize("size", [0, 1])
def test_without_an_opponent_it_is_over_before_it_began(make: Maker, size: int) -> None:
    format_ = make(pool(size), 3)
    assert format_.next_steps(5) == []
    assert format_.finished() == "COMPLETED"
    assert format_.progress().expected == 0
    assert list(format_.pairings()) == []


@every_format
def test_nothing_is_planned_before_room_is_offered(make: Maker) -> None:
    format_ = make(pool(5), 3)
    before = told(format_)
    assert format_.next_steps(0) == []
    assert told(format_) == before


@every_format
def test_a_round_is_planned_when_the_one_before_is_applied(make: Maker) -> None:
    driven = Driven(make(pool(8), 5))
    first = driven.plan()
    assert {step.round for step in first} == {1}
    while len(driven.waiting) > 1:
        driven.apply()
        assert all(step.round == 1 for step in driven.plan())
    driven.apply()
    assert {step.round for step in driven.plan()} == {2}


@every_format
def test_when_all_are_rejected_it_is_over(make: Maker) -> None:
    driven = Driven(make(pool(6), 2))
    driven.plan()
    driven.apply()
    for number in range(6):
        driven.act("reject", f"c{number}")
    planned = len(driven.steps)
    driven.finish()
    assert len(driven.steps) == planned


@every_format
def test_recording_twice_changes_nothing(make: Maker) -> None:
    driven = Driven(make(pool(5), 2))
    driven.plan()
    outcome = driven.apply()
    before = told(driven.format)
    assert driven.format.record(outcome) is None
    assert driven.format.record(Outcome(outcome.step, "draw", 2)) is None
    assert told(driven.format) == before


@every_format
@pytest.mark.parametrize("seed", [1, 3])
def test_standings_are_those_of_a_replay_and_name_everybody_once(make: Maker, seed: int) -> None:
    live = Driven(make(pool(8, 2), seed), by_seed(seed))
    some_events(live, Random(seed), 40)
    rows = live.format.standings()
    resumed = make(pool(8, 2), seed)
    replay(resumed, live.journal)
    assert resumed.standings() == rows
    assert sorted(row.id for row in rows) == sorted(score.id for score in live.format.scores())
    field = live.format.field  # type: ignore[attr-defined]
    for class_ in "xy":
        table = [row for row in rows if field.entrants[field.index(row.id)].class_ == class_]
        assert [row.rank for row in table] == list(range(1, len(table) + 1))
        plays = [field.plays(field.index(row.id)) for row in table]
        assert plays == sorted(plays, reverse=True)
        assert all(row.fitted == row.rating for row in table)


@every_format
def test_a_clone_goes_its_own_way(make: Maker) -> None:
    driven = Driven(make(pool(7), 4), by_seed(4))
    driven.plan()
    driven.apply()
    before = told(driven.format)
    clone = copy.deepcopy(driven)
    clone.act("reject", "c2")
    clone.act("overrule", seq=1, winner="void", values={"was": "a"})
    clone.finish()
    assert told(driven.format) == before
    assert told(clone.format) != before
    assert driven.finish().outcomes != clone.outcomes


@every_format
def test_an_overrule_refolds_points_and_leaves_the_plan(make: Maker) -> None:
    driven = Driven(make(pool(6), 4))
    driven.plan()
    outcome = driven.apply()
    waiting = list(driven.waiting)
    loser: Any = "b" if outcome.winner == "a" else "a"
    driven.act("overrule", seq=1, winner=loser, values={"was": outcome.winner})
    change = next(iter(driven.format.history()))
    assert (change.a_after, change.b_after) == ((1.0, 0.0) if loser == "a" else (0.0, 1.0))
    assert list(driven.waiting) == waiting == driven.steps[1:]


@every_format
def test_a_plan_that_is_not_the_schedules_is_refused_and_changes_nothing(make: Maker) -> None:
    format_ = make(pool(4), 1)
    before = told(format_)
    real = copy.deepcopy(format_).next_steps(1)[0]
    with pytest.raises(ValueError, match="step 3 was planned after step 0"):
        format_.adopt(Match("main", 3, real.a, real.b, "pairwise", round=1))
    with pytest.raises(ValueError, match="the schedule has"):
        format_.adopt(Match("main", 1, real.b, real.a, "pairwise", round=1))
    with pytest.raises(ValueError, match="round 2"):
        format_.adopt(Match("main", 1, real.a, real.b, "pairwise", round=2))
    assert told(format_) == before
    planned = len(format_.next_steps(1_000))
    with pytest.raises(ValueError, match="the schedule has no match"):
        format_.adopt(Match("main", planned + 1, real.a, real.b, "pairwise", round=2))


@every_format
def test_it_takes_no_single_matches(make: Maker) -> None:
    driven = Driven(make(pool(4), 1))
    assert "schedule" in (driven.act("focus", "c1") or "")
    assert "schedule" in (driven.act("match", "c1", "c2") or "")


@every_format
def test_another_seed_is_another_schedule_and_groups_differ(make: Maker) -> None:
    def schedule(seed: int, group: str = "main") -> list[tuple[str, str]]:
        made = make(Group(group, pool(12).candidates), seed)
        return [(step.a, step.b) for step in made.next_steps(6)]

    assert len({tuple(schedule(seed)) for seed in range(5)}) > 1
    assert schedule(1) == schedule(1)


@every_format
def test_who_is_rejected_before_the_start_is_not_drawn(make: Maker) -> None:
    driven = Driven(make(pool(5), 1))
    driven.act("reject", "c3")
    driven.finish()
    assert driven.steps
    assert "c3" not in Counter(id_ for step in driven.steps for id_ in (step.a, step.b))


@every_format
def test_an_opponent_of_the_rejected_is_told_of_its_bye(make: Maker) -> None:
    driven = Driven(make(pool(8), 1))
    gone = driven.plan()[0]
    driven.act("reject", gone.a)
    byes = [row for row in driven.format.pairings() if row["b"] is None]
    assert {"group": "main", "round": 1, "seq": None, "a": gone.b, "b": None} in [
        {key: value for key, value in row.items() if key != "why"} for row in byes
    ]
    assert all(row["why"].startswith("bye: ") for row in byes)
