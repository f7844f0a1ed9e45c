"""A conversation with a model that is cut off anywhere goes on as if nothing had happened."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest
from hypothesis import given
from hypothesis import settings as checks
from hypothesis import strategies as st
from llm_bench import (
    MODES,
    Ledger,
    ended,
    judge_of,
    mock,
    question,
)

from arena_tui.judging.base import Reply, Verdict
from arena_tui.providers.limiter import AdaptiveLimit
from arena_tui.providers.retry import RetryPolicy


async def whole(mode: Any, seed: int, unreadable: float, **more: Any) -> tuple[Verdict, list[Reply], int]:
    """The conversation without a break."""
    model, desk = mock(seed, unreadable=unreadable), Ledger()
    judge = judge_of(model, **more)
    await judge.ask(question(mode), desk)
    return judge.read(question(mode), desk.replies), desk.replies, len(model.requests)


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("seed", range(4))
async def test_conversation_cut_after_any_reply_goes_on_to_the_same_verdict(mode: Any, seed: int) -> None:
    more = {"n_evaluations": 3, "debate_turns": 6 + seed % 2}
    verdict, replies, calls = await whole(mode, seed, 0.5, **more)
    for cut in range(len(replies) + 1):
        model, desk = mock(seed, unreadable=0.5), Ledger(replies[:cut], lost=1)
        judge = judge_of(model, **more)
        await judge.ask(question(mode), desk)
        assert judge.read(question(mode), desk.replies) == verdict
        assert len(model.requests) == calls - cut
        assert sorted(ended(desk.replies)) == sorted(ended(replies))


@checks(max_examples=150)
@given(
    mode=st.sampled_from(MODES),
    seed=st.integers(0, 50),
    steps=st.lists(st.integers(0, 120), max_size=4),
    faults=st.sampled_from([{}, {"server": 0.3}, {"cut": 0.2, "rate_limited": 0.2}]),
    stored=st.booleans(),
)
async def test_killed_and_resumed_at_any_await_it_says_the_same_and_repeats_no_stored_call(
    mode: Any, seed: int, steps: list[int], faults: dict[Any, float], stored: bool
) -> None:
    """`stored`: what had come is stored on the way out, as after ctrl+c; else only what was durable, as
    after kill -9."""
    patient = RetryPolicy(attempts=50, seconds=1e9)
    more = {"n_evaluations": 3, "retry": patient}
    verdict, _, _ = await whole(mode, seed, 0.3, **more)
    replies: list[Reply] = []
    repeated = 0
    for sitting, step in enumerate([*steps, None]):
        model = mock(seed, faults=faults, unreadable=0.3)
        judge, desk = judge_of(model, **more), Ledger(list(replies), lost=sitting)
        before = ended(replies)
        asked = asyncio.create_task(judge.ask(question(mode), desk))
        if step is None:
            await asked
        else:
            for _ in range(step):
                await asyncio.sleep(0)
            asked.cancel()
            await asyncio.wait([asked])
        assert before == ended(desk.replies[: len(replies)])
        assert ended(desk.replies[len(replies) :]).isdisjoint(before), "a stored call was made again"
        replies = desk.replies if stored or step is None else desk.replies[: desk.durable]
        repeated += len(desk.replies) - len(replies)
    assert judge.read(question(mode), replies) == verdict
    assert len({(r.turn, r.sample, r.attempt) for r in replies}) == len(replies)


async def test_cancelled_comparison_gives_its_slots_back() -> None:
    judge = judge_of(mock(), n_evaluations=3)
    for steps in range(0, 60, 7):
        asked = asyncio.create_task(judge.ask(question("score"), Ledger()))
        for _ in range(steps):
            await asyncio.sleep(0)
        asked.cancel()
        await asyncio.wait([asked])
        assert judge.client.limit.state().in_use == 0
        assert isinstance(judge.client.limit, AdaptiveLimit)
