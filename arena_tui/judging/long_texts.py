"""Texts that are longer than a judge is to read: their middle is left out, their beginning and end stay."""

from __future__ import annotations

from arena_tui.providers.estimates import BYTES_PER_TOKEN, estimated_tokens


def without_middle(text: str, tokens: int) -> str:
    """`text` in at most `tokens` tokens as `estimated_tokens` counts, with a note where its middle was.

    Beginning and end get equal shares; no character is split. A text that fits comes back unchanged, and
    of one that does not even the note may be all that is left.
    """
    size = estimated_tokens(text)
    if size <= tokens:
        return text
    note = f"\n[... about {size - tokens:,} tokens in the middle of this text were left out ...]\n"
    data = text.encode("utf-8", "surrogatepass")
    share = max(0, tokens * BYTES_PER_TOKEN - len(note)) // 2
    head = data[:share].decode("utf-8", "ignore")
    tail = data[len(data) - share :].decode("utf-8", "ignore")
    return head + note + tail
