"""The adaptive tournament under interventions."""

from __future__ import annotations

import pytest
from adaptive_runs import adaptive, count_fits, names, play, verdict

from arena_tui.candidate import Candidate, Group
from arena_tui.facts import Intervention, Outcome
from arena_tui.ratings.posterior import Counts


@pytest.fixture
def fits(monkeypatch: pytest.MonkeyPatch) -> list[Counts]:
    """The counts of every fit that is made."""
    return count_fits(monkeypatch)


def test_a_rejected_candidate_meets_nobody_until_it_is_restored() -> None:
    format_ = adaptive(5)
    play(format_, 12, verdict(1))
    format_.intervene(Intervention("reject", "main", "c000"))
    assert all("c000" not in names(step) for step in format_.next_steps(10))
    format_.intervene(Intervention("restore", "main", "c000"))
    assert any("c000" in names(step) for step in format_.next_steps(10))


def test_late_candidates_come_next() -> None:
    format_ = adaptive(8)
    play(format_, 16, verdict(1))
    for name in ("late", "later"):
        format_.intervene(Intervention("add", "main", added=Candidate(name, name)))
    steps = format_.next_steps(3)
    assert [step.why for step in steps] == ["focus", "focus", "information"]
    assert "late" in names(steps[0])
    assert "later" in names(steps[1])


def test_a_candidate_rejected_before_it_opened_plays_once_restored() -> None:
    format_ = adaptive(4)
    format_.intervene(Intervention("reject", "main", "c002"))
    assert all("c002" not in names(step) for step in format_.next_steps(3))
    format_.intervene(Intervention("restore", "main", "c002"))
    step = format_.next_steps(1)[0]
    assert "c002" in names(step)
    assert step.why == "focus"


def test_requests_are_met_in_their_turn() -> None:
    format_ = adaptive(6)
    play(format_, 12, verdict(1))
    actions = [
        Intervention("match", "main", "c001", other="c005"),
        Intervention("focus", "main", "c004"),
        Intervention("match", "main", "c000", other="c003"),
    ]
    for action in actions:
        assert format_.objection(action) is None
        format_.intervene(action)
    format_.intervene(Intervention("reject", "main", "c003"))  # takes its request along
    steps = format_.next_steps(3)
    assert [step.why for step in steps] == ["asked", "focus", "information"]
    assert names(steps[0]) == {"c001", "c005"}
    assert "c004" in names(steps[1])


def test_an_overruled_outcome_counts_from_the_next_choice_on(fits: list[Counts]) -> None:
    format_ = adaptive(4)
    steps = format_.next_steps(4)
    for number, step in enumerate(steps[:3], start=1):
        format_.record(Outcome(step, ("a", "void", "a")[number - 1], number))
    format_.intervene(Intervention("overrule", "main", seq=1, winner="b"))
    format_.intervene(Intervention("overrule", "main", seq=2, winner="draw"))
    format_.intervene(Intervention("overrule", "main", seq=3, winner="void"))
    format_.next_steps(1)
    counts = fits[-1]
    told = dict(
        zip(zip(counts.first.tolist(), counts.second.tolist(), strict=True), counts.points, strict=True)
    )
    index = format_.field.index
    assert told == {
        (index(steps[0].a), index(steps[0].b)): 0.0,
        (index(steps[1].a), index(steps[1].b)): 0.5,
    }


def test_every_intervention_is_a_boundary(fits: list[Counts]) -> None:
    format_ = adaptive(32)
    play(format_, 18, verdict(1), lookahead=18)
    made = len(fits)
    format_.next_steps(1)
    assert len(fits) == made
    format_.intervene(Intervention("pin", "main", "c000"))
    format_.next_steps(1)
    assert len(fits) == made + 1
    assert fits[-1].mass.sum() > fits[-2].mass.sum()  # 18 applied, not the 16 of the last boundary


def test_candidates_that_do_not_play_meet_nobody() -> None:
    group = Group("main", (Candidate("x", "x", state="reviewed"), Candidate("y", "y"), Candidate("z", "z")))
    assert all(names(step) == {"y", "z"} for step in adaptive(group).next_steps(5))


def test_pairings_say_why() -> None:
    format_ = adaptive(4)
    format_.next_steps(3)
    assert [(row["seq"], row["why"]) for row in format_.pairings()] == [
        (1, "opening"),
        (2, "opening"),
        (3, "information"),
    ]
