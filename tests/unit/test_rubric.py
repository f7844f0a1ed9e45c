"""Grades of rationales: weighted over all three criteria, so that nothing left out flatters."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from arena_tui import settings
from arena_tui.commands import rubric
from arena_tui.model_families import model_family
from arena_tui.report.rubric_report import (
    RANKING_RUBRIC,
    Graded,
    Grades,
    read_grades,
    rubric_lines,
    rubric_report,
)

FULL = {"verdict_clarity": 5, "reasoning_quality": 4, "order_independence": 3}


def test_weights_are_those_of_the_seed() -> None:
    assert RANKING_RUBRIC == {"verdict_clarity": 1.0, "reasoning_quality": 1.0, "order_independence": 0.5}


@pytest.mark.parametrize(
    ("points", "total"),
    [
        (FULL, (5 + 4 + 1.5) / 12.5),
        (dict.fromkeys(RANKING_RUBRIC, 5), 1.0),
        ({"verdict_clarity": 5}, 5 / 12.5),  # a mean over what is there would say 1.0
        ({"order_independence": 5}, 2.5 / 12.5),
        ({}, 0.0),
    ],
)
def test_what_is_missing_counts_nothing(points: dict[str, int], total: float) -> None:
    assert Grades(points).total == pytest.approx(total)


@pytest.mark.parametrize(
    "reply",
    [
        json.dumps(FULL),
        json.dumps(FULL | {"remark": "fine {really}"}, indent=1),
        f"```json\n{json.dumps(FULL)}\n```",
        f"I looked at {{both}} sides.\n\n```json\n{json.dumps(FULL)}\n```\n",
        f"Here it is: {json.dumps(FULL)}",
        json.dumps({name: {"score": score, "reason": "so"} for name, score in FULL.items()}),
        json.dumps({name: float(score) for name, score in FULL.items()}),
    ],
)
def test_grades_are_found_in_what_graders_write(reply: str) -> None:
    assert read_grades(reply).points == FULL


@pytest.mark.parametrize(
    "reply",
    [
        "",
        "All of it is very good.",
        json.dumps(FULL)[:-1],
        json.dumps(FULL) + " and yet I am not sure",
        '{"verdict_clarity": 5, "verdict_clarity": 1}',
        json.dumps([FULL]) + ".",
        "{" * 5000,
    ],
)
def test_what_cannot_be_read_is_missing(reply: str) -> None:
    assert read_grades(reply).points == {}


@pytest.mark.parametrize("value", [0, 6, -1, 4.5, "5", True, None, [5], {"points": 5}, 10**400])
def test_points_outside_the_scale_are_missing_and_nothing_else_is(value: Any) -> None:
    reply = json.dumps(FULL | {"verdict_clarity": value})
    assert read_grades(reply).points == {"reasoning_quality": 4, "order_independence": 3}


@given(st.text(alphabet=st.sampled_from('{}[]",:0123456789 verdict_clarity\n`truefalsn'), max_size=200))
def test_no_reply_breaks_the_reader(reply: str) -> None:
    assert 0.0 <= read_grades(reply).total <= 1.0


def test_report_gives_means_and_counts_gaps() -> None:
    graded = [
        Graded("main", 1, "first\nline \x1b[31mred", Grades(FULL)),
        Graded("main", 2, "second", Grades({"verdict_clarity": 2})),
        Graded("main", 3, "third", Grades({})),
    ]
    report = rubric_report(graded)
    assert report["grade"] == pytest.approx((0.84 + 0.16 + 0.0) / 3)
    assert report["criteria"]["verdict_clarity"] == {"weight": 1.0, "mean": 3.5, "missing": 1}
    assert report["criteria"]["order_independence"] == {"weight": 0.5, "mean": 3.0, "missing": 2}
    assert [row["match"] for row in report["lowest"]] == [3, 2, 1]
    lines = list(rubric_lines(report, graded, 80))
    assert lines[0] == "grade 0.33 of 1 over 3 rationales"
    assert any("reasoning_quality" in line and "missing 2 times (counts 0)" in line for line in lines)
    assert lines[-1] == "  0.84  match 1: first line red"
    assert json.loads(json.dumps(report)) == report


def test_of_a_long_rationale_the_end_is_shown_for_there_the_verdict_stands() -> None:
    graded = [
        Graded("g1", 90, f"{'word ' * 200}\nbetter idea: 2", Grades(FULL)),
        Graded("g2", 1, "x", Grades({})),
    ]
    line = list(rubric_lines(rubric_report(graded), graded, 80))[-1]
    assert line.startswith("  0.84  match g1:90: \u2026word word ")
    assert line.endswith("better idea: 2")


def test_only_a_grader_that_can_read_may_favour_its_kin() -> None:
    def kin(judge: str, grader: str) -> list[str]:
        tournament = settings.validate({"judge": {"kind": "llm", "model": judge}})
        return rubric._kinship(tournament, grader)

    (said,) = kin("anthropic:claude-opus-4-1", "anthropic:claude-sonnet-4-5")
    assert "are of one family" in said
    assert kin("mock:panel", "mock:grader") == kin("mock:panel", "anthropic:claude-sonnet-4-5") == []


def test_nothing_graded_is_said() -> None:
    report = rubric_report([])
    assert report["grade"] is None
    assert list(rubric_lines(report, [], 80)) == ["nothing was graded"]


@pytest.mark.parametrize(
    ("model", "family"),
    [
        ("anthropic:claude-sonnet-5-5", "anthropic"),
        ("openrouter:anthropic/claude-3.5-sonnet", "anthropic"),
        ("openai:gpt-5.2", "openai"),
        ("openai:o3-mini", "openai"),
        ("ollama:gpt-oss:20b", "openai"),
        ("google:gemini-3-pro", "google"),
        ("ollama:gemma3:4b", "google"),
        ("ollama:llama3.1:8b", "llama"),
        ("vllm:meta-llama/Llama-3.1-8B-Instruct", "llama"),
        ("openai:llama-3.3-70b", "llama"),
        ("openrouter:mistralai/mixtral-8x7b", "mistral"),
        ("vllm:Qwen/Qwen3-8B", "qwen"),
        ("llamacpp:SmolLM2-135M.gguf", "smollm"),
        ("mock:panel", "mock"),
        ("vllm:somebody/own-model", "own"),
        ("vllm:7b", "7b"),
    ],
)
def test_families(model: str, family: str) -> None:
    assert model_family(model) == family
