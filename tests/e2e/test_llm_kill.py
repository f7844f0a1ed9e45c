"""kill -9 while a model is asked: no stored turn is asked again, and the run ends as an unbroken one does."""

from __future__ import annotations

import random
import time
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import pytest
from arena_cli import Arena, eventually
from model_brain import Request, Scripted
from model_calls import Call
from model_faults import RAMBLING
from model_runs import candidates, judge_at, judged, keyed, rows_of, unfinished, until_called
from model_server import Ways
from model_server_process import ModelServerThread
from reading_brain import reads_texts

from arena_tui.conventions import fenced
from arena_tui.store.reader import Reader

KILLS = 10
IN_FLIGHT = 8
DEBATES = 4  # at once, in the test that kills them turn by turn


def assert_stored_once(db: Path) -> int:
    """Every turn has one whole reply; how many there are."""
    done = [(*row.question, row.sample) for row in rows_of(db) if row.state == "done"]
    assert len(done) == len(set(done)), "a stored turn was asked again"
    return len(done)


def assert_ends_like_unbroken(arena: Arena, db: Path, file: Path, wire: str) -> None:
    """The run at `db` has ended; an unbroken one of the same file has the same matches, byte for byte."""
    arena.verify(db)
    assert unfinished(db) == 0
    unbroken = arena.folder / "unbroken.db"
    done = arena.run("--no-ui", "--quiet", "--db", unbroken, file, **keyed(wire))
    assert done.code == 3, done.err
    exported = arena.matches(db)
    assert exported.count("\n") > 10
    assert exported == arena.matches(unbroken)


def test_run_killed_ten_times_at_random_moments_ends_like_the_unbroken_run(arena: Arena) -> None:
    moments = random.Random("llm kill")
    db, lost = arena.folder / "run.db", []
    with ModelServerThread(reads_texts, ways=Ways(latency=0.03)) as server:
        file = arena.tournament(
            candidates=candidates(),
            judge=judge_at(server.url, "openai"),
            limits={"matches": 36, "concurrency": IN_FLIGHT, "usd": 50},
        )
        for kill in range(KILLS):
            starting = kill % 4 == 3
            running = arena.start("--no-ui", "--quiet", "--db", db, file, cold=starting, **keyed("openai"))
            if starting:  # while it starts, and the first calls of the sitting are made
                time.sleep(moments.uniform(0.2, 1.2))
            else:
                until_called(server.calls, moments.randrange(4, 16))
                time.sleep(moments.uniform(0, 0.06))
            running.kill()
            eventually(lambda: all(call.ended is not None for call in server.calls), "closed connections")
            stored = assert_stored_once(db) if db.exists() else 0
            lost.append(len(judged(server.calls)) - stored - sum(lost))
            assert 0 <= lost[-1] <= IN_FLIGHT, "no more is lost than was in flight"
        ended = arena.run("resume", db, "--quiet", **keyed("openai"))
        assert ended.code == 3, ended.err
        assert len(judged(server.calls)) == assert_stored_once(db) + sum(lost), "nothing else was asked twice"
        print(f"calls to repeat after each kill: {lost}, of {len(judged(server.calls))}")
        assert {row.sample for row in rows_of(db)} == {0}
        assert_ends_like_unbroken(arena, db, file, "openai")


class Holding:
    """A brain that lets some calls of a sitting through and holds all that come after them, for ever.

    What it rambles about once it rambles about always, until it is asked again for the format.
    """

    def __init__(self) -> None:
        self.left = 0
        self.rambles = False
        self.rambled: set[tuple[str, ...]] = set()
        self.held: list[Request] = []

    def let(self, calls: int) -> None:
        """So many more calls are answered; those that are held now stay so."""
        self.left, self.held = calls, []

    def __call__(self, request: Request) -> str | Scripted:
        if "Say hello." in request["last"]:
            return "Hello."
        if self.left:
            self.left -= 1
            shown = tuple(block.body for block in fenced(request["prompt"]))
            if self.rambles:
                self.rambled.add(shown)
            first = len(request["messages"]) == 1
            return RAMBLING if first and shown in self.rambled else reads_texts(request)
        self.held.append(request)
        return Scripted("", fault="silent")


@pytest.fixture
def brain() -> Holding:
    return Holding()


@pytest.fixture
def server(brain: Holding) -> Iterator[ModelServerThread]:
    with ModelServerThread(brain) as running:
        yield running


def whole(calls: list[Call]) -> int:
    return sum(call.outcome == "whole" for call in judged(calls))


def test_debates_killed_in_every_turn_go_on_in_that_turn(
    arena: Arena, brain: Holding, server: ModelServerThread
) -> None:
    """Four debates side by side, killed while all four wait for a turn: the second, the third, ... the
    judge's, and the judge's second one, after a first that nobody could read."""
    db = arena.folder / "run.db"
    file = arena.tournament(
        candidates=candidates(),
        judge=judge_at(
            server.url, "anthropic", mode="debate", model={"idle_timeout": 60, "total_timeout": 60}
        ),
        limits={"matches": 20, "concurrency": DEBATES},
    )
    repeated: Counter[int] = Counter()
    for turn in (1, 2, 3, 4, 5):
        brain.rambles = turn == 5
        brain.let(DEBATES)
        running = arena.start("--no-ui", "--quiet", "--db", db, file, **keyed("anthropic"))
        eventually(lambda: len(brain.held) == DEBATES, "all debates are waiting for their turn")
        stored = {row.question for row in rows_of(db)}
        assert {turn_ for *_, turn_ in stored} == set(range(min(turn, 5)))
        running.kill()
        assert len(stored) == min(turn, 5) * DEBATES
        assert assert_stored_once(db) == whole(server.calls) == turn * DEBATES, "each answer is stored, once"
        repeated[turn] = len(brain.held)
    brain.rambles = False
    brain.let(10_000)
    ended = arena.run("resume", db, "--quiet", **keyed("anthropic"))
    assert ended.code == 3, ended.err
    assert assert_stored_once(db) == whole(server.calls)
    assert len(judged(server.calls)) == whole(server.calls) + sum(repeated.values())
    first = [row for row in rows_of(db) if row.seq <= DEBATES]
    assert len(first) == 6 * DEBATES
    for row in first:
        assert row.sample == (row.reply != RAMBLING and row.attempt > 1 and row.turn == 4)
    assert {(row.turn, row.sample) for row in first if row.attempt > 1} == {(t, 0) for t in range(1, 5)} | {
        (4, 1)
    }
    with Reader(db) as reader:
        asked_again = [row["seq"] for row in reader.matches() if "re-asked" in row["flags"]]
    assert asked_again == [1, 2, 3, 4]
    assert_ends_like_unbroken(arena, db, file, "anthropic")
