"""What a real server's prompt cache would have read and written, so that tests can count cached tokens.

Both kinds of cache know a prompt only by the prefixes that earlier prompts had, byte for byte:
* automatic (OpenAI, vLLM): every block of a prompt is remembered; the longest run of remembered blocks
  from the start is read;
* marked (Anthropic): only prefixes that end at a `cache_control` mark are remembered, and looked for at
  the ends of the 20 blocks up to a mark; what lies between the prefix read and the last mark is written.

An entry exists from the start of the reply that made it, so prompts in flight together do not help each
other. Input tokens are four bytes each.
"""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass

BYTES_PER_TOKEN = 4
LOOK_BACK = 20  # blocks before a mark at which the marked cache still finds an entry


@dataclass(frozen=True)
class Segment:
    """A piece of a prompt; `marked` ends a prefix that is to be cached."""

    text: str
    marked: bool = False


@dataclass(frozen=True)
class Counted:
    """Input tokens: all, those read from the cache, those written to it; and what to remember."""

    input: int
    cached: int
    written: int
    entries: tuple[bytes, ...]


class PrefixCache:
    """The caches of one server. `block` and `minimum` are tokens (OpenAI: 128 and 1024)."""

    def __init__(self, block: int = 16, minimum: int = 0) -> None:
        self.block = block
        self.minimum = minimum
        self._known: set[bytes] = set()

    def remember(self, counted: Counted) -> None:
        """The reply to this prompt has begun: later prompts find its prefixes."""
        self._known.update(counted.entries)

    def automatic(self, model: str, prompt: Sequence[Segment]) -> Counted:
        """Count a prompt against the automatic cache."""
        data = "".join(segment.text for segment in prompt).encode()
        total = input_tokens(data)
        size = self.block * BYTES_PER_TOKEN
        entries, cached, running = [], 0, hashlib.sha256(f"automatic {model}\0".encode())
        unbroken = True
        for end in range(size, len(data) + 1, size):
            running.update(data[end - size : end])
            entry = running.digest()
            unbroken = unbroken and entry in self._known
            if unbroken and end // BYTES_PER_TOKEN < total:  # the last token is always computed
                cached = end // BYTES_PER_TOKEN
            entries.append(entry)
        return Counted(total, cached if cached >= self.minimum else 0, 0, tuple(entries))

    def marked(self, model: str, prompt: Sequence[Segment]) -> Counted:
        """Count a prompt against the cache that only keeps marked prefixes."""
        running, length = hashlib.sha256(f"marked {model}\0".encode()), 0
        ends: list[tuple[int, bytes]] = []  # tokens and digest of the prefix after each block
        for segment in prompt:
            data = segment.text.encode()
            running.update(len(data).to_bytes(8, "big") + data)
            length += len(data)
            ends.append((length // BYTES_PER_TOKEN, running.digest()))
        total = -(-length // BYTES_PER_TOKEN)
        marks = [place for place, segment in enumerate(prompt) if segment.marked]
        marks = [place for place in marks if ends[place][0] >= self.minimum]
        if not marks:
            return Counted(total, 0, 0, ())
        near = {place for mark in marks for place in range(max(0, mark - LOOK_BACK + 1), mark + 1)}
        cached = max((ends[place][0] for place in near if ends[place][1] in self._known), default=0)
        written = max(0, ends[marks[-1]][0] - cached)
        return Counted(total, cached, written, tuple(ends[place][1] for place in marks))


def input_tokens(data: bytes) -> int:
    """How many input tokens a text is."""
    return -(-len(data) // BYTES_PER_TOKEN)
