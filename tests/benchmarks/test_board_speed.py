"""What the leaderboard costs: CPU time from changed facts to the painted screen, beside a DataTable's."""

from __future__ import annotations

import random
import statistics
import sys
import time
from pathlib import Path

import pytest
from report import heading, quantile, show
from textual.app import ComposeResult
from textual.pilot import Pilot
from textual.widgets import DataTable

sys.path.append(str(Path(__file__).parents[1] / "console"))

from console_facts import entrant, ledger_of, view_of

from arena_tui.console.framed import FramedApp
from arena_tui.console.ledger import Ledger
from arena_tui.console.widgets.leaderboard import Leaderboard
from arena_tui.store.board_rows import MatchFact

pytestmark = pytest.mark.benchmark

ROUNDS = 60
CHANGED = 8  # entrants between two pulls
SIZE = (120, 40)


def meet(ledger: Ledger, rng: random.Random, matches: int, among: int) -> None:
    """Matches among the first `among` on the board, where they are seen."""
    top = ledger.entrants[:among]
    for _ in range(matches):
        a, b = rng.sample(top, 2)
        gain = rng.uniform(2, 14)
        seq = ledger.groups["main"].applied + 1
        ratings = (a.rating, a.rating + gain, b.rating, b.rating - gain)
        ledger.apply([MatchFact(ledger.pos + 1, "main", seq, a.id, b.id, "pairwise", "a", *ratings, False)])


class BoardApp(FramedApp[None]):
    def __init__(self, ledger: Ledger) -> None:
        super().__init__()
        self.clock = 0.0
        self.board = Leaderboard(view_of(ledger), now=lambda: self.clock)

    def compose(self) -> ComposeResult:
        yield self.board


class TableApp(FramedApp[None]):
    def compose(self) -> ComposeResult:
        yield DataTable()


async def painted(pilot: Pilot[None]) -> None:
    await pilot.pause()


@pytest.mark.parametrize("size", [40, 1_000, 10_000])
async def test_the_leaderboard_beside_a_data_table(size: int) -> None:
    heading(f"Leaderboard of {size:,}: {CHANGED} entrants changed, {SIZE[0]}x{SIZE[1]}, CPU per refresh")
    rng = random.Random(5)
    ledger = ledger_of([entrant(f"idea{i}", title=f"An idea about matter number {i}") for i in range(size)])
    meet(ledger, rng, 3 * min(size, 1_000), size)
    calls: list[float] = []
    whole: list[float] = []
    resorted: list[float] = []
    idle: list[float] = []
    app = BoardApp(ledger)
    async with app.run_test(size=SIZE) as pilot:
        await painted(pilot)
        for number in range(ROUNDS):
            meet(ledger, rng, CHANGED // 2, 30)
            due = number % 4 == 3
            app.clock += 100.0 if due else 0.0
            start = time.process_time()
            app.board.pull()
            called = time.process_time() - start
            await painted(pilot)
            (resorted if due else calls).append(called)
            whole.append(time.process_time() - start)
            start = time.process_time()
            app.board.pull()
            idle.append(time.process_time() - start)
    table_cost = await _table(size, rng)
    show("pull with nothing changed", statistics.median(idle) * 1e3, "ms")
    show("pull without a new order (3 of 4)", statistics.median(calls) * 1e3, "ms")
    show("pull with a new order (1 of 4)", statistics.median(resorted) * 1e3, "ms")
    show(
        "pull to painted, median",
        statistics.median(whole) * 1e3,
        "ms",
        floor=table_cost * 1e3,
        floor_is=f"DataTable, {CHANGED} x update_cell",
    )
    show("pull to painted, p95", quantile(whole, 0.95) * 1e3, "ms")


async def _table(size: int, rng: random.Random) -> float:
    """Seconds of CPU from eight changed cells to the painted screen."""
    app = TableApp()
    costs = []
    async with app.run_test(size=SIZE) as pilot:
        table = app.query_one(DataTable)
        columns = table.add_columns("#", "+/-", "title", "rating", "W-D-L", "n", "trend", "state")
        rows = [
            table.add_row(str(i), "", f"An idea about matter number {i}", "1200", "0-0-0", "0", "", "")
            for i in range(size)
        ]
        await painted(pilot)
        for _ in range(ROUNDS):
            start = time.process_time()
            for row in rng.sample(rows[:30], CHANGED):
                table.update_cell(row, columns[3], str(rng.randint(1000, 1400)))
            await painted(pilot)
            costs.append(time.process_time() - start)
    return statistics.median(costs)
