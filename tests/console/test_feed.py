"""The feed: what a database says of a run, loaded whole, followed as it grows, and taken back to a moment."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import pytest
from ledger_dump import dump

from arena_tui import Result, arun, load
from arena_tui.candidate import Candidate
from arena_tui.console import feed as feeding
from arena_tui.console import history
from arena_tui.console.feed import Feed
from arena_tui.console.ledger import Ledger
from arena_tui.engine.actions import Action
from arena_tui.engine.standstill import act_at_rest
from arena_tui.errors import ArenaError, NotARun, RunNotFound, StoreError


def candidates() -> list[dict[str, Any]]:
    rows = [
        {"id": f"c{n}", "text": f"text {n}", "group": group, "class": kind}
        for group, size in (("red", 7), ("blue", 4), ("lonely", 1))
        for n in range(size)
        for kind in [("x", "y")[n % 2] if group == "red" else None]
    ]
    rows[2] |= {"rating": 1290.0, "parent_ids": ["c0"]}
    twin = {"id": "twin", "text": "TEXT 0", "group": "red", "class": "x", "title": "Again"}
    return [*rows, twin]


TOURNAMENT = load(
    {
        "name": "told",
        "candidates": candidates(),
        "format": "elo",
        "judge": {"kind": "simulated", "mode": "pairwise", "draw_rate": 0.1, "invalid_rate": 0.1},
        "stop": {"rule": "none"},
        "limits": {"matches": 20, "concurrency": 4, "lookahead": 6},
        "seed": 11,
    }
)


def red(id_: str, text: str, **fields: Any) -> Candidate:
    return Candidate(id_, text, group="red", class_="x", **fields)


STORY: tuple[tuple[Action, ...], ...] = (
    (),
    (Action("pin", ("red:c1",)), Action("reject", ("red:c2",)), Action("focus", ("red:c4",))),
    (
        Action(
            "add", ("more.jsonl",), candidates=(red("new", "a new one", rating=1250.0), red("copy", "Text 4"))
        ),
        Action("overrule", ("red:2", "draw")),
        Action("overrule", ("blue:3", "void")),
    ),
    (Action("restore", ("red:c2",)), Action("unpin", ("red:c1",)), Action("overrule", ("red:2", "b"))),
    (Action("reject", ("blue:c0",)), Action("overrule", ("red:2", "a"))),
)
"""What is done before each sitting of the run, which then goes on for some matches."""


async def sittings(db: Path) -> AsyncIterator[Result]:
    """The run of STORY, sitting by sitting."""
    for number, actions in enumerate(STORY):
        for action in actions:
            await asyncio.to_thread(act_at_rest, db, action)
        yield await arun(TOURNAMENT, db=db, limits__matches=20 + 15 * number)


@asynccontextmanager
async def fed(db: Path) -> AsyncIterator[Feed]:
    feed = Feed(db)
    try:
        yield feed
    finally:
        await feed.close()


def standings(ledger: Ledger) -> list[tuple[Any, ...]]:
    return [
        (e.group, e.class_, e.id, e.rank, e.rating, e.wins, e.draws, e.losses, e.matches, e.state, e.flags)
        for e in ledger.board()
        if e.rank
    ]


def rows(result: Result) -> list[tuple[Any, ...]]:
    return [
        (r.group, r.class_, r.id, r.rank, r.rating, r.wins, r.draws, r.losses, r.matches, r.state, r.flags)
        for r in result.standings
    ]


async def test_a_ledger_has_the_standings_of_show_after_every_sitting_loaded_or_followed(
    tmp_path: Path,
) -> None:
    db = tmp_path / "run.db"
    feed: Feed | None = None
    moments: dict[int, dict[str, Any]] = {}
    async for result in sittings(db):
        assert result.matches["held"] == 0
        if feed is None:
            feed = Feed(db)
            await feed.open()
        else:
            assert await feed.look()
        assert standings(feed.ledger) == rows(result)
        async with fed(db) as other:
            await other.open()
            assert dump(other.ledger) == dump(feed.ledger)
        moments[feed.ledger.pos] = dump(feed.ledger)
        ends = {board.id: board.stop_reason for board in feed.ledger.groups.values() if board.stop_reason}
        assert ends == result.groups["stop_reasons"]
        assert not await feed.look(), "nothing was committed since"
    assert feed is not None
    lines = [feed.ledger.match(index) for index in range(feed.ledger.match_count)]
    assert {"void", "draw", "a", "b"} <= {line.winner for line in lines}
    assert any(line.withdrawn for line in lines)
    assert any(line.overruled for line in lines)
    assert len(moments) == len(STORY)
    for pos, moment in moments.items():
        assert dump(await feed.at(pos)) == moment, "the past is told as it was"
    await feed.close()


async def test_the_past_of_a_run_is_a_ledger_that_stopped_there(tmp_path: Path) -> None:
    """Position by position, for a run without overrules, whose rows are what they always were."""
    db = tmp_path / "run.db"
    await arun(TOURNAMENT, db=db)
    act_at_rest(db, Action("reject", ("red:c2",)))
    act_at_rest(db, Action("add", ("more.jsonl",), candidates=(red("new", "a new one"),)))
    await arun(TOURNAMENT, db=db, limits__matches=30)
    async with fed(db) as feed:
        await feed.open()
        with history.Reader(db) as reader:
            ledger = history.begin(reader)
            piece = history.read_piece(reader, 0, 0, ledger.rules)
        told = [fact for run in piece.in_order() for fact in (run if isinstance(run, list) else [run])]
        for fact in told:
            history.fold(ledger, [fact] if type(fact) is tuple else fact)
            pos = fact[0] if type(fact) is tuple else history._pos(fact)
            ledger.reach(pos)
            with history.Reader(db) as reader:
                assert dump(history.load_at(reader, pos)) == dump(ledger)
        assert (await feed.at(0)).match_count == 0


async def test_a_feed_follows_a_run_that_is_under_way(tmp_path: Path) -> None:
    db = tmp_path / "run.db"
    await arun(TOURNAMENT, db=db)
    async with fed(db) as feed:
        await feed.open()
        seen = {feed.ledger.match_count}
        async with asyncio.TaskGroup() as tasks:
            run = tasks.create_task(arun(TOURNAMENT, db=db, limits__matches=400))
            while not run.done():
                await asyncio.gather(feed.look(), feed.look())
                seen.add(feed.ledger.match_count)
        await feed.look()
        assert standings(feed.ledger) == rows(run.result())
        assert len(seen) > 2


async def test_many_facts_are_folded_in_slices_between_which_the_loop_lives(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """With no time a slice, every handful of matches gives the loop its turn; a cancelled look goes on."""
    db = tmp_path / "run.db"
    await arun(TOURNAMENT, db=db)
    await arun(TOURNAMENT, db=db, limits__matches=300)
    monkeypatch.setattr(feeding, "SLICE", 0.0)
    monkeypatch.setattr(feeding, "HANDFUL", 7)
    async with fed(db) as feed, fed(db) as whole:
        await whole.open()
        feed._version = 0  # as if opened when the run was young
        with history.Reader(db) as reader:
            feed.ledger = history.load_at(reader, 45)
        counts = {feed.ledger.match_count}
        look = asyncio.create_task(feed.look())
        while feed.ledger.match_count < 100:
            await asyncio.sleep(0)
            counts.add(feed.ledger.match_count)
        assert len(counts) > 8
        look.cancel()
        with pytest.raises(asyncio.CancelledError):
            await look
        assert feed.ledger.match_count < 300
        await feed.look()
        assert dump(feed.ledger) == dump(whole.ledger)


async def test_an_overrule_makes_a_ledger_of_its_own(tmp_path: Path) -> None:
    db = tmp_path / "run.db"
    await arun(TOURNAMENT, db=db)
    async with fed(db) as feed:
        await feed.open()
        before = feed.ledger
        line = before.match(0)
        other = "b" if line.winner != "b" else "a"
        act_at_rest(db, Action("overrule", (f"{line.group}:{line.seq}", other)))
        await feed.look()
        assert feed.ledger is not before
        assert feed.ledger.revision != before.revision
        assert (feed.ledger.match(0).winner, feed.ledger.match(0).overruled) == (other, True)
        assert (before.match(0).winner, before.match(0).overruled) == (line.winner, False)


async def test_a_match_and_a_candidate_come_with_all_that_is_stored(tmp_path: Path) -> None:
    db = tmp_path / "run.db"
    await arun(TOURNAMENT, db=db)
    async with fed(db) as feed:
        await feed.open()
        line = feed.ledger.match(3)
        record = await feed.match(line.group, line.seq)
        assert record is not None
        assert (record.a, record.b, record.winner) == (line.a.id, line.b.id, line.winner)
        assert await feed.match("red", 10_000) is None
        assert (await feed.candidate("red", "twin")).text == "TEXT 0"
        with pytest.raises(StoreError, match="no candidate 'nobody'"):
            await feed.candidate("red", "nobody")


async def test_a_run_that_is_not_there_is_damaged_or_was_deleted_is_one_sentence(tmp_path: Path) -> None:
    db = tmp_path / "run.db"
    async with fed(db) as feed:
        with pytest.raises(RunNotFound):
            await feed.open()
    await arun(TOURNAMENT, db=db)
    async with fed(db) as feed:
        await feed.look()
        db.unlink()
        with pytest.raises(RunNotFound, match="gone"):
            await feed.look()
    with pytest.raises(ArenaError, match="closed"):
        await feed.match("red", 1)
    db.write_bytes(b"no database at all, and long enough to be looked at as one" * 30)
    async with fed(db) as feed:
        with pytest.raises(NotARun):
            await feed.open()
