"""The settings of language models: which one, where, at what price, how patiently."""

from __future__ import annotations

from typing import Annotated, Any, Literal

from pydantic import BeforeValidator, Field

from arena_tui.setting_types import AtLeastZero, Count, Seconds, Settings, Text


class Price(Settings):
    """USD per million tokens. What is left out costs as much as plain input."""

    input: AtLeastZero
    output: AtLeastZero
    cached_input: AtLeastZero | None = None
    """Input read from the provider's prompt cache."""
    cache_write: AtLeastZero | None = None
    """Input written to it."""


class Model(Settings):
    """A language model; given as a text it is `model` alone."""

    model: Text
    """`provider:model`: anthropic, openai, google, openrouter, ollama, vllm, llamacpp, or mock."""
    base_url: Text | None = None
    """Where requests go, if not to the provider's own address."""
    api_key_env: Text | None = None
    """The environment variable that holds the key, if not the provider's usual one."""
    max_tokens: Count = 2048
    """The longest reply, in tokens; a reply that is cut there says nothing."""
    price: Price | None = None
    """None: as the shipped price list says; a local model costs nothing."""
    params: dict[str, Any] = Field(default_factory=dict)
    """Further fields of every request, as the server names them (temperature, seed, ...)."""
    connect_timeout: Seconds = 10.0
    idle_timeout: Seconds = 60.0
    """The longest silence between two pieces of a reply."""
    total_timeout: Seconds = 600.0
    """The longest that one attempt may take."""
    attempts: Count = 6
    """How often one call is tried when the server is busy, slow or broken."""
    patience: Seconds = 900.0
    """Seconds that one call may take with all its attempts and waits."""
    max_retry_after: Seconds = 300.0
    """A server that asks for a longer wait than this counts as down."""
    requests: Count = 64
    """The most requests at once; fewer while the server refuses some."""

    @property
    def is_local(self) -> bool:
        """True for a simulation and for servers of one's own: they cost nothing unless a price is given."""
        return self.model.partition(":")[0] in ("mock", "ollama", "vllm", "llamacpp")


def _by_name(value: Any) -> Any:
    """`model: provider:name` is short for `model: {model: provider:name}`."""
    return {"model": value} if isinstance(value, str) else value


ModelChoice = Annotated[Model, BeforeValidator(_by_name)]
CacheMode = Literal["on", "off", "refresh"]


class Embeddings(Settings):
    """Where vectors for the similarity of texts come from: an OpenAI-compatible endpoint."""

    model: Text
    base_url: Text | None = None
    api_key_env: Text | None = None
    batch: Count = 64
    """Texts a request."""
