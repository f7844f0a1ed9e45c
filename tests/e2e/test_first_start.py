"""A start that fails before anything was planned leaves nothing behind; what check and plan say of models."""

from __future__ import annotations

import json
import socket
from collections.abc import Callable

import pytest
from arena_cli import Arena, Done

POOL = "candidates: [one text, another text, a third text]\n"
Ask = Callable[..., Done]


@pytest.fixture
def ask(arena: Arena) -> Ask:
    """Run a command without any keys in the environment; `said` is all that it printed."""
    none = {"ANTHROPIC_API_KEY": "", "OPENAI_API_KEY": ""}
    return lambda *words, **more: arena.run(*words, **{**none, **more})


def file(arena: Arena, judge: str, more: str = "") -> str:
    (arena.folder / "t.yaml").write_text(f"task: Which?\n{POOL}judge: {judge}\n{more}")
    return "t.yaml"


def said(done: Done) -> str:
    return done.out + done.err


def test_a_judge_that_cannot_be_opened_leaves_no_run_and_the_next_start_is_free(
    arena: Arena, ask: Ask
) -> None:
    with socket.create_server(("127.0.0.1", 0)) as closed:
        port = closed.getsockname()[1]
    model = f'{{model: "llamacpp:x", base_url: "http://127.0.0.1:{port}/v1", attempts: 1}}'
    name = file(arena, f"{{kind: llm, model: {model}}}", "limits: {matches: 2}\n")
    failed = ask(name)
    assert failed.code == 1
    assert "start the server or set base_url" in failed.err
    assert list((arena.home / "runs").glob("*.db")) == []
    assert ask(name, "--set", "judge.model=mock:panel").code == 3
    assert "differs" in ask(name).err, "a run that did begin is kept"


def test_check_names_every_model_that_cannot_be_used_at_its_line(arena: Arena, ask: Ask) -> None:
    name = file(
        arena,
        '{kind: llm, model: "anthropic:a"}',
        'overview: {model: "nobody:b"}\nformat: {similarity: endpoint}\nembeddings: {model: "mock:x"}\n',
    )
    found = ask("check", name)
    assert found.code == 2
    assert [line.split(": ")[:2] for line in found.out.splitlines()] == [
        ["t.yaml:3", "judge.model"],
        ["t.yaml:4", "overview.model"],
        ["t.yaml:6", "embeddings.model"],
    ]
    assert "t.yaml:3: judge.model: anthropic:a needs a key" in ask(name).err


def test_plan_needs_no_key_and_refuses_a_limit_that_cannot_be_kept(arena: Arena, ask: Ask) -> None:
    judge = '{kind: llm, model: "anthropic:claude-sonnet-4-5"}'
    name = file(arena, judge, "limits: {usd: 2, matches: 5}\n")
    told = json.loads(ask("plan", name, "--json").out)
    assert told["usd"]["median"] > 0
    assert told["tokens"]["median"] > 0
    unknown = ask("plan", name, "--set", "judge.model=openai:unheard-of")
    assert unknown.code == 2
    assert "limits.usd cannot be kept" in unknown.err


def test_a_person_without_a_terminal_is_a_note_of_check(arena: Arena, ask: Ask) -> None:
    found = ask("check", file(arena, "human"))
    assert (found.code, "note: a person judges" in found.out) == (0, True)


def test_scores_without_probabilities_are_a_note_of_check(arena: Arena, ask: Ask) -> None:
    name = file(arena, '{kind: llm, mode: score, model: "anthropic:a"}')
    found = ask("check", name, ANTHROPIC_API_KEY="planted")
    assert "gives no probabilities of tokens" in found.out


@pytest.mark.parametrize("written", ["mock:panel", "{model: mock:panel}"])
def test_a_part_of_a_short_form_may_be_set(arena: Arena, ask: Ask, written: str) -> None:
    judge = f"{{kind: llm, model: {written}}}"
    name = file(arena, judge, "overview: mock:x\nlimits: {matches: 1}\n")
    keys = ["judge.model.max_tokens=500", "judge.model.params.temperature=0", "overview.model.max_tokens=9"]
    done = ask(name, *(word for key in keys for word in ("--set", key)))
    assert done.code == 3, done.err
    wrong = ask("plan", name, "--set", "judge.mock.noise=a")
    assert wrong.err.startswith("arena: --set: judge.mock.noise: expected a finite number")


def test_a_run_that_a_limit_ends_says_why_there_is_no_overview(arena: Arena, ask: Ask) -> None:
    done = ask(file(arena, "simulated", "overview: mock:x\nlimits: {matches: 1}\n"))
    assert done.code == 3
    assert "no overview was written: it comes when the run ends by its own rule" in done.err
