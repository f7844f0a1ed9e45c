"""The match screen shows all of a match, marks differences, and asks for what it cannot do itself."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import pytest
from console_facts import HOSTILE, FakeFacts, entrant, ledger_of, play, screen_text, settled, view_of
from debate_facts import Growing, decided, flight, record, said, turn
from textual.message import Message
from textual.pilot import Pilot

from arena_tui.candidate import Candidate
from arena_tui.console.framed import FramedApp
from arena_tui.console.messages import Copied
from arena_tui.console.screens.match import MatchScreen
from arena_tui.console.view import RunView
from arena_tui.console.widgets.match_head import match_head
from arena_tui.console.widgets.turns import Names
from arena_tui.store.match_rows import MatchRecord

FIRST = "Sleep clears tau.\n\n**Test:** deprive mice for 6 h."
SECOND = "Fasting clears tau.\n\n**Test:** fast mice for 24 h."
DEBATE = decided(
    p_a=0.71,
    orders=("ab", "ba"),
    said=(
        said(p_first=0.8, reason="Text 1 can be tested.", flags=("re-asked",)),
        said("ba", "draw", reason="Both are fine."),
    ),
    turns=(
        turn(0, "Sleep is *testable*.", slot=1),
        turn(1, "Fasting has data.", slot=2),
        turn(2, "", failure="overloaded (529)"),
        turn(2, "VERDICT: 1", attempt=2),
        turn(0, "Fasting first.", slot=1, orientation="ba"),
    ),
)


class Host(FramedApp[None]):
    """An app with the screen on it."""

    def __init__(self, shown: MatchScreen) -> None:
        super().__init__()
        self.shown = shown

    def on_mount(self) -> None:
        """Show it."""
        self.push_screen(self.shown)


class Stage:
    """A match screen over facts that tests put in."""

    def __init__(self, *records: MatchRecord, matches: int = 1) -> None:
        self.view: RunView = view_of(ledger_of([entrant(name) for name in ("alpha", "beta")], matches))
        self.store(*records)
        texts = {("main", "alpha"): Candidate("alpha", FIRST), ("main", "beta"): Candidate("beta", SECOND)}
        self.facts.texts = texts
        self.messages: list[Message] = []
        self.pilot: Pilot[None]

    @property
    def facts(self) -> FakeFacts:
        facts = self.view.facts
        assert isinstance(facts, FakeFacts)
        return facts

    def store(self, *records: MatchRecord) -> None:
        self.facts.matches.update({(each.group, each.seq): each for each in records})

    @asynccontextmanager
    async def open(self, size: tuple[int, int] = (200, 60)) -> AsyncIterator[Stage]:
        app = Host(MatchScreen(self.view, "main", 1))
        async with app.run_test(size=size, message_hook=self.messages.append) as self.pilot:
            await settled(self.pilot)
            yield self

    async def press(self, *keys: str) -> str:
        await self.pilot.press(*keys)
        await settled(self.pilot)
        return self.text()

    def text(self) -> str:
        return screen_text(self.pilot.app)

    def told(self, kind: type[Message]) -> list[Message]:
        found = {id(message): message for message in self.messages if isinstance(message, kind)}
        return list(found.values())


async def test_both_texts_all_turns_and_the_ratings_are_on_a_wide_screen() -> None:
    async with Stage(DEBATE).open() as on:
        text = on.text()
        line = next(line for line in text.split("\n") if "Sleep clears tau." in line)
        assert "Fasting clears tau." in line
        assert "Text 1: Alpha" in text
        assert "Text 2: Beta" in text
        assert "both orders, newcomer" in text
        assert "● Alpha, text 1, turn 1, Alpha shown first" in text
        assert "● Beta, text 1, turn 1, Beta shown first" in text
        assert "✕ an attempt failed: overloaded (529)" in text
        assert "✓ Alpha beats Beta" in text
        assert "Alpha 1200.0 to 1216.0 (+16.0), Beta 1200.0 to 1184.0 (-16.0)" in text


async def test_a_narrow_screen_shows_one_part_and_tab_goes_on() -> None:
    async with Stage(DEBATE).open((80, 24)) as on:
        assert "[Turns]" in on.text()
        assert "Sleep clears tau." not in on.text()
        text = await on.press("tab")
        assert "[Text 1]" in text
        assert "Sleep clears tau." in text
        assert "Sleep is" not in text
        assert "Fasting clears tau." in await on.press("tab")
        assert "[Turns]" in await on.press("tab")
        assert "[Text 2]" in await on.press("shift+tab")
        await on.pilot.resize_terminal(200, 60)
        await settled(on.pilot)
        assert "Sleep clears tau." in on.text()
        assert "Sleep is testable." in on.text()


async def test_the_text_shown_first_stands_to_the_left() -> None:
    async with Stage(decided(orders=("ba",))).open() as on:
        assert "1 Beta  vs  2 Alpha" in on.text()
        assert "Text 1: Beta" in on.text()
        line = next(line for line in on.text().split("\n") if "Sleep clears tau." in line)
        assert line.index("Fasting") < line.index("Sleep")


async def test_differences_are_marked_and_unmarked() -> None:
    async with Stage(DEBATE).open() as on:
        text = await on.press("d")
        assert "mostly" not in text
        assert "the marked words are only here" in text
        assert "**Test:**" in text
        screen = on.pilot.app.screen
        assert isinstance(screen, MatchScreen)
        blocks = [block for section in screen._texts.first.sections for block in section.blocks]
        marked = [
            block.plain[start:end] for block in blocks for start, end, style in block.spans if style == "only"
        ]
        assert marked == ["Sleep", "deprive", "6"]
        assert "only here" not in await on.press("d")


async def test_equal_texts_are_said_to_be_equal() -> None:
    on = Stage(DEBATE)
    on.facts.texts = {("main", name): Candidate(name, "the same") for name in ("alpha", "beta")}
    async with on.open():
        assert "both are equal" in await on.press("d")


async def test_the_replies_come_raw_with_what_they_took_and_what_was_read_from_them() -> None:
    async with Stage(DEBATE).open() as on:
        text = await on.press("w")
        assert "Replies as they came" in text
        assert "order ab, judge 1, turn 1, sample 0, attempt 1, advocate of K1" in text
        assert (
            "mock-panel-1, 1,200 (300 cached) tokens in, 240 out, $0.0123, 3.2 s, ended with end_turn" in text
        )
        assert "Sleep is *testable*." in text
        text = await on.press("end")
        assert "read from order ab (Alpha first): text 1 is better: Alpha, chance of text 1 0.80" in text
        assert "⚑ re-asked" in text
        assert "Text 1 can be tested." in text
        assert "read from order ba (Beta first): a draw" in text
        assert "─ Turns ─" in await on.press("w")


@pytest.mark.parametrize(
    ("key", "outcome"),
    [("2", "b"), ("d", "draw"), ("v", "void"), ("1", None), ("enter", None), ("escape", None)],
)
async def test_another_outcome_is_asked_for_by_name(key: str, outcome: str | None) -> None:
    async with Stage(DEBATE).open() as on:
        text = await on.press("o")
        assert "Which outcome shall match 1 have?" in text
        assert "Beta wins" in text
        await on.press(key)
        told = [(m.group, m.seq, m.outcome) for m in on.told(MatchScreen.Overruled)]  # type: ignore[attr-defined]
        assert told == ([] if outcome is None else [("main", 1, outcome)])


async def test_the_sides_of_an_overruled_match_are_those_on_screen() -> None:
    async with Stage(decided(orders=("ba",))).open() as on:
        await on.press("o", "1")
        assert [m.outcome for m in on.told(MatchScreen.Overruled)] == ["b"]  # type: ignore[attr-defined]


async def test_a_match_without_an_outcome_cannot_be_overruled() -> None:
    async with Stage(record(turns=(turn(0, "so far"),)), matches=0).open() as on:
        await on.press("o")
        assert [each.message for each in on.pilot.app._notifications] == [
            "match 1 is not decided yet, so there is nothing to overrule"
        ]
        assert not on.told(MatchScreen.Overruled)


async def test_a_held_match_says_so_and_can_neither_be_overruled_nor_judged_by_hand() -> None:
    async with Stage(record(turns=(turn(0, "so far"),)), matches=0).open() as on:
        assert "held" not in on.text()
        on.store(record(said=(said(verdict="second"),), turns=(turn(0, "so far"),)))
        screen = on.pilot.app.screen
        assert isinstance(screen, MatchScreen)
        screen.pull()  # nothing tells that the verdict is stored
        await settled(on.pilot)
        held = "judged: Beta is better; held until an earlier match is decided"
        assert f"‖ {held}" in on.text()
        await on.press("o", "h")
        assert [each.message for each in on.pilot.app._notifications] == [
            f"match 1 is {held}, so there is nothing to overrule",
            f"match 1 is {held}, so there is nothing to compare with",
        ]
        assert not on.told(MatchScreen.Overruled)
        assert not on.told(MatchScreen.HandWanted)


async def test_a_text_is_shown_as_it_is() -> None:
    on = Stage(DEBATE)
    on.facts.texts = {("main", "alpha"): Candidate("alpha", "# Sleep\n\n\n- *one*\n```\ncode\n```")}
    async with on.open():
        for line in ("# Sleep", "- *one*", "```"):
            assert line in on.text()


async def test_texts_without_a_common_word_are_mostly_rewritten() -> None:
    on = Stage(DEBATE)
    on.facts.texts = {
        ("main", "alpha"): Candidate("alpha", "one two"),
        ("main", "beta"): Candidate("beta", "x"),
    }
    async with on.open():
        assert "mostly rewritten: the marked words are only here" in await on.press("d")


async def test_a_debate_is_told_once_among_the_replies_and_a_reason_of_its_own_is_kept() -> None:
    spoken = "advocate of K1: Sleep is testable.\nIt is.\n\njudge: Text 1."
    turns = (turn(0, "Sleep is testable.\nIt is.", slot=1), turn(1, "Text 1.\nVERDICT: 1"))
    for reason, count in ((spoken, 1), (f"{spoken}\nand more", 2)):
        async with Stage(decided(said=(said(reason=reason),), turns=turns)).open() as on:
            text = await on.press("w")
            assert text.count("Sleep is testable.") == count
            assert "read from order ab" in text


async def test_what_a_program_printed_is_among_the_replies_only() -> None:
    printed = turn(0, '{"winner": "first", "reason": "so"}', speaker="")
    async with Stage(decided(said=(said(reason="so"),), turns=(printed,))).open() as on:
        assert '"winner"' not in on.text()
        assert '"winner"' in await on.press("w")


async def test_judging_it_by_hand_is_asked_for() -> None:
    async with Stage(DEBATE).open() as on:
        await on.press("h")
        assert [(m.group, m.seq) for m in on.told(MatchScreen.HandWanted)] == [("main", 1)]  # type: ignore[attr-defined]


async def test_copying_takes_the_part_in_focus() -> None:
    async with Stage(DEBATE).open() as on:
        await on.press("y")
        await on.press("tab", "y")
        turns, text = (message.text for message in on.told(Copied))  # type: ignore[attr-defined]
        assert turns.startswith("● Alpha, text 1, turn 1, Alpha shown first\nSleep is *testable*.")
        assert text == FIRST


async def test_a_match_that_goes_on_is_read_again() -> None:
    on = Stage(record(), matches=0)
    async with on.open():
        screen = on.pilot.app.screen
        assert isinstance(screen, MatchScreen)
        assert "nothing was said yet" in on.text()
        on.store(record(turns=(turn(0, "first words", slot=1),)))
        on.view.state.in_flight = {("main", 1, "ab"): flight(speaker="judge", text=Growing())}
        screen.pull()
        await settled(on.pilot)
        assert "first words" in on.text()
        on.store(decided())
        play(on.view.ledger, 1)
        screen.pull()
        await settled(on.pilot)
        assert "Alpha beats Beta" in on.text()


async def test_a_match_that_is_not_there_is_said_to_be_missing() -> None:
    async with Stage().open() as on:
        assert "there is no match 1" in on.text()


async def test_more_turns_than_a_transcript_keeps_are_all_here() -> None:
    async with Stage(
        decided(turns=tuple(turn(number, f"said {number}.") for number in range(90)))
    ).open() as on:
        assert "said 0." in on.text()
        assert "said 89." in await on.press("end")


def nasty(text: str) -> Stage:
    """A match in which every text from outside is this one."""
    on = Stage(
        decided(
            why=text,
            flags=(text,),
            said=(said(reason=text, flags=(text,)),),
            turns=(
                turn(0, text, slot=1),
                turn(1, "", failure=text, model=text, speaker=text, stop_reason=text),
            ),
        )
    )
    on.view.facts.ledger = ledger_of([entrant("alpha", title=text), entrant("beta", title=text)], 1)
    on.facts.texts = {
        ("main", "alpha"): Candidate("alpha", text, review=text),
        ("main", "beta"): Candidate("beta", f"{text} {text}"),
    }
    return on


def assert_harmless(shown: str) -> None:
    assert all(char.isprintable() or char in "\n\u200d" for char in shown), ascii(shown)


@pytest.mark.parametrize("size", [(80, 24), (200, 60)])
async def test_hostile_texts_are_only_text(size: tuple[int, int]) -> None:
    async with nasty("\n".join(HOSTILE)).open(size) as on:
        for keys in (("tab",), ("d",), ("tab",), ("w",), ("end",), ("o",)):
            assert_harmless(await on.press(*keys))


async def test_hostile_titles_are_only_titles() -> None:
    async with nasty("x").open((80, 24)) as on:
        for text in HOSTILE:
            on.pilot.app.push_screen(MatchScreen(nasty(text).view, "main", 1))
            await settled(on.pilot)
            assert_harmless(on.text())
            assert_harmless(await on.press("o"))
            await on.press("escape")


@pytest.mark.parametrize(
    ("why", "told"),
    [
        ("information", "chosen as the pair whose verdict teaches most"),
        ("opening", "an opening match, so that everybody is compared early"),
        ("focus", "somebody asked that one of them play next"),
        ("asked", "somebody asked for this match"),
        ("round 2, seed 1 v seed 4", "round 2, seed 1 v seed 4"),
    ],
)
def test_a_one_word_reason_for_a_match_is_explained(why: str, told: str) -> None:
    head = match_head(Names("Alpha", "Beta"), "match 1", "pairwise", record(1, why=why))
    assert head.plain.splitlines()[1] == f"match 1, pairwise, one order, {told}"
