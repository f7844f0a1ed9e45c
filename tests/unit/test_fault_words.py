"""The classifier and the readers alone: all the words of vendors, and whatever else a server may send."""

from __future__ import annotations

import itertools
import json
import ssl
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from provider_calls import KEY, question

from arena_tui.providers.address import Address, Secret
from arena_tui.providers.anthropic_wire import AnthropicReading
from arena_tui.providers.base import FaultKind, ProviderError, TextDelta
from arena_tui.providers.faults import classify
from arena_tui.providers.openai_wire import OpenAIReading
from arena_tui.providers.wait_hints import retry_after

ADDRESS = Address("openai:m", "m", "http://localhost:1/v1", key=Secret(KEY), key_env="OPENAI_API_KEY")


class APIError(Exception):
    """Shaped like those of both SDKs."""

    def __init__(self, status: int | None, body: object, headers: dict[str, str] | None = None) -> None:
        super().__init__("an error")
        self.body = body
        if status is not None:
            self.status_code = status
            self.response = type("Response", (), {"headers": headers or {}})()


def kind_of(status: int | None, **error: Any) -> FaultKind:
    return classify(APIError(status, error), ADDRESS).kind


@pytest.mark.parametrize(
    "words",
    [
        "prompt is too long: 215000 tokens > 200000 maximum",
        "input length and `max_tokens` exceed context limit: 190000 + 20000 > 200000, decrease them",
        "This model's maximum context length is 8192 tokens. However, your messages resulted in 9000 tokens.",
        "This endpoint's maximum context length is 4096 tokens. However, you requested about 5000 tokens",
        "Your input exceeds the context window of this model. Please adjust your input and try again.",
        "Input tokens exceed the configured limit of 272000 tokens.",
        "The input token count (1196265) exceeds the maximum number of tokens allowed (1048575).",
        "This model's maximum prompt length is 131072 but the request contains 537812 tokens.",
        "Please reduce the length of the messages or completion.",
        "the request exceeds the available context size, try increasing it",
        "The decoder prompt (length 5000) is longer than the maximum model length of 4096.",
        "The number of tokens to keep is greater than the context length",
        "context_length_exceeded",
    ],
)
@pytest.mark.parametrize("status", [400, 413, None])
def test_overflow_is_known_in_everybody_s_words(words: str, status: int | None) -> None:
    assert kind_of(status, type="invalid_request_error", message=words) == "too_long"


@pytest.mark.parametrize(
    ("status", "error"),
    [
        (400, {"message": "Your credit balance is too low to access the Anthropic API."}),
        (400, {"message": "API key not valid. Please pass a valid API key.", "status": "INVALID_ARGUMENT"}),
        (400, {"message": "qwen/qwen-x is not a valid model ID", "code": 400}),
        (400, {"message": "Incorrect API key provided: sk-***."}),
        (402, {"message": "This request requires more credits, or fewer max_tokens.", "code": 402}),
        (403, {"message": "Your team has used all available credits."}),
        (404, {"message": "model 'llama9' not found, try pulling it first"}),
        (404, "404 page not found"),
        (405, "Method Not Allowed"),
        (301, ""),
        (429, {"message": "You exceeded your current quota.", "code": "insufficient_quota"}),
        (None, {"type": "authentication_error", "message": "invalid x-api-key"}),
        (None, {"type": "not_found_error", "message": "model: claude-x"}),
        (None, {"code": 401, "message": "no"}),
        (None, {"code": "insufficient_quota", "message": "no"}),
    ],
)
def test_what_no_request_can_get_past_is_refused(status: int | None, error: object) -> None:
    assert classify(APIError(status, error), ADDRESS).kind == "refused"


@pytest.mark.parametrize(
    ("status", "error", "kind"),
    [
        # Google says "quota" for what passes in a minute, and sends its errors in a list.
        (
            429,
            [{"error": {"message": "You exceeded your current quota, please check your plan."}}],
            "rate_limited",
        ),
        (403, {"message": "Your input was flagged", "metadata": {"reasons": ["x"]}}, "rejected"),
        (400, {"message": "temperature is not supported"}, "rejected"),
        (418, {"message": "I am a teapot"}, "rejected"),
        (599, "", "server"),
        (None, {"type": "overloaded_error"}, "overloaded"),
        (None, {"type": "rate_limit_error"}, "rate_limited"),
        (None, {"type": "api_error"}, "server"),
        (None, {"type": "timeout_error"}, "timeout"),
        (None, {"type": "invalid_request_error", "message": "no"}, "rejected"),
        (None, {"type": "of_tomorrow", "message": "no"}, "server"),
        (None, {"code": 502, "message": "Provider returned error"}, "server"),
        (None, {"code": 429, "message": "slow down"}, "rate_limited"),
        (None, {"code": "503", "message": "Loading model"}, "overloaded"),
    ],
)
def test_what_passes_or_concerns_one_request_is_told_apart(
    status: int | None, error: object, kind: FaultKind
) -> None:
    assert classify(APIError(status, error), ADDRESS).kind == kind


def test_candidate_that_a_server_repeats_in_its_error_says_nothing_about_the_account() -> None:
    words = "Input should be a valid list. " + "." * 400 + "Your credit balance is too low. model x not found"
    assert kind_of(400, message=words) == "rejected"


def test_error_event_of_a_stream_that_began_well_is_judged_by_its_type() -> None:
    fault = classify(APIError(200, {"type": "error", "error": {"type": "overloaded_error"}}), ADDRESS)
    assert (fault.kind, fault.status) == ("overloaded", None)


def test_google_s_delay_stands_in_for_a_header() -> None:
    body = [{"error": {"code": 429, "details": [{"@type": "Help"}, {"retryDelay": "28.5s"}]}}]
    assert classify(APIError(429, body), ADDRESS).retry_after == 28.5
    assert classify(APIError(429, body, {"retry-after": "3"}), ADDRESS).retry_after == 3.0


@pytest.mark.parametrize(
    ("headers", "seconds"),
    [
        ({"retry-after": "1.5"}, 1.5),
        ({"retry-after-ms": "250", "retry-after": "9"}, 0.25),
        ({"retry-after": "Wed, 21 Oct 2015 07:28:00 GMT"}, 60.0),
        ({"retry-after": "Wed, 21 Oct 2015 07:28:00 -0000"}, 60.0),
        ({"retry-after": "Wed, 21 Oct 2015 07:26:00 GMT"}, 0.0),
        ({"retry-after": "Wed, 99 Oct 2015 07:26:00 GMT"}, None),
        ({"retry-after": ""}, None),
        ({}, None),
    ],
)
def test_forms_of_retry_after(headers: dict[str, str], seconds: float | None) -> None:
    assert retry_after(headers, now=1445412420.0) == seconds


@given(st.text())
def test_any_retry_after_is_a_number_of_seconds_or_nothing(text: str) -> None:
    seconds = retry_after({"retry-after": text})
    assert seconds is None or 0 <= seconds < float("inf")


def chained(*errors: BaseException) -> BaseException:
    """Each error caused by the next."""
    for outer, inner in itertools.pairwise(errors):
        outer.__cause__ = inner
    return errors[0]


def named(name: str, base: type[BaseException] = Exception) -> BaseException:
    return type(name, (base,), {})("words of a library")


@pytest.mark.parametrize(
    ("error", "kind"),
    [
        (chained(named("APIConnectionError"), named("ConnectTimeout")), "timeout"),
        (chained(named("APIConnectionError"), named("LocalProtocolError")), "refused"),
        (chained(named("APIConnectionError"), named("ConnectError"), ConnectionRefusedError()), "connection"),
        (
            chained(named("APIConnectionError"), named("ConnectError"), named("gaierror", OSError)),
            "connection",
        ),
        (chained(named("APIConnectionError"), ssl.SSLError(1, "no")), "connection"),
        (chained(named("APIConnectionError"), RuntimeError("of the SDK")), "connection"),
        (named("RemoteProtocolError", type(named("TransportError"))), "connection"),
        (json.JSONDecodeError("no", "{", 0), "server"),
        (UnicodeDecodeError("utf-8", b"\xff", 0, 1, "no"), "server"),
        (TimeoutError(), "timeout"),
        (OSError(113, "no route"), "connection"),
        (TypeError("of ours"), "unknown"),
        (ProviderError("cut", "as it was"), "cut"),
    ],
)
def test_exceptions_are_known_by_name_over_their_causes(error: BaseException, kind: FaultKind) -> None:
    assert classify(error).kind == kind
    assert classify(error, ADDRESS).kind == kind


def test_causes_that_go_in_circles_end() -> None:
    first, second = ValueError("one"), ValueError("two")
    first.__cause__, second.__cause__ = second, first
    assert classify(first).kind == "unknown"


def test_server_s_words_are_quoted_on_one_short_line() -> None:
    words = f"bad\nkey {KEY}\x1b[31m " + "x" * 5000
    said = str(classify(APIError(401, {"message": words}), ADDRESS))
    assert "bad key ***" in said
    assert KEY not in said
    assert len(said) < 500
    assert said.isprintable()


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=8),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from(
        ["type", "index", "delta", "content_block", "usage", "message", "text", "partial_json", "stop_reason",
         "choices", "finish_reason", "tool_calls", "function", "arguments", "logprobs", "content", "token",
         "logprob", "top_logprobs", "prompt_tokens", "completion_tokens", "input_tokens", "output_tokens",
         "prompt_tokens_details", "cached_tokens", "error", "details", "code"]
    ), inner, max_size=5),
    max_leaves=12,
)  # fmt: skip
EVENT = st.one_of(
    JSON,
    st.builds(
        lambda rest, kind: {**(rest if isinstance(rest, dict) else {}), "type": kind},
        JSON,
        st.sampled_from(
            [
                "message_start",
                "content_block_start",
                "content_block_delta",
                "content_block_stop",
                "message_delta",
            ]
        ),
    ),
    st.builds(
        lambda kind, index, block, inner: {"type": kind, "index": index, block: {"type": inner}},
        st.sampled_from(["content_block_start", "content_block_delta", "content_block_stop"]),
        JSON,
        st.sampled_from(["content_block", "delta"]),
        st.sampled_from(["tool_use", "input_json_delta", "text_delta", "thinking_delta"]),
    ),
    st.builds(lambda one: {"choices": [one]}, JSON),
)


@given(st.lists(EVENT, max_size=6))
def test_no_event_breaks_a_reader(events: list[object]) -> None:
    for reading in (AnthropicReading(question()), OpenAIReading(question())):
        reading.opened = True
        heard = "".join(
            item.text for event in events for item in reading.take(event) if isinstance(item, TextDelta)
        )
        assert reading.text == heard
        assert min(reading.tokens.input, reading.tokens.cached_input, reading.tokens.output) >= 0


@given(JSON, st.none() | st.integers(min_value=200, max_value=599))
def test_no_error_body_breaks_the_classifier(body: object, status: int | None) -> None:
    fault = classify(APIError(status, body), ADDRESS)
    assert fault.status is None or 300 <= fault.status < 600
