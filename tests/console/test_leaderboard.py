"""The leaderboard: what it shows at which width, how it sorts and filters, what its keys ask for."""

from __future__ import annotations

import unicodedata
from collections.abc import Sequence

import pytest
from console_facts import HOSTILE, PaneApp, act, entrant, ledger_of, play, screen_text, settled, view_of
from textual.app import App
from textual.message import Message

from arena_tui.console.glyphs import ASCII, UNICODE, Glyphs
from arena_tui.console.ledger import Ledger
from arena_tui.console.messages import Copied, EntrantActed, EntrantOpened, EntrantSelected
from arena_tui.console.widgets.leaderboard import Leaderboard
from arena_tui.store.board_rows import MatchFact


class BoardApp(PaneApp):
    """A leaderboard alone, and what it says."""

    def __init__(self, ledger: Ledger, **view: object) -> None:
        self.view = view_of(ledger)
        for name, value in view.items():
            setattr(self.view, name, value)
        self.ledger = ledger
        self.time = 0.0
        self.board = Leaderboard(self.view, now=lambda: self.time)
        self.said: list[Message] = []
        super().__init__(self.board)

    def on_mount(self) -> None:
        self.board.rows.focus()

    def on_entrant_opened(self, event: EntrantOpened) -> None:
        self.said.append(event)

    def on_entrant_selected(self, event: EntrantSelected) -> None:
        self.said.append(event)

    def on_entrant_acted(self, event: EntrantActed) -> None:
        self.said.append(event)

    def on_copied(self, event: Copied) -> None:
        self.said.append(event)

    def of(self, kind: type[Message]) -> list[Message]:
        return [each for each in self.said if type(each) is kind]

    def order(self) -> list[str]:
        return [each.id for each in self.board.board.items]


def win(ledger: Ledger, winner: str, loser: str, gain: float = 12.0, group: str = "main") -> None:
    """A match that moves both ratings by `gain`."""
    a, b = ledger.find(group, winner), ledger.find(group, loser)
    assert a is not None
    assert b is not None
    seq = ledger.groups[group].applied + 1
    ratings = (a.rating, a.rating + gain, b.rating, b.rating - gain)
    ledger.apply([MatchFact(ledger.pos + 1, group, seq, a.id, b.id, "pairwise", "a", *ratings, False)])


def abc() -> Ledger:
    """Three of different strength: b before a before c."""
    ledger = ledger_of([entrant("a", system="north"), entrant("b", system="south"), entrant("c")])
    win(ledger, "b", "a", 40)
    win(ledger, "a", "c", 30)
    return ledger


def headings(app: App[object]) -> list[str]:
    return screen_text(app).split("\n")[1].strip("│").split()


async def test_38_cells_show_rank_title_rating_and_record() -> None:
    app = BoardApp(ledger_of([entrant(f"idea{i}") for i in range(40)], 200))
    async with app.run_test(size=(38, 16)) as pilot:
        await settled(pilot)
        assert headings(app) == ["#▲", "title", "rating", "W-D-L"]


async def test_more_room_shows_more_columns() -> None:
    ledger = ledger_of([entrant(f"idea{i}", class_="model", system="s") for i in range(10)], 60)
    act(ledger, "pin", "idea3", "pinned")
    first = ledger.entrants[0]
    first.low, first.high, first.rank_low, first.rank_high, first.p_best = 1100.0, 1400.0, 1, 3, 0.75
    ledger.flag("main", "idea1", ("length_outlier", "injection"))
    app = BoardApp(ledger)
    async with app.run_test(size=(170, 16)) as pilot:
        await settled(pilot)
        shown = [place.column.id for place in app.board.board.placed]
        assert shown == [
            "rank", "range", "moved", "class", "title", "rating", "interval", "P(best)", "W-D-L", "matches",
            "trend", "state", "system", "flags",
        ]  # fmt: skip
        text = screen_text(app)
        for told in ("1-3", "75%", "◆ pinned", "⚑ length outlier, injection", "──"):
            assert told in text


async def test_columns_without_anything_to_show_are_absent() -> None:
    app = BoardApp(abc())
    async with app.run_test(size=(170, 16)) as pilot:
        await settled(pilot)
        shown = {place.column.id for place in app.board.board.placed}
        assert not shown & {"range", "P(best)", "state", "class", "group", "flags"}
        assert "system" in shown


async def test_a_group_column_appears_only_while_several_groups_are_shown() -> None:
    ledger = ledger_of([entrant("a", group="one"), entrant("b", group="two")], groups=("one", "two"))
    app = BoardApp(ledger)
    async with app.run_test(size=(120, 10)) as pilot:
        await settled(pilot)
        assert "group" in headings(app)
        assert app.order() == ["a", "b"]
        app.view.group = "two"
        app.board.pull()
        await settled(pilot)
        assert "group" not in headings(app)
        assert app.order() == ["b"]
        assert "Leaderboard: two" in screen_text(app)


async def test_a_class_without_a_match_stands_on_the_board_beside_one_that_played() -> None:
    ledger = ledger_of([entrant("a", class_="old"), entrant("b", class_="old"), entrant("c", class_="new")])
    win(ledger, "b", "a")
    app = BoardApp(ledger)
    async with app.run_test(size=(60, 10)) as pilot:
        await settled(pilot)
        assert app.order() == ["b", "a", "c"]
        assert "class" in headings(app)
        assert [line[1:3] for line in screen_text(app).split("\n")[2:5]] == [" 1", " 2", " 1"]


async def test_movement_is_told_by_a_sign_and_a_number() -> None:
    ledger = abc()
    app = BoardApp(ledger)
    async with app.run_test(size=(100, 10)) as pilot:
        await settled(pilot)
        assert "▲1" in screen_text(app)
        assert "▼1" in screen_text(app)


async def test_rejected_pinned_twin_and_draft_have_signs_where_there_is_no_room_for_words() -> None:
    ledger = ledger_of(
        [entrant(x) for x in ("pin", "out", "new", "orig")] + [entrant("copy", twin_of="orig")], 0
    )
    act(ledger, "pin", "pin", "pinned")
    act(ledger, "reject", "out", "rejected")
    act(ledger, "edit", "new", "draft")
    app = BoardApp(ledger)
    async with app.run_test(size=(38, 10)) as pilot:
        await settled(pilot)
        lines = screen_text(app)
        assert "◆ Pin" in lines
        assert "✕ Out" in lines
        assert "d New" in lines
        assert "  = Copy" in lines
        at = app.order()
        assert at.index("copy") == at.index("orig") + 1


async def test_ascii_draws_no_sign_beyond_ascii() -> None:
    ledger = ledger_of([entrant(f"idea{i}") for i in range(12)], 80)
    act(ledger, "pin", "idea3", "pinned")
    ledger.flag("main", "idea2", ("x",))
    app = BoardApp(ledger, glyphs=ASCII)
    async with app.run_test(size=(150, 16)) as pilot:
        await pilot.press("r")
        await settled(pilot)
        inside = [line[1:-1] for line in screen_text(app).split("\n")[1:-1]]
        assert "".join(inside).isascii()


async def test_angle_keys_move_the_sort_column_and_r_turns_it() -> None:
    app = BoardApp(abc())
    async with app.run_test(size=(100, 10)) as pilot:
        await settled(pilot)
        assert app.order() == ["b", "a", "c"]
        await pilot.press("greater_than_sign", "greater_than_sign")
        await settled(pilot)
        assert "title▲" in screen_text(app)
        assert app.order() == ["a", "b", "c"]
        await pilot.press("r")
        await settled(pilot)
        assert "title▼" in screen_text(app)
        assert "by title ▼" in screen_text(app)
        assert app.order() == ["c", "b", "a"]
        await pilot.press("less_than_sign", "less_than_sign", "r")
        assert app.order() == ["c", "a", "b"]


async def test_a_click_on_a_heading_sorts_and_a_second_one_reverses() -> None:
    app = BoardApp(abc())
    async with app.run_test(size=(100, 10)) as pilot:
        await settled(pilot)
        place = next(place for place in app.board.board.placed if place.column.id == "rating")
        await pilot.click(app.board.rows, offset=(place.x + 2, 0))
        assert app.order() == ["b", "a", "c"]
        assert "rating▼" in screen_text(app)
        await pilot.click(app.board.rows, offset=(place.x + 2, 0))
        await settled(pilot)
        assert app.order() == ["c", "a", "b"]
        assert "rating▲" in screen_text(app)


async def test_what_is_unknown_sorts_last_in_either_direction() -> None:
    ledger = abc()
    known = ledger.find("main", "c")
    assert known is not None
    known.p_best = 0.2
    app = BoardApp(ledger)
    async with app.run_test(size=(100, 10)) as pilot:
        await settled(pilot)
        column = next(column for column in app.board.board.columns if column.id == "P(best)")
        app.board.board.sort_by(column)
        assert app.order()[0] == "c"
        app.board.board.turn()
        assert app.order()[0] == "c"


@pytest.mark.parametrize(
    ("words", "left"), [("NORTH", ["a"]), ("south b", ["b"]), ("in_tour", ["b", "a", "c"]), ("a z", [])]
)
async def test_the_filter_wants_all_words_somewhere(words: str, left: Sequence[str]) -> None:
    app = BoardApp(abc())
    async with app.run_test(size=(80, 10)) as pilot:
        await settled(pilot)
        await pilot.press("slash", *["space" if key == " " else key for key in words])
        await pilot.press("enter")
        await settled(pilot)
        assert app.order() == left
        assert f"{len(left)} of 3 with {words.casefold()}" in screen_text(app)
        assert ("nothing holds these words" in screen_text(app)) == (not left)
        assert app.focused is app.board.rows


async def test_esc_takes_the_filter_back_and_letters_typed_into_it_are_no_keys() -> None:
    app = BoardApp(abc())
    async with app.run_test(size=(80, 10)) as pilot:
        await settled(pilot)
        await pilot.press("slash", "x", "i", "r", "y")
        assert app.order() == []
        await pilot.press("escape")
        await settled(pilot)
        assert app.order() == ["b", "a", "c"]
        assert " of 3" not in screen_text(app)
        assert app.of(EntrantActed) == []


async def test_the_cursor_stays_on_its_entrant_when_the_order_changes() -> None:
    ledger = abc()
    app = BoardApp(ledger)
    async with app.run_test(size=(80, 10)) as pilot:
        await settled(pilot)
        await pilot.press("down")
        assert app.board.entrant is ledger.find("main", "a")
        win(ledger, "a", "b", 100)
        app.board.pull()
        assert app.order()[0] == "a"
        assert (app.board.rows.cursor, app.board.entrant) == (0, ledger.find("main", "a"))
        win(ledger, "c", "a", 300)
        app.board.pull()
        assert app.board.entrant is ledger.find("main", "a")
        assert app.board.rows.cursor == app.order().index("a") != 0


async def test_a_cursor_that_never_moved_stays_on_top() -> None:
    ledger = abc()
    app = BoardApp(ledger)
    async with app.run_test(size=(80, 10)) as pilot:
        await settled(pilot)
        win(ledger, "c", "b", 300)
        app.board.pull()
        await settled(pilot)
        assert app.board.rows.cursor == 0
        assert [each.entrant.id for each in app.of(EntrantSelected)] == ["b", "c"]  # type: ignore[attr-defined]


async def test_the_cursor_finds_its_entrant_in_another_ledger() -> None:
    app = BoardApp(abc())
    async with app.run_test(size=(80, 10)) as pilot:
        await settled(pilot)
        await pilot.press("end")
        app.view.past = abc()
        win(app.view.past, "c", "b", 300)
        app.board.pull()
        assert app.board.entrant is app.view.past.find("main", "c")
        assert app.board.rows.cursor == 0


async def test_enter_opens_and_moving_selects() -> None:
    app = BoardApp(abc())
    async with app.run_test(size=(80, 10)) as pilot:
        await settled(pilot)
        await pilot.press("down", "enter")
        await settled(pilot)
        assert [each.entrant.id for each in app.of(EntrantOpened)] == ["a"]  # type: ignore[attr-defined]
        assert app.of(EntrantSelected)[-1].entrant.id == "a"  # type: ignore[attr-defined]


async def test_keys_ask_for_what_the_entrants_state_allows() -> None:
    ledger = ledger_of([entrant("a"), entrant("b", parent_ids=("a",))])
    app = BoardApp(ledger)
    async with app.run_test(size=(80, 10)) as pilot:
        await settled(pilot)
        await pilot.press("i", "x", "n", "d", "down", "d")
        act(ledger, "pin", "b", "pinned")
        app.board.pull()
        assert app.board.entrant is ledger.find("main", "b")
        await pilot.press("i")
        act(ledger, "reject", "b", "rejected")
        app.board.pull()
        await pilot.press("x")
        await settled(pilot)
        asked = [(each.verb, each.entrant.id) for each in app.of(EntrantActed)]  # type: ignore[attr-defined]
        assert asked == [
            ("pin", "a"), ("reject", "a"), ("focus", "a"), ("diff", "b"), ("unpin", "b"), ("restore", "b"),
        ]  # fmt: skip
        assert [notice.message for notice in app._notifications] == ["A has no parent to differ from"]


async def test_a_twin_sends_its_user_to_the_original() -> None:
    app = BoardApp(ledger_of([entrant("a"), entrant("b", twin_of="a")]))
    async with app.run_test(size=(80, 10)) as pilot:
        await settled(pilot)
        await pilot.press("end", "i", "x")
        await settled(pilot)
        assert app.of(EntrantActed) == []
        assert {notice.message for notice in app._notifications} == {"B is a twin: act on its original, A"}


async def test_keys_on_an_empty_board_say_that_nobody_is_there() -> None:
    app = BoardApp(ledger_of([]))
    async with app.run_test(size=(80, 10)) as pilot:
        await settled(pilot)
        assert "no candidates yet" in screen_text(app)
        await pilot.press("i", "d", "y", "enter", "r", "end")
        await settled(pilot)
        assert app.said == []
        assert {notice.message for notice in app._notifications} == {"there is no candidate here"}


async def test_y_copies_the_row_as_plain_cells() -> None:
    app = BoardApp(abc())
    async with app.run_test(size=(38, 10)) as pilot:
        await settled(pilot)
        await pilot.press("y")
        await settled(pilot)
        (copied,) = app.of(Copied)
        assert copied.text.split("\t") == [  # type: ignore[attr-defined]
            "1", "+1", "b", "B", "1240.0", "", "1-0-0", "1", "south",
        ]  # fmt: skip


async def test_nothing_is_sorted_or_drawn_while_nothing_changes(monkeypatch: pytest.MonkeyPatch) -> None:
    app = BoardApp(ledger_of([entrant(f"idea{i}") for i in range(30)], 50))
    async with app.run_test(size=(80, 20)) as pilot:
        await settled(pilot)

        def never(*args: object) -> None:
            raise AssertionError("drawn or sorted without a change")

        monkeypatch.setattr(app.board.board, "draw", never)
        monkeypatch.setattr(app.board.board, "everything", never)
        app.board.pull()
        await settled(pilot)


async def test_a_long_board_sorts_once_a_second_but_shows_new_figures_at_once() -> None:
    ledger = ledger_of([entrant(f"idea{i}") for i in range(2_500)])
    app = BoardApp(ledger)
    async with app.run_test(size=(80, 20)) as pilot:
        await settled(pilot)
        before = app.order()
        win(ledger, "idea3", "idea0", 50)
        app.board.pull()
        await settled(pilot)
        assert app.order() == before
        assert "1250" in screen_text(app)
        app.time += 100
        app.board.pull()
        assert app.order()[0] == "idea3"


async def test_a_long_board_goes_to_its_end_and_filters_at_a_key() -> None:
    ledger = ledger_of([entrant(f"idea{i}") for i in range(10_000)])
    app = BoardApp(ledger)
    async with app.run_test(size=(80, 20)) as pilot:
        await settled(pilot)
        await pilot.press("end")
        await settled(pilot)
        assert "Idea9999" in screen_text(app)
        await pilot.press("slash", *"idea77")
        await settled(pilot)
        assert "111 of 10,000 with idea77" in screen_text(app)


async def test_hostile_titles_are_shown_as_they_are_read() -> None:
    ledger = ledger_of(
        [
            entrant(f"{text} {number}", title=text, class_=text, system=text)
            for number, text in enumerate(HOSTILE)
        ],
        30,
    )
    ledger.flag("main", f"{HOSTILE[0]} 0", (HOSTILE[7], HOSTILE[0]))
    app = BoardApp(ledger)
    for width in (38, 200):
        async with BoardApp(ledger).run_test(size=(width, 30)) as pilot:
            app = pilot.app  # type: ignore[assignment]
            await settled(pilot)
            await pilot.press("slash", "e", "enter", "slash", "escape", "down", "x", "i", "d", "y")
            await settled(pilot)
            text = screen_text(app)
            assert all(
                unicodedata.category(char) not in ("Cc", "Cs") and char not in "\u202e\u200b"
                for char in text.replace("\n", "")
            )
            strips = app.screen._compositor.render_strips()
            styles = [segment.style for strip in strips for segment in strip if segment.style]
            assert not any(style.link or style.meta.get("@click") for style in styles)
            if width == 200:
                for told in ("[red]x[/red]", "a [/] b", "[/foo]", "[@click=app.bang]x[/]", "[$primary]v[/]"):
                    assert told in text
    copied = app.of(Copied)[0].text  # type: ignore[attr-defined]
    assert "\x1b" not in copied
    assert "\n" not in copied


async def test_hostile_groups_do_not_style_the_frame() -> None:
    names = HOSTILE[:4]
    ledger = ledger_of([entrant("a", group=name) for name in names], groups=names)
    app = BoardApp(ledger)
    async with app.run_test(size=(100, 12)) as pilot:
        await settled(pilot)
        for name in names:
            app.view.group = name
            app.board.pull()
            await settled(pilot)
            assert f"Leaderboard: {name}" in screen_text(app)


async def test_a_match_of_a_running_board_reaches_the_screen() -> None:
    ledger = ledger_of([entrant(f"idea{i}") for i in range(6)])
    app = BoardApp(ledger)
    async with app.run_test(size=(80, 12)) as pilot:
        await settled(pilot)
        assert "1200" in screen_text(app)
        play(ledger, 40)
        app.board.pull()
        await settled(pilot)
        best = ledger.board("main")[0]
        assert f"{best.title}" in screen_text(app).split("\n")[2]
        assert f"{best.rating:.0f}" in screen_text(app).split("\n")[2]


LONG = "Cooler reefs by shading the shallows"


@pytest.mark.parametrize(("cells", "least"), [(38, 17), (58, 28), (64, 28)])
async def test_a_title_has_room_before_what_tells_little(cells: int, least: int) -> None:
    ledger = ledger_of([entrant(f"idea{i}", title=f"{LONG} {i}") for i in range(9)], 0)
    app = BoardApp(ledger)
    async with app.run_test(size=(cells, 14)) as pilot:
        await settled(pilot)
        assert LONG[: least - 2] in screen_text(app)
        places = {place.column.id: place.width for place in app.board.board.placed}
        assert places["title"] >= least
        assert not {"moved", "trend"} & set(places)
        assert cells > 60 or "interval" not in places


async def test_intervals_that_are_known_are_shown_beside_a_shorter_title() -> None:
    ledger = ledger_of([entrant(f"idea{i}", title=f"{LONG} {i}") for i in range(9)], 40)
    ledger.entrants[0].low, ledger.entrants[0].high = 1100.0, 1400.0
    app = BoardApp(ledger)
    async with app.run_test(size=(58, 14)) as pilot:
        await settled(pilot)
        assert {"moved", "interval"} <= {place.column.id for place in app.board.board.placed}


@pytest.mark.parametrize(("glyphs", "sign"), [(UNICODE, "○"), (ASCII, "(")])
async def test_a_candidate_without_a_match_is_told_from_those_that_are_ranked(
    glyphs: Glyphs, sign: str
) -> None:
    ledger = abc()
    app = BoardApp(ledger, glyphs=glyphs)
    async with app.run_test(size=(100, 10)) as pilot:
        await settled(pilot)
        assert f"{sign} " not in screen_text(app)
        ledger.admit(entrant("late", title="Late idea"))
        app.board.pull()
        await settled(pilot)
        text = screen_text(app)
        assert f"{sign} Late idea" in text
        assert text.count(f"{sign} ") == 1
        late = ledger.find("main", "late")
        assert late is not None
        look = app.board.board.look
        dim = {
            place.column.id
            for place in app.board.board.placed
            if "board--muted" in {ink for _, ink in place.column.draw(late, look, place.width)}
        }
        assert {"rank", "rating", "W-D-L", "matches"} <= dim
    assert "hollow sign" in Leaderboard.help_text


async def test_before_the_first_match_nobody_is_marked() -> None:
    ledger = ledger_of([entrant("a", group="one"), entrant("b", group="two")], groups=("one", "two"))
    app = BoardApp(ledger)
    async with app.run_test(size=(100, 10)) as pilot:
        await settled(pilot)
        assert "○" not in screen_text(app)
