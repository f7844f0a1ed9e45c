"""The round robin: everybody meets everybody, round by round, whoever comes and goes."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from itertools import combinations, pairwise
from random import Random
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from schedule_runs import Driven, by_seed, lower_wins, pairs, pool

from arena_tui.candidate import Candidate, Group
from arena_tui.facts import Match
from arena_tui.formats.circle import meeting_round, opponent, rounds_of, stands_first
from arena_tui.formats.owed import matched
from arena_tui.formats.round_robin import RoundRobinTournament
from arena_tui.settings import RoundRobinFormat


def robin(
    group: Group | int, seed: int = 3, *, orders: Any = "alternate", **options: Any
) -> RoundRobinTournament:
    group = pool(group) if isinstance(group, int) else group
    return RoundRobinTournament(group, RoundRobinFormat(**options), seed=seed, orders=orders)


def met(steps: Iterable[Match]) -> Counter[frozenset[str]]:
    return Counter(frozenset((step.a, step.b)) for step in steps)


def all_pairs(ids: Iterable[str], times: int = 1) -> Counter[frozenset[str]]:
    return Counter({frozenset(pair): times for pair in combinations(ids, 2)})


def ids(n: int) -> list[str]:
    return [f"c{i}" for i in range(n)]


def slots(steps: Iterable[Match]) -> Counter[str]:
    """Firsts minus seconds."""
    balance: Counter[str] = Counter()
    for step in steps:
        balance[step.a] += 1
        balance[step.b] -= 1
    return balance


def once_a_round(steps: Iterable[Match]) -> bool:
    seen = Counter((step.round, id_) for step in steps for id_ in (step.a, step.b))
    return set(seen.values()) <= {1}


# -- the circle ---------------------------------------------------------------------------------


@pytest.mark.parametrize("n", [2, 3, 4, 5, 6, 7, 8, 13, 16, 31])
def test_the_circle_brings_everybody_together_once_and_shares_the_slots(n: int) -> None:
    seen: Counter[tuple[int, int]] = Counter()
    balance = [0] * n
    for round_ in range(rounds_of(n)):
        idle = 0
        for place in range(n):
            other = opponent(n, round_, place)
            if other is None:
                idle += 1
                continue
            assert opponent(n, round_, other) == place != other
            assert stands_first(n, round_, place, other) != stands_first(n, round_, other, place)
            assert meeting_round(n, place, other) == round_
            balance[place] += 1 if stands_first(n, round_, place, other) else -1
            seen[min(place, other), max(place, other)] += 1
        assert idle == n % 2
    assert seen == dict.fromkeys(combinations(range(n), 2), 2)  # once from each side
    assert all(abs(each) <= 1 for each in balance)


def test_slots_take_turns_from_round_to_round() -> None:
    for place in range(10):
        turns = []
        for round_ in range(rounds_of(10)):
            other = opponent(10, round_, place)
            assert other is not None
            turns.append(stands_first(10, round_, place, other))
        assert sum(now == then for now, then in pairwise(turns)) <= 1


def test_who_owes_most_is_served_first() -> None:
    star = [(0, 0, other) for other in (1, 2, 3)]
    assert matched([(0, 2, 3), *star]) == [(0, 0, 2)]
    assert matched([(0, 1, 2), (0, 3, 4), *star]) == [(0, 0, 1), (0, 3, 4)]
    assert matched([(0, 1, 2), (1, 1, 2)]) == [(0, 1, 2)]
    assert matched([]) == []


# -- whole tournaments --------------------------------------------------------------------------


@pytest.mark.parametrize("n", [2, 3, 4, 7, 8])
@pytest.mark.parametrize("double", [False, True])
def test_everybody_meets_everybody(n: int, double: bool) -> None:
    driven = Driven(robin(n, double=double), by_seed(1))
    legs = 2 if double else 1
    assert driven.format.progress().expected == legs * n * (n - 1) // 2
    steps = driven.finish().steps
    assert met(steps) == all_pairs(ids(n), legs)
    assert once_a_round(steps)
    assert max(step.round or 0 for step in steps) == legs * rounds_of(n)
    assert all(abs(balance) <= 1 for balance in slots(steps).values())


def test_the_second_leg_is_in_the_other_order() -> None:
    for orders in ("alternate", "given", "both"):
        steps = Driven(robin(5, double=True, orders=orders)).finish().steps
        half = len(steps) // 2
        assert {(b, a) for a, b in pairs(steps[:half])} == set(pairs(steps[half:]))
    assert all(step.a < step.b for step in Driven(robin(6, orders="given")).finish().steps)


def test_both_orders_are_one_match() -> None:
    steps = Driven(robin(4, orders="both")).finish().steps
    assert len(steps) == 6
    assert {step.orders for step in steps} == {("ab", "ba")}


def test_an_odd_field_has_a_bye_a_round_each_a_different_one() -> None:
    format_ = robin(5)
    Driven(format_).finish()
    byes = [(row["round"], row["a"], row["why"]) for row in format_.pairings() if row["b"] is None]
    assert [round_ for round_, _, _ in byes] == [1, 2, 3, 4, 5]
    assert {id_ for _, id_, _ in byes} == set(ids(5))
    assert {why for _, _, why in byes} == {"bye: an odd number"}


def test_a_void_match_has_been_played() -> None:
    driven = Driven(robin(4), lambda step: "void").finish()
    assert met(driven.steps) == all_pairs(ids(4))
    assert driven.format.standings()[0].score == 0.0


def test_the_score_is_the_points_and_the_fit_ranks() -> None:
    format_ = robin(5)
    Driven(format_, lower_wins).finish()
    rows = format_.standings()
    assert [(row.id, row.score) for row in rows] == [(f"c{i}", 4.0 - i) for i in range(5)]
    assert [row.rating for row in rows] == sorted((row.rating for row in rows), reverse=True)


def test_classes_advance_together_and_end_apart() -> None:
    group = Group("main", tuple(Candidate(f"c{i}", f"{i}", class_="x" if i < 6 else "y") for i in range(9)))
    steps = Driven(robin(group)).finish().steps
    by_round = {r: Counter("xy"[int(s.a[1:]) >= 6] for s in steps if s.round == r) for r in range(1, 6)}
    assert by_round == {r: Counter(x=3, y=1) if r <= 3 else Counter(x=3) for r in range(1, 6)}
    assert [s.seq for s in steps] == list(range(1, 19))


# -- who comes and goes -------------------------------------------------------------------------


@settings(max_examples=40)
@given(st.integers(0, 2**32), st.integers(2, 9), st.integers(1, 3), st.booleans())
def test_late_candidates_meet_everybody(seed: int, n: int, late: int, double: bool) -> None:
    rng = Random(seed)
    driven = Driven(robin(n, seed, double=double), by_seed(seed))
    driven.plan()
    for number in range(n, n + late):
        for _ in range(rng.randrange(n)):
            if driven.waiting:
                driven.apply()
                driven.plan()
        driven.act("add", added=Candidate(f"c{number}", "late"))
    driven.finish()
    assert met(driven.steps) == all_pairs(ids(n + late), 2 if double else 1)
    assert once_a_round(driven.steps)


def test_a_late_candidate_plays_from_the_next_round_on() -> None:
    for n in (6, 7):
        driven = Driven(robin(n))
        driven.round()
        driven.plan()
        driven.act("add", added=Candidate(f"c{n}", "late"))
        driven.finish()
        rounds = [step.round for step in driven.steps if f"c{n}" in (step.a, step.b)]
        assert rounds[: rounds_of(n) - 2] == list(range(3, rounds_of(n) + 1))


def test_whose_pair_gave_way_meets_after_the_circle() -> None:
    format_ = robin(6)
    driven = Driven(format_)
    driven.round()
    driven.act("add", added=Candidate("c6", "late"))
    driven.plan()
    (widow,) = [row for row in format_.pairings() if row["b"] is None]
    assert widow["round"] == 2
    assert widow["why"].endswith("meets c6")
    opponent_ = widow["why"].split()[1]
    driven.finish()
    (step,) = [s for s in driven.steps if {s.a, s.b} == {widow["a"], opponent_}]
    assert step.why == "missed in its round"
    assert (step.round or 0) > 5


def test_pairs_of_the_rejected_vanish_and_opponents_have_byes() -> None:
    format_ = robin(6)
    driven = Driven(format_)
    driven.round()
    steps = driven.plan()
    gone = steps[1]
    driven.act("reject", gone.a)
    driven.finish()
    assert not [s for s in driven.steps if (s.round or 0) > 2 and gone.a in (s.a, s.b)]
    byes = [(row["round"], row["a"]) for row in format_.pairings() if row["b"] is None]
    assert (2, gone.b) in byes
    assert [round_ for round_, _ in byes] == [2, 3, 4, 5]
    assert len({id_ for _, id_ in byes}) == 4
    assert format_.progress().expected == len(driven.steps) == 3 + 3 + 3 * 2


def test_who_is_back_meets_those_it_missed() -> None:
    driven = Driven(robin(6))
    driven.round()
    first = driven.plan()[0]
    driven.act("reject", first.a)  # one match withdrawn
    while driven.waiting:
        driven.apply()
    driven.plan()  # and one round missed
    driven.act("restore", first.a)
    driven.finish()
    judged = [o.step for o in driven.outcomes if o.reason != "withdrawn"]
    assert met(judged) == all_pairs(ids(6))
    assert once_a_round(driven.steps)


def test_a_match_withdrawn_and_back_before_it_was_applied_is_played_later() -> None:
    driven = Driven(robin(4))
    step = driven.plan()[0]
    driven.act("reject", step.a)
    driven.act("restore", step.a)
    driven.finish()
    assert met(driven.steps)[frozenset((step.a, step.b))] == 2
    assert met(o.step for o in driven.outcomes if o.reason != "withdrawn") == all_pairs(ids(4))


def test_who_comes_before_the_start_is_in_the_circle() -> None:
    driven = Driven(robin(5))
    driven.act("add", added=Candidate("c5", "early"))
    steps = driven.finish().steps
    assert max(step.round or 0 for step in steps) == 5
    assert met(steps) == all_pairs(ids(6))


def test_a_class_that_gains_its_second_member_late_plays_too() -> None:
    group = Group("main", (*pool(4).candidates, Candidate("lone", "x", class_="x")))
    driven = Driven(robin(group), by_seed(1))
    driven.round()
    driven.act("add", added=Candidate("second", "y", class_="x"))
    steps = driven.finish().steps
    assert [step.round for step in steps if step.a in ("lone", "second")] == [2]


def test_a_large_field_is_planned_round_by_round() -> None:
    format_ = robin(10_000)
    assert format_.off_loop
    assert format_.progress().expected == 49_995_000
    steps = format_.next_steps(1 << 30)
    assert len(steps) == 5_000
    assert len({id_ for step in steps for id_ in (step.a, step.b)}) == 10_000
    assert format_.progress().phase == "round 1 of 9999"
