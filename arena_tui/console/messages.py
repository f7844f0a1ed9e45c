"""What panes and screens say to whoever shows them, where several of them say the same."""

from __future__ import annotations

from dataclasses import dataclass

from textual.message import Message
from textual.widget import Widget

from arena_tui.console.entrants import Entrant


@dataclass
class EntrantOpened(Message):
    """A candidate is to be shown as a whole."""

    entrant: Entrant


@dataclass
class EntrantSelected(Message):
    """Another candidate is under the cursor of a pane."""

    entrant: Entrant
    pane: Widget

    def can_replace(self, message: Message) -> bool:
        """Where a held key has rushed past, only the last one counts."""
        return isinstance(message, EntrantSelected)


@dataclass
class EntrantActed(Message):
    """Something is wanted of a candidate: a verb of `deeds`, as its present state allows it."""

    verb: str
    entrant: Entrant


@dataclass
class MatchOpened(Message):
    """The match number `seq` of a group is to be shown as a whole."""

    group: str
    seq: int


@dataclass
class Copied(Message):
    """A text is to go to the clipboard; it may come from outside."""

    text: str
