"""The gauges of the status pane: a line for every limit, and one for what was spent without one. Pure."""

from __future__ import annotations

from rich.cells import cell_len

from arena_tui.amounts import duration, tokens, usd
from arena_tui.console.glyphs import Glyphs
from arena_tui.console.widgets.gauge import gauge
from arena_tui.console.widgets.plain import safe_line
from arena_tui.console.widgets.status_text import LABEL, Line, labelled
from arena_tui.engine.state import RunState
from arena_tui.values import counted

PAIR_FROM = 50  # cells from which two gauges have room on a line
MOST = 40  # cells of a gauge


def gauge_lines(state: RunState, glyphs: Glyphs, width: int, *, paired: bool) -> list[Line]:
    """A gauge for every limit; `paired` puts two on a line, where the reserve shows in the gauge alone."""
    paired = paired and width >= PAIR_FROM
    under_way = min(len({(group, seq) for group, seq, _ in state.in_flight}) + state.held, state.started)
    found: list[tuple[str, float, float, float, str]] = []
    if state.match_limit is not None:
        found.append(
            (
                "matches",
                state.started - under_way,
                under_way,
                state.match_limit,
                f"{state.started:,} of {state.match_limit:,}",
            )
        )
    elif (expected := _expected(state)) is not None:
        found.append(("matches", state.applied, 0, expected, f"{state.applied:,} of {expected:,}"))
    if state.usd_limit is not None:
        held = f" + {usd(state.usd_reserved)}" if state.usd_reserved and not paired else ""
        told = f"{usd(state.usd)}{held} of {usd(state.usd_limit)}"
        found.append(("USD", state.usd, state.usd_reserved, state.usd_limit, told))
    if state.token_limit is not None:
        held = f" + {tokens(state.tokens_reserved)}" if state.tokens_reserved and not paired else ""
        told = f"{tokens(state.tokens)}{held} of {tokens(state.token_limit)}"
        found.append(("tokens", state.tokens, state.tokens_reserved, state.token_limit, told))
    if state.wall_clock_limit is not None:
        told = f"{duration(state.elapsed)} of {duration(state.wall_clock_limit)}"
        found.append(("time", state.elapsed, 0, state.wall_clock_limit, told))
    lines: list[Line] = []
    if paired:
        half = (width - 2) // 2
        for at in range(0, len(found), 2):
            left, *right = (_gauge(glyphs, one, half, label=8) for one in found[at : at + 2])
            lines.append([*left, ("  ", ""), *right[0]] if right else left)
    else:
        figures = max((cell_len(told) for *_, told in found), default=0)
        lines = [_gauge(glyphs, one, width, figures=figures) for one in found]
    spent = _spent(state)
    if spent and state.phase != "ready":
        lines += labelled("so far", spent, "", width, 1)
    return lines


def _gauge(
    glyphs: Glyphs,
    one: tuple[str, float, float, float, str],
    width: int,
    *,
    label: int = LABEL,
    figures: int = 0,
) -> Line:
    what, spent, reserved, limit, told = one
    told = safe_line(told, width - label)
    room = min(width - label - 1 - max(figures, cell_len(told)), MOST)
    line: Line = [(what.ljust(label), "dim")]
    if room >= 4:
        line += [*gauge(room, spent, reserved, limit, glyphs), (" ", "")]
    line.append((told, ""))
    used = sum(cell_len(text) for text, _ in line)
    return [*line, (" " * max(0, width - used), "")] if figures == 0 else line


def _expected(state: RunState) -> int | None:
    """Matches of the whole schedule; None when a group has none."""
    expected = [group.expected for group in state.groups.values()]
    if not expected or None in expected:
        return None
    return sum(each or 0 for each in expected) or None


def _spent(state: RunState) -> str:
    """What was spent of everything that has no gauge."""
    parts = []
    if state.match_limit is None and _expected(state) is None:
        parts.append(counted(state.applied, "match", "matches"))
    if state.usd_limit is None and state.usd:
        parts.append(f"{usd(state.usd)} USD")
    if state.token_limit is None and state.tokens:
        parts.append(f"{tokens(state.tokens)} tokens")
    if state.wall_clock_limit is None and state.elapsed:
        parts.append(duration(state.elapsed))
    return ", ".join(parts)
