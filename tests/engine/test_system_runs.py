"""Systems compared over many prompts: one format over systems, or one in every group, and one pooled fit."""

from __future__ import annotations

import asyncio
import csv
import json
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import arena_tui
from arena_tui.blind import blind_session
from arena_tui.candidate import Candidate
from arena_tui.engine.actions import Action, resolve
from arena_tui.engine.replay import replay
from arena_tui.errors import RefusedAction
from arena_tui.ratings.bradley_terry import fit
from arena_tui.ratings.uncertainty import cluster_sandwich
from arena_tui.store.reader import Reader
from arena_tui.system_results import pooled

STRENGTHS = {"weak": -1.5, "middle": 0.0, "strong": 1.5}
PROMPTS = [f"q{number}" for number in range(6)]


def texts(**changed: Any) -> list[dict[str, Any]]:
    return [
        {
            "group": q,
            "id": f"{q}-{s}",
            "system": s,
            "text": f"{s} on {q}",
            "strength": x,
            "prompt": f"Ask {q}",
        }
        for q in PROMPTS
        for s, x in STRENGTHS.items()
    ]


def run(db: Path, **sections: Any) -> arena_tui.Result:
    given = {
        "candidates": texts(),
        "compare": "systems",
        "judge": {"kind": "simulated", "mode": "pairwise"},
        "seed": 3,
        **sections,
    }
    return asyncio.run(arena_tui.arun(arena_tui.load(given), db=db))


@pytest.mark.parametrize(
    "sections",
    [
        {"format": "elo", "stop": "none", "limits": {"matches": 60}},
        {"format": "adaptive", "stop": "none", "limits": {"matches": 60}},
        {"format": {"kind": "round_robin", "cycles": 10}},
    ],
    ids=["elo", "adaptive", "round_robin"],
)
def test_one_format_runs_over_the_systems_and_its_matches_are_dealt(
    tmp_path: Path, sections: dict[str, Any]
) -> None:
    result = run(tmp_path / "run.db", baseline="middle", **sections)
    assert [row.id for row in result.standings] == ["strong", "middle", "weak"]
    assert {row.group for row in result.standings} == {"*"}
    assert (result.compare, result.groups["total"]) == ("systems", 1)
    with Reader(tmp_path / "run.db") as reader:
        course = replay(reader)
        assert list(course.groups) == ["*"]
        steps = [entry.step for entry in reader.journal() if hasattr(entry, "step")]
    used = Counter(step.at for step in steps)
    assert set(used) == set(PROMPTS)
    met = Counter((*sorted((step.a, step.b)), step.at) for step in steps)
    for pair in {key[:2] for key in met}:
        counts = [met[(*pair, q)] for q in PROMPTS]
        assert max(counts) - min(counts) <= 1, "nowhere again before everywhere"
    matrix = result.details["matrix"]
    assert matrix["strong"]["weak"] + matrix["weak"]["strong"] == pytest.approx(1.0)
    assert matrix["strong"]["weak"] > 0.7
    rates = result.details["baseline"]["win_rates"]
    assert rates["strong"]["win_rate"] == matrix["strong"]["middle"]
    assert rates["strong"]["low"] < rates["strong"]["win_rate"] < rates["strong"]["high"]


@pytest.mark.parametrize("kind", ["swiss", "pivot", "knockout"])
def test_other_formats_play_in_a_sample_of_the_groups_and_are_pooled(tmp_path: Path, kind: str) -> None:
    result = run(tmp_path / "run.db", format=kind, groups_sample=4)
    assert [row.id for row in result.standings] == ["strong", "middle", "weak"]
    assert len(result.groups["skipped"]) == 2
    assert {each["reason"] for each in result.groups["skipped"]} == {
        "not among the groups drawn for groups_sample"
    }
    total = sum(row.matches for row in result.standings)
    assert total == 2 * (result.matches["a"] + result.matches["b"] + result.matches["draw"])
    for row in result.standings:
        assert row.low is not None
        assert row.high is not None
        assert row.low < row.rating < row.high


def test_texts_of_one_system_that_met_tell_nothing_of_it(tmp_path: Path) -> None:
    pool = [*texts(), *({**row, "id": row["id"] + "-2", "text": row["text"] + "!"} for row in texts())]
    result = run(tmp_path / "run.db", candidates=pool, format="round_robin")
    assert {row.id for row in result.standings} == set(STRENGTHS)
    pooled = run(tmp_path / "swiss.db", candidates=pool, format={"kind": "swiss", "rounds": 5})
    with Reader(tmp_path / "swiss.db") as reader:
        rows = list(reader.matches())
    same = sum(row["hyp_a"].removesuffix("-2") == row["hyp_b"].removesuffix("-2") for row in rows)
    assert same > 0
    assert sum(row.matches for row in pooled.standings) == 2 * (len(rows) - same)


def test_categories_have_tables_of_their_own(tmp_path: Path) -> None:
    groups = [{"id": q, "category": "odd" if n % 2 else "even"} for n, q in enumerate(PROMPTS)]
    pool = [{key: value for key, value in row.items() if key != "prompt"} for row in texts()]
    result = run(
        tmp_path / "run.db", candidates=pool, groups=groups, format={"kind": "round_robin", "cycles": 12}
    )
    tables = result.details["by_category"]
    assert set(tables) == {"odd", "even"}
    for table in tables.values():
        assert [row["system"] for row in table] == ["strong", "middle", "weak"]


def test_later_texts_are_refused_and_systems_can_be_rejected(tmp_path: Path) -> None:
    db = tmp_path / "run.db"
    run(db, format="elo", stop="none", limits={"matches": 6})
    with Reader(db) as reader:
        course = replay(reader)
    late = Candidate(id="new", text="new", group="q0", system="strong")
    with pytest.raises(RefusedAction, match="takes no further texts"):
        resolve(Action("add", ("f",), (late,)), course, lambda *_: None)
    (resolved,) = resolve(Action("reject", ("weak",)), course, lambda *_: None)
    assert resolved.intervention.group == "*"
    with pytest.raises(RefusedAction, match="no candidate has the id 'q0-weak'"):
        resolve(Action("reject", ("q0-weak",)), course, lambda *_: None)


def test_the_complete_table_of_a_recorded_judge_gives_its_reference(
    tmp_path: Path, shared: Callable[[str], Path]
) -> None:
    """8 systems, 80 questions, both orders: every verdict is asked for once."""
    folder = shared("gpt4_double_roundrobin")
    with open(folder / "verdicts.csv", newline="") as file:
        votes = [
            {"a": row["slot_a"], "b": row["slot_b"], "group": row["question_id"], "winner": row["verdict"]}
            for row in csv.DictReader(file)
        ]
    (tmp_path / "votes.jsonl").write_text("".join(json.dumps(vote) + "\n" for vote in votes))
    systems = list(dict.fromkeys(vote["a"] for vote in votes))
    questions = list(dict.fromkeys(vote["group"] for vote in votes))
    run(
        tmp_path / "run.db",
        candidates=[
            {"group": q, "id": s, "system": s, "text": f"{s} answers {q}"} for q in questions for s in systems
        ],
        format={"kind": "round_robin", "cycles": len(questions)},
        judge={"kind": "recorded", "file": str(tmp_path / "votes.jsonl"), "orders": "both"},
    )
    with Reader(tmp_path / "run.db") as reader:
        assert reader.counts().comparisons == len(votes)
        found = pooled(replay(reader))
    plain = fit(len(found.names), found.rows().columns(), prior=None, slot=False)
    lines = (folder / "reference_bt.jsonl").read_text().splitlines()
    reference = {row["system"]: row for row in map(json.loads, lines)}
    for number, name in enumerate(found.names):
        assert plain.strength[number] == pytest.approx(reference[name]["log_strength_centred"], abs=2e-6)
    clustered = cluster_sandwich(plain, found.rows().columns()).diagonal() ** 0.5
    ratios = clustered / [reference[name]["se_centred"] for name in found.names]
    assert ratios.min() > 1.4
    assert 1.6 < ratios.mean() < 2.0


def test_a_person_judges_the_texts_that_were_shown(tmp_path: Path) -> None:
    db = tmp_path / "run.db"
    run(db, format="adaptive", stop="none", limits={"matches": 12})
    session = blind_session(db, 5)
    assert len(session.matches) == 5
    for match in session.matches:
        question = session.question(match)
        assert match.at in PROMPTS
        assert question.prompt == f"Ask {match.at}"
        assert {question.first.text, question.second.text} == {
            f"{s} on {match.at}" for s in (match.a, match.b)
        }
