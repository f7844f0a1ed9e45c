"""From `provider:model` in a tournament file to a provider that can be asked.

What can be wrong before any call (a prefix nobody knows, a base_url that is missing or no URL, a key
that is not set) is found here, without importing an SDK, as one `UsageError` sentence.
"""

from __future__ import annotations

import difflib
import math
import os
import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import urlsplit

from arena_tui.errors import UsageError
from arena_tui.providers.address import Address, Clocks, Secret, is_loopback
from arena_tui.providers.base import Provider
from arena_tui.providers.vendors import VENDORS, Vendor

RESERVED = frozenset(
    {
        "logprobs",
        "max_completion_tokens",
        "max_tokens",
        "messages",
        "model",
        "n",
        "response_format",
        "stream",
        "stream_options",
        "system",
        "tools",
        "top_logprobs",
    }
)
"""Fields of a request body that arena fills itself."""

_VARIABLE = re.compile(r"[A-Z_][A-Z0-9_]{0,63}")  # in capitals, as no vendor's keys are


@dataclass(frozen=True, slots=True)
class Target:
    """What the user wrote about a model. Clocks are in seconds; see `Clocks`."""

    model: str
    base_url: str | None = None
    api_key_env: str | None = None
    connect: float = 10.0
    idle: float = 60.0
    total: float = 600.0
    params: Mapping[str, Any] = field(default_factory=dict)


def open_provider(target: Target) -> Provider:
    """The provider of a target. Connects to nothing yet; raises UsageError like `check_target`."""
    address = address_of(target)
    match vendor_of(target).wire:
        case "anthropic":
            from arena_tui.providers.anthropic import AnthropicProvider

            return AnthropicProvider(address)
        case "openai":
            from arena_tui.providers.openai import OpenAIProvider

            return OpenAIProvider(address)
        case "mock":
            from arena_tui.providers.mock import MockProvider

            return MockProvider(address.model, params=address.params)


def check_target(target: Target, *, key: bool = True) -> None:
    """Raise UsageError, one sentence, when no call could be made. Not `key`: the key may be missing."""
    _base_url(target)
    if key:
        key_of(target)


def address_of(target: Target) -> Address:
    """The target settled against the environment. Raises UsageError."""
    vendor = vendor_of(target)
    base_url = _base_url(target)
    key = key_of(target)
    return Address(
        name=target.model,
        model=target.model.partition(":")[2],
        base_url=base_url,
        key=None if key is None else Secret(key),
        key_env="" if key is None else _key_variable(target, vendor),
        local=vendor.local,
        keep_alive=not vendor.local,
        clocks=Clocks(target.connect, target.idle, target.total),
        params=target.params,
    )


def _base_url(target: Target) -> str:
    """Where requests go, once the rest but the key is in order too. Raises UsageError."""
    base_url = base_url_of(target)
    for name in ("connect", "idle", "total"):
        seconds = getattr(target, name)
        if not (math.isfinite(seconds) and seconds > 0):
            raise UsageError(f"{target.model}: {name} must be a number of seconds above 0, not {seconds}")
    if taken := sorted(RESERVED.intersection(target.params)):
        raise UsageError(f"{target.model}: params may not hold {', '.join(taken)}; arena sets that itself")
    return base_url


def vendor_of(target: Target) -> Vendor:
    """The entry of the target's prefix. Raises UsageError for one that nobody knows."""
    prefix, colon, model = target.model.partition(":")
    known = ", ".join(f"{name}:" for name in VENDORS)
    if not colon or prefix not in VENDORS:
        near = difflib.get_close_matches(prefix, VENDORS, n=1) if colon else []
        hint = f"; did you mean {near[0]}:{model}?" if near else ""
        raise UsageError(f"model {target.model!r} must be provider:model with one of {known}{hint}")
    if not model.strip():
        raise UsageError(f"model {target.model!r} names a provider but no model after the colon")
    return VENDORS[prefix]


def base_url_of(target: Target) -> str:
    """Where requests go: the target's own, else the SDK's variable, else the vendor's. Raises UsageError."""
    vendor = vendor_of(target)
    if vendor.wire == "mock":
        return "mock:"
    from_env = os.environ.get(vendor.base_url_env, "").strip() if vendor.base_url_env else ""
    url = (target.base_url or from_env or vendor.base_url).strip().rstrip("/")
    source = "base_url" if target.base_url or not from_env else vendor.base_url_env
    if not url:
        raise UsageError(
            f"{target.model} needs a base_url, such as http://localhost:8000/v1, since {vendor.prefix} "
            "servers have no address of their own"
        )
    if (wrong := _wrong_with(url)) is not None:
        raise UsageError(f"{target.model}: {source} {wrong}")
    # The SDK appends /v1/messages itself; an address copied from elsewhere often ends in /v1.
    return url.removesuffix("/v1") if vendor.wire == "anthropic" else url


def key_of(target: Target) -> str | None:
    """The key from the environment; None when the server needs none. Raises UsageError.

    A server on this machine may do without: a key is then sent only when the variable is set.
    """
    vendor = vendor_of(target)
    variable = _key_variable(target, vendor)
    if not variable:
        return None
    key = os.environ.get(variable, "").strip()
    if key and not (key.isascii() and key.isprintable()):
        raise UsageError(f"{target.model}: the key in {variable} holds characters no key can hold")
    if key:
        return key
    if target.api_key_env is None and (not vendor.needs_key or is_loopback(base_url_of(target))):
        return None
    raise UsageError(
        f"{target.model} needs a key: set the environment variable {variable} "
        f"(or name another with api_key_env, or take mock:, which needs no key)"
    )


def notes(target: Target) -> list[str]:
    """What the user should be told before a key leaves this machine; usually nothing."""
    base_url = base_url_of(target)
    if base_url.startswith("http://") and not is_loopback(base_url) and key_of(target) is not None:
        variable = _key_variable(target, vendor_of(target))
        return [f"the key in {variable} goes over the network unencrypted, to {base_url}; use https"]
    return []


def _key_variable(target: Target, vendor: Vendor) -> str:
    """The name of the key's variable; a name that may be the key itself is refused without repeating it."""
    if target.api_key_env is None:
        return vendor.key_env
    name = target.api_key_env.strip()
    if not _VARIABLE.fullmatch(name):
        raise UsageError(
            f"{target.model}: api_key_env must be the name of an environment variable in capitals, not a key"
        )
    return name


def _wrong_with(url: str) -> str | None:
    """What makes `url` no base_url, as the rest of a sentence. Never repeats a password."""
    try:
        parts = urlsplit(url)
        port = parts.port
    except ValueError:
        return "is no URL"
    if parts.username is not None or parts.password is not None:
        return "must not hold a user or password; keys come from environment variables"
    if parts.scheme not in ("http", "https") or not parts.hostname or port == 0:
        return f"must be an http or https URL, not {url!r}"
    if parts.query or parts.fragment:
        return f"must end with its path, without ? or #, not {url!r}"
    return None
