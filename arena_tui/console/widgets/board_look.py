"""What the leaderboard's columns know of a board as a whole, and the signs and words of an entrant."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from functools import lru_cache
from operator import attrgetter
from typing import Any

from rich.cells import cell_len

from arena_tui.console.format_scores import SCORE_HEADINGS
from arena_tui.console.glyphs import Glyphs
from arena_tui.console.interval_bar import Scale, round_scale
from arena_tui.console.ledger import Entrant
from arena_tui.console.widgets.plain import safe_line

TEXT_CELLS = 300  # of a name or a title that are kept: no terminal shows more beside the other columns
WORD = 14  # cells that a class, a system or a group gets at most

STATE_WORDS = {
    "draft": "draft",
    "reviewed": "reviewed",
    "pinned": "pinned",
    "rejected": "rejected",
    "quarantined": "quarantine",
    "retired": "retired",
}
"""What is said of a candidate; one that simply plays needs no word."""

LETTERS = {"draft": "d", "reviewed": "w", "quarantined": "q", "retired": "t"}
"""The sign of a state that has no glyph, where there is no room for its word."""


@dataclass(frozen=True, slots=True)
class BoardLook:
    """What the columns need to know of the shown entrants as a whole.

    `kind` is that of the format. Widths are in cells, 0 for a column with nothing to show. `titles` gives an
    entrant's title on one clean line. `signs`: some have a sign before their title; `intervals`: some have an
    interval; `begun` are the groups in which matches have been played.
    """

    kind: str
    glyphs: Glyphs
    titles: Callable[[Entrant], str]
    scale: Scale
    rank: int
    range: int
    moved: int
    wins: int
    draws: int
    losses: int
    matches: int
    p_best: int
    rating: int
    fitted: int
    points: int
    share: int
    state: int
    flags: int
    flag_words: int
    class_: int
    system: int
    group: int
    signs: bool
    intervals: bool
    begun: frozenset[str]


def measure(
    entrants: Sequence[Entrant],
    glyphs: Glyphs,
    titles: Callable[[Entrant], str],
    *,
    groups: bool,
    begun: frozenset[str],
    kind: str = "elo",
) -> BoardLook:
    """The look of a board of these entrants; `groups`: it spans several; see `BoardLook` for `begun`."""

    def values(attribute: str) -> Iterable[Any]:  # by map: this is done for 10,000 at a time
        return map(attrgetter(attribute), entrants)

    def digits(attribute: str) -> int:
        return len(str(max(values(attribute), default=0)))

    ratings = [figure for figure in values("figure") if figure is not None] or [0.0]
    fits = [figure for figure in values("fitted") if figure is not None]
    lows = [low for low in values("low") if low is not None]
    highs = [high for high in values("high") if high is not None]
    ranks = [rank for rank in values("rank_high") if rank is not None]
    flags = set(values("flags"))
    kinds = {(each.state, each.twin_of is not None): each for each in entrants}
    played = list(values("matches"))
    counted = SCORE_HEADINGS.get(kind, "")
    moves = max(max(values("moved"), default=0), -min(values("moved"), default=0))
    return BoardLook(
        kind=kind,
        glyphs=glyphs,
        titles=titles,
        scale=round_scale(min([*(fits or ratings), *lows]), max([*(fits or ratings), *highs])),
        rank=max(2, digits("rank")),
        range=max(6, 2 * len(str(max(ranks))) + 1) if ranks else 0,
        moved=max(4, 1 + len(str(moves))) if moves else 0,
        wins=digits("wins"),
        draws=digits("draws"),
        losses=digits("losses"),
        matches=max(3, len(str(max(played, default=0)))),
        p_best=5 if any(share is not None for share in values("p_best")) else 0,
        rating=max(7, len(f"{max(ratings):.0f}"), len(f"{min(ratings):.0f}")),
        fitted=5 if fits and kind == "elo" else 0,
        points=max(len(counted), len(f"{max(values('rating'), default=0.0):.1f}")) if counted else 0,
        share=5 if kind == "pivot" else 0,
        state=_widest({state_of(each, glyphs)[0] for each in kinds.values()}, 12),
        flags=6 if any(flags) else 0,
        flag_words=_widest((flag_words(each) for each in flags), 40),
        class_=_widest(set(values("class_")), WORD),
        system=_widest({each.system for each in entrants if each.system != each.id}, WORD),
        group=_widest(set(values("group")), WORD) if groups else 0,
        signs=any(sign_of(each, glyphs)[0] != " " for each in kinds.values())
        or (0 in played and any(is_new(each, begun) for each in entrants)),
        intervals=bool(lows and highs),
        begun=begun,
    )


def _widest(texts: Iterable[str | None], at_most: int) -> int:
    """Cells for the widest of some texts and for a heading; 0 when all are empty."""
    widest = max((cell_len(one_line(text)) for text in texts if text), default=0)
    return min(at_most, max(7, widest)) if widest else 0


@lru_cache(4096)
def one_line(text: str) -> str:
    """A name from outside on one clean line; the same few names come again and again."""
    return safe_line(text, TEXT_CELLS)


def flag_words(flags: Sequence[str]) -> str:
    return ", ".join(one_line(flag).replace("_", " ") for flag in flags)


def is_new(entrant: Entrant, begun: frozenset[str]) -> bool:
    """True for one without a match among others that have played: its figures say nothing of it yet."""
    return entrant.group in begun and entrant.plays and not entrant.matches


def sign_of(entrant: Entrant, glyphs: Glyphs) -> tuple[str, str]:
    """The sign of what an entrant is besides a player, and its ink; (" ", "") for a mere player."""
    if entrant.state == "pinned":
        return glyphs.pinned, "board--pinned"
    if entrant.state == "rejected":
        return glyphs.rejected, "board--rejected"
    if entrant.twin_of is not None:
        return glyphs.twin, "board--muted"
    return LETTERS.get(entrant.state, " "), "board--muted"


def state_of(entrant: Entrant, glyphs: Glyphs) -> tuple[str, str]:
    """The state in a sign and a word, and its ink."""
    if entrant.twin_of is not None and entrant.state not in ("pinned", "rejected"):
        return f"{glyphs.twin} twin", "board--muted"
    sign, ink = sign_of(entrant, glyphs)
    words = STATE_WORDS.get(entrant.state, "")
    return words if entrant.state in LETTERS else f"{sign} {words}".strip(), ink
