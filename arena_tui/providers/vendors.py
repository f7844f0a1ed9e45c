"""The prefixes of `provider:model`: where each one lives, which key it takes, which wire format it speaks.

A table for `targets`; nothing here opens a connection or reads the environment.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

Wire = Literal["anthropic", "openai", "mock"]


@dataclass(frozen=True, slots=True)
class Vendor:
    """One prefix.

    `base_url` is empty where the user has to give one. `base_url_env` may replace it, as in the SDK.
    `key_env` is the variable of the key; without `needs_key` an unset one is no fault. `local` servers
    are the user's own: their price is 0.
    """

    prefix: str
    wire: Wire
    base_url: str = ""
    base_url_env: str = ""
    key_env: str = ""
    needs_key: bool = False
    local: bool = False


VENDORS: dict[str, Vendor] = {
    vendor.prefix: vendor
    for vendor in (
        Vendor(
            "anthropic",
            "anthropic",
            "https://api.anthropic.com",
            "ANTHROPIC_BASE_URL",
            "ANTHROPIC_API_KEY",
            needs_key=True,
        ),
        Vendor(
            "openai",
            "openai",
            "https://api.openai.com/v1",
            "OPENAI_BASE_URL",
            "OPENAI_API_KEY",
            needs_key=True,
        ),
        Vendor(
            "openrouter",
            "openai",
            "https://openrouter.ai/api/v1",
            key_env="OPENROUTER_API_KEY",
            needs_key=True,
        ),
        Vendor(
            "google",
            "openai",
            "https://generativelanguage.googleapis.com/v1beta/openai",
            key_env="GEMINI_API_KEY",
            needs_key=True,
        ),
        Vendor("ollama", "openai", "http://localhost:11434/v1", key_env="OLLAMA_API_KEY", local=True),
        Vendor("vllm", "openai", key_env="VLLM_API_KEY", local=True),
        Vendor("llamacpp", "openai", key_env="LLAMA_API_KEY", local=True),
        Vendor("mock", "mock", local=True),
    )
}
