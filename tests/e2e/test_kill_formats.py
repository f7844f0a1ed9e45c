"""kill -9 in mid-round, in mid-ring, between phases and between fits: every format ends as if unbroken."""

from __future__ import annotations

import signal
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest
from arena_cli import Arena

from arena_tui.engine.refolding import refold
from arena_tui.exporting import export
from arena_tui.store.crash_points import CrashPoint
from arena_tui.store.reader import Reader
from arena_tui.store.verify import structural

EXPORTS = {
    "matches": ".csv",
    "comparisons": ".csv",
    "standings": ".csv",
    "pairings": ".csv",
    "config": ".yaml",
}
USAGE = {"input_tokens": 100, "output_tokens": 10, "usd": 0.001}
MESSY = {"latency": {"mean": 0.002, "cv": 1.0}, "draw_rate": 0.15, "invalid_rate": 0.1}
UNLIMITED = {"usd": 50, "concurrency": 3}
GROUPS = 25
AHEAD = 6  # a step of an adaptive run is planned when all but so many before it are applied


def texts(size: int, group: str = "main") -> list[dict[str, Any]]:
    return [{"id": f"{group}{n}", "group": group, "text": f"{group}: text {n}"} for n in range(size)]


def answers(prompts: int, systems: Iterable[str]) -> list[dict[str, Any]]:
    return [
        {"group": f"q{n}", "id": f"q{n}{s}", "system": s, "text": f"{s} on {n}"}
        for n in range(prompts)
        for s in systems
    ]


def record(n: int) -> dict[str, Any]:
    """While the n-th outcome of the sitting has taken effect and is not written down."""
    return {"crash": [CrashPoint.IN_RECORD, n]}


def commit(n: int) -> dict[str, Any]:
    return {"crash": [CrashPoint.AFTER_COMMIT, n]}


def before(seq: int, group: str = "main") -> dict[str, Any]:
    """With all that came before this step on disk, as at the end of a round or a phase.

    The sittings before it must not come so far: what is planned is written down behind the tests' backs.
    """
    return {"unplanned": [group, seq]}


@dataclass(frozen=True)
class Case:
    """A tournament and where its sittings are killed, one after the other.

    The exported pairings hold the words `said`, so that it comes to what it is meant to show.
    """

    kills: list[dict[str, Any]]
    parts: dict[str, Any]
    judge: dict[str, Any] = field(default_factory=dict)
    code: int = 0
    said: str = ""


CASES = {
    "swiss": Case(  # two groups: rounds of 3 and of 2 matches, one with byes
        [record(2), before(4, "b"), before(7, "a"), record(2), commit(2)],
        {"candidates": [*texts(7, "a"), *texts(4, "b")], "format": {"kind": "swiss"}},
        {"orders": "both", "latency": 0.002},
        said="bye",
    ),
    "round_robin": Case(
        [record(4), before(7), record(5), before(13), commit(8)],
        {"candidates": texts(6), "format": {"kind": "round_robin", "double": True}},
    ),
    "knockout": Case(  # a best of three with byes, and games asked again
        [record(1), before(7), record(3), record(4), commit(4)],
        {"candidates": texts(7), "format": {"kind": "knockout", "best_of": 3}},
        {"invalid_rate": 0.3},
        said="asked again",
    ),
    "pivot": Case(  # a ring of eight, then sixteen matches of three pivots
        [record(3), record(2), before(9), record(1), commit(5)],
        {"candidates": texts(8), "format": {"kind": "pivot", "pivots": 3}},
        {"soft": True},
        said="against pivot 3",
    ),
    "adaptive": Case(  # an opening of eight matches, then a fit after every second outcome: 10, not 11
        [record(3), before(10 + AHEAD), before(11 + AHEAD), record(3), commit(6)],
        {
            "candidates": texts(16),
            "format": {"kind": "adaptive"},
            "stop": {"rule": "confident", "delta": 1.5},
            "limits": {**UNLIMITED, "matches": 150},
        },
        said="information",
    ),
    "systems": Case(
        [record(3), before(9, "*"), record(5), commit(6)],
        {
            "candidates": answers(3, "wxyz"),
            "compare": "systems",
            "baseline": "x",
            "format": {"kind": "adaptive"},
            "limits": {**UNLIMITED, "matches": 36},
        },
        code=3,
    ),
}


def exports(db: Path) -> dict[str, bytes]:
    """What `arena export --to` writes of a run."""
    written = {}
    for what, suffix in EXPORTS.items():
        to = db.with_suffix(f".{what}{suffix}")
        export(db, what, to, False)
        written[what] = to.read_bytes()
    return written


@pytest.mark.parametrize("name", CASES)
def test_a_run_killed_again_and_again_ends_like_the_unbroken_run(arena: Arena, name: str) -> None:
    case = CASES[name]
    judge = {"kind": "simulated", "mode": "pairwise", "usage": USAGE, **MESSY, **case.judge}
    file = arena.tournament(**{"judge": judge, "limits": UNLIMITED} | case.parts)
    db, unbroken = arena.folder / "run.db", arena.folder / "unbroken.db"
    applied: list[int] = []
    for kill, wishes in enumerate(case.kills):
        verb = ("resume", db) if kill else ("--no-ui", "--db", db, file)
        killed = arena.run(*verb, "--quiet", driver=wishes)
        assert killed.code == -signal.SIGKILL, f"not killed at {wishes}, after {applied}: {killed}"
        assert structural(db) == []
        with Reader(db) as reader:
            assert refold(reader) == []
            applied.append(reader.applied())
    assert applied == sorted(applied)
    ended = arena.run("resume", db, "--quiet")
    assert ended.code == case.code, ended
    arena.verify(db)
    whole = arena.run("--no-ui", "--quiet", "--db", unbroken, file)
    assert whole.code == case.code, whole
    print(f"{name}: killed after {applied} outcomes")
    found = exports(db)
    assert case.said.encode() in found["pairings"]
    assert found == exports(unbroken)


def test_many_groups_are_killed_and_resumed_and_advance_round_by_round(arena: Arena) -> None:
    """Sixteen candidates each. Killed, stopped in the second round by a limit, killed again, played to the
    end: as the run that nothing stopped."""
    everyone = [row for number in range(GROUPS) for row in texts(16, f"g{number:03}")]
    file = arena.tournament(
        candidates=everyone,
        format={"kind": "swiss"},
        judge={"kind": "simulated", "orders": "alternate", "draw_rate": 0.1},
        limits={"concurrency": 16},
    )
    db, unbroken = arena.folder / "run.db", arena.folder / "unbroken.db"
    limit = GROUPS * 12 + 5
    start = ("--no-ui", "--quiet", "--set", f"limits.matches={limit}", "--db", db, file)
    killed = arena.run(*start, driver=record(GROUPS * 6))
    assert killed.code == -signal.SIGKILL, killed
    stopped = arena.run("resume", db, "--quiet")
    assert stopped.code == 3, stopped
    with Reader(db) as reader:
        rounds = Counter((row["group"], row["round"]) for row in reader.matches())
    assert sum(rounds.values()) == limit
    finished = [sum(played == 8 for (of, _), played in rounds.items() if of == group) for group, _ in rounds]
    begun = [max(number for of, number in rounds if of == group) for group, _ in rounds]
    assert min(finished) >= 1
    assert max(begun) <= 2
    assert arena.run("act", db, "limit", "matches=null").code == 0
    killed = arena.run("resume", db, "--quiet", driver=record(GROUPS * 7))
    assert killed.code == -signal.SIGKILL, killed
    ended = arena.run("resume", db, "--quiet")
    assert ended.code == 0, ended
    arena.verify(db)
    whole = arena.run("--no-ui", "--quiet", "--db", unbroken, file)
    assert whole.code == 0, whole
    with Reader(db) as reader:
        assert reader.applied() == GROUPS * 32
    assert exports(db) == exports(unbroken)
