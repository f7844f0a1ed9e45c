"""The simulation: seeded, blind to time and order, true to its rates."""

from __future__ import annotations

import asyncio
import math
import os
import random
import statistics
import subprocess
import sys
from collections.abc import Iterable, Iterator
from typing import Any

import pytest

from arena_tui import settings
from arena_tui.candidate import Candidate
from arena_tui.judging.base import FREE, Question, Reply, Usage, Verdict
from arena_tui.judging.desk import MemoryDesk, judge_alone
from arena_tui.judging.simulated import CHILD_NOISE, SimulatedJudge

STRONG = Candidate("strong", "the strong text", strength=1.0)
WEAK = Candidate("weak", "the weak text", strength=0.0)


def judge_of(candidates: Iterable[Candidate] = (), seed: int = 7, **chosen: Any) -> SimulatedJudge:
    return SimulatedJudge(settings.SimulatedJudge(**chosen), seed=seed, candidates=candidates)


def questions(first: Candidate, second: Candidate, count: int, **changes: Any) -> Iterator[Question]:
    for seq in range(1, count + 1):
        yield Question(first.group, seq, changes.get("orientation", "ab"), "pairwise", first, second)


async def verdicts(judge: SimulatedJudge, asked: Iterable[Question]) -> list[Verdict]:
    return [(await judge_alone(judge, question))[0] for question in asked]


async def share_of_first(judge: SimulatedJudge, first: Candidate, second: Candidate) -> float:
    said = await verdicts(judge, questions(first, second, 4000))
    return sum(verdict.winner == "first" for verdict in said) / len(said)


@pytest.mark.parametrize(("bias", "noise"), [(0.0, 1.0), (0.7, 1.0), (0.0, 0.5), (-1.0, 2.0)])
async def test_first_wins_as_often_as_the_logistic_law_says(bias: float, noise: float) -> None:
    judge = judge_of(first_slot_bias=bias, noise=noise)
    for first, second, edge in ((STRONG, WEAK, 1.0), (WEAK, STRONG, -1.0)):
        expected = 1 / (1 + math.exp(-(edge + bias) / noise))
        assert await share_of_first(judge, first, second) == pytest.approx(expected, abs=0.03)


async def test_rates_of_draws_and_unusable_verdicts_hold() -> None:
    judge = judge_of(draw_rate=0.25, invalid_rate=0.2)
    said = [verdict.winner for verdict in await verdicts(judge, questions(STRONG, WEAK, 4000))]
    assert said.count("invalid") / 4000 == pytest.approx(0.2, abs=0.03)
    assert said.count("draw") / 4000 == pytest.approx(0.8 * 0.25, abs=0.03)


async def test_a_rate_leaves_the_other_decisions_as_they_were() -> None:
    asked = list(questions(STRONG, WEAK, 300))
    plain = await verdicts(judge_of(), asked)
    mixed = await verdicts(judge_of(draw_rate=0.3, invalid_rate=0.3), asked)
    kept = [(a, b) for a, b in zip(plain, mixed, strict=True) if b.winner in ("first", "second")]
    assert len(kept) > 50
    assert all(a.winner == b.winner for a, b in kept)


async def test_no_draw_is_called_when_draws_are_off() -> None:
    said = await verdicts(judge_of(draw_rate=0.9, draws=False), questions(STRONG, WEAK, 200))
    assert {verdict.winner for verdict in said} == {"first", "second"}


async def test_verdicts_depend_neither_on_order_nor_on_time_nor_on_company() -> None:
    asked = list(questions(STRONG, WEAK, 200))
    expected = await verdicts(judge_of([STRONG, WEAK], invalid_rate=0.1), asked)
    shuffled = random.Random(3).sample(asked, len(asked))
    waiting = SimulatedJudge(
        settings.SimulatedJudge(invalid_rate=0.1, latency=5.0),
        seed=7,
        candidates=[WEAK, Candidate("other", "another text"), STRONG],
        sleep=lambda question: asyncio.sleep(0),
    )
    told = await asyncio.gather(*(judge_alone(waiting, question) for question in shuffled))
    by_seq = {q.seq: verdict for q, (verdict, _) in zip(shuffled, told, strict=True)}
    assert [by_seq[question.seq] for question in asked] == expected


@pytest.mark.parametrize("change", ["seed", "group", "seq", "orientation"])
async def test_each_part_of_the_seed_makes_other_draws(change: str) -> None:
    even = Candidate("even", "x", strength=0.0)
    changes: dict[str, Any] = {
        "group": {"group": "other"},
        "seq": {"seq": 1000},
        "orientation": {"orientation": "ba"},
    }
    plain, other = [], []
    for seq in range(64):
        base: dict[str, Any] = {"group": "main", "seq": seq, "orientation": "ab"}
        changed = base | changes.get(change, {})
        changed["seq"] = seq + 1000 if change == "seq" else seq
        plain.append(Question(mode="pairwise", first=even, second=WEAK, **base))
        other.append(Question(mode="pairwise", first=even, second=WEAK, **changed))
    seed = 8 if change == "seed" else 7
    assert await verdicts(judge_of(), plain) != await verdicts(judge_of(seed=seed), other)


def test_verdicts_are_the_same_in_every_process() -> None:
    """Nothing here may lean on hash(): text hashes differ between processes."""
    code = (
        "import asyncio\n"
        "from arena_tui import settings\n"
        "from arena_tui.candidate import Candidate\n"
        "from arena_tui.judging.base import Question\n"
        "from arena_tui.judging.desk import judge_alone\n"
        "from arena_tui.judging.simulated import SimulatedJudge\n"
        "pool = [Candidate(f'c{i}', f'text {i}', parent_ids=(f'c{i-2}',) * (i > 4)) for i in range(9)]\n"
        "judge = SimulatedJudge(settings.SimulatedJudge(soft=True), seed=3, candidates=pool)\n"
        "asks = [Question('main', i, 'ab', 'pairwise', pool[i], pool[8 - i]) for i in range(9)]\n"
        "print([asyncio.run(judge_alone(judge, q))[1][0].text for q in asks])\n"
    )
    told = set()
    for hash_seed in ("1", "2"):
        environment = {**os.environ, "PYTHONHASHSEED": hash_seed}
        done = subprocess.run(
            [sys.executable, "-c", code], env=environment, capture_output=True, text=True, check=True
        )
        told.add(done.stdout)
    assert len(told) == 1


async def test_soft_verdict_gives_the_probability_of_the_first() -> None:
    judge = judge_of(soft=True)
    (verdict,) = await verdicts(judge, questions(STRONG, WEAK, 1))
    assert verdict.p_first == pytest.approx(1 / (1 + math.exp(-1)))
    (plain,) = await verdicts(judge_of(), questions(STRONG, WEAK, 1))
    assert plain.p_first is None


async def test_extreme_strengths_overflow_nothing() -> None:
    huge = Candidate("huge", "h", strength=1e6)
    judge = judge_of(soft=True, noise=1e-6)
    for first, second, p in ((huge, WEAK, 1.0), (WEAK, huge, 0.0)):
        (verdict,) = await verdicts(judge, questions(first, second, 1))
        assert verdict.p_first == pytest.approx(p)


def test_strength_comes_from_the_file_before_the_pool_before_a_draw() -> None:
    drawn = Candidate("drawn", "some text")
    judge = judge_of([STRONG, WEAK, drawn], strengths={"strong": -2.0})
    assert judge.strength(STRONG) == -2.0
    assert judge.strength(WEAK) == 0.0
    again = judge_of([drawn])
    assert judge.strength(drawn) == again.strength(drawn) != 0.0
    assert judge_of([drawn], seed=8).strength(drawn) != again.strength(drawn)


def test_drawn_strengths_are_standard_normal() -> None:
    pool = [Candidate(f"c{i}", f"text {i}") for i in range(3000)]
    judge = judge_of(pool)
    drawn = [judge.strength(candidate) for candidate in pool]
    assert statistics.mean(drawn) == pytest.approx(0, abs=0.06)
    assert statistics.stdev(drawn) == pytest.approx(1, abs=0.05)


def test_children_stray_from_the_mean_of_their_parents() -> None:
    parents = [Candidate("p1", "one", strength=3.0), Candidate("p2", "two", strength=1.0)]
    children = [Candidate(f"c{i}", f"child {i}", parent_ids=("p1", "p2")) for i in range(2000)]
    judge = judge_of([*children, *parents])  # parents last: order in the pool does not matter
    inherited = [judge.strength(child) for child in children]
    assert statistics.mean(inherited) == pytest.approx(2.0, abs=0.05)
    assert statistics.stdev(inherited) == pytest.approx(CHILD_NOISE, abs=0.03)


def test_parents_of_another_group_pass_nothing_on() -> None:
    parent = Candidate("p", "parent", strength=50.0, group="g1")
    child = Candidate("c", "child", parent_ids=("p",), group="g2")
    assert abs(judge_of([parent, child]).strength(child)) < 10


def test_family_tree_of_any_depth_or_shape_is_settled() -> None:
    chain = [Candidate("g0", "text 0", strength=4.0)]
    chain += [Candidate(f"g{i}", f"text {i}", parent_ids=(f"g{i - 1}",)) for i in range(1, 5000)]
    judge = judge_of(reversed(chain))
    assert judge.strength(chain[1]) == pytest.approx(4.0, abs=5 * CHILD_NOISE)
    diamond = [
        Candidate("child", "c", parent_ids=("one", "two")),
        Candidate("two", "t", parent_ids=("one", "root")),
        Candidate("one", "o", parent_ids=("root",)),
        Candidate("root", "r", strength=30.0),
    ]
    assert all(judge_of(diamond).strength(c) == judge_of(diamond[::-1]).strength(c) > 20 for c in diamond)
    ring = [Candidate("x", "xx", parent_ids=("y", "x")), Candidate("y", "yy", parent_ids=("x",))]
    assert all(math.isfinite(judge_of(ring).strength(c)) for c in ring)


def test_candidate_added_later_has_the_strength_it_would_have_had() -> None:
    child = Candidate("late", "late text", parent_ids=("strong",))
    assert judge_of([STRONG]).strength(child) == judge_of([STRONG, child]).strength(child)
    orphan = Candidate("orphan", "orphan text", parent_ids=("unknown",))
    alone = Candidate("alone", "orphan text")
    assert judge_of([STRONG]).strength(orphan) == judge_of().strength(alone)


def test_strengths_of_late_candidates_do_not_depend_on_who_is_seen_first() -> None:
    parent = Candidate("p", "late parent", strength=5.0)
    child = Candidate("c", "late child", parent_ids=("p",))
    parent_first, child_first = judge_of([STRONG]), judge_of([STRONG])
    parent_first.strength(parent)
    assert parent_first.strength(child) == child_first.strength(child)
    assert child_first.strength(parent) == 5.0


async def test_no_latency_means_no_await() -> None:
    desk = MemoryDesk()
    coroutine = judge_of().ask(next(questions(STRONG, WEAK, 1)), desk)
    with pytest.raises(StopIteration):
        coroutine.send(None)
    assert len(desk.replies) == 1


def latency_of(judge: SimulatedJudge, **changes: Any) -> float:
    base: dict[str, Any] = {"group": "main", "seq": 1, "orientation": "ab", "mode": "pairwise"}
    return judge.latency(Question(**(base | changes), first=STRONG, second=WEAK))


def test_latency_is_fixed_by_mode_or_drawn_with_mean_and_spread() -> None:
    assert latency_of(judge_of(latency=0.5)) == 0.5
    by_mode = judge_of(latency={"pairwise": 0.25, "debate": 2})
    assert [latency_of(by_mode, mode=mode) for mode in ("pairwise", "debate", "score")] == [0.25, 2, 0]
    spread = judge_of(latency={"mean": 2.0, "cv": 0.5})
    drawn = [latency_of(spread, seq=seq) for seq in range(4000)]
    assert statistics.mean(drawn) == pytest.approx(2.0, rel=0.05)
    assert statistics.stdev(drawn) / statistics.mean(drawn) == pytest.approx(0.5, rel=0.1)
    assert drawn[:9] == [latency_of(spread, seq=seq) for seq in range(9)]


async def test_it_sleeps_for_its_latency(monkeypatch: pytest.MonkeyPatch) -> None:
    slept: list[float] = []

    async def note(seconds: float) -> None:
        slept.append(seconds)

    monkeypatch.setattr(asyncio, "sleep", note)
    judge = judge_of(latency=12.5)
    await judge.ask(next(questions(STRONG, WEAK, 1)), MemoryDesk())
    assert slept == [12.5]


async def test_usage_is_booked_reserved_and_makes_replies_worth_keeping() -> None:
    free = judge_of()
    question = next(questions(STRONG, WEAK, 1))
    assert (free.keeps_replies, free.worst_case(question)) == (False, FREE)
    paid = judge_of(usage={"input_tokens": 900, "output_tokens": 100, "usd": 0.002})
    cost = Usage(input_tokens=900, output_tokens=100, usd=0.002)
    assert paid.keeps_replies is True
    assert paid.worst_case(question) == (await judge_alone(paid, question))[1][0].usage == cost
    await paid.close()


def test_reply_of_something_else_is_unusable_and_it_is_always_labelled() -> None:
    judge = judge_of()
    for text in ("better idea: 1", "first half", ""):
        assert judge.read(next(questions(STRONG, WEAK, 1)), [Reply(text)]).winner == "invalid"
    assert judge.label == "SIMULATED"
