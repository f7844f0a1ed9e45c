"""A whole bench: all tournaments of all entries over the cores, and their figures gathered.

What each tournament gives depends on its entry, budget, arena and seed alone, so neither the number of
processes nor the order in which they finish changes a figure.
"""

from __future__ import annotations

import multiprocessing
import os
import signal
import threading
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import Future, ProcessPoolExecutor, as_completed
from concurrent.futures.process import BrokenProcessPool
from contextlib import contextmanager
from dataclasses import dataclass
from functools import lru_cache
from multiprocessing import resource_tracker
from multiprocessing.connection import wait
from typing import NamedTuple

from arena_tui.bench.amounts import amount
from arena_tui.bench.entries import Entry, tournament_of
from arena_tui.bench.measures import Means, Measures, averaged
from arena_tui.bench.playing import held
from arena_tui.bench.worlds import World
from arena_tui.errors import ArenaError
from arena_tui.settings import Tournament

TOGETHER = 8  # tournaments that a process holds between two words to the parent
_ONE_THREAD = ("OPENBLAS_NUM_THREADS", "OMP_NUM_THREADS", "MKL_NUM_THREADS")


@dataclass(frozen=True, slots=True)
class Bench:
    """What is to be run: `calls` and lookaheads as typed; `in_flight` decides the usual lookaheads."""

    world: World
    entries: tuple[Entry, ...]
    calls: tuple[str, ...]
    seeds: int
    in_flight: int = 1

    @property
    def tournaments(self) -> int:
        """How many tournaments that takes."""
        return len(self.entries) * len(self.calls) * self.world.arenas * self.seeds


class Row(NamedTuple):
    """A ranking of an entry at a budget; `calls` as typed, `made` on average."""

    label: str
    entry: Entry
    calls: str
    means: Means


class _Task(NamedTuple):
    entry: int
    calls: int
    arena: int
    seed: int


def run(bench: Bench, jobs: int, told: Callable[[int], None]) -> list[Row]:
    """Run it in `jobs` processes; `told` hears how many tournaments are done.

    Raises ArenaError when a process ended before its work was done.
    """
    tasks = [
        _Task(entry, calls, arena, seed)
        for entry in range(len(bench.entries))
        for calls in range(len(bench.calls))
        for arena in range(bench.world.arenas)
        for seed in range(bench.seeds)
    ]
    found: dict[_Task, list[Measures]] = {}
    for part, results in _over_processes(bench, tasks, jobs):
        found.update(zip(part, results, strict=True))
        told(len(found))
    return [
        Row(label, bench.entries[entry], typed, averaged(_by_arena(bench, found, entry, calls, at)))
        for calls, typed in enumerate(bench.calls)
        for entry in range(len(bench.entries))
        for at, (label, _) in enumerate(bench.entries[entry].rankings)
    ]


def _by_arena(
    bench: Bench, found: dict[_Task, list[Measures]], entry: int, calls: int, at: int
) -> list[list[Measures]]:
    return [
        [found[_Task(entry, calls, arena, seed)][at] for seed in range(bench.seeds)]
        for arena in range(bench.world.arenas)
    ]


def _over_processes(
    bench: Bench, tasks: Sequence[_Task], jobs: int
) -> Iterator[tuple[Sequence[_Task], list[list[Measures]]]]:
    context = multiprocessing.get_context("spawn")
    parts = [tasks[at : at + TOGETHER] for at in range(0, len(tasks), TOGETHER)]
    before = set(multiprocessing.active_children())
    with ProcessPoolExecutor(
        min(jobs, len(parts)) or 1, context, initializer=_begin, initargs=(bench,)
    ) as pool:
        try:
            with _quiet_children():
                waiting: dict[Future[list[list[Measures]]], Sequence[_Task]] = {
                    pool.submit(_hold, part): part for part in parts
                }
            for future in as_completed(waiting):
                yield waiting[future], future.result()
        except BrokenProcessPool:
            raise ArenaError(
                "a process of the bench ended before its work was done (too little memory?): try fewer --jobs"
            ) from None
        except BaseException:  # also when nobody wants the rest any more
            pool.shutdown(wait=False, cancel_futures=True)
            for child in set(multiprocessing.active_children()) - before:
                child.terminate()
            raise


@contextmanager
def _quiet_children() -> Iterator[None]:
    """Children that start here do their sums in one thread and leave ctrl+c to the parent.

    They inherit that it is blocked; the parent hears of one that comes meanwhile at the end.
    """
    resource_tracker.ensure_running()  # it unblocks the signal when it starts
    kept = {name: os.environ.get(name) for name in _ONE_THREAD}
    os.environ.update(dict.fromkeys(_ONE_THREAD, "1"))
    before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
    try:
        yield
    finally:
        for name, value in kept.items():
            if value is None:
                del os.environ[name]
            else:
                os.environ[name] = value
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


# -- in the children -----------------------------------------------------------------------------

_benches: list[Bench] = []  # the one that this process works for


def _begin(bench: Bench) -> None:
    """Take the bench, and leave when the parent is gone, however it went."""
    _benches[:] = [bench]
    parent = multiprocessing.parent_process()
    if parent is not None:
        threading.Thread(target=_leave_after, args=(parent.sentinel,), daemon=True).start()


def _leave_after(sentinel: int) -> None:
    wait([sentinel])
    os._exit(1)


def _hold(tasks: Sequence[_Task]) -> list[list[Measures]]:
    return [hold(_benches[0], *task) for task in tasks]


def hold(bench: Bench, entry: int, calls: int, arena: int, seed: int) -> list[Measures]:
    """One tournament of a bench: what each ranking of its entry is worth."""
    chosen = bench.entries[entry]
    n = bench.world.size(arena)
    tournament, budget = _set_up(chosen, bench.calls[calls], n, bench.in_flight, bench.world.compare)
    return held(chosen, tournament, bench.world.contest(arena, seed), budget, seed)


@lru_cache(maxsize=1_000)
def _set_up(entry: Entry, calls: str, n: int, in_flight: int, compare: str) -> tuple[Tournament, int]:
    """What the entry plays among `n`, and how many comparisons."""
    budget = amount(calls, n, "--calls")
    ahead = None if entry.lookahead is None else amount(entry.lookahead, n, "--lookahead")
    tournament = tournament_of(
        entry, n=n, calls=budget, in_flight=in_flight, lookahead=ahead, compare=compare
    )
    return tournament, budget
