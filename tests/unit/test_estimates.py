"""What standings show: bars, ranks that cannot be told apart, chances to be the best, by class."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np
import pytest
from compared import LOST, TIED, WON, compared, picked, simulated

from arena_tui.ratings import information, spread
from arena_tui.ratings.bradley_terry import fit
from arena_tui.ratings.cells import Floats
from arena_tui.ratings.estimates import ELO_PER_LOGIT, Estimates, estimate
from arena_tui.ratings.rows import Columns, Rows


def estimated(n: int, columns: Columns, **more: object) -> Estimates:
    given: dict[str, object] = {"classes": [None] * n, "playing": [True] * n} | more
    return estimate(columns, n, **given)  # type: ignore[arg-type]


def test_ratings_are_on_the_elo_scale_with_bars_of_95_percent() -> None:
    found = estimated(2, compared((0, 1, (30, 10, 0))), prior=None, slot=False, inflate=False)
    best = found.entrants[0]
    assert best.rating - found.entrants[1].rating == pytest.approx(190.848502, abs=1e-6)
    assert best.rating == pytest.approx(1500 + 190.848502 / 2, abs=1e-6)
    half = 1.959964 * found.se[0] * ELO_PER_LOGIT
    assert (best.low, best.high) == pytest.approx((best.rating - half, best.rating + half), abs=1e-4)


def test_a_log_and_its_columns_are_the_same() -> None:
    log = Rows()
    log.add(0, [(0, 1, WON)])
    log.add(1, [(1, 2, TIED)])
    of_log = estimate(log, 3, classes=[None] * 3, playing=[True] * 3)
    assert of_log.entrants == estimated(3, log.columns()).entrants


def test_ties_bring_their_model() -> None:
    assert estimated(2, compared((0, 1, WON))).fit.nu is None
    assert estimated(2, compared((0, 1, WON), (0, 1, TIED))).fit.nu is not None
    assert estimated(2, compared((0, 1, WON), (0, 1, TIED)), ties="half").fit.nu is None


def test_ranks_say_who_cannot_be_told_apart() -> None:
    rows = compared((0, 1, (40, 40, 0)), (0, 2, (200, 4, 0)), (1, 2, (200, 4, 0)))
    found = estimated(3, rows, slot=False)
    ranges = [(each.rank_low, each.rank_high) for each in found.entrants]
    assert ranges == [(1, 2), (1, 2), (3, 3)]
    assert found.entrants[2].p_best == 0.0
    assert found.entrants[0].p_best == pytest.approx(0.5, abs=0.06)


def test_probabilities_are_those_of_two_normals() -> None:
    found = estimated(2, compared((0, 1, (30, 20, 0))), slot=False, delta=0.2)
    c = found.fit.covariance
    assert c is not None
    gap, se = found.fit.strength[0] - found.fit.strength[1], math.sqrt(c[0, 0] + c[1, 1] - 2 * c[0, 1])
    sure = found.classes[None]
    assert (sure.leader, sure.runner_up, sure.connected) == (0, 1, True)
    assert sure.p_best == pytest.approx((1 + math.erf(gap / se / math.sqrt(2))) / 2, abs=0.03)
    assert sure.p_near == pytest.approx((1 + math.erf((gap + 0.2) / se / math.sqrt(2))) / 2, abs=0.03)
    assert sure.p_best + sure.p_runner_up == pytest.approx(1)
    assert (sure.comparisons, sure.playing) == (1, 2)


def test_chances_of_a_class_sum_to_one_and_classes_are_apart() -> None:
    _, one = simulated(5, 60, 1)
    _, two = simulated(4, 40, 2)
    moved = replace(two, first=two.first + np.int32(5), second=two.second + np.int32(5), match=two.match + 60)
    both = Columns(*(np.concatenate([getattr(each, k) for each in (one, moved)]) for k in Columns.__slots__))
    found = estimated(9, both, classes=["x"] * 5 + ["y"] * 4)
    assert list(found.classes) == ["x", "y"]
    for class_, members in (("x", range(5)), ("y", range(5, 9))):
        assert sum(found.entrants[at].p_best or 0 for at in members) == pytest.approx(1)
        assert found.classes[class_].leader in members
        assert all((found.entrants[at].rank_high or 9) <= len(members) for at in members)
    assert (found.classes["x"].comparisons, found.classes["y"].comparisons) == (60, 40)


def test_who_does_not_play_is_rated_but_takes_no_place() -> None:
    rows = compared((0, 1, (9, 1, 0)), (1, 2, (9, 1, 0)), (0, 2, (9, 1, 0)))
    found = estimated(3, rows, playing=[False, True, True])
    out = found.entrants[0]
    assert out.low is not None
    assert out.rating > found.entrants[1].rating
    assert (out.rank_low, out.rank_high, out.p_best) == (None, None, None)
    assert (found.entrants[1].rank_low, found.classes[None].leader) == (1, 1)
    nobody = estimated(3, rows, playing=[False] * 3)
    assert nobody.classes == {}


def test_one_alone_is_the_best_and_no_race() -> None:
    found = estimated(1, compared())
    assert (found.entrants[0].p_best, found.entrants[0].rank_high) == (1.0, 1)
    assert found.classes == {}
    assert estimated(0, compared()).entrants == ()


def test_sets_that_never_met_are_never_told_apart() -> None:
    rows = compared((0, 1, (90, 2, 0)), (2, 3, (1, 1, 0)))
    found = estimated(4, rows, slot=False)
    assert [(each.rank_low, each.rank_high) for each in found.entrants] == [(1, 3), (2, 4), (1, 4), (1, 4)]
    assert not found.classes[None].connected
    balanced = compared((0, 1, (9, 2, 0)), (2, 3, (1, 1, 0)))
    with pytest.raises(ValueError, match="have no order"):
        estimated(4, balanced, slot=False, prior=None)
    apart = estimated(4, balanced, slot=False, prior=None, classes=[0, 0, 1, 1])
    assert apart.entrants[0].rank_high == 2


def test_nothing_bounds_one_never_compared_without_a_prior() -> None:
    rows = compared((0, 1, (9, 2, 0)))
    found = estimated(3, rows, slot=False, prior=None, classes=[0, 0, 1])
    assert (found.entrants[2].rating, found.entrants[2].low, found.entrants[2].high) == (1500.0, None, None)
    assert math.isnan(found.se[2])
    assert estimated(3, rows, slot=False).entrants[2].low is not None


def test_the_seed_of_draws_is_all_that_is_random() -> None:
    _, rows = simulated(10, 80, 5)
    one, same, other = (estimated(10, rows, seed=seed) for seed in (4, 4, 5))
    assert one.entrants == same.entrants
    assert one.classes == same.classes
    assert one.entrants != other.entrants
    assert [each.rating for each in one.entrants] == [each.rating for each in other.entrants]


def test_pairs_that_recur_widen_the_bars_only_when_asked() -> None:
    pairs = [(i, j) for i in range(6) for j in range(i + 1, 6)]
    rows = compared(*(((i, j, WON if (i * j) % 2 else LOST)) for i, j in pairs for _ in range(5)))
    plain, wide = (estimated(6, rows, inflate=inflate, slot=False) for inflate in (False, True))
    assert plain.pair_variance == 0
    assert wide.pair_variance > 0
    assert np.all(wide.se > plain.se)


@pytest.mark.parametrize("groups", [2, 4, 40])
def test_clusters_never_narrow_bars_where_they_are_few(groups: int) -> None:
    n = 8
    _, rows = simulated(n, 160, 9)
    clustered = replace(rows, cluster=rows.match % groups)
    plain = estimated(n, rows, inflate=False)
    found = estimated(n, clustered, inflate=False, cluster=True)
    if groups <= n:
        assert np.all(found.se >= plain.se * (1 - 1e-9))
    assert np.all(found.se < 3 * plain.se)
    assert np.any(found.se != plain.se)


def test_one_cluster_is_the_model() -> None:
    _, rows = simulated(5, 50, 9)
    assert estimated(5, rows, cluster=True).entrants == estimated(5, rows).entrants


def test_large_fields_are_drawn(monkeypatch: pytest.MonkeyPatch) -> None:
    n = 12
    _, rows = simulated(n, 400, 3)
    dense = estimated(n, rows)
    monkeypatch.setattr(information, "DENSE_LIMIT", 5)
    monkeypatch.setattr(spread, "SOLVES", 2000)
    drawn = estimated(n, rows)
    assert drawn.fit.covariance is None
    assert drawn.se == pytest.approx(dense.se, rel=0.08)
    assert drawn.classes[None].leader == dense.classes[None].leader
    assert drawn.classes[None].p_best == pytest.approx(dense.classes[None].p_best, abs=0.06)
    assert [each.p_best for each in drawn.entrants] == pytest.approx(
        [each.p_best for each in dense.entrants], abs=0.06
    )


def swiss_like(n: int, rounds: int, seed: int) -> tuple[Floats, Columns]:
    """Neighbours by points meet, with 10 % flat ties."""
    rng = np.random.default_rng(seed)
    strength = rng.normal(size=n)
    points = np.zeros(n)
    rows = []
    for _ in range(rounds):
        order = np.lexsort((rng.random(n), -points))
        for i, j in zip(order[::2].tolist(), order[1::2].tolist(), strict=True):
            for first, second in ((i, j), (j, i)):
                chance = 1 / (1 + math.exp(strength[second] - strength[first] - 0.3))
                said = TIED if rng.random() < 0.1 else WON if rng.random() < chance else LOST
                rows.append((first, second, said))
                points[first] += said[0] + said[2] / 2
                points[second] += said[1] + said[2] / 2
    return strength - strength.mean(), compared(*rows)


def test_bars_cover_what_they_say_with_ties() -> None:
    inside = total = 0
    for seed in range(12):
        strength, rows = swiss_like(16, 8, seed)
        found = estimated(16, rows)
        inside += int((np.abs(found.fit.strength - strength) < 1.96 * found.se).sum())
        total += 16
    assert inside / total >= 0.90


def test_a_fit_of_half_the_rows_is_less_sure() -> None:
    _, rows = simulated(8, 200, 3)
    whole, half = (fit(8, picked(rows, slice(0, size))) for size in (200, 100))
    assert whole.se is not None
    assert half.se is not None
    assert np.all(whole.se < half.se)


def held(n: int, m: int, spread: float, *, bars: bool, seeds: int = 12) -> float:
    """The share of centred strengths that their intervals hold, over worlds with flat ties."""
    found = []
    for seed in range(seeds):
        strength, columns = simulated(n, m, seed, spread=spread)
        truth = 1500.0 + ELO_PER_LOGIT * (strength - strength.mean())
        for true, each in zip(truth, estimated(n, columns, bars=bars).entrants, strict=True):
            assert each.low is not None
            assert each.high is not None
            assert each.low <= each.rating <= each.high
            found.append(each.low <= true <= each.high)
    return float(np.mean(found))


def test_intervals_allow_for_a_learnt_scale_that_is_too_small() -> None:
    assert held(32, 93, 3.03, bars=False) < 0.7, "the bias that is allowed for"
    assert held(32, 93, 3.03, bars=True) >= 0.9
    assert held(16, 64, 1.72, bars=True) >= 0.9
    assert held(8, 24, 1.0, bars=True) >= 0.9


def width(n: int, columns: Columns, **more: object) -> float:
    """The mean length of the intervals, in points."""
    entrants = estimated(n, columns, **more).entrants
    return float(np.mean([each.high - each.low for each in entrants]))  # type: ignore[operator]


def test_intervals_of_many_comparisons_are_those_of_the_model() -> None:
    _, few = simulated(8, 24, 1)
    _, many = simulated(8, 20_000, 1)
    assert 1.2 < width(8, few) / width(8, few, bars=False) < 3.0
    assert 1.0 <= width(8, many) / width(8, many, bars=False) < 1.02
    assert width(8, few, prior=1.0) == width(8, few, prior=1.0, bars=False), "a given scale is believed"


def test_half_the_weight_makes_intervals_no_shorter() -> None:
    _, columns = simulated(16, 64, 2)
    half = replace(columns, won=columns.won / 2, lost=columns.lost / 2, tied=columns.tied / 2)
    assert width(16, half) > width(16, columns)
