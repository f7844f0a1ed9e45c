"""What people do to a Swiss tournament: reject in mid-round, restore, add late, overrule."""

from __future__ import annotations

from elo_runs import candidate
from swiss_runs import Run, pairs_of, replay, tournament

from arena_tui.facts import Intervention


def test_a_rejection_in_mid_round_gives_the_opponent_a_bye_that_bars_no_other() -> None:
    run = Run(tournament(4, rounds=3), lambda step: "a")
    first, second = run.plan()
    run.act(Intervention("reject", "main", first.a))
    while run.waiting:
        run.apply()
    assert run.idle("walkovers") == [[first.b]]
    assert run.scores()[first.b] == 0.5
    assert {row.id: row.score for row in run.format.standings()}[first.a] == 0.0
    # Three are left: the loser of the other match is the lowest; then the one with the walkover sits out.
    run.round()
    assert run.idle() == [[], [second.b]]
    rows = [row for row in run.format.pairings() if row["b"] is None]
    assert rows[0]["why"] == f"bye: {first.a} was rejected"
    assert (rows[0]["a"], rows[0]["round"]) == (first.b, 1)


def test_two_that_did_not_meet_since_one_was_rejected_may_meet_later() -> None:
    run = Run(tournament(2, rounds=2))
    [step] = run.plan()
    run.act(Intervention("reject", "main", step.b))
    run.act(Intervention("restore", "main", step.b))
    run.apply()
    again = run.plan()
    assert pairs_of(again) == pairs_of([step])
    assert again[0].round == 2
    run.act(Intervention("overrule", "main", seq=1, winner="a"))
    run.finish()
    assert run.format.details()["brackets"][""]["walkovers"] == [[], []], "it counts as held after all"


def test_a_rejection_while_a_round_is_being_planned_takes_the_rest_of_its_match() -> None:
    run = Run(tournament(8))
    whole = pairs_of(tournament(8).next_steps(9))
    [first] = run.plan(1)
    gone = next(id_ for id_ in sorted(run.playing) if id_ not in (first.a, first.b))
    [dropped] = [pair for pair in whole if gone in pair]
    run.act(Intervention("reject", "main", gone))
    rest = run.plan()
    assert pairs_of([first, *rest]) == whole - {dropped}
    assert [step.seq for step in rest] == [2, 3]
    assert run.idle("walkovers") == [sorted(dropped - {gone})]
    run.finish()
    resumed = tournament(8)
    replay(resumed, run.journal)
    assert resumed.details() == run.format.details()


def test_a_late_candidate_enters_the_next_round_and_adds_none() -> None:
    run = Run(tournament(4))
    run.plan()
    run.act(Intervention("add", "main", added=candidate("late")))
    assert run.format.next_steps(9) == []
    run.finish()
    assert len(run.starts) == 2
    second = [step for step in run.games if step.round == 2]
    assert run.idle() == [[], ["late"]] or any("late" in (step.a, step.b) for step in second)


def test_a_candidate_restored_after_the_end_brings_the_rounds_that_were_left() -> None:
    run = Run(tournament(4))
    run.plan()
    gone = sorted(run.playing)[:3]
    for id_ in gone:
        run.act(Intervention("reject", "main", id_))
    run.finish()
    assert run.format.finished() == "COMPLETED"
    run.act(Intervention("restore", "main", gone[0]))
    assert run.format.finished() is None
    assert [step.round for step in run.plan()] == [2]


def test_an_overrule_changes_scores_and_no_round_that_was_planned() -> None:
    run = Run(tournament(8), lambda step: "a")
    run.round()
    second = run.plan()
    run.act(Intervention("overrule", "main", seq=1, winner="b"))
    first = run.games[0]
    scores = {row.id: row.score for row in run.format.standings()}
    assert (scores[first.a], scores[first.b]) == (0.0, 1.0)
    assert run.games[4:] == second
    resumed = tournament(8)
    replay(resumed, run.journal)
    assert resumed.standings() == run.format.standings()
    assert list(resumed.history()) == list(run.format.history())


def test_a_void_match_gives_both_half_a_score_and_the_two_have_met() -> None:
    run = Run(tournament(2, rounds=3), lambda step: "void")
    run.finish()
    assert len(run.games) == 1
    assert [row.score for row in run.format.standings()] == [0.5, 0.5]
    assert [row.matches for row in run.format.standings()] == [0, 0]
    assert [score.rating for score in run.format.scores()] == [0.0, 0.0]


def test_single_matches_are_no_part_of_a_schedule() -> None:
    assert tournament(4).objection(Intervention("focus", "main", "c00"))
    assert tournament(4).objection(Intervention("reject", "main", "c00")) is None
