"""Recorded tournaments of another system, played through engine, journal and database once more."""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any
from unittest import mock

import pytest
from scripted_runs import ScriptedJudge, create, matches, run

from arena_tui.candidate import Group
from arena_tui.engine import course
from arena_tui.facts import Intervention, Leaders, Match, Outcome, Progress, RatingChange, Standing
from arena_tui.formats.elo import EloTournament
from arena_tui.judging.base import Question
from arena_tui.settings import EloFormat
from arena_tui.vocabulary import Said, StopReason

Rows = dict[str, list[dict[str, Any]]]


@pytest.fixture
def logged(shared: Callable[[str], Path]) -> Rows:
    """The logged matches by run, in the order of the log."""
    by_run: Rows = defaultdict(list)
    with (shared("coscientist_llnl") / "matches.jsonl").open(encoding="utf-8") as lines:
        for line in lines:
            row = json.loads(line)
            by_run[row["run"]].append(row)
    return by_run


class LoggedPairs:
    """Hands out the pairs of a log, in its order, and rates them by Elo with K 32 throughout."""

    windowed = True
    off_loop = False

    def __init__(self, group: Group, rows: list[dict[str, Any]]) -> None:
        self._group = group.id
        self._rows = rows
        self._planned = 0
        self._elo = EloTournament(group, EloFormat(new_threshold=10**9), seed=0)

    def next_steps(self, room: int) -> list[Match]:
        steps = []
        for row in self._rows[self._planned : self._planned + room]:
            steps.append(Match(self._group, self._planned + 1, row["a"], row["b"], "pairwise"))
            self.adopt(steps[-1])
        return steps

    def adopt(self, step: Match) -> None:
        self._elo.adopt(step)
        self._planned += 1

    def record(self, outcome: Outcome) -> RatingChange | None:
        return self._elo.record(outcome)

    def intervene(self, action: Intervention) -> None:
        self._elo.intervene(action)

    def __getattr__(self, name: str) -> Any:
        return getattr(self._elo, name)

    def standings(self) -> list[Standing]:
        return self._elo.standings()

    def leaders(self, count: int) -> Leaders:
        return self._elo.leaders(count)

    def history(self) -> Iterator[RatingChange]:
        return self._elo.history()

    def finished(self) -> StopReason | None:
        return "COMPLETED" if self._planned == len(self._rows) else None

    def progress(self) -> Progress:
        return Progress(self._planned, len(self._rows))


def test_all_logged_ratings_of_all_runs_come_back_from_the_database_to_half_a_hundredth(
    db: Path, logged: Rows
) -> None:
    candidates = [
        {"id": id_, "group": name, "text": f"{id_} of {name}"}
        for name, rows in logged.items()
        for id_ in dict.fromkeys(id_ for row in rows for id_ in (row["a"], row["b"]))
    ]

    def say(question: Question) -> Said:
        return "first" if logged[question.group][question.seq - 1]["winner"] == "a" else "second"

    def of_the_log(tournament: object, group: Group, seed: int, texts: object) -> LoggedPairs:
        return LoggedPairs(group, logged[group.id])

    with mock.patch.object(course, "build_format", of_the_log):
        create(db, candidates, limits={"wall_clock": "1h", "lookahead": 4, "concurrency": 64})
        ended = run(db, ScriptedJudge(say))
    assert (ended.reason, ended.code) == ("COMPLETED", 0)
    assert ended.result.groups["finished"] == len(logged) == 39
    stored = matches(db)
    assert len(stored) == 738
    by_place = {(row["group"], row["seq"]): row for row in stored}
    for name, rows in logged.items():
        for seq, row in enumerate(rows, 1):
            match = by_place[name, seq]
            assert (match["hyp_a"], match["hyp_b"], match["winner"]) == (row["a"], row["b"], row["winner"])
            won, lost = ("a", "b") if row["winner"] == "a" else ("b", "a")
            assert match[f"elo_{won}_after"] == pytest.approx(row["elo_winner_after"], abs=0.005 + 1e-9)
            assert match[f"elo_{lost}_after"] == pytest.approx(row["elo_loser_after"], abs=0.005 + 1e-9)
