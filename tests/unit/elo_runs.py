"""Pools, judges and a driver for tests of the Elo tournament."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable
from random import Random
from typing import Any

from arena_tui.candidate import Candidate, Group
from arena_tui.facts import Match, Outcome, RatingChange, Standing
from arena_tui.formats.elo import EloTournament
from arena_tui.settings import EloFormat
from arena_tui.vocabulary import Winner

WORDS = (
    "mice",
    "worms",
    "flies",
    "eat",
    "less",
    "sleep",
    "more",
    "cold",
    "heat",
    "gene",
    "sugar",
    "clock",
    "muscle",
    "heart",
    "skin",
    "light",
)


def candidate(name: str, **fields: Any) -> Candidate:
    text = fields.pop("text", None) or " ".join(Random(name).choices(WORDS, k=12))
    return Candidate(name, f"{name} {text}", **fields)


def pool(count: int, **fields: Any) -> Group:
    return Group("main", tuple(candidate(f"c{i:02d}", **fields) for i in range(count)))


def tournament(group: Group | int = 8, *, seed: int = 7, **options: Any) -> EloTournament:
    group = pool(group) if isinstance(group, int) else group
    judge = {name: options.pop(name) for name in ("mode", "orders") if name in options}
    return EloTournament(group, EloFormat(**options), seed=seed, **judge)


def verdict(seed: int) -> Callable[[Match], Winner]:
    """A judge that is a function of seed and step alone."""
    return lambda step: Random(f"{seed}:{step.seq}").choices(["a", "b", "draw", "void"], [6, 5, 2, 1])[0]


def play(
    format_: EloTournament, count: int, judge: Callable[[Match], Winner], lookahead: int = 4
) -> list[Any]:
    """Drive `count` outcomes through an exact window; the journal, in the order the format saw it."""
    waiting = deque(format_.next_steps(lookahead))
    journal: list[Any] = list(waiting)
    for number in range(1, count + 1):
        step = waiting.popleft()
        outcome = Outcome(step, judge(step), number)
        format_.record(outcome)
        journal.append(outcome)
        more = format_.next_steps(1)
        waiting.extend(more)
        journal += more
    return journal


def replay(format_: EloTournament, journal: list[Any]) -> None:
    for entry in journal:
        if isinstance(entry, Match):
            format_.adopt(entry)
        elif isinstance(entry, Outcome):
            format_.record(entry)
        else:
            format_.intervene(entry)


def put(format_: EloTournament, a: str, b: str, winner: Winner = "a") -> RatingChange | None:
    """Let a meet b as the next step of a format that waits for nothing, and apply the outcome."""
    number = format_.progress().done + 1
    step = Match("main", number, a, b, "pairwise")
    format_.adopt(step)
    return format_.record(Outcome(step, winner, number))


def row(format_: EloTournament, name: str) -> Standing:
    return next(standing for standing in format_.standings() if standing.id == name)


def names(step: Match) -> set[str]:
    return {step.a, step.b}


def valid_matches(format_: EloTournament) -> int:
    """Applied matches with a verdict, under the outcomes that count now."""
    return sum(score.matches for score in format_.scores()) // 2
