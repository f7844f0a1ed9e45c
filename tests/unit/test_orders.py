"""What one or two orders of a pair say of the match."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from arena_tui.judging.base import Verdict
from arena_tui.judging.orders import ONE_UNREADABLE, combine
from arena_tui.vocabulary import Orientation, Said, Winner

verdicts = st.builds(
    Verdict,
    winner=st.sampled_from(["first", "second", "draw", "invalid"]),
    p_first=st.none() | st.floats(0, 1),
    reason=st.text(max_size=5),
    flags=st.lists(st.sampled_from(["x", "y", "z"]), max_size=2).map(tuple),
)


@pytest.mark.parametrize(
    ("order", "said", "winner"),
    [
        ("ab", "first", "a"),
        ("ab", "second", "b"),
        ("ab", "draw", "draw"),
        ("ab", "invalid", "void"),
        ("ba", "first", "b"),
        ("ba", "second", "a"),
        ("ba", "draw", "draw"),
        ("ba", "invalid", "void"),
    ],
)
def test_one_order_is_turned_to_the_sides(order: Orientation, said: Said, winner: Winner) -> None:
    combined = combine({order: Verdict(said, reason="because")})
    assert combined.winner == winner
    assert combined.order_consistent is None
    assert combined.rationale == "because"
    assert combined.reason == ("because" if winner == "void" else "")
    assert combined.flags == ()


@pytest.mark.parametrize(
    ("ab", "ba", "winner", "consistent"),
    [
        ("first", "second", "a", True),
        ("second", "first", "b", True),
        ("draw", "draw", "draw", True),
        ("first", "first", "draw", False),
        ("second", "second", "draw", False),
        ("first", "draw", "draw", False),
        ("draw", "first", "draw", False),
        ("first", "invalid", "a", None),
        ("invalid", "first", "b", None),
        ("draw", "invalid", "draw", None),
        ("invalid", "invalid", "void", None),
    ],
)
def test_both_orders_agree_or_draw(ab: Said, ba: Said, winner: Winner, consistent: bool | None) -> None:
    combined = combine({"ab": Verdict(ab), "ba": Verdict(ba)})
    assert (combined.winner, combined.order_consistent) == (winner, consistent)
    unreadable = [ab, ba].count("invalid") == 1
    assert (ONE_UNREADABLE in combined.flags) == unreadable


def test_probability_is_the_mean_seen_from_a() -> None:
    both = combine({"ab": Verdict("first", 0.75), "ba": Verdict("second", 0.5)})
    assert both.p_a == 0.625
    assert combine({"ba": Verdict("first", 0.75)}).p_a == 0.25
    assert combine({"ab": Verdict("first", 0.75), "ba": Verdict("second")}).p_a == 0.75
    assert combine({"ab": Verdict("first"), "ba": Verdict("second")}).p_a is None


def test_probability_of_an_unreadable_order_does_not_count() -> None:
    assert combine({"ab": Verdict("first", 0.75), "ba": Verdict("invalid", 0.0)}).p_a == 0.75


def test_void_match_tells_each_reason_once() -> None:
    timed_out = Verdict("invalid", reason="timed out")
    assert combine({"ab": timed_out, "ba": timed_out}).reason == "timed out"
    other = combine({"ab": timed_out, "ba": Verdict("invalid")})
    assert other.reason == "timed out; no usable verdict"


def test_rationale_says_which_order_each_part_belongs_to() -> None:
    combined = combine({"ba": Verdict("second", reason="two"), "ab": Verdict("first", reason="one")})
    assert combined.rationale == "[a shown first] one\n\n[b shown first] two"


def test_match_without_verdicts_is_refused() -> None:
    with pytest.raises(ValueError, match="without a verdict"):
        combine({})


@given(verdicts, verdicts)
def test_renaming_the_sides_mirrors_the_outcome(one: Verdict, two: Verdict) -> None:
    """Swapping who is called a changes which order is `ab`; nothing else may change."""
    straight, mirrored = combine({"ab": one, "ba": two}), combine({"ab": two, "ba": one})
    mirror = {"a": "b", "b": "a", "draw": "draw", "void": "void"}
    assert mirrored.winner == mirror[straight.winner]
    assert mirrored.order_consistent == straight.order_consistent
    assert set(mirrored.flags) == set(straight.flags)
    if straight.p_a is None:
        assert mirrored.p_a is None
    else:
        assert mirrored.p_a == pytest.approx(1 - straight.p_a)


@given(st.dictionaries(st.sampled_from(["ab", "ba"]), verdicts, min_size=1))
def test_void_exactly_when_nothing_can_be_read(said: dict[Orientation, Verdict]) -> None:
    combined = combine(said)
    assert (combined.winner == "void") == all(v.winner == "invalid" for v in said.values())
    assert combined.p_a is None or 0 <= combined.p_a <= 1
    assert (combined.reason == "") == (combined.winner != "void")


@pytest.mark.parametrize(
    ("first_ab", "first_ba", "winner"), [(0.9, 0.6, "a"), (0.6, 0.9, "b"), (0.7, 0.7, "draw")]
)
def test_scores_of_both_orders_are_averaged(first_ab: float, first_ba: float, winner: Winner) -> None:
    """Both orders lean to their first slot; the stronger lean decides, which two votes could not tell."""
    said: dict[Orientation, Verdict] = {"ab": Verdict("first", first_ab), "ba": Verdict("first", first_ba)}
    scored = combine(said, "score")
    assert (scored.winner, scored.order_consistent) == (winner, False)
    assert scored.p_a == pytest.approx((first_ab + 1 - first_ba) / 2)
    assert combine(said).winner == "draw"
