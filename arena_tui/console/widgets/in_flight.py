"""The matches that judges are busy with, as a list to choose one from."""

from __future__ import annotations

from collections.abc import Callable, Hashable
from time import monotonic

from rich.cells import cell_len
from rich.text import Text
from textual.app import ComposeResult
from textual.containers import Vertical
from textual.message import Message
from textual.screen import ModalScreen

from arena_tui.console.actions import bindings
from arena_tui.console.screens.dialogs import DIALOG_CSS
from arena_tui.console.view import RunView
from arena_tui.console.widgets.plain import PlainStatic, safe_line
from arena_tui.console.widgets.rows import Rows
from arena_tui.console.widgets.turns import Names, names_of
from arena_tui.engine.state import InFlight

MatchKey = tuple[str, int]


def flights(view: RunView) -> list[InFlight]:
    """The comparisons in flight of the groups on screen, one a match, in the order in which they began."""
    found: dict[MatchKey, InFlight] = {}
    for (group, seq, _), flying in view.state.in_flight.items():
        if view.group in (None, group):
            known = found.get((group, seq))
            if known is None or (bool(flying.speaker), -flying.since) > (bool(known.speaker), -known.since):
                found[group, seq] = flying
    return sorted(found.values(), key=lambda flying: (flying.since, flying.group, flying.seq))


class InFlightRows(Rows):
    """A row a match: its number, who meets whom, the mode, who speaks, for how many seconds."""

    empty = "nothing is in flight"

    class Chosen(Message):
        """A match was chosen."""

        def __init__(self, key: MatchKey) -> None:
            self.key = key
            super().__init__()

    def __init__(self, view: RunView, clock: Callable[[], float]) -> None:
        super().__init__()
        self._view = view
        self._clock = clock
        self._flights: list[InFlight] = []

    def pull(self) -> None:
        """Look again; the cursor stays on its match."""
        on = self._flights[self.cursor] if self.cursor < len(self._flights) else None
        self._flights = flights(self._view)
        if on is not None:
            places = [(each.group, each.seq) for each in self._flights]
            if (on.group, on.seq) in places:
                self.cursor = places.index((on.group, on.seq))
        self.rows_changed()

    def count(self) -> int:
        """The matches in flight."""
        return len(self._flights)

    def _cells(self, index: int) -> tuple[str, Names, str, str, str]:
        flying = self._flights[index]
        names = names_of(self._view.ledger, flying.group, flying.a, flying.b)
        speaker = "" if not flying.speaker else "judge"
        if flying.speaker and flying.slot is not None:
            speaker = names.in_slot(flying.orientation, flying.slot)
        number = str(flying.seq) if not self._view.ledger.several else f"{flying.group}:{flying.seq}"
        seconds = f"{max(0.0, self._clock() - flying.since):.0f} s"
        return safe_line(number, 16), names, flying.mode, speaker, seconds

    def signature(self, index: int) -> Hashable:
        """All that is shown."""
        return self._cells(index)

    def draw(self, index: int, width: int) -> Text:
        """The row."""
        number, names, mode, speaker, seconds = self._cells(index)
        return Text(self._line(width, number, f"{names.a}  vs  {names.b}", mode, speaker, seconds))

    def header(self, width: int) -> Text:
        """What the columns are."""
        return Text(self._line(width, "match", "who meets whom", "mode", "speaks", "for"))

    def _line(self, width: int, number: str, who: str, mode: str, speaker: str, seconds: str) -> str:
        speaks = max(8, (width - 32) // 3)
        room = max(10, width - 32 - speaks)
        cells = ((number, 8), (who, room), (mode, 8), (speaker, speaks), (seconds, 6))
        return " ".join(_padded(text, cells_) for text, cells_ in cells)

    def chosen(self, index: int) -> None:
        """Enter or a double click."""
        flying = self._flights[index]
        self.post_message(self.Chosen((flying.group, flying.seq)))


def _padded(text: str, cells: int) -> str:
    line = safe_line(text, cells)
    return line + " " * (cells - cell_len(line))


class InFlightScreen(ModalScreen[MatchKey | None]):
    """The list over everything else; Enter takes a match, Esc none. Its opener pulls it."""

    DEFAULT_CSS = (
        DIALOG_CSS.format(name="InFlightScreen")
        + """
    InFlightScreen > Vertical { width: 96; }
    InFlightScreen InFlightRows { height: auto; max-height: 24; min-height: 3; }
    """
    )
    BINDINGS = bindings("dialog")

    def __init__(self, view: RunView, clock: Callable[[], float] = monotonic) -> None:
        super().__init__()
        self.rows = InFlightRows(view, clock)

    def compose(self) -> ComposeResult:
        """The list and how to leave it."""
        with Vertical():
            yield PlainStatic("Matches in flight", classes="question")
            yield self.rows
            yield PlainStatic("Enter shows one, Esc leaves", classes="hint")

    def on_mount(self) -> None:
        """Show what is there."""
        self.rows.pull()

    def pull(self) -> None:
        """Look again."""
        if self.is_current:
            self.rows.pull()

    def on_in_flight_rows_chosen(self, event: InFlightRows.Chosen) -> None:
        """A match was chosen."""
        event.stop()
        if self.is_current:
            self.dismiss(event.key)

    def action_cancel(self) -> None:
        """None."""
        if self.is_current:
            self.dismiss(None)
