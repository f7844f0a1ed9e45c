"""The console's own fits: the same as the engine's in every format, made beside it, of any earlier moment."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import Any

import pytest
from console_facts import act, entrant, ledger_of, play
from test_feed import fed

from arena_tui import Result, arun, load
from arena_tui.cockpit import run_cards
from arena_tui.cockpit.followed import FollowedSession
from arena_tui.console import fits
from arena_tui.console.entrants import placing
from arena_tui.console.fits import EVERY, Fits, fit_all, job_of, made
from arena_tui.console.ledger import Ledger
from arena_tui.engine.actions import Action
from arena_tui.engine.standstill import act_at_rest
from arena_tui.errors import RefusedAction, StoreError
from arena_tui.store.board_rows import Rules

FORMATS: dict[str, dict[str, Any]] = {
    "elo": {"format": "elo", "limits": {"matches": 24}},
    "adaptive": {"format": "adaptive", "limits": {"matches": 24}},
    "swiss": {"format": "swiss"},
    "pivot": {"format": "pivot"},
    "round_robin": {"format": "round_robin", "judge": {"orders": "both", "soft": True}},
    "knockout": {"format": {"kind": "knockout", "best_of": 3}},
}


def tournament(kind: str, **more: Any) -> Any:
    """Seven candidates, two of them of another class, before a judge that draws and fails at times."""
    settings = FORMATS[kind]
    judge = {"kind": "simulated", "mode": "pairwise", "draw_rate": 0.15, "invalid_rate": 0.05}
    rows = [{"id": f"c{n}", "text": f"text {n}", "class": "xy"[n > 4]} for n in range(7)]
    return load(
        {
            "candidates": rows,
            "stop": {"rule": "none"},
            "seed": 5,
            **settings,
            "judge": judge | settings.get("judge", {}),
            **more,
        }
    )


def told(result: Result) -> list[tuple[Any, ...]]:
    return [
        (row.id, row.rank, row.wins, row.draws, row.losses, row.rank_low, row.rank_high, row.p_best)
        for row in result.standings
    ]


def shown(ledger: Ledger) -> list[tuple[Any, ...]]:
    return [
        (each.id, each.rank, each.wins, each.draws, each.losses, each.rank_low, each.rank_high, each.p_best)
        for each in ledger.board()
    ]


@pytest.mark.parametrize("kind", FORMATS)
async def test_board_order_and_intervals_are_those_of_the_result(tmp_path: Path, kind: str) -> None:
    db = tmp_path / "run.db"
    result = await arun(tournament(kind), db=db)
    async with fed(db) as feed:
        await feed.open()
        assert feed.ledger.rules == Rules(kind, best_of=3 if kind == "knockout" else 1)
        last = feed.ledger.pos
        fit_all(feed.ledger)
        assert shown(feed.ledger) == told(result)
        for row in result.standings:
            found = feed.ledger.find("main", row.id)
            assert found is not None
            assert (found.low, found.high) == pytest.approx((row.low, row.high))
            assert found.figure == pytest.approx(row.rating)
        line = feed.ledger.match(feed.ledger.match_count - 1 if kind == "knockout" else 0)
        act_at_rest(db, Action("overrule", (str(line.seq), "a" if line.winner == "b" else "b")))
        again = await arun(tournament(kind), db=db)
        await feed.look()
        fit_all(feed.ledger)
        assert shown(feed.ledger) == told(again)
        then = await feed.at(last)
        assert [each.rating for each in then.entrants] == pytest.approx(
            [each.history[-1] if each.history else each.start for each in then.entrants]
        )
        assert shown(then) == told(result), "what was overruled later counts as it was said"


async def test_systems_are_shown_over_all_groups_with_the_text_of_each(tmp_path: Path) -> None:
    db = tmp_path / "run.db"
    rows = [
        {"text": f"{system} on {group}", "system": system, "group": group}
        for group in ("tea", "ale")
        for system in ("north", "south", "west")
    ]
    settings = tournament("adaptive", candidates=rows, compare="systems", limits={"matches": 12}, groups=None)
    result = await arun(settings, db=db)
    async with fed(db) as feed:
        await feed.open()
        fit_all(feed.ledger)
        ledger = feed.ledger
        assert (ledger.rules.dealt, ledger.several) == (True, False)
        assert [each.id for each in ledger.board()] == [row.id for row in result.standings]
        assert [each.p_best for each in ledger.board()] == [row.p_best for row in result.standings]
        line = ledger.match(0)
        record = await feed.match(line.group, line.seq)
        assert record is not None
        assert record.at == line.at
        assert (await feed.shown(record, record.a)).text == f"{record.a} on {record.at}"
        assert [(each.group, each.beginning) for each in await feed.texts_of("north")] == [
            ("tea", "north on tea"),
            ("ale", "north on ale"),
        ]
        north = ledger.find(line.group, "north")
        assert north is not None
        assert north.dealt is not None
        assert sum(map(sum, north.dealt.values())) == north.matches


def watched(ledger: Ledger, clock: list[float]) -> Fits:
    return Fits(lambda: clock[0])


def settled(keeper: Fits, ledger: Ledger) -> bool:
    """Wait for the work that was begun, then look."""
    if keeper._work is not None:
        keeper._work.join()
    return keeper.look(ledger)


def test_a_fit_is_made_when_something_changed_and_not_more_than_once_a_second() -> None:
    ledger = ledger_of([entrant("a"), entrant("b"), entrant("c")], 9, rules=Rules("adaptive"))
    clock = [0.0]
    keeper = watched(ledger, clock)
    assert not keeper.look(ledger)
    before = ledger.revision
    assert settled(keeper, ledger)
    assert ledger.revision > before
    assert ledger.groups["main"].lag == 0
    clock[0] += 60.0
    assert not keeper.look(ledger)
    assert keeper._work is None, "nothing has changed"
    play(ledger, 2, seed=4)
    keeper.look(ledger)
    assert settled(keeper, ledger)
    play(ledger, 1, seed=7)
    clock[0] += EVERY / 2
    keeper.look(ledger)
    assert keeper._work is None, "it is too soon"
    assert ledger.groups["main"].lag == 1
    clock[0] += EVERY
    keeper.look(ledger)
    assert settled(keeper, ledger)
    act(ledger, "reject", "a", "rejected")
    clock[0] += 2 * EVERY
    keeper.look(ledger)
    assert settled(keeper, ledger)
    gone = ledger.find("main", "a")
    assert gone is not None
    assert (gone.rank_low, gone.p_best) == (None, None)


def test_a_long_fit_is_followed_by_four_times_its_length_without_one() -> None:
    ledger = ledger_of([entrant("a"), entrant("b")], 5)
    clock = [0.0]
    keeper = watched(ledger, clock)
    keeper.look(ledger)
    assert keeper._work is not None
    keeper._work.join()
    keeper._work.took = 3.0
    assert keeper.look(ledger)
    play(ledger, 1)
    clock[0] = 11.9
    keeper.look(ledger)
    assert keeper._work is None
    clock[0] = 12.1
    keeper.look(ledger)
    assert settled(keeper, ledger)


def test_a_ledger_that_was_read_anew_keeps_the_last_fit_until_it_has_its_own() -> None:
    names = [entrant("a"), entrant("b"), entrant("c")]
    ledger, other = ledger_of(names, 9), ledger_of(names, 12)
    keeper = watched(ledger, [0.0])
    keeper.look(ledger)
    assert settled(keeper, ledger)
    known = [each.fitted for each in ledger.entrants]
    keeper.look(other)
    assert [each.fitted for each in other.entrants] == known
    assert other.groups["main"].lag == 3
    assert settled(keeper, other)
    assert other.groups["main"].lag == 0


def test_figures_that_give_no_fit_are_one_sentence(monkeypatch: pytest.MonkeyPatch) -> None:
    def refused(job: object) -> None:
        raise ValueError("not a number")

    monkeypatch.setattr(fits, "made", refused)
    ledger = ledger_of([entrant("a"), entrant("b")], 5)
    keeper = watched(ledger, [0.0])
    keeper.look(ledger)
    with pytest.raises(StoreError, match=r"no intervals: .*not a number"):
        settled(keeper, ledger)


def test_who_was_never_compared_may_yet_be_the_best() -> None:
    ledger = ledger_of([entrant("a"), entrant("b")], 6, rules=Rules("adaptive"))
    ledger.admit(entrant("new"))
    ledger.take_fit(made(job_of(ledger.groups["main"], 0.3)))
    new = ledger.find("main", "new")
    assert new is not None
    assert new.figure == new.fitted
    assert new.low is not None
    assert new.p_best is not None
    assert new.p_best > 0.0


@pytest.mark.parametrize(
    ("better", "worse"),
    [
        ({1: 1, 2: 1, 3: 1}, {1: 1, 2: 1, 3: -1}),  # champion, finalist
        ({1: 1, 2: 1, 3: -1}, {1: 1, 2: -1, 3: 1}),  # finalist, third
        ({1: 1, 2: -1, 3: 1}, {1: 1, 2: -1, 3: -1}),  # third, fourth
        ({1: 1, 2: -1}, {1: -1}),
        ({}, {1: -1}),  # a bye
        ({1: 0, 2: 1}, {1: 0}),  # level: the one of the two that passed
    ],
)
def test_a_knockout_ranks_by_how_far_one_came(better: dict[int, int], worse: dict[int, int]) -> None:
    assert placing(better, 3) > placing(worse, 3)


async def test_a_look_brings_fits_without_being_waited_for(tmp_path: Path) -> None:
    db = tmp_path / "run.db"
    await arun(tournament("adaptive"), db=db)
    async with fed(db) as feed:
        await feed.open()
        while feed.ledger.groups["main"].fit is None:
            assert not await feed.look()
            await asyncio.sleep(0)
        assert feed.ledger.board()[0].p_best is not None


async def test_the_list_of_runs_names_the_leader_that_the_board_has(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("ARENA_HOME", str(tmp_path))
    result = await arun(tournament("adaptive", name="plans"))
    cards = await asyncio.to_thread(run_cards.run_cards)
    assert [card.leader for card in cards] == [result.standings[0].title or result.standings[0].id]
    monkeypatch.setattr(run_cards, "LONG", 3)
    run_cards._read.clear()
    cards = await asyncio.to_thread(run_cards.run_cards)
    most = max(result.standings, key=lambda row: row.wins + row.draws / 2)
    assert cards[0].leader in {row.title or row.id for row in result.standings if row.wins >= most.wins - 1}


async def test_what_a_format_refuses_is_a_refused_action_with_its_sentence(tmp_path: Path) -> None:
    db = tmp_path / "run.db"
    await arun(tournament("knockout"), db=db)
    session = FollowedSession(db)
    with pytest.raises(RefusedAction, match="its winner has played on"):
        await session.act("overrule", "1", "draw")
    with pytest.raises(RefusedAction, match="plays a schedule of its own"):
        await session.act("focus", "c1")
