"""The knockout as a format: brackets that advance, what is flagged, what people may still change."""

from __future__ import annotations

from collections import Counter
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from schedule_runs import Driven, Judge, by_seed, lower_wins, pool

from arena_tui.candidate import Candidate, Group
from arena_tui.facts import Match
from arena_tui.formats.bracket import rounds_for
from arena_tui.formats.knockout import KnockoutTournament
from arena_tui.settings import KnockoutFormat
from arena_tui.vocabulary import Winner


def rated(n: int, **fields: Any) -> Group:
    """c0 is the first seed, c1 the second ..."""
    return Group("main", tuple(Candidate(f"c{i}", f"t{i}", rating=2000.0 - i, **fields) for i in range(n)))


def knockout(
    group: Group | int, *, seed: int = 1, orders: Any = "alternate", **options: Any
) -> KnockoutTournament:
    group = rated(group) if isinstance(group, int) else group
    return KnockoutTournament(group, KnockoutFormat(**options), seed=seed, orders=orders)


def bracket(format_: KnockoutTournament, class_: str = "") -> dict[str, Any]:
    found: dict[str, Any] = format_.details()["brackets"][class_]
    return found


def meetings(steps: list[Match]) -> list[tuple[int | None, set[str]]]:
    return [(step.round, {step.a, step.b}) for step in steps]


def says(*winners: Winner) -> Judge:
    """These verdicts by step, from the first; then the lower wins."""
    return lambda step: winners[step.seq - 1] if step.seq <= len(winners) else lower_wins(step)


def wins(*ids: str) -> Judge:
    """By step, who wins it; then the lower."""
    return lambda step: (
        ("a" if ids[step.seq - 1] == step.a else "b") if step.seq <= len(ids) else lower_wins(step)
    )


# -- the bracket --------------------------------------------------------------------------------


def test_eight_play_three_rounds_and_for_the_third_place() -> None:
    format_ = knockout(8)
    driven = Driven(format_).finish()
    assert meetings(driven.steps) == [
        (1, {"c0", "c7"}),
        (1, {"c3", "c4"}),
        (1, {"c1", "c6"}),
        (1, {"c2", "c5"}),
        (2, {"c0", "c3"}),
        (2, {"c1", "c2"}),
        (3, {"c0", "c1"}),
        (3, {"c3", "c2"}),
    ]
    told = bracket(format_)
    assert (told["champion"], told["third"]) == ("c0", "c2")
    assert told["seeds"] == [f"c{i}" for i in range(8)]
    assert [len(duels) for duels in told["rounds"]] == [4, 2, 2]
    assert told["rounds"][2][1] == {
        "a": "c3",
        "b": "c2",
        "winner": "c2",
        "games": [{"seq": 8, "winner": "c2"}],
        "flag": None,
        "third_place": True,
    }
    assert driven.steps[0].why == "round 1 of 3: seed 1 v seed 8"
    assert driven.steps[7].why == "third place: seed 3 v seed 4"


@pytest.mark.parametrize("n", [2, 3, 4, 5, 7, 8, 9, 16, 21])
@pytest.mark.parametrize("third_place", [True, False])
def test_everybody_but_the_champion_loses_once(n: int, third_place: bool) -> None:
    format_ = knockout(n, third_place=third_place)
    expected = format_.progress().expected
    steps = Driven(format_).finish().steps
    assert expected == len(steps) == n - 1 + (third_place and n >= 4)
    assert max(step.round or 0 for step in steps) == rounds_for(n)
    assert bracket(format_)["champion"] == "c0"
    assert bracket(format_)["third"] == ("c2" if n == 3 or (third_place and n > 3) else None)


def test_byes_go_to_the_best_seeds_and_are_told() -> None:
    format_ = knockout(5)
    driven = Driven(format_)
    assert [{s.a, s.b} for s in driven.plan()] == [{"c3", "c4"}]
    byes = [(row["round"], row["a"]) for row in format_.pairings() if row["b"] is None]
    assert byes == [(1, "c0"), (1, "c1"), (1, "c2")]
    assert [duel["flag"] for duel in bracket(format_)["rounds"][0]] == ["bye", None, "bye", "bye"]


def test_seeding_by_rating_or_by_the_seed() -> None:
    mixed = Group(
        "main",
        tuple(Candidate(f"c{i}", f"t{i}", rating=r) for i, r in enumerate((None, 1200.0, None, 1500.0))),
    )
    assert bracket(knockout(mixed))["seeds"][:2] == ["c3", "c1"]
    assert {tuple(bracket(knockout(mixed, seed=s))["seeds"][2:]) for s in range(20)} == {
        ("c0", "c2"),
        ("c2", "c0"),
    }
    drawn = {tuple(bracket(knockout(4, seed=s, seeding="random"))["seeds"]) for s in range(200)}
    assert len(drawn) == 24
    assert len({tuple(bracket(knockout(pool(4), seed=s))["seeds"]) for s in range(200)}) == 24


def test_standings_follow_the_bracket_then_the_fit() -> None:
    format_ = knockout(8)
    driven = Driven(format_).finish()
    rows = format_.standings()
    assert [row.id for row in rows][:4] == ["c0", "c1", "c2", "c3"]
    assert [row.score for row in rows] == [3, 2, 1, 1, 0, 0, 0, 0]
    out = [row.rating for row in rows[4:]]
    assert out == sorted(out, reverse=True)
    upset = knockout(4)
    Driven(upset, wins("c3", "c2", "c2", "c0")).finish()
    assert [row.id for row in upset.standings()] == ["c2", "c3", "c0", "c1"]
    assert driven.format.leaders(1).top[0][0] == "c0"


def test_a_bye_is_no_round_won_and_a_walkover_is_one() -> None:
    format_ = knockout(3)
    driven = Driven(format_)
    driven.round()
    assert [(row.id, row.score) for row in format_.standings()] == [("c1", 1), ("c0", 0), ("c2", 0)]
    driven.plan()
    driven.act("reject", "c1")
    driven.finish()
    assert [(row.id, row.score) for row in format_.standings()] == [("c0", 1), ("c2", 0), ("c1", 1)]


def test_those_still_in_stand_before_those_out() -> None:
    driven = Driven(knockout(4))
    driven.plan()
    driven.apply()
    assert [row.id for row in driven.format.standings()] == ["c0", "c1", "c2", "c3"]
    assert [row.score for row in driven.format.standings()] == [1, 0, 0, 0]


def test_each_class_has_a_bracket_and_rounds_are_planned_together() -> None:
    group = Group(
        "main",
        tuple(
            Candidate(f"c{i}", f"t{i}", rating=2000.0 - i, class_=class_)
            for i, class_ in enumerate("xxxxxyyz")
        ),
    )
    driven = Driven(knockout(group))
    assert [{s.a, s.b} for s in driven.plan()] == [{"c3", "c4"}, {"c5", "c6"}]
    driven.finish()
    told = driven.format.details()["brackets"]
    assert {c: told[c]["champion"] for c in told} == {"x": "c0", "y": "c5", "z": "c7"}
    assert [len(told[c]["rounds"]) for c in told] == [3, 1, 0]


# -- meetings -----------------------------------------------------------------------------------


def test_a_best_of_three_ends_early_and_slots_take_turns() -> None:
    format_ = knockout(2, best_of=3)
    driven = Driven(format_, wins("c0", "c1", "c0"))
    assert len(driven.plan()) == 2
    steps = driven.finish().steps
    assert len(steps) == 3
    assert steps[0].a == steps[1].b == steps[2].a
    assert [step.why for step in steps][2] == "round 1 of 1: seed 1 v seed 2, game 3 of 3"
    assert bracket(format_)["champion"] == "c0"
    assert len(Driven(knockout(2, best_of=3)).finish().steps) == 2
    assert len(Driven(knockout(2, best_of=5)).finish().steps) == 3


def test_further_games_follow_as_soon_as_a_meeting_needs_them() -> None:
    driven = Driven(knockout(4, best_of=3), wins("c0", "c3"))
    assert len(driven.plan()) == 4
    driven.apply()
    assert driven.plan() == []
    driven.apply()
    assert [{s.a, s.b} for s in driven.plan()] == [{"c0", "c3"}]
    assert len(driven.waiting) == 3  # the other meeting is still being played


def test_a_draw_is_followed_by_one_more_game_in_the_other_order() -> None:
    format_ = knockout(2)
    driven = Driven(format_, says("draw", "a")).finish()
    first, second = driven.steps
    assert (first.a, first.b) == (second.b, second.a)
    assert second.why.endswith("level: one more game")
    assert bracket(format_)["champion"] == second.a
    assert bracket(format_)["rounds"][0][0]["flag"] is None


def test_level_twice_lets_the_higher_seed_pass_flagged() -> None:
    format_ = knockout(2)
    assert len(Driven(format_, says("draw", "draw")).finish().steps) == 2
    assert bracket(format_)["champion"] == "c0"
    assert bracket(format_)["rounds"][0][0]["flag"] == "level: higher seed passes"


def test_a_void_match_is_asked_once_more_then_the_higher_seed_passes_flagged() -> None:
    format_ = knockout(2)
    driven = Driven(format_, says("void", "b")).finish()
    first, again = driven.steps
    assert (first.a, first.b) == (again.a, again.b)
    assert again.why.endswith("void: asked again")
    assert bracket(format_)["champion"] == again.b
    both = knockout(4)
    Driven(both, lambda step: "void").finish()
    told = bracket(both)
    assert (told["champion"], told["third"]) == ("c0", "c2")
    assert {duel["flag"] for duels in told["rounds"] for duel in duels} == {"void: higher seed passes"}
    assert {game["winner"] for duels in told["rounds"] for duel in duels for game in duel["games"]} == {
        "void"
    }


def test_given_order_and_both_orders() -> None:
    steps = Driven(knockout(4, best_of=3, orders="given")).finish().steps
    assert all(step.a < step.b for step in steps)
    assert {s.orders for s in Driven(knockout(4, orders="both")).finish().steps} == {("ab", "ba")}


def test_a_coin_decides_who_stands_first() -> None:
    firsts = Counter(knockout(2, seed=seed).next_steps(1)[0].a for seed in range(200))
    assert 70 < firsts["c0"] < 130


@settings(max_examples=40)
@given(st.integers(0, 2**32), st.integers(1, 20), st.sampled_from([1, 3, 5]))
def test_a_bracket_always_has_a_champion_that_lost_no_meeting(seed: int, n: int, best_of: int) -> None:
    format_ = knockout(n, seed=seed, best_of=best_of)
    Driven(format_, by_seed(seed)).finish()
    told = bracket(format_)
    duels = [duel for duels in told["rounds"] for duel in duels if not duel["third_place"]]
    assert told["champion"] is not None
    for duel in duels:
        assert duel["winner"] in (duel["a"], duel["b"])
        assert told["champion"] not in (duel["a"], duel["b"]) or duel["winner"] == told["champion"]
    losers = [{duel["a"], duel["b"]} - {duel["winner"], None} for duel in duels]
    assert Counter(id_ for ids in losers for id_ in ids) == dict.fromkeys(
        set(told["seeds"]) - {told["champion"]}, 1
    )


# -- what people change -------------------------------------------------------------------------


def test_who_meets_a_rejected_one_passes() -> None:
    format_ = knockout(4)
    driven = Driven(format_)
    driven.plan()
    driven.act("reject", "c0")
    driven.finish()
    told = bracket(format_)
    assert told["rounds"][0][0] == {
        "a": "c0",
        "b": "c3",
        "winner": "c3",
        "games": [{"seq": 1, "winner": "void"}],
        "flag": "walkover",
        "third_place": False,
    }
    assert told["champion"] == "c1"
    assert told["third"] == "c2"  # the other semi-final had no loser
    assert [row.id for row in format_.standings()] == ["c1", "c3", "c2", "c0"]


def test_a_winner_that_is_rejected_before_the_next_round_lets_its_opponent_pass() -> None:
    driven = Driven(knockout(4))
    driven.plan()
    driven.apply()
    driven.act("reject", "c0")
    driven.apply()
    assert meetings(driven.plan())[0] == (2, {"c1", "c3"})


def test_a_rejected_one_is_not_replaced_in_a_round_that_has_begun() -> None:
    driven = Driven(knockout(8))
    driven.round()
    driven.plan()
    driven.act("reject", "c0")
    driven.finish()
    told = bracket(driven.format)  # type: ignore[arg-type]
    assert told["rounds"][0][0]["winner"] == "c0"
    assert told["rounds"][1][0]["winner"] == "c3"
    assert told["champion"] == "c1"


def test_two_rejected_in_one_meeting_give_the_next_a_walkover() -> None:
    format_ = knockout(8)
    driven = Driven(format_)
    driven.plan()
    driven.act("reject", "c3")
    driven.act("reject", "c4")
    driven.finish()
    second = bracket(format_)["rounds"][1]
    assert (second[0]["a"], second[0]["b"], second[0]["flag"]) == ("c0", None, "walkover")
    assert ("c0", "bye: nobody is left to meet it") in [
        (row["a"], row["why"]) for row in format_.pairings() if row["round"] == 2
    ]
    assert bracket(format_)["champion"] == "c0"


def test_a_final_that_nobody_needs_to_play_still_has_a_champion() -> None:
    format_ = knockout(4, third_place=False)
    driven = Driven(format_)
    driven.plan()
    driven.act("reject", "c1")
    driven.act("reject", "c2")
    driven.finish()
    assert bracket(format_)["champion"] == "c0"
    assert len(driven.steps) == 2
    assert format_.standings()[0].id == "c0"


def test_a_champion_that_is_rejected_leaves_its_place_to_the_finalist() -> None:
    format_ = knockout(4)
    driven = Driven(format_).finish()
    driven.act("reject", "c0")
    assert bracket(format_)["champion"] == format_.standings()[0].id == "c1"


def test_nobody_joins_a_bracket_that_is_drawn() -> None:
    driven = Driven(knockout(4))
    assert driven.act("add", added=Candidate("c4", "in time", rating=1.0)) is None
    driven.act("reject", "c3")
    assert driven.act("restore", "c3") is None
    driven.plan(1)
    late = driven.act("add", added=Candidate("c5", "late"))
    assert late == "the bracket is drawn and takes nobody in: start a new run, or use format swiss"
    assert driven.act("add", added=Candidate("c6", "t1", twin_of="c1")) is None
    driven.act("reject", "c3")
    assert "drawn" in (driven.act("restore", "c3") or "")


def test_an_overrule_before_the_next_round_changes_who_passes() -> None:
    driven = Driven(knockout(4))
    driven.plan()
    first = driven.apply()
    assert driven.act("overrule", seq=1, winner="a" if first.step.a == "c3" else "b") is None
    driven.apply()
    assert meetings(driven.plan()) == [(2, {"c1", "c3"}), (2, {"c0", "c2"})]


def test_an_overrule_is_refused_once_the_winner_has_played_on() -> None:
    driven = Driven(knockout(4))
    driven.round()
    driven.plan()
    assert driven.act("overrule", seq=2, winner="draw") == (
        "its winner has played on in round 2, which is drawn: a match can be overruled until then"
    )


def test_an_overrule_to_a_draw_asks_for_one_more_game() -> None:
    driven = Driven(knockout(4))
    driven.plan()
    driven.apply()
    driven.act("overrule", seq=1, winner="draw")
    assert [(step.seq, {step.a, step.b}) for step in driven.plan()] == [(3, {"c0", "c3"})]
    driven.act("overrule", seq=1, winner="a")
    driven.apply()
    driven.apply()
    first = bracket(driven.format)["rounds"][0][0]  # type: ignore[arg-type]
    assert first["winner"] == driven.steps[0].a  # the game that was asked for decides nothing


def test_an_overrule_that_decides_takes_back_a_game_not_yet_planned() -> None:
    driven = Driven(knockout(2), says("draw"))
    driven.plan()
    driven.apply()
    driven.act("overrule", seq=1, winner="a")
    assert driven.plan() == []
    assert driven.format.finished() == "COMPLETED"


def test_the_final_can_be_overruled_at_the_end() -> None:
    format_ = knockout(4)
    driven = Driven(format_).finish()
    final = driven.steps[2]
    assert driven.act("overrule", seq=3, winner="a" if final.a == "c1" else "b") is None
    assert bracket(format_)["champion"] == "c1"
    assert [row.id for row in format_.standings()] == ["c1", "c0", "c2", "c3"]


def test_progress_counts_the_least_that_must_follow() -> None:
    driven = Driven(knockout(8, best_of=3))
    assert driven.format.progress().expected == 16
    driven.round()
    assert driven.format.progress().phase == "round 1 of 3"
    driven.plan()
    assert driven.format.progress().phase == "round 2 of 3"
    assert driven.finish().format.progress().expected == 16
