"""A run that this process drives, as a `console.ports.Session`: the engine runs in the console's own loop."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from arena_tui.candidate import Candidate
from arena_tui.cockpit.in_force import in_force, show_limits
from arena_tui.cockpit.judge_view import judge_words, members_of, provider_views, question_view
from arena_tui.console.ports import Ended, ProviderView, Waiting
from arena_tui.engine.events import Event, GateMoved
from arena_tui.engine.state import RunState
from arena_tui.errors import ArenaError, RefusedAction
from arena_tui.store.reader import Reader
from arena_tui.vocabulary import Orientation, Said

if TYPE_CHECKING:
    from arena_tui.engine.actions import Action
    from arena_tui.engine.tournament import Engine
    from arena_tui.judging.human import HumanJudge
    from arena_tui.report.result import Result
    from arena_tui.settings import Limits

CONSOLE = "console"
"""The origin of what is asked for at this console, as the journal names it."""


@dataclass(frozen=True, slots=True)
class Going:
    """How a run goes on: settings and limits that changed, candidates that the file gained."""

    changes: Mapping[str, Any]
    asked: str | None = None
    add: Mapping[str, float] | None = None
    admit: tuple[Candidate, ...] = ()


class DrivenSession:
    """Implements `Session` over `running.drive`.

    `driven` is called once the run is locked by this process, `failed` when driving was refused before
    that; `told` hears of what should be said in passing.
    """

    drives = True

    def __init__(
        self,
        db: Path,
        going: Going,
        *,
        listeners: Iterable[Callable[[Event], None]] = (),
        driven: Callable[[], None] = lambda: None,
        failed: Callable[[], None] = lambda: None,
        told: Callable[[str], None] = lambda _text: None,
    ) -> None:
        self.db = db
        self.run = db.stem
        self.state = RunState(run=db.stem, name=db.stem)
        self.result: Result | None = None
        self._going = going
        self._listeners = (self._hear, *listeners)
        self.stopping: Callable[[], None] = lambda: None
        self._driven = driven
        self._failed = failed
        self._told = told
        self._engine: Engine | None = None
        self._let_go = asyncio.Event()  # the run is locked by this process no more
        self._stop: tuple[str, int] | None = None  # asked for before there was an engine

    async def live(self) -> Ended:
        """See `Session.live`."""
        from arena_tui.running import drive

        going = self._going
        try:
            self.result, code = await drive(
                self.db,
                changes=going.changes,
                asked=going.asked,
                add=going.add or {},
                admit=going.admit,
                listeners=self._listeners,
                on_engine=self._begun,
                handle_signals=False,
                person="queue",
                told=self._told,
            )
        except ArenaError as error:
            # What the engine left behind is no run in progress: the panes show where it stands.
            self.state.phase, self.state.stop_detail = "stopped", str(error)
            self.state.touch()
            if self._engine is None:
                self._failed()
            raise
        finally:
            self._let_go.set()
        return Ended(code)

    def _hear(self, event: Event) -> None:
        if isinstance(event, GateMoved) and event.phase in ("draining", "cancelling"):
            self.stopping()

    def _begun(self, engine: Engine) -> None:
        self._engine, self.state, self.run = engine, engine.state, engine.state.run
        self._driven()
        if self._stop is not None:
            engine.stop(*self._stop)

    def pause(self) -> None:
        """See `Session.pause`."""
        if self._engine is not None and not self._engine.pause():
            self._engine.resume()

    def abort(self, detail: str, exit_code: int) -> None:
        """See `Session.abort`."""
        if self._engine is None:
            self._stop = detail, exit_code
        else:
            self._engine.stop(detail, exit_code)

    async def act(self, verb: str, *args: str, candidates: Sequence[Candidate] = ()) -> str:
        """See `Session.act`. On a run that has stopped the action is journaled at once."""
        from arena_tui.engine.actions import Action
        from arena_tui.engine.steering import Request

        action = Action(verb, args, tuple(candidates))
        if self._over():
            return await self._at_rest(action)
        if self._engine is None:
            raise RefusedAction("the run is just being opened: ask again in a moment")
        answered: asyncio.Future[tuple[bool, str]] = asyncio.get_running_loop().create_future()

        def answer(ok: bool, message: str) -> None:
            if not answered.done():
                answered.set_result((ok, message))

        self._engine.request(Request(action, CONSOLE, answer))
        while not answered.done():
            # The run may end before it takes the request up; then nobody answers.
            with suppress(TimeoutError):
                await asyncio.wait_for(asyncio.shield(answered), 0.25)
            if not answered.done() and self._over():
                await self._let_go.wait()  # by then everything that was taken is stored and answered
                if not answered.done():
                    return await self._at_rest(action)
        ok, message = answered.result()
        if not ok:
            raise RefusedAction(message)
        return message

    async def _at_rest(self, action: Action) -> str:
        """Act on a run that has ended, once this process has let go of it."""
        from arena_tui.engine.standstill import act_at_rest

        await self._let_go.wait()
        told = await asyncio.to_thread(act_at_rest, self.db, action, CONSOLE)
        if action.verb == "limit":
            show_limits(self.state, await asyncio.to_thread(self._limits))
        return told

    def _limits(self) -> Limits:
        with Reader(self.db) as reader:
            return in_force(reader).limits

    def _over(self) -> bool:
        return self.state.phase == "stopped"

    def providers(self) -> Sequence[ProviderView]:
        """See `Session.providers`."""
        return () if self._engine is None else provider_views(self._engine.judge)

    def _people(self) -> Iterator[HumanJudge]:
        if self._engine is None:
            return
        from arena_tui.judging.human import HumanJudge

        for member in members_of(self._engine.judge):
            if isinstance(member, HumanJudge):
                yield member

    def waiting(self) -> Sequence[Waiting]:
        """See `Session.waiting`."""
        return tuple(question_view(person, asked) for person in self._people() for asked in person.waiting())

    def shown(self, key: tuple[str, int, Orientation]) -> None:
        """See `Session.shown`."""
        for person in self._people():
            person.shown(key)

    def answer(self, key: tuple[str, int, Orientation], said: Said, reason: str = "") -> bool:
        """See `Session.answer`."""
        return any(person.answer(key, said, reason) for person in self._people())

    async def judge_words(self) -> Sequence[str]:
        """See `Session.judge_words`."""
        return await asyncio.to_thread(judge_words, self.db)

    async def close(self) -> None:
        """See `Session.close`; the run ends with `live`."""
