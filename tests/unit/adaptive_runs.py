"""Pools, judges and a driver for tests of the adaptive tournament."""

from __future__ import annotations

import math
import sys
from collections import deque
from collections.abc import Callable
from random import Random
from typing import Any, Literal

import pytest

from arena_tui.candidate import Candidate, Group
from arena_tui.facts import Intervention, Match, Outcome
from arena_tui.formats.adaptive import AdaptiveTournament
from arena_tui.ratings import posterior as posterior_module
from arena_tui.ratings.posterior import Counts, Posterior, posterior
from arena_tui.settings import AdaptiveFormat
from arena_tui.vocabulary import Winner

Goal = Literal["best", "balanced", "order"]


def pool(count: int, **fields: Any) -> Group:
    return Group("main", tuple(Candidate(f"c{i:03d}", f"text {i}", **fields) for i in range(count)))


def classes(*sizes: int) -> Group:
    """Classes `x`, `y`, ... of these sizes, their members taking turns in the pool."""
    members = [(i, "xyz"[c]) for c, size in enumerate(sizes) for i in range(size)]
    return Group("main", tuple(Candidate(f"{c}{i:02d}", f"{c} {i}", class_=c) for i, c in sorted(members)))


def adaptive(
    group: Group | int = 8, *, goal: Goal = "balanced", seed: int = 7, **judge: Any
) -> AdaptiveTournament:
    group = pool(group) if isinstance(group, int) else group
    return AdaptiveTournament(group, AdaptiveFormat(goal=goal), seed=seed, **judge)


def verdict(seed: int) -> Callable[[Match], Winner]:
    """A judge of strengths in pool order: a function of seed and step alone; some draws, few voids."""

    def judge(step: Match) -> Winner:
        rng = Random(f"{seed}:{step.seq}")
        special = rng.random()
        if special < 0.12:
            return "void" if special < 0.03 else "draw"
        gap = (int(step.b[1:]) - int(step.a[1:])) * 0.3 + 0.3
        return "a" if rng.random() < (1.0 + math.tanh(gap / 2)) / 2 else "b"

    return judge


def play(
    format_: AdaptiveTournament, count: int, judge: Callable[[Match], Winner], lookahead: int = 4
) -> list[Match | Outcome | Intervention]:
    """Drive `count` outcomes through an exact window; the journal, in the order the format saw it."""
    waiting = deque(format_.next_steps(lookahead))
    journal: list[Match | Outcome | Intervention] = list(waiting)
    done = format_.progress().done
    for number in range(done + 1, done + count + 1):
        step = waiting.popleft()
        outcome = Outcome(step, judge(step), number)
        format_.record(outcome)
        more = format_.next_steps(1)
        waiting.extend(more)
        journal += [outcome, *more]
    return journal


def replay(format_: AdaptiveTournament, journal: list[Match | Outcome | Intervention]) -> None:
    for entry in journal:
        if isinstance(entry, Match):
            format_.adopt(entry)
        elif isinstance(entry, Outcome):
            format_.record(entry)
        else:
            format_.intervene(entry)


def count_fits(monkeypatch: pytest.MonkeyPatch) -> list[Counts]:
    """A list that the counts of every fit made from now on are put into."""
    made: list[Counts] = []

    def counting(n: int, counts: Counts) -> Posterior:
        made.append(counts)
        return posterior(n, counts)

    monkeypatch.setattr(posterior_module, "posterior", counting)
    return made


def names(step: Match) -> set[str]:
    return {step.a, step.b}


def main() -> None:
    """Print a schedule for each goal; arguments are pairs of entrants and outcomes."""
    for size, count in zip(sys.argv[1::2], sys.argv[2::2], strict=True):
        goals: tuple[Goal, ...] = ("best", "balanced", "order")
        for goal in goals:
            journal = play(adaptive(int(size), goal=goal), int(count), verdict(3), lookahead=8)
            print(size, goal, *(f"{s.a}-{s.b}" for s in journal if isinstance(s, Match)))


if __name__ == "__main__":
    main()
