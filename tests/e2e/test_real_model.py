"""A real model without internet: llama.cpp serves SmolLM2 to both SDKs, and is found out to be no judge.

A model of 135 million parameters names whichever text it is shown first. That makes it the best check there
is of the report on the judge, beside that of the wire formats by a server that is not our own.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from contextlib import aclosing
from pathlib import Path
from typing import Any

import pytest
from arena_cli import Arena
from llama_server import SLOT_CONTEXT, LlamaServer, missing
from model_runs import TEXTS, candidates

from arena_tui import settings
from arena_tui.candidate import Candidate
from arena_tui.conventions import SCALE
from arena_tui.judging.base import Question
from arena_tui.judging.build import build_judge
from arena_tui.judging.desk import judge_alone
from arena_tui.providers.base import (
    TERMINAL,
    Completion,
    Message,
    Part,
    Provider,
    ProviderError,
    Request,
    TextDelta,
)
from arena_tui.providers.targets import Target, open_provider

pytestmark = [
    pytest.mark.real_model,
    pytest.mark.skipif(bool(missing()), reason=f"not installed: {missing()}"),
]
CERTAIN = {"temperature": 0}
"""The same reply every time."""
VERDICT = 'root ::= "better idea: " [12]'
"""What llama.cpp is held to as a grammar: left to itself the model hardly ever ends as it is asked to."""
SCORES = 'root ::= "score 1: " [A-T] "\\nscore 2: " [A-T]'


@pytest.fixture(scope="module")
def server() -> Iterator[LlamaServer]:
    with LlamaServer() as running:
        yield running


def model_at(server: LlamaServer, **more: Any) -> dict[str, Any]:
    return {"model": "llamacpp:smollm2", "base_url": f"{server.url}/v1", "max_tokens": 24} | more


def provider_of(server: LlamaServer, wire: str) -> Provider:
    if wire == "anthropic":  # which asks for no key on this machine
        return open_provider(Target("anthropic:smollm2", base_url=server.url))
    return open_provider(Target("llamacpp:smollm2", base_url=f"{server.url}/v1"))


def asking(words: str, **more: Any) -> Request:
    system = (Part("You answer in a few words."),)
    return Request(
        system, (Message("user", (Part(words),)),), **{"max_tokens": 24, "params": CERTAIN, **more}
    )


async def heard(provider: Provider, request: Request) -> tuple[list[str], Completion]:
    """The pieces in which a reply came, and its end.

    A second attempt is made where the first found its connection closed: llama.cpp closes some that have just
    been taken for the next call.
    """
    try:
        return await heard_at_once(provider, request)
    except ProviderError as error:
        if error.kind != "connection":
            raise
        return await heard_at_once(provider, request)


async def heard_at_once(provider: Provider, request: Request) -> tuple[list[str], Completion]:
    pieces: list[str] = []
    async with aclosing(provider.stream(request)) as events:  # type: ignore[type-var]
        async for event in events:
            if isinstance(event, TextDelta):
                pieces.append(event.text)
            elif isinstance(event, Completion):
                return pieces, event
    raise AssertionError("no completion came")


@pytest.mark.parametrize("wire", ["anthropic", "openai"])
async def test_both_sdks_stream_a_reply_with_its_stop_reason_and_tokens(
    server: LlamaServer, wire: str
) -> None:
    provider = provider_of(server, wire)
    try:
        await provider.probe()
        pieces, whole = await heard(provider, asking("What is the capital of France?"))
        assert len(pieces) > 3, "it came in pieces"
        assert "".join(pieces) == whole.text
        assert "Paris" in whole.text
        assert whole.stop_reason in TERMINAL
        assert 10 < whole.tokens.input < 100
        assert whole.tokens.output >= len(pieces)
        _, cut = await heard(provider, asking("Write a long story about a dog.", max_tokens=5))
        assert cut.stop_reason == "max_tokens"
        assert cut.tokens.output == 5
        with pytest.raises(ProviderError) as refused:
            await heard(provider, asking("word " * (SLOT_CONTEXT + 100)))
        assert refused.value.kind == "too_long"
    finally:
        await provider.close()


async def test_probe_finds_out_what_the_server_does(server: LlamaServer) -> None:
    capable, silent = provider_of(server, "openai"), provider_of(server, "anthropic")
    try:
        found = await capable.probe(logprobs=True, json_schema=True)
        assert (found.logprobs, found.json_schema) == (True, True)
        found = await silent.probe(logprobs=True, json_schema=True)
        assert (found.logprobs, found.json_schema) == (False, False), "a schema is taken there and ignored"
    finally:
        await capable.close()
        await silent.close()


async def test_scores_are_read_from_the_probabilities_of_letters(server: LlamaServer) -> None:
    model = model_at(server, params={"grammar": SCORES} | CERTAIN)
    tournament = settings.validate(
        {
            "judge": {"kind": "llm", "mode": "score", "model": model, "score_floor": 0},
            "limits": {"matches": 1},
        }
    )
    first, second = (Candidate(id_, TEXTS[id_]) for id_ in ("amber", "birch"))
    judge = build_judge(tournament, seed=1, candidates=[first, second], folder=Path(), secret=b"one run's")
    await judge.open()
    try:
        assert not judge.notes, "the server gives probabilities"
        verdict, replies = await judge_alone(judge, Question("main", 1, "ab", "score", first, second))
    finally:
        await judge.close()
    (reply,) = replies
    assert len(reply.logprobs) == 2
    for letter, alternatives in reply.logprobs:
        assert letter.strip() in SCALE
        assert len(alternatives) >= 10
        assert 0.5 < sum(math.exp(logprob) for _, logprob in alternatives) <= 1.001
    assert verdict.p_first is not None
    assert 0.27 < verdict.p_first < 0.73
    assert "% covered" in verdict.reason


def test_whole_tournament_says_that_its_judge_is_worthless(arena: Arena, server: LlamaServer) -> None:
    file = arena.tournament(
        task="Which plan prevents more deaths in heat waves?",
        candidates=candidates(),
        judge={
            "kind": "llm",
            "mode": "pairwise",
            "orders": "both",
            "model": model_at(server, params={"grammar": VERDICT} | CERTAIN),
        },
        limits={"matches": 5, "concurrency": 1, "usd": 1},
    )
    done = arena.run("--no-ui", "--json", file)
    assert done.code == 3, done.err
    result = done.result
    judge = result["judge"]
    print("\n".join(judge["warnings"]))
    assert not judge["simulated"]
    assert result["usage"]["usd"] == 0.0, "a local model costs nothing"
    assert result["comparisons"] == 10
    assert judge["invalid_rate"] == 0.0
    assert judge["first_slot_rate"] == 1.0, "it names whichever it is shown first"
    assert judge["order_consistency"] == 0.0
    assert judge["believable"] is False
    (warning, *_) = judge["warnings"]
    assert warning.startswith("The standings should not be believed: the text shown first won")
    told = arena.run("show", arena.db())
    assert warning in " ".join(told.out.split())
    arena.verify()
