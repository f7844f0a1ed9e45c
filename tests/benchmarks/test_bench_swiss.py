"""What planning one Swiss round costs, and beside it the matching on the same positions.

The search in the order of scores is what plans; minimum-cost matching by blossom is its floor in quality
(the gap of scores it leaves) and what it falls back to.
"""

from __future__ import annotations

import statistics
import time
from collections.abc import Callable
from functools import partial
from random import Random
from typing import Any

import pytest
from report import heading, quantile, show

from arena_tui.candidate import Candidate, Group
from arena_tui.facts import Match, Outcome
from arena_tui.formats.swiss import SwissTournament
from arena_tui.formats.swiss_pairing import Paired, pair_round
from arena_tui.settings import SwissFormat
from arena_tui.vocabulary import Winner

Position = tuple[list[int], list[float], list[set[int]], list[int]]
MATCHED_ROUNDS = {8: 3, 64: 6, 256: 3}  # rounds that are given to the matching too: at 1,000 one takes 25 s


def timed(call: Callable[[], Any]) -> tuple[float, Any]:
    """Milliseconds of this thread, whatever else the machine does, and the result."""
    start = time.thread_time()
    result = call()
    return (time.thread_time() - start) * 1e3, result


def stronger(step: Match, rng: Random) -> Winner:
    better = Random(step.a).gauss(0, 1) - Random(step.b).gauss(0, 1) > rng.gauss(0, 1)
    return "draw" if rng.random() < 0.1 else "a" if better else "b"


def play(size: int, seed: int) -> list[float]:
    """A tournament of log2 rounds; milliseconds to plan each, everything included."""
    members = tuple(Candidate(str(i), str(i)) for i in range(size))
    format_ = SwissTournament(Group("main", members), SwissFormat(), seed=seed)
    rng = Random(seed)
    planning: list[float] = []
    number = 0
    while True:
        took, steps = timed(lambda: format_.next_steps(1 << 30))
        if not steps:
            return planning
        planning.append(took)
        for step in steps:
            number += 1
            format_.record(Outcome(step, stronger(step, rng), number))


def positions(size: int, seed: int) -> list[Position]:
    """The positions before each round of such a tournament."""
    scores, met, byes = [0.0] * size, [set[int]() for _ in range(size)], [0] * size
    rng = Random(seed)
    draws = rng.sample(range(size), size)
    found: list[Position] = []
    for _ in range((size - 1).bit_length()):
        order = sorted(range(size), key=lambda e: (-scores[e], draws[e]))
        found.append((order, scores[:], [set(each) for each in met], byes[:]))
        paired = pair_round(*found[-1])
        assert paired is not None
        for one, other in paired.pairs:
            met[one].add(other)
            met[other].add(one)
            winner = stronger(Match("main", 1, str(one), str(other), "pairwise"), rng)
            scores[one] += {"a": 1.0, "draw": 0.5}.get(winner, 0.0)
            scores[other] += {"b": 1.0, "draw": 0.5}.get(winner, 0.0)
    return found


def gap(paired: Paired, scores: list[float]) -> float:
    return statistics.mean(abs(scores[one] - scores[other]) for one, other in paired.pairs)


@pytest.mark.benchmark
@pytest.mark.parametrize("size", [8, 64, 256, 1_000])
def test_a_round_is_planned_in_little_time(size: int) -> None:
    runs = max(1, 512 // size)
    planning = [took for seed in range(runs) for took in play(size, seed)]
    at = [position for seed in range(runs) for position in positions(size, seed)]
    searched = [timed(partial(pair_round, *p)) for p in at]
    assert not any(paired.matched for _, paired in searched)
    heading(f"Swiss, {size:,} entrants, {len(at)} rounds of {runs} tournaments")
    show("plan a round, whole format, median", statistics.median(planning), "ms")
    show("plan a round, whole format, p95", quantile(planning, 0.95), "ms")
    show("the search alone, median", statistics.median(took for took, _ in searched), "ms")
    show(
        "gap of scores left by the search",
        statistics.mean(gap(p, s[1]) for (_, p), s in zip(searched, at, strict=True)),
    )
    if size not in MATCHED_ROUNDS:
        return
    some = at[: MATCHED_ROUNDS[size]]
    matched = [timed(partial(pair_round, *p, steps_per_entrant=0)) for p in some]
    again = [took for took, _ in searched[: len(some)]]
    show(
        "the matching instead, median, same positions",
        statistics.median(took for took, _ in matched),
        "ms",
        floor=statistics.median(again),
        floor_is="the search",
    )
    both = [(gap(p, s[1]), gap(q, s[1])) for (_, p), (_, q), s in zip(matched, searched, some, strict=False)]
    show(
        "gap of scores left by the search there",
        statistics.mean(found for _, found in both),
        floor=statistics.mean(best for best, _ in both),
        floor_is="the matching",
    )
