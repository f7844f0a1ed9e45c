"""Second opinions on bars: by what rows show, by clusters, by pairs that recur, and by draws."""

from __future__ import annotations

import csv
from dataclasses import replace

import numpy as np
import pytest
from compared import LOST, SHARED, TIED, WON, compared, needs_shared, picked, simulated

from arena_tui.ratings import information
from arena_tui.ratings.bradley_terry import fit
from arena_tui.ratings.cells import Floats
from arena_tui.ratings.rows import Columns
from arena_tui.ratings.uncertainty import cluster_sandwich, draws, inflation, pair_variance, sandwich


def bars(covariance: Floats | None) -> Floats:
    assert covariance is not None
    return np.asarray(np.sqrt(covariance.diagonal()))


THREE = [*[(0, 1, WON)] * 4, (0, 1, LOST), *[(1, 2, WON)] * 3, *[(1, 2, LOST)] * 2]
THREE += [*[(0, 2, WON)] * 3, (0, 2, LOST), (0, 2, TIED)]


def test_sandwich_of_known_value() -> None:
    rows = compared(*THREE)
    found = sandwich(fit(3, rows, prior=None, slot=False), rows)
    assert bars(found) == pytest.approx([0.456112, 0.429868, 0.444708], abs=1e-6)
    assert np.sqrt(found[0, 0] + found[1, 1] - 2 * found[0, 1]) == pytest.approx(0.766736, abs=1e-6)


def test_sandwich_is_the_models_where_the_model_is_saturated() -> None:
    rows = compared(*[(0, 1, WON)] * 3, (0, 1, LOST))
    found = fit(2, rows, prior=None, slot=False)
    assert bars(sandwich(found, rows)) == pytest.approx(found.se, abs=1e-9)


def test_rows_that_are_repeated_in_a_cluster_tell_nothing_new() -> None:
    _, once = simulated(6, 90, 3)
    once = replace(once, cluster=once.match)
    many = picked(once, np.repeat(np.arange(90), 4))
    of_once = cluster_sandwich(fit(6, once, prior=None, slot=False), once)
    of_many = cluster_sandwich(fit(6, many, prior=None, slot=False), many)
    assert bars(of_many) == pytest.approx(bars(of_once), rel=1e-5)
    plain = fit(6, many, prior=None, slot=False)
    assert np.all(bars(of_many) > 1.5 * bars(plain.covariance)), "the model takes them for news"


def test_one_cluster_is_too_few() -> None:
    rows = compared(*THREE)
    with pytest.raises(ValueError, match="two clusters or more, got 1"):
        cluster_sandwich(fit(3, rows), rows)


def eight_systems() -> Columns:
    masses = {"a": WON, "b": LOST, "draw": TIED}
    with (SHARED / "gpt4_double_roundrobin" / "verdicts.csv").open() as file:
        said = [row for row in csv.DictReader(file) if row["verdict"] in masses]
    names = sorted({row["slot_a"] for row in said})
    rows = ((names.index(row["slot_a"]), names.index(row["slot_b"]), masses[row["verdict"]]) for row in said)
    return compared(*rows, cluster=(int(row["question_id"]) for row in said))


@needs_shared
def test_questions_hang_together_in_real_verdicts() -> None:
    rows = eight_systems()
    found = fit(8, rows, prior=None, slot=False)
    ratio = bars(cluster_sandwich(found, rows)) / bars(found.covariance)
    assert ratio.mean() == pytest.approx(1.8, abs=0.2)
    assert pair_variance(found, rows).pairs == 28


def sticky(offsets: float, seed: int, *, matches: int, n: int = 14) -> tuple[Floats, Columns]:
    """Most pairs meet `matches` times; each pair has an offset of its own with that standard deviation."""
    rng = np.random.default_rng(seed)
    strength = rng.normal(size=n)
    pairs = [(i, j) for i in range(n) for j in range(i + 1, n) if rng.random() < 0.7]
    rows = []
    for i, j in pairs:
        gap = strength[i] - strength[j] + offsets * rng.normal()
        wins = rng.random(matches) < 1 / (1 + np.exp(-gap))
        rows += [(i, j, WON if won else LOST) for won in wins]
    return strength - strength.mean(), compared(*rows)


@pytest.mark.parametrize(("offsets", "low", "high"), [(0.0, 0.0, 0.15), (0.7, 0.25, 0.65), (1.2, 0.8, 1.6)])
def test_the_variance_of_pairs_is_found(offsets: float, low: float, high: float) -> None:
    found = []
    for seed in range(12):
        _, rows = sticky(offsets, seed, matches=6)
        found.append(pair_variance(fit(14, rows, slot=False), rows).variance)
    assert low <= np.mean(found) <= high


def test_offsets_of_pairs_widen_the_bars_enough() -> None:
    inside = plain = 0
    for seed in range(12):
        strength, rows = sticky(1.0, seed, matches=6)
        found = fit(14, rows, slot=False)
        assert found.covariance is not None
        wider = found.covariance + inflation(found, rows, pair_variance(found, rows).variance)
        error = np.abs(found.strength - strength)
        inside += int((error < 1.96 * bars(wider)).sum())
        plain += int((error < 1.96 * bars(found.covariance)).sum())
    assert plain < 0.87 * 12 * 14
    assert inside > 0.87 * 12 * 14
    assert inside > plain + 8


@pytest.mark.parametrize("n", [5, 9, 14])
def test_a_judge_who_never_errs_shows_no_offsets(n: int) -> None:
    """Neighbours met often, as a scheduler has it, and all verdicts agree with one order."""
    rows = [(i, j, WON) for i in range(n) for j in range(i + 1, n) for _ in range(6 if j == i + 1 else 1)]
    whole = compared(*rows)
    for prior in ("em", 5.0):
        assert pair_variance(fit(n, whole, prior=prior, slot=False), whole).variance == 0


def test_two_orders_of_a_match_are_no_repetition() -> None:
    rng = np.random.default_rng(8)
    halves = [(i, j) for i in range(6) for j in range(i + 1, 6)]
    rows = []
    for i, j in halves:
        won = rng.random() < 0.5
        rows += [(i, j, (0.5 * won, 0.5 * (not won), 0.0)), (j, i, (0.5 * (not won), 0.5 * won, 0.0))]
    one_match = compared(*rows, match=np.repeat(np.arange(len(halves)), 2).tolist())
    found = fit(6, one_match, slot=False)
    assert pair_variance(found, one_match).pairs == 0
    assert not inflation(found, one_match, 1.0).any(), "no pair recurs, so nothing is widened"
    two_matches = compared(*rows)
    assert pair_variance(found, two_matches).pairs == len(halves)
    assert pair_variance(found, two_matches).variance > 0


@pytest.mark.parametrize("ties", ["half", "davidson"])
def test_draws_have_the_covariance_of_a_matrix(monkeypatch: pytest.MonkeyPatch, ties: str) -> None:
    n, count = 12, 3000
    _, rows = simulated(n, 240, 6)
    rows = picked(rows, np.repeat(np.arange(240), 2))
    dense = fit(n, rows, ties=ties)  # type: ignore[arg-type]
    assert dense.covariance is not None
    clustered = replace(rows, cluster=rows.match)
    wanted = [
        dense.covariance,
        dense.covariance + inflation(dense, rows, 0.8),
        sandwich(dense, rows),
    ]
    monkeypatch.setattr(information, "DENSE_LIMIT", 5)
    sparse = fit(n, rows, ties=ties, prior=dense.prior_scale)  # type: ignore[arg-type]
    drawn = [
        draws(sparse, rows, count, 1),
        draws(sparse, rows, count, 1, variance=0.8),
        draws(sparse, clustered, count, 1, cluster=True),
    ]
    wanted[2] = cluster_sandwich(dense, clustered)
    for deviations, covariance in zip(drawn, wanted, strict=True):
        assert deviations.shape == (n, count)
        assert np.sqrt(np.square(deviations).mean(axis=1)) == pytest.approx(bars(covariance), rel=0.07)


def test_a_fit_without_a_matrix_says_so(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(information, "DENSE_LIMIT", 2)
    rows = compared(*THREE)
    with pytest.raises(ValueError, match="a fit of 3 entrants has no covariance matrix"):
        sandwich(fit(3, rows), rows)
