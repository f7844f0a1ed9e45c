"""Providers opened on a fake server, and what is asked of them."""

from __future__ import annotations

from typing import Any

import pytest
from model_server import ModelServer

from arena_tui.providers.base import Completion, Message, Part, Provider, Request, TextDelta
from arena_tui.providers.targets import Target, open_provider

WIRES = ("anthropic", "openai")
KEY = "sk-planted-0123456789-abcdefghij"
_VARIABLES = ("ANTHROPIC_API_KEY", "OPENAI_API_KEY", "OPENROUTER_API_KEY", "GEMINI_API_KEY")
_OTHERS = (
    "ANTHROPIC_BASE_URL",
    "ANTHROPIC_AUTH_TOKEN",
    "OPENAI_BASE_URL",
    "OPENAI_ADMIN_KEY",
    "OLLAMA_API_KEY",
    "VLLM_API_KEY",
    "LLAMA_API_KEY",
)


def plant_keys(monkeypatch: pytest.MonkeyPatch) -> None:
    """One key for every vendor, and nothing else of the caller's environment."""
    for name in _VARIABLES:
        monkeypatch.setenv(name, KEY)
    for name in _OTHERS:
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("NO_PROXY", "127.0.0.1,localhost")


class Opener:
    """Opens providers, and closes them all when the test is over."""

    def __init__(self) -> None:
        self._opened: list[Provider] = []

    def __call__(self, target: Target) -> Any:
        self._opened.append(open_provider(target))
        return self._opened[-1]

    def on(self, server: ModelServer, wire: str, **wishes: Any) -> Any:
        """A provider of this wire format at the server; `wishes` are fields of `Target`."""
        url = server.url if wire == "anthropic" else server.openai_url
        return self(Target(f"{wire}:fake", base_url=url, **wishes))

    async def close(self) -> None:
        for provider in self._opened:
            await provider.close()


def question(text: str = "Which? End with better idea: 1 or better idea: 2", **wishes: Any) -> Request:
    """A request with one user message."""
    return Request(
        **{
            "system": (Part("You judge."),),
            "messages": (Message("user", (Part(text),)),),
            "max_tokens": 200,
            **wishes,
        }
    )


async def ask(provider: Provider, request: Request | None = None) -> Completion:
    """The completion; the streamed text must have been the same."""
    streamed = ""
    completion = None
    async for event in provider.stream(request or question()):
        assert completion is None, "nothing follows a completion"
        if isinstance(event, TextDelta):
            streamed += event.text
        elif isinstance(event, Completion):
            completion = event
    assert completion is not None
    assert completion.text == streamed
    return completion
