"""Judging by hand: one question at a time, blind, with one answer that can be taken back."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import replace

import pytest
from console_facts import HOSTILE, FakeSession, screen_text, settled
from textual.pilot import Pilot

from arena_tui.console.by_hand import BlindMatches, Questions, SessionQuestions
from arena_tui.console.framed import FramedApp
from arena_tui.console.ports import Waiting
from arena_tui.console.screens.hand import HELD, HELD_ALONE, HandScreen


def question(number: int, **fields: object) -> Waiting:
    asked = Waiting(
        ("secret-group", number, "ab"),
        f"Which is better, {number}?",
        "What clears tau?",
        {"Novelty": "is it new", "Testability": "can it fail"},
        f"Sleep {number}",
        f"Fasting {number}",
        None,
        None,
        True,
    )
    return replace(asked, **fields)  # type: ignore[arg-type]


class Host(FramedApp[None]):
    """An app with the screen on it."""

    def __init__(self, shown: HandScreen) -> None:
        super().__init__()
        self.shown = shown

    def on_mount(self) -> None:
        """Show it."""
        self.push_screen(self.shown)


class Stage:
    """The screen with a clock that stands still."""

    def __init__(self, source: Questions | None = None, *questions: Waiting) -> None:
        self.session = FakeSession(questions=list(questions))
        self.session.state.phase = "running"
        self.shown = HandScreen(source or SessionQuestions(self.session))
        self.now = 50.0
        self.shown.clock = lambda: self.now
        self.pilot: Pilot[None]

    @asynccontextmanager
    async def open(self, size: tuple[int, int] = (80, 24)) -> AsyncIterator[Stage]:
        async with Host(self.shown).run_test(size=size) as self.pilot:
            await settled(self.pilot)
            yield self

    async def press(self, *keys: str) -> str:
        await self.pilot.press(*keys)
        await settled(self.pilot)
        return screen_text(self.pilot.app)

    async def pull(self, seconds: float = 0.0) -> str:
        self.now += seconds
        self.shown.pull()
        await settled(self.pilot)
        return screen_text(self.pilot.app)

    @property
    def answers(self) -> list[tuple[str, ...]]:
        return [asked[1:] for asked in self.session.asked if asked[0] == "answer"]


def asking(*questions: Waiting) -> Stage:
    return Stage(None, *questions)


@pytest.mark.parametrize("size", [(80, 24), (200, 60)])
async def test_the_question_is_shown_with_both_texts_and_nothing_that_names_them(
    size: tuple[int, int],
) -> None:
    async with asking(question(1), question(2)).open(size) as on:
        text = await on.pull()
        for words in (
            "Which is better, 1?",
            "Novelty: is it new",
            "Text 1",
            "Sleep 1",
            "Text 2",
            "Fasting 1",
        ):
            assert words in text
        assert "0 answered, 2 waiting" in text
        assert "secret-group" not in text
        side_by_side = any("Sleep 1" in line and "Fasting 1" in line for line in text.split("\n"))
        assert side_by_side == (size[0] > 100)
        assert on.session.asked == [("shown", "('secret-group', 1, 'ab')")]


async def test_an_answer_is_held_back_until_the_next_is_given() -> None:
    async with asking(question(1), question(2), question(3)).open() as on:
        text = await on.press("1")
        assert "Sleep 2" in text
        assert "text 1 is better; u takes it back" in text
        assert on.answers == []
        await on.press("2")
        assert on.answers == [("first", "")]
        await on.press("t")
        assert on.answers == [("first", ""), ("second", "")]


async def test_an_answer_is_passed_on_after_a_while() -> None:
    async with asking(question(1), question(2)).open() as on:
        await on.press("s")
        await on.pull(HELD / 2)
        assert on.answers == []
        await on.pull(HELD / 2)
        assert on.answers == [("invalid", "")]


async def test_the_only_question_is_passed_on_sooner() -> None:
    async with asking(question(1)).open() as on:
        assert SessionQuestions.rest in await on.press("1")
        await on.pull(HELD_ALONE)
        assert on.answers == [("first", "")]


async def test_leaving_the_screen_passes_the_answer_on() -> None:
    async with asking(question(1), question(2)).open() as on:
        await on.press("2")
        on.pilot.app.pop_screen()
        await settled(on.pilot)
        assert on.answers == [("second", "")]


async def test_the_last_answer_can_be_taken_back_and_no_other() -> None:
    async with asking(question(1), question(2), question(3)).open() as on:
        await on.press("1", "2")
        text = await on.press("u")
        assert "Sleep 2" in text
        assert "no answer to take back" in await on.press("u")
        assert "Sleep 3" in await on.press("1")
        await on.pull(HELD)
        assert on.answers == [("first", ""), ("first", "")]


async def test_a_note_goes_with_the_next_answer_and_comes_back_with_undo() -> None:
    async with asking(question(1), question(2)).open() as on:
        text = await on.press("n", *"more 1", "enter")
        assert "note: more 1" in text
        assert "note:" not in await on.press("1")
        assert "note: more 1" in await on.press("u")
        await on.press("2")
        await on.pull(HELD)
        assert on.answers == [("second", "more 1")]


async def test_esc_takes_a_note_back() -> None:
    async with asking(question(1)).open() as on:
        assert "note:" not in await on.press("n", *"hasty", "escape")
        await on.press("1")
        await on.pull(HELD)
        assert on.answers == [("first", "")]


async def test_a_tie_is_refused_where_draws_are_off() -> None:
    async with asking(question(1, draws=False)).open() as on:
        assert "t neither" not in await on.pull()
        text = await on.press("t")
        assert "draws are off here" in text
        assert "Sleep 1" in text


async def test_when_nothing_waits_it_says_so_and_takes_the_next_question_by_itself() -> None:
    async with asking().open() as on:
        assert SessionQuestions.rest in await on.pull()
        assert SessionQuestions.rest in await on.press("1", "t")
        on.session.questions = [question(7)]
        assert "Sleep 7" in await on.pull()


async def test_a_question_that_goes_away_makes_room_for_the_next() -> None:
    async with asking(question(1), question(2)).open() as on:
        await on.press("1")
        on.session.questions = []
        assert "not needed" in await on.pull(HELD)
        on.session.questions = [question(3)]
        assert "Sleep 3" in await on.pull()


async def test_the_end_of_the_run_is_told() -> None:
    async with asking().open() as on:
        on.session.state.phase, on.session.state.stop_detail = "stopped", "all is played"
        assert "the run has stopped: all is played" in await on.pull()


async def test_reviews_stand_below_their_texts() -> None:
    async with asking(question(1, second_review="a **fine** idea")).open((120, 40)) as on:
        text = await on.pull()
        assert "Review" in text
        assert "a fine idea" in text


async def test_blind_matches_end_with_how_far_both_agree() -> None:
    matches = BlindMatches(
        [(question(1), "first"), (question(2), "second"), (question(3), "draw"), (question(4), "first")],
        {question(2).key: ("Alpha", "Beta")},
    )
    async with Stage(matches).open() as on:
        text = await on.press("1", "1", "t")
        assert "2 of 4 answered" in text
        assert "Alpha" not in text
        await on.press("s")
        text = await on.pull(HELD)
        assert "you and the judge agree on 2 of 3" in text
        assert "1 skipped" in text
        assert "match secret-group:2: the judge said Beta, you Alpha" in text
    assert [(answer.judge, answer.person) for answer in matches.judged] == [
        ("first", "first"),
        ("second", "first"),
        ("draw", "draw"),
    ]


async def test_only_keys_that_apply_are_offered_and_esc_always() -> None:
    async with Stage(BlindMatches([(question(1), "first"), (question(2), "first")])).open((120, 24)) as on:
        keys = (await on.pull()).split("\n")[-1]
        for words in ("1 first", "2 second", "t tie", "s skip", "n note", "esc back"):
            assert words in keys
        await on.press("1")
        resting = await on.press("2")
        assert BlindMatches.rest in resting
        for text in (resting, await on.pull(HELD)):
            keys = text.split("\n")[-1]
            assert "first" not in keys
            assert "note" not in keys
            assert "esc back" in keys
        assert "u undo" not in keys
        assert "agree on 1 of 2" in text


@pytest.mark.parametrize("answer", ["1", "2", "s"])
async def test_who_judged_one_match_is_told_that_nothing_is_stored_and_what_overrules_it(answer: str) -> None:
    for overrulable in (True, False):
        matches = BlindMatches([(question(1), "first")], overrulable=overrulable)
        async with Stage(matches).open() as on:
            await on.press(answer)
            text = await on.pull(HELD)
            assert ("nothing is stored; o on the match overrules it" in text) == overrulable


def test_blind_matches_name_texts_by_number_where_no_titles_are_given() -> None:
    matches = BlindMatches([(question(1), "draw")])
    assert matches.ending() == ()
    assert matches.answer(question(1).key, "second", "longer")
    assert not matches.answer(question(1).key, "first", "")
    assert matches.ending() == (
        [
            "you and the judge agree on 0 of 1",
            "match secret-group:1: the judge said a draw, you text 2 (longer)",
        ]
    )


@pytest.mark.parametrize("size", [(80, 24), (200, 60)])
async def test_hostile_texts_are_only_text(size: tuple[int, int]) -> None:
    questions = [
        Waiting(
            ("main", number, "ab"), text, text, {text: text, "b": text}, text, f"- {text}", text, text, True
        )
        for number, text in enumerate(HOSTILE)
    ]
    async with Stage(None, *questions).open(size) as on:
        for _ in HOSTILE:
            shown = await on.pull()
            assert all(char.isprintable() or char in "\n\u200d" for char in shown), ascii(shown)
            await on.press("1")
    blind = BlindMatches(
        [(each, "first") for each in questions], {each.key: (each.first, "x") for each in questions}
    )
    for each in questions:
        blind.answer(each.key, "second", each.task)
    async with Stage(blind).open(size) as on:
        shown = await on.pull()
        assert "you and the judge agree on 0 of 17" in shown
        assert all(char.isprintable() or char in "\n\u200d" for char in shown), ascii(shown)
