"""One call whole: attempts, waits, prices, the cache, live text, cancellation."""

from __future__ import annotations

import asyncio
import contextlib
import random
import re

import pytest
from hypothesis import given
from hypothesis import strategies as st
from scripted_provider import FakeTime, ScriptedProvider, completion, fault, request, settle

from arena_tui.providers.base import (
    NO_TOKENS,
    Completion,
    Message,
    Part,
    ProviderError,
    Request,
    TokenLogprobs,
    Tokens,
    Tool,
    ToolCall,
    ToolResult,
)
from arena_tui.providers.client import Attempt, ModelClient
from arena_tui.providers.limiter import AdaptiveLimit
from arena_tui.providers.live_text import LiveText
from arena_tui.providers.pricing import Price
from arena_tui.providers.reply_cache import ReplyCache
from arena_tui.providers.request_key import most_tokens, rewritten, worst_case
from arena_tui.providers.retry import RetryPolicy

PRICE = Price(1.0, 10.0)
FULL_BACKOFF = type("FullBackoff", (random.Random,), {"uniform": lambda self, low, high: high})


def client(provider, time=None, **more) -> ModelClient:
    time = time or FakeTime()
    limit = more.pop("limit", None) or AdaptiveLimit(clock=time.clock, later=time.later)
    return ModelClient(
        provider,
        limit=limit,
        retry=more.pop("retry", RetryPolicy()),
        price=more.pop("price", PRICE),
        clock=time.clock,
        sleep=more.pop("sleep", time.skip),
        rng=more.pop("rng", FULL_BACKOFF()),
        **more,
    )


# Attempts.


async def test_a_good_reply_is_one_attempt_with_its_bill():
    provider = ScriptedProvider([completion(tokens=Tokens(input=1000, cached_input=0, output=200))])
    failed: list[Attempt] = []
    attempt = await client(provider).complete(request(), first_attempt=3, on_attempt=failed.append)
    assert attempt.number == 3
    assert attempt.completion.text == "better idea: 1"
    assert attempt.fault is None
    assert attempt.tokens == Tokens(input=1000, output=200)
    assert attempt.usd == pytest.approx((1000 + 2000) / 1e6)
    assert not attempt.from_cache
    assert failed == []


async def test_attempts_are_numbered_on_from_the_first_and_each_failed_one_is_told():
    provider = ScriptedProvider([fault("server"), fault("connection"), completion()])
    failed: list[Attempt] = []
    time = FakeTime()
    attempt = await client(provider, time).complete(request(), first_attempt=5, on_attempt=failed.append)
    assert [(a.number, a.fault.kind, a.usd) for a in failed] == [(5, "server", 0.0), (6, "connection", 0.0)]
    assert attempt.number == 7
    assert len({a.request_hash for a in [*failed, attempt]}) == 1
    assert time.slept == [1.0, 2.0]


async def test_the_last_fault_is_told_and_returned_with_the_reason_for_giving_up():
    provider = ScriptedProvider([fault("overloaded", "test: overloaded.")])
    failed: list[Attempt] = []
    attempt = await client(provider, retry=RetryPolicy(attempts=3)).complete(
        request(), on_attempt=failed.append
    )
    assert len(provider.requests) == 3
    assert failed[-1] is attempt
    assert str(attempt.fault) == "test: overloaded: given up after 3 attempts"
    assert attempt.fault.kind == "overloaded"
    assert not attempt.down


async def test_total_time_is_bounded():
    time = FakeTime()
    provider = ScriptedProvider([fault("rate_limited", retry_after=40.0)])
    attempt = await client(provider, time, retry=RetryPolicy(attempts=99, seconds=100.0)).complete(request())
    assert len(provider.requests) == 3
    assert time.now - 1000.0 == 80.0
    assert "100 s is the most a call may take" in str(attempt.fault)


async def test_a_retry_after_of_an_hour_is_not_slept_and_the_next_calls_send_nothing():
    time = FakeTime()
    provider = ScriptedProvider([fault("rate_limited", retry_after=3600.0), completion()])
    calls = client(provider, time)
    attempt = await calls.complete(request())
    assert time.slept == []
    assert attempt.down
    assert str(attempt.fault) == (
        "test: rate_limited: it asks for a pause of 60 min, longer than the 5 min that a call waits"
    )
    told: list[Attempt] = []
    time.advance(60.0)
    second = await calls.complete(request(), on_attempt=told.append)
    assert second.down
    assert second.tokens == NO_TOKENS
    assert "59 min are left: nothing was sent" in str(second.fault)
    assert told == []  # there was no attempt
    assert len(provider.requests) == 1
    time.advance(3540.0)
    assert (await calls.complete(request())).completion is not None


@pytest.mark.parametrize("kind", ["rejected", "too_long", "unknown"])
async def test_what_cannot_be_mended_is_returned_after_one_attempt(kind):
    provider = ScriptedProvider([fault(kind)])
    attempt = await client(provider).complete(request())
    assert attempt.fault.kind == kind
    assert str(attempt.fault) == f"test: {kind}"
    assert len(provider.requests) == 1


async def test_a_refused_key_is_told_and_raised():
    provider = ScriptedProvider([fault("server"), fault("refused", status=401)])
    failed: list[Attempt] = []
    with pytest.raises(ProviderError) as caught:
        await client(provider).complete(request(), on_attempt=failed.append)
    assert caught.value.kind == "refused"
    assert [a.fault.kind for a in failed] == ["server", "refused"]


@pytest.mark.parametrize("reason", ["max_tokens", "refusal", "pause_turn", "other", "tool_calls"])
async def test_a_reply_that_is_not_whole_is_returned_and_not_asked_for_again(reason):
    provider = ScriptedProvider([completion("half a", reason)])
    attempt = await client(provider).complete(request())
    assert attempt.completion.stop_reason == reason
    assert len(provider.requests) == 1


async def test_a_stream_that_ends_without_a_completion_is_cut():
    class Ending(ScriptedProvider):
        async def stream(self, request):
            self.requests.append(request)
            if len(self.requests) > 1:
                async for event in super().stream(request):
                    yield event

    provider = Ending([completion()])
    failed: list[Attempt] = []
    await client(provider).complete(request(), on_attempt=failed.append)
    assert [a.fault.kind for a in failed] == ["cut"]


async def test_before_is_awaited_before_each_further_attempt_and_may_end_the_call():
    provider = ScriptedProvider([fault("cut"), fault("cut"), completion()])
    calls, asked = client(provider), []

    async def before() -> None:
        asked.append((len(provider.requests), calls.limit.state().in_use))
        if len(asked) == 2:
            raise RuntimeError("no money")

    with pytest.raises(RuntimeError, match="no money"):
        await calls.complete(request(), before=before)
    assert asked == [(1, 0), (2, 0)]
    assert calls.limit.state().in_use == 0


async def test_other_exceptions_give_the_slot_back():
    async def broken() -> Completion:
        raise ZeroDivisionError

    calls = client(ScriptedProvider([broken]))
    with pytest.raises(ZeroDivisionError):
        await calls.complete(request())
    assert calls.limit.state().in_use == 0


async def test_samples_differ_with_a_simulated_provider_too():
    provider = ScriptedProvider([completion()])
    calls = client(provider)
    for sample in (0, 3):
        await calls.complete(request(), sample=sample)
    await calls.complete(request(params={"seed": 9}), sample=3)
    provider.simulated = False
    await calls.complete(request(), sample=3)
    assert [dict(asked.params) for asked in provider.requests] == [{"seed": 0}, {"seed": 3}, {"seed": 9}, {}]


# The bill.


async def test_a_fault_is_billed_by_what_the_provider_knows():
    provider = ScriptedProvider([fault("cut", tokens=Tokens(input=50, output=5)), completion()])
    failed: list[Attempt] = []
    await client(provider).complete(request(), on_attempt=failed.append)
    assert failed[0].tokens == Tokens(input=50, output=5)
    assert failed[0].usd == pytest.approx((50 + 50) / 1e6)


async def test_a_fault_in_the_stream_is_billed_by_an_estimate_and_one_before_it_costs_nothing():
    provider = ScriptedProvider(
        [fault("timeout"), fault("cut"), completion()], partial={2: "half of a reply"}
    )
    failed: list[Attempt] = []
    await client(provider).complete(request(), on_attempt=failed.append)
    assert failed[0].tokens == NO_TOKENS
    assert failed[0].usd == 0.0
    assert failed[1].tokens.input > 5
    assert failed[1].tokens.output == 5
    assert failed[1].usd > 0


async def test_a_server_that_does_not_count_is_billed_by_an_estimate():
    provider = ScriptedProvider([completion("some words of reply", tokens=NO_TOKENS)])
    attempt = await client(provider).complete(request())
    assert attempt.tokens.input > 5
    assert attempt.tokens.output > 3


async def test_an_unknown_price_is_none_for_what_used_tokens_only():
    provider = ScriptedProvider([fault("connection"), completion()])
    failed: list[Attempt] = []
    attempt = await client(provider, price=None).complete(request(), on_attempt=failed.append)
    assert failed[0].usd == 0.0
    assert attempt.usd is None
    assert client(provider, price=None).worst_cost(request())[1] is None


async def test_seconds_are_those_of_the_request_not_of_the_waiting():
    time = FakeTime()
    limit = AdaptiveLimit(start=1, most=1, clock=time.clock, later=time.later)

    async def slow() -> Completion:
        time.advance(2.0)
        return completion()

    calls = client(ScriptedProvider([slow]), time, limit=limit)
    attempts = await asyncio.gather(*(calls.complete(request()) for _ in range(3)))
    assert [a.seconds for a in attempts] == [2.0, 2.0, 2.0]


# The limiter.


async def test_the_slot_is_free_while_a_call_waits_to_try_again():
    time = FakeTime()
    limit = AdaptiveLimit(start=1, most=1, clock=time.clock, later=time.later)
    wakes: list[asyncio.Future] = []

    async def sleep(seconds: float) -> None:
        wakes.append(asyncio.get_running_loop().create_future())
        await wakes[-1]

    provider = ScriptedProvider([fault("server"), completion("second"), completion("first")])
    calls = client(provider, time, limit=limit, sleep=sleep)
    first = asyncio.ensure_future(calls.complete(request("one")))
    await settle()
    assert limit.state().in_use == 0
    second = await calls.complete(request("two"))
    assert second.completion.text == "second"
    wakes[0].set_result(None)
    assert (await first).completion.text == "first"


async def test_the_limiter_hears_how_every_attempt_ended():
    time = FakeTime()
    limit = AdaptiveLimit(start=10, clock=time.clock, later=time.later)
    provider = ScriptedProvider([fault("rate_limited", retry_after=7.0), completion()])
    await client(provider, time, limit=limit).complete(request())
    state = limit.state()
    assert (state.current, state.rate_limits) == (8, 1)
    assert time.slept == [7.0]
    provider = ScriptedProvider([fault("overloaded", retry_after=9.0), fault("rejected")])
    calls = client(provider, time, limit=limit)
    assert (await calls.complete(request())).fault.kind == "rejected"
    assert limit.state().current == 8
    assert time.slept == [7.0, 9.0]


async def test_no_more_requests_are_under_way_than_the_limit_allows():
    time = FakeTime()
    limit = AdaptiveLimit(start=3, most=3, clock=time.clock, later=time.later)
    provider = ScriptedProvider([fault("server"), completion()])
    calls = client(provider, time, limit=limit)
    await asyncio.gather(*(calls.complete(request()) for _ in range(40)))
    assert provider.most_streaming == 3
    assert limit.state().in_use == 0


# Live text.


async def test_live_text_grows_and_begins_anew_with_the_next_attempt():
    provider = ScriptedProvider([fault("cut"), completion("a b c")], partial={1: "lost"})
    seen: list[tuple[int, str]] = []
    await client(provider).complete(request(), on_text=lambda live: seen.append((id(live), str(live))))
    texts = [text for _, text in seen]
    assert texts == ["", "lost", "", "a ", "a b ", "a b c "]
    assert len({number for number, _ in seen[2:]}) == 1


def test_live_text_joins_only_when_somebody_looks():
    live = LiveText()
    assert (str(live), len(live)) == ("", 0)
    for _ in range(10_000):
        live.append("ab")
    assert len(live) == 20_000
    assert len(live._pieces) == 10_000
    assert str(live) == "ab" * 10_000
    assert len(live._pieces) == 1
    assert str(live) is str(live)
    live.append("!")
    assert str(live).endswith("ab!")
    assert str(LiveText("whole")) == "whole"


# The cache.


@pytest.fixture
async def cache(tmp_path):
    cache = ReplyCache(tmp_path / "replies.db")
    yield cache
    await cache.close()


def cached(provider, cache, mode="on") -> ModelClient:
    return client(provider, cache=cache, cache_mode=mode)


async def test_a_reply_is_bought_once(cache):
    provider = ScriptedProvider([completion("first")])
    bought = await cached(provider, cache).complete(request())
    seen: list[str] = []
    served = await cached(provider, cache).complete(
        request(), first_attempt=4, on_text=lambda live: seen.append(str(live))
    )
    assert len(provider.requests) == 1
    assert served.completion == bought.completion
    assert (served.from_cache, served.tokens, served.usd, served.number) == (True, NO_TOKENS, 0.0, 4)
    assert served.request_hash == bought.request_hash
    assert seen == ["first"]


async def test_a_served_reply_needs_no_slot(cache):
    provider = ScriptedProvider([completion()])
    calls = cached(provider, cache)
    await calls.complete(request())
    async with contextlib.AsyncExitStack() as stack:
        for _ in range(calls.limit.state().current):
            await stack.enter_async_context(calls.limit.slot())
        assert (await calls.complete(request())).from_cache


async def test_refresh_buys_again_and_stores(cache):
    provider = ScriptedProvider([completion("old"), completion("new")])
    await cached(provider, cache).complete(request())
    again = await cached(provider, cache, "refresh").complete(request())
    assert (again.completion.text, again.from_cache) == ("new", False)
    assert (await cached(provider, cache).complete(request())).completion.text == "new"


async def test_off_neither_serves_nor_stores(cache):
    provider = ScriptedProvider([completion()])
    for _ in range(2):
        assert not (await cached(provider, cache, "off").complete(request())).from_cache
    assert not (await cached(provider, cache).complete(request())).from_cache


def test_a_cache_mode_without_a_cache_is_a_mistake():
    with pytest.raises(ValueError, match="needs a cache"):
        client(ScriptedProvider([completion()]), cache_mode="on")


@pytest.mark.parametrize("reason", ["max_tokens", "refusal", "pause_turn", "other", "tool_calls"])
async def test_a_reply_that_is_not_whole_is_never_served(cache, reason):
    provider = ScriptedProvider([completion("half", reason), completion("whole")])
    await cached(provider, cache).complete(request())
    assert (await cached(provider, cache).complete(request())).completion.text == "whole"


async def test_a_reply_with_tool_calls_is_never_served(cache):
    provider = ScriptedProvider([completion(tool_calls=(ToolCall("1", "f", "{}"),))])
    for _ in range(2):
        assert not (await cached(provider, cache).complete(request())).from_cache


async def test_failures_are_never_served(cache):
    provider = ScriptedProvider([fault("rejected"), completion()])
    assert (await cached(provider, cache).complete(request())).completion is None
    assert not (await cached(provider, cache).complete(request())).from_cache


async def test_what_nobody_could_read_is_forgotten(cache):
    provider = ScriptedProvider([completion()])
    calls = cached(provider, cache)
    attempt = await calls.complete(request())
    await calls.forget(attempt.request_hash)
    assert not (await calls.complete(request())).from_cache
    await client(provider).forget(attempt.request_hash)  # no cache: nothing to forget


def disguised(first: str, second: str, fence: str):
    """(prompt, hide, reveal) of one comparison under random labels and a fence id."""
    places = {first: "<L1>", second: "<L2>", fence: "<ID>"}

    def hide(text: str) -> str:
        return re.sub("|".join(places), lambda found: places[found[0]], text)

    def reveal(text: str) -> str:
        back = {place: word for word, place in places.items()}
        return re.sub("<L1>|<L2>|<ID>", lambda found: back[found[0]], text)

    return f"<<<text {first} {fence}>>> ... answer with {first} or {second}", hide, reveal


async def test_a_reply_bought_under_one_disguise_is_served_under_another(cache):
    logprobs = (
        TokenLogprobs("better idea", -0.1),
        TokenLogprobs(": K", -0.2, ((": K", -0.2), (": Q", -1.8))),
        TokenLogprobs("7", -0.3),
        TokenLogprobs(" K7", -0.4, ((" K7", -0.4), (" Q2", -1.2))),
    )
    provider = ScriptedProvider([completion("better idea: K7 K7", logprobs=logprobs)])
    calls = cached(provider, cache)
    prompt, hide, reveal = disguised("K7", "Q2", "aaaa")
    await calls.complete(request(prompt), hide=hide, reveal=reveal)
    prompt, hide, reveal = disguised("M4", "Z9", "bbbb")
    served = await calls.complete(request(prompt), hide=hide, reveal=reveal)
    assert served.from_cache
    assert served.completion.text == "better idea: M4 M4"
    tokens = served.completion.logprobs
    assert "".join(token.token for token in tokens) == "better idea: M4 M4"
    assert tokens[-1] == TokenLogprobs(" M4", -0.4, ((" M4", -0.4), (" Z9", -1.2)))
    stored = await cache.get(served.request_hash)
    assert stored.text == "better idea: <L1> <L1>"
    other = request(prompt + " differently")
    assert not (await calls.complete(other, hide=hide, reveal=reveal)).from_cache


async def test_a_retried_call_stores_its_reply_under_the_same_key(cache):
    provider = ScriptedProvider([fault("server"), completion()])
    calls = cached(provider, cache)
    await calls.complete(request(), first_attempt=1)
    assert (await calls.complete(request(), first_attempt=9)).from_cache


def test_the_key_is_made_of_all_that_shapes_a_reply():
    def key(asked: Request, sample: int = 0, **provider) -> str:
        return client(ScriptedProvider([completion()], **provider)).request_hash(asked, sample)

    same = request()
    schema = {"type": "object", "properties": {"b": {}, "a": {}}}
    others = [
        key(same),
        key(same, 1),
        key(same, name="test:other"),
        key(same, base_url="http://127.0.0.1:1/v1"),
        key(request("Which is worse?")),
        key(request(max_tokens=101)),
        key(request(top_logprobs=5)),
        key(request(params={"temperature": 0})),
        key(request(params={"temperature": 1})),
        key(request(json_schema=schema)),
        key(request(tools=(Tool("f", "does", {}),))),
        key(Request((), same.messages, 100)),
        key(Request(same.system, (*same.messages, Message("assistant", (Part("1"),))), 100)),
        key(Request(same.system, (Message("user", (), tool_results=(ToolResult("1", "x"),)),), 100)),
    ]
    assert len(set(others)) == len(others)
    assert all(re.fullmatch("[0-9a-f]{64}", other) for other in others)


def test_the_key_does_not_depend_on_cache_marks_parts_or_the_order_of_parameters():
    calls = client(ScriptedProvider([completion()]))
    one = Request((Part("a", cache=True), Part("b")), (), 9, params={"x": 1, "y": {"p": 1, "q": 2}})
    two = Request((Part("ab"),), (), 9, params={"y": {"q": 2, "p": 1}, "x": 1})
    assert calls.request_hash(one) == calls.request_hash(two)


@given(st.text(st.characters(exclude_categories=())))
def test_any_text_has_a_key_and_a_bound(text):
    calls = client(ScriptedProvider([completion()]))
    assert len(calls.request_hash(request(text))) == 64
    assert calls.worst_case(request(text)).input >= len(text)


@given(
    st.lists(st.sampled_from(["K", "7", "K7", " K7", "Q2", "Q", "2", "\n", ":", " a", "1"]), max_size=40),
    st.randoms(),
)
def test_hidden_tokens_always_join_to_the_hidden_text(words, rng):
    _, hide, reveal = disguised("K7", "Q2", "ffff")
    text = "".join(words)
    tokens = tuple(TokenLogprobs(word, -rng.random(), ((word, -0.1),)) for word in words)
    hidden = rewritten(Completion(text, "stop", logprobs=tokens), hide)
    assert "".join(token.token for token in hidden.logprobs) == hidden.text == hide(text)
    back = rewritten(hidden, reveal)
    assert "".join(token.token for token in back.logprobs) == back.text == text
    assert sum(t.logprob for t in hidden.logprobs) == pytest.approx(sum(t.logprob for t in tokens))


# The worst case.


def test_the_worst_case_counts_all_parts_and_what_may_be_written_to_a_prompt_cache():
    plain = worst_case(request("x" * 1000, max_tokens=77))
    assert plain.output == 77
    assert plain.cache_write == 0
    assert plain.input > 1000
    marked = Request((Part("x" * 1000, cache=True),), (), 77)
    assert worst_case(marked).cache_write == worst_case(marked).input
    tools = request(tools=(Tool("f", "does", {"type": "object"}),), json_schema={"type": "object"})
    assert worst_case(tools).input > worst_case(request()).input + 400


def test_the_worst_cost_takes_the_dearer_of_writing_and_reading():
    calls = client(ScriptedProvider([]), price=Price(1.0, 10.0, cached_input=0.1, cache_write=1.25))
    asked = Request((Part("x" * 1000, cache=True),), (), 77)
    tokens, usd = calls.worst_cost(asked)
    assert usd == pytest.approx((tokens.input * 1.25 + 770) / 1e6)
    cheap = client(ScriptedProvider([]), price=Price(1.0, 10.0, cache_write=0.5)).worst_cost(asked)[1]
    assert cheap == pytest.approx((tokens.input + 770) / 1e6)


@pytest.mark.parametrize(
    ("text", "tokens"),
    [  # the most of o200k, cl100k and r50k, counted with their published vocabularies
        ("the of a in is to it " * 50, 351),
        ("1 2 3 4 5 6 7 8 9 0 " * 10, 200),
        ("老化細胞を除去することでマウスの寿命が延びるという仮説" * 10, 410),
        ("q w e r t y u i o p " * 10, 101),
    ],
)
def test_the_bound_holds_for_real_vocabularies(text, tokens):
    assert tokens <= most_tokens(text)


# Cancellation.


@pytest.mark.parametrize("step", range(45))
async def test_cancelling_a_call_at_any_step_leaks_nothing(step, tmp_path):
    """A call with two retries under a crowded limit, cancelled after `step` turns of the loop."""
    time = FakeTime()
    limit = AdaptiveLimit(start=1, most=1, clock=time.clock, later=time.later)
    cache = ReplyCache(tmp_path / "replies.db")
    steps = [fault("rate_limited", retry_after=1.0), fault("cut"), completion("a b c d")]
    provider = ScriptedProvider(steps, partial={2: "x"})
    calls = client(provider, time, limit=limit, cache=cache, cache_mode="refresh")

    async def nothing() -> None:
        await asyncio.sleep(0)

    tasks = [asyncio.ensure_future(calls.complete(request(str(n)), before=nothing)) for n in range(2)]
    for _ in range(step):
        await asyncio.sleep(0)
    tasks[0].cancel()
    with contextlib.suppress(asyncio.CancelledError):
        await tasks[0]
    while not tasks[1].done():
        time.advance(1.0)
        await settle()
    assert (await tasks[1]).completion is not None
    assert limit.state().in_use == limit.state().waiting == 0
    assert provider.streaming == 0
    await cache.close()


async def test_a_cancelled_call_closes_its_stream_at_once():
    stuck = asyncio.Event()

    async def hang() -> Completion:
        await stuck.wait()
        return completion()

    provider = ScriptedProvider([hang])
    calls = client(provider)
    task = asyncio.ensure_future(calls.complete(request()))
    await settle()
    assert provider.streaming == 1
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    assert provider.streaming == 0
    assert calls.limit.state().in_use == 0


async def test_a_paid_reply_is_returned_while_the_cache_is_busy_and_a_bad_cache_fails_no_paid_call(tmp_path):
    (tmp_path / "replies.db").write_bytes(b"no cache at all" * 100)
    cache = ReplyCache(tmp_path / "replies.db")
    attempt = await client(ScriptedProvider([completion()]), cache=cache, cache_mode="refresh").complete(
        request()
    )
    assert attempt.completion is not None
    await cache.close()
    assert "delete it" in cache.trouble


async def test_the_users_params_belong_to_every_request_of_a_model():
    warm, cold = ScriptedProvider([completion()]), ScriptedProvider([completion()])
    cold.params = {"temperature": 0}
    keys = {client(provider).request_hash(request()) for provider in (warm, cold)}
    assert len(keys) == 2, "a reply of one is no reply of the other"
    assert client(warm).request_hash(request(params={"temperature": 0})) in keys
