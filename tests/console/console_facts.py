"""Runs made of plain facts for tests of the console: no engine, no database, no clock."""

from __future__ import annotations

import asyncio
import random
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from textual.app import App, ComposeResult
from textual.pilot import Pilot
from textual.widget import Widget

from arena_tui.candidate import Candidate
from arena_tui.console.framed import FramedApp
from arena_tui.console.ledger import Ledger
from arena_tui.console.ports import Ended, ProviderView, Waiting
from arena_tui.console.view import RunView
from arena_tui.engine.state import GroupState, RunState
from arena_tui.errors import RefusedAction
from arena_tui.store.board_rows import USUAL, ActFact, EntrantFact, GroupFact, MatchFact, Rules, TextFact
from arena_tui.store.match_rows import MatchRecord

HOSTILE = (
    "[red]x[/red]",
    "a [/] b",
    "[/foo]",
    "score [0, 1] arr[i] [x]",
    "[@click=app.bang]x[/]",
    "[link=https://example.org]x[/link]",
    "[$primary]v[/]",
    "\x1b]52;c;ZXZpbA==\x07paste",
    "\x1b]8;;https://example.org\x1b\\link\x1b]8;;\x1b\\",
    "\x1b[2J\x1b[Hgone",
    "\x1b]0;title\x07named",
    "\u202egnp.exe",
    "\x9b31mred",
    "tab\there\nand a second line",
    "混合 full width ＡＢ",
    "👩‍👩‍👧‍👦 family",
    "e" + "\u0301" * 40,
)
"""Texts that would style, link, crash or take over a terminal if anything let them through."""

HOSTILE_KINDS = (
    "[/foo]",
    "[@click=app.bang]x[/][$primary]v[/][red]x[/red] [link=https://example.org]x[/link]",
    "\x1b[2J\x1b]8;;u\x1b\\\x9b31m\u202egnp\x1b]52;c;ZXZpbA==\x07paste",
    "tab\there\nand a second line",
    "混Ａ👩‍👩‍👧‍👦e" + "\u0301" * 40,
)
"""One of each kind, the danger at its beginning where no column cuts it off: for screens that each need an
app of their own, where what is asked is only whether their texts go through `safetext` at all."""


def entrant(id_: str, *, group: str = "main", start: float = 1200.0, **fields: object) -> EntrantFact:
    """A candidate with defaults for all but its id."""
    given: dict[str, object] = {
        "title": id_.title(),
        "class_": None,
        "system": None,
        "parent_ids": (),
        "generation": 0,
        "twin_of": None,
        "state": "in_tournament",
        "added_pos": None,
        **fields,
    }
    return EntrantFact(group=group, id=id_, start=start, **given)  # type: ignore[arg-type]


def ledger_of(
    entrants: Sequence[EntrantFact],
    matches: int = 0,
    *,
    seed: int = 1,
    groups: Sequence[str] = ("main",),
    rules: Rules = USUAL,
) -> Ledger:
    """A ledger with these candidates and seeded matches among them: Elo-like, or with points elsewhere."""
    ledger = Ledger(rules)
    for group in groups:
        ledger.open_group(GroupFact(group, f"prompt of {group}", "open", None, ""))
    for each in entrants:
        ledger.admit(each)
    play(ledger, matches, seed=seed)
    return ledger


def play(ledger: Ledger, matches: int, *, seed: int = 1) -> None:
    """Apply further seeded matches; the earlier a candidate stands in the pool, the likelier it wins."""
    rng = random.Random(seed)
    for _ in range(matches):
        pos = ledger.pos + 1
        group = rng.choice(list(ledger.groups))
        field_ = [each for each in ledger.groups[group].entrants if each.plays]
        a, b = rng.sample(field_, 2)
        seq = ledger.groups[group].applied + 1
        drawn = rng.random()
        chance = 0.5 + 0.4 * (1 if a.number < b.number else -1)
        winner = "void" if drawn > 0.97 else "draw" if drawn > 0.92 else "a" if rng.random() < chance else "b"
        if ledger.rules.kind == "elo":
            gain = {"a": 12.0, "b": -12.0, "draw": 1.0, "void": 0.0}[winner]
            loss = -gain
        else:
            gain = {"a": 1.0, "b": 0.0, "draw": 0.5, "void": 0.0}[winner]
            loss = 1.0 - gain
        rated = winner != "void"
        ledger.apply(
            [
                MatchFact(
                    pos,
                    group,
                    seq,
                    a.id,
                    b.id,
                    "debate" if rng.random() < 0.3 else "pairwise",
                    winner,  # type: ignore[arg-type]
                    a.rating if rated else None,
                    a.rating + gain if rated else None,
                    b.rating if rated else None,
                    b.rating + loss if rated else None,
                    False,
                )
            ]
        )


def act(ledger: Ledger, kind: str, id_: str, state: str, group: str = "main") -> None:
    """A change of a candidate's state."""
    ledger.act(ActFact(ledger.pos + 1, kind, group, id_, state, "cli", 0.0))  # type: ignore[arg-type]


@dataclass
class FakeSession:
    """Implements `ports.Session` with a state that tests set, and remembers what was asked of it."""

    state: RunState = field(default_factory=RunState)
    db: Path = Path("run.db")
    run: str = "demo-1201-0900-ab12"
    drives: bool = True
    asked: list[tuple[str, ...]] = field(default_factory=list)
    questions: list[Waiting] = field(default_factory=list)
    seen: list[ProviderView] = field(default_factory=list)
    health: list[str] = field(default_factory=lambda: ["the judge is consistent"])
    refuse: str = ""
    stopping: Callable[[], None] = lambda: None

    async def live(self) -> Ended:
        await asyncio.Event().wait()
        return Ended(0)

    def pause(self) -> None:
        self.asked.append(("pause",))
        self.state.phase = "running" if self.state.phase == "paused" else "paused"
        self.state.touch()

    def abort(self, detail: str, exit_code: int) -> None:
        self.asked.append(("abort", detail))
        self.state.phase = "cancelling" if self.state.phase == "draining" else "draining"
        self.state.touch()

    async def act(self, verb: str, *args: str, candidates: Sequence[Candidate] = ()) -> str:
        self.asked.append((verb, *args))
        if self.refuse:
            raise RefusedAction(self.refuse)
        return f"{verb} {' '.join(args)}".rstrip()

    def providers(self) -> Sequence[ProviderView]:
        return self.seen

    def waiting(self) -> Sequence[Waiting]:
        return self.questions

    def shown(self, key: object) -> None:
        self.asked.append(("shown", str(key)))

    def answer(self, key: object, said: str, reason: str = "") -> bool:
        known = [question for question in self.questions if question.key == key]
        self.asked.append(("answer", said, reason))
        self.questions = [question for question in self.questions if question.key != key]
        return bool(known)

    async def judge_words(self) -> Sequence[str]:
        return self.health

    async def close(self) -> None:
        self.asked.append(("close",))


@dataclass
class FakeFacts:
    """Implements `view.Facts` from what tests put in."""

    ledger: Ledger
    matches: dict[tuple[str, int], MatchRecord] = field(default_factory=dict)
    texts: Mapping[tuple[str, str], Candidate] = field(default_factory=dict)
    earlier: dict[int, Ledger] = field(default_factory=dict)
    written: Mapping[str, Sequence[TextFact]] = field(default_factory=dict)

    async def match(self, group: str, seq: int) -> MatchRecord | None:
        return self.matches.get((group, seq))

    async def candidate(self, group: str, id_: str) -> Candidate:
        return self.texts.get((group, id_)) or Candidate(id_, f"The text of {id_}.", group=group)

    async def shown(self, record: MatchRecord, id_: str) -> Candidate:
        return await self.candidate(record.at or record.group, id_)

    async def texts_of(self, system: str) -> Sequence[TextFact]:
        return self.written.get(system, ())

    async def at(self, pos: int) -> Ledger:
        return self.earlier[pos]

    async def open(self) -> None:
        pass

    async def look(self) -> bool:
        return False

    async def close(self) -> None:
        pass


def view_of(ledger: Ledger, **state: object) -> RunView:
    """A view on a running run with these facts; `state` sets fields of `RunState`."""
    running = RunState(
        run="demo-1201-0900-ab12",
        name="demo",
        judge="mock:panel",
        phase="running",
        groups={id_: GroupState(id_) for id_ in ledger.groups},
    )
    for name, value in state.items():
        setattr(running, name, value)
    return RunView(FakeSession(state=running), FakeFacts(ledger))


class PaneApp(FramedApp[None]):
    """One widget on an otherwise empty screen; remembers every message that bubbles up."""

    def __init__(self, pane: Widget) -> None:
        super().__init__()
        self.pane = pane

    def compose(self) -> ComposeResult:
        yield self.pane


def screen_text(app: App[object]) -> str:
    """What a person reads on the screen, line by line."""
    height = app.size.height
    lines = app.screen._compositor.render_strips()
    return "\n".join("".join(segment.text for segment in strip).rstrip() for strip in lines[:height])


async def settled(pilot: Pilot[object]) -> None:
    """Wait until everything that was asked for is on the screen."""
    await pilot.pause()
    await pilot.app.workers.wait_for_complete()
    await pilot.pause()
