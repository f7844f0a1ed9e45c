"""What keeps the console light: the footer, the collector, a forecast that nobody waits for."""

from __future__ import annotations

import asyncio
import gc
import threading
import weakref
from collections.abc import Iterator
from pathlib import Path

import pytest
from textual.app import App, ComposeResult
from textual.widgets import Footer
from textual.widgets._footer import FooterKey

from arena_tui import forecasting
from arena_tui.candidate import Pool
from arena_tui.cockpit.installation import Installation
from arena_tui.console.rubbish import SELDOM, seldom, settle
from arena_tui.console.widgets.key_line import KeyLine
from arena_tui.engine.forecast import Simulated
from arena_tui.settings import Tournament


class Ring:
    """Garbage that only the collector finds."""

    def __init__(self) -> None:
        self.me = self


@pytest.fixture
def collector() -> Iterator[None]:
    usual = gc.get_threshold()
    yield
    gc.set_threshold(*usual)
    gc.unfreeze()


@pytest.mark.usefixtures("collector")
def test_what_was_left_out_of_collections_goes_at_the_next_settling() -> None:
    ring = Ring()
    gone = weakref.ref(ring)
    settle()
    assert gc.get_freeze_count() > 0
    del ring
    gc.collect()
    assert gone() is not None
    settle()
    assert gone() is None


@pytest.mark.usefixtures("collector")
def test_collections_come_seldom() -> None:
    seldom()
    assert gc.get_threshold() == SELDOM


class Keys(App[None]):
    BINDINGS = [("a", "one", "one"), ("b", "two", "two")]  # noqa: RUF012
    offers_two = True

    def compose(self) -> ComposeResult:
        yield KeyLine()

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        return action != "two" or self.offers_two


async def test_the_footer_is_made_anew_only_when_other_keys_apply() -> None:
    app = Keys()
    async with app.run_test() as pilot:
        await pilot.pause()
        before = list(app.query(FooterKey))
        assert [key.description for key in before] == ["one", "two"]
        for _ in range(5):
            app.screen.refresh_bindings()
        await pilot.pause()
        assert list(app.query(FooterKey)) == before
        app.offers_two = False
        app.screen.refresh_bindings()
        await pilot.pause()
        assert [key.description for key in app.query(FooterKey)] == ["one"]
        assert isinstance(app.query_one(KeyLine), Footer)


async def test_a_forecast_that_is_given_up_stops_simulating(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    begun = threading.Event()
    real = forecasting.simulate

    async def simulate(tournament: Tournament, pool: Pool, seed: int, **options: bool) -> Simulated:
        begun.set()
        return await real(tournament, pool, seed, **options)  # takes many seconds

    monkeypatch.setattr(forecasting, "simulate", simulate)
    file = tmp_path / "long.yaml"
    (tmp_path / "pool.jsonl").write_text(
        "".join(f'{{"id": "c{n}", "text": "text {n}"}}\n' for n in range(200)), encoding="utf-8"
    )
    file.write_text(
        "candidates: pool.jsonl\njudge: {kind: simulated}\nlimits: {matches: 1000000}\nstop: none\n",
        encoding="utf-8",
    )
    arena = Installation()
    setup = await arena.setup(str(file))
    waiting = asyncio.ensure_future(arena.forecast(setup, setup.limits))
    assert await asyncio.to_thread(begun.wait, 10)
    waiting.cancel()
    with pytest.raises(asyncio.CancelledError):
        await waiting
    async with asyncio.timeout(10):
        await asyncio.get_running_loop().shutdown_default_executor()  # waits for its threads
