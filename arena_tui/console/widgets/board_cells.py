"""What the leaderboard's cells show of an entrant and what they sort by. Pure."""

from __future__ import annotations

from collections.abc import Callable

from arena_tui.console.columns import Pieces, fit
from arena_tui.console.figures import rating_words
from arena_tui.console.interval_bar import interval_bar
from arena_tui.console.ledger import Entrant
from arena_tui.console.spark import spark
from arena_tui.console.widgets.board_look import (
    BoardLook,
    flag_words,
    is_new,
    one_line,
    sign_of,
    state_of,
)

BAR = 11  # cells of an interval bar
SPARK = 8  # matches in a sparkline


def figure_ink(entrant: Entrant, look: BoardLook) -> str:
    """The ink of its figures."""
    return "board--muted" if is_new(entrant, look.begun) else ""


def rank(entrant: Entrant, look: BoardLook, width: int) -> Pieces:
    told = str(entrant.rank) if entrant.rank and entrant.twin_of is None else ""
    return [(told, figure_ink(entrant, look))]


def rank_range(entrant: Entrant, look: BoardLook, width: int) -> Pieces:
    return [(range_words(entrant), "board--muted")]


def range_words(entrant: Entrant) -> str:
    low, high = entrant.rank_low, entrant.rank_high
    if low is None or high is None or entrant.twin_of is not None:
        return ""
    return str(low) if low == high else f"{low}-{high}"


def moved(entrant: Entrant, look: BoardLook, width: int) -> Pieces:
    if not entrant.moved or entrant.twin_of is not None:
        return [("", "")]
    if entrant.moved > 0:
        return [(f"{look.glyphs.up}{entrant.moved}", "board--up")]
    return [(f"{look.glyphs.down}{-entrant.moved}", "board--down")]


def title(entrant: Entrant, look: BoardLook, width: int) -> Pieces:
    sign, ink = sign_of(entrant, look.glyphs)
    if sign == " " and is_new(entrant, look.begun):
        sign = look.glyphs.newborn
    lead = ("  " if entrant.twin_of is not None else "") + (f"{sign} " if look.signs else "")
    room = width - len(lead)
    return [(lead, ink), (fit(look.titles(entrant), room, look.glyphs.ellipsis), "")]


def rating(entrant: Entrant, look: BoardLook, width: int) -> Pieces:
    return [(rating_words(entrant), figure_ink(entrant, look))]


def fitted(entrant: Entrant, look: BoardLook, width: int) -> Pieces:
    return [(fitted_words(entrant), figure_ink(entrant, look))]


def fitted_words(entrant: Entrant) -> str:
    return "" if entrant.fitted is None or not entrant.matches else f"{entrant.fitted:.0f}"


def points(entrant: Entrant, look: BoardLook, width: int) -> Pieces:
    return [(points_words(entrant), figure_ink(entrant, look))]


def points_words(entrant: Entrant) -> str:
    score = entrant.score
    return f"{score:.0f}" if entrant.table.kind == "knockout" else f"{score:.1f}"


def share(entrant: Entrant, look: BoardLook, width: int) -> Pieces:
    return [(share_words(entrant), figure_ink(entrant, look))]


def share_words(entrant: Entrant) -> str:
    return "" if entrant.share is None else f"{entrant.share:.3f}"


def bar(entrant: Entrant, look: BoardLook, width: int) -> Pieces:
    at = entrant.fitted if entrant.fitted is not None and entrant.matches else None
    at = entrant.figure if at is None and not look.intervals else at
    if at is None:
        return [("", "")]
    bar = interval_bar(at, entrant.low, entrant.high, look.scale, width, look.glyphs)
    before, point, after = bar.partition(look.glyphs.point)
    ink = figure_ink(entrant, look) or "board--point"
    return [(before, "board--line"), (point, ink), (after, "board--line")]


def scale(look: BoardLook, width: int) -> str:
    low, high = f"{look.scale.low:.0f}", f"{look.scale.high:.0f}"
    if look.fitted:  # not the scale of the rating beside it
        low += " BT"
    return f"{low}{high:>{max(0, width - len(low))}}"


def bar_width(look: BoardLook) -> int:
    """Intervals, or where Elo ratings lie before there are any."""
    if not look.intervals and look.kind != "elo":
        return 0
    return BAR + 1 if look.fitted else BAR


def record(entrant: Entrant, look: BoardLook, width: int) -> Pieces:
    ink = figure_ink(entrant, look)
    return [
        (f"{entrant.wins:>{look.wins}}", ink),
        ("-", "board--muted"),
        (f"{entrant.draws:>{look.draws}}", ink),
        ("-", "board--muted"),
        (f"{entrant.losses:>{look.losses}}", ink),
    ]


def trend(entrant: Entrant, look: BoardLook, width: int) -> Pieces:
    values = entrant.history[-width:]
    if len(entrant.history) and len(entrant.history) < width:
        values = values[:0] + type(values)("d", [entrant.start]) + values
    least = (look.scale.high - look.scale.low) / 8
    return [(spark(values, width, look.glyphs.spark, least=least), "board--line")]


def p_best(entrant: Entrant, look: BoardLook, width: int) -> Pieces:
    return [(percent(entrant.p_best), figure_ink(entrant, look))]


def percent(share: float | None) -> str:
    if share is None:
        return ""
    return "<1%" if 0 < share <= 0.005 else f"{100 * share:.0f}%"


def state(entrant: Entrant, look: BoardLook, width: int) -> Pieces:
    return [state_of(entrant, look.glyphs)]


def flags(entrant: Entrant, look: BoardLook, width: int) -> Pieces:
    if not entrant.flags:
        return [("", "")]
    words = flag_words(entrant.flags) if width > look.flags else str(len(entrant.flags))
    return [(f"{look.glyphs.flag}{' ' * (width > look.flags)}{words}", "board--flag")]


def words(attribute: str) -> Callable[[Entrant, BoardLook, int], Pieces]:
    def draw(entrant: Entrant, look: BoardLook, width: int) -> Pieces:
        text = one_line(getattr(entrant, attribute) or "")
        return [(fit(text, width, look.glyphs.ellipsis), "board--muted")]

    return draw


def said(attribute: str) -> Callable[[Entrant, BoardLook], str]:
    return lambda entrant, look: one_line(getattr(entrant, attribute) or "")


def folded(attribute: str) -> Callable[[Entrant, BoardLook], str | None]:
    return lambda entrant, look: (getattr(entrant, attribute) or "").casefold() or None


def share_won(entrant: Entrant, look: BoardLook) -> float | None:
    """Wins and half the draws: what a record is worth; None before the first match."""
    return (entrant.wins + entrant.draws / 2) / entrant.matches if entrant.matches else None


def width_of_interval(entrant: Entrant, look: BoardLook) -> float | None:
    return None if entrant.low is None or entrant.high is None else entrant.high - entrant.low


def gained(entrant: Entrant, look: BoardLook) -> float | None:
    """What the matches of the sparkline brought."""
    if not entrant.history:
        return None
    before = entrant.history[-SPARK] if len(entrant.history) >= SPARK else entrant.start
    return entrant.rating - before
