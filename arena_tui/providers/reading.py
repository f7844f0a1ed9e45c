"""A reply while it streams in: what every wire format collects, and what it amounts to at the end.

Pure: it is fed events and asked; `sdk` does the waiting.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterator
from dataclasses import dataclass, replace

from arena_tui.providers.base import (
    NO_TOKENS,
    Completion,
    Request,
    StopReason,
    StreamEvent,
    TextDelta,
    TokenLogprobs,
    Tokens,
    ToolCall,
)
from arena_tui.providers.estimates import estimated_input, estimated_tokens


@dataclass(slots=True)
class CallInMaking:
    """A tool call whose arguments still stream in."""

    id: str = ""
    name: str = ""
    arguments: str = ""

    def made(self) -> ToolCall:
        return ToolCall(self.id, self.name, self.arguments or "{}")


class Reading(ABC):
    """One reply. `take` is given each event of the stream as plain JSON, whatever it may be."""

    def __init__(self, request: Request) -> None:
        self._request = request
        self._texts: list[str] = []
        self._unseen = 0  # estimated tokens of what is no text: reasoning, arguments of tools
        self.stop_reason: StopReason | None = None
        self.opened = False
        """The server has begun a stream: from here on an attempt may cost something."""
        self.begun = False
        """Something of a reply has come."""
        self.closed = False
        """The server said that nothing follows."""
        self.model = ""
        self.tool_calls: list[ToolCall] = []
        self.logprobs: list[TokenLogprobs] = []
        self.counted = NO_TOKENS
        """What the server counted, as far as it told."""
        self.input_counted = False
        self.output_counted = False
        """The count of output tokens is the final one."""

    @abstractmethod
    def take(self, event: object) -> Iterator[StreamEvent]:
        """Take in one event; what it holds for the reader."""

    @property
    def text(self) -> str:
        """The text so far."""
        return "".join(self._texts)

    @property
    def tokens(self) -> Tokens:
        """What the attempt has used by now, estimated where the server has not counted."""
        if not self.opened:
            return NO_TOKENS
        tokens = self.counted
        if not self.input_counted:
            tokens = replace(tokens, input=estimated_input(self._request))
        if not self.output_counted:
            output = estimated_tokens(self.text) + self._unseen
            tokens = replace(tokens, output=max(tokens.output, output))
        return tokens

    def completion(self) -> Completion:
        """The whole reply. Only when `stop_reason` is known."""
        assert self.stop_reason is not None
        return Completion(
            text=self.text,
            stop_reason=self.stop_reason,
            tokens=self.tokens,
            logprobs=tuple(self.logprobs),
            tool_calls=tuple(self.tool_calls),
            model=self.model,
        )

    def _said(self, text: str) -> Iterator[StreamEvent]:
        if text:
            self._texts.append(text)
            yield TextDelta(text)

    def _thought(self, text: str) -> None:
        """Output that is paid for but is no text of the reply."""
        self._unseen += estimated_tokens(text)
