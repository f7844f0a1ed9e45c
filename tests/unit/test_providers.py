"""What the adapters put on the wire and make of replies, through the real SDKs against the fake server."""

from __future__ import annotations

import asyncio
import math
import subprocess
import sys
import threading
from pathlib import Path
from typing import Any

import pytest
from model_brain import Scripted
from model_faults import FaultScript
from model_server import ModelServer, Ways
from provider_calls import KEY, Opener, ask, question

from arena_tui.providers.base import (
    Message,
    Part,
    ProviderError,
    Request,
    StopReason,
    Tool,
    ToolCall,
    ToolResult,
)
from arena_tui.providers.openai import OpenAIProvider
from arena_tui.providers.targets import Target

ROOT = Path(__file__).parents[2]
LOOK_UP = Tool("look_up", "Finds a paper.", {"type": "object", "properties": {"title": {"type": "string"}}})


pytestmark = pytest.mark.usefixtures("planted_keys")


async def asked(server: ModelServer, wire: str, request: Request | None = None, **wishes: Any) -> Any:
    """The completion of one request, and the body that the server saw."""
    opener = Opener()
    try:
        return await ask(opener.on(server, wire, **wishes), request), server.calls[-1].body
    finally:
        await opener.close()


# --- what is sent


async def test_key_goes_where_the_sdk_puts_it_and_nowhere_else(
    server: ModelServer, wire: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("OPENAI_ADMIN_KEY", "sk-admin-0000000000000000")
    _, body = await asked(server, wire)
    assert server.calls[0].key == KEY
    assert [name for name, value in server.calls[0].headers.items() if KEY in value] == ["authorization"]
    assert KEY not in str(body)


async def test_server_on_this_machine_gets_no_key_unless_one_is_set(
    server: ModelServer, monkeypatch: pytest.MonkeyPatch, opened: Opener
) -> None:
    provider = opened(Target("vllm:fake", base_url=server.openai_url))
    await ask(provider)
    monkeypatch.setenv("MY_KEY", "of-my-own-server")
    provider = opened(Target("vllm:fake", base_url=server.openai_url, api_key_env="MY_KEY"))
    await ask(provider)
    assert [call.key for call in server.calls] == ["none", "of-my-own-server"]


async def test_anthropic_parts_are_blocks_and_marks_stand_at_their_ends(server: ModelServer) -> None:
    request = Request(
        system=(Part("The task.", cache=True), Part("")),
        messages=(
            Message("user", (Part("First text.", cache=True), Part(" Second text."))),
            Message("assistant", (Part("better idea: 1"),)),
            Message("user", (Part("Sure?"),)),
        ),
        max_tokens=7,
    )
    _, body = await asked(server, "anthropic", request)
    mark = {"cache_control": {"type": "ephemeral"}}
    assert body == {
        "model": "fake",
        "max_tokens": 7,
        "stream": True,
        "system": [{"type": "text", "text": "The task.", **mark}],
        "messages": [
            {
                "role": "user",
                "content": [
                    {"type": "text", "text": "First text.", **mark},
                    {"type": "text", "text": " Second text."},
                ],
            },
            {"role": "assistant", "content": [{"type": "text", "text": "better idea: 1"}]},
            {"role": "user", "content": [{"type": "text", "text": "Sure?"}]},
        ],
    }


async def test_of_too_many_marks_the_last_four_are_kept(server: ModelServer) -> None:
    parts = tuple(Part(f"part {number}", cache=True) for number in range(6))
    _, body = await asked(server, "anthropic", question(messages=(Message("user", parts),)))
    marked = [block["text"] for block in body["messages"][0]["content"] if "cache_control" in block]
    assert marked == ["part 2", "part 3", "part 4", "part 5"]


async def test_openai_parts_are_one_text_a_message(server: ModelServer) -> None:
    request = Request(
        system=(Part("The task.", cache=True), Part(" The rules.")),
        messages=(Message("user", (Part("First text.", cache=True), Part(" Second text."))),),
        max_tokens=7,
    )
    _, body = await asked(server, "openai", request)
    assert body == {
        "model": "fake",
        "messages": [
            {"role": "system", "content": "The task. The rules."},
            {"role": "user", "content": "First text. Second text."},
        ],
        "max_tokens": 7,
        "stream": True,
        "stream_options": {"include_usage": True},
    }


async def test_parameters_go_into_the_body_and_a_request_s_own_win(server: ModelServer, wire: str) -> None:
    request = question(params={"temperature": 0, "seed": 7})
    _, body = await asked(server, wire, request, params={"temperature": 1, "top_p": 0.9})
    assert (body["temperature"], body["seed"], body["top_p"]) == (0, 7, 0.9)


async def test_openai_s_own_host_is_given_the_limit_by_its_new_name(opened: Opener) -> None:
    own = opened(Target("openai:gpt-x"))
    other = opened(Target("openai:gpt-x", base_url="http://localhost:1/v1"))
    assert isinstance(own, OpenAIProvider)
    assert isinstance(other, OpenAIProvider)
    assert (own._limit_field, other._limit_field) == ("max_completion_tokens", "max_tokens")


async def test_schema_is_asked_for_beside_other_settings_of_output(server: ModelServer, wire: str) -> None:
    schema = {"type": "object", "properties": {"winner": {"enum": ["1", "2"]}}}
    request = question(json_schema=schema, params={"output_config": {"effort": "low"}})
    completion, body = await asked(server, wire, request)
    assert completion.text == '{"winner": "1"}'
    if wire == "anthropic":
        assert body["output_config"] == {
            "effort": "low",
            "format": {"type": "json_schema", "schema": schema},
        }
    else:
        assert body["response_format"] == {
            "type": "json_schema",
            "json_schema": {"name": "reply", "strict": True, "schema": schema},
        }


# --- what comes back


async def test_reply_is_streamed_and_told_whole_at_the_end(server: ModelServer, wire: str) -> None:
    server.brain = lambda request: "One is clearer.\n\nbetter idea: 1"
    completion, _ = await asked(server, wire)
    call = server.calls[0]
    assert completion.text == "One is clearer.\n\nbetter idea: 1"
    assert completion.stop_reason == {"anthropic": "end_turn", "openai": "stop"}[wire]
    assert completion.model == "fake"
    assert (completion.tokens.input, completion.tokens.output) == (call.input, call.sent)


STOPS: list[tuple[str, str, StopReason]] = [
    ("anthropic", "end_turn", "end_turn"),
    ("anthropic", "stop_sequence", "stop_sequence"),
    ("anthropic", "max_tokens", "max_tokens"),
    ("anthropic", "model_context_window_exceeded", "max_tokens"),
    ("anthropic", "refusal", "refusal"),
    ("anthropic", "pause_turn", "pause_turn"),
    ("anthropic", "tool_use", "tool_calls"),
    ("anthropic", "tired", "other"),
    ("openai", "stop", "stop"),
    ("openai", "length", "max_tokens"),
    ("openai", "content_filter", "refusal"),
    ("openai", "tool_calls", "tool_calls"),
    ("openai", "abort", "other"),
]


@pytest.mark.parametrize(("wire_", "said", "meant"), STOPS)
async def test_stop_reasons_have_one_vocabulary(
    server: ModelServer, wire_: str, said: str, meant: StopReason
) -> None:
    server.brain = lambda request: Scripted("better idea: 1", stop=said)
    completion, _ = await asked(server, wire_)
    assert completion.stop_reason == meant


async def test_reply_that_met_its_limit_says_so(server: ModelServer, wire: str) -> None:
    completion, _ = await asked(server, wire, question(max_tokens=3))
    assert completion.stop_reason == "max_tokens"
    assert completion.tokens.output == 3


async def test_refusal_in_a_field_of_its_own_is_a_refusal(server: ModelServer) -> None:
    server.brain = lambda request: Scripted("I will not judge this.", refusal=True)
    completion, _ = await asked(server, "openai")
    assert (completion.stop_reason, completion.text) == ("refusal", "I will not judge this.")


async def test_thinking_is_paid_for_but_is_no_text(server: ModelServer, wire: str) -> None:
    server.brain = lambda request: Scripted("better idea: 2", thinking="better idea: 1, or perhaps not?")
    completion, _ = await asked(server, wire)
    assert completion.text == "better idea: 2"
    assert completion.tokens.output == server.calls[0].sent > 6


async def test_cached_tokens_are_part_of_the_input(server: ModelServer, wire: str, opened: Opener) -> None:
    shared = "A long task. " * 40
    provider = opened.on(server, wire)
    seen = []
    for text in ("First?", "Second?"):
        parts = (Part(shared, cache=True), Part(text))
        seen.append((await ask(provider, question(messages=(Message("user", parts),)))).tokens)
    first, second = seen
    assert (first.cached_input, second.cache_write) == (0, 0)
    assert first.cache_write == (second.cached_input if wire == "anthropic" else 0)
    assert 0.8 * second.input < second.cached_input < second.input
    assert [tokens.input for tokens in seen] == [call.input for call in server.calls]
    assert provider.capabilities.cached_tokens is True


async def test_tokens_are_estimated_high_where_the_server_counts_none(server: ModelServer, wire: str) -> None:
    server.ways = Ways(usage=False)
    completion, _ = await asked(server, wire)
    assert server.calls[0].input <= completion.tokens.input
    assert server.calls[0].sent <= completion.tokens.output
    assert completion.tokens.cached_input == 0


async def test_logprobs_come_with_their_alternatives(server: ModelServer) -> None:
    odds = [("H", {"H": 0.5, "G": 0.25, "I": 0.0}), ("C", {"D": 1.0})]
    server.brain = lambda request: Scripted("first: H second: C", odds=odds)
    completion, body = await asked(server, "openai", question(top_logprobs=2))
    assert (body["logprobs"], body["top_logprobs"]) == (True, 2)
    by_token = {token.token: token for token in completion.logprobs}
    assert "".join(token.token for token in completion.logprobs) == completion.text
    assert [text for text, _ in by_token[" H"].top] == [" H", " G"]
    assert [logprob for _, logprob in by_token[" H"].top] == pytest.approx([math.log(0.5), math.log(0.25)])
    assert by_token[" C"].top == ((" D", 0.0),)


async def test_tool_calls_are_told_and_their_results_go_back(
    server: ModelServer, wire: str, opened: Opener
) -> None:
    calls = [("call_1", "look_up", '{"title": "Sleep"}'), ("call_2", "look_up", "{}")]
    server.brain = lambda request: (
        "better idea: 1"
        if len(request["messages"]) > 1
        else Scripted("Let me look.", tool_calls=calls, thinking="hm")
    )
    provider = opened.on(server, wire)
    first = question(tools=(LOOK_UP,))
    events = [event async for event in provider.stream(first)]
    made = [event for event in events if isinstance(event, ToolCall)]
    assert made == [ToolCall(*call) for call in calls]
    assert (events[-1].tool_calls, events[-1].stop_reason) == (tuple(made), "tool_calls")
    turn = Message("assistant", (Part("Let me look."),), tool_calls=tuple(made))
    results = (ToolResult("call_1", "Found."), ToolResult("call_2", "No title.", error=True))
    answer = Message("user", (Part("Now decide."),), tool_results=results)
    last = await ask(provider, question(tools=(LOOK_UP,), messages=(*first.messages, turn, answer)))
    assert last.text == "better idea: 1"
    body = server.calls[-1].body
    if wire == "anthropic":
        assert body["tools"] == [
            {
                "name": "look_up",
                "description": "Finds a paper.",
                "input_schema": dict(LOOK_UP.schema),
            }
        ]
        assert body["messages"][1]["content"][1:] == [
            {"type": "tool_use", "id": "call_1", "name": "look_up", "input": {"title": "Sleep"}},
            {"type": "tool_use", "id": "call_2", "name": "look_up", "input": {}},
        ]
        kinds = [(block["type"], block.get("is_error")) for block in body["messages"][2]["content"]]
        assert kinds == [("tool_result", False), ("tool_result", True), ("text", None)]
    else:
        assert body["tools"][0]["function"]["parameters"] == dict(LOOK_UP.schema)
        assert [call["function"]["arguments"] for call in body["messages"][2]["tool_calls"]] == [
            '{"title": "Sleep"}',
            "{}",
        ]
        assert body["messages"][3:] == [
            {"role": "tool", "tool_call_id": "call_1", "content": "Found."},
            {"role": "tool", "tool_call_id": "call_2", "content": "error: No title."},
            {"role": "user", "content": "Now decide."},
        ]


# --- the client behind it


async def test_calls_one_after_another_share_a_connection(
    server: ModelServer, wire: str, opened: Opener
) -> None:
    provider = opened.on(server, wire)
    for _ in range(5):
        await ask(provider)
    assert (len(server.calls), server.connections) == (5, 1)


async def test_server_of_one_s_own_is_given_a_connection_a_call(server: ModelServer, opened: Opener) -> None:
    provider = opened(Target("llamacpp:fake", base_url=server.openai_url))
    for _ in range(5):
        await ask(provider)
    assert (len(server.calls), server.connections) == (5, 5)


async def test_connections_that_broke_while_they_waited_are_not_kept_again(
    server: ModelServer, wire: str, opened: Opener
) -> None:
    server.faults = FaultScript({2: "reset"})
    provider = opened.on(server, wire)
    await ask(provider)
    with pytest.raises(ProviderError):
        await ask(provider)
    connections = server.connections
    for _ in range(3):
        await ask(provider)
    assert server.connections == connections + 3


async def test_sixty_four_calls_are_in_flight_together(
    server: ModelServer, wire: str, opened: Opener
) -> None:
    server.ways = Ways(together=64)
    provider = opened.on(server, wire)
    async with asyncio.timeout(60), asyncio.TaskGroup() as group:
        tasks = [group.create_task(ask(provider, question(f"Question {n}?"))) for n in range(64)]
    assert len({task.result().text for task in tasks}) > 1
    assert server.peak_in_flight == 64


async def test_sdk_is_made_once_in_a_worker_thread_and_again_after_a_close(
    server: ModelServer, wire: str, monkeypatch: pytest.MonkeyPatch, opened: Opener
) -> None:
    provider = opened.on(server, wire)
    make, where = provider._make, []

    def noted() -> Any:
        where.append(threading.current_thread())
        return make()

    monkeypatch.setattr(provider, "_make", noted)
    async with asyncio.TaskGroup() as group:
        for _ in range(4):
            group.create_task(ask(provider))
    assert len(where) == 1
    assert where[0] is not threading.main_thread()
    await provider.close()
    await ask(provider)
    assert len(where) == 2
    await provider.close()
    await provider.close()


@pytest.mark.parametrize("model", ["anthropic:x", "openai:x", "ollama:x", "mock:x"])
def test_opening_a_provider_imports_no_sdk(model: str) -> None:
    script = (
        "import sys, arena_tui.providers.anthropic, arena_tui.providers.openai\n"
        "from arena_tui.providers import targets as t\n"
        f"target = t.Target({model!r}); t.check_target(target); t.notes(target); t.open_provider(target)\n"
        "print(sorted({n.partition('.')[0] for n in sys.modules} & "
        "{'anthropic', 'openai', 'httpx2', 'httpx', 'pydantic', 'genai_prices'}))"
    )
    done = subprocess.run(
        [sys.executable, "-c", script],
        capture_output=True,
        text=True,
        timeout=60,
        env={"PYTHONPATH": str(ROOT), "ANTHROPIC_API_KEY": "key", "OPENAI_API_KEY": "key"},
    )
    assert (done.stdout.strip(), done.stderr) == ("[]", "")


async def test_key_that_a_server_repeats_is_not_in_what_is_kept(
    server: ModelServer, wire: str, opened: Opener
) -> None:
    server.brain = lambda request: f"your key is {KEY}, and better idea: 1"
    provider: Any = opened.on(server, wire)
    completion = await provider.complete(question())
    assert completion.text == "your key is ***, and better idea: 1"
