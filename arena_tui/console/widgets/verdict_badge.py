"""What came of a match, in the candidates' names, and what it did to both ratings.

Told by a sign and words; the colour only repeats them.
"""

from __future__ import annotations

from rich.text import Text

from arena_tui.console.figures import moved_words
from arena_tui.console.glyphs import Glyphs
from arena_tui.console.widgets.held import held_words
from arena_tui.console.widgets.plain import PlainStatic, safe_line
from arena_tui.console.widgets.turns import Names
from arena_tui.store.match_rows import MatchRecord


def verdict(record: MatchRecord, names: Names, glyphs: Glyphs) -> str:
    """The outcome in one line: "Alpha beats Beta", "a draw", "void: no usable verdict"."""
    match record.winner:
        case None:
            return f"{glyphs.paused} {held_words(record, names)}" if record.held else "not decided yet"
        case "a":
            told = f"{glyphs.good} {names.a} beats {names.b}"
        case "b":
            told = f"{glyphs.good} {names.b} beats {names.a}"
        case "draw":
            told = f"{glyphs.twin} a draw between {names.a} and {names.b}"
        case "void":
            told = f"{glyphs.bad} void: {safe_line(record.void_reason, 300) or 'no usable verdict'}"
    return f"{told} (overruled)" if record.overruled else told


def ratings(record: MatchRecord, names: Names, *, before: bool = False, kind: str = "elo") -> str:
    """What it did to both ratings (to points outside Elo), empty for a match that changed none."""
    sides = (
        (names.a, record.a_before, record.a_after),
        (names.b, record.b_before, record.b_after),
    )
    told: list[str] = []
    for title, old, new in sides:
        if old is None or new is None:
            return ""
        told.append(f"{title} {moved_words(old, new, kind, both=before)}")
    return ", ".join(told)


class VerdictBadge(PlainStatic):
    """The outcome of a match, or the verdict that is held; hidden until there is one. `before`: ratings are
    told from what they were."""

    DEFAULT_CSS = """
    VerdictBadge {
        display: none;
        height: auto;
        max-height: 6;
        padding: 0 1;
        background: $boost;
        &.decided { display: block; }
        &.won { border-left: thick $success; }
        &.drawn { border-left: thick $warning; }
        &.voided { border-left: thick $error; }
        &.held { border-left: thick $panel; }
    }
    """

    def __init__(self, *, before: bool = False) -> None:
        super().__init__()
        self._before = before

    def tell(self, record: MatchRecord | None, names: Names, glyphs: Glyphs, kind: str = "elo") -> None:
        """Show what came of a match of a format of that kind; nothing while nothing has."""
        winner = None if record is None else record.winner
        held = record is not None and record.held
        self.set_class(winner is not None or held, "decided")
        self.set_class(held, "held")
        if record is None or (winner is None and not held):
            return
        self.set_class(winner in ("a", "b"), "won")
        self.set_class(winner == "draw", "drawn")
        self.set_class(winner == "void", "voided")
        text = Text(verdict(record, names, glyphs), style="bold")
        changes = ratings(record, names, before=self._before, kind=kind)
        if changes:
            text.append(f"\n{changes}", "not bold")
        notes = [f"chance that {names.a} is better: {record.p_a:.2f}"] if record.p_a is not None else []
        if record.flags:
            notes.append(f"{glyphs.flag} {', '.join(safe_line(flag, 80) for flag in record.flags)}")
        if notes:
            text.append(f"\n{'; '.join(notes)}", "not bold")
        self.show(text)
