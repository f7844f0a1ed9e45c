"""Whole runs in this process, with a judge whose verdicts and whose order of replies a test decides.

A `Desk` is where asked comparisons wait for their replies; a `Sitting` is one engine from its start to
its end, which a script can watch and steer. `killed` copies what a kill -9 would leave.
"""

from __future__ import annotations

import asyncio
import heapq
import io
import sqlite3
from collections.abc import Awaitable, Callable, Iterator, Mapping, Sequence
from contextlib import closing, contextmanager, suppress
from dataclasses import dataclass, field
from itertools import count
from pathlib import Path
from random import Random
from typing import Any
from unittest import mock

from arena_tui.candidate import Candidate
from arena_tui.engine import opening
from arena_tui.engine.actions import Action
from arena_tui.engine.events import Event
from arena_tui.engine.refolding import refold
from arena_tui.engine.steering import Request
from arena_tui.engine.tournament import Engine
from arena_tui.exporting import MATCH_COLUMNS
from arena_tui.judging.base import FREE, Question, Reply, Usage, Verdict
from arena_tui.judging.base import Desk as JudgingDesk
from arena_tui.report.export import write_rows
from arena_tui.report.result import Result
from arena_tui.running import drive
from arena_tui.store import crash_points, writer
from arena_tui.store.crash_points import CrashPoint
from arena_tui.store.reader import Applied, Planned, Reader
from arena_tui.store.schema import open_reading
from arena_tui.store.verify import structural
from arena_tui.tournament_file import load_mapping
from arena_tui.vocabulary import Said

Say = Callable[[Question], Said]
Rank = Callable[[Question], float]

PATIENCE = 30.0  # seconds after which a script that waits for something is taken to wait for ever
PAUSE = 0.0005  # seconds the desk gathers questions before it answers the next ones


def coin(question: Question) -> Said:
    """A verdict that only the question decides: mostly the better (smaller) id, some draws and voids."""
    draw = Random(f"{question.group}:{question.seq}:{question.orientation}")
    if (mark := draw.random()) < 0.1:
        return "draw" if mark < 0.06 else "invalid"
    better = question.first.id < question.second.id
    return "first" if (draw.random() < 0.7) == better else "second"


def better(question: Question) -> Said:
    """The smaller id always wins."""
    return "first" if question.first.id < question.second.id else "second"


class Desk:
    """Holds questions and lets replies go, lowest rank first, `at_once` of them together.

    Without a `rank` a reply comes at once. `hold` keeps back what it says yes to until `open_up`.
    """

    def __init__(
        self, rank: Rank | None = None, *, at_once: int = 1, hold: Callable[[Question], bool] | None = None
    ) -> None:
        self.rank = rank
        self.at_once = at_once
        self.hold = hold
        self.waiting: list[tuple[float, int, asyncio.Future[None]]] = []
        self.held: list[tuple[Question, asyncio.Future[None]]] = []
        self._numbers = count()
        self._timer: asyncio.TimerHandle | None = None

    async def wait(self, question: Question) -> None:
        future = asyncio.get_running_loop().create_future()
        if self.hold is not None and self.hold(question):
            self.held.append((question, future))
        elif self.rank is None:
            return
        else:
            heapq.heappush(self.waiting, (self.rank(question), next(self._numbers), future))
            self._set_timer()
        await future

    def open_up(self, which: Callable[[Question], bool] = lambda _: True) -> None:
        """Answer the held questions that `which` says yes to, and hold none like them any more."""
        hold = self.hold
        self.hold = None if hold is None else lambda q: hold(q) and not which(q)
        kept = []
        for question, future in self.held:
            if not which(question):
                kept.append((question, future))
            elif not future.done():
                future.set_result(None)
        self.held = kept

    def _set_timer(self) -> None:
        if self._timer is None:
            self._timer = asyncio.get_running_loop().call_later(PAUSE, self._serve)

    def _serve(self) -> None:
        self._timer = None
        for _ in range(min(self.at_once, len(self.waiting))):
            _, _, future = heapq.heappop(self.waiting)
            if not future.done():
                future.set_result(None)
        if self.waiting:
            self._set_timer()


class ScriptedJudge:
    """Implements `Judge`: `say` gives verdicts, `desk` decides when, `cost` what a comparison takes.

    `worst` is reserved for each; replies are kept in the database as soon as it is not free.
    """

    label = "SCRIPTED"

    def __init__(
        self,
        say: Say = coin,
        desk: Desk | None = None,
        *,
        worst: Callable[[Question], Usage] | None = None,
        cost: Callable[[Question], Usage] | None = None,
    ) -> None:
        self.say = say
        self.desk = desk or Desk()
        self.keeps_replies = worst is not None
        self.notes: Sequence[str] = ()
        self._worst = worst or (lambda _: FREE)
        self._cost = cost or self._worst
        self.asked: list[tuple[str, int, str]] = []
        self.on_ask: Callable[[], None] = lambda: None

    def planned(self, question: Question) -> None:
        """Nothing to count."""

    async def open(self) -> None:
        """Nothing to be made sure of."""

    def worst_case(self, question: Question, replies: Sequence[Reply] = ()) -> Usage:
        return self._worst(question)

    def at_stake(self, question: Question, replies: Sequence[Reply] = ()) -> Usage:
        return self._worst(question)

    def answered(self, question: Question, replies: Sequence[Reply]) -> bool:
        return bool(replies)

    async def ask(self, question: Question, desk: JudgingDesk) -> None:
        self.asked.append((question.group, question.seq, question.orientation))
        self.on_ask()
        await self.desk.wait(question)
        desk.keep(Reply(self.say(question), self._cost(question)))

    def read(self, question: Question, replies: Sequence[Reply]) -> Verdict:
        said: Any = replies[-1].text
        return Verdict(said, reason=f"said {said}")

    async def close(self) -> None:
        """Nothing is open."""


def pool(size: int, group: str | None = None, **fields: Any) -> list[dict[str, Any]]:
    """`size` candidates c00, c01, ... with different texts."""
    more = fields if group is None else {"group": group, **fields}
    return [
        {"id": f"c{i:02d}", "text": f"text number {i} of {group or 'main'}, word{i % 5} word{i % 3}", **more}
        for i in range(size)
    ]


def create(db: Path, candidates: int | list[dict[str, Any]] = 8, **sections: Any) -> Path:
    """A new run at `db` from sections of a tournament file; by default 30 matches and no stop rule."""
    given = {
        "candidates": pool(candidates) if isinstance(candidates, int) else candidates,
        "format": "elo",
        "judge": {"kind": "simulated"},
        "stop": {"rule": "none"},
        "limits": {"matches": 30},
        "seed": 5,
        **sections,
    }
    loaded = load_mapping(given)
    return opening.create(loaded.tournament, loaded.pool, source=None, db=db)


@dataclass
class Sitting:
    """One engine from start to end: what a script sees of it, and what it came to."""

    db: Path
    judge: ScriptedJudge
    events: list[Event] = field(default_factory=list)
    answers: list[tuple[bool, str]] = field(default_factory=list)
    pulse: asyncio.Event = field(default_factory=asyncio.Event)
    driven: Engine | None = None
    outcome: tuple[Result, int] | None = None

    @property
    def engine(self) -> Engine:
        assert self.driven is not None
        return self.driven

    @property
    def result(self) -> Result:
        assert self.outcome is not None
        return self.outcome[0]

    @property
    def code(self) -> int:
        assert self.outcome is not None
        return self.outcome[1]

    @property
    def reason(self) -> str | None:
        return self.result.stop_reason

    def told(self, kind: str) -> list[Any]:
        """The events of one kind."""
        return [event for event in self.events if event.kind == kind]

    async def until(self, state: Callable[[], bool]) -> None:
        """Wait for a state; looked at after every event, question and answer, and every few milliseconds."""
        while not state():
            self.pulse.clear()
            with suppress(TimeoutError):
                async with asyncio.timeout(0.005):
                    await self.pulse.wait()

    async def applied(self, number: int) -> None:
        """Wait until `number` outcomes of the run are applied and told."""
        await self.until(lambda: self._told_applied() >= number)

    def _told_applied(self) -> int:
        started = self.told("run")
        return started[0].applied + len(self.told("match")) if started else 0

    async def at_rest(self, applied: int, held: int) -> None:
        """Wait until `applied` outcomes are applied and `held` questions wait at the desk."""
        await self.until(
            lambda: (
                self.engine.state.applied == applied
                and len(self.judge.desk.held) == held
                and self._told_applied() == applied
            )
        )

    async def act(self, verb: str, *args: str, candidates: tuple[Candidate, ...] = ()) -> tuple[bool, str]:
        """Ask for an action as a console would; its answer."""
        answers: list[tuple[bool, str]] = []

        def answer(ok: bool, message: str) -> None:
            answers.append((ok, message))
            self.pulse.set()

        self.engine.request(Request(Action(verb, args, candidates), "test", answer))
        await self.until(lambda: bool(answers))
        return answers[0]


Script = Callable[[Sitting], Awaitable[None]]


async def sit(
    db: Path,
    judge: ScriptedJudge | None = None,
    script: Script | None = None,
    *,
    add: Mapping[str, float] = {},
    changes: Mapping[str, Any] = {},
    own_judge: bool = False,
    listener: Callable[[Event], None] | None = None,
    before: Callable[[Sitting], None] | None = None,
    handle_signals: bool = False,
) -> Sitting:
    """Drive the run at `db` until it ends, `script` beside it; `before` sees the engine before it runs.

    With `own_judge` the judge is the one of the tournament file.
    """
    sitting = Sitting(db, judge or ScriptedJudge())
    sitting.judge.on_ask = sitting.pulse.set

    def hear(event: Event) -> None:
        sitting.events.append(event)
        sitting.pulse.set()
        if listener is not None:
            listener(event)

    def begun(engine: Engine) -> None:
        sitting.driven = engine
        sitting.pulse.set()
        if before is not None:
            before(sitting)

    async with asyncio.timeout(PATIENCE):
        async with asyncio.TaskGroup() as tasks:
            driving = tasks.create_task(
                drive(
                    db,
                    judge=None if own_judge else sitting.judge,
                    changes=changes,
                    add=add,
                    listeners=[hear],
                    on_engine=begun,
                    handle_signals=handle_signals,
                )
            )
            if script is not None:
                await sitting.until(lambda: sitting.driven is not None)
                await script(sitting)
    sitting.outcome = driving.result()
    return sitting


def run(
    db: Path, judge: ScriptedJudge | None = None, script: Script | None = None, **options: Any
) -> Sitting:
    """`sit` in an event loop of its own; what is stored is checked at the end."""
    sitting = asyncio.run(sit(db, judge, script, **options))
    assert_sound(db)
    return sitting


def assert_sound(db: Path) -> None:
    """What `arena verify` checks."""
    assert structural(db) == []
    with Reader(db) as reader:
        assert refold(reader) == []


def exported(db: Path, group: str | None = None) -> bytes:
    """`export --what matches` as JSON Lines; of one group, if one is named."""
    text = io.StringIO(newline="")
    with Reader(db) as reader:
        rows = (row for row in reader.matches() if group in (None, row["group"]))
        write_rows(rows, MATCH_COLUMNS, "jsonl", text)
    return text.getvalue().encode()


def journal(db: Path) -> list[tuple[Any, ...]]:
    """The whole journal, entry by entry, without times and without ratings, which an overrule rewrites."""
    with Reader(db) as reader:
        return [
            ("plan", entry.pos, entry.step)
            if isinstance(entry, Planned)
            else ("outcome", entry.pos, entry.outcome)
            if isinstance(entry, Applied)
            else ("action", entry.pos, entry.intervention, entry.after_applied)
            for entry in reader.journal()
        ]


def killed(db: Path, to: Path) -> Path:
    """What a kill -9 at this moment would leave of the run at `db`: all that is committed."""
    with closing(open_reading(db)) as source, closing(sqlite3.connect(to)) as target:
        source.backup(target)
    return to


@contextmanager
def images_of_commits(db: Path, folder: Path) -> Iterator[list[Path]]:
    """Every unit is a commit of its own in here, and after each of them `killed` makes an image."""
    images: list[Path] = []

    def image(point: CrashPoint) -> None:
        if point is CrashPoint.AFTER_COMMIT:
            images.append(killed(db, folder / f"{db.stem}-{len(images)}.db"))

    with mock.patch.object(crash_points, "hook", image), mock.patch.object(writer, "_BATCH", 1):
        yield images


def matches(db: Path) -> list[dict[str, Any]]:
    """The applied matches as exports show them."""
    with Reader(db) as reader:
        return list(reader.matches())
