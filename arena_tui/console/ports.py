"""What the console asks of the rest of arena: protocols and plain facts, so that it imports none of it.

`Arena` stands for the installation (runs, files, forecasts), `Session` for one run that is driven here or
followed. `arena_tui.cockpit` implements both. Whatever fails raises an ArenaError with one sentence.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Protocol

from arena_tui.candidate import Candidate
from arena_tui.engine.state import RunState
from arena_tui.errors import Problem
from arena_tui.vocabulary import Orientation, Said

LIMITS = ("matches", "usd", "tokens", "wall_clock", "concurrency")
"""The limits that Ready and the console let a person edit, as keys of `limits:`."""


@dataclass(frozen=True, slots=True)
class RunCard:
    """A run as Home lists it. `status` is a word of `store.folder.Status`; `share` of its schedule or of its
    limit on matches that is done, None when it is open-ended; `usd` None when a price is unknown."""

    run: str
    name: str
    format: str
    status: str
    stop_reason: str | None
    matches: int
    share: float | None
    leader: str
    usd: float | None
    created_at: str  # UTC, ISO 8601
    db: Path
    source: str


@dataclass(frozen=True, slots=True)
class Setup:
    """A tournament file that was read: what Ready shows. `handle` is the implementation's own.

    `does` says in a line what the format will do. `limits` holds each of LIMITS as a text a person may edit
    ("" for none). `unfinished` names the run of
    this file that would go on, with its applied matches; None when a fresh one starts.
    """

    name: str
    file: str
    task: str
    judge: str
    format: str
    groups: int
    candidates: int
    twins: int
    notes: tuple[str, ...]
    problems: tuple[Problem, ...]  # what stops a start: a missing key, a program that is not there
    limits: Mapping[str, str]
    simulated: bool
    unfinished: tuple[str, int] | None = None
    does: str = ""
    handle: Any = field(default=None, compare=False, repr=False)


@dataclass(frozen=True, slots=True)
class Forecast:
    """What a run will take, one line a figure as (label, text); `headline` is one sentence."""

    headline: str
    lines: tuple[tuple[str, str], ...]


@dataclass(frozen=True, slots=True)
class ProviderView:
    """A provider as the status shows it: how many calls it bears now and why, and what it waits for."""

    name: str
    in_flight: int
    limit: int
    waiting: int
    waits: str = ""  # "rate limited, 12 s", "" when it does not wait
    sent: int = 0
    from_cache: int = 0


@dataclass(frozen=True, slots=True)
class Waiting:
    """A question that waits for a person: two texts without names, the words that go with them."""

    key: tuple[str, int, Orientation]
    task: str
    prompt: str | None
    criteria: Mapping[str, str]
    first: str
    second: str
    first_review: str | None
    second_review: str | None
    draws: bool


@dataclass(frozen=True, slots=True)
class Ended:
    """How driving ended: its exit code, and what to tell after the console is left."""

    exit_code: int
    lines: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Blind:
    """Decided matches to be judged blind: each with its judge's verdict on the texts as shown. `titles` of
    text 1 and text 2, by key, are for the end."""

    matches: tuple[tuple[Waiting, Said], ...]
    titles: Mapping[tuple[str, int, Orientation], tuple[str, str]]


class Session(Protocol):
    """One run. `drives`: this process runs it; else it is followed, or over.

    `state` is pulled by timers; `changed` tells a follower that the database has moved.
    """

    db: Path
    run: str
    drives: bool
    state: RunState
    stopping: Callable[[], None]
    """Called when the run is told to stop, before what waits is given up; a screen may set it."""

    async def live(self) -> Ended:
        """Drive the run until something ends it, or keep `state` of a followed one true until cancelled.

        Raises ArenaError when it cannot be driven (any more): the run is resumable then.
        """
        ...

    def pause(self) -> None:
        """Start nothing new; once more: go on. `state.phase` says so at once where the run is driven."""
        ...

    def abort(self, detail: str, exit_code: int) -> None:
        """Stop: calls in flight finish; a second time: they are cancelled."""
        ...

    async def act(self, verb: str, *args: str, candidates: Sequence[Candidate] = ()) -> str:
        """Carry out `arena act`'s verb: a sentence of what came of it. RefusedAction says why not."""
        ...

    def providers(self) -> Sequence[ProviderView]:
        """The providers in use; empty for judges that need none."""
        ...

    def waiting(self) -> Sequence[Waiting]:
        """The questions that wait for the person at this console, the longest waiting first."""
        ...

    def shown(self, key: tuple[str, int, Orientation]) -> None:
        """The person sees the question from now on."""
        ...

    def answer(self, key: tuple[str, int, Orientation], said: Said, reason: str = "") -> bool:
        """The person's answer; False when the question is gone."""
        ...

    async def judge_words(self) -> Sequence[str]:
        """The judge report as lines, its one-line health first."""
        ...

    async def close(self) -> None:
        """Let go of everything."""
        ...


class Arena(Protocol):
    """What is there besides a run."""

    async def runs(self) -> Sequence[RunCard]:
        """All runs, newest first."""
        ...

    async def examples(self) -> Sequence[tuple[str, Path]]:
        """The bundled tournament files: what each shows, and its path."""
        ...

    async def setup(self, file: str) -> Setup:
        """Read a tournament file. FileProblems names every problem with its line."""
        ...

    async def forecast(self, setup: Setup, limits: Mapping[str, str]) -> Forecast:
        """What a run with these limits will take. UsageError names a limit that cannot be."""
        ...

    async def probe(self, setup: Setup) -> str:
        """Ask the judge whether it is there, free of charge: a sentence. JudgeError says what is wrong."""
        ...

    async def begin(self, setup: Setup, limits: Mapping[str, str], *, fresh: bool = False) -> Session:
        """Make the run, or go on with `setup.unfinished` unless `fresh`; nothing is asked before `live`."""
        ...

    async def open(self, db: Path, *, resume: bool = False) -> Session:
        """A run as it stands: driven from here with `resume`, else followed. RunLocked names its driver."""
        ...

    async def delete(self, db: Path) -> None:
        """Delete a run for good."""
        ...

    async def compare(self, one: Path, other: Path) -> Sequence[tuple[str, str, str]]:
        """Two runs side by side: (what, of the one, of the other), a line a figure and a candidate."""
        ...

    async def blind(self, db: Path, group: str, seq: int) -> Blind:
        """A decided match to be judged blind, in an order drawn anew. UsageError when it is not decided."""
        ...

    async def read_candidates(self, file: str) -> Sequence[Candidate]:
        """The candidates of a pool file, to be added."""
        ...

    async def export(self, db: Path, what: str, target: Path) -> str:
        """Write an export; a sentence that names the file."""
        ...
