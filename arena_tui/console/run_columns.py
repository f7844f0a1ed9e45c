"""The columns of the list of runs: what each shows of a run. Pure."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from rich.cells import cell_len

from arena_tui.amounts import age, usd
from arena_tui.console.columns import Column, Pieces, fit
from arena_tui.console.glyphs import Glyphs
from arena_tui.console.ports import RunCard
from arena_tui.console.status_words import run_words
from arena_tui.console.widgets.gauge import gauge
from arena_tui.console.widgets.plain import safe_line

INKS = {
    "good": "runs--good",
    "warn": "runs--warn",
    "bad": "runs--bad",
    "live": "runs--live",
    "dim": "runs--dim",
}
"""role -> component class of the list."""
BAR = 5  # cells of a progress bar, ...
WIDE_BAR = 20  # ... and where there is room
SHARE = 5  # cells of the share behind it


@dataclass(frozen=True, slots=True)
class Look:
    """The list as a whole: the widest cells, the clock (seconds since the epoch), the marked run."""

    glyphs: Glyphs
    now: float
    leaders: int
    matches: int
    formats: int
    reasons: int
    costs: bool
    marked: str | None = None
    apart: Mapping[str, str] = field(default_factory=dict)  # run -> what tells it from others of its name


def look_of(cards: Sequence[RunCard], glyphs: Glyphs, now: float, marked: str | None) -> Look:
    """Measure the runs that are shown."""
    return Look(
        glyphs,
        now,
        leaders=max((min(40, cell_len(safe_line(card.leader, 40))) for card in cards), default=0),
        matches=max((len(f"{card.matches:,}") for card in cards), default=0),
        formats=max((min(14, cell_len(safe_line(card.format, 14))) for card in cards), default=0),
        reasons=max((len(card.stop_reason or "") for card in cards), default=0),
        costs=any(card.usd != 0 for card in cards),
        marked=marked,
        apart=told_apart(cards),
    )


def told_apart(cards: Sequence[RunCard]) -> dict[str, str]:
    """What tells runs of one name apart, by run id: the end of the id, as many of its parts as it takes."""
    same: dict[str, list[str]] = {}
    for card in cards:
        same.setdefault(name_of(card), []).append(card.run)
    apart: dict[str, str] = {}
    for runs in same.values():
        for run in runs if len(set(runs)) > 1 else ():
            parts = run.split("-")
            ends = ("-".join(parts[-count:]) for count in range(1, len(parts) + 1))
            apart[run] = next(
                (end for end in ends if not any(other != run and other.endswith(end) for other in runs)), run
            )
    return apart


def name_of(card: RunCard) -> str:
    """What a run is called: its name, else its id."""
    return safe_line(card.name, 60) or safe_line(card.run, 60)


def _name(card: RunCard, look: Look, width: int) -> Pieces:
    mark = look.glyphs.pinned if card.run == look.marked else " "
    end = safe_line(look.apart.get(card.run, ""), 20)
    behind = f" {end}" if end and cell_len(end) + 8 <= width else ""
    name = fit(name_of(card), width - 2 - cell_len(behind), look.glyphs.ellipsis)
    return [(f"{mark} ", "runs--live"), (name, ""), (behind, "runs--dim")]


def _status(card: RunCard, look: Look, width: int) -> Pieces:
    sign, word, role = run_words(card.status, look.glyphs)
    return [(f"{sign} {safe_line(word, 20)}", INKS.get(role, ""))]


def _progress(card: RunCard, look: Look, width: int) -> Pieces:
    if card.share is None:
        return [("" if card.status == "damaged" else "open", "runs--dim")]
    share = min(1.0, max(0.0, card.share))
    bar: list[tuple[str, str]] = [
        (text, "runs--dim" if role == "empty" else "runs--bar")
        for text, role in gauge(width - SHARE, share, 0, 1, look.glyphs)
    ]
    return [*bar, (f"{share:>5.0%}", "")]


def _cost(card: RunCard) -> str:
    return "?" if card.usd is None else usd(card.usd) if card.usd else ""


COLUMNS: tuple[Column[RunCard, Look], ...] = (
    Column(
        "age",
        lambda look, width: "made",
        lambda look: 10,
        lambda card, look, width: [(age(card.created_at, look.now), "runs--dim")],
        right=True,
    ),
    Column(
        "name",
        lambda look, width: "  run",
        lambda look: 12,
        _name,
        key=lambda card, look: name_of(card).casefold(),
        flexible=True,
    ),
    Column(
        "status",
        lambda look, width: "status",
        lambda look: 13,
        _status,
        key=lambda card, look: card.status,
    ),
    Column(
        "progress",
        lambda look, width: "progress",
        lambda look: BAR + SHARE,
        _progress,
        wide=lambda look: WIDE_BAR + SHARE,
        key=lambda card, look: card.share,
        descending=True,
    ),
    Column(
        "leader",
        lambda look, width: "leader",
        lambda look: max(7, min(9, look.leaders)) if look.leaders else 0,
        lambda card, look, width: [(fit(safe_line(card.leader, 60), width, look.glyphs.ellipsis), "")],
        key=lambda card, look: card.leader.casefold() or None,
        wide=lambda look: look.leaders,
    ),
    Column(
        "matches",
        lambda look, width: "matches",
        lambda look: max(7, look.matches),
        lambda card, look, width: [(f"{card.matches:,}", "")],
        key=lambda card, look: card.matches,
        right=True,
        descending=True,
    ),
    Column(
        "cost",
        lambda look, width: "USD",
        lambda look: 7 if look.costs else 0,
        lambda card, look, width: [(_cost(card), "")],
        key=lambda card, look: card.usd,
        right=True,
        descending=True,
    ),
    Column(
        "format",
        lambda look, width: "format",
        lambda look: max(7, look.formats) if look.formats else 0,
        lambda card, look, width: [(safe_line(card.format, 14), "runs--dim")],
        key=lambda card, look: card.format,
    ),
    Column(
        "reason",
        lambda look, width: "stopped by",
        lambda look: max(10, look.reasons) if look.reasons else 0,
        lambda card, look, width: [(safe_line(card.stop_reason or ""), "runs--dim")],
        key=lambda card, look: card.stop_reason,
    ),
)
"""From left to right; the list's own order, newest first, is that of `age`."""

IMPORTANCE = ("name", "status", "age", "progress", "matches", "leader", "cost", "reason", "format")
"""What finds room first."""
