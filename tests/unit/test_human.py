"""A person as judge: the queue of questions, the prompt on a terminal, and what becomes of the answers."""

from __future__ import annotations

import asyncio
import os
import pty
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from arena_tui import settings
from arena_tui.candidate import Candidate
from arena_tui.errors import JudgeError
from arena_tui.judging import human, terminal
from arena_tui.judging.base import FREE, Question, Reply, Verdict
from arena_tui.judging.build import build_judge
from arena_tui.judging.desk import MemoryDesk, judge_alone
from arena_tui.judging.human import CANNOT_SAY, DRAWS_OFF, HumanJudge
from arena_tui.judging.terminal import CLOSED, NO_TERMINAL, TerminalPrompt

FIRST = Candidate(
    "one", "red \x1b[31mtext", review="a review", system="gpt", title="The title", rating=1234.0
)
SECOND = Candidate("two", "blue text")
QUESTION = Question("main", 1, "ab", "pairwise", FIRST, SECOND, prompt="the prompt")
KEY = ("main", 1, "ab")
ASKING = "(a reason may follow the word): "


def judge_of(prompt: TerminalPrompt | None = None, **chosen: Any) -> HumanJudge:
    return HumanJudge(settings.HumanJudge(**chosen), "Which is better?", {"Depth": "how deep"}, prompt)


async def until(condition: Callable[[], Any]) -> None:
    """Wait, within a bound, until `condition()` holds."""
    async with asyncio.timeout(20):
        while not condition():  # noqa: ASYNC110 - another thread sets it
            await asyncio.sleep(0.002)


async def test_question_waits_until_somebody_answers_it() -> None:
    judge, changes = judge_of(), []
    judge.changed = lambda: changes.append(len(judge.waiting()))
    asked = asyncio.create_task(judge_alone(judge, QUESTION))
    await until(judge.waiting)
    assert [(entry.key, entry.question) for entry in judge.waiting()] == [(KEY, QUESTION)]
    assert judge.answer(KEY, "second", "plainer")
    verdict, (reply,) = await asked
    assert verdict == Verdict("second", reason="plainer")
    assert (judge.waiting(), reply.usage, reply.model) == ((), FREE, "human")
    assert not judge.answer(KEY, "first"), "it was answered"
    assert changes == [1, 0]


async def test_questions_wait_in_the_order_in_which_they_were_asked() -> None:
    judge = judge_of()
    async with asyncio.TaskGroup() as tasks:
        for seq in (3, 1, 2):
            tasks.create_task(judge.ask(replace(QUESTION, seq=seq), MemoryDesk()))
        await until(lambda: len(judge.waiting()) == 3)
        assert [entry.key[1] for entry in judge.waiting()] == [3, 1, 2]
        for seq in (1, 2, 3):
            judge.answer(("main", seq, "ab"), "first")


async def test_cancelled_question_leaves_the_queue() -> None:
    judge = judge_of()
    asked = asyncio.create_task(judge.ask(QUESTION, MemoryDesk()))
    await until(judge.waiting)
    asked.cancel()
    with pytest.raises(asyncio.CancelledError):
        await asked
    assert judge.waiting() == ()
    assert not judge.answer(KEY, "first")


async def test_draw_is_refused_where_draws_are_off() -> None:
    judge = judge_of(draws=False)
    with pytest.raises(ValueError, match="draws is off"):
        judge.answer(KEY, "draw")
    assert judge.read(QUESTION, [Reply('{"winner": "draw"}')]) == Verdict("invalid", reason=DRAWS_OFF)


@pytest.mark.parametrize(
    ("stored", "verdict"),
    [
        ('{"winner": "draw", "reason": ""}', Verdict("draw")),
        (
            '{"winner": "invalid", "reason": "both are empty"}',
            Verdict("invalid", reason=f"{CANNOT_SAY}: both are empty"),
        ),
        ('{"winner": "invalid"}', Verdict("invalid", reason=CANNOT_SAY)),
        ('{"winner": "left"}', Verdict("invalid", reason="no answer of a person")),
        ("", Verdict("invalid", reason="no answer of a person")),
    ],
)
def test_stored_answers_are_read_without_the_person(stored: str, verdict: Verdict) -> None:
    judge = judge_of()
    assert judge.answered(QUESTION, [Reply(stored)])
    assert judge.read(QUESTION, [Reply(stored)]) == verdict


# On a terminal.


class Screen:
    """The person's side of a pseudo terminal."""

    def __init__(self, fd: int, master: int) -> None:
        self.text = ""
        self.prompt = TerminalPrompt(fd, self.write)
        self._master = master

    def write(self, text: str) -> None:
        self.text += text

    async def see(self, words: str) -> None:
        await until(lambda: words in self.text)

    def type(self, words: str) -> None:
        self.text = ""
        os.write(self._master, words.encode())

    def hang_up(self) -> None:
        os.write(self._master, b"\x04")  # ctrl+d at the start of a line: the end of the input


@pytest.fixture
def screen() -> Iterator[Screen]:
    master, fd = pty.openpty()
    try:
        yield Screen(fd, master)
    finally:
        os.close(fd)
        os.close(master)


async def answer_on(screen: Screen, *typed: str, **chosen: Any) -> Verdict:
    judge = judge_of(screen.prompt, **chosen)
    asked = asyncio.create_task(judge_alone(judge, QUESTION))
    for words in typed:
        await screen.see(ASKING)
        screen.type(words)
    verdict, _ = await asked
    await judge.close()
    return verdict


@pytest.mark.parametrize(
    ("typed", "verdict"),
    [
        (["1\n"], Verdict("first")),
        (["2 it is shorter\n"], Verdict("second", reason="it is shorter")),
        (["T\n"], Verdict("draw")),
        (["=\n"], Verdict("draw")),
        (["s no idea\n"], Verdict("invalid", reason=f"{CANNOT_SAY}: no idea")),
        (["3\n", "\n", "1\n"], Verdict("first")),
    ],
)
async def test_person_answers_with_a_line(screen: Screen, typed: list[str], verdict: Verdict) -> None:
    assert await answer_on(screen, *typed) == verdict


async def test_tie_is_no_answer_where_draws_are_off(screen: Screen) -> None:
    assert await answer_on(screen, "t\n", "2\n", draws=False) == Verdict("second")


async def test_person_sees_the_texts_and_nothing_that_tells_whose_they_are(screen: Screen) -> None:
    judge = judge_of(screen.prompt)
    asked = asyncio.create_task(judge.ask(QUESTION, MemoryDesk()))
    await screen.see(ASKING)
    for words in ("Which is better?", "Depth: how deep", "the prompt", "red text", "blue text", "a review"):
        assert words in screen.text
    for words in ("one", "gpt", "The title", "1234", "\x1b"):
        assert words not in screen.text
    screen.type("1\n")
    await asked
    await judge.close()


async def test_what_a_person_takes_does_not_hold_the_wait_in_the_queue(
    screen: Screen, monkeypatch: pytest.MonkeyPatch
) -> None:
    now = [100.0]
    monkeypatch.setattr(human, "monotonic", lambda: now[0])
    judge = judge_of(screen.prompt)
    asked = [asyncio.create_task(judge_alone(judge, replace(QUESTION, seq=seq))) for seq in (1, 2)]
    for seq, seconds in ((1, 30.0), (2, 4.0)):
        await screen.see(f"match {seq}")
        await screen.see(ASKING)
        now[0] += seconds
        screen.type("1\n")
        _, (reply,) = await asked[seq - 1]
        assert reply.seconds == seconds
    await judge.close()


async def test_questions_come_one_after_the_other(screen: Screen) -> None:
    judge = judge_of(screen.prompt)
    asked = [asyncio.create_task(judge_alone(judge, replace(QUESTION, seq=seq))) for seq in (1, 2)]
    await screen.see("match 1, 1 more waiting")
    await screen.see(ASKING)
    assert "match 2" not in screen.text
    screen.type("1\n")
    await screen.see("match 2 ")
    await screen.see(ASKING)
    screen.type("2\n")
    assert [(await each)[0].winner for each in asked] == ["first", "second"]
    await judge.close()


async def test_closed_terminal_ends_the_run_with_a_sentence(screen: Screen) -> None:
    judge = judge_of(screen.prompt)
    asked = [asyncio.create_task(judge.ask(replace(QUESTION, seq=seq), MemoryDesk())) for seq in (1, 2)]
    await screen.see(ASKING)
    screen.hang_up()
    for each in asked:
        with pytest.raises(JudgeError, match="terminal was closed"):
            await each
    with pytest.raises(JudgeError, match="terminal was closed"):
        await judge.ask(QUESTION, MemoryDesk())
    await judge.close()
    assert CLOSED


async def test_closing_the_judge_does_not_wait_for_the_person(screen: Screen) -> None:
    judge = judge_of(screen.prompt)
    asked = asyncio.create_task(judge.ask(QUESTION, MemoryDesk()))
    await screen.see(ASKING)
    asked.cancel()
    with pytest.raises(asyncio.CancelledError):
        await asked
    async with asyncio.timeout(20):
        await judge.close()


@pytest.mark.parametrize("there", [True, False])
def test_a_person_is_only_asked_where_there_is_one(
    there: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(terminal, "has_terminal", lambda: there)
    tournament = settings.validate({"judge": {"kind": "human"}})

    def build(**more: Any) -> Any:
        return build_judge(tournament, seed=1, candidates=[FIRST, SECOND], folder=tmp_path, **more)

    assert isinstance(build(person="queue"), HumanJudge)
    if there:
        assert isinstance(build(), HumanJudge)
    else:
        with pytest.raises(JudgeError, match="needs a person at a terminal"):
            build()
        assert NO_TERMINAL
