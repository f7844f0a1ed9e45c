"""Which models are kin: a model that grades or judges its own family's work tends to favour it.

A family is a maker where the maker is known, else the stem of the model's name. A leaf module.
"""

from __future__ import annotations

import re

_MAKERS = ("anthropic", "google", "mock", "openai")  # prefixes that name a maker
_OPEN = ("deepseek", "falcon", "glm", "grok", "kimi", "llama", "mistral", "phi", "qwen", "smollm", "yi")
_STEMS = {
    **{stem: stem for stem in _OPEN},  # also served at addresses that are asked as `openai:`
    **dict.fromkeys(("claude",), "anthropic"),
    **dict.fromkeys(("gpt", "chatgpt", "o", "codex", "davinci"), "openai"),
    **dict.fromkeys(("gemini", "gemma", "palm"), "google"),
    **dict.fromkeys(("mixtral", "ministral", "codestral", "magistral"), "mistral"),
    **dict.fromkeys(("codellama",), "llama"),
    **dict.fromkeys(("qwq",), "qwen"),
}
"""Stems of names and the family they belong to."""
_STEM = re.compile(r"[a-z]+")


def model_family(model: str) -> str:
    """The family of `provider:model`: by the letters that its name begins with, where they are known, else
    the maker that the prefix names, else those letters.

    The name is what follows the last slash: `openrouter:anthropic/claude-x` is `anthropic`,
    `vllm:meta-llama/Llama-3.1-8B` and `ollama:llama3:8b` are `llama`, `ollama:gpt-oss` is `openai`.
    """
    prefix, _, name = model.casefold().partition(":")
    found = _STEM.match(name.rpartition("/")[2])
    stem = found[0] if found else name
    if stem in _STEMS:
        return _STEMS[stem]
    return prefix if prefix in _MAKERS else stem
