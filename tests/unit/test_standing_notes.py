"""What stands under a table of standings, and how far a run is, in words: all that is known, nothing else."""

from __future__ import annotations

import io
from dataclasses import replace
from typing import Any

import pytest

from arena_tui.engine.confident import Sureness
from arena_tui.engine.state import GroupState, RunState
from arena_tui.ratings.stability import Distance
from arena_tui.report.endings import ending_lines
from arena_tui.report.plain import PlainDisplay, _eta
from arena_tui.report.progress_words import distance_words, progress_words
from arena_tui.report.result import Result, StandingRow
from arena_tui.report.standing_notes import standing_notes

SURE = {
    "leader": "a", "runner_up": "b", "p_best": 0.814, "p_runner_up": 0.12, "p_near": 0.966, "delta": 0.3,
}  # fmt: skip
FIT: dict[str, Any] = {
    "tie_model": "davidson", "inflation": 0.0, "clustered": False, "components": [], "undefeated": [],
    "winless": [], "confidence": {"": SURE}, "closest_races": [], "hardly_played": [],
}  # fmt: skip
RESULT = Result(
    run="r1", name="n", format="swiss", compare="candidates", seed=42, stop_reason="COMPLETED",
    stop_detail="every planned match is played", db="/x.db",
    matches={"a": 10, "b": 9, "draw": 0, "void": 0, "held": 0}, comparisons=19,
    calls={}, usage={}, groups={"total": 1, "finished": 1, "stop_reasons": {}, "skipped": []},
    standings=[StandingRow(n, id_, 1500.0, matches=3) for n, id_ in enumerate("abcd", 1)],
    judge={"simulated": False}, details=FIT,
)  # fmt: skip


def notes(format_kind: str = "swiss", **fit: Any) -> list[str]:
    return standing_notes(replace(RESULT, format=format_kind, details=FIT | fit))


def test_bars_and_leaders_are_explained_and_no_more_than_there_is() -> None:
    assert notes() == [
        "rows by rating; range: the ranks it cannot be told apart from; points: a win 1, a draw 1/2, a bye "
        "what bye_points says",
        "95 %: intervals of the rating, a Bradley-Terry fit, on this judge's own scale; draws by Davidson's "
        "model; wide while few comparisons leave open how far apart candidates are at all",
        "P(best): a 81%, next likely b 12%; a is within 0.3 logit of the best with probability 0.97",
    ]
    assert notes(tie_model=None, confidence={}) == []


def test_elo_is_told_apart_from_the_fit() -> None:
    order, sorted_by, bars, leader = notes("elo", tie_model="half")
    assert sorted_by.startswith("rows by Elo; ")
    assert order.startswith("Elo depends on the order of the matches; BT")
    assert bars.startswith("95 %: intervals of BT, ")
    assert "; a draw counts as half a win; " in bars
    assert leader.startswith("P(best) by the fit: a 81%")


def test_wider_bars_say_why() -> None:
    bars = notes(inflation=0.4, clustered=True)[1]
    assert "differ by 0.40 logits more than chance" in bars
    assert bars.endswith("(clustered by group)")


def test_sets_that_never_met_are_named_and_those_not_compared_are_none() -> None:
    told = notes(components=[["a", "b"], ["c"], ["late"]])[-1]
    assert told.startswith("no comparison links {a, b} and {c}: how one stands against another is not known")
    assert all(not line.startswith("no comparison") for line in notes(components=[["a", "b"], ["late"]]))


def test_leader_of_each_class_is_named() -> None:
    told = notes(confidence={"x": SURE, "y": SURE | {"leader": "c"}})[2:]
    assert [line.split(": ")[0] for line in told] == ["P(best) of class x", "P(best) of class y"]


def test_confident_is_said_to_be_about_the_judge() -> None:
    sure = standing_notes(replace(RESULT, stop_reason="CONFIDENT"))
    assert sure[:-1] == notes()
    assert sure[-1].startswith("CONFIDENT is a statement about this judge's noise")


def test_groups_are_told_apart_and_other_details_are_no_groups() -> None:
    details = {"g1": FIT, "g2": FIT | {"inflation": 0.2}, "matrix": {"x": {"y": 0.5}}}
    result = replace(RESULT, details=details)
    _, bars, *leaders = standing_notes(result)
    assert "differ by up to 0.20 logits" in bars
    assert [line.split(": ")[0] for line in leaders] == ["g1", "g2"]
    races = [{"ahead": "a", "behind": "b", "gap": 3.0}, {"ahead": "b", "behind": "c", "gap": -4.04}]
    details["g2"] = FIT | {"closest_races": races}
    lines = ending_lines(result, "finished")
    assert "g2: small gap: a is 3.0 ahead of b" in lines
    assert "g2: small gap: b is above and rated 4.0 lower than c" in lines


def test_names_cannot_act_on_the_terminal() -> None:
    told = notes(confidence={"\x1b[2J": SURE | {"leader": "a\x1b]0;x\x07\nb"}})
    assert all(character.isprintable() for line in told for character in line)


# --- progress -----------------------------------------------------------------------------------------

SURENESS = Sureness(0, 1, 0.914, 0.74, 0.11, True, 80, 96, 0, 0.95, 0.3)


def group(**more: Any) -> dict[str, GroupState]:
    return {"main": GroupState("main", **more)}


def test_stage_and_foreseen_matches_are_told_where_they_are_known() -> None:
    assert progress_words(group(expected=24, phase="round 2 of 5"), 14) == [
        "round 2 of 5",
        "14 of 24 matches",
    ]
    assert progress_words(group(), 1) == ["1 match"]
    some = {"g1": GroupState("g1", expected=6, stop_reason="COMPLETED"), "g2": GroupState("g2", expected=6)}
    assert progress_words(some, 9) == ["1 of 2 groups ended", "9 of 12 matches"]


@pytest.mark.parametrize(
    ("state", "says"),
    [
        ({}, ""),
        ({"sureness": (SURENESS,)}, "P(leader within 0.3 of the best) 0.91 of 0.95, 80 of 96 comparisons"),
        (
            {"sureness": (replace(SURENESS, within=None, connected=False, comparisons=96, looks=1),)},
            "P(best) 0.91 of 0.95, not all linked yet, 1 of 2 looks",
        ),
        (
            {"sureness": (SURENESS, replace(SURENESS, probability=0.5, comparisons=99))},
            "P(leader within 0.3 of the best) 0.50 of 0.95",
        ),
        (
            {"distance": Distance(1, 3, ("c",), (("a", 40.0),), matches_missing=7)},
            "7 more matches, 1 of the top still move, 1 in and out of the top, 1 of 3 snapshots",
        ),
    ],
)
def test_distance_of_either_rule_is_told(state: dict[str, Any], says: str) -> None:
    assert distance_words(group(**state)) == says


def test_distance_of_several_groups_is_too_much_for_a_line() -> None:
    groups = {id_: GroupState(id_, sureness=(SURENESS,)) for id_ in ("g1", "g2")}
    assert distance_words(groups) == ""


def test_schedule_says_when_it_ends() -> None:
    state = RunState(groups=group(expected=24, applied=14))
    assert _eta(state, 0.0) == "until all is played"
    assert _eta(state, 2.0) == "at most 5 s left"


def test_progress_line_has_stage_matches_and_distance() -> None:
    display = PlainDisplay(io.StringIO(), quiet=True)
    state = RunState(phase="running", a=14, groups=group(expected=24, phase="ring", sureness=(SURENESS,)))
    assert display._progress(state) == (
        "  ring, 14 of 24 matches, 0 in flight, P(leader within 0.3 of the best) 0.91 of 0.95, "
        "80 of 96 comparisons, until all is played"
    )
