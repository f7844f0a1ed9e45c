"""How the number of requests under way follows what the provider says."""

from __future__ import annotations

import asyncio
import contextlib
import random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scripted_provider import FakeTime, settle

from arena_tui.providers.limiter import AdaptiveLimit, Blocked


def limiter(time: FakeTime, **more) -> AdaptiveLimit:
    return AdaptiveLimit(clock=time.clock, later=time.later, **more)


async def take(limit: AdaptiveLimit, number: int) -> list:
    """Enter so many slots that are free."""
    slots = [limit.slot() for _ in range(number)]
    for slot in slots:
        await slot.__aenter__()
    return slots


async def leave(slots) -> None:
    for slot in slots:
        await slot.__aexit__(None, None, None)


async def round_of(limit: AdaptiveLimit, number: int | None = None) -> None:
    """As many good ends as the limit allows at once, all under way at the same time."""
    slots = await take(limit, limit.state().current if number is None else number)
    for slot in slots:
        slot.fine()
    await leave(slots)


async def rate_limit(limit: AdaptiveLimit, retry_after: float | None = None) -> None:
    async with limit.slot() as slot:
        slot.rate_limited(retry_after)


async def test_the_limit_doubles_after_every_clean_round_up_to_the_ceiling():
    limit = limiter(FakeTime(), start=5, most=32)
    seen = [limit.state().current]
    for _ in range(5):
        await round_of(limit)
        seen.append(limit.state().current)
    assert seen == [5, 10, 20, 32, 32, 32]
    assert [(change.limit, change.why) for change in limit.state().history] == [
        (10, "clean round"),
        (20, "clean round"),
        (32, "clean round"),
    ]


async def test_a_round_that_never_reached_the_limit_says_nothing_about_more():
    limit = limiter(FakeTime(), start=5)
    for _ in range(10):
        await round_of(limit, 4)
    assert limit.state().current == 5


async def test_one_episode_of_rate_limits_is_one_cut():
    time = FakeTime()
    limit = limiter(time, start=20)
    slots = await take(limit, 20)
    for slot in slots[:10]:
        slot.rate_limited(None)
    assert limit.state().current == 16
    time.advance(60.0)  # the other ten were sent before the cut, however late they come back
    for slot in slots[10:]:
        slot.rate_limited(None)
    assert limit.state().current == 16
    assert limit.state().rate_limits == 20
    await leave(slots)
    await rate_limit(limit)
    assert limit.state().current == 12


async def test_a_request_sent_after_a_fresh_cut_and_refused_too_halves_the_limit():
    """Whatever was under way at a cut belongs to it; what was sent later shows that it was too small."""
    time = FakeTime()
    limit = limiter(time, start=20, cool_down=15.0)
    async with limit.slot() as before:
        await rate_limit(limit)
        before.rate_limited()
    assert limit.state().current == 16
    time.advance(1.0)
    await rate_limit(limit)
    await rate_limit(limit)
    assert limit.state().current == 4
    time.advance(15.1)
    await rate_limit(limit)
    assert limit.state().current == 3


async def test_nothing_grows_during_the_cool_down_and_slowly_afterwards():
    time = FakeTime()
    limit = limiter(time, start=50, most=100)
    await rate_limit(limit)
    assert limit.state().current == 40
    await round_of(limit)
    await round_of(limit)
    assert limit.state().current == 40
    time.advance(15.0)
    await round_of(limit)
    assert limit.state().current == 42
    await round_of(limit)
    assert limit.state().current == 44
    small = limiter(time, start=4)
    await rate_limit(small)
    assert small.state().current == 3
    time.advance(15.0)
    await round_of(small)
    assert small.state().current == 4


async def test_good_ends_of_requests_sent_before_the_cut_are_no_sign_of_recovery():
    time = FakeTime()
    limit = limiter(time, start=10)
    slots = await take(limit, 10)
    slots[0].rate_limited(None)
    time.advance(20.0)
    for slot in slots[1:]:
        slot.fine()
    await leave(slots)
    assert limit.state().current == 8


async def test_other_trouble_stops_growth_and_cuts_nothing():
    limit = limiter(FakeTime(), start=5)
    for _ in range(10):
        slots = await take(limit, 5)
        for slot in slots[:4]:
            slot.fine()
        slots[4].trouble()
        await leave(slots)
    assert limit.state().current == 5
    await round_of(limit)
    assert limit.state().current == 10


async def test_the_limit_never_falls_below_the_least():
    time = FakeTime()
    limit = limiter(time, start=4, least=2)
    for _ in range(5):
        await rate_limit(limit)
        time.advance(15.0)
    assert limit.state().current == 2


@pytest.mark.parametrize("how", ["rate_limited", "trouble"])
async def test_a_retry_after_holds_back_everybody_until_it_is_over(how):
    time = FakeTime()
    limit = limiter(time, start=5)
    async with limit.slot() as slot:
        getattr(slot, how)(30.0)
    entered: list[float] = []

    async def caller() -> None:
        async with limit.slot():
            entered.append(time.now)

    async with asyncio.TaskGroup() as tasks:
        for _ in range(3):
            tasks.create_task(caller())
        await settle()
        assert limit.state().blocked == 30.0
        assert limit.state().waiting == 3
        time.advance(29.9)
        await settle()
        assert not entered
        time.advance(0.1)
        await settle()
        assert entered == [1030.0] * 3
    assert limit.blocked == 0.0
    assert limit.state().in_use == 0


async def test_a_longer_pause_replaces_a_shorter_one_and_not_the_other_way_round():
    time = FakeTime()
    limit = limiter(time, start=5)
    slots = await take(limit, 3)
    slots[0].rate_limited(10.0)
    slots[1].rate_limited(60.0)
    slots[2].rate_limited(5.0)
    await leave(slots)
    assert limit.blocked == 60.0


async def test_who_waits_less_than_the_pause_is_told_at_once_and_while_waiting():
    time = FakeTime()
    limit = limiter(time, start=1)
    (held,) = await take(limit, 1)
    results: list[object] = []

    async def caller(patience: float) -> None:
        try:
            async with limit.slot(patience):
                results.append("sent")
        except Blocked as blocked:
            results.append(blocked.seconds)

    async with asyncio.TaskGroup() as tasks:
        tasks.create_task(caller(300.0))
        tasks.create_task(caller(9000.0))
        await settle()
        held.rate_limited(3600.0)
        await leave([held])
        await settle()
        assert results == [3600.0]
        tasks.create_task(caller(300.0))
        await settle()
        assert results == [3600.0, 3600.0]
        limit.unblock()
        await settle()
    assert results == [3600.0, 3600.0, "sent"]
    assert limit.state().in_use == limit.state().waiting == 0


async def test_slots_are_given_in_the_order_of_asking():
    limit = limiter(FakeTime(), start=2)
    held = await take(limit, 2)
    order: list[int] = []

    async def caller(number: int) -> None:
        async with limit.slot():
            order.append(number)
            await asyncio.sleep(0)

    async with asyncio.TaskGroup() as tasks:
        for number in range(10):
            tasks.create_task(caller(number))
            await asyncio.sleep(0)
        await leave(held)
    assert order == list(range(10))


async def test_nobody_overtakes_those_who_wait():
    limit = limiter(FakeTime(), start=1)
    (held,) = await take(limit, 1)
    order: list[str] = []

    async def caller(name: str) -> None:
        async with limit.slot():
            order.append(name)

    async with asyncio.TaskGroup() as tasks:
        tasks.create_task(caller("first"))
        await settle()
        await leave([held])  # "first" has its slot but has not run yet
        tasks.create_task(caller("second"))
    assert order == ["first", "second"]


async def test_nobody_overtakes_in_the_moment_in_which_a_pause_is_over():
    time = FakeTime()
    limit = limiter(time, start=3)
    async with limit.slot() as slot:
        slot.trouble(30.0)
    order: list[int] = []
    done = asyncio.Event()

    async def caller(number: int) -> None:
        async with limit.slot():
            order.append(number)
            await done.wait()

    async with asyncio.TaskGroup() as tasks:
        for number in range(3):
            tasks.create_task(caller(number))
        await settle()
        time.now += 30.0  # over, but no timer has called yet
        tasks.create_task(caller(3))
        await settle()
        assert order == [0, 1, 2]
        done.set()
    assert order == [0, 1, 2, 3]


async def test_a_cut_takes_effect_as_slots_come_back():
    limit = limiter(FakeTime(), start=10)
    slots = await take(limit, 10)
    slots[0].rate_limited(None)
    waiting = asyncio.ensure_future(take(limit, 1))
    await leave(slots[:2])
    await settle()
    assert limit.state().in_use == 8
    assert not waiting.done()
    await leave(slots[2:3])
    await leave(await waiting)
    await leave(slots[3:])
    assert limit.state().in_use == 0


async def test_a_waiter_may_be_cancelled_in_the_very_moment_it_is_given_a_slot():
    limit = limiter(FakeTime(), start=1)
    (held,) = await take(limit, 1)
    waiter = asyncio.ensure_future(take(limit, 1))
    await settle()
    await leave([held])  # the waiter's slot is set aside for it
    waiter.cancel()
    with contextlib.suppress(asyncio.CancelledError):
        await waiter
    assert limit.state().in_use == 0
    await round_of(limit, 1)


async def test_no_timer_is_left_when_nobody_waits():
    time = FakeTime()
    limit = limiter(time, start=5)
    await rate_limit(limit, 30.0)
    waiter = asyncio.ensure_future(take(limit, 1))
    await settle()
    assert time.timers == 1
    waiter.cancel()
    await settle()
    assert time.timers == 0


async def test_real_timers_wake_those_who_wait():
    limit = AdaptiveLimit(start=2)
    await rate_limit(limit, 0.01)
    async with limit.slot():
        assert limit.blocked == 0.0


@pytest.mark.parametrize("step", range(40))
async def test_cancelling_anybody_at_any_step_leaks_no_slot(step):
    """Eight callers, two slots, a pause in between; after `step` turns of the loop half are cancelled."""
    time = FakeTime()
    limit = limiter(time, start=2)

    async def caller(number: int) -> None:
        async with limit.slot() as slot:
            await asyncio.sleep(0)
            if number == 2:
                slot.rate_limited(1.0)
            await asyncio.sleep(0)
            slot.fine()

    tasks = [asyncio.ensure_future(caller(number)) for number in range(8)]
    for turn in range(step):
        if turn % 10 == 9:
            time.advance(2.0)
        await asyncio.sleep(0)
    for task in tasks[step % 2 :: 2]:
        task.cancel()
    for _ in range(20):
        time.advance(2.0)
        await settle(5)
    assert all(task.done() for task in tasks)
    assert limit.state().in_use == 0
    assert limit.state().waiting == 0
    await leave(await take(limit, limit.state().current))


@settings(max_examples=60)
@given(seed=st.integers(0, 10**9))
def test_any_history_keeps_the_books(seed):
    """Random calls, cancellations, verdicts and pauses: slots are never lost, invented or overbooked."""
    rng = random.Random(seed)
    time = FakeTime()

    async def history() -> None:
        limit = limiter(time, start=rng.randint(1, 6), most=8, cool_down=rng.choice([0.0, 5.0]))

        async def caller() -> None:
            async with limit.slot(rng.choice([3.0, 1e9])) as slot:
                for _ in range(rng.randint(0, 3)):
                    await asyncio.sleep(0)
                assert limit.state().in_use <= 8
                match rng.randrange(4):
                    case 0:
                        slot.rate_limited(rng.choice([None, 1.0, 10.0]))
                    case 1:
                        slot.trouble(rng.choice([None, 2.0]))
                    case _:
                        slot.fine()

        tasks = []
        for _ in range(60):
            match rng.randrange(5):
                case 0 if tasks:
                    rng.choice(tasks).cancel()
                case 1:
                    time.advance(rng.random() * 5)
                case 2:
                    await asyncio.sleep(0)
                case _:
                    tasks.append(asyncio.ensure_future(caller()))
        for _ in range(100):
            time.advance(20.0)
            await settle(3)
        results = await asyncio.gather(*tasks, return_exceptions=True)
        assert all(
            result is None or isinstance(result, asyncio.CancelledError | Blocked) for result in results
        )
        assert limit.state().in_use == limit.state().waiting == 0
        assert 1 <= limit.state().current <= 8
        await leave(await take(limit, limit.state().current))

    asyncio.run(history())


def test_a_limit_that_cannot_be_is_refused():
    with pytest.raises(ValueError, match="cannot be"):
        AdaptiveLimit(least=5, most=4)
    assert AdaptiveLimit(start=20, most=8).state().current == 8


async def test_a_pause_that_is_no_number_of_seconds_blocks_nobody():
    limit = limiter(FakeTime(), start=5)
    for odd in (float("inf"), float("nan"), -1.0, 0.0):
        await rate_limit(limit, odd)
    assert limit.blocked == 0.0
