"""115 arguments on four questions, judged by the recorded majority of five people a pair."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from scripted_runs import create, exported, run

from arena_tui.ratings.agreement import kendall_tau_b

LIMITS = {"wall_clock": "1h", "concurrency": 8, "lookahead": 16}


@pytest.fixture(scope="module")
def recorded(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Where the majority votes are written down for the recorded judge."""
    return tmp_path_factory.mktemp("votes") / "majority.jsonl"


def lines(path: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]


def majority(votes: list[dict[str, Any]]) -> str:
    """What most people said; a draw where a and b have equally many, or fewer than the draws."""
    said = Counter(vote["vote"] for vote in votes)
    if said["a"] == said["b"] or said["draw"] > max(said["a"], said["b"]):
        return "draw"
    return "a" if said["a"] > said["b"] else "b"


def a_run(db: Path, data: Path, recorded: Path, topics: list[str]) -> Path:
    votes = [
        {"group": row["topic"], "a": row["a"], "b": row["b"], "winner": majority(row["votes"])}
        for row in lines(data / "verdicts.jsonl")
    ]
    recorded.write_text("".join(json.dumps(vote) + "\n" for vote in votes), encoding="utf-8")
    candidates = [
        {"group": row["topic"], "id": row["id"], "text": row["text"]}
        for row in lines(data / "candidates.jsonl")
        if row["topic"] in topics
    ]
    judge = {"kind": "recorded", "file": str(recorded), "symmetric": True}
    return create(db, candidates, judge=judge, stop={"rule": "stability"}, limits=LIMITS, seed=1)


def test_all_four_topics_end_stable_and_one_alone_plays_the_same_matches(
    fresh: Callable[[], Path], shared: Callable[[str], Path], recorded: Path
) -> None:
    data = shared("argument_tournament")
    reference: dict[str, dict[str, float]] = {}
    for row in lines(data / "reference_bt.jsonl"):
        reference.setdefault(row["topic"], {})[row["id"]] = row["log_strength_centred"]
    topics = list(reference)
    together = a_run(fresh(), data, recorded, topics)
    ended = run(together, own_judge=True)
    assert (ended.reason, ended.code) == ("ELO_STABLE", 0)
    assert ended.result.groups["stop_reasons"] == dict.fromkeys(topics, "ELO_STABLE")
    assert ended.result.matches["void"] == 0, "every pair is on record"
    for topic in topics:
        rows = [row for row in ended.result.standings if row.group == topic and row.twin_of is None]
        tau = kendall_tau_b({row.id: row.rating for row in rows}, reference[topic])
        assert tau is not None
        played = sum(row.matches for row in rows) // 2
        print(f"{topic}: {len(rows)} arguments, {played} matches, Kendall tau-b {tau:.3f}")
        assert tau > 0.4
        alone = a_run(fresh(), data, recorded, [topic])
        assert run(alone, own_judge=True).reason == "ELO_STABLE"
        assert exported(alone) == exported(together, topic)
