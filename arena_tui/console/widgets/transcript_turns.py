"""The sections of the match on screen: stored turns, turns that are being held, and those in between.

A turn that has ended stays as it streamed until its stored form is there, and goes in the moment that comes:
nothing flickers and nothing is shown twice. Knows no widget.
"""

from __future__ import annotations

from dataclasses import dataclass, field

from arena_tui.console.glyphs import Glyphs
from arena_tui.console.lines import BLANK, Block
from arena_tui.console.widgets.live_turn import LiveTurn
from arena_tui.console.widgets.sections import Section
from arena_tui.console.widgets.turns import (
    Names,
    is_panel,
    is_spoken,
    live_header,
    reasons,
    said_section,
    turn_section,
)
from arena_tui.engine.state import InFlight
from arena_tui.store.match_rows import MatchRecord, TurnRecord
from arena_tui.vocabulary import Orientation

MOUNTED = 30
"""Turns that are kept on the screen."""
_ORDERS: tuple[Orientation, ...] = ("ab", "ba")


@dataclass(slots=True)
class _Left:
    """A turn that has ended and is not read from the store yet; `loads` counted when it ended."""

    orientation: Orientation
    turn: LiveTurn
    loads: int


@dataclass
class TranscriptTurns:
    """`loads` counts the readings of the store that were begun."""

    glyphs: Glyphs
    loads: int = 0
    record: MatchRecord | None = None
    _names: Names | None = None
    _stored: dict[TurnRecord, Section] = field(default_factory=dict)
    _spoken: list[Section] = field(default_factory=list)
    _live: dict[Orientation, LiveTurn] = field(default_factory=dict)
    _left: list[_Left] = field(default_factory=list)

    def stream(self, flying: dict[Orientation, InFlight], names: Names) -> tuple[bool, bool]:
        """Look at the live texts: whether another one began or ended, and whether one has grown."""
        turned = grown = False
        for orientation in _ORDERS:
            flight, live = flying.get(orientation), self._live.get(orientation)
            if live is not None and (flight is None or flight.text is not live.source):
                live.take()
                live.end()
                if live.said.strip():
                    self._left.append(_Left(orientation, live, self.loads))
                del self._live[orientation]
                turned, live = True, None
            if live is None and flight is not None and flight.speaker:
                head = live_header(names, self.glyphs, orientation, flight.slot, flight.speaker)
                live = self._live[orientation] = LiveTurn(head, flight.text, self.glyphs.live)
                turned = True
            grown = (live is not None and live.take()) or grown
        return turned, grown

    def stored(self, record: MatchRecord, names: Names, load: int) -> None:
        """The store was read, in the reading number `load`."""
        if names != self._names:
            self._names = names
            self._stored = {}
        self.record = record
        panel, score = is_panel(record.turns), record.mode == "score"
        kept = {
            turn: (self._stored.get(turn) if is_spoken(turn) else None)
            or turn_section(turn, names, self.glyphs, record.said, panel=panel, score=score)
            for turn in record.turns[-MOUNTED:]
        }
        self._stored = kept
        self._spoken = [said_section(said, names, self.glyphs) for said in reasons(record)]
        over = record.winner is not None
        self._left = [
            left
            for left in self._left
            if not over and load <= left.loads + 1 and not self._is_stored(left.orientation, left.turn)
        ]

    def _is_stored(self, orientation: Orientation, live: LiveTurn) -> bool:
        """The live text is among the stored turns."""
        if self.record is None:
            return False
        length = len(str(live.source))
        return any(
            turn.orientation == orientation
            and abs(len(turn.text) - length) < 16
            and turn.text.strip() == str(live.source).strip()
            for turn in reversed(self.record.turns)
        )

    @property
    def awaits(self) -> bool:
        """True while a turn has ended and is not read from the store yet."""
        return bool(self._left)

    def sections(self, waiting: str) -> list[Section]:
        """All that is to be shown; `waiting` is the line for a match in which nothing was said yet."""
        shown: list[Section] = []
        turns = () if self.record is None else self.record.turns
        if len(turns) > MOUNTED:
            line = f"{len(turns) - MOUNTED} earlier turns: Enter opens the match"
            shown.append(Section([Block(line, style="dim"), BLANK], line))
        shown += self._stored.values()
        shown += self._spoken
        for left in self._left:
            shown.append(left.turn)
            shown.append(Section([BLANK]))
        shown += [live for orientation, live in self._live.items() if not self._is_stored(orientation, live)]
        if not shown and waiting:
            shown.append(Section([Block(waiting, style="dim")], waiting))
        return shown
