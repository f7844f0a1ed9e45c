"""The Elo tournament as a pure state machine: schedules, slots, modes and ratings."""

from __future__ import annotations

import math
import os
import subprocess
import sys
from collections import Counter, deque
from dataclasses import replace
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest
from elo_runs import candidate, names, play, pool, put, replay, row, tournament, valid_matches, verdict
from hypothesis import given, settings
from hypothesis import strategies as st

from arena_tui.candidate import Group
from arena_tui.facts import Intervention, Match, Outcome, RatingChange
from arena_tui.formats.base import Format
from arena_tui.formats.elo import EloTournament
from arena_tui.settings import EloFormat

# -- the schedule -------------------------------------------------------------------------------


def test_it_is_a_format() -> None:
    as_protocol: Format = tournament()
    assert as_protocol.windowed
    assert as_protocol.finished() is None
    assert as_protocol.progress().expected is None


@settings(max_examples=40)
@given(st.integers(0, 2**32), st.integers(0, 60), st.integers(0, 12), st.integers(0, 12))
def test_planning_in_two_goes_equals_planning_in_one(seed: int, before: int, a: int, b: int) -> None:
    split, whole = tournament(seed=seed), tournament(seed=seed)
    for format_ in (split, whole):
        play(format_, before, verdict(seed))
    assert split.next_steps(a) + split.next_steps(b) == whole.next_steps(a + b)


@settings(max_examples=30)
@given(st.data())
def test_adopting_a_journal_gives_the_next_fifty_choices_of_planning(data: st.DataObject) -> None:
    seed = data.draw(st.integers(0, 2**32))
    group = Group("main", tuple(candidate(f"c{i}", class_="xy"[i % 2]) for i in range(9)))
    live = tournament(group, seed=seed)
    journal = play(live, data.draw(st.integers(0, 40)), verdict(seed))
    late = candidate("late", class_="x")
    actions = [
        Intervention("add", "main", added=late),
        Intervention("reject", "main", "c1"),
        Intervention("focus", "main", "c2"),
        Intervention("match", "main", "c3", other="c5"),
        Intervention("restore", "main", "c1"),
        Intervention("pin", "main", "c4"),
        Intervention("overrule", "main", seq=1, winner="void"),
    ]
    for action in data.draw(st.lists(st.sampled_from(actions), unique_by=id, max_size=6)):
        live.intervene(action)
        steps = live.next_steps(data.draw(st.integers(0, 2)))
        journal += [action, *steps]
    resumed = tournament(group, seed=seed)
    replay(resumed, journal)
    assert resumed.standings() == live.standings()
    assert resumed.next_steps(50) == live.next_steps(50)


def test_the_same_seed_and_verdicts_give_the_same_tournament() -> None:
    one, other = tournament(), tournament()
    assert play(one, 80, verdict(1)) == play(other, 80, verdict(1))
    assert one.standings() == other.standings()
    assert play(tournament(seed=8), 80, verdict(1)) != play(tournament(), 80, verdict(1))


def test_groups_have_randomness_of_their_own() -> None:
    main = tournament(pool(8)).next_steps(20)
    other = EloTournament(replace(pool(8), id="other"), EloFormat(), seed=7).next_steps(20)
    assert [(s.a, s.b) for s in main] != [(s.a, s.b) for s in other]


def test_schedules_do_not_depend_on_the_hash_seed() -> None:
    program = "from elo_runs import play, tournament, verdict\nprint(play(tournament(), 60, verdict(3)))"
    folders = [str(Path(__file__).parents[2]), str(Path(__file__).parent)]
    seen = {
        subprocess.run(
            [sys.executable, "-c", program],
            env=os.environ | {"PYTHONHASHSEED": hash_seed, "PYTHONPATH": os.pathsep.join(folders)},
            capture_output=True,
            check=True,
            text=True,
            timeout=60,
        ).stdout
        for hash_seed in ("0", "1", "4242")
    }
    assert len(seen) == 1
    assert "Match(" in seen.pop()


def test_steps_are_numbered_from_one_and_nobody_meets_itself() -> None:
    steps = tournament().next_steps(100)
    assert [step.seq for step in steps] == list(range(1, 101))
    assert all(step.a != step.b for step in steps)


def test_nobody_starves() -> None:
    for seed in range(10):
        format_ = tournament(16, seed=seed)
        play(format_, 5 * 16, lambda step: "a" if step.a < step.b else "b", lookahead=16)
        assert format_.fewest_matches >= 3


def test_fewer_than_two_players_have_nothing_to_play() -> None:
    assert tournament(1).next_steps(5) == []
    assert tournament(0).next_steps(5) == []


def test_pairing_counts_planned_matches_as_played() -> None:
    whys = [step.why for step in tournament(3).next_steps(60)]
    assert whys[0] == "random"  # all are new
    assert {"new", "close"} <= set(whys)  # warm by planned matches alone


def test_repeats_become_rarer_with_every_meeting() -> None:
    def spread(**options: Any) -> int:
        steps = tournament(8, similarity="none", **options).next_steps(400)
        met = Counter(frozenset(names(step)) for step in steps)
        return max(met.values())

    assert spread() < spread(rematch_penalty=False)


# -- slots and modes ----------------------------------------------------------------------------


def test_a_pair_takes_turns_in_slot_one() -> None:
    for seed in range(5):
        firsts: dict[frozenset[str], list[str]] = {}
        for step in tournament(5, seed=seed).next_steps(80):
            firsts.setdefault(frozenset(names(step)), []).append(step.a)
            assert step.orders == ("ab",)
        assert all(now != then for turns in firsts.values() for now, then in pairwise(turns))


def test_a_first_meeting_is_decided_by_a_coin() -> None:
    smaller_first = sum(
        step.a < step.b for seed in range(400) for step in tournament(2, seed=seed).next_steps(1)
    )
    assert 150 < smaller_first < 250


def test_given_order_shows_the_smaller_id_first() -> None:
    steps = tournament(6, orders="given").next_steps(40)
    assert all(step.a < step.b for step in steps)


def test_both_orders_are_two_comparisons_of_one_match() -> None:
    assert {step.orders for step in tournament(4, orders="both").next_steps(10)} == {("ab", "ba")}


def modes(start: tuple[float, float], loads: int, **options: Any) -> str:
    """The mode of the next meeting of two with these ratings after `loads` matches each."""
    group = Group("main", tuple(candidate(n, rating=r) for n, r in zip("xy", start, strict=True)))
    format_ = tournament(group, k_new=1e-9, k_warm=1e-9, **options)
    for _ in range(loads):
        put(format_, "x", "y", "draw")
    return format_.next_steps(1)[0].mode


@pytest.mark.parametrize(
    ("gap", "loads", "mode"),
    [
        (0, 10, "debate"),
        (20, 5, "debate"),
        (200, 10, "pairwise"),
        (49.9, 10, "debate"),
        (50.1, 10, "pairwise"),
        (500, 1, "debate"),
        (500, 2, "pairwise"),
    ],
)
def test_few_matches_or_a_close_race_make_a_debate(gap: float, loads: int, mode: str) -> None:
    assert modes((1200.0, 1200.0 + gap), loads) == mode


def test_one_newcomer_is_enough_for_a_debate() -> None:
    group = Group("main", (candidate("x", rating=2000.0), candidate("y"), candidate("z")))
    format_ = tournament(group)
    for _ in range(10):
        put(format_, "x", "y")
    format_.intervene(Intervention("match", "main", "x", other="z"))
    assert format_.next_steps(1)[0].mode == "debate"


def test_mode_counts_planned_matches() -> None:
    group = Group("main", (candidate("x", rating=1200.0), candidate("y", rating=1500.0)))
    assert [s.mode for s in tournament(group).next_steps(4)] == ["debate", "debate", "pairwise", "pairwise"]


@pytest.mark.parametrize("mode", ["pairwise", "debate", "score"])
def test_a_fixed_mode_is_kept(mode: str) -> None:
    assert {step.mode for step in tournament(mode=mode).next_steps(30)} == {mode}


# -- ratings ------------------------------------------------------------------------------------


def test_k_counts_applied_matches_not_planned_ones() -> None:
    format_ = tournament(2)
    steps = format_.next_steps(7)
    changes = [format_.record(Outcome(step, "draw", number)) for number, step in enumerate(steps, start=1)]
    assert [change.k for change in changes if change] == [32, 32, 32, 32, 32, 16, 16]


def test_the_less_experienced_of_the_two_decides_k() -> None:
    format_ = tournament(3)
    for _ in range(9):
        put(format_, "c00", "c01")
    change = put(format_, "c00", "c02")
    assert change is not None
    assert change.k == 32


def test_a_change_tells_before_after_expected_and_k() -> None:
    assert put(tournament(2), "c00", "c01") == RatingChange(
        a="c00", b="c01", a_before=1200, a_after=1216, b_before=1200, b_after=1184, expected_a=0.5, k=32
    )


def test_the_pools_start_value_goes_before_the_initial_rating() -> None:
    group = Group("main", (candidate("x", rating=1500.0), candidate("y")))
    assert [(r.id, r.rating) for r in tournament(group, initial_rating=1000.0).standings()] == [
        ("x", 1500.0),
        ("y", 1000.0),
    ]


@settings(max_examples=30)
@given(st.integers(0, 2**32), st.integers(1, 120))
def test_the_sum_of_ratings_never_moves(seed: int, count: int) -> None:
    format_ = tournament(seed=seed)
    play(format_, count, verdict(seed))
    assert math.fsum(r.rating for r in format_.standings()) == pytest.approx(8 * 1200, abs=1e-9)


def test_a_void_match_rates_nothing_but_the_pair_has_met() -> None:
    format_ = tournament(2)
    step = format_.next_steps(1)[0]
    change = format_.record(Outcome(step, "void", 1, reason="withdrawn"))
    assert change == RatingChange(step.a, step.b, 1200, 1200, 1200, 1200)
    assert valid_matches(format_) == 0
    assert row(format_, "c00").matches == 0
    assert format_.progress().done == 1
    assert format_.next_steps(1)[0].a == step.b  # slots took turns


def test_a_void_match_gives_its_newness_back() -> None:
    one = tournament(2, debate_when_elo_delta_lt=0.0)
    for _ in range(2):
        put(one, "c00", "c01", "void")
    assert one.next_steps(1)[0].mode == "debate"  # still without a match
    assert one.next_steps(40)[0].why == "random"  # and new


def test_the_same_outcome_twice_has_no_effect() -> None:
    format_ = tournament(2)
    step = format_.next_steps(1)[0]
    assert format_.record(Outcome(step, "a", 1)) is not None
    before = format_.standings()
    assert format_.record(Outcome(step, "a", 1)) is None
    assert format_.record(Outcome(step, "b", 2)) is None
    assert format_.standings() == before
    assert valid_matches(format_) == 1


def test_an_outcome_of_a_step_that_was_never_planned_is_an_error() -> None:
    with pytest.raises(ValueError, match="step 3 was never planned"):
        tournament().record(Outcome(Match("main", 3, "c00", "c01", "pairwise"), "a", 1))


def test_a_plan_out_of_turn_is_an_error() -> None:
    with pytest.raises(ValueError, match="step 3 was planned after step 0"):
        tournament().adopt(Match("main", 3, "c00", "c01", "pairwise"))


def test_history_recomputes_the_live_changes_to_the_last_digit() -> None:
    format_ = tournament()
    waiting = deque(format_.next_steps(4))
    live = []
    for number in range(1, 101):
        step = waiting.popleft()
        live.append(format_.record(Outcome(step, verdict(5)(step), number)))
        waiting += format_.next_steps(1)
    assert list(format_.history()) == live


def test_standings_follow_ratings_then_pool_order() -> None:
    format_ = tournament(4)
    put(format_, "c02", "c01")
    rows = format_.standings()
    assert [(r.id, r.rank) for r in rows] == [("c02", 1), ("c00", 2), ("c03", 3), ("c01", 4)]
    first, second, third, last = rows
    assert (first.rating, first.wins, first.losses, first.matches) == (1216.0, 1, 0, 1)
    assert (last.rating, last.wins, last.losses, last.matches) == (1184.0, 0, 1, 1)
    assert (second.rating, second.matches, third.matches) == (1200.0, 0, 0)
    assert second.fitted == pytest.approx(1500.0), "who was never compared has the mean, and long bars"
    assert second.low < last.low  # type: ignore[operator]
    assert sum(row.p_best for row in rows) == pytest.approx(1.0)  # type: ignore[misc]
    assert {row.fitted for row in tournament(4).standings()} == {None}, "nothing before a comparison"


def test_standings_carry_a_fit_that_depends_on_no_order() -> None:
    there, back = tournament(3), tournament(3)
    results = [("c00", "c01"), ("c01", "c02"), ("c00", "c02"), ("c02", "c01")]
    for results_, format_ in ((results, there), (results[::-1], back)):
        for a, b in results_:
            put(format_, a, b)
    one, other = ({each.id: each for each in format_.standings()} for format_ in (there, back))
    assert {id_: each.rating for id_, each in one.items()} != {
        id_: each.rating for id_, each in other.items()
    }
    for id_, each in one.items():
        assert each.fitted == pytest.approx(other[id_].fitted)
        assert each.low is not None
        assert each.low < each.fitted < each.high  # type: ignore[operator]
    assert sum(each.p_best for each in one.values()) == pytest.approx(1.0)  # type: ignore[misc]
    assert sum(each.fitted for each in one.values()) == pytest.approx(4500.0)  # type: ignore[misc]


def test_a_draw_counts_for_both() -> None:
    format_ = tournament(2)
    put(format_, "c00", "c01", "draw")
    assert [(r.draws, r.matches, r.rating) for r in format_.standings()] == [(1, 1, 1200.0)] * 2
