"""What one choice and one applied outcome cost in an Elo tournament, and what the log weighs.

The bar for a choice: 2 ms at 1,000 entrants, 20 ms at 10,000. The floor beside it, measured in the same
process, is numpy's argsort of as many ratings: one full sort, which a ladder never does.
"""

from __future__ import annotations

import copy
import statistics
import time
import tracemalloc
from collections import deque
from collections.abc import Callable
from random import Random

import numpy as np
import pytest

from arena_tui.candidate import Candidate, Group
from arena_tui.facts import Match, Outcome
from arena_tui.formats.elo import EloTournament
from arena_tui.settings import EloFormat

BARS_MS = {64: None, 1_000: 2.0, 10_000: 20.0}
WORDS_A_TEXT = 100
LOOKAHEAD = 128


def started(size: int, *, similarity: str = "lexical") -> EloTournament:
    """A tournament whose entrants all have a few matches, so that every bucket can be filled."""
    rng = Random(size)
    vocabulary = ["".join(rng.choices("abcdefghijklmnop", k=6)) for _ in range(5_000)]
    members = tuple(Candidate(str(i), " ".join(rng.choices(vocabulary, k=WORDS_A_TEXT))) for i in range(size))
    format_ = EloTournament(Group("main", members), EloFormat(similarity=similarity), seed=1)
    for number in range(1, 2 * size + 1):
        a, b = rng.sample(range(size), 2)
        step = Match("main", number, str(a), str(b), "pairwise")
        format_.adopt(step)
        format_.record(Outcome(step, stronger(a, b, rng), number))
    return format_


def stronger(a: int, b: int, rng: Random) -> str:
    """Who wins, by strengths that are normal in the entrant's number."""
    return "a" if Random(a).gauss(0, 1) - Random(b).gauss(0, 1) > rng.gauss(0, 1) else "b"


def timed(call: Callable[[], object]) -> float:
    start = time.perf_counter()
    call()
    return time.perf_counter() - start


def told(seconds: list[float]) -> str:
    ordered = sorted(seconds)
    return (
        f"mean {statistics.mean(seconds) * 1e6:7.1f} us   p99 {ordered[len(ordered) * 99 // 100] * 1e6:7.1f}"
        f"   max {ordered[-1] * 1e6:8.1f}"
    )


@pytest.mark.benchmark
@pytest.mark.parametrize("size", BARS_MS)
def test_a_choice_stays_far_below_its_bar(size: int) -> None:
    format_ = started(size)
    first = timed(lambda: format_.next_steps(1))
    rng = Random(5)
    waiting = deque(format_.next_steps(LOOKAHEAD))
    choosing, recording = [], []
    for number in range(2_000):
        step = waiting.popleft()
        outcome = Outcome(step, stronger(int(step.a), int(step.b), rng), number)
        recording.append(timed(lambda outcome=outcome: format_.record(outcome)))
        choosing.append(timed(lambda: waiting.extend(format_.next_steps(1))))
    ratings = np.array([row.rating for row in format_.standings()])
    Random(1).shuffle(ratings)
    floor = statistics.mean(timed(lambda: np.argsort(ratings)) for _ in range(200))
    seeding = statistics.mean(timed(lambda k=k: Random(f"1:main:{k}")) for k in range(2_000))
    mean = statistics.mean(choosing)
    bar = BARS_MS[size]
    print(f"\n{size:,} entrants, {WORDS_A_TEXT} words each")
    print(f"  choose  {told(choosing)}" + (f"   bar {bar:g} ms: {mean * 1e3 / bar:.3f} of it" if bar else ""))
    print(f"  record  {told(recording)}")
    print(f"  floors  argsort {floor * 1e6:.1f} us: ratio {mean / floor:.2f}, seeding {seeding * 1e6:.1f} us")
    print(f"  once    first choice, texts read {first * 1e3:.1f} ms")
    print(f"          standings {timed(format_.standings) * 1e3:.2f} ms", end="   ")
    print(f"clone {timed(lambda: copy.deepcopy(format_)) * 1e3:.2f} ms")
    assert len(waiting) == LOOKAHEAD


@pytest.mark.benchmark
@pytest.mark.parametrize("size", [64, 1_000])
def test_the_log_of_a_hundred_thousand_matches_is_small(size: int) -> None:
    format_ = started(size, similarity="none")
    done = format_.progress().done
    tracemalloc.start()
    before = tracemalloc.get_traced_memory()[0]
    rng = Random(3)
    for number in range(100_000):
        a, b = rng.sample(range(size), 2)
        step = Match("main", done + number + 1, str(a), str(b), "pairwise")
        format_.adopt(step)
        format_.record(Outcome(step, "a" if rng.random() < 0.5 else "b", number))
    grown = tracemalloc.get_traced_memory()[0] - before
    tracemalloc.stop()
    refold = timed(lambda: deque(format_.history(), maxlen=0))
    print(f"\n{size:,} entrants: 100,000 matches grow it by {grown / 2**20:.1f} MB, refold in {refold:.2f} s")
    assert sum(score.matches for score in format_.scores()) // 2 == done + 100_000
