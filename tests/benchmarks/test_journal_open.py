"""How long a journal of 100,000 matches takes from its file into a ledger, what that holds in memory, and
what one match more costs a board of 10,000."""

from __future__ import annotations

import gc
import statistics
import time
import tracemalloc
from pathlib import Path

import long_journal
import pytest
from report import heading, show

from arena_tui.console import history
from arena_tui.console.ledger import Ledger
from arena_tui.store import board_rows
from arena_tui.store.board_rows import EntrantFact, GroupFact
from arena_tui.store.reader import Reader

pytestmark = pytest.mark.benchmark

MATCHES, ENTRANTS = 100_000, 64
ROUNDS = 5


def bare(reader: Reader) -> int:
    """The rows alone, in the same pieces."""
    last = reader.last_pos()
    return sum(
        len(reader.facts(board_rows.matches, pos, min(pos + history.SPAN, last)))
        for pos in range(0, last, history.SPAN)
    )


@pytest.mark.parametrize(("words", "what"), [(20, "a line of reason each"), (1_200, "a debate of 6 KB each")])
def test_a_long_journal_is_opened_in_a_moment(tmp_path: Path, words: int, what: str) -> None:
    path = long_journal.write(tmp_path / "long.db", matches=MATCHES, entrants=ENTRANTS, words=words)
    heading(f"A journal of {MATCHES:,} matches, {what}, into a ledger")
    floors, loads = [], []
    with Reader(path) as reader:
        for _ in range(ROUNDS):
            start = time.perf_counter()
            assert bare(reader) == MATCHES
            floors.append(time.perf_counter() - start)
            start = time.perf_counter()
            ledger, _ = history.load(reader)
            ledger.board()
            loads.append(time.perf_counter() - start)
        start = time.perf_counter()
        assert history.load_at(reader, reader.last_pos() // 2).match_count < MATCHES
        halfway = time.perf_counter() - start
        del ledger
        gc.collect()
        tracemalloc.start()
        ledger, _ = history.load(reader)
        held = tracemalloc.get_traced_memory()[0] / 2**20
        tracemalloc.stop()
    floor = statistics.median(floors)
    show("file to board", statistics.median(loads), "s", floor=floor, floor_is="the bare SELECT", at_most=1)
    show("back to the middle of the run", halfway, "s")
    show("memory of the ledger", held, "MB", at_most=20)
    assert ledger.match_count == MATCHES


def test_one_match_more_costs_a_board_of_ten_thousand_little() -> None:
    heading("A board of 10,000 candidates after one match more")
    ledger = Ledger()
    ledger.open_group(GroupFact("main", None, "open", None, ""))
    for n in range(10_000):
        ledger.admit(
            EntrantFact("main", f"c{n}", "", None, None, (), 0, None, "in_tournament", 1200.0 + n % 700, None)
        )
    ledger.board("main")
    times, floors = [], []
    for n in range(1, 60):
        a, b = f"c{n * 37}", f"c{n * 91}"
        one, other = 1200.0 + n * 37 % 700, 1200.0 + n * 91 % 700
        ledger.apply([(n, "main", n, a, b, "pairwise", "a", one, one + 16, other, other - 16, False, False)])
        start = time.perf_counter()
        assert len(ledger.board("main")) == 10_000
        times.append(time.perf_counter() - start)
        start = time.perf_counter()
        sorted(ledger.entrants, key=lambda each: -each.rating)
        floors.append(time.perf_counter() - start)
    floor = 1_000 * statistics.median(floors)
    figure = 1_000 * statistics.median(times)
    show("board", figure, "ms", floor=floor, floor_is="sorting everybody once", at_most=5)
