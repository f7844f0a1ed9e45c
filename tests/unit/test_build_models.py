"""From settings to judges that ask models: keys, prices, limits, mocks, and what gets imported for it."""

from __future__ import annotations

import os
import subprocess
import sys
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from arena_tui import settings
from arena_tui.candidate import Candidate
from arena_tui.errors import FileProblems, UsageError
from arena_tui.judging.base import Judge, Question
from arena_tui.judging.build import build_judge, check_judge
from arena_tui.judging.desk import judge_alone
from arena_tui.judging.llm import LlmJudge
from arena_tui.judging.mock_strengths import MockStrengths, stage_of
from arena_tui.judging.models import Models, target_of
from arena_tui.judging.panel import PanelJudge
from arena_tui.judging.simulated import SimulatedJudge
from arena_tui.providers.base import Completion

STRONG, WEAK = (
    Candidate("strong", "a strong text", strength=8.0),
    Candidate("weak", "a weak text", strength=-8.0),
)
QUESTION = Question("main", 1, "ab", "pairwise", WEAK, STRONG)
LOCAL = {"model": "vllm:test", "base_url": "http://127.0.0.1:9/v1"}


@pytest.fixture(autouse=True)
def _no_keys(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in list(os.environ):
        if name.endswith(("_API_KEY", "_BASE_URL")):
            monkeypatch.delenv(name)


def tournament(judge: dict[str, Any], **more: Any) -> settings.Tournament:
    return settings.validate({"judge": {"kind": "llm"} | judge, **more})


def build(judge: dict[str, Any], folder: Path, pool: Any = (STRONG, WEAK), **more: Any) -> Judge:
    return build_judge(
        tournament(judge, **more), seed=3, candidates=pool, folder=folder, secret=b"s", home=folder / "home"
    )


@pytest.mark.parametrize("mode", ["pairwise", "debate", "score"])
@pytest.mark.parametrize("swapped", [False, True])
async def test_mock_follows_the_strengths_of_the_pool(tmp_path: Path, mode: Any, swapped: bool) -> None:
    judge = build({"model": "mock:panel"}, tmp_path)
    await judge.open()
    first, second = (STRONG, WEAK) if swapped else (WEAK, STRONG)
    asked = replace(QUESTION, mode=mode, first=first, second=second)
    judge.planned(asked)
    verdict, _ = await judge_alone(judge, asked)
    assert verdict.winner == ("first" if swapped else "second")
    await judge.close()
    assert not (tmp_path / "home").exists(), "what a mock says is not kept for other runs"


async def test_mock_decides_anew_when_a_pair_meets_again(tmp_path: Path) -> None:
    pool = [replace(STRONG, strength=0.0), replace(WEAK, strength=0.0)]
    judge = build({"model": "mock:panel"}, tmp_path, pool)
    await judge.open()
    winners = set()
    for seq in range(1, 25):
        asked = replace(QUESTION, seq=seq, first=pool[0], second=pool[1])
        judge.planned(asked)
        winners.add((await judge_alone(judge, asked))[0].winner)
    assert winners == {"first", "second"}
    await judge.close()


async def test_late_candidate_brings_its_own_strength(tmp_path: Path) -> None:
    judge = build({"model": "mock:panel"}, tmp_path)
    await judge.open()
    late = Candidate("late", "a late text", strength=-20.0)
    asked = replace(QUESTION, second=late)
    judge.planned(asked)
    assert (await judge_alone(judge, asked))[0].winner == "first"
    await judge.close()


def test_latency_of_a_comparison_is_shared_out_to_its_calls() -> None:
    judge = tournament(
        {"model": "mock:panel", "latency": {"pairwise": 2, "debate": {"mean": 10, "cv": 0.2}, "score": 4}}
    ).judge
    assert isinstance(judge, settings.LlmJudge)
    stage = stage_of(judge, MockStrengths(settings.Mock(), 1, []), 1, criteria=3)
    assert stage.latency["pairwise"] == (2.0, 0.0)
    assert stage.latency["debate"] == (2.0, pytest.approx(0.2 * 5**0.5))
    assert stage.latency["score"] == (2.0, 0.0)


@pytest.mark.parametrize(
    ("model", "words"),
    [
        ("anthropic:claude-x", "ANTHROPIC_API_KEY"),
        ({"model": "openai:gpt", "api_key_env": "MY_KEY"}, "MY_KEY"),
        ("vllm:some", "needs a base_url"),
        ("claude-x", "provider:model"),
    ],
)
def test_model_that_cannot_be_asked_is_one_sentence_before_anything_is_made(
    tmp_path: Path, model: Any, words: str
) -> None:
    with pytest.raises(UsageError, match=words) as refusal:
        build({"model": model}, tmp_path)
    assert "\n" not in str(refusal.value)
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("limits", [{"usd": 5}, {"per_group": {"usd": 1}}])
def test_limit_on_money_needs_a_known_price(limits: dict[str, Any]) -> None:
    model = {"model": "openrouter:nobody/knows-this-one", "api_key_env": None}
    os.environ["OPENROUTER_API_KEY"] = "k-0123456789"
    try:
        with pytest.raises(UsageError, match=r"limits\.(per_group\.)?usd cannot be kept"):
            check_judge(tournament({"model": model}, limits=limits))
        check_judge(tournament({"model": model}, limits={**limits, "unknown_cost": "allow"}))
        check_judge(tournament({"model": model | {"price": {"input": 1, "output": 2}}}, limits=limits))
        check_judge(tournament({"model": model}))
        check_judge(tournament({"model": LOCAL}, limits=limits))
    finally:
        del os.environ["OPENROUTER_API_KEY"]


def test_texts_that_are_too_long_are_all_named(tmp_path: Path) -> None:
    pool = [Candidate(f"c{n}", "word " * 100 * n) for n in range(1, 5)]
    pool.append(replace(pool[-1], id="twin", twin_of="c4"))
    judge = {"model": LOCAL, "max_text_tokens": 400}
    with pytest.raises(FileProblems) as refusal:
        build(judge, tmp_path, pool)
    assert [problem.path for problem in refusal.value.problems] == ["candidate 'c3'", "candidate 'c4'"]
    assert "about 500 tokens" in str(refusal.value)
    build(judge | {"overflow": "middle"}, tmp_path, pool)


async def test_members_of_a_panel_share_limits_and_cache(tmp_path: Path) -> None:
    member = {"kind": "llm", "model": LOCAL | {"requests": 3}}
    other = {"kind": "llm", "model": LOCAL | {"model": "vllm:other"}}
    judge = build({"kind": "panel", "judges": [member, {**member, "draws": False}, other]}, tmp_path)
    assert isinstance(judge, PanelJudge)
    clients = []
    for each in judge.members:
        assert isinstance(each, LlmJudge)
        assert each._connect is not None
        clients.append(await each._connect())
    assert clients[0].limit is clients[1].limit is not clients[2].limit
    assert (clients[0].limit.state().current, clients[2].limit.state().current) == (3, 20)
    await judge.close()
    assert (tmp_path / "home" / "replies.db").exists()


async def test_simulated_and_mock_members_see_the_same_truth(tmp_path: Path) -> None:
    pool = [Candidate(f"c{n}", f"text {n}") for n in range(6)]
    judge = build(
        {
            "kind": "panel",
            "judges": [
                {"kind": "simulated", "noise": 0},
                {"kind": "llm", "model": "mock:a", "mock": {"noise": 0}},
            ],
        },
        tmp_path,
        pool,
    )
    assert isinstance(judge, PanelJudge)
    assert isinstance(judge.members[0], SimulatedJudge)
    await judge.open()
    for seq, other in enumerate(pool[1:], 1):
        verdict, _ = await judge_alone(judge, replace(QUESTION, seq=seq, first=pool[0], second=other))
        assert verdict.flags == (), "no dissent"
    await judge.close()


def test_settings_of_the_model_reach_its_address() -> None:
    model = settings.Model(
        **LOCAL, params={"temperature": 0.5}, connect_timeout="2s", idle_timeout=3, total_timeout="4s"
    )
    target = target_of(model)
    assert (target.base_url, target.params) == (LOCAL["base_url"], {"temperature": 0.5})
    assert (target.connect, target.idle, target.total) == (2.0, 3.0, 4.0)


async def test_mock_needs_no_home(tmp_path: Path) -> None:
    models = Models()
    client = await models.client(settings.Model(model="mock:x"), cache="on")
    assert client.provider.simulated
    await models.close()
    await models.close()


SCRIPT = """
import sys
from pathlib import Path
from arena_tui import settings
from arena_tui.judging.build import build_judge
judge = settings.validate({"judge": %r})
build_judge(judge, seed=1, candidates=[], folder=Path("."), person="queue")
print(*(name for name in sys.modules if name.split(".")[0] in %r or name.startswith("arena_tui.providers")))
"""
HEAVY = ("anthropic", "openai", "httpx", "httpx2", "genai_prices", "scipy", "textual", "rich")


@pytest.mark.parametrize(
    ("judge", "providers"),
    [
        ({"kind": "simulated"}, False),
        ({"kind": "command", "command": [sys.executable]}, False),
        ({"kind": "human"}, False),
        ({"kind": "panel", "judges": [{"kind": "simulated"}, {"kind": "human"}]}, False),
        ({"kind": "llm", "model": "mock:panel"}, True),
        ({"kind": "llm", "model": LOCAL}, True),
    ],
)
def test_only_what_a_judge_needs_is_imported_to_build_it(judge: dict[str, Any], providers: bool) -> None:
    script = SCRIPT % (judge, HEAVY)
    done = subprocess.run(
        [sys.executable, "-c", script],
        capture_output=True,
        text=True,
        env={**os.environ, "PYTHONPATH": str(Path(__file__).parents[2])},
        timeout=60,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    loaded = done.stdout.split()
    assert {name.split(".")[0] for name in loaded} <= {"arena_tui"}, "no SDK"
    assert bool(loaded) is providers


async def test_replies_that_could_not_be_kept_are_told_of_when_all_is_closed(tmp_path: Path) -> None:
    told: list[str] = []
    models = Models(tmp_path, told.append)
    assert models.cache is not None
    await models.cache.open()
    models.cache.path.write_bytes(b"no database")
    models.cache.put("key", Completion("better idea: 1", "stop"))
    await models.close()
    (trouble,) = told
    assert trouble.startswith("some replies are not kept for later runs: ")
