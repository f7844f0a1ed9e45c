"""Two lists of the candidate screen: whom it descends from and who from it, and every match it had."""

from __future__ import annotations

from collections.abc import Hashable
from itertools import takewhile

from rich.cells import cell_len
from rich.text import Text
from textual.message import Message

from arena_tui.console.figures import rating_words
from arena_tui.console.glyphs import Glyphs
from arena_tui.console.ledger import Entrant, Ledger, MatchLine
from arena_tui.console.widgets.lineage_row import cut, rated
from arena_tui.console.widgets.plain import safe_line
from arena_tui.console.widgets.rows import Rows


class KinRows(Rows):
    """Parents, children and twins; Enter opens one."""

    class Chosen(Message):
        """One was opened."""

        def __init__(self, entrant: Entrant) -> None:
            self.entrant = entrant
            super().__init__()

    empty = "no parents, children or twins"

    def __init__(self, glyphs: Glyphs, *, id: str | None = None) -> None:
        super().__init__(id=id)
        self._signs = glyphs
        self._ledger = Ledger()
        self.kin: list[tuple[str, str, Entrant | None]] = []

    def look(self, ledger: Ledger, entrant: Entrant) -> None:
        """Its kin as a ledger knows them; a parent that is not there keeps its id."""
        self._ledger = ledger
        parents = [(id_, ledger.find(entrant.group, id_)) for id_ in dict.fromkeys(entrant.parent_ids)]
        kin: list[tuple[str, str, Entrant | None]] = [("parent", id_, each) for id_, each in parents]
        kin += [("child", each.id, each) for each in ledger.children(entrant)]
        if entrant.twin_of is not None:
            kin.append(("twin of", entrant.twin_of, ledger.find(entrant.group, entrant.twin_of)))
        kin += [("twin", each.id, each) for each in ledger.twins(entrant)]
        self.kin = kin
        self.rows_changed()

    def count(self) -> int:
        """How many kin."""
        return len(self.kin)

    def signature(self, index: int) -> Hashable:
        """Who it is and how it stands."""
        relation, id_, entrant = self.kin[index]
        if entrant is None:
            return relation, id_
        who = rated(self._ledger, entrant)
        return relation, id_, entrant.state, rating_words(who), who.wins, who.draws, who.losses

    def header(self, width: int) -> Text:
        """What the columns are."""
        return Text(("relation  candidate".ljust(max(0, width - 16)) + "rating    W-D-L")[:width])

    def draw(self, index: int, width: int) -> Text:
        """Relation, title, rating, record."""
        relation, id_, entrant = self.kin[index]
        line = Text(relation.ljust(10))
        if entrant is None:
            line.append(
                cut(f"{self._signs.missing} {id_} (not in this run)", max(1, width - 10), self._signs)
            )
            return line
        who = rated(self._ledger, entrant)
        told = entrant.title if entrant.state == "in_tournament" else f"{entrant.title} ({entrant.state})"
        room = max(1, width - 10 - 17)
        shown = cut(told, room, self._signs)
        line.append(shown + " " * (room - cell_len(shown)))
        line.append(f" {rating_words(who):>6} {f'{who.wins}-{who.draws}-{who.losses}':>8}")
        line.truncate(width)
        return line

    def chosen(self, index: int) -> None:
        """Enter on a candidate that is in the run."""
        entrant = self.kin[index][2]
        if entrant is not None:
            self.post_message(self.Chosen(entrant))


class PlayedRows(Rows):
    """The matches of a candidate, newest first; Enter opens one."""

    DEFAULT_CSS = """
    PlayedRows > .played--won { color: $text-success; }
    PlayedRows > .played--lost { color: $text-error; }
    PlayedRows > .played--muted { color: $text-muted; }
    """
    COMPONENT_CLASSES = {"played--won", "played--lost", "played--muted"}  # noqa: RUF012
    empty = "no match yet"

    class Chosen(Message):
        """A match was opened."""

        def __init__(self, line: MatchLine) -> None:
            self.line = line
            super().__init__()

    class Moved(Message):
        """The cursor is on another match."""

        def __init__(self, line: MatchLine) -> None:
            self.line = line
            super().__init__()

    def __init__(self, glyphs: Glyphs, *, id: str | None = None) -> None:
        super().__init__(id=id)
        self._signs = glyphs
        self._source: tuple[Ledger, Entrant] | None = None
        self._entrant: Entrant | None = None
        self._on: int | None = None
        self.lines: list[MatchLine] = []

    def look(self, ledger: Ledger, entrant: Entrant) -> None:
        """Its matches so far; only new ones are read. The cursor stays on its match, or on the newest."""
        who = rated(ledger, entrant)
        same = self._source is not None and self._source[0] is ledger and self._source[1] is who
        newest = self.lines[0].index if same and self.lines else -1
        new = list(takewhile(lambda line: line.index > newest, ledger.matches_of(who)))
        self._source, self._entrant = (ledger, who), who
        if new or not same:
            self.lines = [*new, *(self.lines if same else ())]
            follow = self.cursor == 0
            self.rows_changed()
            if new and not follow:
                self.show_row(self.cursor + len(new))
        self._tell()

    def count(self) -> int:
        """How many matches."""
        return len(self.lines)

    def signature(self, index: int) -> Hashable:
        """Which match; an applied one changes only with the ledger."""
        return id(self._source[0]) if self._source else 0, self.lines[index].index

    def header(self, width: int) -> Text:
        """What the columns are."""
        last = "group" if self.lines and self.lines[0].at is not None else "mode"
        return Text(("  match result    against".ljust(max(0, width - 17)) + f"change {last}")[:width])

    def draw(self, index: int, width: int) -> Text:
        """Number, result, opponent, what it did, mode (of systems: the group of their texts)."""
        match = self.lines[index]
        other = match.b if match.a is self._entrant else match.a
        result = outcome_of(match, self._entrant)
        ink = {"won": "played--won", "lost": "played--lost"}.get(result, "played--muted")
        line = Text(f"{match.seq:7d} ")
        line.append(f"{result}{' !' if match.overruled else ''}".ljust(10), self.ink(ink))
        room = max(1, width - 18 - 17)
        shown = cut(other.title, room, self._signs)
        line.append(shown + " " * (room - cell_len(shown)))
        change = "" if match.winner == "void" else self._change(match)
        line.append(f" {change:>6} ")
        where = safe_line(match.at, 9) if match.at is not None else match.mode
        line.append(f"{where:<9}", self.ink("played--muted"))
        line.truncate(width)
        return line

    def _change(self, match: MatchLine) -> str:
        change = change_in(match, self._entrant)
        in_points = self._source is not None and self._source[0].rules.kind != "elo"
        return f"{change:+.3g}" if in_points else f"{change:+.1f}"

    def watch_cursor(self, before: int, now: int) -> None:
        """The reason that is told is that of the match under the cursor."""
        super().watch_cursor(before, now)
        self._tell()

    def chosen(self, index: int) -> None:
        """Enter opens the match."""
        self.post_message(self.Chosen(self.lines[index]))

    def _tell(self) -> None:
        line = self.lines[self.cursor] if self.cursor < len(self.lines) else None
        if line is not None and line.index != self._on:
            self._on = line.index
            self.post_message(self.Moved(line))


def outcome_of(match: MatchLine, entrant: Entrant | None) -> str:
    """What the match was for one of the two: won, lost, draw, void, withdrawn."""
    if match.withdrawn:
        return "withdrawn"
    if match.winner in ("draw", "void"):
        return match.winner
    return "won" if (match.winner == "a") == (match.a is entrant) else "lost"


def change_in(match: MatchLine, entrant: Entrant | None) -> float:
    """What it did to the rating of one of the two."""
    return match.a_change if match.a is entrant else match.b_change
