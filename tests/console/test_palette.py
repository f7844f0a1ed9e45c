"""The command palette offers what the focus, its pane, the screen and the app can do now, with keys."""

from __future__ import annotations

from collections.abc import Mapping

from console_facts import entrant, ledger_of, screen_text, settled, view_of
from debate_facts import decided
from textual.app import App
from textual.screen import Screen

from arena_tui.candidate import Candidate
from arena_tui.console.actions import bindings
from arena_tui.console.commands import ArenaCommands
from arena_tui.console.framed import FramedApp
from arena_tui.console.messages import EntrantActed
from arena_tui.console.screens.match import MatchScreen
from arena_tui.console.view import RunView
from arena_tui.console.widgets.leaderboard import Leaderboard


class Host(FramedApp[object]):
    """A screen, and the app's own keys."""

    BINDINGS = bindings("app")
    COMMANDS = {ArenaCommands}  # noqa: RUF012

    def __init__(self, shown: Screen[None], keys: Mapping[str, str]) -> None:
        super().__init__()
        self.shown = shown
        self.keymap_words = keys
        self.set_keymap(dict(keys))

    def on_mount(self) -> None:
        """Show it."""
        self.push_screen(self.shown)

    def action_help(self) -> None:
        """Nothing."""


class BoardScreen(Screen[None]):
    """A leaderboard, of which the pins are remembered."""

    def __init__(self, view: RunView) -> None:
        super().__init__()
        self.board = Leaderboard(view)
        self.asked: list[str] = []

    def compose(self):  # type: ignore[no-untyped-def]
        yield self.board

    def on_entrant_acted(self, event: EntrantActed) -> None:
        self.asked.append(event.verb)


async def offered(app: App[object], typed: str = "") -> dict[str | None, str | None]:
    """What the palette offers: help by name."""
    provider = ArenaCommands(app.screen)
    hits = provider.search(typed) if typed else provider.discover()
    return {hit.text: hit.help async for hit in hits}


def board(keys: Mapping[str, str] = {}) -> Host:
    return Host(BoardScreen(view_of(ledger_of([entrant("a"), entrant("b")], 3))), keys)


async def test_acts_of_the_focused_pane_are_offered_with_their_keys() -> None:
    app = board()
    async with app.run_test(size=(80, 24)) as pilot:
        app.screen.query_one(Leaderboard).rows.focus()
        await settled(pilot)
        told = await offered(app)
        assert told["candidate under the cursor: pin"] == "Pin the candidate; once more: unpin.  (i)"
        assert "leaderboard: filter" in told
        assert "lists: open" in told
        assert "help" in told
        assert "a run: pause" not in told
        assert list(told)[-1].startswith("lists: ")  # type: ignore[union-attr]
        assert set(await offered(app, "theme: nord")) == {"theme: nord"}


async def test_a_key_that_was_given_another_is_shown_as_it_is() -> None:
    app = board({"entrant.pin": "ctrl+i"})
    async with app.run_test(size=(80, 24)) as pilot:
        app.screen.query_one(Leaderboard).rows.focus()
        await settled(pilot)
        told = await offered(app, "pin")
        assert told["candidate under the cursor: pin"] == "Pin the candidate; once more: unpin.  (ctrl+i)"


async def test_what_is_chosen_is_done_by_the_pane() -> None:
    app = board()
    async with app.run_test(size=(80, 24)) as pilot:
        app.screen.query_one(Leaderboard).rows.focus()
        await pilot.press("ctrl+p", *"pin")
        for _ in range(100):
            await pilot.pause(0.02)
            if "cursor: pin" in (text := screen_text(app)):
                break
        assert text.index("cursor: pin") < text.index("Pin the candidate; once more: unpin.  (i)")
        await pilot.press("enter")
        for _ in range(100):
            await pilot.pause(0.02)
            if app.shown.asked:  # type: ignore[attr-defined]
                break
        assert app.shown.asked == ["pin"]  # type: ignore[attr-defined]


async def test_the_match_screen_offers_to_overrule_and_not_what_cannot_be_done() -> None:
    view = view_of(ledger_of([entrant("alpha"), entrant("beta")], 1))
    view.facts.matches[("main", 1)] = decided()  # type: ignore[attr-defined]
    for id_ in ("alpha", "beta"):
        view.facts.texts[("main", id_)] = Candidate(id_, "A text.")  # type: ignore[attr-defined]
    app = Host(MatchScreen(view, "main", 1), {})
    async with app.run_test(size=(100, 30)) as pilot:
        await settled(pilot)
        assert "match: overrule" in await offered(app)
        app.shown.check_action = lambda action, parameters: action != "overrule"  # type: ignore[method-assign]
        assert "match: overrule" not in await offered(app)
