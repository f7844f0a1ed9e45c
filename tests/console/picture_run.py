"""One run as the pictures show it: the same every time, with a debate under way."""

from __future__ import annotations

from pathlib import Path

from console_facts import FakeFacts, FakeSession, act, entrant, ledger_of, play
from debate_facts import Growing, decided, flight, record, said, turn
from textual.screen import Screen

from arena_tui.candidate import Candidate
from arena_tui.console.actions import bindings
from arena_tui.console.fits import fit_all
from arena_tui.console.framed import FramedApp
from arena_tui.console.glyphs import UNICODE, Glyphs
from arena_tui.console.ledger import Ledger
from arena_tui.console.ports import ProviderView, Waiting
from arena_tui.console.screens.run import RunScreen
from arena_tui.console.themes import OWN
from arena_tui.engine.state import GroupState, RunState
from arena_tui.ratings.stability import Distance
from arena_tui.store.board_rows import USUAL, MatchFact, Rules

PLANS = (
    ("reef", "Cooler reefs by shading", ()),
    ("kelp", "Kelp lines along the shelf", ()),
    ("larvae", "Heat-tolerant larvae", ()),
    ("pump", "Pumping deep water up", ()),
    ("alkali", "Raising alkalinity", ()),
    ("nets", "Nets against starfish", ()),
    ("shade-larvae", "Shade for young larvae", ("reef", "larvae")),
    ("kelp-nets", "Kelp with starfish nets", ("kelp", "nets")),
    ("cool-nursery", "A cool nursery at depth", ("shade-larvae", "pump")),
    ("night-pump", "Pumping at night only", ("pump",)),
)
OPENING = (
    "Shading works where the water is shallow and the sun is the cause. It needs *no new biology*, and its "
    "cost is known: three trials, two of them through a heat wave. The plan says what would show it wrong."
)
ANSWER = (
    "The trials covered forty square metres. A reef has a million. What the other side calls a known cost is "
    "the cost of a **sail**, not of a reef; larvae spread by themselves."
)
VERDICT = "Text 1 names its test and its failure. Text 2 relies on larvae that settle"


def pool(rules: Rules = USUAL) -> Ledger:
    """Ten plans, three of them with two parents, one rejected, one pinned, one without a match."""
    start = 1200.0 if rules.kind == "elo" else 0.0
    facts = [
        entrant(id_, title=title, parent_ids=parents, generation=len(parents) and 1, start=start)
        for id_, title, parents in PLANS[:-1]
    ]
    ledger = ledger_of(facts, 58, seed=11, rules=rules)
    act(ledger, "reject", "alkali", "rejected")
    act(ledger, "pin", "reef", "pinned")
    play(ledger, 4, seed=3)
    id_, title, parents = PLANS[-1]
    ledger.admit(entrant(id_, title=title, parent_ids=parents, generation=1, start=start))
    fit_all(ledger)
    return ledger


def fitted(kind: str, behind: int = 0) -> Ledger:
    """The same plans in another format, with a fit that lags some matches behind."""
    ledger = pool(Rules(kind))
    play(ledger, behind, seed=5)
    return ledger


def bracket() -> Ledger:
    """A knockout of the same plans after its second round, in which one meeting was drawn once."""
    ledger = ledger_of(
        [entrant(id_, title=title, start=0.0) for id_, title, _ in PLANS], rules=Rules("knockout")
    )
    meetings = (
        (1, "pump", "night-pump", "a"),
        (1, "alkali", "cool-nursery", "b"),
        (2, "reef", "pump", "a"),
        (2, "kelp", "cool-nursery", "a"),
        (2, "larvae", "kelp-nets", "draw"),
        (2, "nets", "shade-larvae", "b"),
        (2, "larvae", "kelp-nets", "a"),
    )
    for seq, (round_, a, b, winner) in enumerate(meetings, 1):
        won = {"a": 1.0, "b": 0.0, "draw": 0.5}[winner]
        one, other = (ledger.groups["main"].by_id[each].rating for each in (a, b))
        scores = (one, one + won, other, other + 1.0 - won)
        fact = MatchFact(seq, "main", seq, a, b, "pairwise", winner, *scores, False, round=round_)  # type: ignore[arg-type]
        ledger.apply([fact])
    fit_all(ledger)
    return ledger


def state_of(ledger: Ledger, **fields: object) -> RunState:
    """A run with three limits, 64 of its matches started."""
    state = RunState(
        run="reefs-1201-0900-ab12",
        name="reefs",
        judge="mock:panel",
        seed=11,
        phase="running",
        quiet=False,
        groups={id_: GroupState(id_, distance=_distance()) for id_ in ledger.groups},
        held=1,
        usd=0.84,
        usd_reserved=0.31,
        usd_limit=2.0,
        tokens=412_000,
        started=66,
        match_limit=120,
        elapsed=512.0,
        wall_clock_limit=1800.0,
        concurrency=8,
        in_flight={
            ("main", 63, "ab"): flight(
                63, a="reef", b="larvae", speaker="judge", text=Growing(VERDICT), since=0.0
            ),
            ("main", 64, "ab"): flight(64, a="kelp", b="pump", speaker="advocate of 2", slot=2, since=2.0),
            ("main", 65, "ab"): flight(65, a="nets", b="kelp-nets", mode="pairwise", since=3.0),
        },
    )
    for index in range(ledger.match_count):
        winner = ledger.match(index).winner
        setattr(state, winner, getattr(state, winner) + 1)
    for name, value in fields.items():
        setattr(state, name, value)
    state.touch()
    return state


def _distance() -> Distance:
    return Distance(
        2, 3, changed=("kelp",), moving=(("larvae", 31.2), ("pump", 28.0)), matches_missing=12, eps=25
    )


def run_screen(ledger: Ledger | None = None, *, glyphs: Glyphs = UNICODE, **state: object) -> RunScreen:
    """The screen of the run, following match 63."""
    ledger = pool() if ledger is None else ledger
    session = FakeSession(state=state_of(ledger, **state), run="reefs-1201-0900-ab12")
    session.seen = [ProviderView("mock:panel", 3, 8, 0, "rate limited, 4 s", 322, 12)]
    session.health = ["first slot 52 %, consistent 91 %, invalid 1 %"]
    debate = record(
        63,
        "reef",
        "larvae",
        turns=(turn(0, OPENING, slot=1), turn(1, ANSWER, slot=2)),
    )
    facts = FakeFacts(
        ledger,
        {
            ("main", 63): debate,
            ("main", 62): decided(62, a="kelp", b="pump", said=(said(reason="Kelp grows without a pump."),)),
        },
        {("main", id_): Candidate(id_, f"{title}. {OPENING}", title=title) for id_, title, _ in PLANS},
    )
    screen = RunScreen(session, glyphs, feed=facts, now=lambda: 600.0)
    screen.view.match = "main", 63
    return screen


class PictureApp(FramedApp[None]):
    """One screen in our own theme, as the console shows it."""

    CSS_PATH = Path(__file__).parents[2] / "arena_tui" / "console" / "arena.tcss"
    HORIZONTAL_BREAKPOINTS = [(0, "-cramped"), (60, "-narrow"), (100, "-normal"), (160, "-wide")]  # noqa: RUF012
    VERTICAL_BREAKPOINTS = [(0, "-short"), (16, "-tall")]  # noqa: RUF012
    TITLE = "arena"
    BINDINGS = bindings("app")

    def __init__(self, shown: Screen[None], *, theme: str = OWN[0].name, plain_ascii: bool = False) -> None:
        super().__init__()
        self.plain_ascii = plain_ascii
        self.shown = shown
        for each in OWN:
            self.register_theme(each)
        self.theme = theme

    async def on_mount(self) -> None:
        await self.push_screen(self.shown)


def question() -> Waiting:
    """A question for a person."""
    return Waiting(
        key=("main", 64, "ab"),
        task="Which plan saves more reef by 2040?",
        prompt=None,
        criteria={"Scale": "Could it cover a thousand hectares?", "Test": "Would we notice if it failed?"},
        first=OPENING,
        second=ANSWER,
        first_review=None,
        second_review=None,
        draws=True,
    )
