"""The event loop of the console belongs to keys and frames: no query of a database ever runs in it."""

from __future__ import annotations

import threading
import traceback
from pathlib import Path
from typing import Any

import pytest
from console_facts import screen_text

from arena_tui.cockpit.installation import Installation
from arena_tui.console.app import ArenaApp, Opening
from arena_tui.console.preferences import Preferences
from arena_tui.store.schema import Reading

FILE = """\
task: Which is better?
candidates: [one text, another text, a third text, a fourth text]
format: elo
judge: {kind: simulated, mode: pairwise, latency: 0.2}
limits: {concurrency: 4, matches: 60}
stop: none
seed: 4
"""


async def test_driving_looking_and_leaving_query_nothing_on_the_loop(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("ARENA_HOME", str(tmp_path / "home"))
    file = tmp_path / "plans.yaml"
    file.write_text(FILE, encoding="utf-8")
    loop_thread, caught, queries = threading.get_ident(), [], [0]
    rows = Reading.rows

    def watched(self: Reading, query: str, parameters: Any = ()) -> list[Any]:
        queries[0] += 1
        if threading.get_ident() == loop_thread:
            caught.append("".join(traceback.format_stack(limit=6)))
        return rows(self, query, parameters)

    monkeypatch.setattr(Reading, "rows", watched)
    app = ArenaApp(Installation(), Opening(file=str(file)), Preferences())
    async with app.run_test(size=(120, 40)) as pilot:

        async def until(words: str) -> None:
            for _ in range(600):
                if words in screen_text(app):
                    return
                await pilot.pause(0.02)
            raise AssertionError(f"not shown: {words}\n{screen_text(app)}")

        await until("Enter starts")
        await pilot.press("enter")
        await until("RUNNING")
        await pilot.press("space")
        await until("PAUSED")
        await pilot.press("space", "enter")
        await until("Matches")
        await pilot.press("escape", "2", "enter")
        await until("o overrule")
        await pilot.press("escape", "H")
        await until("now: after")
        await pilot.press("escape")
        await until("BUDGET")
        await pilot.press("J")
        await until("first slot")
        await pilot.press("escape", "O")
        await until("new run")
        await pilot.press("q")
    assert queries[0] > 20
    assert not caught, caught[0]
