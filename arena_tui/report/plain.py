"""The display without a console: a line per applied match and progress on stderr, then how it ended.

Driven by events (each told after its commit) and by a timer that pulls `RunState`. Whatever comes from
candidates, judges or files passes `safetext`.
"""

from __future__ import annotations

import asyncio
import json
import os
import sys
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path
from typing import Any, TextIO

from arena_tui.engine.events import (
    Event,
    GateMoved,
    GroupClosed,
    Intervened,
    MatchFinished,
    RatingsChanged,
    RunStarted,
    StorageTroubled,
)
from arena_tui.engine.state import RunState
from arena_tui.errors import UsageError
from arena_tui.report.result import Result
from arena_tui.safetext import clean, one_line

NAME_CELLS = 34
PROGRESS_TTY = 0.25  # seconds between looks at the state
PROGRESS_PIPE = 10.0  # seconds between progress lines where no terminal rewrites them
RATE_WINDOW = 30.0  # seconds over which the rate is measured

OVERVIEWS = 5  # groups whose closest races are told
Names = Callable[[str, str], str]


class PlainDisplay:
    """Lines on `stream`; with `quiet` only what asks for attention (trouble, how it ended)."""

    def __init__(self, stream: TextIO, *, quiet: bool) -> None:
        self._stream = stream
        self._quiet = quiet
        self._tty = stream.isatty()
        self._state: RunState | None = None
        self._names: Names = lambda _group, id_: id_
        self._many = False
        self._shown_names: dict[tuple[str, str], str] = {}
        self._match: MatchFinished | None = None
        self._ticker: asyncio.Task[None] | None = None
        self._shown = ""  # the progress line on the terminal
        self._marks: list[tuple[float, int]] = []
        self._broken = False

    def attach(self, state: RunState, names: Names) -> None:
        """Start following a run; call it on the event loop, before the run starts."""
        self._state = state
        self._names = names
        self._many = len(state.groups) > 1
        if not self._quiet:
            self._ticker = asyncio.get_running_loop().create_task(self._follow())

    def close(self) -> None:
        """Stop following."""
        if self._ticker is not None:
            self._ticker.cancel()
            self._ticker = None
        self._wipe()

    def notes(self, notes: Sequence[str]) -> None:
        """What the user should know before the run starts."""
        if not self._quiet:
            for note in notes:
                self._line(f"note: {note}")

    def event(self, event: Event) -> None:
        """Tell one event."""
        match event:
            case StorageTroubled(detail=detail, unsaved=unsaved):
                self._line(
                    f"storage: {detail} ({unsaved} unsaved)" if detail else "storage: all is saved again"
                )
            case _ if self._quiet:
                return
            case RunStarted():
                self._started(event)
            case MatchFinished(winner="void"):
                self._void(event)
            case MatchFinished():
                self._match = event  # told with the ratings that follow
            case RatingsChanged():
                self._decided(event)
            case GateMoved(phase=phase, in_flight=in_flight, detail=detail):
                self._line(_GATE[phase].format(n=in_flight, detail=detail))
            case Intervened():
                who = (
                    ""
                    if event.candidate is None or event.group is None
                    else (f" {self._name(event.group, event.candidate)}")
                )
                self._line(f"action: {event.action}{who}, after {event.after_applied} matches")
            case GroupClosed(group=group, stop_reason=reason, stop_detail=detail) if self._many:
                self._line(f"group {group}: {reason}, {detail}")

    def ended(self, result: Result) -> None:
        """Say how the run ended and how to go on."""
        for line in ending_lines(result):
            self._line(line)

    # --- lines --------------------------------------------------------------------------------

    def _started(self, event: RunStarted) -> None:
        state = self._state
        judge = "" if state is None else f", judge: {state.judge}"
        verb = f"goes on after {event.applied} matches" if event.resumed else "starts"
        self._line(f"run {event.run} {verb}; seed {event.seed}{judge}")

    def _void(self, event: MatchFinished) -> None:
        a, b = self._name(event.group, event.hyp_a), self._name(event.group, event.hyp_b)
        self._line(f"{self._number(event)} {a} - {b}: void ({event.reason or 'no usable verdict'})")

    def _decided(self, event: RatingsChanged) -> None:
        match = self._match
        if match is None or (match.group, match.seq) != (event.group, event.seq):
            return
        self._match = None
        a, b = self._name(event.group, event.hyp_a), self._name(event.group, event.hyp_b)
        new_a = f"{event.a_after:.1f} ({event.a_after - event.a_before:+.1f})"
        new_b = f"{event.b_after:.1f} ({event.b_after - event.b_before:+.1f})"
        match match.winner:
            case "a":
                told = f"{a} beats {b}  {new_a}, {new_b}"
            case "b":
                told = f"{b} beats {a}  {new_b}, {new_a}"
            case _:
                told = f"{a} draws with {b}  {new_a}, {new_b}"
        self._line(f"{self._number(match)} {told}  {match.mode}")

    def _number(self, event: MatchFinished) -> str:
        number = f"{event.applied_no:>4}"
        return f"{one_line(event.group, 20)} {number}" if self._many else number

    def _name(self, group: str, id_: str) -> str:
        known = self._shown_names.get((group, id_))
        if known is None:
            known = self._shown_names[group, id_] = one_line(self._names(group, id_), NAME_CELLS)
        return known

    def _line(self, text: str) -> None:
        self._wipe()
        self._write(clean(text).replace("\n", " ") + "\n")

    def _wipe(self) -> None:
        if self._shown:
            self._write("\r" + " " * len(self._shown) + "\r")
            self._shown = ""

    def _write(self, text: str) -> None:
        if self._broken:
            return
        try:
            self._stream.write(text)
            self._stream.flush()
        except (BrokenPipeError, ValueError, OSError):
            self._broken = True  # nobody reads any more; the run goes on

    # --- progress -----------------------------------------------------------------------------

    async def _follow(self) -> None:
        seen = -1
        while True:
            await asyncio.sleep(PROGRESS_TTY if self._tty else PROGRESS_PIPE)
            state = self._state
            if state is None or state.revision == seen or state.phase == "stopped":
                continue
            seen = state.revision
            line = self._progress(state)
            if self._tty:
                self._wipe()
                line = one_line(line, max(20, _columns() - 1))
                self._shown = line
                self._write(line)
            else:
                self._line(line)

    def _progress(self, state: RunState) -> str:
        rate = self._rate(state)
        parts = [f"{state.applied} matches", f"{len(state.in_flight)} in flight"]
        if state.held:
            parts.append(f"{state.held} held")
        if rate:
            parts.append(f"{rate:.1f}/s" if rate >= 1 else f"{rate * 60:.1f}/min")
        parts.append(_eta(state, rate))
        if state.usd or state.usd_limit is not None:
            parts.append(f"{state.usd:.4g} USD" + (f" of {state.usd_limit:.4g}" if state.usd_limit else ""))
        if state.phase != "running":
            parts.insert(0, state.phase.upper())
        return "  " + ", ".join(part for part in parts if part)

    def _rate(self, state: RunState) -> float:
        """Applied matches per second over the last half minute."""
        now = time.monotonic()
        self._marks.append((now, state.applied))
        while len(self._marks) > 2 and now - self._marks[0][0] > RATE_WINDOW:
            self._marks.pop(0)
        (then, before), (last, after) = self._marks[0], self._marks[-1]
        return (after - before) / (last - then) if last > then else 0.0


_GATE: Mapping[str, str] = {
    "paused": "paused: nothing new starts, {n} calls finish",
    "resumed": "going on",
    "quiesced": "paused: nothing is in flight",
    "draining": "stopping ({detail}): nothing new starts, {n} calls finish; once more cancels them",
    "cancelling": "stopping: {n} calls are cancelled",
}


def _eta(state: RunState, rate: float) -> str:
    """When the run will end at the latest, where a limit says so."""
    left = []
    if state.match_limit is not None and rate:
        left.append((state.match_limit - state.started) / rate)
    if state.wall_clock_limit is not None:
        left.append(state.wall_clock_limit - state.elapsed)
    return f"at most {duration(max(0.0, min(left)))} left" if left else "until its stop rule fires"


def duration(seconds: float) -> str:
    """A length of time in the unit a person would choose."""
    if seconds < 100:
        return f"{seconds:.0f} s"
    return f"{seconds / 60:.0f} min" if seconds < 6000 else f"{seconds / 3600:.1f} h"


def _columns() -> int:
    try:
        return os.get_terminal_size(sys.stderr.fileno()).columns
    except OSError:
        return 80


def ending_lines(result: Result) -> list[str]:
    """How the run ended, what it took, and how to go on, in a few lines."""
    m = result.matches
    total = m["a"] + m["b"] + m["draw"] + m["void"]
    counted = f"{total} matches" + (f", {m['void']} of them void" if m["void"] else "")
    if m["held"]:
        counted += f", {m['held']} held for later"
    lines = []
    if result.stop_reason:
        lines.append(f"{result.stop_reason}: {result.stop_detail}")
    else:
        lines.append("not ended yet")
    lines.append(f"{counted}; {result.comparisons} comparisons; seed {result.seed}; run {result.run}")
    for group in result.groups["skipped"]:
        lines.append(f"group {group['group']} was skipped: {group['reason']}")
    lines += _overview(result.details)
    if result.stop_reason in ("BUDGET", "WALL_CLOCK", "EXTERNAL"):
        how = {"BUDGET": " --add-matches N (or --add-usd, --add-tokens)", "WALL_CLOCK": " --add-time T"}
        lines.append(f"go on with: arena resume {result.run}{how.get(result.stop_reason, '')}")
    return [clean(line) for line in lines]


def _overview(details: Mapping[str, Any]) -> list[str]:
    """The closest races and who has hardly played, for one group or the first few."""
    groups = {"": details} if "closest_races" in details else details
    lines = []
    for name, overview in list(groups.items())[:OVERVIEWS]:
        prefix = f"{name}: " if name else ""
        for race in overview["closest_races"]:
            lines.append(f"{prefix}close: {race['ahead']} is {race['gap']:.1f} ahead of {race['behind']}")
        hardly = overview["hardly_played"]
        if hardly:
            more = f" and {len(hardly) - 8} more" if len(hardly) > 8 else ""
            lines.append(f"{prefix}hardly played: {', '.join(hardly[:8])}{more}")
    return lines


@contextmanager
def event_lines(target: str) -> Iterator[Callable[[Event], None]]:
    """A listener that writes every event as one line of JSON, `pos` first, flushed at once.

    `target` is a file that is appended to, or "-" for stdout. UsageError when it cannot be opened.
    """
    with ExitStack() as stack:
        stream: TextIO = sys.stdout
        if target != "-":
            try:
                stream = Path(target).open("a", encoding="utf-8")  # noqa: SIM115 - `_close` is on the stack
            except OSError as error:
                told = f"--events {target}: {error.strerror}; name a file that can be written"
                raise UsageError(told) from None
            stack.callback(_close, stream)
        yield _EventWriter(stream).event


def _close(stream: TextIO) -> None:
    with suppress(OSError):  # what it did not take has been told
        stream.close()


class _EventWriter:
    """Writes events until nobody takes them any more; the run itself goes on then."""

    def __init__(self, stream: TextIO) -> None:
        self._stream = stream
        self._broken = False

    def event(self, event: Event) -> None:
        if self._broken:
            return
        try:
            self._stream.write(json.dumps(event.to_dict(), ensure_ascii=True) + "\n")
            self._stream.flush()
        except OSError as error:
            self._broken = True
            if not isinstance(error, BrokenPipeError):
                sys.stderr.write(f"events are no longer written: {error.strerror}\n")
