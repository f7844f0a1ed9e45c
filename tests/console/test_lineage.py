"""The lineage pane: what it draws at which width, how it folds and filters, what its keys ask for."""

from __future__ import annotations

from collections.abc import Sequence

import pytest
from console_facts import HOSTILE_KINDS, PaneApp, act, entrant, ledger_of, play, screen_text, settled, view_of
from rich.cells import cell_len
from textual import on
from textual.message import Message

from arena_tui.console.forest import Forest
from arena_tui.console.glyphs import ASCII, UNICODE
from arena_tui.console.ledger import Ledger
from arena_tui.console.messages import Copied, EntrantActed, EntrantOpened, EntrantSelected
from arena_tui.console.widgets.lineage import NO_LINEAGE, Lineage
from arena_tui.console.widgets.lineage_row import columns_of, drawing, header_line
from arena_tui.store.board_rows import EntrantFact


def family() -> list[EntrantFact]:
    return [
        entrant("alpha"),
        entrant("beta"),
        entrant("a1", parent_ids=("alpha",)),
        entrant("a11", parent_ids=("a1", "beta")),
        entrant("a2", parent_ids=("alpha",)),
        entrant("x", parent_ids=("gone",)),
    ]


class LineageApp(PaneApp):
    """A lineage pane alone, and what it says."""

    def __init__(self, ledger: Ledger, **view: object) -> None:
        self.view = view_of(ledger)
        for name, value in view.items():
            setattr(self.view, name, value)
        self.ledger = ledger
        self.said: list[Message] = []
        super().__init__(Lineage(self.view))

    def on_mount(self) -> None:
        self.pane.query_one("LineageRows").focus()

    @on(EntrantOpened)
    @on(EntrantActed)
    @on(Copied)
    @on(EntrantSelected)
    def _hear(self, event: Message) -> None:
        self.said.append(event)

    def of(self, kind: type[Message]) -> list[Message]:
        return [each for each in self.said if type(each) is kind]


def drawn(
    entrants: Sequence[EntrantFact], width: int = 80, glyphs: object = UNICODE, first: int = 0
) -> list[str]:
    forest = Forest(ledger_of(entrants))
    columns = columns_of(forest, width, first)
    return [drawing(row, columns, glyphs)[0].rstrip() for row in forest.rows()]


def test_branches_lead_from_each_parent_to_its_children_in_generation_columns() -> None:
    assert drawn(family()) == [
        "○a",
        "├───○a",
        "│   └───○a",
        "└───○a",
        "○b",
        "?c",
        "└───○c",
    ]
    assert drawn(family(), glyphs=ASCII)[1:3] == ["|---(a", "|   `---(a"]


def test_a_child_of_a_much_later_generation_has_a_long_branch_past_which_stems_go() -> None:
    entrants = [
        *(entrant("r"), entrant("a", parent_ids=("r",)), entrant("b", parent_ids=("a",), generation=4)),
        entrant("c", parent_ids=("r",)),
    ]
    assert drawn(entrants, 60) == ["○a", "├───○a", "│   └───────────○a", "└───○a"]


def test_generations_out_of_sight_end_in_arrows_and_the_founders_letter() -> None:
    entrants = [entrant("e0"), *(entrant(f"e{n}", parent_ids=(f"e{n - 1}",)) for n in range(1, 30))]
    lines = drawn(entrants, 40, first=10)
    assert lines[0] == "<a"
    assert lines[12].lstrip("└─ ") == "○a"
    assert lines[29].endswith(">a")
    assert "10" in header_line(columns_of(Forest(ledger_of(entrants)), 40, 10), 40).plain


@pytest.mark.parametrize("size", [(80, 24), (200, 60), (40, 10)])
@pytest.mark.parametrize("glyphs", [UNICODE, ASCII])
async def test_a_row_tells_title_rating_difference_to_the_parent_and_record(
    size: tuple[int, int], glyphs: object
) -> None:
    ledger = ledger_of(family(), 40)
    app = LineageApp(ledger, glyphs=glyphs)
    async with app.run_test(size=size) as pilot:
        await settled(pilot)
        text = screen_text(app)
        a1, alpha = ledger.find("main", "a1"), ledger.find("main", "alpha")
        line = next(line for line in text.splitlines() if "A1" in line)
        assert f"{a1.rating:.0f}" in line
        if size[0] >= 80:
            assert f"{round(a1.rating) - round(alpha.rating):+d}" in line
            assert f"{a1.wins}-{a1.draws}-{a1.losses}" in line
            assert "also of Beta" in text
            assert "not in this run" in text
        if size[0] == 200:
            assert "trend" in text
            assert "share" in text
        assert all(cell_len(line) <= size[0] for line in text.splitlines())


async def test_the_frame_tells_how_many_play_and_the_line_above_who_holds_which_part() -> None:
    ledger = ledger_of(family(), 20)
    act(ledger, "reject", "beta", "rejected")
    app = LineageApp(ledger)
    async with app.run_test(size=(100, 20)) as pilot:
        await settled(pilot)
        text = screen_text(app)
        assert "all · 5 of 6 play" in text
        assert "a Alpha 80%" in text
        assert "c gone 20%" in text
        assert "rejected" in text


async def test_a_pool_without_parents_says_so_in_one_line_and_is_small() -> None:
    ledger = ledger_of([entrant("a"), entrant("b")])
    app = LineageApp(ledger)
    async with app.run_test(size=(80, 24)) as pilot:
        await settled(pilot)
        assert app.pane.has_class("no-lineage")
        assert app.pane.size.height + 2 == 3
        assert NO_LINEAGE in screen_text(app)
        assert len(NO_LINEAGE) <= 30, "a pane of 34 cells has a frame and a margin"
        ledger.admit(entrant("c", parent_ids=("a",)))
        app.pane.pull()
        await settled(pilot)
        assert not app.pane.has_class("no-lineage")
        assert "└" in screen_text(app)


async def test_left_and_right_fold_and_walk_and_c_does_both() -> None:
    app = LineageApp(ledger_of(family()))
    async with app.run_test(size=(80, 24)) as pilot:
        await settled(pilot)
        rows = app.pane.query_one("LineageRows")
        await pilot.press("left")
        await settled(pilot)
        assert "▸3 Alpha" in screen_text(app)
        assert "A11" not in screen_text(app)
        await pilot.press("right", "right")
        await settled(pilot)
        assert rows.node.id == "a1"
        await pilot.press("c")
        await settled(pilot)
        assert "▸1 A1" in screen_text(app)
        await pilot.press("left")
        await settled(pilot)
        assert rows.node.id == "alpha"


async def test_f_goes_from_all_to_the_living_to_the_lineage_under_the_cursor() -> None:
    ledger = ledger_of(family())
    act(ledger, "reject", "a2", "rejected")
    app = LineageApp(ledger)
    async with app.run_test(size=(80, 24)) as pilot:
        await settled(pilot)
        rows = app.pane.query_one("LineageRows")
        await pilot.press("f")
        await settled(pilot)
        assert [row.node.id for row in rows.rows] == ["alpha", "a1", "a11", "beta", "gone", "x"]
        await pilot.press("j", "j", "j", "f")
        await settled(pilot)
        assert [row.node.id for row in rows.rows] == ["beta"]
        assert "lineage b" in screen_text(app)
        await pilot.press("f")
        await settled(pilot)
        assert len(rows.rows) == 7
        assert rows.node.id == "beta"


async def test_who_dies_leaves_the_living_at_the_next_pull() -> None:
    ledger = ledger_of(family())
    app = LineageApp(ledger)
    async with app.run_test(size=(80, 24)) as pilot:
        await settled(pilot)
        await pilot.press("f")
        act(ledger, "reject", "beta", "rejected")
        app.pane.pull()
        await settled(pilot)
        assert not any(row.node.id == "beta" for row in app.pane.query_one("LineageRows").rows)


async def test_slash_filters_by_words_and_esc_takes_it_back() -> None:
    app = LineageApp(ledger_of(family()))
    async with app.run_test(size=(80, 24)) as pilot:
        await settled(pilot)
        rows = app.pane.query_one("LineageRows")
        await pilot.press("slash", "a", "1", "1", "enter")
        await settled(pilot)
        assert [row.node.id for row in rows.rows] == ["alpha", "a1", "a11"]
        assert rows.has_focus
        await pilot.press("slash", "escape")
        await settled(pilot)
        assert len(rows.rows) == 7


async def test_keys_ask_for_what_the_candidates_state_allows() -> None:
    ledger = ledger_of(family())
    act(ledger, "pin", "a1", "pinned")
    app = LineageApp(ledger)
    async with app.run_test(size=(80, 24)) as pilot:
        await settled(pilot)
        await pilot.press("i", "j", "i", "x", "n", "d", "enter", "y")
        await settled(pilot)
        acted = [(each.verb, each.entrant.id) for each in app.of(EntrantActed)]
        assert acted == [("pin", "alpha"), *((verb, "a1") for verb in ("unpin", "reject", "focus", "diff"))]
        assert [each.entrant.id for each in app.of(EntrantOpened)] == ["a1"]
        assert app.of(EntrantSelected)[-1].entrant.id == "a1"
        assert app.of(Copied)[0].text.startswith("A1\ta1\tgeneration 1\t1200\t0-0-0\tpinned")


async def test_a_missing_parent_can_be_neither_opened_nor_pinned() -> None:
    app = LineageApp(ledger_of([entrant("x", parent_ids=("gone",))]))
    async with app.run_test(size=(80, 24)) as pilot:
        await settled(pilot)
        await pilot.press("enter", "i", "y")
        await settled(pilot)
        assert [type(each) for each in app.said] == [Copied]
        assert [each.message for each in app._notifications] == ["there is no candidate here"]


async def test_ratings_move_without_a_new_forest_and_the_cursor_stays_on_its_candidate() -> None:
    ledger = ledger_of(family())
    app = LineageApp(ledger)
    async with app.run_test(size=(80, 24)) as pilot:
        await settled(pilot)
        rows = app.pane.query_one("LineageRows")
        forest = rows.forest
        await pilot.press("j", "j")
        play(ledger, 30)
        app.pane.pull()
        await settled(pilot)
        assert rows.forest is forest
        assert f"{ledger.find('main', 'alpha').rating:.0f}" in screen_text(app)
        ledger.admit(entrant("early", parent_ids=("alpha",)))
        ledger.admit(entrant("a12", parent_ids=("a1",)))
        app.pane.pull()
        await settled(pilot)
        assert rows.forest is not forest
        assert rows.node.id == "a11"


async def test_generations_scroll_with_the_cursor() -> None:
    entrants = [entrant("e0"), *(entrant(f"e{n}", parent_ids=(f"e{n - 1}",)) for n in range(1, 60))]
    app = LineageApp(ledger_of(entrants))
    async with app.run_test(size=(60, 20)) as pilot:
        await settled(pilot)
        await pilot.press("end")
        await settled(pilot)
        text = screen_text(app)
        assert "59" in text.splitlines()[2]
        assert "○a E59" in text


async def test_another_ledger_or_group_is_shown_at_the_next_pull() -> None:
    ledger = ledger_of(family(), groups=("main", "other"))
    ledger.admit(entrant("solo", group="other"))
    ledger.admit(entrant("kid", group="other", parent_ids=("solo",)))
    app = LineageApp(ledger)
    async with app.run_test(size=(100, 24)) as pilot:
        await settled(pilot)
        assert "group" in screen_text(app)
        app.view.group = "other"
        app.pane.pull()
        await settled(pilot)
        text = screen_text(app)
        assert "Kid" in text
        assert "Alpha" not in text
        app.view.group = None
        app.view.past = ledger_of(family()[:3])
        app.pane.pull()
        await settled(pilot)
        assert "3 of 3 play" in screen_text(app)


@pytest.mark.parametrize("hostile", HOSTILE_KINDS)
@pytest.mark.parametrize("width", [50, 120])
async def test_text_from_outside_is_shown_as_text(hostile: str, width: int) -> None:
    ledger = ledger_of(
        [
            entrant("a", title=hostile, group=hostile),
            entrant("b", title=hostile, parent_ids=("a", hostile), group=hostile),
            entrant("c", parent_ids=(f"gone {hostile}", "a"), group=hostile),
            entrant("d", twin_of="a", group=hostile),
        ],
        groups=(hostile, "other"),
    )
    ledger.flag(hostile, "b", (hostile,))
    app = LineageApp(ledger)
    async with app.run_test(size=(width, 20)) as pilot:
        await settled(pilot)
        await pilot.press("j", "i", "f", "f", "y")
        await settled(pilot)
        for char in "\x1b\x07\x9b\u202e\t":
            assert char not in screen_text(app)
            assert all(char not in each.text.replace("\t", "") or char == "\t" for each in app.of(Copied))
        assert "○b" in screen_text(app) or "○a" in screen_text(app)
