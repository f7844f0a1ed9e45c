"""What all panes of one run look at: its session, the facts so far, and what is selected."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Protocol

from arena_tui.candidate import Candidate
from arena_tui.console.glyphs import UNICODE, Glyphs
from arena_tui.console.ledger import Ledger
from arena_tui.console.ports import Session
from arena_tui.engine.state import RunState
from arena_tui.store.board_rows import TextFact
from arena_tui.store.match_rows import MatchRecord


class Facts(Protocol):
    """Where the facts of a run come from; `feed.Feed` reads its database in a thread of its own."""

    ledger: Ledger

    async def match(self, group: str, seq: int) -> MatchRecord | None:
        """Everything stored of a match, planned ones included; None when there is none."""
        ...

    async def candidate(self, group: str, id_: str) -> Candidate:
        """A candidate with its text, review and all."""
        ...

    async def shown(self, record: MatchRecord, id_: str) -> Candidate:
        """What one of a match's two showed: itself or, where systems meet, its text in the match's group."""
        ...

    async def texts_of(self, system: str) -> Sequence[TextFact]:
        """What a system wrote, group by group."""
        ...

    async def at(self, pos: int) -> Ledger:
        """The ledger as it was at a journal position."""
        ...


class LiveFacts(Facts, Protocol):
    """Facts that come in while the run goes on; who shows them asks for them."""

    async def open(self) -> None:
        """Load everything there is."""
        ...

    async def look(self) -> bool:
        """Bring what came since; True when there was anything."""
        ...

    async def close(self) -> None:
        """Let go of where the facts come from."""
        ...


@dataclass(slots=True)
class RunView:
    """`group` narrows all panes (None: all groups); `match` is what the transcript shows, as (group, seq)."""

    session: Session
    facts: Facts
    glyphs: Glyphs = UNICODE
    group: str | None = None
    match: tuple[str, int] | None = None
    past: Ledger | None = field(default=None)  # the moment that the time slider shows instead of now

    @property
    def ledger(self) -> Ledger:
        """The facts to show: now, or at the chosen earlier moment."""
        return self.facts.ledger if self.past is None else self.past

    @property
    def state(self) -> RunState:
        """The run, live."""
        return self.session.state
