"""Systems on screens: their texts and prompts in a match, records by category, and no group of their own."""

from __future__ import annotations

from console_facts import PaneApp, entrant, screen_text, settled, view_of
from debate_facts import decided, said
from screen_app import ScreenApp

from arena_tui.candidate import Candidate
from arena_tui.console.ledger import Ledger
from arena_tui.console.screens.candidate import CandidateScreen
from arena_tui.console.screens.match import MatchScreen
from arena_tui.console.view import RunView
from arena_tui.console.widgets.candidate_words import system_page
from arena_tui.console.widgets.leaderboard import Leaderboard
from arena_tui.console.widgets.lineage import Lineage
from arena_tui.console.widgets.transcript import Transcript
from arena_tui.store.board_rows import GroupFact, MatchFact, Rules, TextFact
from arena_tui.vocabulary import ARENA

SYSTEMS = ("north", "south", "west")
PROMPTS = {"tea": "How long should green tea draw?", "ale": "Why does ale foam?"}


def meetings() -> Ledger:
    """Six matches, over two groups of different categories."""
    ledger = Ledger(Rules("adaptive", dealt=True))
    for group, prompt in PROMPTS.items():
        ledger.open_group(GroupFact(group, prompt, "skipped", None, "", f"{group} questions"))
        for system in SYSTEMS:
            ledger.admit(entrant(f"{group}-{system}", group=group, system=system))
    ledger.open_group(GroupFact(ARENA, None, "open", None, ""))
    for system in SYSTEMS:
        ledger.admit(entrant(system, group=ARENA, system=system, start=0.0))
    points = dict.fromkeys(SYSTEMS, 0.0)
    for seq in range(1, 7):
        a, b = SYSTEMS[seq % 3], SYSTEMS[(seq + 1) % 3]
        sides = (points[a], points[a] + 1.0, points[b], points[b])
        points[a] += 1.0
        at = ("tea", "ale")[seq % 2]
        ledger.apply(
            [MatchFact(seq, ARENA, seq, a, b, "pairwise", "a", *sides, False, ab="first", at=at, played="a")]
        )
    return ledger


def view() -> RunView:
    shown = view_of(meetings())
    record = decided(
        1,
        group=ARENA,
        a="south",
        b="west",
        mode="pairwise",
        why="teaches most",
        at="ale",
        a_before=0.0,
        a_after=1.0,
        b_before=0.0,
        b_after=0.0,
        said=(said(reason="It names the cause."),),
    )
    shown.facts.matches = {(ARENA, 1): record}
    shown.facts.texts = {
        ("ale", system): Candidate(f"ale-{system}", f"{system} says: proteins hold the gas", group="ale")
        for system in SYSTEMS
    }
    shown.facts.written = {
        system: [
            TextFact(group, f"{group} questions", "", f"{system} on {group}: [b]so it is[/b]", 30)
            for group in PROMPTS
        ]
        for system in SYSTEMS
    }
    shown.match = (ARENA, 1)
    return shown


async def test_a_match_shows_what_both_wrote_in_its_group_under_its_prompt() -> None:
    app = ScreenApp(MatchScreen(view(), ARENA, 1))
    async with app.run_test(size=(120, 40)) as pilot:
        await settled(pilot)
        text = screen_text(app)
    assert "south says: proteins hold the gas" in text
    assert "west says: proteins hold the gas" in text
    assert "texts of group ale: Why does ale foam?" in text
    assert "match 1, pairwise" in text
    assert "South 0 to 1 points (+1), West 0 to 0 points (+0)" in text
    assert "*" not in text.replace("**", "")


async def test_the_transcript_names_the_group_and_its_prompt() -> None:
    app = PaneApp(Transcript(view()))
    async with app.run_test(size=(100, 16)) as pilot:
        await settled(pilot)
        text = screen_text(app)
    assert "texts of group ale: Why does ale foam?" in text
    assert "South" in text


async def test_a_system_has_its_record_by_category_and_its_texts_by_group() -> None:
    app = ScreenApp(CandidateScreen(view(), ARENA, "south"))
    async with app.run_test(size=(130, 40)) as pilot:
        await settled(pilot)
        text = screen_text(app)
        app.shown.action_copy()
    lines = text.splitlines()
    assert any("1-0-1" in line and "tea questions" in line for line in lines) or any(
        "0-0-1" in line and "tea questions" in line for line in lines
    )
    assert "south on ale: [b]so it is[/b]" in text
    assert "group *" not in text
    assert "system south" not in text
    assert "group" in text


async def test_the_board_knows_no_group_of_systems() -> None:
    shown = view()
    app = PaneApp(Leaderboard(shown))
    async with app.run_test(size=(100, 12)) as pilot:
        await settled(pilot)
        text = screen_text(app)
    assert "*" not in text
    assert [each.id for each in shown.ledger.board()] == list(SYSTEMS)
    assert "tea-north" not in text
    assert shown.ledger.group_name(ARENA) == "all groups"
    assert shown.ledger.group_name("tea") == "tea"


async def test_no_name_stands_twice_where_systems_are_shown() -> None:
    shown = view()
    board, tree = Leaderboard(shown), Lineage(shown)
    for pane, told in ((board, "title"), (tree, "systems have no family tree")):
        app = PaneApp(pane)
        async with app.run_test(size=(200, 12)) as pilot:
            await settled(pilot)
            text = screen_text(app)
        assert told in text
        assert "no parents" not in text
    assert "system" not in {place.column.id for place in board.board.placed}
    texts = [
        TextFact("tea", None, "Two minutes, then", "Two minutes,\nthen it turns bitter.", 30),
        TextFact("ale", None, "Foam", "Proteins hold the gas.", 22),
    ]
    page = system_page(shown.ledger.board()[0], texts, 160).plain
    assert page.count("Two minutes") == 1
    assert "Foam: Proteins hold the gas." in page
