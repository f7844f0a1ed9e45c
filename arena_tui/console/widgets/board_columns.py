"""The leaderboard's columns: what each shows of an entrant, how it sorts, how much room it takes."""

from __future__ import annotations

from collections.abc import Callable

from arena_tui.console.columns import WELL, Column
from arena_tui.console.format_scores import SCORE_HEADINGS
from arena_tui.console.ledger import Entrant
from arena_tui.console.widgets import board_cells as cells
from arena_tui.console.widgets.board_look import STATE_WORDS, BoardLook, flag_words, one_line

FAIR = 18  # cells at which most titles can be guessed


def _heading(words: str) -> Callable[[BoardLook, int], str]:
    return lambda look, width: words


def _fairly(look: BoardLook) -> int:
    """What comes only after titles that can be guessed."""
    return FAIR


def _well(look: BoardLook) -> int:
    """What comes only after titles that can be read."""
    return WELL


BOARD_COLUMNS: tuple[Column[Entrant, BoardLook], ...] = (
    Column(
        "rank",
        _heading("#"),
        lambda look: look.rank,
        cells.rank,
        right=True,
        plain=lambda entrant, look: str(entrant.rank or ""),
    ),
    Column(
        "range",
        _heading("range"),
        lambda look: look.range,
        cells.rank_range,
        key=lambda entrant, look: entrant.rank_low,
        right=True,
        plain=lambda entrant, look: cells.range_words(entrant),
        spares=_fairly,
    ),
    Column(
        "moved",
        _heading("+/-"),
        lambda look: look.moved,
        cells.moved,
        key=lambda entrant, look: entrant.moved,
        descending=True,
        plain=lambda entrant, look: f"{entrant.moved:+d}" if entrant.moved else "0",
    ),
    Column(
        "group",
        _heading("group"),
        lambda look: look.group,
        cells.words("group"),
        key=cells.folded("group"),
        plain=cells.said("group"),
    ),
    Column(
        "class", _heading("class"), lambda look: look.class_, cells.words("class_"), cells.folded("class_"),
        plain=cells.said("class_"),
    ),
    Column(
        "title",
        lambda look, width: "  title" if look.signs else "title",
        lambda look: 14,
        cells.title,
        key=lambda entrant, look: look.titles(entrant).casefold(),
        flexible=True,
        plain=lambda entrant, look: f"{one_line(entrant.id)}\t{look.titles(entrant)}",
    ),
    Column(
        "rating",
        _heading("rating"),
        lambda look: look.rating,
        cells.rating,
        key=lambda entrant, look: entrant.figure,
        right=True,
        descending=True,
        plain=lambda entrant, look: "" if entrant.figure is None else f"{entrant.figure:.1f}",
    ),
    Column(
        "BT",
        _heading("BT"),
        lambda look: look.fitted,
        cells.fitted,
        key=lambda entrant, look: entrant.fitted if entrant.matches else None,
        right=True,
        descending=True,
        plain=lambda entrant, look: cells.fitted_words(entrant),
        spares=_well,
    ),
    Column(
        "points",
        lambda look, width: SCORE_HEADINGS.get(look.kind, "points"),
        lambda look: look.points,
        cells.points,
        key=lambda entrant, look: entrant.score,
        right=True,
        descending=True,
        plain=lambda entrant, look: f"{entrant.score:g}",
    ),
    Column(
        "w/c",
        _heading("w/c"),
        lambda look: look.share,
        cells.share,
        key=lambda entrant, look: entrant.share,
        right=True,
        descending=True,
        plain=lambda entrant, look: cells.share_words(entrant),
    ),
    Column(
        "interval",
        cells.scale,
        cells.bar_width,
        cells.bar,
        key=cells.width_of_interval,
        descending=True,
        plain=lambda entrant, look: (
            "" if entrant.low is None or entrant.high is None else f"{entrant.low:.0f}..{entrant.high:.0f}"
        ),
        spares=lambda look: 0 if look.intervals else WELL,
    ),
    Column(
        "P(best)",
        _heading("best"),
        lambda look: look.p_best,
        cells.p_best,
        key=lambda entrant, look: entrant.p_best,
        right=True,
        descending=True,
        plain=lambda entrant, look: cells.percent(entrant.p_best),
        spares=_fairly,
    ),
    Column(
        "W-D-L",
        _heading("W-D-L"),
        lambda look: max(6, look.wins + look.draws + look.losses + 2),
        cells.record,
        key=cells.share_won,
        right=True,
        descending=True,
        plain=lambda entrant, look: f"{entrant.wins}-{entrant.draws}-{entrant.losses}",
    ),
    Column(
        "matches",
        lambda look, width: "played" if width > 6 else "n",
        lambda look: look.matches,
        lambda entrant, look, width: [(str(entrant.matches), cells.figure_ink(entrant, look))],
        key=lambda entrant, look: entrant.matches,
        right=True,
        descending=True,
        plain=lambda entrant, look: str(entrant.matches),
        spares=_well,
    ),
    Column(
        "trend",
        _heading("trend"),
        lambda look: cells.SPARK if look.begun and look.kind == "elo" else 0,
        cells.trend,
        key=cells.gained,
        descending=True,
        spares=_well,
    ),
    Column(
        "state",
        _heading("state"),
        lambda look: look.state,
        cells.state,
        key=lambda entrant, look: STATE_WORDS.get(entrant.state),
        plain=lambda entrant, look: entrant.state,
        spares=_well,
    ),
    Column(
        "system", _heading("system"), lambda look: look.system, cells.words("system"), cells.folded("system"),
        plain=cells.said("system"), spares=_well,
    ),
    Column(
        "flags",
        _heading("flags"),
        lambda look: look.flags,
        cells.flags,
        key=lambda entrant, look: len(entrant.flags) or None,
        descending=True,
        wide=lambda look: look.flag_words + 2 if look.flag_words else 0,
        plain=lambda entrant, look: flag_words(entrant.flags),
        spares=_well,
    ),
)  # fmt: skip
"""All columns from left to right."""

IMPORTANCE = (
    "title", "rank", "rating", "W-D-L", "group", "class", "w/c", "points", "moved", "range", "P(best)",
    "interval", "trend", "BT", "state", "matches", "flags", "system",
)  # fmt: skip
"""The order in which they find room, the first four at 38 cells. Ranks count within a group and a class."""
