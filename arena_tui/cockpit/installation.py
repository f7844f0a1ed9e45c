"""What is there besides a run, as a `console.ports.Arena`: runs, files, forecasts, exports.

Everything slow happens in threads, where also what is slow to import is imported.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Coroutine, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from threading import Event
from typing import TYPE_CHECKING, Any, TypeVar

from arena_tui.errors import RunLocked, UsageError

if TYPE_CHECKING:
    from arena_tui.candidate import Candidate
    from arena_tui.cockpit.driven import DrivenSession, Going
    from arena_tui.console.ports import Blind, Forecast, RunCard, Session, Setup
    from arena_tui.engine.events import Event as RunEvent
    from arena_tui.judge_settings import AnyJudge
    from arena_tui.settings import Tournament
    from arena_tui.starting import Start
    from arena_tui.tournament_file import Loaded

ONE_LOOK = 5  # simulations behind a forecast while somebody waits for it
MOMENT = 0.1  # seconds between two looks whether it is still wanted

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class FileOptions:
    """What was given on the command line beside a tournament file."""

    db: str | None = None
    new: bool = False
    extend: bool = False
    seed: int | None = None
    assignments: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class _Read:
    """A tournament file as read, with how its run starts: what `Setup.handle` holds."""

    loaded: Loaded
    options: FileOptions


class Installation:
    """Implements `Arena`. `options` belong to the file of the command line, `add` raises limits on `open`.

    `listeners` hear the events of every run that is driven; `told` hears of trouble that stops nothing.
    """

    def __init__(
        self,
        *,
        file: str | None = None,
        options: FileOptions = FileOptions(),
        add: Mapping[str, float] = {},
        listeners: Iterable[Callable[[RunEvent], None]] = (),
        told: Callable[[str], None] = lambda _text: None,
    ) -> None:
        self._file = file
        self._options = options
        self._add = dict(add)
        self._listeners = tuple(listeners)
        self.told = told
        self.driven: DrivenSession | None = None  # the last run that was driven
        self._start: Start | None = None

    def close(self) -> None:
        """Let go of a file whose run was just being made."""
        if self._start is not None:
            self._start.close()

    async def runs(self) -> Sequence[RunCard]:
        """See `Arena.runs`."""
        from arena_tui.cockpit.run_cards import run_cards

        return await asyncio.to_thread(run_cards)

    async def examples(self) -> Sequence[tuple[str, Path]]:
        """See `Arena.examples`: what stands in the first line of each shipped file."""
        from arena_tui import resources

        def look() -> list[tuple[str, Path]]:
            files = sorted(
                resources.folder("config").glob("*.yaml"), key=lambda file: (file.stem != "demo", file.name)
            )
            return [
                (file.read_text(encoding="utf-8").partition("\n")[0].lstrip("# "), file) for file in files
            ]

        return await asyncio.to_thread(look)

    async def setup(self, file: str) -> Setup:
        """See `Arena.setup`."""
        options = self._options if file == self._file else FileOptions()
        return await asyncio.to_thread(_setup, file, options)

    async def forecast(self, setup: Setup, limits: Mapping[str, str]) -> Forecast:
        """See `Arena.forecast`. Cancelled, it stops simulating: a run that has begun needs the processor."""
        given_up = Event()
        try:
            return await asyncio.to_thread(_forecast, setup.handle, limits, given_up)
        finally:
            given_up.set()

    async def probe(self, setup: Setup) -> str:
        """See `Arena.probe`."""
        from arena_tui.cockpit.probing import probe

        return await asyncio.to_thread(probe, setup.handle.loaded)

    async def begin(self, setup: Setup, limits: Mapping[str, str], *, fresh: bool = False) -> Session:
        """See `Arena.begin`."""
        return await asyncio.to_thread(self._begin, setup.handle, dict(limits), fresh)

    def _begin(self, read: _Read, limits: dict[str, str], fresh: bool) -> Session:
        from arena_tui.cockpit.driven import Going
        from arena_tui.resumption import options_of
        from arena_tui.starting import Start

        options = read.options
        loaded = replace(read.loaded, tournament=_limited(read.loaded.tournament, limits))
        start = Start(
            loaded,
            db=options.db,
            new=options.new or fresh,
            extend=options.extend and not fresh,
            options=options_of(options.assignments, options.seed),
            person="queue",
            as_written=read.loaded,
        )
        self._start = start
        try:
            path, differences = start.begin()
        except BaseException:
            start.close()
            raise
        edited = {} if start.path is None else _edited(read.loaded.tournament, limits)
        changes = {**differences.changes, **edited}
        going = Going(changes, differences.asked, {}, differences.gained)
        return self._drive(path, going, start)

    async def open(self, db: Path, *, resume: bool = False) -> Session:
        """See `Arena.open`."""
        if not resume:
            from arena_tui.cockpit.followed import FollowedSession

            return FollowedSession(db, self.told)
        from arena_tui.cockpit.driven import Going
        from arena_tui.store.lock import holder

        pid = await asyncio.to_thread(holder, db)
        if pid is not None:
            raise RunLocked(f"run {db.stem} is driven by process {pid}: watch it, or end that process first")
        add, self._add = self._add, {}
        return self._drive(db, Going({}, None, add))

    def _drive(self, path: Path, going: Going, start: Start | None = None) -> Session:
        from arena_tui.cockpit.driven import DrivenSession

        def failed() -> None:
            if start is not None:
                start.failed()
                start.close()

        self.driven = DrivenSession(
            path,
            going,
            listeners=self._listeners,
            driven=start.driven if start is not None else lambda: None,
            failed=failed,
            told=lambda text: self.told(text),
        )
        return self.driven

    async def delete(self, db: Path) -> None:
        """See `Arena.delete`."""
        from arena_tui.store.folder import delete_run

        await asyncio.to_thread(delete_run, db)

    async def compare(self, one: Path, other: Path) -> Sequence[tuple[str, str, str]]:
        """See `Arena.compare`."""
        from arena_tui.cockpit.comparing import compare

        return await asyncio.to_thread(compare, one, other)

    async def blind(self, db: Path, group: str, seq: int) -> Blind:
        """See `Arena.blind`."""

        def look() -> Blind:
            from arena_tui.blind import blind_session
            from arena_tui.cockpit.judge_view import blind_view

            return blind_view(blind_session(db, 1, only=(group, seq)))

        return await asyncio.to_thread(look)

    async def read_candidates(self, file: str) -> Sequence[Candidate]:
        """See `Arena.read_candidates`."""

        def read() -> Sequence[Candidate]:
            from arena_tui.pool import load_candidates

            return load_candidates(file, Path.cwd())

        return await asyncio.to_thread(read)

    async def export(self, db: Path, what: str, target: Path) -> str:
        """See `Arena.export`."""

        def write() -> str:
            from arena_tui.exporting import export

            export(db, what, target, times=False)
            return f"{what} written to {target}"

        return await asyncio.to_thread(write)


def _setup(file: str, options: FileOptions) -> Setup:
    from arena_tui.cockpit.format_words import format_words
    from arena_tui.console.ports import Setup
    from arena_tui.forecasting import judge_problems
    from arena_tui.resumption import overrides, run_to_resume
    from arena_tui.store.reader import Reader
    from arena_tui.summary import who_judged
    from arena_tui.tournament_file import load_file

    loaded = load_file(Path(file), overrides=overrides(options.assignments), seed=options.seed)
    tournament, groups = loaded.tournament, loaded.pool.playable
    unfinished = None
    path = None if options.new else run_to_resume(loaded, options.db, options.extend)
    if path is not None:
        with Reader(path) as reader:
            unfinished = (reader.meta().get("run", path.stem), reader.applied())
    entrants = sum(len(group.entrants) for group in groups)
    return Setup(
        name=tournament.name,
        file=str(loaded.path or file),
        task=tournament.task,
        judge=_judge_words(tournament.judge),
        format=tournament.format.kind,
        groups=len(groups),
        candidates=entrants,
        twins=sum(len(group.candidates) for group in groups) - entrants,
        notes=tuple(loaded.notes),
        problems=() if path is not None else tuple(judge_problems(loaded)),
        limits=_limit_texts(tournament),
        simulated=bool(who_judged(tournament.judge, None)["simulated"]),
        unfinished=unfinished,
        does=format_words(tournament, rated=any(e.rating is not None for g in groups for e in g.entrants)),
        handle=_Read(loaded, options),
    )


def _judge_words(judge: AnyJudge) -> str:
    """Who decides, as the file says it."""
    from arena_tui.settings import llm_judges

    models = ", ".join(member.model.model for member in llm_judges(judge))
    return f"{judge.kind}: {models}" if models else judge.kind


def _limit_texts(tournament: Tournament) -> dict[str, str]:
    from arena_tui.console.limits import as_text
    from arena_tui.console.ports import LIMITS

    limits: Any = tournament.limits
    return {name: as_text(name, getattr(limits, name)) for name in LIMITS}


def _edited(tournament: Tournament, limits: Mapping[str, str]) -> dict[str, Any]:
    """The limits that a person edited, as settings to change; an empty line takes a limit away."""
    before = _limit_texts(tournament)
    typed = {name: text.strip() for name, text in limits.items()}
    return {f"limits.{name}": text or None for name, text in typed.items() if text != before[name]}


def _limited(tournament: Tournament, limits: Mapping[str, str]) -> Tournament:
    """The tournament with limits as a person edited them; UsageError names one that cannot be."""
    from arena_tui.settings import with_changes

    return with_changes(tournament, _edited(tournament, limits))


async def _unless(given_up: Event, doing: Coroutine[Any, Any, T]) -> T:
    """What comes of `doing`, which is cancelled within a moment of being given up."""
    task = asyncio.ensure_future(doing)
    while not task.done():
        await asyncio.wait([task], timeout=MOMENT)
        if given_up.is_set():
            task.cancel()
    return await task


def _forecast(read: _Read, limits: Mapping[str, str], given_up: Event) -> Forecast:
    from arena_tui.console.ports import Forecast
    from arena_tui.forecasting import forecast, forecast_lines, headline, simulations

    tournament = _limited(read.loaded.tournament, limits)
    if not read.loaded.pool.playable:
        raise UsageError("no group has two candidates, so there is nothing to play")
    runs = asyncio.run(_unless(given_up, simulations(tournament, read.loaded.pool, ONE_LOOK)))
    told = forecast(tournament, runs)
    return Forecast(headline(tournament, told), tuple(forecast_lines(tournament, told)))
