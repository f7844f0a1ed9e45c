"""The fake model server: it speaks both formats as the real ones do, and counts what it should."""

from __future__ import annotations

import asyncio
import http.client
import json
import math
import os
from collections.abc import AsyncIterator
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from model_brain import Scripted, pieces
from model_faults import MIXED, Fault, FaultScript
from model_server import ModelServer, Ways
from model_server_process import ModelServerProcess, ModelServerThread
from prefix_cache import PrefixCache, Segment

MESSAGES = "/v1/messages"
CHAT = "/v1/chat/completions"


def post(url: str, path: str, body: Any, method: str = "POST") -> tuple[int, bytes]:
    """One plain HTTP request, without any SDK."""
    connection = http.client.HTTPConnection(url.removeprefix("http://"), timeout=30)
    try:
        headers = {"content-type": "application/json", "authorization": "Bearer a-key"}
        connection.request(method, path, json.dumps(body), headers)
        answer = connection.getresponse()
        return answer.status, answer.read()
    finally:
        connection.close()


def chat(text: str, **more: Any) -> dict[str, Any]:
    return {"model": "fake", "max_tokens": 50, "messages": [{"role": "user", "content": text}], **more}


def data_of(stream: bytes) -> list[Any]:
    """The JSON of the events of a stream."""
    lines = [line for line in stream.decode().splitlines() if line.startswith("data: ")]
    return [json.loads(line[6:]) for line in lines if line != "data: [DONE]"]


@pytest.fixture
async def server() -> AsyncIterator[ModelServer]:
    async with ModelServer(lambda request: "I say better idea: 2") as running:
        yield running


async def test_messages_come_whole_or_as_events(server: ModelServer) -> None:
    status, whole = await asyncio.to_thread(post, server.url, MESSAGES, chat("Which?"))
    message = json.loads(whole)
    assert status == 200
    assert (message["content"][0]["text"], message["stop_reason"]) == ("I say better idea: 2", "end_turn")
    _, stream = await asyncio.to_thread(post, server.url, MESSAGES, chat("Which?", stream=True))
    events = data_of(stream)
    kinds = [event["type"] for event in events if event["type"] != "content_block_delta"]
    assert kinds == [
        "message_start",
        "ping",
        "content_block_start",
        "content_block_stop",
        "message_delta",
        "message_stop",
    ]
    texts = [event["delta"]["text"] for event in events if event["type"] == "content_block_delta"]
    assert "".join(texts) == "I say better idea: 2"
    assert events[-2]["usage"]["output_tokens"] == message["usage"]["output_tokens"] == len(texts)


async def test_chats_come_whole_or_as_chunks(server: ModelServer) -> None:
    _, whole = await asyncio.to_thread(post, server.url, CHAT, chat("Which?", logprobs=True, top_logprobs=2))
    choice = json.loads(whole)["choices"][0]
    assert (choice["message"]["content"], choice["finish_reason"]) == ("I say better idea: 2", "stop")
    assert [len(token["top_logprobs"]) for token in choice["logprobs"]["content"]] == [2] * 6
    for asked, usages in (({"include_usage": True}, 1), (None, 0)):
        body = chat("Which?", stream=True, stream_options=asked)
        _, stream = await asyncio.to_thread(post, server.url, CHAT, body)
        assert stream.endswith(b"data: [DONE]\n\n")
        chunks = data_of(stream)
        assert sum("usage" in one for one in chunks) == usages
        assert all(one["choices"][0]["logprobs"] is None for one in chunks if one["choices"])


async def test_models_and_embeddings_are_there(server: ModelServer) -> None:
    server.ways = Ways(models=["one", "two"])
    _, models = await asyncio.to_thread(post, server.url, "/v1/models", None, "GET")
    assert [row["id"] for row in json.loads(models)["data"]] == ["one", "two"]
    body = {"model": "e", "input": ["a", "b", "a"]}
    _, embedded = await asyncio.to_thread(post, server.url, "/v1/embeddings", body)
    first, second, third = (row["embedding"] for row in json.loads(embedded)["data"])
    assert first == third != second
    status, _ = await asyncio.to_thread(post, server.url, "/v1/nothing", {})
    assert status == 404
    assert [request.path for request in server.others] == ["/v1/models", "/v1/embeddings", "/v1/nothing"]


async def test_default_brain_keeps_to_the_contract_of_the_prompt() -> None:
    seen = set()
    async with ModelServer() as server:
        for number in range(20):
            rules = f"Idea {number}. End with better idea: K7 or better idea: Q2."
            body = chat(f"better idea: Z9 {'x' * 4000} {rules}")
            _, whole = await asyncio.to_thread(post, server.url, CHAT, body)
            seen.add(json.loads(whole)["choices"][0]["message"]["content"].splitlines()[-1])
    assert seen == {"better idea: K7", "better idea: Q2"}


async def test_default_brain_scores_with_probabilities_around_the_letter() -> None:
    async with ModelServer() as server:
        body = chat("End with score K7: LETTER and score Q2: LETTER.", logprobs=True, top_logprobs=20)
        _, whole = await asyncio.to_thread(post, server.url, CHAT, body)
    choice = json.loads(whole)["choices"][0]
    lines = choice["message"]["content"].splitlines()[-2:]
    assert [line[:-1] for line in lines] == ["score K7: ", "score Q2: "]
    for line in lines:
        tops = [one["top_logprobs"] for one in choice["logprobs"]["content"] if one["token"] == line[-2:]]
        assert any(sum(math.exp(other["logprob"]) for other in top) == pytest.approx(0.99) for top in tops)


async def test_schema_is_enforced_or_ignored(server: ModelServer) -> None:
    schema = {"type": "object", "properties": {"winner": {"enum": ["1", "2"]}, "sure": {"type": "boolean"}}}
    body = chat("Which?", response_format={"type": "json_schema", "json_schema": {"schema": schema}})
    _, whole = await asyncio.to_thread(post, server.url, CHAT, body)
    assert json.loads(json.loads(whole)["choices"][0]["message"]["content"]) == {"winner": "1", "sure": True}
    server.ways = Ways(schema=False)
    _, whole = await asyncio.to_thread(post, server.url, CHAT, body)
    assert json.loads(whole)["choices"][0]["message"]["content"] == "I say better idea: 2"


async def test_everything_is_remembered(server: ModelServer) -> None:
    server.faults = FaultScript({2: "overloaded"})
    for text in ("one", "two", "three"):
        await asyncio.to_thread(post, server.url, MESSAGES, chat(text))
    assert [call.body["messages"][0]["content"] for call in server.calls] == ["one", "two", "three"]
    assert [(call.fault, call.outcome) for call in server.calls] == [
        ("", "whole"),
        ("overloaded", "fault"),
        ("", "whole"),
    ]
    assert {call.key for call in server.calls} == {"a-key"}
    assert server.peak_in_flight == 1
    assert all(call.ended is not None and call.ended >= call.at for call in server.calls)
    _, log = await asyncio.to_thread(post, server.url, "/_log", None, "GET")
    assert json.loads(log) == json.loads(json.dumps(server.log()))


async def test_more_calls_in_flight_than_allowed_are_refused(server: ModelServer) -> None:
    server.ways = Ways(latency=0.3, most_in_flight=3)
    async with asyncio.TaskGroup() as group:
        tasks = [group.create_task(asyncio.to_thread(post, server.url, CHAT, chat("?"))) for _ in range(5)]
    assert sorted(task.result()[0] for task in tasks) == [200, 200, 200, 429, 429]


async def test_brain_may_ask_for_a_fault_itself(server: ModelServer) -> None:
    server.brain = lambda request: Scripted("no", fault="no_credit" if "poor" in request["prompt"] else None)
    assert (await asyncio.to_thread(post, server.url, CHAT, chat("a poor man")))[0] == 402
    assert (await asyncio.to_thread(post, server.url, CHAT, chat("a rich man")))[0] == 200


def test_fault_script_is_the_same_in_any_order() -> None:
    script = FaultScript({5: "cut"}, share=0.1, seed=3, until=1000)
    met = {number: script.fault_for(number) for number in range(2000, 0, -1)}
    again = FaultScript({5: "cut"}, share=0.1, seed=3, until=1000)
    assert met == {number: again.fault_for(number) for number in range(2000, 0, -1)}
    assert met[5] == Fault("cut")
    drawn = [fault for number, fault in met.items() if fault is not None and number != 5]
    assert 70 <= len(drawn) <= 130
    assert set(drawn) == set(MIXED)
    assert not any(met[number] for number in range(1001, 2001))


def test_unknown_fault_is_told_at_once() -> None:
    with pytest.raises(ValueError, match="no fault is called 'cutt'"):
        Fault("cutt")


@given(st.text())
def test_pieces_are_the_text(text: str) -> None:
    assert "".join(pieces(text)) == text


# --- the prompt cache


def prompt(*parts: str, marked: int | None = None) -> list[Segment]:
    return [Segment(part, place == marked) for place, part in enumerate(parts)]


def test_marked_cache_reads_what_was_written_up_to_a_mark() -> None:
    cache = PrefixCache()
    first = cache.marked("m", prompt("t" * 400, "c" * 80, marked=0))
    assert (first.input, first.cached, first.written) == (120, 0, 100)
    cache.remember(first)
    second = cache.marked("m", prompt("t" * 400, "d" * 80, marked=0))
    assert (second.input, second.cached, second.written) == (120, 100, 0)
    longer = cache.marked("m", prompt("t" * 400, "c" * 80, "q" * 40, marked=1))
    assert (longer.input, longer.cached, longer.written) == (130, 100, 20)
    unmarked = cache.marked("m", prompt("t" * 400, "c" * 80))
    assert (unmarked.cached, unmarked.written) == (0, 0)
    assert cache.marked("another", prompt("t" * 400, marked=0)).cached == 0
    assert cache.marked("m", prompt("u" + "t" * 399, marked=0)).cached == 0


def test_automatic_cache_reads_whole_blocks_of_the_longest_prefix() -> None:
    cache = PrefixCache(block=16)
    cache.remember(cache.automatic("m", prompt("t" * 400 + "one")))
    again = cache.automatic("m", prompt("t" * 400, "two, and more of it"))
    assert (again.input, again.cached, again.written) == (105, 96, 0)
    assert cache.automatic("m", prompt("t" * 200)).cached == 48
    assert cache.automatic("m", prompt("x" + "t" * 400)).cached == 0
    assert PrefixCache(minimum=1024).automatic("m", prompt("t" * 400)).cached == 0


def test_the_same_prompt_again_is_never_read_to_its_last_token() -> None:
    cache = PrefixCache(block=1)
    for _ in range(2):
        counted = cache.automatic("m", prompt("t" * 64))
        cache.remember(counted)
    assert (counted.input, counted.cached) == (16, 15)


async def test_prompts_in_flight_together_do_not_help_each_other(server: ModelServer) -> None:
    server.ways = Ways(latency=0.3)
    body = chat("The same long text. " * 50)
    async with asyncio.TaskGroup() as group:
        for _ in range(3):
            group.create_task(asyncio.to_thread(post, server.url, CHAT, body))
    await asyncio.to_thread(post, server.url, CHAT, body)
    assert [call.cached > 0 for call in server.calls] == [False, False, False, True]


# --- outside the test's loop


def test_server_in_a_thread_ends_with_its_block() -> None:
    with ModelServerThread(lambda request: "better idea: 1", ways=Ways(models=["fake"])) as server:
        status, _ = post(server.url, CHAT, chat("?"))
        assert (status, len(server.calls), server.peak_in_flight) == (200, 1, 1)
        url = server.url
    with pytest.raises(ConnectionError):
        post(url, CHAT, chat("?"))


def test_server_in_a_process_takes_options_and_ends_with_its_block(tmp_path: Any) -> None:
    (tmp_path / "stubborn.py").write_text("def second(request):\n    return 'better idea: 2'\n")
    options = {
        "brain": "stubborn:second",
        "path": [str(tmp_path)],
        "ways": {"latency": 0.01, "keys": ["a-key"]},
        "faults": {"at": {"2": {"name": "rate_limited", "retry_after": "7"}, "3": "html_502"}},
    }
    with ModelServerProcess(options) as server:
        answers = [post(server.url, CHAT, chat("?")) for _ in range(3)]
        assert [status for status, _ in answers] == [200, 429, 502]
        assert b"better idea: 2" in answers[0][1]
        assert [call["fault"] for call in server.log()["calls"]] == ["", "rate_limited", "html_502"]
        pid = server.pid
    with pytest.raises(ProcessLookupError):
        os.kill(pid, 0)


def test_server_process_that_cannot_start_says_so(capfd: pytest.CaptureFixture[str]) -> None:
    with (
        pytest.raises(RuntimeError, match="ended before it listened"),
        ModelServerProcess({"brain": "no_such_module:brain"}),
    ):
        pass
    assert "no_such_module" in capfd.readouterr().err
