"""Brackets and meetings: seeds, what games decide, what is asked next."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import product

import pytest

from arena_tui.formats.bracket import Bracket, Duel, Result, Stand, next_round, rounds_for, seed_order, stand
from arena_tui.vocabulary import Winner


def test_seeds_stand_in_the_standard_order() -> None:
    assert seed_order(0) == [1]
    assert seed_order(1) == [1, 2]
    assert seed_order(2) == [1, 4, 2, 3]
    assert seed_order(3) == [1, 8, 4, 5, 2, 7, 3, 6]


@pytest.mark.parametrize("rounds", range(1, 8))
def test_the_best_can_only_meet_late(rounds: int) -> None:
    left = seed_order(rounds)
    assert sorted(left) == list(range(1, 2**rounds + 1))
    while len(left) > 1:
        assert all(one + other == len(left) + 1 for one, other in zip(left[::2], left[1::2], strict=True))
        left = [min(pair) for pair in zip(left[::2], left[1::2], strict=True)]


@pytest.mark.parametrize(
    ("n", "rounds"), [(0, 0), (1, 0), (2, 1), (3, 2), (4, 2), (5, 3), (8, 3), (9, 4), (1_024, 10)]
)
def test_rounds_until_one_is_left(n: int, rounds: int) -> None:
    assert rounds_for(n) == rounds


def test_the_best_seeds_have_the_byes() -> None:
    duels = Bracket(None, [10, 11, 12, 13, 14]).first_round()
    assert [(duel.a, duel.b) for duel in duels] == [(10, None), (13, 14), (11, None), (12, None)]
    assert Bracket(None, [10, 11]).higher(11, 10) == 10


def test_losers_of_two_semi_finals_meet() -> None:
    results = [Result(1, 4, None), Result(2, 3, None)]
    assert next_round(results, third_place=False) == [Duel(1, 2)]
    assert next_round(results, third_place=True) == [Duel(1, 2), Duel(4, 3, third_place=True)]
    assert next_round([Result(1, None, "bye"), Result(2, 3, None)], third_place=True)[1].both is None
    assert len(next_round([Result(1, None, "bye"), Result(2, None, "walkover")], third_place=True)) == 1
    assert len(next_round(results * 2, third_place=True)) == 2


@pytest.mark.parametrize(
    ("best_of", "games", "expected"),
    [
        (1, {}, Stand(None, (1,))),
        (1, {1: ["a"]}, Stand("a")),
        (1, {1: ["b"]}, Stand("b")),
        (1, {1: ["draw"]}, Stand(None, (2,))),  # one more game
        (1, {1: ["draw"], 2: ["b"]}, Stand("b")),
        (1, {1: ["draw"], 2: ["draw"]}, Stand("draw")),
        (1, {1: ["void"]}, Stand(None, (1,))),  # asked once more
        (1, {1: ["void", "b"]}, Stand("b")),
        (1, {1: ["void", "void"]}, Stand("void")),
        (1, {1: ["void", "draw"]}, Stand(None, (2,))),
        (1, {1: ["draw"], 2: ["void"]}, Stand(None, (2,))),
        (1, {1: ["draw"], 2: ["void", "void"]}, Stand("void")),
        (3, {}, Stand(None, (1, 2))),  # two at once: no fewer can decide
        (3, {1: ["a"], 2: ["a"]}, Stand("a")),
        (3, {1: ["a"], 2: ["b"]}, Stand(None, (3,))),
        (3, {1: ["a"], 2: ["draw"]}, Stand(None, (3,))),
        (3, {1: ["a"], 2: ["draw"], 3: ["draw"]}, Stand("a")),
        (3, {1: ["a"], 2: ["draw"], 3: ["b"]}, Stand(None, (4,))),
        (3, {1: ["a"], 2: ["void"]}, Stand(None, (2,))),  # before the third
        (3, {1: ["a"], 2: ["void", "void"]}, Stand(None, (3,))),
        (3, {1: ["void", "void"], 2: ["void", "void"], 3: ["void", "void"]}, Stand("void")),
        (3, {1: ["void"], 2: ["void"]}, Stand(None, (1, 2))),
        (5, {}, Stand(None, (1, 2, 3))),
        (5, {1: ["a"], 2: ["a"], 3: ["b"]}, Stand(None, (4,))),
        (5, {1: ["a"], 2: ["b"], 3: ["draw"]}, Stand(None, (4, 5))),
        (5, {1: ["a"], 2: ["a"], 3: ["draw"], 4: ["draw"]}, Stand("a")),
    ],
)
def test_where_a_meeting_stands(best_of: int, games: Mapping[int, Sequence[Winner]], expected: Stand) -> None:
    assert stand(best_of, games) == expected
    turned: dict[Winner, Winner] = {"a": "b", "b": "a", "draw": "draw", "void": "void"}
    other = {number: [turned[winner] for winner in said] for number, said in games.items()}
    assert stand(best_of, other) == Stand(expected.won_by and turned[expected.won_by], expected.needed)


@pytest.mark.parametrize("best_of", [1, 3, 5])
def test_no_game_is_played_that_cannot_matter(best_of: int) -> None:
    """Asked games never outnumber those that whoever leads must still win in any case."""
    for said in product(["a", "b", "draw"], repeat=best_of):
        games: dict[int, list[Winner]] = {}
        while (stood := stand(best_of, games)).won_by is None and stood.needed != (best_of + 1,):
            for number in stood.needed[:-1]:
                games[number] = [said[number - 1]]  # type: ignore[list-item]
                assert stand(best_of, games).won_by is None
            last = stood.needed[-1]
            games[last] = [said[last - 1]]  # type: ignore[list-item]
        lead = said.count("a") - said.count("b")
        decided = {1: "a", -1: "b", 0: None}[(lead > 0) - (lead < 0)]
        assert stood.won_by == decided
