"""The line on which a moment of the run is chosen, and a board of that moment."""

from __future__ import annotations

from collections.abc import Hashable

from rich.cells import cell_len
from rich.text import Text
from textual import events
from textual.message import Message
from textual.widget import Widget

from arena_tui.console.figures import rating_words
from arena_tui.console.glyphs import UNICODE, Glyphs
from arena_tui.console.ledger import Entrant, Ledger
from arena_tui.console.widgets.lineage_row import cut
from arena_tui.console.widgets.rows import Rows

_RECORD = 48  # cells from which on a row has room for the record


class TimeSlider(Widget, can_focus=True):
    """A handle on a line from the first match to now, below the columns of the curves, and words under it."""

    DEFAULT_CSS = """
    TimeSlider { height: 2; }
    TimeSlider > .slider--handle { color: $primary; text-style: bold; }
    TimeSlider > .slider--muted { color: $text-muted; }
    TimeSlider:focus > .slider--handle { color: $primary; text-style: bold reverse; }
    """
    COMPONENT_CLASSES = {"slider--handle", "slider--muted"}  # noqa: RUF012

    class Dragged(Message):
        """A click on the line: the part of the run, 0 to 1, that lies to the left of it."""

        def __init__(self, part: float) -> None:
            self.part = part
            super().__init__()

    def __init__(self, glyphs: Glyphs) -> None:
        super().__init__()
        self._signs = glyphs
        self._words = ""
        self._part = 1.0
        self._span = (0, 0)

    def put(self, part: float, words: str) -> None:
        """The handle at a part (0 to 1) of the line; `words`, cleaned here, say which moment that is."""
        if (part, words) != (self._part, self._words):
            self._part, self._words = part, words
            self.refresh()

    def span(self, left: int, columns: int) -> None:
        """Lie below these columns."""
        self._span = (left, columns)
        self.refresh()

    def render(self) -> Text:
        """The line and the words."""
        left, columns = self._span
        if columns < 2:
            left, columns = 0, max(2, self.size.width)
        muted = self.get_component_rich_style("slider--muted", partial=True)
        at = round(self._part * (columns - 1))
        fill, rest = ("━", "─") if self._signs == UNICODE else ("=", "-")
        text = Text(" " * left, no_wrap=True, end="")
        text.append(fill * at)
        text.append(self._signs.point, self.get_component_rich_style("slider--handle", partial=True))
        text.append(rest * (columns - 1 - at), muted)
        words = cut(self._words, max(1, self.size.width - 1), self._signs)
        start = max(0, min(left + at - cell_len(words) // 2, self.size.width - cell_len(words)))
        text.append("\n" + " " * start + words)
        return text

    def on_click(self, event: events.Click) -> None:
        """The handle goes where the mouse is."""
        left, columns = self._span
        if columns > 1:
            self.post_message(self.Dragged(max(0.0, min(1.0, (event.x - left) / (columns - 1)))))


class MomentRows(Rows):
    """The standings of a ledger: rank, title, rating, record; beside the rating what it has become since."""

    DEFAULT_CSS = """
    MomentRows > .moment--out { color: $text-disabled; text-style: dim; }
    """
    COMPONENT_CLASSES = {"moment--out"}  # noqa: RUF012
    empty = "no candidates yet"

    def __init__(self, glyphs: Glyphs, *, id: str | None = None) -> None:
        super().__init__(id=id)
        self._signs = glyphs
        self._now: Ledger | None = None
        self.shown: list[Entrant] = []

    def look(self, ledger: Ledger, group: str | None, now: Ledger | None) -> None:
        """Show a ledger's board; `now` is the present one, for comparison, None when `ledger` is that."""
        self._now = now
        known = group is None or group in ledger.groups
        self.shown = [each for each in ledger.board(group) if each.twin_of is None] if known else []
        self.rows_changed()

    def count(self) -> int:
        """How many candidates."""
        return len(self.shown)

    def _since(self, entrant: Entrant) -> int | None:
        present = None if self._now is None else self._now.find(entrant.group, entrant.id)
        if present is None or present.figure is None or entrant.figure is None:
            return None
        return round(present.figure) - round(entrant.figure)

    def signature(self, index: int) -> Hashable:
        """Every figure that is shown."""
        entrant = self.shown[index]
        record = (entrant.wins, entrant.draws, entrant.losses)
        return (
            entrant.number,
            entrant.rank,
            rating_words(entrant),
            entrant.state,
            record,
            self._since(entrant),
        )

    def header(self, width: int) -> Text:
        """What the columns are."""
        since = f"{'since':>7}" if self._now is not None else ""
        record = f"{'W-D-L':>9}" if width >= _RECORD else ""
        return Text(_ranked("rank", "candidate", " rating" + since + record, width, self._signs))

    def draw(self, index: int, width: int) -> Text:
        """One candidate."""
        entrant = self.shown[index]
        since = self._since(entrant)
        figures = f" {rating_words(entrant):>6}"
        if self._now is not None:
            figures += f"{'' if since is None else f'{since:+d}':>7}"
        if width >= _RECORD:
            figures += f"{f'{entrant.wins}-{entrant.draws}-{entrant.losses}':>9}"
        told = entrant.title if entrant.state == "in_tournament" else f"{entrant.title} ({entrant.state})"
        line = Text(style=self.ink("moment--out") if not entrant.plays else "")
        line.append(_ranked(str(entrant.rank or ""), told, figures, width, self._signs))
        line.truncate(width)
        return line


def _ranked(rank: str, told: str, figures: str, width: int, glyphs: Glyphs) -> str:
    room = max(1, width - 5 - len(figures))
    shown = cut(told, room, glyphs)
    return f"{rank:>4} {shown}{' ' * (room - cell_len(shown))}{figures}"
