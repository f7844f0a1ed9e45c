"""Whole tournaments over the real SDKs on a bad day: all is decided, little is wasted, no limit is passed."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from arena_cli import Arena
from model_faults import MIXED
from model_runs import (
    MIXED_TENTH,
    ROUND,
    Watch,
    bill,
    candidates,
    judge_at,
    judged,
    keyed,
    kinds_of,
    long_texts,
    rows_of,
    unfinished,
)
from model_server import Ways
from model_server_process import ModelServerThread
from reading_brain import reads_texts

from arena_tui.store.reader import Reader

POOL = (Path(__file__).parents[2] / "../shared/data/coscientist_llnl/pool_longevity.jsonl").resolve()
WIRES = ("anthropic", "openai")


@pytest.fixture
def server() -> Iterator[ModelServerThread]:
    with ModelServerThread(reads_texts, MIXED_TENTH, Ways(latency=0.01)) as running:
        yield running


def assert_decided(db: Path, matches: int) -> None:
    """Every match that was begun is decided, or void for a reason that is told."""
    with Reader(db) as reader:
        counts = reader.counts()
        assert counts.applied + counts.held == matches
        reasons = reader.invalid_reasons(100)
        assert all(reason.strip() for reason, _ in reasons)
        assert sum(number for _, number in reasons) == counts.invalid
    assert unfinished(db) == 0


def assert_little_wasted(server: ModelServerThread, db: Path) -> dict[str, Any]:
    """Calls beyond one for each turn that was held are at most 1.5 for each fault that was met."""
    calls = judged(server.calls)
    faults = Counter(call.fault for call in calls if call.fault)
    turns = {row.question for row in rows_of(db) if row.state == "done"}
    wasted = len(calls) - len(turns)
    figures = {"calls": len(calls), "turns": len(turns), "faults": dict(faults), "wasted": wasted}
    print(figures)
    assert set(faults) == kinds_of(MIXED), "a bad day has all of it"
    assert wasted <= 1.5 * faults.total(), figures
    return figures


@pytest.mark.skipif(not POOL.is_file(), reason="the shared data is not beside this checkout")
@pytest.mark.parametrize("wire", WIRES)
def test_real_pool_is_judged_on_a_bad_day(arena: Arena, server: ModelServerThread, wire: str) -> None:
    pool = [json.loads(line) for line in POOL.read_text(encoding="utf-8").splitlines()]
    file = arena.tournament(
        task="Which hypothesis is the most promising and testable?",
        criteria=["Novelty", "Testability"],
        candidates=pool,
        judge=judge_at(server.url, wire),
        limits={"matches": 30, "concurrency": 16, "usd": 5},
    )
    db = arena.folder / "run.db"
    with Watch(db) as watch:
        done = arena.run("--no-ui", "--json", "--db", db, file, **keyed(wire))
    assert done.code == 3, done.err
    result = done.result
    assert result["stop_detail"] == "the limit of 30 matches is used up"
    assert_decided(db, 30)
    figures = assert_little_wasted(server, db)
    with Reader(db) as reader:
        modes = Counter(row["mode"] for row in reader.matches())
    assert modes["debate"] > 5
    assert result["calls"]["sent"] == figures["calls"], "every request is a stored call"
    assert watch.looks > 10
    assert watch.most_usd <= 5 + ROUND
    assert result["usage"]["usd"] <= watch.most_usd + ROUND
    arena.verify(db)


@pytest.mark.parametrize(
    ("wire", "limit", "most"), [("anthropic", "usd", 0.12), ("openai", "tokens", 36_000)]
)
def test_limit_is_never_passed_and_the_run_goes_on_with_more(
    arena: Arena, server: ModelServerThread, wire: str, limit: str, most: float
) -> None:
    """Calls in parallel, with failed attempts among them, up to the limit and no further."""
    terms = {"price": {"input": 3, "output": 15}, "max_tokens": 100}
    file = arena.tournament(
        candidates=candidates(),
        judge=judge_at(server.url, wire, model=terms, mode="debate", debate_turns=3),
        limits={"matches": 20, "concurrency": 6, limit: most},
    )
    db = arena.folder / "run.db"
    with Watch(db) as watch:
        cut = arena.run("--no-ui", "--json", "--db", db, file, **keyed(wire))
    assert cut.code == 3, cut.err
    assert cut.result["stop_reason"] == "BUDGET"
    assert f"{most:,} " in cut.result["stop_detail"], cut.result["stop_detail"]
    peak = watch.most_usd if limit == "usd" else watch.most_tokens
    assert server.peak_in_flight > 1
    assert 0.5 * most < peak <= most + ROUND
    calls = judged(server.calls)
    billed = bill(calls) if limit == "usd" else sum(call.input + call.sent for call in calls)
    assert billed <= most, "what the provider has counted is within the limit too"
    arena.verify(db)
    resumed = arena.run("resume", db, "--json", f"--add-{limit}", int(most * 20), **keyed(wire))
    assert resumed.code == 3, resumed.err
    assert_decided(db, 20)
    assert_little_wasted(server, db)
    arena.verify(db)


def test_same_tournament_again_asks_nothing_and_says_the_same(arena: Arena) -> None:
    """Under fences of its own: the cache of replies knows a prompt by its words."""
    with ModelServerThread(reads_texts) as server:
        file = arena.tournament(
            candidates=candidates(),
            judge=judge_at(server.url, "openai", cache="on"),
            limits={"matches": 20},
        )
        runs = []
        for number in (1, 2):
            db = arena.folder / f"{number}.db"
            done = arena.run("--no-ui", "--json", "--new", "--db", db, file, **keyed("openai"))
            assert done.code == 3, done.err
            runs.append((done.result["calls"], done.result["usage"], arena.matches(db)))
        (calls, usage, first), (again, free, second) = runs
        assert len(judged(server.calls)) == calls["sent"] > 50
    assert (again["sent"], again["from_cache"]) == (0, calls["sent"])
    assert usage["usd"] > 0 == free["usd"] == free["input_tokens"]
    assert first == second


@pytest.mark.parametrize("wire", WIRES)
def test_three_quarters_of_the_input_of_scores_come_from_the_providers_cache(arena: Arena, wire: str) -> None:
    """As the server counts them and the run books them: one call for each of three criteria."""
    with ModelServerThread(ways=Ways(latency=0.01)) as server:
        file = arena.tournament(
            criteria={
                "Novelty": "How far does it go beyond what cities do already?",
                "Testability": "Could it be shown within two summers that it does not work?",
                "Reach": "Does it come to those who are most likely to die?",
            },
            candidates=candidates(long_texts(12)),
            judge=judge_at(server.url, wire, mode="score"),
            limits={"matches": 40, "concurrency": 8},
        )
        done = arena.run("--no-ui", "--json", file, **keyed(wire))
    assert done.code == 3, done.err
    calls = judged(server.calls)
    assert len(calls) == 3 * 40
    share = sum(call.cached for call in calls) / sum(call.input for call in calls)
    print(f"{wire}: {share:.1%} of {sum(call.input for call in calls):,} tokens")
    assert share >= 0.75
    usage = done.result["usage"]
    assert usage["cached_input_tokens"] == sum(call.cached for call in calls)
    assert usage["input_tokens"] == sum(call.input for call in calls)
