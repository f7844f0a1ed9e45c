"""A server that bears few requests at once slows a tournament down and voids nothing."""

from __future__ import annotations

import json
import signal

import pytest
import yaml
from arena_cli import Arena, eventually
from model_calls import Ways
from model_faults import Fault, FaultScript
from model_runs import keyed
from model_server_process import ModelServerThread


@pytest.mark.parametrize("bears", [1, 2])
def test_server_that_bears_little_gets_little_and_every_match_is_decided(arena: Arena, bears: int) -> None:
    file = arena.folder / "t.yaml"
    with ModelServerThread(ways=Ways(latency=0.05, most_in_flight=bears)) as server:
        model = {"model": "openai:gpt-4o", "base_url": server.openai_url}
        judge = {"kind": "llm", "mode": "pairwise", "cache": "off", "model": model}
        texts = [f"plan number {number} of many" for number in range(8)]
        limits = {"matches": 24, "concurrency": 24}
        settings = {"candidates": texts, "judge": judge, "limits": limits, "stop": "none", "seed": 1}
        file.write_text(yaml.safe_dump(settings))
        done = arena.run("--no-ui", "--json", file, **keyed("openai"))
    assert done.code == 3, done.err
    assert json.loads(done.out)["matches"]["void"] == 0


def test_calls_that_only_wait_for_another_attempt_are_given_up_at_the_first_signal(arena: Arena) -> None:
    """All four sleep for two minutes on the server's word: nothing is under way, nothing is booked."""
    file = arena.folder / "t.yaml"
    faults = FaultScript(always=Fault("rate_limited", retry_after="120"))
    with ModelServerThread(faults=faults) as server:
        model = {"model": "openai:gpt-4o", "base_url": server.openai_url, "price": {"input": 3, "output": 15}}
        judge = {"kind": "llm", "mode": "pairwise", "cache": "off", "model": model}
        texts = [f"plan number {number} of many" for number in range(8)]
        limits = {"matches": 24, "concurrency": 4, "usd": 1}
        file.write_text(yaml.safe_dump({"candidates": texts, "judge": judge, "limits": limits, "seed": 1}))
        running = arena.start("--no-ui", "--json", file, **keyed("openai"))
        eventually(lambda: len(server.calls) >= 2 or running.ended, "a first refusal")
        assert not running.ended, running.err
        running.signal(signal.SIGINT)
        done = running.wait()  # bounded well below the two minutes
    assert done.code == 130, done.err
    result = json.loads(done.out)
    assert (result["usage"]["usd"], result["matches"]["void"]) == (0.0, 0)
