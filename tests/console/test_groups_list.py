"""The list of groups: what a row says, how it sorts and filters, and what Enter asks for."""

from __future__ import annotations

import unicodedata

from console_facts import HOSTILE, PaneApp, entrant, ledger_of, play, screen_text, settled, view_of
from textual.message import Message

from arena_tui.console.ledger import Ledger
from arena_tui.console.widgets.groups import GroupList
from arena_tui.store.board_rows import GroupFact


class GroupsApp(PaneApp):
    """The list alone, and what it says."""

    def __init__(self, ledger: Ledger) -> None:
        self.view = view_of(ledger)
        self.list = GroupList(self.view)
        self.said: list[Message] = []
        super().__init__(self.list)

    def on_mount(self) -> None:
        self.list.rows.focus()

    def on_group_list_group_chosen(self, event: GroupList.GroupChosen) -> None:
        self.said.append(event)

    def order(self) -> list[str]:
        return [row.board.id for row in self.list.groups.items]


def three() -> Ledger:
    """An open group with matches, one that ended, and one that was skipped."""
    names = ("north", "south", "void")
    ledger = ledger_of(
        [entrant(f"{name}-{i}", group=name) for name in names[:2] for i in range(4)],
        groups=names[:2],
    )
    play(ledger, 30)
    ledger.open_group(GroupFact("void", "Where to?\nAnd why?", "skipped", None, ""))
    ledger.open_group(GroupFact("south", None, "closed", "ELO_STABLE", ""))
    return ledger


def row(app: GroupsApp, group: str) -> str:
    return next(line for line in screen_text(app).split("\n") if line.startswith(f"│{group}"))


async def test_a_row_tells_state_progress_leader_reason_and_prompt() -> None:
    ledger = three()
    app = GroupsApp(ledger)
    app.view.state.groups["north"].expected = 40
    async with app.run_test(size=(120, 12)) as pilot:
        await settled(pilot)
        north, south, void = row(app, "north"), row(app, "south"), row(app, "void")
        assert f"{ledger.groups['north'].applied}/40" in north
        assert "open" in north
        assert ledger.board("north")[0].title in north
        assert "prompt of north" in north
        assert f" {ledger.groups['south'].applied} " in south
        assert "/" not in south
        assert "closed" in south
        assert "ratings stable" in south
        assert "skipped" in void
        assert "Where to?" in void
        assert "And why?" not in void
        assert "Groups: 3, 2 ended" in screen_text(app)


async def test_a_group_without_matches_has_no_leader() -> None:
    app = GroupsApp(ledger_of([entrant("one", group="a")], groups=("a",)))
    async with app.run_test(size=(120, 8)) as pilot:
        await settled(pilot)
        assert "One" not in row(app, "a")


async def test_38_cells_keep_the_group_its_leader_and_its_progress() -> None:
    app = GroupsApp(three())
    async with app.run_test(size=(38, 8)) as pilot:
        await settled(pilot)
        heading = screen_text(app).split("\n")[1]
        assert "group▲" in heading
        assert "leader" in heading
        assert "done" in heading


async def test_enter_chooses_the_group_under_the_cursor() -> None:
    app = GroupsApp(three())
    async with app.run_test(size=(80, 10)) as pilot:
        await settled(pilot)
        await pilot.press("down", "enter")
        await settled(pilot)
        assert [each.group_id for each in app.said] == ["south"]  # type: ignore[attr-defined]


async def test_groups_sort_by_any_column_and_filter_by_words() -> None:
    app = GroupsApp(three())
    app.view.state.groups["south"].expected = 30
    async with app.run_test(size=(120, 10)) as pilot:
        await settled(pilot)
        assert app.order() == ["north", "south", "void"]
        await pilot.press("greater_than_sign", "greater_than_sign")
        assert app.order() == ["south", "north", "void"]
        assert "done▼" in screen_text(app)
        await pilot.press("less_than_sign", "less_than_sign", "r")
        assert app.order() == ["void", "south", "north"]
        await pilot.press("slash", *"stable", "space", *"closed", "enter")
        await settled(pilot)
        assert app.order() == ["south"]
        assert "1 of 3 with stable closed" in screen_text(app)


async def test_a_change_of_a_group_reaches_the_screen_and_the_cursor_stays_on_its_group() -> None:
    ledger = three()
    app = GroupsApp(ledger)
    async with app.run_test(size=(120, 10)) as pilot:
        await settled(pilot)
        await pilot.press("down", "greater_than_sign", "r")
        ledger.open_group(GroupFact("north", None, "closed", "BUDGET", ""))
        app.view.state.groups["north"].expected = 77
        app.list.pull()
        await settled(pilot)
        assert "budget used up" in row(app, "north")
        assert "/77" in row(app, "north")
        assert app.list.groups.current is not None
        assert app.list.groups.current.board.id == "south"


async def test_500_groups_go_to_their_end_at_a_key() -> None:
    names = [f"question {i:03}" for i in range(500)]
    app = GroupsApp(ledger_of([entrant("one", group=name) for name in names], groups=names))
    async with app.run_test(size=(80, 24)) as pilot:
        await settled(pilot)
        await pilot.press("end")
        await settled(pilot)
        assert "question 499" in screen_text(app)


async def test_hostile_names_and_prompts_are_shown_as_they_are_read() -> None:
    ledger = Ledger()
    for text in HOSTILE:
        ledger.open_group(GroupFact(text, text, "open", None, ""))
    app = GroupsApp(ledger)
    async with app.run_test(size=(140, 24)) as pilot:
        await settled(pilot)
        await pilot.press("greater_than_sign", "down", "slash", "e", "enter", "slash", "escape", "enter")
        await settled(pilot)
        text = screen_text(app)
        assert all(unicodedata.category(char) not in ("Cc", "Cs") for char in text.replace("\n", ""))
        strips = app.screen._compositor.render_strips()
        styles = [segment.style for strip in strips for segment in strip if segment.style]
        assert not any(style.link or style.meta.get("@click") for style in styles)
        for told in ("[red]x[/red]", "a [/] b", "[/foo]", "[@click=app.bang]x", "[$primary]v[/]"):
            assert told in text
