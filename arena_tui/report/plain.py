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
from typing import TextIO

from arena_tui.amounts import duration, usd
from arena_tui.amounts import rate as per_time
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
from arena_tui.report.endings import ending_lines
from arena_tui.report.event_file import refuse_other_file
from arena_tui.report.progress_words import distance_words, progress_words
from arena_tui.report.result import Result
from arena_tui.safetext import clean, one_line
from arena_tui.values import counted

NAME_CELLS = 34
PROGRESS_TTY = 0.25  # seconds between looks at the state
PROGRESS_PIPE = 10.0  # seconds between progress lines where no terminal rewrites them
RATE_WINDOW = 30.0  # seconds over which the rate is measured

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
        self._person = False
        self._shown_names: dict[tuple[str, str], str] = {}
        self._match: MatchFinished | None = None
        self._ticker: asyncio.Task[None] | None = None
        self._shown = ""  # the progress line on the terminal
        self._marks: list[tuple[float, int]] = []
        self._broken = False

    def attach(self, state: RunState, names: Names, *, person: bool = False) -> None:
        """Start following a run; call it on the event loop, before the run starts.

        With `person` somebody judges at this terminal.
        """
        self._state = state
        self._names = names
        self._many = len(state.groups) > 1
        self._person = person
        if not self._quiet and not person:
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
            case GateMoved(phase="paused", detail=detail) if detail and self._state is not None:
                self._line(f"paused: {detail}; `arena act {self._state.run} resume` goes on")
            case _ if self._quiet:
                return
            case RunStarted():
                self._started(event)
            case MatchFinished() | RatingsChanged() if self._person:
                return
            case MatchFinished(winner="void"):
                self._void(event)
            case MatchFinished():
                self._match = event  # told with the ratings that follow
            case RatingsChanged():
                self._decided(event)
            case GateMoved(phase=phase, in_flight=in_flight, detail=detail):
                calls = counted(in_flight, "call")
                finish = f"{calls} finish" if in_flight != 1 else f"{calls} finishes"
                self._line(_GATE[phase].format(calls=calls, finish=finish, detail=detail))
            case Intervened():
                after = counted(event.after_applied, "match", "matches")
                self._line(f"action: {self._action(event)}, after {after}")
            case GroupClosed(group=group, stop_reason=reason, stop_detail=detail) if self._many:
                self._line(f"group {group}: {reason}, {detail}")

    def ended(self, result: Result, *, finished: bool) -> None:
        """Say how the run ended and, unless it is `finished`, how to go on."""
        for line in ending_lines(result, "finished" if finished else "stopped"):
            self._line(line)

    # --- lines --------------------------------------------------------------------------------

    def _started(self, event: RunStarted) -> None:
        state = self._state
        judge = "" if state is None else f", judge: {state.judge}"
        applied = counted(event.applied, "match", "matches")
        verb = f"goes on after {applied}" if event.resumed else "starts"
        self._line(f"run {event.run} {verb}; seed {event.seed}{judge}")
        for note in event.notes:
            self._line(f"note: {note}")

    def _action(self, event: Intervened) -> str:
        """What was done, and to whom."""
        group = event.group or ""
        names = [self._name(group, id_) for id_ in (event.candidate, event.other) if id_ is not None]
        if event.seq is not None:
            names.append(f"{group}:{event.seq}" if self._many else f"match {event.seq}")
        if event.winner is not None:
            names.append(f"to {event.winner}")
        names += [f"{key}={value}" for key, value in event.values.items()]
        between = " and " if event.other is not None else " "
        return f"{event.action} {between.join(names)}".rstrip()

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
        number = f"{event.seq:>4}"
        return f"{one_line(event.group, 1000)} {number}" if self._many else number

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
            if state.phase == "paused" and state.quiet and not self._tty:
                continue  # it was told, and nothing moves before somebody acts
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
        parts = [*progress_words(state.groups, state.applied), f"{len(state.in_flight)} in flight"]
        if state.held:
            parts.append(f"{state.held} held")
        if rate:
            parts.append(per_time(rate))
        parts += [distance_words(state.groups), _eta(state, rate)]
        if state.usd or state.usd_limit is not None:
            parts.append(f"{usd(state.usd)} USD" + (f" of {usd(state.usd_limit)}" if state.usd_limit else ""))
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
    "paused": "paused: nothing new starts, {finish}",
    "resumed": "going on",
    "quiesced": "paused: nothing is in flight",
    "draining": "stopping ({detail}): nothing new starts, {finish}; once more cancels them",
    "cancelling": "stopping: {calls} cancelled",
}


def _eta(state: RunState, rate: float) -> str:
    """When the run will end at the latest, where a limit says so."""
    times, matches = [], None
    if state.match_limit is not None:
        matches = state.match_limit - state.started
        if rate:
            times.append(matches / rate)
    if (ahead := _ahead(state)) and rate:
        times.append(ahead / rate)
    if state.wall_clock_limit is not None:
        times.append(state.wall_clock_limit - state.elapsed)
    if times:
        return f"at most {duration(max(0.0, min(times)))} left"
    if matches is not None:
        return f"at most {counted(max(0, matches), 'match', 'matches')} to start"
    end = "until all is played" if ahead else "until its stop rule fires"
    if state.usd_limit is not None or state.token_limit is not None:
        return f"{end} or its budget is spent"
    return end


def _ahead(state: RunState) -> int:
    """Matches that the open groups' schedules still foresee; 0 where one is open-ended or all is played."""
    left = [(g.expected, g.applied) for g in state.groups.values() if g.stop_reason is None]
    if any(expected is None for expected, _ in left):
        return 0
    return sum(max(0, (expected or 0) - applied) for expected, applied in left)


def _columns() -> int:
    try:
        return os.get_terminal_size(sys.stderr.fileno()).columns
    except OSError:
        return 80


@contextmanager
def event_lines(target: str, db: Path | None = None) -> Iterator[Callable[[Event], None]]:
    """A listener that writes every event as one line of JSON, `pos` first, flushed at once.

    `target` is a file that is appended to, or "-" for stdout; `db` is the run's database, where it is
    known. UsageError when the file cannot be opened or is none of events.
    """
    with ExitStack() as stack:
        stream: TextIO = sys.stdout
        if target != "-":
            refuse_other_file(Path(target), db)
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
