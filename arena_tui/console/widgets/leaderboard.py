"""The leaderboard: who stands where, how certainly, and what can be done to the one under the cursor."""

from __future__ import annotations

import time
from collections.abc import Callable, Hashable, Sequence
from operator import attrgetter
from typing import ClassVar

from arena_tui.console.actions import bindings
from arena_tui.console.entrant_keys import EntrantKeys
from arena_tui.console.ledger import Entrant, GroupBoard, Ledger
from arena_tui.console.messages import Copied, EntrantOpened, EntrantSelected
from arena_tui.console.view import RunView
from arena_tui.console.widgets.board_columns import BOARD_COLUMNS, IMPORTANCE
from arena_tui.console.widgets.board_look import TEXT_CELLS, BoardLook, measure
from arena_tui.console.widgets.list_pane import ListPane
from arena_tui.console.widgets.plain import safe_line
from arena_tui.console.widgets.sorted_rows import SortedRows
from arena_tui.safetext import clean
from arena_tui.values import counted


class BoardRows(SortedRows[Entrant, BoardLook]):
    """The entrants of a view in columns."""

    DEFAULT_CSS = """
    BoardRows {
        & > .board--muted { color: $text-muted; }
        & > .board--out { color: $text-disabled; }
        &:ansi > .board--out { text-style: dim; }
        & > .board--up { color: $text-success; }
        & > .board--down { color: $text-error; }
        & > .board--pinned { color: $text-accent; text-style: bold; }
        & > .board--rejected { color: $text-error; }
        & > .board--flag { color: $text-warning; }
        & > .board--line { color: $text-muted; }
        & > .board--point { color: $text-primary; text-style: bold; }
    }
    """
    COMPONENT_CLASSES: ClassVar[set[str]] = {
        "board--muted",
        "board--out",
        "board--up",
        "board--down",
        "board--pinned",
        "board--rejected",
        "board--flag",
        "board--line",
        "board--point",
    }
    empty = "no candidates yet"

    def __init__(self, view: RunView, *, now: Callable[[], float] = time.monotonic) -> None:
        super().__init__(BOARD_COLUMNS, IMPORTANCE, view.glyphs, now=now)
        self.view = view
        self._ledger: Ledger | None = None
        self._titles: dict[int, str] = {}
        self._haystacks: dict[int, str] = {}

    def source(self) -> Hashable:
        """The ledger and the group that narrows it."""
        return id(self.view.ledger), self.view.group

    def revision(self) -> Hashable:
        """The facts so far."""
        return self.view.ledger.revision

    def everything(self) -> Sequence[Entrant]:
        """Everybody, group after group, best first."""
        if self._ledger is not self.view.ledger:
            self._ledger = self.view.ledger  # held, so that its id stays its own
            self._titles.clear()
            self._haystacks.clear()
        return self._ledger.board(self.view.group)

    def measure(self, items: Sequence[Entrant]) -> BoardLook:
        """Widths, scale and glyphs for these entrants."""
        ledger = self.view.ledger
        several = self.view.group is None and ledger.several
        begun = frozenset(id_ for id_, board in ledger.groups.items() if board.applied)
        kind = ledger.rules.kind
        return measure(items, self.glyphs, self.title_of, groups=several, begun=begun, kind=kind)

    def identity(self, item: Entrant) -> Hashable:
        """Its number in the run."""
        return item.number

    def attaches(self, items: Sequence[Entrant]) -> bool:
        """True when there are twins."""
        return any(map(attrgetter("twin_of"), items))

    def attached(self, item: Entrant, to: Entrant) -> bool:
        """Twins stay below their original."""
        return item.twin_of is not None and item.twin_of == to.id and item.group == to.group

    def title_of(self, entrant: Entrant) -> str:
        """Its title on one clean line, made once."""
        known = self._titles.get(entrant.number)
        if known is None:
            known = self._titles[entrant.number] = safe_line(entrant.title, TEXT_CELLS)
        return known

    def words_of(self, item: Entrant) -> str:
        """Title, id, system, class, and the state, which alone may change."""
        known = self._haystacks.get(item.number)
        if known is None:
            parts = (item.title, item.id, item.system or "", item.class_ or "")
            known = self._haystacks[item.number] = clean("\n".join(parts)).casefold()
        return f"{known}\n{item.state}{' twin' if item.twin_of is not None else ''}"

    def depends(self, item: Entrant) -> Hashable:
        """Every figure that a column shows."""
        return (
            item.number,
            item.rank,
            item.moved,
            item.score,
            item.fitted,
            item.wins,
            item.draws,
            item.losses,
            item.state,
            item.flags,
            item.rank_low,
            item.rank_high,
            item.low,
            item.high,
            item.p_best,
            len(item.history),
        )

    def base_ink(self, item: Entrant) -> str:
        """Those that do not play are dim; twins take their look from their sign and place."""
        if item.state in ("rejected", "retired", "quarantined"):
            return "board--out"
        return "board--muted" if item.twin_of is not None else ""


class Leaderboard(ListPane, EntrantKeys):
    """The pane. It asks for nothing itself: what a key means for an entrant goes up as a message."""

    BINDINGS = bindings("board", "entrant")
    help_title = "Leaderboard"
    help_text = (
        "Candidates in their format's order: elo by Elo rating, pivot by w/c, a knockout by how far they "
        "came, all others by the fitted rating. Ranks count within a group and a class.\n"
        "rating   Elo, or the rating that fits all comparisons best\n"
        "         (Bradley-Terry, 1500 on average)\n"
        "BT       in elo, the fitted rating beside it:\n"
        "         Elo depends on the order of matches; BT does not\n"
        "range    the ranks it cannot be told apart from\n"
        "best     the chance that it is the best of its class\n"
        "the bar  the fitted rating's 95 % interval, on a scale for all rows\n"
        "points   swiss, round robin: a win 1, a draw 1/2, a bye what is set\n"
        "w/c      pivot: the share of its comparisons won\n"
        "rounds   knockout: rounds won, a walkover too, a bye not\n"
        "W-D-L    matches won, drawn, lost\n"
        "n        valid matches\n"
        "+/-      places gained or lost over the last ten matches\n"
        "A hollow sign before a title: no match yet, and dim figures are only where it starts. Rejected "
        "candidates are dim and play no more; a twin (=) has the same text as the one above it and shares "
        "its record. A fit that lags behind says of which match it is. Range, best and bar speak of this "
        "judge's own noise; they cannot know whether it is right."
    )

    def __init__(self, view: RunView, *, now: Callable[[], float] = time.monotonic) -> None:
        self.board = BoardRows(view, now=now)
        self.view = view
        super().__init__(self.board)

    @property
    def entrant(self) -> Entrant | None:
        """The one under the cursor."""
        return self.board.current

    def heading(self) -> str:
        """The pane's name, and the group that it is narrowed to."""
        group = self.view.group
        return "Leaderboard" if group is None else f"Leaderboard: {self.view.ledger.group_name(group)}"

    def notes(self) -> list[str]:
        """How far behind the fit is."""
        ledger, group = self.view.ledger, self.view.group
        return lag_words([each for each in ledger.playing if group in (None, each.id) and each.applied])

    def opened(self, item: Entrant) -> None:
        """Enter on an entrant."""
        self.post_message(EntrantOpened(item))

    def reached(self, item: Entrant) -> None:
        """Another one is under the cursor."""
        self.post_message(EntrantSelected(item, self))

    def seek(self, entrant: Entrant) -> None:
        """Put the cursor on an entrant, where it is shown."""
        if entrant is not self.entrant and entrant in self.board.items:
            self.board.show_row(self.board.items.index(entrant))

    def action_copy(self) -> None:
        """Copy the row."""
        if self.entrant is not None:
            self.post_message(Copied(self.board.told(self.entrant)))

    def acted_on(self) -> tuple[Entrant | None, Ledger]:
        """The one under the cursor."""
        return self.entrant, self.view.ledger


def lag_words(boards: Sequence[GroupBoard]) -> list[str]:
    """What is said of fits that do not know the newest outcomes of their groups; nothing of those that do."""
    behind = sum(board.lag for board in boards)
    if not behind:
        return []
    if len(boards) > 1:
        return [f"fits {counted(behind, 'match', 'matches')} behind"]
    fit = boards[0].fit
    return ["no fit yet" if fit is None else f"fit of match {fit.applied:,}"]
