"""What a fit tells beside ratings: names for numbers, sets that never met, one slot term of many fits."""

from __future__ import annotations

import pytest

from arena_tui.fit_report import fit_details, slot_of
from arena_tui.ratings.estimates import Estimates, estimate
from arena_tui.ratings.rows import Masses, Rows

WON: Masses = (1.0, 0.0, 0.0)
LOST: Masses = (0.0, 1.0, 0.0)
TIED: Masses = (0.0, 0.0, 1.0)


def fitted(*said: tuple[int, int, Masses], names: str, classes: str = "") -> Estimates:
    rows = Rows()
    for number, row in enumerate(said):
        rows.add(number, [row])
    return estimate(rows, len(names), classes=list(classes or "x" * len(names)), playing=[True] * len(names))


def test_nothing_is_told_before_anything_was_compared() -> None:
    told = fit_details("ab", ["x", "x"], fitted(names="ab"), delta=0.3)
    assert told["tie_model"] is None
    assert told["inflation"] is None
    assert (told["components"], told["confidence"]) == ([], {})
    assert slot_of([fitted(names="ab")]) is None
    assert slot_of([]) is None


def test_leader_and_runner_up_are_named_class_by_class() -> None:
    fit = fitted((0, 1, WON), (0, 1, WON), (3, 2, TIED), (3, 2, WON), names="abcd", classes="xxyy")
    told = fit_details("abcd", list("xxyy"), fit, delta=0.5)
    assert {class_: (each["leader"], each["runner_up"]) for class_, each in told["confidence"].items()} == {
        "x": ("a", "b"),
        "y": ("d", "c"),
    }
    sure = told["confidence"]["x"]
    assert sure["p_best"] + sure["p_runner_up"] == pytest.approx(1, abs=1e-4)
    assert sure["p_near"] >= sure["p_best"]
    assert sure["delta"] == 0.5
    assert (told["tie_model"], told["undefeated"], told["winless"]) == ("davidson", ["a"], ["b"])
    assert told["components"] == [], "classes never meet: only within one can something be missing"
    unnamed = fit_details("abcd", [None] * 4, fit, delta=0.5)
    assert unnamed["components"] == [["a", "b"], ["c", "d"]]


def test_one_who_neither_plays_nor_met_anybody_is_in_no_set() -> None:
    fit = fitted((0, 1, WON), (0, 1, LOST), names="abc")
    assert fit_details("abc", ["x"] * 3, fit, delta=0.3)["components"] == [["a", "b"], ["c"]]
    told = fit_details("abc", ["x"] * 3, fit, delta=0.3, plays=lambda name: name != "c")
    assert told["components"] == []


def test_slot_terms_of_many_groups_add_up_as_evidence() -> None:
    said = [(0, 1, WON), (1, 0, WON), (0, 1, WON), (1, 0, LOST), (1, 0, WON), (0, 1, LOST)]
    one = fitted(*said, names="ab")
    alone = slot_of([one])
    assert alone == one.fit.slot[0]
    assert alone is not None
    many = slot_of([one, fitted(*said, names="ab"), fitted(names="ab")])
    assert many is not None
    # Twice the evidence, and the prior (variance 0.25) still once.
    assert many.se**-2 - 4 == pytest.approx(2 * (alone.se**-2 - 4))
    assert many.logits == pytest.approx(2 * alone.logits * alone.se**-2 * many.se**2)
    assert 0 < alone.logits < many.logits
    assert many.z == many.logits / many.se
