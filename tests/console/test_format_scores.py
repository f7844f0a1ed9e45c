"""What the board counts beside ratings is what the result counts: points with byes, rounds won."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from test_feed import fed

from arena_tui import Result, arun, load
from arena_tui.candidate import Candidate
from arena_tui.console.fits import fit_all
from arena_tui.console.format_scores import SCORE_HEADINGS, rounds_won
from arena_tui.engine.actions import Action
from arena_tui.engine.standstill import act_at_rest
from arena_tui.report.tables import SCORES


def tournament(size: int, seed: int, *, noise: float = 0.1, **chosen: Any) -> Any:
    """Entrants before a judge that draws and, rarer, fails."""
    return load(
        {
            "candidates": [{"id": f"c{n}", "text": f"text {n}"} for n in range(size)],
            "judge": {"kind": "simulated", "mode": "pairwise", "draw_rate": 2 * noise, "invalid_rate": noise},
            "stop": {"rule": "none"},
            "limits": {"concurrency": 1},
            "seed": seed,
            "format": chosen,
        }
    )


async def assert_the_board_counts_as(result: Result, db: Path) -> None:
    async with fed(db) as feed:
        await feed.open()
        fit_all(feed.ledger)
        board = {each.id: each for each in feed.ledger.board() if each.rank}
        assert {id_: each.score for id_, each in board.items()} == {
            row.id: row.score for row in result.standings
        }
        assert list(board) == [row.id for row in result.standings]


def test_the_headings_are_those_of_the_final_table() -> None:
    assert {kind: SCORES[kind] for kind in SCORE_HEADINGS} == SCORE_HEADINGS


@pytest.mark.parametrize("seed", range(3))
async def test_points_of_a_swiss_have_byes_asked_for_or_not_and_those_of_a_late_entrant(
    tmp_path: Path, seed: int
) -> None:
    db = tmp_path / "run.db"
    settings = tournament(7, seed, kind="swiss", rounds=4, bye_points=0.25, excused={"c1": [2], "c4": [2, 4]})
    await arun(settings, db=db, limits__matches=4)
    late = Candidate("late", "a late text", group="main")
    act_at_rest(db, Action("add", ("late.jsonl",), candidates=(late,)))
    await arun(settings, db=db, limits__matches=8)
    act_at_rest(db, Action("reject", ("c5",)))
    result = await arun(settings, db=db, limits__matches=None)
    assert result.stop_reason == "COMPLETED"
    assert len({row.score for row in result.standings}) > 2
    await assert_the_board_counts_as(result, db)


async def test_a_bye_counts_once_only_one_is_left_without_a_match(tmp_path: Path) -> None:
    db = tmp_path / "run.db"
    settings = tournament(7, 1, kind="swiss")
    for applied, byes in ((2, 0), (3, 1), (5, 1), (6, 2)):
        await arun(settings, db=db, limits__matches=applied)
        async with fed(db) as feed:
            await feed.open()
            board = feed.ledger.board()
            assert sum(each.score - each.rating - 0.5 * each.voids for each in board) == 0.5 * byes
            assert (await feed.at(0)).board()[0].score == 0


@pytest.mark.parametrize("size", [5, 6, 8])
@pytest.mark.parametrize("best_of", [1, 3])
async def test_rounds_won_in_a_knockout_are_those_of_the_result(
    tmp_path: Path, size: int, best_of: int
) -> None:
    db = tmp_path / "run.db"
    result = await arun(tournament(size, 3, noise=0, kind="knockout", best_of=best_of), db=db)
    assert result.stop_reason == "COMPLETED"
    await assert_the_board_counts_as(result, db)


def test_a_round_is_won_once_it_is_decided_and_passed_by_who_plays_on() -> None:
    assert rounds_won({1: 1}, {1: 1}, 3) == 0
    assert rounds_won({1: 2}, {1: 2}, 3) == 1
    assert rounds_won({1: 1, 2: 1, 3: -1}, {1: 1, 2: 1, 3: 1}, 1) == 2
    assert rounds_won({2: 1}, {2: 1}, 1) == 1, "a bye is no round won"
    assert rounds_won({1: 0, 2: 1}, {1: 0, 2: 1}, 1) == 2, "void, and the higher seed passed"
    assert rounds_won({1: 1, 2: -1, 3: 1}, {1: 1, 2: 1, 3: 1}, 1) == 1, "then the third place"
    assert rounds_won({1: 1}, {1: 1, 2: -1}, 1) == 2, "a walkover"
