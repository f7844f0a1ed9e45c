"""Who meets whom: the buckets' rules, and draws compared with written-out probabilities."""

from __future__ import annotations

import math
from collections import Counter
from itertools import combinations
from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import chisquare

from arena_tui.formats.ladder import Ladder
from arena_tui.formats.pairing import Division, Rules, choose_pair, draw_exactly, nearest

RULES = Rules(p_new=0.4, p_close=0.4, p_random=0.2, close_gap=200.0, rematch_penalty=True)
FAR = 1e-4  # a chi-square test with fixed seeds either passes for ever or shows a wrong distribution


class Known:
    """A table of fixed facts: ratings, loads, meetings and affinities by pool index."""

    def __init__(
        self,
        ratings: list[float],
        loads: list[int] | None = None,
        met: dict[tuple[int, int], int] | None = None,
        affinities: dict[tuple[int, int], float] | None = None,
    ) -> None:
        self.ratings = ratings
        self.loads = loads or [9] * len(ratings)
        self.meetings = met or {}
        self.affinities = affinities or {}

    def rating(self, entrant: int) -> float:
        return self.ratings[entrant]

    def load(self, entrant: int) -> int:
        return self.loads[entrant]

    def met(self, one: int, other: int) -> int:
        return self.meetings.get((min(one, other), max(one, other)), 0)

    def affinity(self, one: int, other: int) -> float:
        return self.affinities.get((min(one, other), max(one, other)), 1.0)

    def division(self) -> Division:
        division = Division(3)
        for entrant, rating in enumerate(self.ratings):
            division.enter(entrant, rating, self.loads[entrant])
        return division


def only(bucket: str, *, rematch_penalty: bool = True, close_gap: float = 200.0) -> Rules:
    chances = {name: float(name == bucket) for name in ("new", "close", "random")}
    return Rules(
        p_new=chances["new"],
        p_close=chances["close"],
        p_random=chances["random"],
        close_gap=close_gap,
        rematch_penalty=rematch_penalty,
    )


def draws(table: Known, rules: Rules, count: int) -> Counter[tuple[int, int, str]]:
    division = table.division()
    seen: Counter[tuple[int, int, str]] = Counter()
    for k in range(count):
        one, other, why = choose_pair(Random(f"draw:{k}"), division, table, rules)
        seen[min(one, other), max(one, other), why] += 1
    return seen


def assert_drawn_by(weights: dict[tuple[int, int], float], seen: Counter[tuple[int, int, str]]) -> None:
    """The draws follow `weights` and stay within them."""
    by_pair = Counter({(one, other): count for (one, other, _), count in seen.items()})
    assert set(by_pair) <= {pair for pair, weight in weights.items() if weight > 0}
    pairs = [pair for pair, weight in weights.items() if weight > 0]
    total = math.fsum(weights[pair] for pair in pairs)
    expected = [seen.total() * weights[pair] / total for pair in pairs]
    assert chisquare([by_pair[pair] for pair in pairs], expected).pvalue > FAR


# -- the close bucket ---------------------------------------------------------------------------

RATINGS = [1200.0, 1203.0, 1290.0, 1391.0, 1400.0, 1400.0, 1750.0]
MEETINGS = {(0, 1): 3, (2, 3): 1, (4, 5): 6}
AFFINITIES = {pair: 0.05 + 0.13 * (sum(pair) % 8) for pair in combinations(range(7), 2)}


def close_weights(scale: float = 1.0, *, penalty: bool = True) -> dict[tuple[int, int], float]:
    weights = {}
    for one, other in combinations(range(len(RATINGS)), 2):
        gap = abs(RATINGS[one] - RATINGS[other])
        if gap < 200:
            met = MEETINGS.get((one, other), 0) if penalty else 0
            weights[one, other] = math.exp(-gap / 200) * scale * AFFINITIES[one, other] / (1 + met)
    return weights


@pytest.mark.parametrize("penalty", [True, False])
def test_close_pairs_are_drawn_by_gap_idea_and_meetings(penalty: bool) -> None:
    table = Known(RATINGS, met=MEETINGS, affinities=AFFINITIES)
    seen = draws(table, only("close", rematch_penalty=penalty), 20_000)
    assert_drawn_by(close_weights(penalty=penalty), seen)


def test_close_pairs_are_drawn_exactly_where_nearly_every_proposal_is_refused() -> None:
    faint = {pair: affinity * 1e-9 for pair, affinity in AFFINITIES.items()}
    table = Known(RATINGS, met=MEETINGS, affinities=faint)
    assert_drawn_by(close_weights(1e-9), draws(table, only("close"), 4_000))


def test_a_gap_of_exactly_200_is_not_close() -> None:
    table = Known([1200.0, 1400.0, 1599.0])
    assert set(draws(table, only("close"), 50)) == {(1, 2, "close")}


def test_no_pair_is_left_out_however_many_there_are() -> None:
    table = Known([1200.0 + i / 10 for i in range(60)])
    seen = draws(table, only("close"), 20_000)
    assert len(seen) > 1_760  # of 1,770; a cap of twenty pairs would show


def test_ideas_that_are_all_the_same_still_meet_by_rating() -> None:
    table = Known([1200.0, 1210.0, 1390.0], affinities=dict.fromkeys(combinations(range(3), 2), 0.0))
    weights = {(0, 1): math.exp(-10 / 200), (0, 2): math.exp(-190 / 200), (1, 2): math.exp(-180 / 200)}
    assert_drawn_by(weights, draws(table, only("close"), 3_000))


def test_new_entrants_are_no_part_of_close_pairs() -> None:
    table = Known([1200.0, 1200.0, 1200.0, 1200.0], loads=[3, 2, 5, 0])
    assert set(draws(table, only("close"), 60)) == {(0, 2, "close")}


# -- the new bucket -----------------------------------------------------------------------------


def test_a_new_entrant_meets_the_nearest_warm_one() -> None:
    table = Known([1000.0, 1310.0, 1500.0, 1300.0], loads=[3, 3, 3, 0])
    assert set(draws(table, only("new"), 20)) == {(1, 3, "new")}


def test_every_new_entrant_is_equally_likely() -> None:
    table = Known([1200.0, 1300.0, 1100.0, 1150.0], loads=[9, 0, 1, 2])
    assert_drawn_by({(0, 1): 1, (0, 2): 1, (0, 3): 1}, draws(table, only("new"), 3_000))


def test_an_unmet_warm_one_goes_before_a_nearer_one_met_before() -> None:
    ratings, loads = [1310.0, 1500.0, 900.0, 1300.0], [3, 3, 3, 1]
    assert set(draws(Known(ratings, loads, {(0, 3): 1}), only("new"), 20)) == {(1, 3, "new")}
    everyone_met = {(0, 3): 2, (1, 3): 1, (2, 3): 2}
    assert set(draws(Known(ratings, loads, everyone_met), only("new"), 20)) == {(1, 3, "new")}


def test_without_a_penalty_the_nearest_is_met_again() -> None:
    table = Known([1310.0, 1500.0, 900.0, 1300.0], [3, 3, 3, 1], {(0, 3): 5})
    assert set(draws(table, only("new", rematch_penalty=False), 20)) == {(0, 3, "new")}


@pytest.mark.parametrize(("rating", "expected"), [(1300.0, 1), (0.0, 0), (9000.0, 2), (1500.0, 2)])
def test_nearest_is_by_absolute_gap(rating: float, expected: int) -> None:
    table = Known([1000.0, 1310.0, 1500.0, rating])
    assert nearest(table.division().everyone, 3, table, RULES, unmet=False) == expected


def test_equally_near_ones_go_by_meetings_then_matches_then_standings() -> None:
    ratings = [1100.0, 1300.0, 1300.0, 1300.0, 1200.0]
    table = Known(ratings, met={(1, 4): 1}, loads=[5, 0, 6, 5, 9])
    ladder = table.division().everyone
    assert nearest(ladder, 4, table, RULES, unmet=False) == 3  # 1300 stands above 1100
    seed_like = only("random", rematch_penalty=False)
    assert nearest(ladder, 4, table, seed_like, unmet=False) == 1  # the first in the standings


# -- the random bucket --------------------------------------------------------------------------


def test_random_pairs_come_from_the_top_half_and_avoid_repeats() -> None:
    table = Known([1100.0, 1600.0, 1200.0, 1500.0, 1300.0, 1400.0], met={(1, 3): 2})
    weights = {(1, 3): 1 / 3, (1, 5): 1.0, (3, 5): 1.0}
    assert_drawn_by(weights, draws(table, only("random"), 6_000))


def test_the_top_half_has_at_least_two() -> None:
    table = Known([1100.0, 1600.0, 1200.0])
    assert set(draws(table, only("random"), 20)) == {(1, 2, "random")}


def test_while_nobody_is_warm_the_whole_pool_meets() -> None:
    table = Known([1200.0] * 6, loads=[2, 1, 0, 0, 2, 1])
    seen = draws(table, RULES, 4_000)
    assert_drawn_by(dict.fromkeys(combinations(range(6), 2), 1.0), seen)
    assert {why for *_, why in seen} == {"random"}


# -- which bucket -------------------------------------------------------------------------------


def shares(table: Known, rules: Rules = RULES, count: int = 8_000) -> dict[str, float]:
    seen: Counter[str] = Counter()
    for (*_, why), times in draws(table, rules, count).items():
        seen[why] += times
    return {why: times / count for why, times in seen.items()}


def test_buckets_are_drawn_by_their_probabilities() -> None:
    table = Known([1200.0, 1250.0, 1300.0], loads=[5, 5, 0])
    assert shares(table) == pytest.approx({"new": 0.4, "close": 0.4, "random": 0.2}, abs=0.02)


def test_the_draw_is_renormalised_over_buckets_that_can_be_filled() -> None:
    nobody_new = Known([1200.0, 1250.0, 1300.0])
    assert shares(nobody_new) == pytest.approx({"close": 2 / 3, "random": 1 / 3}, abs=0.02)
    nobody_close = Known([1200.0, 1800.0, 1300.0], loads=[5, 5, 0])
    assert shares(nobody_close) == pytest.approx({"new": 2 / 3, "random": 1 / 3}, abs=0.02)


def test_where_only_impossible_buckets_have_a_chance_two_meet_at_random() -> None:
    assert shares(Known([1200.0, 1900.0]), only("close"), 50) == {"random": 1.0}


# -- the machinery ------------------------------------------------------------------------------


def test_nothing_is_drawn_where_every_weight_is_zero() -> None:
    assert draw_exactly(Random(1), 3, lambda number: (number, number + 1), lambda _a, _b: 0.0) is None


def test_weights_of_zero_are_never_drawn() -> None:
    def odd(one: int, _other: int) -> float:
        return float(one % 2)

    drawn = [draw_exactly(Random(i), 9, lambda number: (number, -1), odd) for i in range(300)]
    assert {pair[0] for pair in drawn if pair} == {1, 3, 5, 7}


entries = st.lists(st.sampled_from([0.0, 1.5, 100.0, 199.99, 200.0, 333.3, 1e6]), min_size=1, max_size=30)


@given(entries, st.randoms(use_true_random=False))
def test_a_ladder_is_the_standings_read_backwards(ratings: list[float], rng: Random) -> None:
    order = list(range(len(ratings)))
    rng.shuffle(order)
    ladder = Ladder()
    for member in order:
        ladder.add(member, ratings[member])
    standings = sorted(range(len(ratings)), key=lambda member: (-ratings[member], member))
    assert ladder.best(len(ratings)) == standings
    gone = order[: len(order) // 2]
    for member in gone:
        ladder.remove(member, ratings[member])
    assert ladder.best(99) == [member for member in standings if member not in gone]


@given(entries, st.sampled_from([1.0, 100.0, 200.0]))
def test_close_pairs_are_numbered_without_gap_or_repeat(ratings: list[float], gap: float) -> None:
    ladder = Ladder()
    for member, rating in enumerate(ratings):
        ladder.add(member, rating)
    by_hand = {
        (one, other)
        for one, other in combinations(range(len(ratings)), 2)
        if abs(ratings[one] - ratings[other]) < gap
    }
    count = ladder.close_pairs(gap)[-1]
    numbered = [ladder.close_pair(number, gap) for number in range(count)]
    assert {(min(pair), max(pair)) for pair in numbered} == by_hand
    assert count == len(by_hand)
    assert ladder.has_close_pair(gap) == bool(by_hand)


@given(entries, st.floats(min_value=-10, max_value=400))
def test_a_ladder_walked_outward_meets_everyone_by_growing_gap(ratings: list[float], rating: float) -> None:
    ladder = Ladder()
    for member, own in enumerate(ratings):
        ladder.add(member, own)
    walked = list(ladder.outward(rating))
    assert sorted(member for _, _, member in walked) == list(range(len(ratings)))
    assert [gap for gap, *_ in walked] == sorted(abs(own - rating) for own in ratings)
