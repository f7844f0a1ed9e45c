"""The lines of the status pane, as pieces of text with roles: pure, so that what fits is easily tried.

`status_lines` writes them as loosely as the room allows: each tightness gives up some air, none gives up
a fact that asks for action.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any

from rich.cells import cell_len

from arena_tui.amounts import duration, rate
from arena_tui.console.glyphs import Glyphs
from arena_tui.console.ledger import GroupBoard
from arena_tui.console.pace import Pace, left_words
from arena_tui.console.ports import ProviderView
from arena_tui.console.status_words import (
    distance_words,
    groups_words,
    how_far,
    next_words,
    phase_sign,
    phase_words,
    reason_words,
    stage_words,
)
from arena_tui.console.sure_words import certainty, sure_words
from arena_tui.console.sure_words import how_far as sureness_far
from arena_tui.console.widgets.gauge import Piece
from arena_tui.console.widgets.plain import safe_line
from arena_tui.console.widgets.status_gauges import gauge_lines
from arena_tui.console.widgets.status_text import LABEL, Line, fold, labelled
from arena_tui.engine.state import GroupState, RunState
from arena_tui.values import counted

NAME = 20  # cells of a candidate's, a group's or a provider's name
QUIET = 60.0  # seconds without a match after which that is said
TIGHTEST = 3
_HELD = {
    "BUDGET": "the final table counts them",
    "CONFIDENT": "they came after the end",
    "COMPLETED": "they came after the end",
}
"""stop reason -> what becomes of verdicts that wait for earlier ones; after others they count on resume."""


@dataclass(frozen=True, slots=True)
class Seen:
    """What the lines tell of. `named` gives a candidate's name on one safe line, `plays` says whether it may
    still be paired, `board` gives what has been played in a group, `now` is the clock of `pace`, `health` the
    judge's in one line, `keys` those that resume and change limits, `kind` is that of the
    format."""

    state: RunState
    pace: Pace
    now: float
    glyphs: Glyphs
    named: Callable[[str, str], str]
    plays: Callable[[str, str], bool]
    board: Callable[[str], GroupBoard | None]
    group: str | None = None
    providers: Sequence[ProviderView] = ()
    health: str = ""
    keys: tuple[str, str] = ("R", "L")
    kind: str = "elo"


def status_lines(seen: Seen, width: int, height: int) -> list[Line]:
    """The lines, at most `width` cells each; at most `height` of them where that can be done."""
    for tightness in range(TIGHTEST + 1):
        lines = _lines(seen, width, tightness)
        if len(lines) <= height or tightness == TIGHTEST:
            break
    return lines


def _lines(seen: Seen, width: int, tightness: int) -> list[Line]:
    state = seen.state
    lines = _badge(seen, width, tightness)
    if state.trouble:
        lines += labelled("trouble", safe_line(state.trouble), "bad", width, 2 if tightness < 2 else 1)
    if state.phase == "stopped":
        lines += _ending(seen, width, tightness)
    lines += gauge_lines(state, seen.glyphs, width, paired=tightness == TIGHTEST)
    if state.phase != "stopped":
        lines += _stage(seen, width, 2 if tightness == 0 else 1)
        lines += _to_stop(seen, width, 3 if tightness == 0 else 2 if tightness == 1 else 1)
    lines += _pace(seen, width)
    lines += _providers(seen, width, joined=tightness >= 1)
    if seen.health:
        lines += labelled("judge", safe_line(seen.health), "", width, 2 if tightness == 0 else 1)
    return lines


def _badge(seen: Seen, width: int, tightness: int) -> list[Line]:
    state = seen.state
    word, beside, role = phase_words(state)
    if state.phase == "running":
        of = f" of {state.concurrency}" if state.concurrency else ""
        beside = f"{len(state.in_flight)}{of} in flight"
        if state.held:
            beside += f", {state.held} held"
    head: Line = [(f"{phase_sign(state, seen.glyphs)} {word}", role)]
    used = cell_len(head[0][0]) + 2
    if not beside:
        return [head]
    if used + cell_len(beside) <= width or tightness >= 2:
        return [[*head, ("  ", ""), (safe_line(beside, width - used), "dim")]]
    lines = [head]
    for part in fold(beside, width - 2, 2):
        lines.append([(f"  {part}", "dim")])
    return lines


def _ending(seen: Seen, width: int, tightness: int) -> list[Line]:
    """Why it stopped, in words, and what can be done."""
    state = seen.state
    detail = safe_line(state.stop_detail)
    if state.stop_reason in ("BUDGET", "WALL_CLOCK") and detail:
        which = f"{state.stop_reason}: {detail}"
        lines: list[Line] = [[(part, "bold")] for part in fold(which, width, 3 if tightness == 0 else 2)]
    else:
        lines = [[(part, "bold")] for part in fold(reason_words(state.stop_reason), width, 2)]
        lines += [[(part, "")] for part in fold(detail, width, 3 if tightness == 0 else 2)] if detail else []
    if state.held:
        told = _HELD.get(state.stop_reason or "", "they count when it goes on")
        held = f"{counted(state.held, 'held verdict')} not on the board: {told}"
        lines += [[(part, "dim")] for part in fold(held, width, 2)]
    if len(state.groups) > 1:
        lines += labelled("groups", groups_words(state.groups.values()), "", width, 1)
    lines.append([(safe_line(next_words(state.stop_reason, *seen.keys, seen.kind), width), "live")])
    return lines


# --- what is still to come -------------------------------------------------------------------------


def _groups(seen: Seen) -> list[GroupState]:
    """The groups on show."""
    return [group for group in seen.state.groups.values() if seen.group in (None, group.id)]


def _stage(seen: Seen, width: int, most: int) -> list[Line]:
    """The round or phase, with the matches where no gauge tells of them."""
    groups = _groups(seen)
    gauged = seen.state.match_limit is None and len(groups) == len(seen.state.groups)
    return labelled("stage", safe_line(stage_words(groups, matches=not gauged)), "", width, most)


def _to_stop(seen: Seen, width: int, most: int) -> list[Line]:
    """How far it is from its stop rule; with several groups the one furthest away."""
    groups = _groups(seen)
    if not groups:
        return []
    if len(groups) == 1:
        only = groups[0]
        if only.stop_reason is not None:
            told = safe_line(only.stop_detail) or reason_words(only.stop_reason)
            return labelled("ended", f"{only.stop_reason}: {told}", "", width, most)
        return labelled("to stop", _distance(seen, only), "", width, most)
    lines = labelled("groups", groups_words(groups), "", width, 1)
    open_ = [group for group in groups if group.stop_reason is None]
    far = [(how_far(group.distance), group) for group in open_ if group.distance]
    unsure = [
        (sureness_far(sure.furthest), group)
        for group in open_
        if (sure := certainty(group, seen.board(group.id))) is not None
    ]
    if far or unsure:
        furthest = max(far, key=_first)[1] if far else max(unsure, key=_first)[1]
        told = f"{safe_line(furthest.id, NAME)}: {_distance(seen, furthest)}"
        lines += labelled("furthest", told, "", width, most)
    return lines


def _first(each: tuple[Any, GroupState]) -> Any:
    return each[0]


def _distance(seen: Seen, group: GroupState) -> str:
    board = seen.board(group.id)
    sure = certainty(group, board)
    if sure is not None:

        def named(index: int) -> str:
            rivals = () if board is None else board.rivals
            return seen.named(group.id, rivals[index].id) if index < len(rivals) else "?"

        return "; ".join(sure_words(sure.furthest, named, counted=sure.counted))
    if group.distance is None:
        return ""
    distance = group.distance
    still = replace(
        distance,
        changed=tuple(id_ for id_ in distance.changed if seen.plays(group.id, id_)),
        moving=tuple(each for each in distance.moving if seen.plays(group.id, each[0])),
    )
    return "; ".join(distance_words(still, lambda id_: seen.named(group.id, id_)))


def _pace(seen: Seen, width: int) -> list[Line]:
    """How fast it goes and what is left, with what went wrong; only the latter while it does not go."""
    state = seen.state
    parts: list[Piece] = []
    if state.phase == "running":
        measured = seen.pace.rate
        if measured:
            parts.append((rate(measured), "bold"))
        silence = seen.pace.silence(seen.now)
        if silence >= QUIET:
            parts.append((f"no match for {duration(silence)}", "warn"))
        parts.append((left_words(state, seen.pace), ""))
    label = "pace" if parts else "errors"
    if state.errors:
        parts.append((counted(state.errors, "failed call"), "warn"))
    if state.void:
        parts.append((f"{state.void:,} void", "warn"))
    line: Line = [(label.ljust(LABEL), "dim")]
    room = width - LABEL
    for text, role in parts:
        comma = ", " if len(line) > 1 else ""
        told = next(
            (told for told in (text, text.removeprefix("at most ")) if cell_len(comma + told) <= room), ""
        )
        if told:
            line.append((comma + told, role))
            room -= cell_len(comma + told)
    return [line] if len(line) > 1 else []


# --- providers and the judge ------------------------------------------------------------------------


def _providers(seen: Seen, width: int, *, joined: bool) -> list[Line]:
    told = [_provider(one) for one in seen.providers]
    if joined and len(told) > 1:
        waits = any(one.waits for one in seen.providers)
        first = sorted(seen.providers, key=lambda one: not one.waits)
        words = "; ".join(f"{safe_line(one.name, NAME)} {_provider(one)}" for one in first)
        return labelled("calls", words, "warn" if waits else "", width, 1)
    lines: list[Line] = []
    for one, words in zip(seen.providers, told, strict=True):
        name = safe_line(one.name, NAME)
        lines += labelled(name, words, "warn" if one.waits else "", width, 1)
    return lines


def _provider(one: ProviderView) -> str:
    told = f"{one.in_flight} of {one.limit}"
    if one.waiting:
        told += f", {one.waiting} queued"
    if one.waits:
        told += f", waits: {safe_line(one.waits)}"
    elif one.sent:
        told += f", {one.sent:,} sent" + (f", {one.from_cache:,} from the cache" if one.from_cache else "")
    return told
