"""Every way in which a server fails, through the real SDKs: named rightly, ended in time, no key told."""

from __future__ import annotations

import asyncio
import logging
import socket
import traceback
from collections.abc import AsyncIterator, Callable
from dataclasses import dataclass
from email.utils import formatdate
from time import time

import pytest
from model_faults import ANSWERS, BEFORE, DURING, Fault, FaultScript
from model_server import ModelServer, Ways
from provider_calls import KEY, Opener, ask, question

from arena_tui.providers.base import (
    NO_TOKENS,
    FaultKind,
    Message,
    Part,
    Provider,
    ProviderError,
    StreamEvent,
    TextDelta,
)
from arena_tui.providers.targets import Target

AT_MOST = 20.0  # seconds in which anything ends, however busy the machine is


@dataclass(frozen=True)
class Row:
    """What a fault of the server must become; `costs` when a reply had begun."""

    kind: FaultKind
    status: int | None = None
    costs: bool = False


TABLE: dict[str, Row] = {
    "rate_limited": Row("rate_limited", 429),
    "overloaded": Row("overloaded", 529),
    "unavailable": Row("overloaded", 503),
    "server_error": Row("server", 500),
    "request_timeout": Row("server", 408),
    "conflict": Row("server", 409),
    "html_502": Row("server", 502),
    "bad_key": Row("refused", 401),
    "no_credit": Row("refused", 402),
    "forbidden": Row("refused", 403),
    "unknown_model": Row("refused", 404),
    "quota": Row("refused", 429),
    "low_balance": Row("refused", 400),
    "too_long": Row("too_long", 400),
    "bad_request": Row("rejected", 400),
    "too_large": Row("rejected", 413),
    "unprocessable": Row("rejected", 422),
    "broken_json": Row("server"),
    "empty_object": Row("server"),
    "html_200": Row("server"),
    "silent": Row("timeout"),
    "reset": Row("connection"),
    "slow_headers": Row("timeout"),
    "cut": Row("cut", costs=True),
    "early_end": Row("cut", costs=True),
    "error_event": Row("overloaded", costs=True),
    "broken_event": Row("server", costs=True),
    "empty_event": Row("server", costs=True),
    "stall": Row("timeout", costs=True),
    "slow_loris": Row("timeout", costs=True),
}
IDLE = {"silent": 0.2, "stall": 0.2}  # ended by the idle clock
TOTAL = {"slow_headers": 0.4, "slow_loris": 0.4}  # bytes keep coming: only the total clock ends them
HARMLESS = {"cut_after_reply", "open_end"}


pytestmark = pytest.mark.usefixtures("planted_keys")


async def fault_of(provider: Provider) -> ProviderError:
    """The fault of one attempt, which must come within a bound and say nothing it should not."""
    try:
        async with asyncio.timeout(AT_MOST):
            with pytest.raises(ProviderError) as caught:
                await ask(provider)
    finally:
        assert_tells_nothing(caught.value)
    return caught.value


async def rest_of(stream: AsyncIterator[StreamEvent]) -> None:
    """Read what is left, which raises what it ends with."""
    async for _ in stream:
        pass


async def until(condition: Callable[[], bool]) -> None:
    """Wait for a state of the server, within a bound."""
    async with asyncio.timeout(AT_MOST):
        while not condition():  # noqa: ASYNC110 - a fake has no events for this
            await asyncio.sleep(0.01)


def assert_tells_nothing(error: ProviderError) -> None:
    """No key in any form that somebody might print, also not among the locals of the frames."""
    told = [str(error), repr(error), error.partial, *traceback.format_exception(error)]
    told += traceback.TracebackException.from_exception(error, capture_locals=True).format()
    assert not [line for line in told if KEY in line or "planted" in line]
    assert error.__cause__ is None
    assert error.__context__ is None


def test_the_table_knows_every_fault_of_the_server() -> None:
    assert TABLE.keys() | HARMLESS == ANSWERS.keys() | BEFORE | DURING


@pytest.mark.parametrize("name", sorted(TABLE))
async def test_fault_is_named_rightly_and_ends_in_time(
    server: ModelServer, wire: str, name: str, opened: Opener
) -> None:
    row = TABLE[name]
    server.faults = FaultScript(always=Fault(name, gap=0.02))
    provider = opened.on(server, wire, idle=IDLE.get(name, AT_MOST), total=TOTAL.get(name, AT_MOST))
    fault = await fault_of(provider)
    assert (fault.kind, fault.status, fault.retry_after) == (row.kind, row.status, None)
    assert (fault.tokens.input > 0) == row.costs
    assert len(server.calls) == 1, "the SDK tried again by itself"
    assert "<" not in str(fault), "a page of HTML in a sentence"
    assert "\n" not in str(fault)
    assert str(fault).startswith(f"{wire}:fake at {provider.base_url}: ")


@pytest.mark.parametrize("name", sorted(HARMLESS))
async def test_reply_that_is_whole_counts_although_its_stream_never_ends(
    server: ModelServer, wire: str, name: str, opened: Opener
) -> None:
    server.faults = FaultScript(always=name)
    provider = opened.on(server, wire)
    async with asyncio.timeout(AT_MOST):
        completion = await ask(provider)
    assert completion.stop_reason in ("end_turn", "stop")
    assert "better idea:" in completion.text
    assert completion.tokens.output > 0


@pytest.mark.parametrize("status_fault", ["rate_limited", "overloaded", "server_error"])
@pytest.mark.parametrize(
    ("header", "expected"),
    [("2", 2.0), ("3600", 3600.0), ("0", 0.0), ("soon", None), ("-5", None), ("inf", None), ("nan", None)],
)
async def test_retry_after_is_what_the_server_asked_for(
    server: ModelServer, wire: str, status_fault: str, header: str, expected: float | None, opened: Opener
) -> None:
    server.faults = FaultScript(always=Fault(status_fault, retry_after=header))
    fault = await fault_of(opened.on(server, wire))
    assert fault.retry_after == expected


async def test_retry_after_may_be_a_date(server: ModelServer, wire: str, opened: Opener) -> None:
    server.faults = FaultScript(
        always=Fault("rate_limited", retry_after=formatdate(time() + 90, usegmt=True))
    )
    fault = await fault_of(opened.on(server, wire))
    assert fault.retry_after is not None
    assert 90 - AT_MOST < fault.retry_after <= 90


async def test_pause_for_calls_in_flight_is_no_exhausted_credit(
    server: ModelServer, wire: str, opened: Opener
) -> None:
    server.faults = FaultScript(always=Fault("no_credit", retry_after="3"))
    fault = await fault_of(opened.on(server, wire))
    assert (fault.kind, fault.retry_after) == ("rate_limited", 3.0)


async def test_refused_key_is_named_by_its_variable(server: ModelServer, wire: str, opened: Opener) -> None:
    server.faults = FaultScript(always="bad_key")
    fault = await fault_of(opened.on(server, wire))
    assert f"the key in {wire.upper()}_API_KEY was refused (HTTP 401)" in str(fault)
    assert str(fault).count("***") == 1, "the server repeated the key, and it was masked"
    assert server.calls[0].key == KEY


async def test_debug_log_of_all_libraries_holds_no_key(
    server: ModelServer, wire: str, opened: Opener, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.DEBUG)
    provider = opened.on(server, wire)
    await ask(provider)
    server.faults = FaultScript(always="bad_key")
    await fault_of(provider)
    server.faults = FaultScript(always="cut")
    await fault_of(provider)
    assert caplog.records
    assert not [record for record in caplog.records if KEY in record.getMessage() or KEY in str(record.args)]


async def test_partial_text_and_its_tokens_are_kept(server: ModelServer, wire: str, opened: Opener) -> None:
    server.faults = FaultScript(always="early_end")
    fault = await fault_of(opened.on(server, wire))
    assert fault.partial.startswith("Both were weighed")
    assert fault.tokens.output >= server.calls[0].sent


async def test_words_of_the_server_that_are_no_sentence_are_made_one(
    server: ModelServer, wire: str, opened: Opener
) -> None:
    server.ways = Ways(context=100)
    provider = opened.on(server, wire)
    with pytest.raises(ProviderError) as caught:
        await ask(provider, question("x " * 2000))
    assert caught.value.kind == "too_long"
    assert "longer than the model reads" in str(caught.value)


async def test_refused_connection_is_one_fault(wire: str, opened: Opener) -> None:
    async with ModelServer() as gone:
        provider = opened.on(gone, wire)
    fault = await fault_of(provider)
    assert (fault.kind, fault.status, fault.tokens) == ("connection", None, NO_TOKENS)


async def test_plain_http_behind_an_https_address_is_a_connection_fault(wire: str, opened: Opener) -> None:
    async def plain(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await reader.read(1)
        writer.write(b"HTTP/1.1 400 Bad Request\r\ncontent-length: 0\r\n\r\n")
        await writer.drain()
        writer.close()

    async with await asyncio.start_server(plain, "127.0.0.1", 0) as server:
        url = f"https://127.0.0.1:{server.sockets[0].getsockname()[1]}"
        fault = await fault_of(opened(Target(f"{wire}:fake", base_url=url)))
    assert fault.kind == "connection"
    assert "the encrypted connection failed" in str(fault)


async def test_unanswered_connection_ends_by_the_connect_clock(wire: str, opened: Opener) -> None:
    with socket.socket() as full, socket.socket() as first, socket.socket() as second:
        full.bind(("127.0.0.1", 0))
        full.listen(0)
        for waiting in (first, second):  # they fill the queue, so that the kernel answers nobody else
            waiting.setblocking(False)
            waiting.connect_ex(full.getsockname())
        url = f"http://127.0.0.1:{full.getsockname()[1]}"
        provider = opened(Target(f"{wire}:fake", base_url=url, connect=0.2, idle=AT_MOST))
        fault = await fault_of(provider)
    assert fault.kind == "timeout"
    assert "no connection within 0.2 s" in str(fault)


async def test_total_clock_never_cancels_whoever_reads_the_stream(
    server: ModelServer, wire: str, opened: Opener
) -> None:
    server.faults = FaultScript(always="stall")
    provider = opened.on(server, wire, total=0.3)
    stream = provider.stream(question())
    assert isinstance(await anext(stream), TextDelta)
    await asyncio.sleep(0.6)  # the reader is busy elsewhere when the time is over
    with pytest.raises(ProviderError) as caught:
        await rest_of(stream)
    assert caught.value.kind == "timeout"


async def test_cancelled_call_hangs_up_and_leaves_a_provider_that_works(
    server: ModelServer, wire: str, opened: Opener
) -> None:
    provider = opened.on(server, wire)
    await ask(provider)
    server.ways = Ways(tokens_per_second=2.0)
    for awaits in range(1, 12):
        task = asyncio.create_task(ask(provider))
        for _ in range(awaits):
            await asyncio.sleep(0)
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task
    task = asyncio.create_task(ask(provider))
    await until(lambda: server.calls[-1].sent > 0)
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    await until(lambda: not server.in_flight)
    assert server.calls[-1].outcome == "gone"
    server.ways = Ways()
    assert (await ask(provider)).stop_reason in ("end_turn", "stop")


async def test_stream_left_early_hangs_up(server: ModelServer, wire: str, opened: Opener) -> None:
    server.ways = Ways(tokens_per_second=5.0)
    provider = opened.on(server, wire)
    stream = provider.stream(question())
    await anext(stream)
    await stream.aclose()
    await until(lambda: not server.in_flight)
    assert server.calls[0].outcome == "gone"


async def test_error_in_a_reader_of_ours_is_unknown_and_keeps_the_key(
    server: ModelServer, wire: str, monkeypatch: pytest.MonkeyPatch, opened: Opener
) -> None:
    provider = opened.on(server, wire)

    async def broken(*_: object) -> None:
        raise RuntimeError(f"unforeseen, with {KEY}")

    monkeypatch.setattr(provider, "_open", broken)
    fault = await fault_of(provider)
    assert fault.kind == "unknown"
    assert "unexpected RuntimeError: unforeseen, with ***" in str(fault)


async def test_request_that_a_wire_cannot_express_is_rejected_before_it_is_sent(
    server: ModelServer, opened: Opener
) -> None:
    provider = opened.on(server, "anthropic")
    with pytest.raises(ProviderError) as caught:
        await ask(provider, question(top_logprobs=5))
    assert caught.value.kind == "rejected"
    assert not server.calls


async def test_lone_surrogates_in_a_prompt_fail_the_call_alone(
    server: ModelServer, wire: str, opened: Opener
) -> None:
    provider = opened.on(server, wire)
    with pytest.raises(ProviderError) as caught:
        await ask(provider, question(messages=(Message("user", (Part("half \ud800"),)),)))
    assert_tells_nothing(caught.value)
    assert caught.value.kind == "rejected"
    assert (await ask(provider)).stop_reason in ("end_turn", "stop")
