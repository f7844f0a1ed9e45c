"""Bradley-Terry fits: known values, ties, weights, slot terms, priors, and data that have no finite fit."""

from __future__ import annotations

import csv
import json
import math

import numpy as np
import pytest
from compared import LOST, SHARED, TIED, WON, compared, needs_shared, picked, simulated

from arena_tui.ratings import information
from arena_tui.ratings.bradley_terry import Fit, NoMaximum, Prior, fit
from arena_tui.ratings.rows import Columns

CLOSE = 1e-6  # known values have six digits


def gap_se(found: Fit, i: int, j: int) -> float:
    c = found.covariance
    assert c is not None
    return math.sqrt(c[i, i] + c[j, j] - 2 * c[i, j])


def se_of(found: Fit) -> list[float]:
    assert found.se is not None
    return list(found.se)


# Known values.


def test_three_to_one_is_ln_3() -> None:
    found = fit(2, compared((0, 1, (3, 1, 0))), prior=None, slot=False)
    assert found.strength == pytest.approx([0.549306, -0.549306], abs=CLOSE)
    assert (gap_se(found, 0, 1), *se_of(found)) == pytest.approx((1.154701, 0.577350, 0.577350), abs=CLOSE)


def test_three_items_with_a_tie() -> None:
    rows = compared((0, 1, (4, 1, 0)), (1, 2, (3, 2, 0)), (0, 2, (3, 1, 1)))
    found = fit(3, rows, prior=None, slot=False)
    assert found.strength == pytest.approx([0.733292, -0.293810, -0.439482], abs=CLOSE)
    assert se_of(found) == pytest.approx([0.487195, 0.449333, 0.457161], abs=CLOSE)
    assert gap_se(found, 0, 1) == pytest.approx(0.818243, abs=CLOSE)


def test_slot_term_is_told_from_the_gap() -> None:
    found = fit(2, compared((0, 1, (8, 2, 0)), (1, 0, (5, 5, 0))), prior=None)
    slot = found.slot[0]
    assert found.strength[0] - found.strength[1] == pytest.approx(0.693147, abs=CLOSE)
    assert (slot.logits, slot.se, slot.z) == pytest.approx((0.693147, 0.506211, 1.369284), abs=CLOSE)
    assert gap_se(found, 0, 1) == pytest.approx(0.506211, abs=CLOSE)


def test_two_items_only() -> None:
    found = fit(2, compared((0, 1, (7, 3, 0))), prior=None, slot=False)
    assert found.strength[0] - found.strength[1] == pytest.approx(0.847298, abs=CLOSE)
    assert gap_se(found, 0, 1) == pytest.approx(0.690066, abs=CLOSE)


@pytest.mark.parametrize(
    ("n", "rows", "strength"),
    [
        (3, [(0, 1, WON), (0, 2, WON), (1, 2, TIED)], [0.586475, -0.293237, -0.293237]),
        (4, [(0, 1, TIED), (2, 3, WON), (2, 3, WON)], [0, 0, 0.521298, -0.521298]),
        (2, [(0, 1, WON)], [0.337416, -0.337416]),
        (3, [(0, 1, TIED), (1, 2, TIED), (2, 0, TIED)], [0, 0, 0]),
    ],
)
def test_a_normal_prior_bounds_what_has_no_maximum(
    n: int, rows: list[tuple[int, int, tuple[float, float, float]]], strength: list[float]
) -> None:
    found = fit(n, compared(*rows), prior=1.0, slot=False)
    assert found.strength == pytest.approx(strength, abs=CLOSE)
    assert min(se_of(found)) > 0.3, "never a bar of no width"


@needs_shared
def test_citations_among_journals() -> None:
    folder = SHARED / "bt_reference"
    wanted = [json.loads(line) for line in (folder / "expected.jsonl").read_text().splitlines()]
    names = [row["item"] for row in wanted[:-1]]
    with (folder / "citations.csv").open() as file:
        rows = [
            (
                names.index(row["item_a"]),
                names.index(row["item_b"]),
                (float(row["wins_a"]), float(row["wins_b"]), 0.0),
            )
            for row in csv.DictReader(file)
        ]
    found = fit(4, compared(*rows), prior=None, slot=False)
    base = names.index(wanted[0]["reference_item"])
    for at, row in enumerate(wanted[:-1]):
        assert found.strength[at] == pytest.approx(row["log_strength_centred"], abs=CLOSE)
        assert se_of(found)[at] == pytest.approx(row["se_centred"], abs=CLOSE)
        assert found.strength[at] - found.strength[base] == pytest.approx(row["log_strength"], abs=CLOSE)
        assert gap_se(found, at, base) == pytest.approx(row["se"], abs=CLOSE)
    assert found.log_likelihood == pytest.approx(wanted[-1]["log_likelihood"], abs=CLOSE)


@needs_shared
def test_small_cases() -> None:
    lines = (SHARED / "bt_reference" / "small_cases.jsonl").read_text().splitlines()
    for case in map(json.loads, lines):
        rows = compared(*((win["winner"], win["loser"], WON) for win in case["wins"]))
        if case["centred_log_strength"] is None:
            with pytest.raises(NoMaximum, match="entrant 3 won every comparison and entrant 0 lost every"):
                fit(case["n_items"], rows, prior=None, slot=False)
            found = fit(case["n_items"], rows, slot=False)
            assert list(np.argsort(found.strength)) == [0, 1, 2, 3]
        else:
            found = fit(case["n_items"], rows, prior=None, slot=False)
            tolerance = case.get("tolerance", CLOSE)
            assert found.strength == pytest.approx(case["centred_log_strength"], abs=tolerance)


@needs_shared
def test_eight_systems_judged_by_a_model() -> None:
    folder = SHARED / "gpt4_double_roundrobin"
    wanted = [json.loads(line) for line in (folder / "reference_bt.jsonl").read_text().splitlines()]
    names = [row["system"] for row in wanted]
    masses = {"a": WON, "b": LOST, "draw": TIED}
    with (folder / "verdicts.csv").open() as file:
        rows = [
            (names.index(row["slot_a"]), names.index(row["slot_b"]), masses[row["verdict"]])
            for row in csv.DictReader(file)
            if row["verdict"] in masses
        ]
    found = fit(8, compared(*rows), prior=None, slot=False)
    assert found.strength == pytest.approx([row["log_strength_centred"] for row in wanted], abs=CLOSE)
    assert se_of(found) == pytest.approx([row["se_centred"] for row in wanted], abs=CLOSE)


# Data that are hard on a fit.

WINLESS = [(0, 1, WON), (0, 1, WON), (0, 1, WON), (1, 0, WON), (1, 0, WON), (2, 0, LOST), (2, 0, LOST)]
WINLESS += [(2, 1, LOST), (2, 1, LOST)]


def test_a_winless_item_is_named_and_spoils_nobody() -> None:
    found = fit(3, compared(*WINLESS), slot=False)
    assert np.isfinite(found.strength).all()
    assert (found.undefeated, found.winless) == ((), (2,))
    assert found.strength.argmin() == 2
    with pytest.raises(NoMaximum, match="entrant 2 lost every comparison") as refused:
        fit(3, compared(*WINLESS), prior=None, slot=False)
    assert (refused.value.undefeated, refused.value.winless) == ((), (2,))


def test_a_winless_item_leaves_the_bars_of_others() -> None:
    scale = fit(3, compared(*WINLESS), slot=False).prior_scale
    with_it = fit(3, compared(*WINLESS), slot=False, prior=scale)
    without = fit(2, compared(*WINLESS[:5]), slot=False, prior=scale)
    assert gap_se(with_it, 0, 1) == pytest.approx(gap_se(without, 0, 1), rel=0.05)


def test_names_and_order_do_not_matter() -> None:
    n = 12
    _, rows = simulated(n, 150, 4)
    plain = fit(n, rows, ties="davidson")
    rng = np.random.default_rng(1)
    renamed = rng.permutation(n).astype(np.int32)
    shuffled = picked(rows, rng.permutation(len(rows.first)))
    other = fit(
        n,
        Columns(
            renamed[shuffled.first],
            renamed[shuffled.second],
            *(getattr(shuffled, name) for name in Columns.__slots__[2:]),
        ),
        ties="davidson",
    )
    assert np.abs(other.strength[renamed] - plain.strength).max() < 1e-9
    assert np.abs(np.array(se_of(other))[renamed] - se_of(plain)).max() < 1e-9


@pytest.mark.parametrize("ties", ["half", "davidson"])
def test_equal_data_give_equal_bytes(ties: str) -> None:
    _, rows = simulated(20, 200, 7)
    one, two = (fit(20, rows, ties=ties) for _ in range(2))  # type: ignore[arg-type]
    assert one.strength.tobytes() == two.strength.tobytes()
    assert one.covariance is not None
    assert two.covariance is not None
    assert one.covariance.tobytes() == two.covariance.tobytes()


def test_unrelated_items_leave_a_contrast_alone() -> None:
    found = fit(4, compared((0, 1, (3, 1, 0)), (2, 3, (2, 2, 0))), prior=None, slot=False)
    assert found.strength[0] - found.strength[1] == pytest.approx(math.log(3), abs=1e-9)
    assert found.components == ((0, 1), (2, 3))
    assert found.strength[:2].sum() == pytest.approx(0, abs=1e-12)


def test_a_draw_is_one_comparison() -> None:
    found = fit(2, compared((0, 1, TIED)), slot=False)
    assert (found.comparisons, found.weight) == (1, 1.0)
    assert found.strength == pytest.approx([0, 0], abs=1e-12)
    half = fit(2, compared((0, 1, (0.5, 0.5, 0.0))), slot=False)
    assert se_of(half) == pytest.approx(se_of(found), abs=1e-9)


def test_what_never_met_is_named_apart() -> None:
    found = fit(5, compared((0, 1, WON), (3, 2, WON)))
    assert found.components == ((0, 1), (2, 3), (4,))
    assert found.strength[4] == pytest.approx(0, abs=1e-12)
    assert se_of(found)[4] > max(se_of(found)[:4]), "one never compared has the widest bar"


def test_a_chain_is_bounded_by_the_prior() -> None:
    found = fit(4, compared((3, 2, WON), (2, 1, WON), (1, 0, WON)))
    assert (found.undefeated, found.winless) == ((3,), (0,))
    assert list(found.strength) == sorted(found.strength)
    assert np.abs(found.strength).max() < 5


@pytest.mark.parametrize("n", [0, 3])
@pytest.mark.parametrize("prior", ["em", 1.0, None])
@pytest.mark.parametrize("ties", ["half", "davidson"])
def test_no_comparisons_are_no_error(n: int, prior: Prior, ties: str) -> None:
    found = fit(n, compared(), prior=prior, ties=ties)  # type: ignore[arg-type]
    assert list(found.strength) == [0.0] * n
    assert (found.slot, found.nu, found.comparisons) == ({}, None, 0)
    assert len(found.components) == n


def test_two_orders_of_a_pair_weigh_as_one() -> None:
    half = (0.5, 0.0, 0.0)
    both = [(0, 1, half), (1, 0, (0.0, 0.5, 0.0))] * 3 + [(1, 0, half), (0, 1, (0.0, 0.5, 0.0))]
    found = fit(2, compared(*both), prior=None, slot=False)
    assert (found.comparisons, found.weight) == (8, 4.0)
    once = fit(2, compared((0, 1, (3, 1, 0))), prior=None, slot=False)
    assert found.strength == pytest.approx(once.strength, abs=1e-9)
    assert gap_se(found, 0, 1) == pytest.approx(gap_se(once, 0, 1), abs=1e-9)


@pytest.mark.parametrize(
    ("row", "said"),
    [
        ((1, 1, WON), "row 1 compares entrant 1 with itself"),
        ((0, 3, WON), "row 1 names entrants 0 and 3, but there are 3"),
        ((-1, 0, WON), "row 1 names entrants -1 and 0"),
        ((0, 1, (math.nan, 0, 0)), "row 1 weighs nan, 0, 0"),
        ((0, 1, (math.inf, 0, 0)), "row 1 weighs inf"),
        ((0, 1, (2, -1, 0)), "row 1 weighs 2, -1, 0"),
    ],
)
def test_rows_that_cannot_be_meant_are_refused(
    row: tuple[int, int, tuple[float, float, float]], said: str
) -> None:
    with pytest.raises(ValueError, match=said):
        fit(3, compared((0, 2, WON), row))


@pytest.mark.parametrize("prior", [0.0, -1.0, math.nan, math.inf, "map"])
def test_a_prior_is_a_positive_scale(prior: Prior) -> None:
    with pytest.raises(ValueError, match="the prior is"):
        fit(2, compared((0, 1, WON)), prior=prior)


@pytest.mark.parametrize(
    "rows",
    [
        [(0, 1, (8, 2, 0))],  # one order only
        [(0, 1, WON), (1, 0, WON)],  # the first always won
    ],
)
def test_slot_terms_that_nothing_bounds_are_refused_without_a_prior(
    rows: list[tuple[int, int, tuple[float, float, float]]],
) -> None:
    with pytest.raises(NoMaximum):
        fit(2, compared(*rows), prior=None)
    assert math.isfinite(fit(2, compared(*rows)).slot[0].logits)


@pytest.mark.parametrize("rows", [[(0, 1, TIED)], [(0, 1, TIED), (0, 1, WON)], [(0, 1, (1, 1, 0))]])
def test_ties_that_nothing_bounds_are_refused_without_a_prior(
    rows: list[tuple[int, int, tuple[float, float, float]]],
) -> None:
    with pytest.raises(NoMaximum):
        fit(2, compared(*rows), prior=None, ties="davidson", slot=False)
    nu = fit(2, compared(*rows), ties="davidson", slot=False).nu
    assert nu is not None
    assert 0.001 < nu < 1000


# What is learnt beside strengths.


def test_each_judge_has_a_slot_term_of_its_own() -> None:
    first_biased = [(0, 1, (9, 1, 0)), (1, 0, (9, 1, 0))]
    second_biased = [(0, 1, (1, 9, 0)), (1, 0, (1, 9, 0))]
    found = fit(2, compared(*first_biased, *second_biased, judge=[3, 3, 8, 8]))
    assert list(found.slot) == [3, 8]
    assert found.slot[3].logits == pytest.approx(-found.slot[8].logits, abs=1e-9)
    assert found.slot[3].z > 2


def test_the_scale_of_the_prior_is_the_fixed_point() -> None:
    n = 15
    _, rows = simulated(n, 120, 3)
    found = fit(n, rows)
    assert found.posterior is not None
    assert found.prior_scale is not None
    asked = (found.strength @ found.strength + np.trace(found.posterior[:n, :n]) + 4.5) / (n + 2)
    assert found.prior_scale**2 == pytest.approx(asked, rel=1e-9)
    again = fit(n, rows, prior=found.prior_scale)
    assert again.strength == pytest.approx(found.strength, abs=1e-9)


def test_soft_outcomes_are_fractions_of_a_win() -> None:
    soft = fit(2, compared(*[(0, 1, (0.75, 0.25, 0.0))] * 4), prior=None, slot=False)
    assert soft.strength[0] - soft.strength[1] == pytest.approx(math.log(3), abs=1e-9)


def test_strengths_and_ties_of_a_known_world_are_found() -> None:
    rng = np.random.default_rng(5)
    n, m, nu, slot = 8, 20_000, 0.6, 0.4
    strength = rng.normal(size=n)
    strength -= strength.mean()
    first = rng.integers(n, size=m)
    second = (first + 1 + rng.integers(n - 1, size=m)) % n
    x = strength[first] - strength[second] + slot
    weights = np.stack([np.exp(x / 2), np.exp(-x / 2), np.full(m, nu)], axis=1)
    drawn = rng.random(m)[:, None] > np.cumsum(weights / weights.sum(axis=1, keepdims=True), axis=1)
    said = [(WON, LOST, TIED)[k] for k in drawn.sum(axis=1)]
    found = fit(n, compared(*zip(first.tolist(), second.tolist(), said, strict=True)), ties="davidson")
    assert np.abs(found.strength - strength).max() < 0.12
    assert found.nu == pytest.approx(nu, rel=0.1)
    assert found.slot[0].logits == pytest.approx(slot, abs=0.1)


# Large fields.


@pytest.mark.parametrize(
    ("prior", "ties", "slot"), [("em", "half", True), ("em", "davidson", True), (None, "half", False)]
)
def test_sparse_fits_are_those_of_a_matrix(
    monkeypatch: pytest.MonkeyPatch, prior: Prior, ties: str, slot: bool
) -> None:
    n = 40
    _, rows = simulated(n, 1500, 2)
    dense = fit(n, rows, prior=prior, ties=ties, slot=slot)  # type: ignore[arg-type]
    monkeypatch.setattr(information, "DENSE_LIMIT", 10)
    sparse = fit(n, rows, prior=dense.prior_scale, ties=ties, slot=slot)  # type: ignore[arg-type]
    assert sparse.covariance is None
    assert np.abs(sparse.strength - dense.strength).max() < 1e-8
    if slot:
        assert sparse.slot[0].z == pytest.approx(dense.slot[0].z, rel=1e-6)
    if prior == "em":
        learnt = fit(n, rows, ties=ties, slot=slot)  # type: ignore[arg-type]
        assert learnt.prior_scale == pytest.approx(dense.prior_scale, rel=0.02), "its trace is an estimate"
