"""The transcript follows, streams, steps, finds, copies, and lets nothing through."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import pytest
from console_facts import (
    HOSTILE,
    FakeFacts,
    FakeSession,
    PaneApp,
    entrant,
    ledger_of,
    play,
    screen_text,
    settled,
    view_of,
)
from debate_facts import Growing, decided, flight, record, said, turn
from textual.message import Message
from textual.pilot import Pilot

from arena_tui.console.glyphs import ASCII
from arena_tui.console.messages import Copied, MatchOpened
from arena_tui.console.view import RunView
from arena_tui.console.widgets.choice_of_match import BRIEF, HELD, MOMENT
from arena_tui.console.widgets.held import held_words
from arena_tui.console.widgets.live_turn import LiveTurn
from arena_tui.console.widgets.transcript import AGAIN, Transcript
from arena_tui.console.widgets.transcript_turns import MOUNTED
from arena_tui.console.widgets.turns import Names
from arena_tui.engine.state import InFlight
from arena_tui.errors import StoreError
from arena_tui.store.match_rows import MatchRecord, SaidRecord


class Stage:
    """A transcript on a screen with a clock that stands still."""

    def __init__(self, view: RunView) -> None:
        self.view = view
        self.pane = Transcript(view)
        self.now = 100.0
        self.pane.clock = lambda: self.now
        self.messages: list[Message] = []
        self.pilot: Pilot[None]

    @asynccontextmanager
    async def open(self, size: tuple[int, int] = (80, 24)) -> AsyncIterator[Stage]:
        app = PaneApp(self.pane)
        async with app.run_test(size=size, message_hook=self.messages.append) as self.pilot:
            await settled(self.pilot)
            yield self

    def fly(self, *flights: InFlight) -> None:
        self.view.state.in_flight = {(each.group, each.seq, each.orientation): each for each in flights}
        self.view.state.touch()

    def store(self, *records: MatchRecord) -> None:
        facts = self.view.facts
        assert isinstance(facts, FakeFacts)
        facts.matches.update({(each.group, each.seq): each for each in records})

    async def pull(self, seconds: float = 0.0) -> str:
        self.now += seconds
        self.pane.pull()
        await settled(self.pilot)
        return self.text()

    async def press(self, *keys: str) -> str:
        await self.pilot.press(*keys)
        await settled(self.pilot)
        return self.text()

    def text(self) -> str:
        return screen_text(self.pilot.app)

    def told(self, kind: type[Message]) -> list[Message]:
        found = {id(message): message for message in self.messages if isinstance(message, kind)}
        return list(found.values())  # each passes several widgets


def stage(matches: int = 0, **state: object) -> Stage:
    view = view_of(ledger_of([entrant(name) for name in ("alpha", "beta", "gamma")], matches), **state)
    return Stage(view)


async def test_before_the_first_match_a_line_says_what_comes_here() -> None:
    async with stage().open() as on:
        assert "No match yet" in on.text()
        assert "─ Transcript ─" in on.text()


async def test_it_follows_the_newest_match_in_which_something_is_said_and_prefers_debates() -> None:
    async with stage().open() as on:
        on.fly(
            flight(1, mode="pairwise", since=9.0, speaker="judge"),
            flight(2, since=1.0, speaker="advocate of K1"),
            flight(3, since=2.0, speaker="advocate of K1"),
            flight(4, since=8.0),
        )
        text = await on.pull()
        assert "following" in text
        assert "match 3, debate" in text
        assert "1 Alpha  vs  2 Beta" in text


async def test_the_live_text_grows_on_the_screen_and_is_named_after_its_candidate() -> None:
    live = Growing("The first")
    async with stage().open() as on:
        on.fly(flight(speaker="advocate of K7", slot=2, text=live))
        text = await on.pull()
        assert "● Beta, text 2" in text
        assert "The first▌" in text
        live.text += " argument\nand the second"
        on.view.state.touch()
        text = await on.pull()
        assert "The first argument" in text
        assert "and the second▌" in text


async def test_a_stream_breaks_into_the_same_rows_however_it_comes() -> None:
    text = (
        "a full row of words that ends just so \n\nand  two   blanks, 混合 wide ones, " + "x" * 90 + "\tend "
    )
    shown = set()
    for size in (1, 7, 1_000):
        live = Growing()
        section = LiveTurn([], live, "_")
        section.fit(38)
        for at in range(0, len(text), size):
            live.text = text[: at + size]
            section.take()
        shown.add(tuple(row.text for row in section.rows))
        assert section.rows[1].text == ""
        assert section.rows[-1].text.endswith("end_")
        section.end()
        assert section.rows[-1].text.endswith("end")
    assert len(shown) == 1


async def test_nothing_is_read_while_the_revision_stands() -> None:
    live = Growing("some words")
    async with stage().open() as on:
        on.fly(flight(speaker="judge", text=live))
        await on.pull()
        read = live.read
        await on.pull()
        assert live.read == read


async def test_a_stored_turn_takes_the_place_of_the_live_one_without_a_gap() -> None:
    live = Growing("**Sleep** clears tau")
    async with stage().open() as on:
        on.fly(flight(speaker="advocate of K1", slot=1, text=live))
        assert (await on.pull()).count("clears tau") == 1
        on.fly(flight(speaker="advocate of K2", slot=2, text=Growing("But no")))
        text = await on.pull()
        assert text.count("clears tau") == 1  # not stored yet: it stays as it streamed
        assert text.index("clears tau") < text.index("But no")
        on.store(record(turns=(turn(0, live.text, slot=1),)))
        text = await on.pull(AGAIN)
        assert text.count("clears tau") == 1
        assert "**" not in text
        assert "But no▌" in text


async def test_a_turn_that_is_stored_while_it_still_flies_is_shown_once() -> None:
    live = Growing("All is said.")
    async with stage().open() as on:
        on.store(record(turns=(turn(0, "All is said.", slot=1),)))
        on.fly(flight(speaker="advocate of K1", slot=1, text=live))
        assert (await on.pull()).count("All is said.") == 1


async def test_both_orders_stream_next_to_each_other() -> None:
    async with stage().open() as on:
        on.fly(
            flight(speaker="advocate of K1", slot=1, text=Growing("one way")),
            flight(speaker="judge 2: advocate of K1", slot=1, text=Growing("other way"), orientation="ba"),
        )
        text = await on.pull()
        assert "● Alpha, text 1, Alpha shown first" in text
        assert "● Beta, text 1, judge 2, Beta shown first" in text
        assert "one way▌" in text
        assert "other way▌" in text


async def test_a_verdict_is_told_in_names_with_what_it_did_to_both_ratings() -> None:
    async with stage().open() as on:
        on.fly(flight())
        await on.pull()
        on.store(decided(p_a=0.731, flags=("dissent",), turns=(turn(0, "Alpha is better."),)))
        on.fly()
        play(on.view.ledger, 1)
        text = await on.pull()
        assert "✓ Alpha beats Beta" in text
        assert "Alpha 1216.0 (+16.0), Beta 1184.0 (-16.0)" in text
        assert "chance that Alpha is better: 0.73" in text
        assert "⚑ dissent" in text


@pytest.mark.parametrize(
    ("fields", "words"),
    [
        ({"winner": "b"}, "✓ Beta beats Alpha"),
        ({"winner": "draw"}, "= a draw between Alpha and Beta"),
        ({"winner": "void", "void_reason": "nobody spoke", "a_after": None}, "✗ void: nobody spoke"),
        ({"overruled": True}, "✓ Alpha beats Beta (overruled)"),
    ],
)
async def test_every_outcome_has_a_sign_and_words(fields: dict[str, object], words: str) -> None:
    on = stage(1)
    on.store(decided(**fields))
    async with on.open():
        assert words in on.text()
        assert ("1216.0" in on.text()) == (fields.get("winner") != "void")


async def test_it_stays_on_a_match_until_its_verdict_was_seen_for_a_moment() -> None:
    async with stage().open() as on:
        on.fly(flight(1))
        await on.pull()
        on.fly(flight(2, since=5.0))
        assert "match 1," in await on.pull()  # judged, its outcome is not applied yet
        play(on.view.ledger, 1)
        on.store(decided(1, turns=(turn(0, "It is."),)))
        assert "beats" in await on.pull()
        assert "match 1," in await on.pull(MOMENT / 2)
        assert "match 2," in await on.pull(MOMENT)


async def test_a_match_that_waits_for_its_place_in_the_order_does_not_hold_the_screen() -> None:
    async with stage().open() as on:
        on.fly(flight(1))
        await on.pull()
        on.fly(flight(2, since=5.0))
        await on.pull()
        assert "match 2," in await on.pull(HELD)


async def test_quick_judges_that_say_nothing_are_followed_match_by_match() -> None:
    async with stage().open() as on:
        for seq in (1, 2, 3):
            on.fly(flight(seq, since=float(seq)))
            assert f"match {seq}," in await on.pull(MOMENT / 2)
            on.fly(flight(seq + 1, since=float(seq + 1)))
            play(on.view.ledger, 1)
            on.store(decided(seq, said=(said(),), turns=(turn(0, '{"winner": "first"}', speaker=""),)))
            assert "beats" in await on.pull()


async def test_a_debate_without_a_word_does_not_hide_the_match_in_which_somebody_speaks() -> None:
    async with stage().open() as on:
        on.fly(flight(1, since=1.0), flight(2, mode="pairwise", since=0.5))
        assert "match 1, debate" in await on.pull()
        on.fly(flight(1, since=1.0), flight(2, mode="pairwise", since=0.5, speaker="judge"))
        assert "match 2, pairwise" in await on.pull()


async def test_a_follower_expects_words_of_a_debate_that_another_process_holds() -> None:
    on = stage()
    assert isinstance(on.view.session, FakeSession)
    on.view.session.drives = False
    async with on.open():
        on.fly(flight(1, since=1.0), flight(2, mode="pairwise", since=9.0))
        assert "match 1, debate" in await on.pull()


async def test_a_held_verdict_is_told_in_words_and_does_not_hold_the_screen() -> None:
    async with stage().open() as on:
        on.fly(flight(2, since=9.0), flight(1))
        assert "match 2, debate" in await on.pull()
        on.store(record(2, said=(said(reason="It can be tested."),)))
        on.fly(flight(1), flight(3, since=10.0))
        text = await on.pull()
        assert "‖ judged: Alpha is better; held until an earlier match is decided" in text
        assert "It can be tested." in text
        assert "match 3, debate" in await on.pull(BRIEF)


@pytest.mark.parametrize(
    ("verdicts", "fields", "words"),
    [
        ((said("ab", "second"), said("ba", "first")), {}, "Beta is better"),
        ((said("ab", "first"), said("ba", "first")), {}, "a draw, as the two orders do not agree"),
        ((said("ab", "draw"), said("ba", "draw")), {}, "a draw;"),
        ((said("ab", "invalid"), said("ba", "second")), {}, "Alpha is better"),
        ((said("ab", "invalid"), said("ba", "invalid")), {}, "no usable verdict"),
        (
            (said("ab", "first", p_first=0.9), said("ba", "first", p_first=0.6)),
            {"mode": "score"},
            "Alpha is better",
        ),
    ],
)
def test_what_is_held_is_what_the_outcome_will_be(
    verdicts: tuple[SaidRecord, ...], fields: dict[str, object], words: str
) -> None:
    held = record(orders=("ab", "ba"), said=verdicts, **fields)
    assert held.held
    assert f"judged: {words}" in held_words(held, Names("Alpha", "Beta"))
    assert not record(orders=("ab", "ba"), said=verdicts[:1]).held


async def test_a_run_that_has_ended_is_followed_to_its_last_match() -> None:
    on = stage(3)
    on.store(*(decided(seq) for seq in (1, 2, 3, 4, 5)))
    async with on.open():
        assert "match 3," in on.text()
        play(on.view.ledger, 2)
        on.view.state.phase = "stopped"
        on.view.state.touch()
        await on.pull()
        assert "match 5," in await on.pull(BRIEF)


async def test_a_program_is_heard_through_its_reason_and_not_through_what_it_printed() -> None:
    on = stage(1)
    printed = '{"winner": "first", "reason": "stronger by a length"}'
    on.store(decided(1, said=(said(reason="stronger by a length"),), turns=(turn(0, printed, speaker=""),)))
    async with on.open():
        assert "◆ judge, turn 1" in on.text()
        assert "stronger by a length" in on.text()
        assert "winner" not in on.text()


async def test_each_program_of_a_panel_gives_its_own_reason() -> None:
    on = stage(1)
    printed = ('{"winner": "first", "reason": "so"}', '{"winner": "first"}', "[" * 100_000)
    turns = tuple(turn(0, text, speaker=f"judge {n + 1}", member=n) for n, text in enumerate(printed))
    on.store(decided(1, said=(said(reason="judge 1: so\n\njudge 2: "),), turns=turns))
    async with on.open(size=(80, 40)):
        lines = [line.strip("│ ") for line in on.text().split("\n")]
        assert lines[lines.index("◆ judge, judge 1, turn 1") + 1] == "so"
        assert lines[lines.index("◆ judge, judge 2, turn 1") + 1] == "(no reason given)"
        assert lines[lines.index("◆ judge, judge 3, turn 1") + 1] == "(no reason given)"


async def test_when_nothing_new_is_in_flight_it_stays() -> None:
    on = stage(3, phase="stopped")
    on.store(*(decided(seq) for seq in (1, 2, 3)))
    async with on.open():
        assert "match 3," in on.text()
        on.fly()
        assert "match 3," in await on.pull(60.0)


async def test_brackets_step_through_applied_matches_and_then_those_in_flight() -> None:
    on = stage(3)
    on.store(*(decided(seq) for seq in (1, 2, 3)))
    on.fly(flight(4, since=1.0), flight(5, since=2.0))
    async with on.open():
        assert "following" in on.text()
        assert "in flight, 1st of 2" in await on.press("left_square_bracket")
        assert "3rd of 3 decided" in await on.press("left_square_bracket")
        assert "match 3, debate" in on.text()
        await on.press("left_square_bracket")
        await on.press("left_square_bracket")
        assert "1st of 3 decided" in await on.press("left_square_bracket")
        assert "2nd of 3 decided" in await on.press("right_square_bracket")
        on.fly(flight(6, since=9.0))
        assert "2nd of 3 decided" in await on.pull(60.0)
        text = await on.press("f")
        assert "following" in text
        assert "match 6, debate" in text


async def test_a_group_narrows_what_is_followed_and_stepped_through() -> None:
    ledger = ledger_of(
        [entrant(f"{g}{n}", group=g) for g in "xy" for n in "12"],
        6,
        groups=("x", "y"),
    )
    view = view_of(ledger, in_flight={("x", 90, "ab"): flight(90, group="x", a="x1", b="x2", since=9.0)})
    on = Stage(view)
    async with on.open():
        assert "match x:90" in on.text()
        view.group = "y"
        text = await on.pull()
        assert "match y:" in text
        assert "match y:" in await on.press("left_square_bracket")
        assert "match y:" in await on.press("right_square_bracket")


async def test_a_match_that_another_pane_selects_is_shown_and_ends_following() -> None:
    on = stage(5)
    on.store(decided(2, why="chosen elsewhere"))
    async with on.open():
        on.view.match = "main", 2
        text = await on.pull()
        assert "2nd of 5 decided" in text
        assert "chosen elsewhere" in text


async def test_a_match_that_was_selected_before_is_not_left_by_itself() -> None:
    on = stage(5)
    on.store(decided(2))
    on.view.match = "main", 2
    async with on.open():
        on.fly(flight(9))
        assert "2nd of 5 decided" in await on.pull(60.0)


async def test_the_list_of_matches_in_flight_chooses_one() -> None:
    async with stage().open() as on:
        on.fly(flight(1, since=60.0), flight(2, since=95.0, a="gamma", mode="pairwise", speaker="judge"))
        await on.pull()
        text = await on.press("m")
        assert "Gamma  vs  Beta" in text
        assert "40 s" in text
        assert "5 s" in text
        await on.pull(2.0)
        assert "42 s" in on.text()
        text = await on.press("down", "enter")
        assert "in flight, 2nd of 2" in text
        await on.press("m", "escape")
        assert "in flight, 2nd of 2" in on.text()


async def test_words_are_found_and_enter_goes_from_place_to_place() -> None:
    on = stage(1)
    long = "\n\n".join(f"line {number}" + (" tau" if number in (3, 70) else "") for number in range(90))
    on.store(decided(1, turns=(turn(0, long),)))
    async with on.open():
        await on.press("slash", *"TAU")
        assert "2 found" in on.text()
        assert "line 3 tau" in await on.press("enter")
        assert "1 of 2 found" in on.text()
        assert "line 70 tau" in await on.press("enter")
        assert "2 of 2 found" in on.text()
        assert "line 3 tau" in await on.press("slash", "enter")
        await on.press("slash", "escape")
        assert "found" not in on.text()
        await on.press("enter")
        assert [(m.group, m.seq) for m in on.told(MatchOpened)] == [("main", 1)]  # type: ignore[attr-defined]


async def test_words_that_are_nowhere_are_said_to_be() -> None:
    async with stage(1).open() as on:
        assert "not found" in await on.press("slash", *"zzz")


async def test_copying_takes_the_newest_turn_in_sight_or_all_that_is_short() -> None:
    on = stage(2)
    on.store(
        decided(1, turns=(turn(0, "short one", slot=1), turn(1, "short two"))),
        decided(2, turns=(turn(0, "\n\n".join("abc" * 9), slot=1), turn(1, "the end"))),
    )
    async with on.open():
        await on.press("left_square_bracket", "y")
        await on.press("right_square_bracket", "y")
        first, second = (message.text for message in on.told(Copied))  # type: ignore[attr-defined]
        assert first == "● Alpha, text 1, turn 1\nshort one\n\n◆ judge, turn 2\nshort two"
        assert second.startswith("● Alpha, text 1, turn 1\na\n\nb")
        assert "the end" not in second


async def test_who_scrolls_up_stays_there_and_is_told_that_there_is_more() -> None:
    live = Growing("\n".join(f"line {number}" for number in range(60)))
    async with stage().open() as on:
        on.fly(flight(speaker="judge", text=live))
        assert "line 59▌" in await on.pull()
        await on.press("home")
        live.text += "\nthe newest"
        on.view.state.touch()
        text = await on.pull()
        assert "line 1\n" in "\n".join(line.strip(" │") for line in text.split("\n"))
        assert "▼ more" in text
        await on.press("end")
        assert "the newest▌" in on.text()
        assert "▼ more" not in on.text()


async def test_old_turns_of_a_long_match_are_left_to_the_match_screen() -> None:
    on = stage(1)
    on.store(decided(1, turns=tuple(turn(number, f"said {number}") for number in range(MOUNTED + 7))))
    async with on.open(size=(80, 200)):
        assert "7 earlier turns: Enter opens the match" in on.text()
        assert "said 6" not in on.text()
        assert "said 7" in on.text()


async def test_a_failed_attempt_is_one_dim_line() -> None:
    on = stage(1)
    on.store(decided(1, turns=(turn(0, "", failure="overloaded\n[/] 529"), turn(0, "at last", sample=1))))
    async with on.open():
        assert "✕ an attempt failed: overloaded [/] 529" in on.text()
        assert "◆ judge, turn 1, asked again" in on.text()


async def test_members_of_a_panel_are_told_apart() -> None:
    on = stage(1)
    on.store(decided(1, turns=(turn(0, "yes"), turn(0, "no", member=1))))
    async with on.open():
        assert "judge, judge 1, turn 1" in on.text()
        assert "judge, judge 2, turn 1" in on.text()


async def test_a_judge_without_calls_is_heard_through_its_reason() -> None:
    on = stage(1)
    on.store(decided(1, mode="pairwise", said=(said(reason="stronger by a length"),)))
    async with on.open():
        assert "stronger by a length" in on.text()


async def test_a_follower_looks_at_the_store_once_a_second_until_the_match_is_applied() -> None:
    on = stage()
    assert isinstance(on.view.session, FakeSession)
    on.view.session.drives = False
    on.store(record(1))
    on.fly(flight(1))
    async with on.open():
        on.store(record(1, turns=(turn(0, "from another process", slot=1),)))
        assert "another process" not in await on.pull(AGAIN / 2)
        assert "another process" in await on.pull(AGAIN / 2)


async def test_an_overruled_match_is_read_again() -> None:
    on = stage(1)
    on.store(decided(1))
    async with on.open():
        assert "Alpha beats Beta" in on.text()
        on.store(decided(1, winner="b", overruled=True))
        on.view.facts.ledger = ledger_of([entrant(name) for name in ("alpha", "beta", "gamma")], 1, seed=7)
        assert "Beta beats Alpha (overruled)" in await on.pull()


async def test_a_store_that_cannot_be_read_is_a_sentence() -> None:
    on = stage(1)

    async def broken(group: str, seq: int) -> MatchRecord | None:
        raise StoreError("run.db is [red]damaged[/]")

    on.view.facts.match = broken  # type: ignore[method-assign]
    async with on.open():
        assert "this match cannot be read: run.db is [red]damaged[/]" in on.text()


async def test_the_texts_break_anew_at_another_width() -> None:
    live = Growing("word " * 60)
    async with stage().open(size=(120, 24)) as on:
        on.fly(flight(speaker="judge", text=live))
        wide = (await on.pull()).count("word")
        await on.pilot.resize_terminal(44, 24)
        await settled(on.pilot)
        assert on.text().count("word") == wide == 60
        assert max(len(line) for line in on.text().split("\n")) <= 44


async def test_ascii_has_no_sign_beyond_ascii_in_its_text() -> None:
    on = stage(1)
    on.view.glyphs = ASCII
    on.pane = Transcript(on.view)
    on.store(decided(1, flags=("f",), turns=(turn(0, "- one\n> two\n---", slot=1),)))
    async with on.open():
        inner = "".join(line.strip("│╭╮╰╯─█") for line in on.text().split("\n"))
        assert inner.isascii()


NASTY: dict[str, MatchRecord] = {
    "turns": decided(
        turns=tuple(turn(number, f"{text}\n- {text}", slot=1) for number, text in enumerate(HOSTILE))
    ),
    "marks": decided(turns=tuple(turn(0, f"# {text}\n> {text}\n| {text} |\n`{text}`") for text in HOSTILE)),
    "attempts": decided(turns=tuple(turn(0, text, failure=text, speaker=text) for text in HOSTILE)),
    "why and flags": decided(why=" ".join(HOSTILE), flags=HOSTILE, turns=(turn(0, "x"),)),
    "void": decided(winner="void", void_reason=" ".join(HOSTILE)),
    "reasons": decided(said=tuple(said(reason=text, flags=(text,)) for text in HOSTILE)),
}


@pytest.mark.parametrize("size", [(80, 24), (200, 60)])
@pytest.mark.parametrize("place", NASTY)
async def test_hostile_texts_are_only_text(place: str, size: tuple[int, int]) -> None:
    on = stage(1)
    on.store(NASTY[place])
    async with on.open(size=size):
        assert_harmless(on.text())
        for keys in (
            ("pagedown",),
            ("pagedown",),
            ("end",),
            ("slash", "left_square_bracket", "enter"),
            ("y",),
        ):
            assert_harmless(await on.press(*keys))
        for message in on.told(Copied):
            assert "\x1b" not in message.text  # type: ignore[attr-defined]


@pytest.mark.parametrize("size", [(80, 24), (200, 60)])
async def test_hostile_titles_and_live_texts_are_only_text(size: tuple[int, int]) -> None:
    pool = [entrant(f"c{number}", title=text) for number, text in enumerate(HOSTILE)]
    on = Stage(view_of(ledger_of([*pool, entrant("last", title="Last")])))
    async with on.open(size=size):
        for seq, text in enumerate(HOSTILE, 1):
            live = Growing()
            on.fly(flight(seq, a=f"c{seq - 1}", b="last", speaker=f"judge 1: {text}", slot=1, text=live))
            await on.pull()
            await on.pull(60.0)
            for char in f"{text}\n{text}":
                live.text += char
                on.view.state.touch()
                on.pane.pull()
            assert_harmless(await on.pull())
            assert f"match {seq}," in on.text()
        assert_harmless(await on.press("m"))


def assert_harmless(text: str) -> None:
    assert all(char.isprintable() or char in "\n\u200d" for char in text), ascii(text)
