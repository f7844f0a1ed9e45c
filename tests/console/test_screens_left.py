"""Leaving a screen, or the console, while something is still being looked up for it."""

from __future__ import annotations

import asyncio

import pytest
from console_facts import entrant, ledger_of, settled, view_of
from screen_app import ScreenApp

from arena_tui.console.ledger import Ledger
from arena_tui.console.screens.history import HistoryScreen


@pytest.mark.parametrize("leave", ["pop_screen", "exit"])
async def test_a_moment_that_is_read_while_the_screen_goes_shows_itself_nowhere(
    monkeypatch: pytest.MonkeyPatch, leave: str
) -> None:
    """What is found between the end of its widgets and its own would be shown to nobody, and is not."""
    facts = [entrant("alpha"), entrant("beta")]
    app = ScreenApp(HistoryScreen(view_of(ledger_of(facts, 10))))
    asked = asyncio.Event()

    async def at(pos: int) -> Ledger:
        asked.set()
        for _ in range(10_000):
            if not app.shown.query("*"):
                break
            await asyncio.sleep(0)
        return ledger_of(facts, pos)

    monkeypatch.setattr(app.shown.view.facts, "at", at)
    async with app.run_test(size=(120, 40)) as pilot:
        await settled(pilot)
        await pilot.press("left")
        await asyncio.wait_for(asked.wait(), 10)
        getattr(app, leave)()
        for _ in range(20):
            await asyncio.sleep(0.02)
    assert not app.shown.is_running
