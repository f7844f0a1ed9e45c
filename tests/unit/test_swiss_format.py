"""The Swiss tournament as a pure state machine: rounds, byes, slots, interventions and what it tells."""

from __future__ import annotations

import copy
import os
import subprocess
import sys
from collections import Counter
from itertools import pairwise
from pathlib import Path

import pytest
from elo_runs import candidate
from swiss_runs import (
    Run,
    both_orders,
    discrepancies,
    pairs_of,
    random_judge,
    replay,
    times_per_round,
    tournament,
)

from arena_tui.candidate import Group
from arena_tui.facts import Intervention, Match, Outcome
from arena_tui.formats.base import Format
from arena_tui.vocabulary import Winner

# -- rounds and byes ----------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("size", "rounds", "pairs", "byes"),
    [(2, 1, 1, 0), (3, 2, 2, 2), (4, 2, 4, 0), (5, 3, 6, 3), (6, 3, 9, 0), (7, 3, 9, 3), (8, 3, 12, 0)],
)
def test_rounds_pairs_comparisons_and_byes(size: int, rounds: int, pairs: int, byes: int) -> None:
    for seed in range(5):
        run = Run(tournament(size, seed=seed), random_judge(seed)).finish()
        assert run.format.finished() == "COMPLETED"
        assert len(run.games) == pairs
        assert sum(len(step.orders) for step in run.games) == 2 * pairs
        assert len(pairs_of(run.games)) == pairs, "no pair repeats"
        assert max(times_per_round(run.games).values()) == 1
        assert run.format.details()["brackets"][""]["rounds"] == rounds == len(run.starts)
        idle = [id_ for ids in run.idle() for id_ in ids]
        assert len(idle) == len(set(idle)) == byes
        assert run.format.progress().expected == pairs


@pytest.mark.parametrize("size", [0, 1])
def test_nobody_to_pair_is_completed_at_once(size: int) -> None:  # S8
    format_: Format = tournament(size)
    assert format_.next_steps(9) == []
    assert format_.finished() == "COMPLETED"
    assert format_.progress().phase == "nobody to pair"
    assert list(format_.pairings()) == []
    assert [b["ended"] for b in format_.details()["brackets"].values()] == ["fewer than two may play"] * size


def test_all_rejected_before_the_start_or_in_the_middle_are_paired_no_more() -> None:  # S8
    early = Run(tournament(4))
    late = Run(tournament(4))
    late.plan()
    for run in (early, late):
        for id_ in sorted(run.playing):
            run.act(Intervention("reject", "main", id_))
        run.finish()
        assert run.format.finished() == "COMPLETED"
        assert run.format.details()["brackets"][""]["ended"] == "fewer than two may play"
    assert len(early.games) == 0
    assert [late.said[step.seq] for step in late.games] == ["void", "void"]


def test_a_round_is_handed_out_when_the_one_before_is_applied() -> None:
    run = Run(tournament(8))
    first = run.plan()
    assert [step.round for step in first] == [1] * 4
    for _ in range(3):
        run.apply()
        assert run.format.next_steps(9) == []
        assert run.format.finished() is None
    run.apply()
    assert [step.round for step in run.plan()] == [2] * 4
    assert run.format.progress().phase == "round 2 of 3"
    assert (run.format.progress().done, run.format.progress().expected) == (4, 12)


def test_a_bye_is_worth_its_points_for_pairing_and_nothing_in_the_fit() -> None:  # S2, S6
    for points in (0.5, 1.0):
        run = Run(tournament(3, bye_points=points), lambda step: "draw")
        run.round()
        [[idle]] = run.idle()
        rows = {row.id: row for row in run.format.standings()}
        assert rows[idle].score == points
        assert rows[idle].matches == 0
        assert {score.id: score.rating for score in run.format.scores()}[idle] == 0.0
        run.round()
        assert run.idle()[0] != run.idle()[1], "barred from another"


def test_five_entrants_sit_out_one_each_round() -> None:  # S3
    for seed in range(10):
        run = Run(tournament(5, seed=seed), random_judge(seed)).finish()
        assert len({id_ for ids in run.idle() for id_ in ids}) == 3


def test_a_requested_bye_is_kept_apart_from_an_assigned_one() -> None:  # S5, S10
    run = Run(tournament(5, excused={"c03": [1]}), lambda step: "b" if step.a == "c03" else "a")
    first = run.round()
    assert len(first) == 2
    assert all("c03" not in (step.a, step.b) for step in first)
    assert run.idle() == [[]]
    assert run.idle("excused") == [["c03"]]
    assert run.scores()["c03"] == 0.5
    run.finish()
    assert run.idle("excused") == [["c03"], [], []]
    for seed in range(20):  # sooner or later the one that asked is the lowest, and sits out again
        run = Run(
            tournament(5, excused={"c03": [1]}, seed=seed), lambda step: "b" if step.a == "c03" else "a"
        )
        if ["c03"] in run.finish().idle():
            break
    else:
        pytest.fail("a requested bye has barred an assigned one")


def test_when_too_many_ask_to_sit_out_the_others_wait_for_them() -> None:
    run = Run(tournament(2, excused={"c00": [1, 2]})).finish()
    assert [step.round for step in run.games] == [3]
    assert run.idle() == [[], [], []] == run.idle("excused")
    assert run.format.progress().phase == "round 3 of 3"


def test_the_setting_gives_the_rounds_and_no_rematch_ends_them() -> None:
    assert len(Run(tournament(8, rounds=1)).finish().games) == 4
    run = Run(tournament(4, rounds=50)).finish()
    assert len(run.games) == 6
    bracket = run.format.details()["brackets"][""]
    assert bracket["rounds"] == 50
    assert bracket["played"] == 3
    assert bracket["ended"].startswith("no round is left")
    assert run.format.progress().expected == 6


def test_classes_never_meet_and_go_on_together() -> None:
    group = Group(
        "main", tuple(candidate(f"c{i}", class_="x" if i < 8 else "y" if i < 11 else "z") for i in range(12))
    )
    run = Run(tournament(group)).finish()
    class_ = {c.id: c.class_ for c in group.candidates}
    assert all(class_[step.a] == class_[step.b] for step in run.games)
    by_class = Counter(class_[step.a] for step in run.games)
    assert by_class == {"x": 12, "y": 2}
    assert [step.round for step in run.games] == sorted(step.round or 0 for step in run.games)
    brackets = run.format.details()["brackets"]
    assert {name: bracket["rounds"] for name, bracket in brackets.items()} == {"x": 3, "y": 2, "z": 0}
    assert [len(ids) for ids in brackets["y"]["byes"]] == [1, 1, 0]
    assert brackets["z"]["byes"] == [[], [], []]


def test_equal_scores_meet_first() -> None:
    run = Run(tournament(8), lambda step: "a")
    run.round()
    scores = run.scores()
    assert all(scores[step.a] == scores[step.b] for step in run.plan())


# -- the seed -----------------------------------------------------------------------------------


def test_the_recorded_seed_gives_the_same_pairing_again() -> None:
    one, other = Run(tournament(9)).finish(), Run(tournament(9)).finish()
    assert one.journal == other.journal
    assert one.format.details() == other.format.details()
    assert one.format.details()["brackets"][""]["seed"] == 7
    assert Run(tournament(9, seed=8)).finish().journal != one.journal
    assert discrepancies(tournament(9), one.journal) == []


def test_the_first_round_pairs_neighbours_in_the_shuffle() -> None:
    format_ = tournament(8)
    shuffle = format_.details()["brackets"][""]["shuffle"]
    assert pairs_of(format_.next_steps(9)) == {frozenset(shuffle[i : i + 2]) for i in range(0, 8, 2)}
    assert sorted(shuffle) != shuffle


def test_a_search_beyond_its_cap_does_not_depend_on_hashes_and_only_it_needs_networkx() -> None:
    program = (
        "import sys\n"
        "from swiss_runs import Run, random_judge, tournament\n"
        "Run(tournament(33), random_judge(1)).finish()\n"
        "assert 'networkx' not in sys.modules\n"
        "run = Run(tournament(16, rounds=15, seed=1), random_judge(1)).finish()\n"
        "assert 'networkx' in sys.modules\n"
        "print(run.games)\n"
    )
    folders = [str(Path(__file__).parents[2]), str(Path(__file__).parent)]
    seen = {
        subprocess.run(
            [sys.executable, "-c", program],
            env=os.environ | {"PYTHONHASHSEED": hash_seed, "PYTHONPATH": os.pathsep.join(folders)},
            capture_output=True,
            check=True,
            text=True,
            timeout=60,
        ).stdout
        for hash_seed in ("1", "4242")
    }
    assert len(seen) == 1
    assert "by matching" in seen.pop()


# -- the protocol -------------------------------------------------------------------------------


def test_planning_in_two_goes_equals_planning_in_one() -> None:
    for a in range(6):
        for b in range(6):
            split, whole = tournament(9), tournament(9)
            assert split.next_steps(a) + split.next_steps(b) == whole.next_steps(a + b)


def test_half_a_round_adopted_is_followed_by_the_other_half() -> None:  # S9
    run = Run(tournament(8), random_judge(1))
    run.round()
    run.plan()
    for cut in range(len(run.journal) + 1):
        resumed = tournament(8)
        replay(resumed, run.journal[:cut])
        rest = [entry for entry in run.journal[cut:] if isinstance(entry, Match)]
        applied = sum(isinstance(entry, Outcome) for entry in run.journal[:cut])
        due = [step for step in rest if step.round == (1 if applied < 4 else 2)]
        assert resumed.next_steps(1 << 30) == due


def test_a_plan_that_does_not_follow_is_refused() -> None:
    right = tournament(8).next_steps(9)
    with pytest.raises(ValueError, match="this state leads to step 1 of round 1"):
        tournament(8).adopt(right[1])
    format_ = tournament(8)
    wrong = Match("main", 1, right[0].a, right[1].a, "pairwise", ("ab", "ba"), 1)
    with pytest.raises(ValueError, match="this state leads to"):
        format_.adopt(wrong)
    assert format_.next_steps(9) == right, "and nothing has changed"
    with pytest.raises(ValueError, match="where none is due"):
        format_.adopt(Match("main", 5, "c00", "c01", "pairwise", ("ab", "ba"), 2))


def test_an_outcome_counts_once() -> None:
    run = Run(tournament(4))
    run.plan()
    outcome = run.apply("a")
    before = run.format.standings(), run.format.progress()
    assert run.format.record(outcome) is None
    assert (run.format.standings(), run.format.progress()) == before


def test_a_copy_goes_its_own_way() -> None:
    run = Run(tournament(8), random_judge(5))
    run.round()
    half = run.plan(2)
    twin = copy.deepcopy(run.format)
    Run(twin, lambda step: "b").plan()
    twin.intervene(Intervention("reject", "main", half[0].a))
    assert run.format.details()["brackets"][""]["walkovers"] == [[], []]
    rest = Run(tournament(8), random_judge(5))
    rest.round()
    rest.plan(2)
    assert run.finish().games == rest.finish().games


# -- slots --------------------------------------------------------------------------------------


def test_given_shows_the_smaller_id_first() -> None:
    run = Run(tournament(9, orders="given"), random_judge(2)).finish()
    assert all(step.a < step.b and step.orders == ("ab",) for step in run.games)


def test_alternate_balances_slots_and_avoids_a_third_in_a_row() -> None:
    for seed in range(6):
        run = Run(tournament(16, orders="alternate", rounds=8, seed=seed), random_judge(seed)).finish()
        slots: dict[str, list[int]] = {id_: [] for id_ in run.entrants}
        for step in run.games:
            assert step.orders == ("ab",)
            ends = [slots[step.a][-2:], slots[step.b][-2:]]
            assert ends[0] != [1, 1] or ends[1] == [1, 1]
            assert ends[1] != [-1, -1] or ends[0] == [-1, -1]
            slots[step.a].append(1)
            slots[step.b].append(-1)
        assert all(abs(sum(each)) <= 2 for each in slots.values())
        assert sum(x != y for each in slots.values() for x, y in pairwise(each)) > 16 * 7 * 0.6


def test_a_sample_of_the_pairs_is_judged_in_both_orders() -> None:
    run = Run(tournament(64, both_sample=0.2, orders="alternate"), random_judge(1)).finish()
    both = sum(step.orders == ("ab", "ba") for step in run.games)
    assert 20 <= both <= 58  # 38.4 of 192 expected, standard deviation 5.5
    for share, orders in ((0.0, {("ab",)}), (1.0, {("ab", "ba")})):
        steps = tournament(16, both_sample=share).next_steps(99)
        assert {step.orders for step in steps} == orders


def test_order_consistency_is_told_by_pair_and_in_all() -> None:
    format_ = tournament(8)
    steps = format_.next_steps(9)
    assert format_.details()["order_consistency"] is None
    said: list[tuple[str, str, Winner]] = [
        ("first", "second", "a"),
        ("first", "first", "draw"),
        ("draw", "draw", "draw"),
        ("invalid", "second", "a"),
    ]
    for number, (step, each) in enumerate(zip(steps, said, strict=True), 1):
        format_.record(both_orders(step, *each, number))
    assert format_.details()["order_consistency"] == pytest.approx(2 / 3)
    rows = [row for row in format_.pairings() if row["seq"] is not None]
    assert [row["order_consistent"] for row in rows] == [True, False, True, None]


# -- what is told -------------------------------------------------------------------------------


def test_every_pairing_and_bye_is_explained() -> None:
    run = Run(tournament(7, excused={"c06": [2]}), lambda step: "a").finish()
    rows = list(run.format.pairings())
    assert len(rows) == len(run.games) + 3  # two assigned byes and a requested one
    assert [row["round"] for row in rows] == sorted(row["round"] for row in rows)
    assert {row["why"] for row in rows if row["round"] == 1 and row["b"]} == {
        "first round: neighbours in the shuffle"
    }
    assert "bye: asked for" in {row["why"] for row in rows if row["b"] is None}
    assert any(row["why"].startswith("bye: the number is odd; lowest without a bye") for row in rows)
    floats = [row for row in rows if row["score_a"] != row["score_b"] and row["b"] is not None]
    assert floats
    assert all(row["why"].endswith("not met: the higher floats down") for row in floats)
    assert len({frozenset(row) for row in rows}) == 1, "all rows have the same columns"


def test_standings_rank_by_the_fit_and_show_the_score() -> None:
    run = Run(tournament(8, seed=1), lambda step: "a" if step.a < step.b else "b").finish()
    rows = run.format.standings()
    assert rows[0].id == "c00"
    assert {row.id: row.score for row in rows} == run.scores()
    ratings = [row.rating for row in rows]
    assert ratings == sorted(ratings, reverse=True)


def test_settings_of_the_preset_are_the_defaults() -> None:
    assert Run(tournament(8, preset="seed")).finish().games == Run(tournament(8)).finish().games
