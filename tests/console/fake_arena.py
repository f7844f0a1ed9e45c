"""An installation made of plain facts for tests of the screens around a run: no files, no engine."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

from console_facts import FakeSession
from textual import on
from textual.message import Message
from textual.pilot import Pilot
from textual.screen import Screen

from arena_tui.candidate import Candidate
from arena_tui.console.framed import FramedApp
from arena_tui.console.ports import Forecast, RunCard, Setup
from arena_tui.console.screens.home import HomeScreen
from arena_tui.console.screens.ready import ReadyScreen
from arena_tui.errors import ArenaError, StoreError

NOON = 1_764_590_400.0  # 2025-12-01 12:00 UTC, in seconds since the epoch


def card(called: str, **fields: object) -> RunCard:
    """A run with defaults for all but its name."""
    run = f"{called.lower().replace(' ', '-')[:20]}-1201-0900-ab12"
    given = RunCard(
        run=run,
        name=called,
        format="elo",
        status="stopped",
        stop_reason="EXTERNAL",
        matches=40,
        share=0.4,
        leader="Alpha",
        usd=0.84,
        created_at="2025-12-01T09:00:00+00:00",
        db=Path("runs") / f"{run}.db",
        source="tournaments/file.yaml",
    )
    return replace(given, **fields)  # type: ignore[arg-type]


RUNS = (
    card("heat-plan", status="running", stop_reason=None, matches=62, share=62 / 120),
    card("longevity", status="paused", stop_reason=None, share=None, created_at="2025-12-01T11:20:00+00:00"),
    card("old ideas", status="finished", stop_reason="ELO_STABLE", share=1.0, usd=0.0, leader="Beta"),
    card("cut off", status="interrupted", stop_reason=None, matches=1_234_567, usd=None),
    card("short of money", stop_reason="BUDGET", created_at="2025-11-11T11:20:00+00:00"),
    card("broken", status="damaged", stop_reason=None, matches=0, share=None, leader="", usd=None),
)


def setup_of(**fields: object) -> Setup:
    """A tournament file that was read."""
    given = Setup(
        name="heat-plan",
        file="config/demo.yaml",
        task="Which of the two plans prevents more deaths in heat waves?",
        judge="mock:panel",
        format="elo",
        groups=1,
        candidates=16,
        twins=2,
        notes=("a note on the file",),
        problems=(),
        limits={"matches": "120", "usd": "", "tokens": "", "wall_clock": "30m", "concurrency": "8"},
        simulated=True,
    )
    return replace(given, **fields)  # type: ignore[arg-type]


TOLD = Forecast("120 matches, about 2.10 USD, 9 min", (("matches", "120 (90 to 130)"),))


@dataclass
class FakeArena:
    """Implements `ports.Arena`; `fails` maps a method's name to the error it raises."""

    cards: Sequence[RunCard] = ()
    known: Sequence[tuple[str, Path]] = (
        ("sixteen plans, a simulated panel", Path("config/demo.yaml")),
        ("a real model as the judge", Path("config/elo.yaml")),
    )
    file: Setup = field(default_factory=setup_of)
    told: Forecast = TOLD
    probed: str = "reachable"
    rows: Sequence[tuple[str, str, str]] = ()
    fails: dict[str, ArenaError] = field(default_factory=dict)
    asked: list[tuple[object, ...]] = field(default_factory=list)
    slow: asyncio.Event | None = None  # forecasts wait for it

    def _note(self, what: str, *args: object) -> None:
        self.asked.append((what, *args))
        if what in self.fails:
            raise self.fails[what]

    async def runs(self) -> Sequence[RunCard]:
        self._note("runs")
        return tuple(self.cards)

    async def examples(self) -> Sequence[tuple[str, Path]]:
        self._note("examples")
        return self.known

    async def setup(self, file: str) -> Setup:
        self._note("setup", file)
        return self.file

    async def forecast(self, setup: Setup, limits: Mapping[str, str]) -> Forecast:
        self._note("forecast", dict(limits))
        if self.slow is not None:
            await self.slow.wait()
        return self.told

    async def probe(self, setup: Setup) -> str:
        self._note("probe")
        return self.probed

    async def begin(self, setup: Setup, limits: Mapping[str, str], *, fresh: bool = False) -> FakeSession:
        self._note("begin", dict(limits), fresh)
        return FakeSession()

    async def open(self, db: Path, *, resume: bool = False) -> FakeSession:
        self._note("open", db, resume)
        return FakeSession(db=db)

    async def delete(self, db: Path) -> None:
        self._note("delete", db)
        self.cards = tuple(each for each in self.cards if each.db != db)

    async def compare(self, one: Path, other: Path) -> Sequence[tuple[str, str, str]]:
        self._note("compare", one, other)
        return self.rows

    async def read_candidates(self, file: str) -> Sequence[Candidate]:
        raise StoreError(f"{file}: no candidates here")

    async def export(self, db: Path, what: str, target: Path) -> str:
        return f"wrote {target}"


class ScreenApp(FramedApp[None]):
    """One screen on an otherwise empty app; remembers what the screen wants."""

    def __init__(self, shown: Screen[None]) -> None:
        super().__init__()
        self.shown = shown
        self.wanted: list[Message] = []

    def on_mount(self) -> None:
        self.push_screen(self.shown)

    @on(HomeScreen.RunOpened)
    @on(HomeScreen.ResumeWanted)
    @on(HomeScreen.SetupReady)
    @on(HomeScreen.CompareWanted)
    @on(ReadyScreen.StartWanted)
    def remember(self, message: Message) -> None:
        self.wanted.append(message)


async def until_shown(pilot: Pilot[None], words: str) -> str:
    """The text of the screen once it holds these words."""
    from console_facts import screen_text, settled

    for _ in range(200):
        await settled(pilot)
        if words in (text := screen_text(pilot.app)):
            return text
    raise AssertionError(f"{words!r} is not on the screen:\n{text}")
