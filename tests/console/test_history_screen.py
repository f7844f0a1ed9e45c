"""The rating history: its curves and marks, and the slider that shows the run at an earlier moment."""

from __future__ import annotations

import random

import pytest
from console_facts import HOSTILE_KINDS, act, entrant, ledger_of, play, screen_text, settled, view_of
from screen_app import ScreenApp
from textual.widget import Widget

from arena_tui.console.actions import ACTS
from arena_tui.console.fits import fit_all
from arena_tui.console.glyphs import ASCII, UNICODE, Glyphs
from arena_tui.console.ledger import Ledger
from arena_tui.console.moments import Moments, leading
from arena_tui.console.screens.history import HistoryScreen
from arena_tui.console.widgets.lineage_rows import LineageRows
from arena_tui.console.widgets.time_slider import MomentRows, TimeSlider
from arena_tui.errors import ArenaError
from arena_tui.store.board_rows import ActFact, EntrantFact, MatchFact, Rules


def family() -> list[EntrantFact]:
    rng = random.Random(5)
    return [
        entrant(
            f"i{number}",
            generation=number // 4,
            parent_ids=(f"i{rng.randrange(number)}",) if number > 3 else (),
        )
        for number in range(12)
    ]


def earlier(matches: int) -> Ledger:
    return ledger_of(family(), matches)


class Earlier(dict[int, Ledger]):
    """Every moment of the family's run; its keys are those that were asked for."""

    def __missing__(self, pos: int) -> Ledger:
        self[pos] = earlier(pos)
        return self[pos]


def shown(matches: int = 100, *, glyphs: Glyphs = UNICODE) -> ScreenApp:
    view = view_of(earlier(matches))
    view.glyphs = glyphs
    view.facts.earlier = Earlier()
    return ScreenApp(HistoryScreen(view))


def board_of(app: ScreenApp) -> list[tuple[str, int]]:
    return [(each.id, round(each.rating)) for each in app.shown.query_one(MomentRows).shown]


def standings(ledger: Ledger) -> list[tuple[str, int]]:
    return [(each.id, round(each.rating)) for each in ledger.board("main")]


@pytest.mark.parametrize("size", [(80, 24), (200, 60), (60, 20)])
@pytest.mark.parametrize("glyphs", [UNICODE, ASCII])
async def test_it_shows_curves_legend_slider_board_and_lineage(size: tuple[int, int], glyphs: Glyphs) -> None:
    app = shown(glyphs=glyphs)
    async with app.run_test(size=size) as pilot:
        await settled(pilot)
        text = screen_text(app)
        best = app.shown.view.ledger.board("main")[0]
        assert f"A {best.title}" in text
        assert f"{best.rating:.0f}" in text
        assert "now: after 100 matches" in text
        assert "Board, now" in text
        assert "Lineage, now" in text
        if glyphs is ASCII:
            assert not any("\u2800" <= char <= "\u28ff" for char in text)
            assert "AAA" in text
        else:
            assert any("\u2800" < char <= "\u28ff" for char in text)


async def test_left_goes_one_match_back_and_shows_board_and_lineage_as_they_were() -> None:
    app = shown()
    async with app.run_test(size=(120, 40)) as pilot:
        await settled(pilot)
        await pilot.press("left")
        await settled(pilot)
        assert "after match 99 of 100: " in screen_text(app)
        assert board_of(app) == standings(earlier(99))
        assert "Lineage, after match 99" in screen_text(app)
        await pilot.press("left")
        await settled(pilot)
        assert board_of(app) == standings(earlier(98))
        await pilot.press("right", "right")
        await settled(pilot)
        assert "now: after 100 matches" in screen_text(app)
        assert board_of(app) == standings(earlier(100))


async def test_shift_goes_a_tenth_and_never_beyond_the_ends() -> None:
    app = shown()
    async with app.run_test(size=(120, 40)) as pilot:
        await settled(pilot)
        await pilot.press("shift+left")
        await settled(pilot)
        assert app.shown.moment == 90
        await pilot.press(*["shift+left"] * 12)
        await settled(pilot)
        assert "the start, before the first of 100 matches" in screen_text(app)
        assert board_of(app) == standings(earlier(0))
        await pilot.press("end")
        await settled(pilot)
        assert app.shown.moment == 100


async def test_a_held_key_reads_only_the_moment_it_stops_at() -> None:
    app = shown()
    async with app.run_test(size=(120, 40)) as pilot:
        await settled(pilot)
        for _ in range(20):
            app.shown.action_earlier()
        assert "looking at match 80" in str(app.shown.query_one(MomentRows).border_title)
        await settled(pilot)
        assert board_of(app) == standings(earlier(80))
        assert list(app.shown.view.facts.earlier) == [80]


async def test_now_follows_the_run_and_an_earlier_moment_stays() -> None:
    app = shown()
    ledger = app.shown.view.facts.ledger
    async with app.run_test(size=(120, 40)) as pilot:
        await settled(pilot)
        play(ledger, 10, seed=7)
        app.shown.pull()
        await settled(pilot)
        assert "now: after 110 matches" in screen_text(app)
        assert board_of(app) == standings(ledger)
        app.shown.go_to(99)
        await settled(pilot)
        play(ledger, 10, seed=8)
        app.shown.pull()
        await settled(pilot)
        assert "after match 99 of 120" in screen_text(app)
        assert board_of(app) == standings(earlier(99))


async def test_enter_takes_the_moment_to_the_main_panes() -> None:
    app = shown()
    async with app.run_test(size=(120, 40)) as pilot:
        await settled(pilot)
        await pilot.press("left", "enter")
        await settled(pilot)
        (said,) = app.said
        assert said.ledger is app.shown.view.facts.earlier[99]
        assert app.shown.view.past is said.ledger
        await pilot.press("right", "enter")
        await settled(pilot)
        assert app.said[-1].ledger is None
        assert app.shown.view.past is None


async def test_it_opens_at_the_moment_on_show_and_leaving_it_means_now() -> None:
    app = shown()
    view = app.shown.view
    view.past = view.facts.earlier[60]
    async with app.run_test(size=(120, 40)) as pilot:
        await settled(pilot)
        assert "after match 60 of 100" in screen_text(app)
        assert board_of(app) == standings(earlier(60))
        assert view.past is None
        assert app.said == []


async def test_more_and_fewer_curves_are_drawn_by_k_and_j() -> None:
    app = shown()
    async with app.run_test(size=(120, 40)) as pilot:
        await settled(pilot)
        ranked = app.shown.view.ledger.board("main")
        assert f"H {ranked[7].title}" in screen_text(app)
        assert f"I {ranked[8].title}" not in screen_text(app)
        await pilot.press("k")
        await settled(pilot)
        assert f"I {ranked[8].title}" in screen_text(app)
        await pilot.press(*"jjj")
        await settled(pilot)
        assert f"G {ranked[6].title}" not in screen_text(app)
        assert f"F {ranked[5].title}" in screen_text(app)


@pytest.mark.parametrize("glyphs", [UNICODE, ASCII])
async def test_an_adaptive_run_shows_the_fit_of_the_moment_and_no_curve(glyphs: Glyphs) -> None:
    def fitted_at(matches: int) -> Ledger:
        ledger = ledger_of(family(), matches, rules=Rules("adaptive"))
        fit_all(ledger)
        return ledger

    class Fitted(Earlier):
        """A slow hand stops at moments in between."""

        def __missing__(self, pos: int) -> Ledger:
            self[pos] = fitted_at(pos)
            return self[pos]

    view = view_of(fitted_at(60))
    view.glyphs = glyphs
    view.facts.earlier = Fitted()
    app = ScreenApp(HistoryScreen(view))
    async with app.run_test(size=(120, 40)) as pilot:
        await settled(pilot)
        best = view.ledger.board("main")[0]
        text = screen_text(app)
        assert "fitted ratings at the moment of the slider" in text
        assert "a fit has no history of its own" in text
        assert f"A {best.title}" in text
        assert f"{best.figure:.0f}" in text
        assert glyphs.line * 3 + glyphs.point in text
        assert "points" not in text
        await pilot.press("left")
        await settled(pilot)
        then = view.facts.earlier[59].find("main", best.id)
        assert f"{then.figure:.0f}" in screen_text(app)
        await pilot.press(*["shift+left"] * 12)
        await settled(pilot)
        assert "fitted rating, 95 %" not in screen_text(app), "before the first match there is none"


@pytest.mark.parametrize(
    ("kind", "told"), [("elo", "Elo rating after"), ("swiss", "points after each match")]
)
async def test_the_curves_say_what_they_are_of(kind: str, told: str) -> None:
    app = ScreenApp(HistoryScreen(view_of(ledger_of(family(), 40, rules=Rules(kind)))))
    async with app.run_test(size=(80, 24)) as pilot:
        await settled(pilot)
        assert told in screen_text(app)


async def test_without_colours_curves_are_drawn_by_their_letters(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("NO_COLOR", "1")
    app = shown()
    async with app.run_test(size=(120, 40)) as pilot:
        await settled(pilot)
        assert "AAA" in screen_text(app)
        assert "HHH" in screen_text(app)


async def test_a_click_on_the_line_goes_to_that_part_of_the_run() -> None:
    app = shown()
    async with app.run_test(size=(120, 40)) as pilot:
        await settled(pilot)
        slider = app.shown.query_one(TimeSlider)
        left, columns = slider._span
        await pilot.click(slider, offset=(left + (columns - 1) // 2, 0))
        await settled(pilot)
        assert app.shown.moment in (49, 50, 51)


async def test_a_moment_that_cannot_be_read_is_told_and_the_slider_stays() -> None:
    app = shown()

    async def broken(pos: int) -> Ledger:
        raise ArenaError("the database is gone")

    app.shown.view.facts.at = broken
    async with app.run_test(size=(120, 40)) as pilot:
        await settled(pilot)
        await pilot.press("left")
        await settled(pilot)
        assert app.noticed == ["the database is gone"]
        assert app.shown.moment == 99
        await pilot.press("enter")
        await settled(pilot)
        assert app.said == []


async def test_a_pool_without_parents_shows_the_board_alone() -> None:
    view = view_of(ledger_of([entrant("a"), entrant("b")], 10))
    app = ScreenApp(HistoryScreen(view))
    async with app.run_test(size=(80, 24)) as pilot:
        await settled(pilot)
        assert not app.shown.query_one(LineageRows).display
        assert "Lineage" not in screen_text(app)


async def test_a_run_without_matches_and_one_without_candidates_are_shown() -> None:
    for ledger in (ledger_of([entrant("a"), entrant("b")]), Ledger()):
        app = ScreenApp(HistoryScreen(view_of(ledger)))
        async with app.run_test(size=(80, 24)) as pilot:
            await settled(pilot)
            await pilot.press("left", "shift+left", "right", "enter")
            await settled(pilot)
            assert "now: after 0 matches" in screen_text(app)


async def test_a_groups_history_counts_that_groups_matches_alone() -> None:
    ledger = ledger_of(
        [entrant(id_, group=group) for group in ("one", "two") for id_ in "abc"], 60, groups=("one", "two")
    )
    view = view_of(ledger)
    view.group = "two"
    count = ledger.groups["two"].applied
    line = ledger.match(ledger.indices_of("two")[-2])
    view.facts.earlier = {line.pos: ledger_of([entrant(id_, group="two") for id_ in "abc"], groups=("two",))}
    app = ScreenApp(HistoryScreen(view))
    async with app.run_test(size=(120, 40)) as pilot:
        await settled(pilot)
        assert f"now: after {count} matches" in screen_text(app)
        await pilot.press("left")
        await settled(pilot)
        assert f"after match {count - 1} of {count}" in screen_text(app)
        assert len(board_of(app)) == 3


def test_actions_and_new_generations_are_marked_where_they_happened() -> None:
    ledger = ledger_of([entrant("a"), entrant("b"), entrant("c", generation=1)])
    ledger.apply(
        [
            MatchFact(1, "main", 1, "a", "b", "pairwise", "a", 1200.0, 1212.0, 1200.0, 1188.0, False, False),
            MatchFact(2, "main", 2, "a", "c", "pairwise", "a", 1212.0, 1224.0, 1200.0, 1188.0, False, False),
        ]
    )
    act(ledger, "reject", "b", "rejected")
    ledger.act(ActFact(ledger.pos + 1, "settings", None, None, None, "cli", 0.0))
    moments = Moments(None)
    moments.look(ledger)
    assert moments.marks() == ((1, "gen 1"), (2, "reject B, settings"))


def test_an_added_candidates_curve_begins_where_it_was_added() -> None:
    ledger = ledger_of([entrant("a"), entrant("b")], 10)
    added = ledger.admit(entrant("late", added_pos=11))
    act(ledger, "add", "late", "in_tournament")
    moments = Moments(None)
    moments.look(ledger)
    assert moments.began(added) == 10
    assert moments.began(ledger.entrants[0]) == 0


def test_of_several_groups_the_first_of_each_comes_before_the_second_of_any() -> None:
    ledger = ledger_of(
        [entrant(id_, group=group) for group in ("one", "two") for id_ in "abc"], 60, groups=("one", "two")
    )
    assert [each.rank for each in leading(ledger, None, 4)] == [1, 1, 2, 2]
    assert {each.group for each in leading(ledger, "two", 9)} == {"two"}
    assert leading(ledger, "nowhere", 4) == []


@pytest.mark.parametrize("hostile", HOSTILE_KINDS)
async def test_text_from_outside_is_shown_as_text_in_the_history(hostile: str) -> None:
    facts = [entrant("a", title=hostile), entrant("b", title=hostile, parent_ids=("a",), generation=1)]
    view = view_of(ledger_of(facts, 10))
    act(view.ledger, "reject", "b", "rejected")
    view.facts.earlier = {9: ledger_of(facts, 9)}
    app = ScreenApp(HistoryScreen(view))
    async with app.run_test(size=(100, 30)) as pilot:
        await settled(pilot)
        await pilot.press("left")
        await settled(pilot)
        text = screen_text(app)
        assert "after match 9 of 10" in text
        for char in "\x1b\x07\x9b\u202e":
            assert char not in text


@pytest.mark.parametrize("kind", [TimeSlider, MomentRows, LineageRows])
async def test_enter_takes_the_moment_wherever_the_focus_is(kind: type[Widget]) -> None:
    app = shown()
    async with app.run_test(size=(120, 40)) as pilot:
        await settled(pilot)
        await pilot.press("left")
        await settled(pilot)
        app.shown.query_one(kind).focus()
        await pilot.press("enter")
        await settled(pilot)
        assert [each.ledger.match_count for each in app.said] == [99]


def test_help_says_that_the_status_stays_at_now() -> None:
    tooltip = next(each.tooltip for each in ACTS if each.id == "history.show_moment")
    assert "status stays at now" in tooltip
    assert "status stays at now" in HistoryScreen.help_text
