"""The pivot tournament: to the letter of its original under the preset, mended by default."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Sequence
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from schedule_runs import Driven, by_seed, pairs, pool

from arena_tui.candidate import Candidate, Group
from arena_tui.facts import Match
from arena_tui.formats.pivot import PivotTournament, cheaper_as_round_robin, comparisons
from arena_tui.settings import PivotFormat
from arena_tui.vocabulary import Winner


def pivot(group: Group | int, seed: int = 0, **options: Any) -> PivotTournament:
    group = pool(group) if isinstance(group, int) else group
    return PivotTournament(group, PivotFormat(**options), seed=seed)


def to_the_letter(group: Group | int, seed: int = 0, **options: Any) -> PivotTournament:
    return pivot(group, seed, preset="seed", **options)


def number(id_: str) -> int:
    return int(id_[1:])


def by_rewards(rewards: Sequence[float], slot_a: float = 0.0) -> Callable[[Match], float]:
    """A verifier that gives each candidate a fixed reward, more by `slot_a` in the first slot."""

    def chance(step: Match) -> float:
        gap = rewards[number(step.a)] + slot_a - rewards[number(step.b)]
        return 1.0 / (1.0 + math.exp(-gap))

    return chance


def numbers(steps: Sequence[Match], round_: int) -> list[tuple[int, int]]:
    return [(number(a), number(b)) for a, b in pairs([step for step in steps if step.round == round_])]


# -- to the letter ------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("n", "seed", "ring"),
    [
        (2, 0, [(0, 1), (1, 0)]),
        (2, 1, [(1, 0), (0, 1)]),
        (2, 42, [(1, 0), (0, 1)]),
        (3, 0, [(0, 2), (2, 1), (1, 0)]),
        (4, 0, [(2, 0), (0, 1), (1, 3), (3, 2)]),
        (5, 0, [(2, 1), (1, 0), (0, 4), (4, 3), (3, 2)]),
    ],
)
def test_the_ring_is_the_originals(n: int, seed: int, ring: list[tuple[int, int]]) -> None:
    steps = to_the_letter(n, seed).next_steps(100)
    assert numbers(steps, 1) == ring
    assert {step.orders for step in steps} == {("ab",)}


FIVE = (0.9, 0.7, 0.5, 0.3, 0.1)


@pytest.mark.parametrize(
    ("k", "rewards", "pivots", "counts", "scores", "best", "made"),
    [
        (2, FIVE, [0, 1], [6, 6, 4, 4, 4], [0.620660, 0.540724, 0.462870, 0.438914, 0.356140], 0, 12),
        (2, (0.5,) * 5, [0, 1], [6, 6, 4, 4, 4], [0.5] * 5, 0, 12),
        (4, (0.2, 0.8, 0.6, 0.4), [1, 2, 3, 0], [5] * 4, [0.392296, 0.607704, 0.549442, 0.450558], 1, 10),
        (2, (0.3, 0.6), [1, 0], [3, 3], [0.425557, 0.574443], 1, 3),
        (0, FIVE, [], [2] * 5, [0.619904, 0.5, 0.5, 0.5, 0.380096], 0, 5),
    ],
)
def test_conformance_with_a_fixed_reward_judge(
    k: int,
    rewards: tuple[float, ...],
    pivots: list[int],
    counts: list[int],
    scores: list[float],
    best: int,
    made: int,
) -> None:
    format_ = to_the_letter(len(rewards), pivots=k)
    Driven(format_, chance=by_rewards(rewards)).finish()
    told = format_.details()
    assert [number(id_) for id_ in told["pivots"]] == pivots
    assert list(told["counts"].values()) == counts
    assert list(told["scores"].values()) == pytest.approx(scores, abs=5e-7)
    assert list(told["wins"].values()) == pytest.approx(
        [s * c for s, c in zip(scores, counts, strict=True)], abs=5e-6
    )
    assert (told["winner"], told["n_comparisons"]) == (f"c{best}", made)
    assert [row.id for row in format_.standings()] == sorted(
        told["scores"], key=lambda id_: (-told["scores"][id_], id_)
    )


def test_the_pivot_round_is_in_the_originals_order() -> None:
    steps = Driven(to_the_letter(5), chance=by_rewards(FIVE)).finish().steps
    assert numbers(steps, 2) == [(2, 0), (2, 1), (3, 0), (3, 1), (4, 0), (4, 1), (0, 1)]


TABLE = {  # n: comparisons by k = 1, 2, 3, 4, n; then of a round robin
    2: (3, 3, 3, 3, 3, 1),
    3: (5, 6, 6, 6, 6, 3),
    4: (7, 9, 10, 10, 10, 6),
    5: (9, 12, 14, 15, 15, 10),
    6: (11, 15, 18, 20, 21, 15),
    7: (13, 18, 22, 25, 28, 21),
    8: (15, 21, 26, 30, 36, 28),
    10: (19, 27, 34, 40, 55, 45),
}


@pytest.mark.parametrize("n", TABLE)
def test_comparisons_are_those_of_the_originals_table(n: int) -> None:
    for k, made in zip((1, 2, 3, 4, n), TABLE[n], strict=False):
        assert comparisons(n, k, to_the_letter=True) == made
        driven = Driven(to_the_letter(n, seed=n, pivots=k))
        assert driven.format.progress().expected == made
        assert len(driven.finish().steps) == made
        assert driven.format.details()["n_comparisons"] == made
        mended = Driven(pivot(n, seed=n, pivots=k))
        assert mended.format.progress().expected == len(mended.finish().steps) == comparisons(n, k)


def test_ring_results_stay_in_the_sum() -> None:
    # The original's printed example: without a cache file it lost them and gave 0.6155, 0.4422, 0.4422.
    format_ = to_the_letter(3)
    Driven(format_, chance=by_rewards((1.0, 0.0, 0.0))).finish()
    scores = list(format_.details()["scores"].values())
    assert scores == pytest.approx([0.731059, 0.384471, 0.384471], abs=5e-7)


def test_a_slot_biased_judge_demotes_the_originals_pivots() -> None:
    format_ = to_the_letter(5)
    Driven(format_, chance=by_rewards((0.4,) * 5, slot_a=0.4)).finish()
    scores = sorted(format_.details()["scores"].values())
    assert scores == pytest.approx([0.4342, 0.4671, 0.5493, 0.5493, 0.5493], abs=5e-5)


def test_a_single_candidate_wins_without_a_comparison() -> None:
    assert to_the_letter(1).details() | {"wins": 0, "counts": 0} == {
        "pivots": [],
        "n_comparisons": 0,
        "scores": {"c0": 1.0},
        "wins": 0,
        "counts": 0,
        "ring": [],
        "winner": "c0",
    }
    assert pivot(1).details()["winner"] == "c0"
    assert pivot(1).details()["scores"] == {"c0": None}


# -- mended -------------------------------------------------------------------------------------


@settings(max_examples=60)
@given(st.integers(0, 2**32), st.integers(2, 24), st.integers(0, 7))
def test_no_pair_is_asked_twice_in_one_order_and_slots_are_shared(seed: int, n: int, k: int) -> None:
    driven = Driven(pivot(n, seed, pivots=k), by_seed(seed)).finish()
    asked = Counter(pairs(driven.steps))
    assert set(asked.values()) == {1}
    pivots = driven.format.details()["pivots"]
    met = Counter(frozenset(pair) for pair in asked)
    assert all(
        met[frozenset((pivot_, f"c{other}"))]
        for pivot_ in pivots
        for other in range(n)
        if f"c{other}" != pivot_
    )
    for entrant in (f"c{i}" for i in range(n)):
        firsts = sum(step.a == entrant for step in driven.steps)
        seconds = sum(step.b == entrant for step in driven.steps)
        assert abs(firsts - seconds) <= 1


def test_two_candidates_are_one_pair_in_both_orders() -> None:
    driven = Driven(pivot(2)).finish()
    assert sorted(pairs(driven.steps)) == [("c0", "c1"), ("c1", "c0")]


def test_a_slot_biased_judge_no_longer_demotes_pivots() -> None:
    for seed in range(20):
        format_ = pivot(9, seed)
        Driven(format_, chance=by_rewards((0.4,) * 9, slot_a=0.4)).finish()
        scores = format_.details()["scores"]
        assert max(abs(score - 0.5) for score in scores.values()) < 0.025  # one slot more in 4 or in 10


def test_plain_verdicts_count_one_half_and_nothing() -> None:
    format_ = pivot(3, pivots=0)
    said: list[Winner] = ["a", "draw", "void"]
    driven = Driven(format_, lambda step: said[step.seq - 1]).finish()
    (first, second, third) = format_.details()["ring"]
    assert pairs(driven.steps) == [(first, second), (second, third), (third, first)]
    told = format_.details()
    assert told["wins"] == {first: 1.0, second: 0.5, third: 0.5}
    assert told["counts"] == {first: 1, second: 2, third: 1}
    assert told["scores"] == {first: 1.0, second: 0.25, third: 0.5}


@pytest.mark.parametrize("preset", [None, "seed"])
def test_all_failing_is_no_winner(preset: str | None) -> None:
    format_ = pivot(5, preset=preset)
    Driven(format_, lambda step: "void").finish()
    told = format_.details()
    assert told["winner"] is None
    assert set(told["scores"].values()) == {None}
    assert told["n_comparisons"] == 12
    assert [row.score for row in format_.standings()] == [None] * 5


def test_without_a_count_one_ranks_last() -> None:
    format_ = pivot(4, pivots=0)
    Driven(format_, lambda step: "void" if "c0" in (step.a, step.b) else "draw").finish()
    rows = format_.standings()
    assert [(row.id, row.score) for row in rows] == [("c1", 0.5), ("c2", 0.5), ("c3", 0.5), ("c0", None)]


def test_voids_in_the_ring_do_not_stop_the_pivots() -> None:
    driven = Driven(pivot(6), lambda step: "void" if step.round == 1 else "a")
    driven.finish()
    assert driven.format.details()["pivots"] == ["c0", "c1"]
    assert len(driven.steps) == comparisons(6, 2)


def test_a_fitted_rating_stands_beside_the_score() -> None:
    format_ = pivot(5)
    Driven(format_, chance=by_rewards(FIVE)).finish()
    rows = format_.standings()
    assert [row.score for row in rows] == sorted(format_.details()["scores"].values(), reverse=True)
    assert rows[0].fitted == rows[0].rating > 1500
    assert format_.leaders(1).top == ((rows[0].id, rows[0].rating),)


def test_a_late_candidate_meets_the_pivots_only() -> None:
    for when in ("ring", "pivots"):
        driven = Driven(pivot(6))
        driven.plan()
        if when == "pivots":
            while driven.format.progress().phase == "ring":
                driven.apply()
                driven.plan()
        driven.act("add", added=Candidate("c9", "late"))
        driven.finish()
        late = [step for step in driven.steps if "c9" in (step.a, step.b)]
        assert {step.round for step in late} == {2}
        pivots = driven.format.details()["pivots"]
        assert sorted({step.a, step.b} - {"c9"} for step in late) == sorted({p} for p in pivots)
        assert late[0].why.startswith("late") == (when == "pivots")


def test_matches_of_a_rejected_pivot_are_withdrawn_and_others_go_on() -> None:
    driven = Driven(pivot(6))
    driven.plan()
    while driven.format.progress().phase == "ring":
        driven.apply()
        driven.plan()
    gone, stays = driven.format.details()["pivots"]
    driven.act("reject", gone)
    planned = len(driven.steps)
    driven.finish()
    told = driven.format.details()
    assert len(driven.steps) == planned
    assert told["pivots"] == [gone, stays]
    assert told["winner"] == stays
    assert told["n_comparisons"] == planned - 5
    assert driven.format.standings()[-1].id == gone


def test_a_rejected_candidate_that_is_back_meets_the_pivots_it_missed() -> None:
    driven = Driven(pivot(6))
    driven.plan()
    while driven.format.progress().phase == "ring":
        driven.apply()
        driven.plan()
    pivots = driven.format.details()["pivots"]
    back = next(f"c{i}" for i in range(6) if f"c{i}" not in pivots)
    driven.act("reject", back)
    driven.act("restore", back)
    driven.finish()
    again = [step for step in driven.steps if step.why.startswith("late")]
    assert [{step.a, step.b} for step in again] == [{back, pivot_} for pivot_ in pivots]
    assert driven.format.details()["counts"][back] == 4


def test_classes_have_pivots_of_their_own() -> None:
    driven = Driven(pivot(pool(10, classes=2), pivots=1)).finish()
    told = driven.format.details()["classes"]
    assert list(told) == ["x", "y"]
    assert [told[c]["n_comparisons"] for c in told] == [9, 9]
    assert [told[c]["winner"] for c in told] == ["c0", "c1"]
    assert all(set(told[c]["ring"]) == set(told[c]["counts"]) for c in told)
    one = Group("main", tuple(Candidate(f"c{i}", f"{i}", class_="x") for i in range(4)))
    assert "classes" not in pivot(one).details()


def test_progress_names_the_phase() -> None:
    driven = Driven(pivot(6))
    phases = [driven.format.progress().phase]
    driven.plan()
    while driven.waiting:
        phases.append(driven.format.progress().phase)
        driven.apply()
        driven.plan()
    assert list(dict.fromkeys(phases)) == ["", "ring", "pivots"]


# -- the note -----------------------------------------------------------------------------------


def test_a_note_says_where_a_round_robin_costs_no_more() -> None:
    noted = [n for n in range(12) if cheaper_as_round_robin(n, 2)]
    assert noted == [2, 3, 4, 5, 6]
    note = cheaper_as_round_robin(5, 2)
    assert note is not None
    assert "12 comparisons" in note
    assert "only 10 comparisons" in note
    assert "as many" in (cheaper_as_round_robin(6, 2) or "")
    for n in range(2, 12):
        for k in range(12):
            assert (cheaper_as_round_robin(n, k) is not None) == (comparisons(n, k) >= n * (n - 1) // 2)
