"""The search for one round of a Swiss tournament: legal whenever a legal round exists, and near in score."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import combinations
from random import Random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from arena_tui.formats.swiss_pairing import NEAREST, Paired, pair_round


def met_of(size: int, pairs: Sequence[tuple[int, int]]) -> list[set[int]]:
    met: list[set[int]] = [set() for _ in range(size)]
    for one, other in pairs:
        met[one].add(other)
        met[other].add(one)
    return met


def rounds_of(order: Sequence[int], met: list[set[int]]) -> Iterator[list[tuple[int, int]]]:
    """All perfect matchings of an even number: an independent enumeration."""
    if not order:
        yield []
    for other in order[1:]:
        if other not in met[order[0]]:
            rest = [each for each in order[1:] if each != other]
            yield from ([(order[0], other), *more] for more in rounds_of(rest, met))


def gap(pairs: Sequence[tuple[int, int]], scores: Sequence[float]) -> float:
    return sum(abs(scores[one] - scores[other]) for one, other in pairs)


@pytest.mark.parametrize("steps", [20, 0])
def test_the_greedy_dead_end_of_the_hexagon_is_left(steps: int) -> None:
    """Met: the hexagon 1-2-3-4-5-6. Greedy pairs 1-3, then 2-4, and 5-6 have met."""
    met = met_of(6, [(0, 1), (1, 2), (2, 3), (3, 4), (4, 5), (5, 0)])
    scores = [5.0, 4.0, 3.0, 2.0, 1.0, 0.0]
    found = pair_round(range(6), scores, met, [0] * 6, steps_per_entrant=steps)
    assert found is not None
    assert found.matched == (steps == 0)
    if not steps:
        assert gap(found.pairs, scores) == min(gap(each, scores) for each in rounds_of(range(6), met))
    else:
        assert found.pairs == ((0, 2), (1, 4), (3, 5))


def test_an_avoidable_rematch_is_avoided() -> None:  # S1
    met = met_of(4, [(0, 1), (2, 3), (0, 2), (1, 3)])
    assert pair_round(range(4), [2, 1, 1, 0], met, [0] * 4) == Paired(((0, 3), (1, 2)), None)


def test_leaders_that_have_met_do_not_meet_again() -> None:  # S11
    found = pair_round(range(4), [1.5, 1.0, 0.5, 0.0], met_of(4, [(0, 1), (2, 3)]), [0] * 4)
    assert found == Paired(((0, 2), (1, 3)), None)


def test_an_even_number_has_no_bye() -> None:  # S7
    for size in (2, 6, 64):
        found = pair_round(range(size), [0.0] * size, met_of(size, []), [0] * size)
        assert found is not None
        assert found.bye is None


@pytest.mark.parametrize("steps", [20, 0])
def test_the_bye_goes_to_the_lowest_that_leaves_a_legal_round(steps: int) -> None:  # S4
    free = pair_round(range(5), [2, 1, 1, 0.5, 0], met_of(5, []), [0] * 5, steps_per_entrant=steps)
    assert free is not None
    assert free.bye == 4
    had_one = pair_round(range(5), [2, 1, 1, 0.5, 0], met_of(5, []), [0, 0, 0, 0, 1], steps_per_entrant=steps)
    assert had_one is not None
    assert had_one.bye == 3
    # Without 4, entrant 3 has met all others; so only 3 itself may sit out.
    met = met_of(5, [(3, 0), (3, 1), (3, 2)])
    forced = pair_round(range(5), [2, 1, 1, 0.5, 0], met, [0] * 5, steps_per_entrant=steps)
    assert forced is not None
    assert forced.bye == 3


def test_a_second_bye_comes_after_everybody_had_one() -> None:
    found = pair_round([2, 0, 1], [1.0, 0.0, 2.0], met_of(3, []), [1, 1, 1])
    assert found == Paired(((2, 0),), 1)


@pytest.mark.parametrize("steps", [20, 0])
def test_no_round_where_all_have_met(steps: int) -> None:
    for size in (2, 4, 5, 6):
        met = met_of(size, list(combinations(range(size), 2)))
        assert pair_round(range(size), [0.0] * size, met, [0] * size, steps_per_entrant=steps) is None


def test_nobody_and_one_alone() -> None:
    assert pair_round([], [], [], []) == Paired((), None)
    assert pair_round([0], [0.0], [set()], [0]) == Paired((), 0)


@settings(max_examples=60)
@given(st.integers(2, 8), st.integers(0, 2**32), st.floats(0, 1))
def test_search_and_matching_find_a_legal_round_whenever_there_is_one(
    size: int, seed: int, density: float
) -> None:
    rng = Random(seed)
    met = met_of(size, [pair for pair in combinations(range(size), 2) if rng.random() < density])
    byes = [rng.randrange(2) for _ in range(size)]
    order = rng.sample(range(size), size)
    scores = [0.0] * size
    for entrant, score in zip(
        order, sorted((rng.randrange(6) / 2 for _ in order), reverse=True), strict=True
    ):
        scores[entrant] = score
    legal: list[tuple[int | None, list[list[tuple[int, int]]]]] = [(None, list(rounds_of(order, met)))]
    if size % 2:
        may = [entrant for entrant in reversed(order) if byes[entrant] == min(byes)]
        legal = [(bye, list(rounds_of([e for e in order if e != bye], met))) for bye in may]
    best = next(((bye, rounds) for bye, rounds in legal if rounds), None)
    for steps in (20, 3, 0):
        found = pair_round(order, scores, met, byes, steps_per_entrant=steps)
        if best is None:
            assert found is None
            continue
        assert found is not None
        assert found.bye == best[0]
        assert list(found.pairs) in [sorted(each, key=lambda p: order.index(p[0])) for each in best[1]]
        if found.matched:
            assert gap(found.pairs, scores) == min(gap(each, scores) for each in best[1])
        else:
            assert list(found.pairs) == best[1][0]  # the first in the order of the list


def test_a_front_that_has_met_is_paired_beyond_its_nearest() -> None:
    """The first 30 have met each other: their 24 nearest are too few for them, and the graph must grow."""
    front = NEAREST + 6
    met = met_of(2 * front, list(combinations(range(front), 2)))
    found = pair_round(range(2 * front), [0.0] * 2 * front, met, [0] * 2 * front, steps_per_entrant=0)
    assert found is not None
    assert found.matched
    assert all(one < front <= other for one, other in found.pairs)


def test_few_near_opponents_do_not_move_the_bye() -> None:
    """The first 25 have met each other. Among the 24 nearest only a bye of one of them is legal."""
    front = NEAREST + 1
    size = 2 * front + 1
    met = met_of(size, list(combinations(range(front), 2)))
    found = pair_round(range(size), [0.0] * size, met, [0] * size, steps_per_entrant=0)
    assert found is not None
    assert found.bye == size - 1


def test_a_search_that_thrashes_gives_up_at_the_same_place_every_time() -> None:
    """One way to pair all is planted among few other open pairs: the search is lost in them."""
    rng = Random(0)
    size = 40
    shuffled = rng.sample(range(size), size)
    planted = {frozenset(shuffled[i : i + 2]) for i in range(0, size, 2)}
    closed = [p for p in combinations(range(size), 2) if frozenset(p) not in planted and rng.random() < 0.9]
    found = [pair_round(range(size), [0.0] * size, met_of(size, closed), [0] * size) for _ in range(2)]
    assert found[0] is not None
    assert found[0].matched
    assert not set(closed).intersection(found[0].pairs)
    assert found[0] == found[1]
