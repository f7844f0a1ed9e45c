"""One model at one address, settled: what an adapter needs to make calls, and how long it waits.

`targets` makes addresses out of what the user wrote; adapters and the fault classifier read them.
"""

from __future__ import annotations

import ipaddress
from collections.abc import Mapping
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import Any
from urllib.parse import urlsplit


class Secret:
    """A key that does not show itself: not in a repr, not among the locals of a traceback."""

    __slots__ = ("_value",)

    def __init__(self, value: str) -> None:
        self._value = value

    def reveal(self) -> str:
        """The key itself."""
        return self._value

    def hidden_in(self, text: str) -> str:
        """`text` with every occurrence of the key masked."""
        # Shorter ones are no secrets but placeholders of local servers, and would mask half a sentence.
        return text.replace(self._value, "***") if len(self._value) >= 6 else text

    def __repr__(self) -> str:
        return "Secret(***)"


@dataclass(frozen=True, slots=True)
class Clocks:
    """The limits of one call, in seconds: to connect, between two bytes, from start to end."""

    connect: float = 10.0
    idle: float = 60.0
    total: float = 600.0


@dataclass(frozen=True, slots=True)
class Address:
    """One model at one address.

    `name` is `provider:model` as the user writes it, `model` what the server calls it. `key_env` is
    the variable the key came from, empty when there is none. `params` go into every request body.
    Without `keep_alive` each call has a connection of its own: llama.cpp, for one, closes connections
    that have just been taken for the next call, which then fails.
    """

    name: str
    model: str
    base_url: str
    key: Secret | None = None
    key_env: str = ""
    local: bool = False
    keep_alive: bool = True
    clocks: Clocks = Clocks()
    params: Mapping[str, Any] = field(default_factory=lambda: MappingProxyType({}))


def is_loopback(url: str) -> bool:
    """True when the host of `url` can only be this machine."""
    host = (urlsplit(url).hostname or "").rstrip(".")
    if host == "localhost" or host.endswith(".localhost"):
        return True
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False
