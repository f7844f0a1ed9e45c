"""The board and the status of formats that rate by a fit: their columns, their order, their stop rule."""

from __future__ import annotations

import pytest
from console_facts import PaneApp, entrant, ledger_of, play, screen_text, settled, view_of
from picture_run import PictureApp, run_screen

from arena_tui.console.fits import fit_all
from arena_tui.console.ledger import Ledger
from arena_tui.console.sure_words import certainty, sure_words
from arena_tui.console.view import RunView
from arena_tui.console.widgets.leaderboard import Leaderboard
from arena_tui.console.widgets.status import Status
from arena_tui.engine.confident import Sureness
from arena_tui.engine.state import GroupState, Terms
from arena_tui.store.board_rows import Rules

NAMES = ("alpha", "beta", "gamma", "delta", "epsilon", "zeta")
SURE = Sureness(0, 1, 0.91, 0.74, 0.11, True, 80, 96, 1, 0.95, 0.3)


def played(kind: str, matches: int = 40) -> Ledger:
    ledger = ledger_of([entrant(id_, start=0.0) for id_ in NAMES], matches, rules=Rules(kind))
    fit_all(ledger)
    return ledger


async def board(ledger: Ledger, width: int) -> tuple[str, set[str]]:
    pane = Leaderboard(view_of(ledger))
    app = PaneApp(pane)
    async with app.run_test(size=(width, 14)) as pilot:
        await settled(pilot)
        return screen_text(app), {place.column.id for place in pane.board.placed}


@pytest.mark.parametrize(
    ("kind", "own", "missing"),
    [
        ("swiss", {"points"}, {"BT", "w/c", "trend", "moved"}),
        ("round_robin", {"points"}, {"BT", "w/c"}),
        ("knockout", {"points"}, {"BT", "w/c"}),
        ("pivot", {"w/c"}, {"BT", "points"}),
        ("adaptive", set(), {"BT", "w/c", "points"}),
        ("elo", {"BT", "trend"}, {"w/c", "points"}),
    ],
)
async def test_each_format_has_its_columns(kind: str, own: set[str], missing: set[str]) -> None:
    text, columns = await board(played(kind), 120)
    assert own | {"rating", "interval", "range", "P(best)"} <= columns
    assert not missing & columns
    assert "W-D-L" in text


@pytest.mark.parametrize("kind", ["swiss", "pivot", "adaptive", "elo"])
async def test_half_a_screen_of_120_cells_has_range_and_chance_before_the_bar(kind: str) -> None:
    _, columns = await board(played(kind, 18), 60)
    assert {"range", "P(best)", "W-D-L"} <= columns
    assert "interval" not in columns


@pytest.mark.parametrize("kind", ["swiss", "pivot", "adaptive"])
async def test_range_chance_and_interval_have_room_on_80_cells(kind: str) -> None:
    ledger = played(kind)
    text, columns = await board(ledger, 80)
    assert {"range", "P(best)", "interval"} <= columns
    best = ledger.board()[0]
    row = next(line for line in text.splitlines() if best.title in line)
    assert "─●─" in row
    assert f"{best.fitted:.0f}" in row


async def test_a_rank_range_and_the_chance_to_be_best_are_told() -> None:
    ledger = played("adaptive")
    best = ledger.board()[0]
    text, _ = await board(ledger, 120)
    row = next(line for line in text.splitlines() if best.title in line)
    assert f"{best.rank_low}-{best.rank_high}" in row if best.rank_low != best.rank_high else "1" in row
    assert f"{100 * (best.p_best or 0):.0f}%" in row


async def test_in_elo_the_bar_is_on_a_scale_of_its_own_that_says_so() -> None:
    text, _ = await board(played("elo"), 120)
    assert " BT " in text.splitlines()[1]
    assert "Elo depends on the order of matches; BT does not" in Leaderboard.help_text


async def test_a_fit_that_lags_behind_is_told() -> None:
    ledger = played("adaptive")
    assert "fit of match" not in (await board(ledger, 120))[0]
    play(ledger, 3, seed=9)
    assert "fit of match 40" in (await board(ledger, 120))[0]
    fresh = ledger_of([entrant(id_) for id_ in NAMES], 5, rules=Rules("adaptive"))
    text, columns = await board(fresh, 120)
    assert "no fit yet" in text
    assert "interval" not in columns


def test_pivot_ranks_by_the_share_of_comparisons_won() -> None:
    ledger = played("pivot")
    shares = [each.share for each in ledger.board()]
    assert shares == sorted(shares, reverse=True, key=lambda share: share or 0.0)


def test_fitted_formats_rank_by_the_fit() -> None:
    ratings = [each.fitted for each in played("round_robin").board()]
    assert ratings == sorted(ratings, reverse=True, key=lambda rating: rating or 0.0)


# --- the status ----------------------------------------------------------------------------------------


async def status(view: RunView, size: tuple[int, int] = (58, 14)) -> str:
    app = PaneApp(Status(view, now=lambda: 0.0))
    async with app.run_test(size=size) as pilot:
        await settled(pilot)
        return " ".join(screen_text(app).replace("│", " ").split())


def test_the_distance_to_a_confident_stop_in_words() -> None:
    def named(index: int) -> str:
        return NAMES[index]

    assert sure_words(SURE, named, counted=True) == [
        "P(leader within 0.3) .91 of .95",
        "P(best) .74, runner-up beta .11",
        "comparisons 80, needs 96",
        "connected",
        "1 of 2 fits agree",
    ]
    strict = Sureness(0, 0, 0.9496, 0.9496, 0.0, False, 7, 6, 0, 0.95, None)
    assert sure_words(strict, named, counted=False) == [
        "P(leader is the best) .950 of .950",
        "comparisons 7, needs 6",
        "not all connected",
    ]


async def test_a_driven_run_tells_what_its_last_look_found() -> None:
    view = view_of(played("adaptive"))
    view.state.groups["main"].sureness = (SURE,)
    text = await status(view)
    assert "to stop P(leader within 0.3) .91 of .95; P(best) .74, runner-up Beta .11;" in text
    assert "comparisons 80, needs 96; connected; 1 of 2 fits agree" in text


async def test_a_followed_run_tells_what_the_fit_here_says() -> None:
    view = view_of(played("adaptive"))
    view.session.drives = False
    view.state.groups["main"].terms = Terms(0.95, 0.3, 3)
    text = await status(view)
    assert "P(leader within 0.3)" in text
    assert "comparisons 4" in text or "comparisons 3" in text
    assert ", needs 18; connected" in text
    assert "fits agree" not in text
    found = certainty(view.state.groups["main"], view.ledger.groups["main"])
    front = view.ledger.groups["main"].fit
    assert found is not None
    assert front is not None
    assert found.furthest.probability == front.fronts[0].p_near


def test_without_a_fit_or_a_rule_there_is_no_distance() -> None:
    fresh = ledger_of([entrant("a"), entrant("b")], rules=Rules("adaptive")).groups["main"]
    assert certainty(GroupState("main", terms=Terms(0.95, 0.3, 3)), fresh) is None
    assert certainty(GroupState("main"), played("adaptive").groups["main"]) is None


async def test_of_several_groups_the_least_sure_is_told() -> None:
    view = view_of(ledger_of([entrant("alpha"), entrant("beta")], rules=Rules("adaptive")))
    near = Sureness(0, 1, 0.94, 0.9, 0.1, True, 96, 96, 0, 0.95, 0.3)
    view.state.groups = {
        "near": GroupState("near", sureness=(near,)),
        "far": GroupState("far", sureness=(SURE,)),
        "done": GroupState("done", sureness=(SURE,), stop_reason="CONFIDENT"),
    }
    text = await status(view)
    assert "1 of 3 groups ended: 1 CONFIDENT" in text
    assert "furthest far: P(leader within 0.3) .91 of .95" in text


async def test_the_round_and_the_matches_of_a_schedule_are_told() -> None:
    view = view_of(played("swiss"), a=40, match_limit=100, started=40)
    view.state.groups["main"] = GroupState("main", applied=40, expected=496, phase="round 2 of 5")
    assert "stage round 2 of 5, 40 of 496 matches" in await status(view)
    view.state.match_limit = None
    view.state.touch()
    text = await status(view)
    assert "40 of 496" in text.split("stage")[0], "a gauge tells them"
    assert "stage round 2 of 5" in text


async def test_rounds_of_several_groups_are_counted() -> None:
    view = view_of(played("swiss"))
    view.state.groups = {
        str(number): GroupState(str(number), phase=f"round {1 + number % 2} of 3") for number in range(5)
    }
    assert "stage round 1 of 3 in 3 groups, round 2 of 3 in 2 groups" in await status(view)


async def test_a_pause_after_a_round_says_so() -> None:
    view = view_of(played("swiss"), phase="paused", pause_reason="round 2 of group main is finished")
    assert "PAUSED round 2 is finished; nothing in flight" in await status(view)


async def test_what_a_confident_stop_claims_is_told_in_help() -> None:
    assert "speaks of this judge's noise" in Status.help_text
    assert "not whether the judge is right" in Status.help_text


async def test_the_sentence_of_a_format_that_refuses_an_action_is_on_the_screen() -> None:
    screen = run_screen()
    screen.view.session.refuse = "its winner has played on in round 2"  # type: ignore[attr-defined]
    app = PictureApp(screen)
    async with app.run_test(size=(120, 40)) as pilot:
        await pilot.pause()
        screen.act("overrule", "1", "draw")
        for _ in range(200):
            await pilot.pause(0.02)
            if any("its winner has played on in round 2" in each.message for each in app._notifications):
                return
    raise AssertionError("the sentence is not on the screen")


@pytest.mark.parametrize(
    ("reason", "told"),
    [
        ("CONFIDENT", "2 held verdicts not on the board: they came after the end"),
        ("COMPLETED", "2 held verdicts not on the board: they came after the end"),
        ("EXTERNAL", "2 held verdicts not on the board: they count when it goes on"),
        ("BUDGET", "2 held verdicts not on the board: the final table counts them"),
    ],
)
async def test_what_becomes_of_held_verdicts_depends_on_why_it_stopped(reason: str, told: str) -> None:
    view = view_of(played("adaptive"), phase="stopped", stop_reason=reason, held=2)
    assert told in await status(view)


async def test_the_footer_says_what_the_pause_key_does_now() -> None:
    app = PictureApp(run_screen())
    async with app.run_test(size=(120, 36)) as pilot:
        await pilot.pause(0.3)
        assert "space pause" in screen_text(app)
        await pilot.press("space")
        await pilot.pause(0.3)
        assert "space go on" in screen_text(app)
        assert "space pause" not in screen_text(app)
