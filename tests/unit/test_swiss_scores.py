"""Scores, meetings and byes of a Swiss pairing, on recorded tournaments; and who stands in which slot."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from arena_tui.formats.swiss_pairing import pair_round
from arena_tui.formats.swiss_scores import ScoreSheet

REFERENCE = Path(__file__).parents[3] / "shared" / "data" / "swiss_reference"
needs_reference = pytest.mark.skipif(
    not REFERENCE.is_dir(), reason="the shared data is not beside this checkout"
)


def rows(name: str) -> list[dict[str, Any]]:
    return [json.loads(line) for line in (REFERENCE / name).read_text(encoding="utf-8").splitlines() if line]


def fill(sheet: ScoreSheet, game: dict[str, Any]) -> None:
    """Take one recorded game; players are numbers from 1."""
    a = game["a"] - 1
    match game["kind"]:
        case "played":
            sheet.played(a, game["b"] - 1, game["score_a"], game["score_b"])
        case "forfeit":
            sheet.forfeited(a, game["b"] - 1, game["score_a"], game["score_b"])
        case kind:
            sheet.idle(a, game["score_a"], assigned=kind == "bye_full_paired")


@needs_reference
@pytest.mark.parametrize("name", ["fide_exercise_9", "fide_many_unplayed", "fide_round_robin"])
def test_recorded_tournaments_have_their_recorded_scores_and_byes(name: str) -> None:
    [told] = [row for row in rows("tournaments.jsonl") if row["tournament"] == name]
    games = [row for row in rows("games.jsonl") if row["tournament"] == name]
    sheet = ScoreSheet(told["players"])
    for game in games:
        if game["kind"] == "played":
            assert game["b"] - 1 not in sheet.met[game["a"] - 1], "no rematch was recorded"
        fill(sheet, game)
    assert {str(i + 1): score for i, score in enumerate(sheet.scores)} == told["points"]
    assert sum(byes > 1 for byes in sheet.byes) == told["players_with_two_paired_byes"]
    assert sum(sheet.byes) == sum(game["kind"] == "bye_full_paired" for game in games)
    met = {frozenset((a + 1, b + 1)) for a, others in enumerate(sheet.met) for b in others}
    assert met == {frozenset((game["a"], game["b"])) for game in games if game["kind"] == "played"}


@needs_reference
def test_a_forfeited_pair_may_meet_later() -> None:
    games = [row for row in rows("games.jsonl") if row["tournament"] == "fide_many_unplayed"]
    again = 0
    sheet = ScoreSheet(15)
    for at, game in enumerate(games):
        fill(sheet, game)
        if game["kind"] == "forfeit":
            a, b = game["a"] - 1, game["b"] - 1
            assert b not in sheet.met[a]
            again += any({later["a"], later["b"]} == {a + 1, b + 1} for later in games[at + 1 :])
    assert again == 4


@needs_reference
@pytest.mark.parametrize("name", ["fide_exercise_9", "fide_many_unplayed"])
def test_every_recorded_position_has_a_legal_next_round(name: str) -> None:
    [told] = [row for row in rows("tournaments.jsonl") if row["tournament"] == name]
    games = [row for row in rows("games.jsonl") if row["tournament"] == name]
    players = range(told["players"])
    sheet = ScoreSheet(told["players"])
    for number in range(1, told["rounds_played"] + 1):
        away = {g["a"] - 1 for g in games if g["round"] == number and g["kind"] in ("absent", "bye_half")}
        order = sorted(set(players) - away, key=lambda player: (-sheet.scores[player], player))
        found = pair_round(order, sheet.scores, sheet.met, sheet.byes)
        assert found is not None
        assert all(other not in sheet.met[one] for one, other in found.pairs)
        assert 2 * len(found.pairs) + (found.bye is not None) == len(order)
        assert found.bye is None or sheet.byes[found.bye] == 0
        for game in games:
            if game["round"] == number:
                fill(sheet, game)


def test_a_requested_bye_does_not_bar_an_assigned_one() -> None:  # S5
    sheet = ScoreSheet(2)
    sheet.idle(0, 0.5, assigned=False)
    sheet.idle(1, 0.5, assigned=True)
    assert sheet.scores == [0.5, 0.5]
    assert sheet.byes == [0, 1]


def test_slot_one_goes_to_who_stood_there_less_often() -> None:
    sheet = ScoreSheet(3)
    assert sheet.first_of(0, 1) is None
    sheet.stood(0, 1, both=False)
    assert sheet.first_of(0, 1) == sheet.first_of(1, 0) == 1
    assert sheet.first_of(0, 2) == 2
    assert sheet.first_of(1, 2) == 1


def test_nobody_has_a_slot_three_times_in_a_row_unless_both_had_it_twice() -> None:
    sheet = ScoreSheet(6)
    for other in (1, 2):
        sheet.stood(0, other, both=False)  # 0: first, first
    for first in (3, 4, 5):
        sheet.stood(first, 1, both=False)  # 1: second four times
    sheet.stood(1, 3, both=False)
    sheet.stood(1, 4, both=False)  # 1: first twice, second four times
    assert sheet.balance[:2] == [2, -2]
    assert sheet.first_of(0, 1) == 1  # both had it twice: who stood first less often
    sheet.stood(0, 5, both=True)  # both orders end a row
    sheet.stood(0, 5, both=False)
    assert sheet.first_of(0, 1) == 0  # a third in a row of 1 weighs more than the balance
