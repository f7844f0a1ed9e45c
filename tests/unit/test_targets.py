"""From `provider:model` to an address: what is wrong is one sentence before any call; keys stay hidden."""

from __future__ import annotations

from typing import Any

import pytest
from provider_calls import KEY, plant_keys

from arena_tui.errors import UsageError
from arena_tui.providers.address import Secret
from arena_tui.providers.targets import (
    Target,
    address_of,
    base_url_of,
    check_target,
    is_loopback,
    key_of,
    notes,
    open_provider,
)
from arena_tui.providers.vendors import VENDORS


@pytest.fixture(autouse=True)
def _keys(monkeypatch: pytest.MonkeyPatch) -> None:
    plant_keys(monkeypatch)


def refusal(target: Target) -> str:
    """The one sentence with which a target is refused."""
    with pytest.raises(UsageError) as caught:
        check_target(target)
    assert KEY not in str(caught.value)
    assert "\n" not in str(caught.value)
    return str(caught.value)


@pytest.mark.parametrize(
    ("model", "url", "local"),
    [
        ("anthropic:claude-x", "https://api.anthropic.com", False),
        ("openai:gpt-x", "https://api.openai.com/v1", False),
        ("openrouter:vendor/model:free", "https://openrouter.ai/api/v1", False),
        ("google:gemini-x", "https://generativelanguage.googleapis.com/v1beta/openai", False),
        ("ollama:llama3:8b", "http://localhost:11434/v1", True),
        ("mock:panel", "mock:", True),
    ],
)
def test_prefixes_know_where_they_live(model: str, url: str, local: bool) -> None:
    provider = open_provider(Target(model))
    assert (provider.name, provider.base_url) == (model, url)
    assert provider.capabilities.local is local
    assert provider.simulated is model.startswith("mock:")


def test_model_is_all_that_follows_the_first_colon() -> None:
    assert address_of(Target("ollama:llama3:8b")).model == "llama3:8b"
    assert address_of(Target("openrouter:vendor/model:free")).model == "vendor/model:free"


@pytest.mark.parametrize("model", ["vllm:m", "llamacpp:m"])
def test_servers_without_an_address_need_one(model: str) -> None:
    assert "needs a base_url" in refusal(Target(model))
    assert (
        open_provider(Target(model, base_url="http://gpu-box:8000/v1/")).base_url == "http://gpu-box:8000/v1"
    )


@pytest.mark.parametrize(
    ("model", "hint"),
    [("claude-x", ""), ("antropic:claude-x", "did you mean anthropic:claude-x?"), ("", ""), (":m", "")],
)
def test_unknown_prefix_is_told_with_all_known_ones(model: str, hint: str) -> None:
    said = refusal(Target(model))
    assert all(f"{prefix}:" in said for prefix in VENDORS)
    assert said.endswith(hint)


def test_prefix_without_a_model_is_refused() -> None:
    assert "no model" in refusal(Target("openai: "))


# --- keys


@pytest.mark.parametrize(
    ("model", "variable"),
    [
        ("anthropic:m", "ANTHROPIC_API_KEY"),
        ("openai:m", "OPENAI_API_KEY"),
        ("openrouter:m", "OPENROUTER_API_KEY"),
        ("google:m", "GEMINI_API_KEY"),
    ],
)
@pytest.mark.parametrize("value", [None, "", "  "])
def test_missing_key_is_one_sentence_that_names_the_variable(
    model: str, variable: str, value: str | None, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert key_of(Target(model)) == KEY
    monkeypatch.delenv(variable)
    if value is not None:
        monkeypatch.setenv(variable, value)
    assert f"set the environment variable {variable}" in refusal(Target(model))
    with pytest.raises(UsageError, match=variable):
        open_provider(Target(model))


@pytest.mark.parametrize("url", ["http://localhost:1/v1", "http://127.0.0.1:1/v1", "http://[::1]:1/v1"])
def test_server_on_this_machine_may_do_without_a_key(url: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("OPENAI_API_KEY")
    assert key_of(Target("openai:m", base_url=url)) is None
    assert key_of(Target("ollama:m")) is None
    assert "OPENAI_API_KEY" in refusal(Target("openai:m", base_url="http://192.168.1.7/v1"))


def test_variable_named_by_the_user_is_the_one(monkeypatch: pytest.MonkeyPatch) -> None:
    target = Target("ollama:m", api_key_env="TEAM_KEY")
    assert "set the environment variable TEAM_KEY" in refusal(target)
    monkeypatch.setenv("TEAM_KEY", " a-team-key\n")
    assert key_of(target) == "a-team-key"
    assert address_of(target).key_env == "TEAM_KEY"


@pytest.mark.parametrize("pasted", [KEY, "gsk_abcdefghijklmnop0123", "AIzaSyA-0123456789", ""])
def test_key_pasted_for_the_name_of_its_variable_is_not_repeated(pasted: str) -> None:
    said = refusal(Target("openai:m", api_key_env=pasted))
    assert "not a key" in said
    assert not pasted or pasted not in said


@pytest.mark.parametrize("broken", ["sk-ab\ncd", "sk-ab\x7fcd", "sk-schlüssel", "sk-ab\u200bcd"])
def test_key_that_no_header_can_carry_is_found_at_once(broken: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", broken)
    said = refusal(Target("openai:m"))
    assert "OPENAI_API_KEY" in said
    assert broken not in said


def test_address_does_not_show_its_key() -> None:
    address = address_of(Target("openai:m"))
    assert address.key is not None
    assert address.key.reveal() == KEY
    assert KEY not in f"{address!r} {address} {Secret(KEY)!r} {Secret(KEY)}"
    assert KEY not in repr(open_provider(Target("openai:m")))


# --- addresses


def test_sdk_variables_move_their_own_vendor_only(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENAI_BASE_URL", "https://proxy.example/openai/v1/")
    monkeypatch.setenv("ANTHROPIC_BASE_URL", "https://proxy.example/anthropic")
    assert base_url_of(Target("openai:m")) == "https://proxy.example/openai/v1"
    assert base_url_of(Target("anthropic:m")) == "https://proxy.example/anthropic"
    assert base_url_of(Target("ollama:m")) == "http://localhost:11434/v1"
    assert base_url_of(Target("openai:m", base_url="http://localhost:1/v1")) == "http://localhost:1/v1"


def test_v1_at_the_end_of_an_anthropic_address_is_not_doubled() -> None:
    assert base_url_of(Target("anthropic:m", base_url="http://localhost:8080/v1/")) == "http://localhost:8080"


@pytest.mark.parametrize(
    ("url", "wrong"),
    [
        ("localhost:8000/v1", "must be an http or https URL"),
        ("ftp://host/v1", "must be an http or https URL"),
        ("http:///v1", "must be an http or https URL"),
        ("http://host:99999/v1", "is no URL"),
        ("http://[::1/v1", "is no URL"),
        ("http://host/v1?key=1", "without ? or #"),
    ],
)
def test_address_that_is_none_is_refused(url: str, wrong: str) -> None:
    assert wrong in refusal(Target("vllm:m", base_url=url))


def test_password_in_an_address_is_refused_and_not_repeated(monkeypatch: pytest.MonkeyPatch) -> None:
    said = refusal(Target("vllm:m", base_url="https://me:hunter2@host/v1"))
    assert "hunter2" not in said
    monkeypatch.setenv("OPENAI_BASE_URL", "https://me:hunter2@host/v1")
    said = refusal(Target("openai:m"))
    assert "OPENAI_BASE_URL" in said
    assert "hunter2" not in said


@pytest.mark.parametrize(
    ("url", "loopback"),
    [
        ("http://localhost:1", True),
        ("http://api.localhost", True),
        ("http://127.8.8.8", True),
        ("http://[::1]:1", True),
        ("http://0.0.0.0", False),
        ("http://10.0.0.1", False),
        ("http://localhost.example", False),
        ("http://127.0.0.1.example", False),
    ],
)
def test_loopback_is_this_machine_and_nothing_that_looks_like_it(url: str, loopback: bool) -> None:
    assert is_loopback(url) is loopback


def test_key_over_plain_http_is_noted_unless_it_stays_here(monkeypatch: pytest.MonkeyPatch) -> None:
    (note,) = notes(Target("openai:m", base_url="http://gpu-box/v1"))
    assert "OPENAI_API_KEY" in note
    assert "unencrypted" in note
    assert KEY not in note
    for quiet in ("https://gpu-box/v1", "http://localhost:1/v1"):
        assert notes(Target("openai:m", base_url=quiet)) == []
    assert notes(Target("vllm:m", base_url="http://gpu-box/v1")) == [], "no key is sent"
    assert notes(Target("mock:panel")) == []


# --- settings


@pytest.mark.parametrize("clock", ["connect", "idle", "total"])
@pytest.mark.parametrize("seconds", [0.0, -1.0, float("nan"), float("inf")])
def test_clocks_are_seconds_above_zero(clock: str, seconds: float) -> None:
    wishes: dict[str, Any] = {clock: seconds}
    assert clock in refusal(Target("ollama:m", **wishes))


@pytest.mark.parametrize("field", ["model", "messages", "stream", "max_tokens", "logprobs"])
def test_parameters_that_arena_sets_itself_are_refused(field: str) -> None:
    assert field in refusal(Target("ollama:m", params={field: 1, "temperature": 0}))
