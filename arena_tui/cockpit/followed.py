"""A run that another process drives, or nobody, as a `console.ports.Session`: its file tells its state.

Requests go through the run's inbox, or are carried out at once where nobody drives the run.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, cast

from arena_tui.candidate import Candidate
from arena_tui.cockpit.in_force import in_force, show_limits
from arena_tui.cockpit.judge_view import judge_words
from arena_tui.console.ports import Ended, ProviderView, Waiting
from arena_tui.engine.state import GroupState, InFlight, RunPhase, RunState, Terms
from arena_tui.errors import ArenaError, RefusedAction
from arena_tui.store.lock import holder
from arena_tui.store.reader import Reader
from arena_tui.threads import finished
from arena_tui.vocabulary import Orientation, Said, StopReason

if TYPE_CHECKING:
    from arena_tui.settings import Tournament

LOOK = 0.5  # seconds between looks at a run that another process drives
INTERRUPTED = "interrupted: its process is gone, and what was in flight will be asked again"


class FollowedSession:
    """Implements `Session` over a run's database. `told` hears what came of pausing and aborting."""

    drives = False

    def __init__(self, db: Path, told: Callable[[str], None] = lambda _text: None) -> None:
        self.db = db
        self.run = db.stem
        self.state = RunState(run=db.stem, name=db.stem)
        self._told = told
        self.stopping: Callable[[], None] = lambda: None
        self._asked: asyncio.Queue[str] = asyncio.Queue()
        self._seen = -1  # data version
        self._pid: int | None = None
        self._since: dict[tuple[str, int, Orientation], float] = {}

    async def live(self) -> Ended:
        """Keep `state` true until cancelled."""
        reader = await finished(Reader, self.db)
        try:
            async with asyncio.TaskGroup() as tasks:
                tasks.create_task(self._carry_out(), name="requests")
                while True:
                    await finished(self._look, reader)
                    await asyncio.sleep(LOOK)
        except BaseExceptionGroup as failures:
            raise failures.exceptions[0] from failures
        finally:
            reader.close()

    async def _carry_out(self) -> None:
        while True:
            verb = await self._asked.get()
            try:
                self._told(await self.act(verb))
            except ArenaError as error:
                self._told(str(error))

    def pause(self) -> None:
        """See `Session.pause`."""
        verb = "resume" if self.state.phase == "paused" else "pause"
        self._asked.put_nowait(verb)
        self._told(f"asked process {self._pid} to {verb}" if self._pid else "nothing drives this run")

    def abort(self, detail: str, exit_code: int) -> None:
        """See `Session.abort`; the driver's own exit code says that it was asked to."""
        self._asked.put_nowait("abort")

    async def act(self, verb: str, *args: str, candidates: Sequence[Candidate] = ()) -> str:
        """See `Session.act`."""
        return await asyncio.to_thread(self._act, verb, args, tuple(candidates))

    def _act(self, verb: str, args: tuple[str, ...], candidates: tuple[Candidate, ...]) -> str:
        from arena_tui.acting import carry_out
        from arena_tui.engine.actions import Action

        nobody = f"nothing drives {self.run}: resume it first"
        answer = carry_out(self.db, Action(verb, args, candidates), origin="console", nobody=nobody)
        if answer is None:
            return "not answered yet: the request stays in the inbox until the run's process looks"
        if not answer.done:
            raise RefusedAction(answer.message)
        return answer.message

    def providers(self) -> Sequence[ProviderView]:
        """Only the driving process knows."""
        return ()

    def waiting(self) -> Sequence[Waiting]:
        """Questions wait at the console that drives the run."""
        return ()

    def shown(self, key: tuple[str, int, Orientation]) -> None:
        """Nothing waits here."""

    def answer(self, key: tuple[str, int, Orientation], said: Said, reason: str = "") -> bool:
        """Nothing waits here."""
        return False

    async def judge_words(self) -> Sequence[str]:
        """See `Session.judge_words`."""
        return await asyncio.to_thread(judge_words, self.db)

    async def close(self) -> None:
        """See `Session.close`; everything ends with `live`."""

    # --- reading -------------------------------------------------------------------------------

    def _look(self, reader: Reader) -> None:
        """Bring `state` up to date; runs in a thread, and sets plain values one by one."""
        pid, version = holder(self.db), reader.data_version()
        if (pid, version) == (self._pid, self._seen):
            return
        self._pid, self._seen = pid, version
        state = self.state
        with reader.frozen():
            meta, tournament = reader.meta(), in_force(reader)
            counts, spent = reader.counts(), reader.spent()
            ends, live = reader.group_ends(), reader.live()
        limits, flying, stop = tournament.limits, live.in_flight, tournament.stop
        within = None if stop.strict else stop.delta
        terms = (
            Terms(stop.confidence, within, stop.min_comparisons_each) if stop.rule == "confident" else None
        )
        self.run = state.run = meta["run"]
        state.name, state.judge, state.seed = tournament.name, tournament.judge.kind, int(meta["seed"])
        state.a, state.b, state.draw, state.void = counts.a, counts.b, counts.draw, counts.void
        state.comparisons = counts.first + counts.second + counts.drawn + counts.invalid
        state.held = counts.held
        state.usd, state.tokens = spent.usd or 0.0, spent.tokens
        state.usd_reserved, state.tokens_reserved = live.usd, live.tokens
        show_limits(state, limits)
        state.started = counts.applied - counts.withdrawn + counts.held + len({key[:2] for key in flying})
        state.elapsed = float(meta.get("elapsed", 0.0))
        state.groups = {
            id_: GroupState(
                id_,
                applied=live.applied.get(id_, 0),
                stop_reason=cast("StopReason | None", end.stop_reason),
                stop_detail=end.detail,
                phase=_stage(tournament, live.rounds.get(id_)),
                terms=terms,
            )
            for id_, end in ends.items()
            if end.state != "skipped"
        }
        now = time.monotonic()
        self._since = {key: self._since.get(key, now) for key in flying}
        state.in_flight = {
            key: InFlight(*key, a, b, mode, self._since[key]) for key, (a, b, mode) in flying.items()
        }
        state.quiet = not flying
        state.stop_reason = cast("StopReason | None", meta.get("stop_reason") or None)
        state.stop_detail = meta.get("stop_detail", "")
        state.phase = _phase(meta, pid)
        if pid is None and not state.stop_reason:
            state.stop_detail = INTERRUPTED
        state.touch()


def _stage(tournament: Tournament, round_: int | None) -> str:
    """The round of the newest match as the format calls it; how many there will be its driver knows."""
    if round_ is None:
        return ""
    return {1: "ring", 2: "pivots"}[round_] if tournament.format.kind == "pivot" else f"round {round_}"


def _phase(meta: Mapping[str, str], pid: int | None) -> RunPhase:
    if pid is None:
        return "stopped"
    return "paused" if meta.get("paused") else "running"
