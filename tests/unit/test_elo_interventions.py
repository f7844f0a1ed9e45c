"""The Elo tournament under interventions, with classes, similarities and clones."""

from __future__ import annotations

import copy
from collections import Counter
from dataclasses import replace
from random import Random
from typing import Any

import pytest
from elo_runs import candidate, names, play, pool, put, replay, row, tournament, valid_matches, verdict
from hypothesis import given, settings
from hypothesis import strategies as st

from arena_tui.candidate import Group
from arena_tui.facts import Intervention, Match, Outcome
from arena_tui.ratings.elo import k_factor, update
from arena_tui.ratings.similarity import Lexical
from arena_tui.settings import PRESETS
from arena_tui.vocabulary import Winner

# -- interventions ------------------------------------------------------------------------------


def test_a_rejected_candidate_meets_nobody_until_it_is_restored() -> None:
    format_ = tournament(4)
    format_.intervene(Intervention("reject", "main", "c00"))
    assert format_.playing == 3
    assert all("c00" not in names(step) for step in format_.next_steps(40))
    assert format_.standings()[-1].id == "c00"
    format_.intervene(Intervention("restore", "main", "c00"))
    assert format_.playing == 4
    assert any("c00" in names(step) for step in format_.next_steps(40))


def test_outcomes_of_a_rejected_candidates_matches_are_taken() -> None:
    format_ = tournament(3)
    steps = format_.next_steps(3)
    format_.intervene(Intervention("reject", "main", steps[0].a))
    for number, step in enumerate(steps, start=1):
        gone = steps[0].a in names(step)
        format_.record(Outcome(step, "void" if gone else "a", number, reason="withdrawn" if gone else ""))
    format_.intervene(Intervention("restore", "main", steps[0].a))
    assert row(format_, steps[0].a).matches == 0
    assert len(format_.next_steps(20)) == 20


def test_pinned_candidates_play_and_unpinned_ones_go_on() -> None:
    group = Group("main", (candidate("x", state="pinned"), candidate("y")))
    format_ = tournament(group)
    assert names(format_.next_steps(1)[0]) == {"x", "y"}
    format_.intervene(Intervention("unpin", "main", "x"))
    assert names(format_.next_steps(1)[0]) == {"x", "y"}


@pytest.mark.parametrize("state", ["draft", "reviewed", "rejected", "quarantined", "retired"])
def test_other_states_do_not_play(state: str) -> None:
    group = Group("main", (candidate("x", state=state), candidate("y"), candidate("z")))
    format_ = tournament(group)
    assert all(names(step) == {"y", "z"} for step in format_.next_steps(20))
    assert [r.id for r in format_.standings()] == ["y", "z"]


def test_twins_are_no_entrants() -> None:
    group = Group("main", (candidate("x"), candidate("y"), candidate("x2", twin_of="x")))
    assert all("x2" not in names(step) for step in tournament(group).next_steps(20))


def test_an_added_candidate_meets_its_nearest_opponent_next() -> None:
    group = Group(
        "main", tuple(candidate(n, rating=r) for n, r in (("x", 1000.0), ("y", 1310.0), ("z", 1500.0)))
    )
    format_ = tournament(group)
    format_.intervene(Intervention("add", "main", added=candidate("late", rating=1300.0)))
    first, second = format_.next_steps(2)
    assert (names(first), first.why) == ({"late", "y"}, "focus")
    assert second.why != "focus"


def test_every_focus_is_met_in_its_turn() -> None:
    format_ = tournament(6)
    for name in ("c03", "c05", "c03"):
        format_.intervene(Intervention("focus", "main", name))
    steps = format_.next_steps(4)
    assert [step.why for step in steps][:3] == ["focus"] * 3
    assert steps[3].why != "focus"
    assert all(name in names(step) for name, step in zip(("c03", "c05", "c03"), steps, strict=False))


def test_a_match_that_was_asked_for_is_planned_next() -> None:
    format_ = tournament(6)
    format_.intervene(Intervention("match", "main", "c04", other="c01"))
    step = format_.next_steps(1)[0]
    assert (names(step), step.why) == ({"c04", "c01"}, "asked")


def test_requests_that_nobody_can_play_are_passed_over() -> None:
    group = Group("main", tuple(candidate(n, class_=c) for n, c in (("x", "p"), ("y", "p"), ("z", "q"))))
    format_ = tournament(group)
    format_.intervene(Intervention("focus", "main", "z"))  # alone in its class
    format_.intervene(Intervention("match", "main", "x", other="z"))  # of another class
    assert {step.why for step in format_.next_steps(30)} <= {"random", "close", "new"}
    format_.intervene(Intervention("add", "main", added=candidate("w", class_="q")))
    assert [(names(s), s.why) for s in format_.next_steps(2)] == [({"z", "w"}, "focus")] * 2


def test_rejecting_drops_what_was_asked_for() -> None:
    format_ = tournament(4)
    format_.intervene(Intervention("focus", "main", "c01"))
    format_.intervene(Intervention("match", "main", "c02", other="c01"))
    format_.intervene(Intervention("reject", "main", "c01"))
    format_.intervene(Intervention("restore", "main", "c01"))
    assert format_.next_steps(1)[0].why == "random"


def refolded(outcomes: list[tuple[str, str, Winner]]) -> dict[str, tuple[float, int, int, int]]:
    """Ratings and records of a fold written out from the start."""
    ratings: dict[str, float] = {}
    record: dict[str, Counter[str]] = {}
    for a, b, winner in outcomes:
        for name in (a, b):
            ratings.setdefault(name, 1200.0)
            record.setdefault(name, Counter())
        if winner == "void":
            continue
        k = k_factor(min(record[a].total(), record[b].total()))
        result = update(ratings[a], ratings[b], {"a": 1.0, "b": 0.0, "draw": 0.5}[winner], k=k)
        ratings[a], ratings[b] = result.elo_a_after, result.elo_b_after
        for name, won in ((a, "a"), (b, "b")):
            record[name]["draws" if winner == "draw" else "wins" if winner == won else "losses"] += 1
    return {n: (ratings[n], record[n]["wins"], record[n]["losses"], record[n]["draws"]) for n in ratings}


@settings(max_examples=40)
@given(st.integers(0, 2**32), st.data())
def test_an_overrule_refolds_as_if_the_outcome_had_been_so_from_the_start(
    seed: int, data: st.DataObject
) -> None:
    format_ = tournament(5, seed=seed)
    journal = play(format_, 40, verdict(seed))
    outcomes = [entry for entry in journal if isinstance(entry, Outcome)]
    effective = {outcome.step.seq: outcome.winner for outcome in outcomes}
    for _ in range(data.draw(st.integers(1, 3))):
        seq = data.draw(st.sampled_from([outcome.step.seq for outcome in outcomes]))
        effective[seq] = data.draw(st.sampled_from(["a", "b", "draw", "void"]))
        format_.intervene(Intervention("overrule", "main", seq=seq, winner=effective[seq]))
    expected = refolded([(o.step.a, o.step.b, effective[o.step.seq]) for o in outcomes])
    got = {r.id: (r.rating, r.wins, r.losses, r.draws) for r in format_.standings() if r.id in expected}
    assert got == expected
    assert valid_matches(format_) == sum(winner != "void" for winner in effective.values())
    last = list(format_.history())[-1]
    assert last.a_after == got[last.a][0]


def test_an_overrule_leaves_the_played_schedule_and_moves_later_choices() -> None:
    def steps(overrule: bool) -> tuple[list[Match], list[Match]]:
        format_ = tournament(4)
        journal = play(format_, 12, lambda step: "a" if step.a < step.b else "b")
        if overrule:
            for seq in range(1, 13):
                format_.intervene(Intervention("overrule", "main", seq=seq, winner="void"))
        return [e for e in journal if isinstance(e, Match)], format_.next_steps(30)

    (played, later), (played_too, later_too) = steps(False), steps(True)
    assert played == played_too
    assert later != later_too


def test_an_overrule_of_an_unapplied_match_changes_nothing() -> None:
    format_ = tournament(3)
    step = format_.next_steps(1)[0]
    format_.intervene(Intervention("overrule", "main", seq=1, winner="b"))
    assert valid_matches(format_) == 0
    assert format_.record(Outcome(step, "a", 1)) is not None
    assert row(format_, step.a).wins == 1


def test_k_follows_the_matches_that_count_after_an_overrule() -> None:
    format_ = tournament(2)
    for _ in range(5):
        put(format_, "c00", "c01")
    format_.intervene(Intervention("overrule", "main", seq=2, winner="void"))
    change = put(format_, "c00", "c01")
    assert change is not None
    assert change.k == 32  # the fifth valid match


@pytest.mark.parametrize("kind", ["settings", "reopen"])
def test_actions_that_concern_no_pairing_change_nothing(kind: Any) -> None:
    format_, other = tournament(), tournament()
    format_.intervene(Intervention(kind, None, values={"limits.matches": 3}))
    assert format_.next_steps(20) == other.next_steps(20)


# -- classes ------------------------------------------------------------------------------------


def classes(**sizes: int) -> Group:
    members = [(f"{c}{i}", c) for c, size in sizes.items() for i in range(size)]
    Random(4).shuffle(members)
    return Group("main", tuple(candidate(name, class_=class_) for name, class_ in members))


def test_pairs_never_cross_classes() -> None:
    format_ = tournament(classes(p=5, q=3, r=4))
    journal = play(format_, 200, verdict(2))
    assert all(s.a[0] == s.b[0] for s in journal if isinstance(s, Match))


def test_classes_get_matches_by_their_size() -> None:
    steps = tournament(classes(p=6, q=2, r=4)).next_steps(120)
    assert Counter(step.a[0] for step in steps) == {"p": 60, "q": 20, "r": 40}


def test_a_class_of_one_waits_and_the_others_play() -> None:
    steps = tournament(classes(p=1, q=3)).next_steps(20)
    assert len(steps) == 20
    assert {step.a[0] for step in steps} == {"q"}


def test_each_class_has_standings_and_a_top_of_its_own() -> None:
    group = Group(
        "main",
        tuple(
            candidate(n, class_=n[0], rating=r)
            for n, r in (("p1", 1100.0), ("q1", 1500.0), ("p2", 1300.0), ("q2", 1400.0), ("p3", 1000.0))
        ),
    )
    format_ = tournament(group)
    format_.intervene(Intervention("reject", "main", "q1"))
    assert [(r.id, r.rank) for r in format_.standings()] == [
        ("p2", 1),
        ("p1", 2),
        ("p3", 3),
        ("q2", 1),
        ("q1", 2),
    ]
    assert format_.top(2) == [("p2", 1300.0), ("p1", 1100.0), ("q2", 1400.0)]


# -- similarity ---------------------------------------------------------------------------------


def test_a_match_carries_the_similarity_of_its_pair() -> None:
    group = pool(5)
    lexical = Lexical({c.text_hash: c.text for c in group.entrants})
    texts = {c.id: c.text_hash for c in group.entrants}
    for step in tournament(group).next_steps(20):
        assert step.similarity == lexical.cosine(texts[step.a], texts[step.b]) is not None


def test_similarity_none_is_unknown_everywhere() -> None:
    assert {step.similarity for step in tournament(similarity="none").next_steps(20)} == {None}


def vectors() -> Group:
    """Four equal ratings: x and y are one idea, u and v another."""
    return Group(
        "main",
        tuple(
            candidate(n, embedding=e)
            for n, e in (("x", (1.0, 0.0)), ("y", (1.0, 0.0)), ("u", (0.0, 1.0)), ("v", (0.0, 2.0)))
        ),
    )


@pytest.mark.parametrize(("prefer", "alike"), [("distant", {False}), ("similar", {True, False})])
def test_given_vectors_say_which_ideas_are_distant(prefer: str, alike: set[bool]) -> None:
    chances = {"p_new": 0.0, "p_close": 1.0, "p_random": 0.0, "new_matches_lt": 0}
    steps = [
        tournament(vectors(), seed=seed, similarity="embedding", prefer=prefer, **chances).next_steps(1)[0]
        for seed in range(300)
    ]
    assert {step.similarity == 1.0 for step in steps} == alike
    # Two of six pairs are alike: weight 1 against 1/2 where similar ones are preferred.
    share = sum(step.similarity == 1.0 for step in steps) / len(steps)
    assert share == pytest.approx(0.5 if prefer == "similar" else 0.0, abs=0.09)


def test_a_candidate_without_a_vector_counts_as_distant() -> None:
    group = replace(vectors(), candidates=(*vectors().candidates[:2], candidate("bare")))
    steps = tournament(group, similarity="embedding", new_matches_lt=0, rematch_penalty=False).next_steps(60)
    assert any(step.similarity is None and "bare" in names(step) for step in steps)


def test_a_late_candidate_is_as_similar_in_a_resumed_run() -> None:
    late = candidate("late")
    live = tournament(4)
    journal: list[Any] = live.next_steps(3)
    live.intervene(Intervention("add", "main", added=late))
    resumed = tournament(4)
    replay(resumed, [*journal, Intervention("add", "main", added=late)])
    steps = live.next_steps(20)
    assert resumed.next_steps(20) == steps
    assert all(step.similarity is not None for step in steps if "late" in names(step))


def test_long_calls_are_announced() -> None:
    assert not tournament(8).off_loop
    long = Group("main", tuple(candidate(f"c{i}", text="word " * 2_000 + str(i)) for i in range(4)))
    format_ = tournament(long)
    assert format_.off_loop  # the words are still to be counted
    format_.next_steps(1)
    assert not format_.off_loop
    assert not tournament(long, similarity="none").off_loop
    assert tournament(2_001, similarity="none").off_loop


# -- the original's behaviour, clones -----------------------------------------------------------


def test_the_co_scientist_preset_first_gives_every_entrant_a_focus_match() -> None:
    format_ = tournament(6, orders="given", **PRESETS["co_scientist"]["format"])
    steps = format_.next_steps(8)
    assert [step.why for step in steps[:6]] == ["focus"] * 6
    assert all(f"c{i:02d}" in names(step) for i, step in enumerate(steps[:6]))
    assert "focus" not in {step.why for step in steps[6:]}
    assert all(step.a < step.b for step in steps)


def test_a_clone_goes_its_own_way() -> None:
    format_ = tournament()
    journal = play(format_, 30, verdict(9))
    clone = copy.deepcopy(format_)
    before = format_.standings()
    waiting = [e for e in journal if isinstance(e, Match)][30:]
    for number, step in enumerate(waiting, start=31):
        clone.record(Outcome(step, "a", number))
    clone.intervene(Intervention("add", "main", added=candidate("late")))
    clone.intervene(Intervention("reject", "main", "c00"))
    clone.next_steps(5)
    assert format_.standings() == before
    assert clone.standings() != before
    untouched = tournament()
    replay(untouched, journal)
    assert format_.next_steps(30) == untouched.next_steps(30)
