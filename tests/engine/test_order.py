"""Outcomes in order, without an engine: the exact window, by virtual finish or by arrival."""

from __future__ import annotations

from itertools import islice
from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from arena_tui.engine.order import AppliedOrder, Ordering, default_lookahead
from arena_tui.facts import Match
from arena_tui.vocabulary import Mode

DURATIONS: dict[Mode, float] = {"pairwise": 1.0, "score": 1.0, "debate": 15.0}
MODES = st.lists(st.sampled_from(["pairwise", "debate", "score"]), min_size=1, max_size=60)


def an_order(lookahead: int = 4, ordering: Ordering = "seq", windowed: bool = True) -> AppliedOrder:
    return AppliedOrder(ordering=ordering, durations=DURATIONS, lookahead=lookahead, windowed=windowed)


def a_step(seq: int, mode: Mode = "pairwise") -> Match:
    return Match("main", seq, "a", "b", mode)


def play(order: AppliedOrder, modes: list[Mode]) -> tuple[list[int], dict[int, int]]:
    """Refill after every outcome until the modes are used up: what was applied, when each was planned."""
    steps = iter([a_step(seq, mode) for seq, mode in enumerate(modes, 1)])
    planned_after: dict[int, int] = {}
    applied: list[int] = []
    while True:
        for step in islice(steps, order.room()):
            order.plan(step)
            planned_after[step.seq] = order.applied
        due = order.due()
        if due is None:
            return applied, planned_after
        applied.append(due.seq)
        assert order.apply(due) == len(applied)


def by_brute_force(modes: list[Mode], lookahead: int) -> list[int]:
    """The same order from its definition: the least (virtual finish, step number) among the window."""
    now, applied, window = 0.0, [], []
    for seq, mode in enumerate(modes, 1):
        window.append((now + DURATIONS[mode], seq))
        if len(window) == lookahead:
            now, done = min(window)
            window.remove((now, done))
            applied.append(done)
    return applied + [seq for _, seq in sorted(window)]


@given(MODES, st.integers(1, 20))
def test_step_k_is_planned_when_exactly_k_minus_lookahead_outcomes_are_applied(
    modes: list[Mode], lookahead: int
) -> None:
    _, planned_after = play(an_order(lookahead), modes)
    assert planned_after == {k: max(0, k - lookahead) for k in range(1, len(modes) + 1)}


@given(MODES, st.integers(1, 20))
def test_outcomes_are_applied_by_virtual_finish_then_by_number(modes: list[Mode], lookahead: int) -> None:
    applied, _ = play(an_order(lookahead), modes)
    assert applied == by_brute_force(modes, lookahead)


@given(st.integers(1, 60), st.integers(1, 20), st.sampled_from(["pairwise", "debate"]))
def test_equal_durations_are_applied_in_step_order(steps: int, lookahead: int, mode: Mode) -> None:
    applied, _ = play(an_order(lookahead), [mode] * steps)
    assert applied == list(range(1, steps + 1))


def test_short_matches_pass_a_debate_until_it_has_run_its_time() -> None:
    applied, _ = play(an_order(2), ["debate", *["pairwise"] * 20])
    assert applied.index(1) == 14  # at 15 the debate ties with the 15th short one, and has the smaller number
    assert applied[:14] == list(range(2, 16))


@given(MODES, st.integers(1, 20))
def test_what_waits_is_listed_in_the_order_in_which_it_would_be_applied(
    modes: list[Mode], lookahead: int
) -> None:
    order = an_order(max(lookahead, len(modes)))
    for seq, mode in enumerate(modes, 1):
        order.plan(a_step(seq, mode))
    listed = [step.seq for step in order.waiting()]
    applied = []
    while (due := order.due()) is not None:
        order.apply(due)
        applied.append(due.seq)
    assert applied == listed
    assert order.open_steps == 0


def test_a_step_out_of_its_turn_is_refused() -> None:
    order = an_order()
    order.plan(a_step(1))
    order.plan(a_step(2))
    with pytest.raises(ValueError, match="step 2 applied while step 1 is due"):
        order.apply(a_step(2))


@given(MODES, st.integers(1, 20), st.integers(0, 2**32))
def test_arrival_applies_as_verdicts_come_with_the_same_exact_window(
    modes: list[Mode], lookahead: int, seed: int
) -> None:
    order, chance = an_order(lookahead, "arrival"), Random(seed)
    steps = [a_step(seq, mode) for seq, mode in enumerate(modes, 1)]
    coming, arrived, journal = list(steps), [], []
    out: list[Match] = []
    while coming or out:
        for _ in range(min(order.room(), len(coming))):
            step = coming.pop(0)
            assert order.applied == max(0, step.seq - lookahead)
            order.plan(step)
            out.append(step)
            journal.append(("plan", step))
        assert order.due() is None
        step = out.pop(chance.randrange(len(out)))
        order.arrive(step)
        arrived.append(step.seq)
        assert order.due() == step
        order.apply(step)
        journal.append(("outcome", step))
        assert sorted(s.seq for s in order.waiting()) == sorted(s.seq for s in out)
    assert sorted(arrived) == [step.seq for step in steps]
    again = an_order(lookahead, "arrival")
    for kind, step in journal:
        again.plan(step) if kind == "plan" else again.apply(step)
    assert (again.planned, again.applied, again.waiting()) == (order.planned, order.applied, [])


def test_a_round_format_is_offered_a_whole_round_whatever_the_lookahead() -> None:
    order = an_order(1, windowed=False)
    assert order.room() > 10**6
    order.plan(a_step(1))
    assert order.room() > 10**6


def test_a_wider_window_has_room_at_once_and_a_narrower_one_when_it_has_run_down() -> None:
    order = an_order(2)
    order.plan(a_step(1))
    order.plan(a_step(2))
    order.lookahead = 3
    assert order.room() == 1
    order.lookahead = 1
    assert order.room() == 0
    order.apply(a_step(1))
    assert order.room() == 0
    order.apply(a_step(2))
    assert order.room() == 1


@pytest.mark.parametrize(
    ("concurrency", "groups", "lookahead"), [(8, 1, 16), (8, 8, 16), (8, 9, 1), (1, 1, 2)]
)
def test_the_default_lookahead(concurrency: int, groups: int, lookahead: int) -> None:
    assert default_lookahead(concurrency, groups) == lookahead
