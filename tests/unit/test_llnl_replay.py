"""Recorded tournaments of another system, played again match by match: every logged rating returns."""

from __future__ import annotations

import json
from collections import defaultdict
from pathlib import Path
from typing import Any

import pytest

from arena_tui.candidate import Candidate, Group
from arena_tui.facts import Match, Outcome
from arena_tui.formats.elo import EloTournament
from arena_tui.settings import EloFormat

LOG = (Path(__file__).parents[2] / "../shared/data/coscientist_llnl/matches.jsonl").resolve()


def runs() -> dict[str, list[dict[str, Any]]]:
    by_run = defaultdict(list)
    with LOG.open(encoding="utf-8") as lines:
        for line in lines:
            row = json.loads(line)
            by_run[row["run"]].append(row)
    return by_run


@pytest.mark.skipif(not LOG.exists(), reason="the recorded log is not beside this repository")
def test_every_logged_rating_of_every_run_is_reproduced_to_half_a_hundredth() -> None:
    settings = EloFormat(new_threshold=10**9)  # the recorded system knew K 32 only
    checked = 0
    for run, rows in runs().items():
        ids = dict.fromkeys(id_ for row in rows for id_ in (row["a"], row["b"]))
        group = Group(run, tuple(Candidate(id_, id_, group=run) for id_ in ids))
        tournament = EloTournament(group, settings, seed=0)
        for seq, row in enumerate(rows, start=1):
            step = Match(run, seq, row["a"], row["b"], "pairwise")
            tournament.adopt(step)
            change = tournament.record(Outcome(step, row["winner"], seq))
            assert change is not None
            after = (change.a_after, change.b_after)
            won, lost = after if row["winner"] == "a" else after[::-1]
            assert won == pytest.approx(row["elo_winner_after"], abs=0.005 + 1e-9)
            assert lost == pytest.approx(row["elo_loser_after"], abs=0.005 + 1e-9)
            checked += 2
    assert checked == 2 * 738
