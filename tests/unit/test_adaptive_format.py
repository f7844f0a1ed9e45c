"""The adaptive tournament as a pure state machine: schedules, boundaries, slots, classes, interventions."""

from __future__ import annotations

import copy
from collections import Counter, deque
from dataclasses import replace
from itertools import pairwise

import numpy as np
import pytest
from adaptive_runs import Goal, adaptive, classes, count_fits, names, play, pool, replay, verdict
from hypothesis import given, settings
from hypothesis import strategies as st

from arena_tui.candidate import Candidate
from arena_tui.engine.order import AppliedOrder
from arena_tui.facts import Comparison, Intervention, Match, Outcome
from arena_tui.formats.base import Format
from arena_tui.ratings.posterior import Counts

GOALS: tuple[Goal, ...] = ("best", "balanced", "order")


def pairs(steps: list[Match]) -> list[tuple[str, str]]:
    return [(step.a, step.b) for step in steps]


@pytest.fixture
def fits(monkeypatch: pytest.MonkeyPatch) -> list[Counts]:
    """The counts of every fit that is made."""
    return count_fits(monkeypatch)


# -- laws ---------------------------------------------------------------------------------------


def test_it_is_an_open_ended_format() -> None:
    as_protocol: Format = adaptive()
    assert as_protocol.windowed
    assert as_protocol.finished() is None
    assert as_protocol.progress().expected is None
    assert as_protocol.details() == {"goal": "balanced"}


@settings(max_examples=15, deadline=None)
@given(
    st.integers(0, 2**32), st.integers(0, 30), st.integers(0, 8), st.integers(0, 8), st.sampled_from(GOALS)
)
def test_planning_in_two_goes_equals_planning_in_one(
    seed: int, before: int, a: int, b: int, goal: Goal
) -> None:
    split, whole = adaptive(9, seed=seed, goal=goal), adaptive(9, seed=seed, goal=goal)
    for format_ in (split, whole):
        play(format_, before, verdict(seed))
    assert split.next_steps(a) + split.next_steps(b) == whole.next_steps(a + b)


@settings(max_examples=15, deadline=None)
@given(st.data())
def test_a_replayed_journal_goes_on_as_the_run_would(data: st.DataObject) -> None:
    """At every prefix: play, act, stop anywhere, adopt the journal, go on."""
    seed = data.draw(st.integers(0, 2**32))
    group = classes(7, 3)
    late = Candidate("z99", "late", class_="x")
    live = adaptive(group, seed=seed)
    journal = list(play(live, data.draw(st.integers(0, 25)), verdict(seed), lookahead=5))
    waiting: deque[Match] = deque()
    for entry in journal:
        if isinstance(entry, Match) and live.field.meeting(entry.seq).winner is None:
            waiting.append(entry)
    actions = [
        Intervention("add", "main", added=late),
        Intervention("reject", "main", "x01"),
        Intervention("focus", "main", "x02"),
        Intervention("match", "main", "x03", other="x00"),
        Intervention("restore", "main", "x01"),
        Intervention("pin", "main", "y00"),
        Intervention("overrule", "main", seq=1, winner="b"),
    ]
    for action in data.draw(st.lists(st.sampled_from(actions), unique_by=id, max_size=6)):
        live.intervene(action)
        journal.append(action)
        for _ in range(data.draw(st.integers(0, 3))):
            steps = live.next_steps(1)
            waiting += steps
            journal += steps
            if data.draw(st.booleans()) and waiting:
                step = waiting.popleft()
                outcome = Outcome(step, verdict(seed)(step), live.progress().done + 1)
                live.record(outcome)
                journal.append(outcome)
    resumed = adaptive(group, seed=seed)
    replay(resumed, journal)
    assert list(resumed.scores()) == list(live.scores())
    twin = copy.deepcopy(live)
    further = live.next_steps(15)
    assert resumed.next_steps(15) == further
    assert twin.next_steps(15) == further  # a clone is independent


def test_a_replay_stands_as_the_run_did() -> None:
    live, resumed = adaptive(6), adaptive(6)
    replay(resumed, play(live, 18, verdict(1)))
    assert resumed.standings() == live.standings()
    assert resumed.confidence(0.3) == live.confidence(0.3)
    assert list(resumed.history()) == list(live.history())


def test_the_same_seed_and_verdicts_give_the_same_tournament() -> None:
    assert play(adaptive(), 40, verdict(1)) == play(adaptive(), 40, verdict(1))
    assert play(adaptive(seed=8), 40, verdict(1)) != play(adaptive(), 40, verdict(1))
    other = adaptive(replace(pool(8), id="other")).next_steps(4)
    assert pairs(other) != pairs(adaptive().next_steps(4))


def test_choices_go_by_the_outcomes_applied_at_the_last_boundary(fits: list[Counts]) -> None:
    format_ = adaptive(16)
    play(format_, 31, verdict(2), lookahead=8)
    sizes = [counts.mass.sum() for counts in fits]
    voids = sum(verdict(2)(Match("main", k, "c000", "c001", "pairwise")) == "void" for k in range(1, 31))
    assert len(fits) == 16  # at the first choice that is no opening, then after every 16 // 8 outcomes
    assert sizes[-1] == 30 - voids
    assert all(now >= then for then, now in pairwise(sizes))


def test_outcomes_between_boundaries_change_no_choice() -> None:
    one, other = adaptive(32), adaptive(32)
    for format_, turned in ((one, False), (other, True)):
        steps = format_.next_steps(20)
        for number, step in enumerate(steps[:15], start=1):  # 32 // 8 = 4: boundaries at 4, 8, 12
            winner = "b" if turned and number > 12 else "a"
            format_.record(Outcome(step, "b" if winner == "b" else "a", number))
    assert one.next_steps(10) == other.next_steps(10)
    for format_, turned in ((one, False), (other, True)):
        format_.record(Outcome(format_.field.meeting(16).step, "b" if turned else "a", 16))
    assert one.next_steps(10) != other.next_steps(10)


def test_replaying_a_long_journal_makes_no_fit_until_something_is_chosen(fits: list[Counts]) -> None:
    group = pool(40)
    format_ = adaptive(group)
    for k in range(1, 10_001):
        a, b = f"c{k % 40:03d}", f"c{(k + 1 + k % 37) % 40:03d}"
        step = Match("main", k, a, b, "pairwise", why="information")
        format_.adopt(step)
        format_.record(Outcome(step, "a" if a < b else "b", k))
    assert fits == []
    format_.next_steps(5)
    assert len(fits) == 1


@pytest.mark.parametrize("lookahead", [1, 3, 8])
def test_in_the_engines_window_it_chooses_as_when_refilled_after_each_outcome(lookahead: int) -> None:
    window = AppliedOrder(
        ordering="seq", durations={"pairwise": 1.0, "debate": 15.0}, lookahead=lookahead, windowed=True
    )
    format_, journal = adaptive(10), []
    for number in range(1, 41):
        while window.room():
            (step,) = format_.next_steps(1)
            assert window.applied == max(0, step.seq - lookahead)
            window.plan(step)
            journal.append(step)
        due = window.due()
        assert due is not None
        window.apply(due)
        format_.record(Outcome(due, verdict(5)(due), number))
    played = play(adaptive(10), 40, verdict(5), lookahead=lookahead)
    assert journal == [entry for entry in played if isinstance(entry, Match)][: len(journal)]


def test_the_lookahead_changes_the_schedule() -> None:
    near, far = (play(adaptive(10), 40, verdict(5), lookahead=width) for width in (1, 8))
    assert [s for s in near if isinstance(s, Match)][:40] != [s for s in far if isinstance(s, Match)][:40]


def test_an_outcome_twice_has_no_effect() -> None:
    one, other = adaptive(), adaptive()
    for format_, times in ((one, 1), (other, 2)):
        for number, step in enumerate(format_.next_steps(6), start=1):
            for _ in range(times):
                format_.record(Outcome(step, "a", number))
    assert one.next_steps(8) == other.next_steps(8)


def test_a_plan_out_of_turn_and_an_outcome_of_none_are_errors() -> None:
    with pytest.raises(ValueError, match="step 3 was planned after step 0"):
        adaptive().adopt(Match("main", 3, "c000", "c001", "pairwise"))
    with pytest.raises(ValueError, match="step 3 was never planned"):
        adaptive().record(Outcome(Match("main", 3, "c000", "c001", "pairwise"), "a", 1))


# -- the schedule -------------------------------------------------------------------------------


@pytest.mark.parametrize("count", [2, 3, 4, 9, 16])
def test_it_opens_with_a_perfect_matching(count: int) -> None:
    steps = adaptive(count).next_steps(count // 2 + count % 2)
    met = Counter(name for step in steps for name in (step.a, step.b))
    assert len(met) == count  # the odd one comes next
    assert {step.why for step in steps} == {"opening"}
    assert met.most_common()[0][1] == 1 + count % 2


def test_two_entrants_meet_again_and_again_in_turned_order() -> None:
    steps = [s for s in play(adaptive(2), 10, verdict(1)) if isinstance(s, Match)]
    assert len(steps) == 14
    orders = pairs(steps)
    assert all(orders[k] != orders[k + 1] for k in range(0, 14, 2))


@pytest.mark.parametrize("count", [0, 1])
def test_fewer_than_two_players_have_nothing_to_play(count: int) -> None:
    assert adaptive(count).next_steps(5) == []


def test_when_all_are_rejected_nothing_is_chosen_until_two_are_back() -> None:
    format_ = adaptive(4)
    play(format_, 6, verdict(1))
    for k in range(4):
        format_.intervene(Intervention("reject", "main", f"c{k:03d}"))
    assert format_.next_steps(3) == []
    format_.intervene(Intervention("restore", "main", "c001"))
    assert format_.next_steps(3) == []
    format_.intervene(Intervention("restore", "main", "c003"))
    assert [names(step) for step in format_.next_steps(3)] == [{"c001", "c003"}] * 3


def meetings(goal: Goal, top: int) -> float:
    """The share of matches between the best `top` of 12, over some seeds."""
    shares = []
    for seed in range(12):
        journal = play(adaptive(12, goal=goal, seed=seed), 72, verdict(seed), lookahead=4)
        steps = [s for s in journal if isinstance(s, Match)][24:]
        shares.append(np.mean([max(int(s.a[1:]), int(s.b[1:])) < top for s in steps]))
    return float(np.mean(shares))


def test_the_goal_says_who_meets() -> None:
    assert meetings("best", 3) > meetings("balanced", 3) + 0.02 > meetings("order", 3) + 0.06


def test_a_pending_match_is_not_asked_again_at_once() -> None:
    format_ = adaptive(8)
    play(format_, 20, verdict(4), lookahead=1)
    steps = format_.next_steps(6)
    assert len({frozenset(names(step)) for step in steps}) >= 4


def test_large_fields_meet_within_their_neighbourhood() -> None:
    format_ = adaptive(300)
    opening = format_.next_steps(150)
    for number, step in enumerate(opening, start=1):
        format_.record(Outcome(step, "a" if step.a < step.b else "b", number))
    steps = format_.next_steps(12)
    assert {step.why for step in steps} == {"information"}
    winners = {min(step.a, step.b) for step in opening}
    assert all(step.a in winners and step.b in winners for step in steps)
    twin = adaptive(300)
    replay(twin, [*opening, *(Outcome(s, "a" if s.a < s.b else "b", n) for n, s in enumerate(opening, 1))])
    assert twin.next_steps(12) == steps


def test_classes_never_meet_and_take_turns_by_size() -> None:
    steps = [s for s in play(adaptive(classes(6, 3, 1)), 42, verdict(1)) if isinstance(s, Match)]
    assert all(step.a[0] == step.b[0] for step in steps)
    planned = Counter(step.a[0] for step in steps)
    assert planned["z"] == 0
    assert abs(planned["x"] / 6 - planned["y"] / 3) <= 1 / 3


# -- slots --------------------------------------------------------------------------------------


def test_a_pair_takes_the_order_it_has_had_less_often() -> None:
    orders: dict[frozenset[str], list[str]] = {}
    for entry in play(adaptive(5), 60, verdict(1)):
        if isinstance(entry, Match):
            orders.setdefault(frozenset(names(entry)), []).append(entry.a)
            assert entry.orders == ("ab",)
    assert max(map(len, orders.values())) > 4
    for turns in orders.values():
        assert all(max(Counter(turns[:n]).values()) <= (n + 1) // 2 for n in range(1, len(turns) + 1))


def test_between_equals_slot_one_goes_to_the_one_who_had_it_less() -> None:
    orders: Counter[tuple[str, str]] = Counter()
    surplus: Counter[str] = Counter()
    for entry in play(adaptive(10, goal="best"), 100, verdict(1)):
        if isinstance(entry, Match):
            a, b = entry.a, entry.b
            if orders[a, b] == orders[b, a]:
                assert surplus[a] <= surplus[b]
            orders[a, b] += 1
            surplus.update({a: 1, b: -1})
    assert max(map(abs, surplus.values())) <= 4, "also of those who play most"


def test_orders_given_and_both() -> None:
    assert all(step.a < step.b for step in adaptive(6, orders="given").next_steps(20))
    assert {step.orders for step in adaptive(4, orders="both").next_steps(6)} == {("ab", "ba")}
    assert {step.mode for step in adaptive(4, mode="debate").next_steps(6)} == {"debate"}


def test_both_orders_of_a_match_weigh_half_each(fits: list[Counts]) -> None:
    format_ = adaptive(2, orders="both")
    step = format_.next_steps(1)[0]
    said = (Comparison("ab", "first"), Comparison("ba", "first"))
    format_.record(Outcome(step, "draw", 1, comparisons=said))
    format_.next_steps(1)
    counts = fits[-1]
    assert counts.mass.tolist() == counts.points.tolist() == [0.5, 0.5]
    assert sorted(zip(counts.first.tolist(), counts.second.tolist(), strict=True)) == [(0, 1), (1, 0)]
