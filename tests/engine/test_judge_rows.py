"""What a run has stored about its judge is counted as it was said, also after a person has overruled it."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable
from pathlib import Path

import pytest
from small_run import applied, id_of, match, new, plan, write

from arena_tui.candidate import Candidate, Group
from arena_tui.ratings.proportions import PairTally
from arena_tui.store import facts
from arena_tui.store.judge_rows import CallFigures, OrderCount
from arena_tui.store.reader import Reader
from arena_tui.vocabulary import Orientation, Said

Unit = Callable[[sqlite3.Connection], None]


@pytest.fixture
def path(tmp_path: Path) -> Path:
    texts = {"c0": "a short text", "c1": "a text that is a good deal longer", "c2": "an equal one"}
    group = Group("main", tuple(Candidate(id_, text) for id_, text in texts.items()))
    return new(tmp_path / "run.db", group)


def said(step: int, orientation: Orientation, verdict: Said) -> Unit:
    return lambda conn: facts.insert_verdict(conn, step, orientation, verdict)


def call(step: int, orientation: Orientation = "ab", **more: object) -> Unit:
    fields = {"text": "a reply", **more}
    return lambda conn: facts.insert_reply(conn, step, orientation, **fields)  # type: ignore[arg-type]


def test_nothing_was_said_yet(path: Path) -> None:
    with Reader(path) as reader:
        rows = reader.about_judge()
        assert list(rows.pairs) == []
    assert (rows.orders, rows.longer_won, rows.calls) == ([], (0, 0), CallFigures())


def test_verdicts_are_counted_by_order_and_only_of_applied_matches(path: Path) -> None:
    write(
        path,
        *(plan(n, n, match(n)) for n in (1, 2, 3, 4)),
        said(1, "ab", "first"), said(1, "ba", "second"),
        said(2, "ab", "first"), said(2, "ba", "second"),
        said(3, "ba", "invalid"),
        said(4, "ab", "second"),
        applied(5, 1, match(1), 1), applied(6, 2, match(2), 2), applied(7, 3, match(3), 3, "void"),
    )  # fmt: skip
    with Reader(path) as reader:
        assert reader.about_judge().orders == [
            OrderCount(None, "invalid", 1),
            OrderCount("first", "second", 2),
        ]


def test_pairs_know_who_was_first_whoever_was_named_first(path: Path) -> None:
    turned = match(2, "c1", "c0")
    write(
        path,
        plan(1, 1, match(1)), plan(2, 2, turned), plan(3, 3, match(3, "c2", "c1")),
        said(1, "ab", "first"), said(1, "ba", "first"),  # c0 first: c0 won; c1 first: c1 won
        said(2, "ab", "second"), said(2, "ba", "second"),  # c1 first: c0 won; c0 first: c1 won
        said(3, "ab", "draw"),
        applied(4, 1, match(1), 1), applied(5, 2, turned, 2), applied(6, 3, match(3, "c2", "c1"), 3, "draw"),
    )  # fmt: skip
    with Reader(path) as reader:
        assert list(reader.about_judge().pairs) == [("main", "c0", "c1", PairTally(1, 1, 1, 1))]


def test_longer_text_wins_as_it_was_played_not_as_it_was_overruled(path: Path) -> None:
    steps = [match(1), match(2), match(3, "c1", "c0"), match(4, "c0", "c2")]
    write(path, *(plan(n, n, step) for n, step in enumerate(steps, 1)))
    write(path, applied(5, 1, steps[0], 1, "b"), applied(6, 2, steps[1], 2, "a"))
    write(path, applied(7, 3, steps[2], 3, "a"), applied(8, 4, steps[3], 4, "a"))
    with Reader(path) as reader:
        assert reader.about_judge().longer_won == (2, 3), "equal lengths tell nothing"
    write(path, lambda conn: facts.mark_overruled(conn, id_of(steps[0]), "a", 9))
    with Reader(path) as reader:
        assert reader.about_judge().longer_won == (2, 3)


def test_calls_are_measured_where_they_were_really_made(path: Path) -> None:
    write(path, *(plan(n, n, match(n)) for n in range(1, 102)))
    write(path, *(call(n, seconds=n / 10, usd=n / 1000) for n in range(1, 101)))
    write(
        path,
        call(1, sample=1, from_cache=True, usd=0.0, seconds=0.0),
        call(2, attempt=2, failure="timed out", seconds=99.0, usd=5.0),
        call(1, member=1, usd=0.05, seconds=5.0),
    )
    with Reader(path) as reader:
        figures = reader.about_judge().calls
    assert (figures.real, figures.from_cache, figures.asked, figures.asked_again) == (101, 1, 101, 1)
    assert figures.seconds == (5.0, 9.0, 9.9)
    assert figures.usd == (0.05, 0.09, 0.099)
    write(path, call(101, usd=None))
    with Reader(path) as reader:
        figures = reader.about_judge().calls
    assert figures.usd is None, "one unknown price makes the costs unknown"
    assert figures.seconds == (5.0, 9.0, 9.9), "a call that was not timed counts for nothing"
