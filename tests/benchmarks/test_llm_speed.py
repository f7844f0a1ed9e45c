"""What judging through a model costs beside the model: time, CPU a call and a token, tokens paid twice."""

from __future__ import annotations

from pathlib import Path

import pytest
from engine_runs import IN_FLIGHT
from llm_driving import WORDS, bare, calls_in, run, serving
from report import heading, show

pytestmark = pytest.mark.benchmark

WIRES = ["anthropic", "openai"]
LATENCY = 0.5
ROUNDS = 30


@pytest.mark.parametrize("wire", WIRES)
def test_wall_time_beside_the_ideal(tmp_path: Path, wire: str) -> None:
    """The limit of requests begins at 20 and has to find out first that the server takes 64."""
    heading(f"{wire}: {ROUNDS * IN_FLIGHT:,} calls of {LATENCY:g} s over the SDK, {IN_FLIGHT} in flight")
    with serving(latency=LATENCY) as server:
        taken = run(tmp_path, server, wire, ROUNDS * IN_FLIGHT)
        log = server.log()
        calls = calls_in(log)
        alone = bare(server, wire, [call["body"] for call in calls])
    calling = max(call["ended"] for call in calls) - min(call["at"] for call in calls)
    ideal = taken.calls * LATENCY / IN_FLIGHT
    show(
        "wall from the first call to the last reply",
        calling,
        "s",
        floor=ideal,
        floor_is="never an empty slot",
        ratio_at_most=1.15,
    )
    show("the same", calling, "s", floor=alone.wall, floor_is="the bare SDK")
    show("wall with connecting, probe and end", taken.wall, "s", floor=ideal, floor_is="never an empty slot")
    show("peak in flight", log["peak_in_flight"])


@pytest.mark.parametrize("wire", WIRES)
def test_cpu_per_call(tmp_path: Path, wire: str) -> None:
    """Everything a comparison takes: prompt, journal, money, SDK, verdict, rating."""
    heading(f"{wire}: CPU per call, replies of 20 tokens at once")
    with serving(latency=0.05) as server:
        run(tmp_path, server, wire, 100)  # imports, templates and the like
        before = len(calls_in(server.log()))
        taken = run(tmp_path, server, wire, 1_000)
        bodies = [call["body"] for call in calls_in(server.log())[before:]]
        alone = bare(server, wire, bodies)
    show(
        "CPU per call",
        taken.cpu_per_call * 1e3,
        "ms",
        floor=alone.cpu_per_call * 1e3,
        floor_is="the bare SDK",
    )


@pytest.mark.parametrize("wire", WIRES)
def test_cpu_per_streamed_token(tmp_path: Path, wire: str) -> None:
    """The difference between long replies and short ones, with 64 streams at 50 tokens a second each."""
    heading(f"{wire}: CPU per streamed token, {IN_FLIGHT} streams of {WORDS} tokens")
    taken, alone = {}, {}
    for brain in ("talks_short", "talks_long"):
        with serving(brain, tokens_per_second=50) as server:
            taken[brain] = run(tmp_path, server, wire, 2 * IN_FLIGHT)
            alone[brain] = bare(server, wire, [call["body"] for call in calls_in(server.log())])
    ours, floor = (
        (found["talks_long"].cpu_per_call - found["talks_short"].cpu_per_call) / WORDS
        for found in (taken, alone)
    )
    show("CPU per token", ours * 1e6, "us", floor=floor * 1e6, floor_is="the bare SDK")


@pytest.mark.parametrize("wire", WIRES)
def test_input_tokens_from_the_cache_of_prompts(tmp_path: Path, wire: str) -> None:
    """Three criteria are three calls that share all but their ends; more evaluations share it more often."""
    heading(f"{wire}: input tokens from the provider's cache, score mode, 3 criteria, texts of 100 tokens")
    for n_evaluations, bar in ((1, 75.0), (2, 75.0), (4, None)):
        with serving(latency=0.02) as server:
            run(tmp_path, server, wire, 120, concurrency=8, mode="score", n_evaluations=n_evaluations)
            calls = calls_in(server.log())
        cached, total = (sum(call[name] for call in calls) for name in ("cached", "input"))
        show(f"share at n_evaluations {n_evaluations}", 100 * cached / total, "%", at_least=bar)
