"""Runs and bare SDK calls against the fake model server, measured, for the benchmarks of judging by models.

The bare calls send the very bodies that a run has sent before, read from the server's log, so that both sides
do the same work.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import anthropic
import openai
from engine_runs import IN_FLIGHT, pool
from model_brain import Request
from model_server_process import ModelServerProcess

from arena_tui.candidate import Candidate
from arena_tui.engine import opening
from arena_tui.engine.opening import Driver
from arena_tui.judging.base import Judge
from arena_tui.judging.build import build_judge
from arena_tui.settings import Tournament
from arena_tui.tournament_file import load_mapping

CRITERIA = {
    "Novelty": "How far does it go beyond what is known?",
    "Testability": "Could it be shown within two years that it is wrong?",
    "Soundness": "Is what it says of its subject right?",
}
WORDS = 400  # output tokens of a long reply


@dataclass(frozen=True, slots=True)
class Taken:
    """Seconds of wall and of CPU (all threads of this process), and the calls that were made."""

    calls: int
    wall: float
    cpu: float

    @property
    def cpu_per_call(self) -> float:
        return self.cpu / self.calls


def talks_long(request: Request) -> str:
    """A brain: four hundred words, then the first label that is offered."""
    return f"{'word ' * WORDS}\n\nbetter idea: 1"


def talks_short(request: Request) -> str:
    """A brain: a word, then the first label that is offered."""
    return "word\n\nbetter idea: 1"


def serving(brain: str = "", **ways: object) -> ModelServerProcess:
    """A server in a process of its own, so that its work is not measured."""
    options: dict[str, Any] = {"ways": ways}
    if brain:
        options |= {"path": [str(Path(__file__).parent)], "brain": f"{Path(__file__).stem}:{brain}"}
    return ModelServerProcess(options)


def calls_in(log: Mapping[str, Any]) -> list[dict[str, Any]]:
    """The calls for matches in a server's log: all but the probes."""
    return [call for call in log["calls"] if "Say hello." not in str(call["body"]["messages"])]


def run(
    folder: Path,
    server: ModelServerProcess,
    wire: str,
    matches: int,
    concurrency: int = IN_FLIGHT,
    **judge: object,
) -> Taken:
    """A whole run in this process, from opening its judge to its end."""
    before = len(calls_in(server.log()))
    model = {
        "model": f"{wire}:fake",
        "base_url": server.url if wire == "anthropic" else server.openai_url,
        "api_key_env": "PATH",  # the fake server takes any key, and this one is always there
        "price": {"input": 3, "output": 15},
    }
    loaded = load_mapping(
        {
            "candidates": pool(64),
            "criteria": CRITERIA,
            "format": "elo",
            "judge": {"kind": "llm", "mode": "pairwise", "cache": "off", "model": model} | judge,
            "limits": {"concurrency": concurrency, "matches": matches},
            "stop": {"rule": "none"},
            "seed": 1,
        }
    )
    db = opening.create(
        loaded.tournament, loaded.pool, source=None, db=folder / f"{wire}-{server.port}-{before}.db"
    )

    def judge_of(tournament: Tournament, seed: int, candidates: Iterable[Candidate], secret: bytes) -> Judge:
        return build_judge(tournament, seed=seed, candidates=candidates, folder=folder, secret=secret)

    async def driven(driver: Driver) -> tuple[float, float]:
        engine = driver.engine()
        start, cpu = time.perf_counter(), time.process_time()
        await engine.run()
        return time.perf_counter() - start, time.process_time() - cpu

    with Driver(db, judge_of) as driver:
        wall, cpu = asyncio.run(driven(driver))
    return Taken(len(calls_in(server.log())) - before, wall, cpu)


def bare(server: ModelServerProcess, wire: str, bodies: Sequence[Mapping[str, Any]]) -> Taken:
    """The same requests through the vendor's SDK alone, 64 in flight, every stream read to its end."""

    async def called() -> tuple[float, float]:
        client: Any
        if wire == "anthropic":
            client = anthropic.AsyncAnthropic(api_key="any", base_url=server.url, max_retries=0)
            create = client.messages.create
        else:
            client = openai.AsyncOpenAI(api_key="any", base_url=server.openai_url, max_retries=0)
            create = client.chat.completions.create
        free = asyncio.Semaphore(IN_FLIGHT)
        said: list[str] = []

        async def call(body: Mapping[str, Any]) -> None:
            try:
                said.append("".join([text async for text in _texts(wire, await create(**body))]))
            finally:
                free.release()

        start, cpu = time.perf_counter(), time.process_time()
        async with asyncio.TaskGroup() as tasks:
            for body in bodies:
                await free.acquire()
                tasks.create_task(call(body))
        taken = time.perf_counter() - start, time.process_time() - cpu
        await client.close()
        assert all(said)
        return taken

    wall, cpu = asyncio.run(called())
    return Taken(len(bodies), wall, cpu)


async def _texts(wire: str, stream: Any) -> Any:
    async for event in stream:
        if wire == "anthropic":
            if event.type == "content_block_delta":
                yield event.delta.text
        elif event.choices and event.choices[0].delta.content:
            yield event.choices[0].delta.content
