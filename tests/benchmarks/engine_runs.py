"""Driving one whole run in this process, with a simulated judge, for the benchmarks of the engine."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Awaitable, Callable, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from random import Random
from typing import Any
from unittest import mock

from arena_tui.candidate import Candidate
from arena_tui.engine import opening
from arena_tui.engine.events import Event
from arena_tui.engine.opening import Driver
from arena_tui.engine.tournament import Engine
from arena_tui.judging.base import Question
from arena_tui.judging.simulated import SimulatedJudge
from arena_tui.report.plain import PlainDisplay, event_lines
from arena_tui.settings import Tournament
from arena_tui.store import crash_points
from arena_tui.store.crash_points import CrashPoint
from arena_tui.tournament_file import load_mapping

IN_FLIGHT = 64
WORDS_A_TEXT = 60
UNREACHED = 1_000_000  # matches; an open-ended format without any limit is refused

Sleep = Callable[[SimulatedJudge, Question], Awaitable[None]]
Beside = Callable[[], Awaitable[None]]


@dataclass(frozen=True, slots=True)
class Measured:
    """One run: seconds of wall and of CPU (all threads), what was applied, and transactions committed."""

    matches: int
    wall: float
    cpu: float
    commits: int


def pool(size: int) -> list[dict[str, Any]]:
    """`size` different texts of 60 random words."""
    rng = Random(size)
    vocabulary = ["".join(rng.choices("abcdefghijklmnop", k=6)) for _ in range(5_000)]
    return [{"id": f"c{i}", "text": " ".join(rng.choices(vocabulary, k=WORDS_A_TEXT))} for i in range(size)]


@dataclass(frozen=True, slots=True)
class Displays:
    """What listens when `arena --no-ui --events FILE` runs, its lines written to a file."""

    plain: PlainDisplay
    events: Callable[[Event], None]
    lines: Path
    event_file: Path


@contextmanager
def displays(folder: Path) -> Iterator[Displays]:
    """The plain display and the event lines, both on."""
    lines, event_file = folder / "lines.txt", folder / "events.jsonl"
    with lines.open("a", encoding="utf-8") as stream, event_lines(str(event_file)) as events:
        plain = PlainDisplay(stream, quiet=False)
        yield Displays(plain, events, lines, event_file)
        plain.close()


def create(
    db: Path,
    size: int,
    *,
    latency: object = 0,
    usage: object = None,
    snapshots: bool = False,
    **limits: object,
) -> Path:
    """A new run at `db`: Elo, 64 in flight, a simulated judge.

    Without a limit on matches the format must end it. With `snapshots` the stability rule is at work,
    but never satisfied; otherwise there is no stop rule.
    """
    watched = {"rule": "stability", "min_matches_before_stable": UNREACHED}
    loaded = load_mapping(
        {
            "candidates": pool(size),
            "format": "elo",
            "judge": {"kind": "simulated", "latency": latency, "usage": usage or {}},
            "limits": {"concurrency": IN_FLIGHT, "matches": UNREACHED, **limits},
            "stop": watched if snapshots else {"rule": "none"},
            "seed": 1,
        }
    )
    return opening.create(loaded.tournament, loaded.pool, source=None, db=db)


def run(
    db: Path,
    *,
    shown: Displays | None = None,
    listeners: Iterable[Callable[[Event], None]] = (),
    sleep: Sleep | None = None,
    beside: Beside | None = None,
) -> Measured:
    """Drive the run at `db` to its end.

    `sleep` takes the place of the judge's latency; `beside` runs on the same event loop and is cancelled
    at the end.
    """

    def judge_of(
        tournament: Tournament, seed: int, candidates: Iterable[Candidate], secret: bytes
    ) -> SimulatedJudge:
        async def slept(question: Question) -> None:
            assert sleep is not None
            await sleep(judge, question)

        judge = SimulatedJudge(
            tournament.judge, seed=seed, candidates=candidates, sleep=None if sleep is None else slept
        )
        return judge

    commits = 0

    def count(point: CrashPoint) -> None:
        nonlocal commits
        commits += point is CrashPoint.AFTER_COMMIT

    async def driven(driver: Driver) -> Measured:
        heard = (*listeners, *(() if shown is None else (shown.plain.event, shown.events)))
        engine: Engine = driver.engine(listeners=heard)
        if shown is not None:
            shown.plain.attach(engine.state, engine.title)
        async with asyncio.TaskGroup() as tasks:
            other = None if beside is None else tasks.create_task(beside())
            start, cpu = time.perf_counter(), time.process_time()
            await engine.run()
            wall, cpu = time.perf_counter() - start, time.process_time() - cpu
            if other is not None:
                other.cancel()
        if shown is not None:
            shown.plain.close()
        return Measured(driver.course.applied, wall, cpu, commits)

    with mock.patch.object(crash_points, "hook", count), Driver(db, judge_of) as driver:
        return asyncio.run(driven(driver))
