"""A debate in turns: who speaks when, what each turn sees, who alone can decide, and how it may end early."""

from __future__ import annotations

import pytest
from dialogues import MAX_TOKENS, Words, hold, parse, said, shown, verdict
from hypothesis import given
from hypothesis import strategies as st

from arena_tui.conventions import MOST_TURNS
from arena_tui.judging.base import Reply
from arena_tui.judging.conversation import REASKED, RETRIED, Call
from arena_tui.judging.debate import ASKED_BACK, CUT_SHORT, Debate, plan
from arena_tui.providers.request_key import worst_case


def debate(turns: int = 5) -> Debate:
    return Debate(Words(), turns, parse)


def speak(call: Call) -> str:
    """The turn's number; the judge's verdict for text 2."""
    return verdict(2) if "judge verdict" in shown(call)[0][1] else f"turn {call.turn}"


def asks_until(number: int):
    """A judge who asks back until turn `number`."""

    def answer(call: Call) -> str:
        if "judge verdict" in shown(call)[0][1] and call.turn < number:
            return "I cannot tell yet.\nquestion to both: what would it cost?"
        return speak(call)

    return answer


@pytest.mark.parametrize(
    ("turns", "order"),
    [
        (3, "opening 1, opening 2, verdict"),
        (4, "questions, opening 1, opening 2, verdict"),
        (5, "opening 1, opening 2, rebuttal 1, rebuttal 2, verdict"),
        (6, "opening 1, opening 2, questions, answer 1, answer 2, verdict"),
        (7, "opening 1, opening 2, rebuttal 1, rebuttal 2, rebuttal 1, rebuttal 2, verdict"),
    ],
)
def test_advocates_speak_in_pairs_and_the_judge_last(turns: int, order: str) -> None:
    told = [role.purpose if role.side is None else f"{role.purpose} {role.side + 1}" for role in plan(turns)]
    assert ", ".join(told) == order


@pytest.mark.parametrize("turns", range(3, 11))
def test_debate_has_as_many_turns_as_asked_for_and_both_sides_speak_equally_often(turns: int) -> None:
    roles = plan(turns)
    assert len(roles) == turns
    assert sum(role.side == 0 for role in roles) == sum(role.side == 1 for role in roles) > 0


def test_every_turn_is_one_call_that_sees_all_turns_before_it() -> None:
    seen: list[str] = []

    def answer(call: Call) -> str:
        seen.append(shown(call)[0][1])
        return speak(call)

    replies = hold(debate(), answer)
    assert seen == [
        "advocate 1 opening: ",
        "advocate 2 opening: turn 0",
        "advocate 1 rebuttal: turn 0 | turn 1",
        "advocate 2 rebuttal: turn 0 | turn 1 | turn 2",
        "judge verdict may ask: turn 0 | turn 1 | turn 2 | turn 3",
    ]
    told = debate().read(replies)
    assert (told.winner, told.flags) == ("second", ())
    assert told.reason == (
        "advocate 1: turn 0\n\nadvocate 2: turn 1\n\nadvocate 1: turn 2\n\nadvocate 2: turn 3\n\n"
        f"judge: {verdict(2)}"
    )


def test_only_the_judge_can_decide() -> None:
    replies = hold(debate(), lambda call: verdict(1 if "advocate" in call.speaker else 2))
    assert len(replies) == 5
    assert debate().read(replies).winner == "second"
    replies = hold(debate(), lambda call: verdict(1) if "advocate" in call.speaker else "no idea")
    assert debate().read(replies).winner == "invalid"


@pytest.mark.parametrize(
    ("turns", "most"), [(3, 9), (4, 10), (5, 8), (6, 9), (7, 10), (8, 8), (9, 9), (10, 10)]
)
def test_judge_may_ask_back_as_long_as_ten_turns_are_enough(turns: int, most: int) -> None:
    dialogue = debate(turns)
    replies = hold(dialogue, asks_until(99))
    assert max(reply.turn for reply in replies) + 1 == most <= MOST_TURNS
    assert replies[-1].sample == 1, "a question instead of the last verdict is no verdict"
    assert dialogue.read(replies).winner == "invalid"


def test_judge_who_asks_back_is_answered_by_both_and_decides_then() -> None:
    replies = hold(debate(), asks_until(5))
    assert [reply.turn for reply in replies] == list(range(8))
    told = debate().read(replies)
    assert (told.winner, told.flags) == ("second", (ASKED_BACK,))
    assert told.reason.count("judge: ") == 2
    assert "question to both" in told.reason


def test_question_beside_a_verdict_does_not_prolong_the_debate() -> None:
    replies = hold(debate(3), lambda call: f"question: why?\n{verdict(1)}" if call.turn == 2 else "x")
    assert (len(replies), debate(3).read(replies).winner) == (3, "first")


def test_unreadable_judgment_is_asked_again_once() -> None:
    dialogue = debate(3)
    replies = hold(dialogue, lambda call: verdict(1) if call.sample else "hm")
    assert [(reply.turn, reply.sample) for reply in replies] == [(0, 0), (1, 0), (2, 0), (2, 1)]
    told = dialogue.read(replies)
    assert (told.winner, told.flags) == ("first", (REASKED,))
    (call,) = dialogue.next(replies[:-1])
    assert shown(call)[1:] == [("assistant", "hm"), ("user", "the line only")]


@pytest.mark.parametrize(
    "reply",
    [Reply("", turn=1, failure="HTTP 400: too odd"), said("I will not.", 1, stop_reason="refusal")],
)
def test_speech_that_fails_for_good_makes_the_comparison_invalid(reply: Reply) -> None:
    replies = [said("first"), reply]
    assert debate().next(replies) == ()
    assert list(debate().ahead(replies)) == []
    told = debate().read(replies)
    assert told.winner == "invalid"
    assert told.reason.startswith("advocate 2: ")


def test_failed_attempt_at_a_turn_is_repeated() -> None:
    replies = [said("first"), Reply("", turn=1, failure="HTTP 500", stop_reason=RETRIED)]
    assert [call.turn for call in debate().next(replies)] == [1]


def test_speech_that_was_cut_off_counts_as_far_as_it_goes_and_is_flagged() -> None:
    dialogue = debate(3)
    replies = hold(dialogue, speak, [said("a long", stop_reason="max_tokens")])
    assert shown(dialogue.next(replies[:1])[0])[0][1] == "advocate 2 opening: a long…"
    assert dialogue.read(replies).flags == (CUT_SHORT,)


@pytest.mark.parametrize("turns", range(3, 11))
@pytest.mark.parametrize("until", [0, 5, 99])
def test_worst_case_covers_what_comes_however_long_the_speeches(turns: int, until: int) -> None:
    """A usual turn and what is left after it fit in what was left before it."""
    dialogue = debate(turns)
    long = "word " * MAX_TOKENS
    replies: list[Reply] = []
    while calls := dialogue.next(replies):
        (call,) = calls
        left = [worst_case(request) for request in dialogue.ahead(replies)]
        text = (
            asks_until(until)(call) + "\n" + long if "judge" not in call.speaker else asks_until(until)(call)
        )
        replies.append(said(text, call.turn, call.sample))
        after = [worst_case(request) for request in dialogue.ahead(replies)]
        next_ = call.request.max_tokens
        assert len(left) >= 1
        usual = call.sample == 0 and (call.speaker != "judge" or len(left) > 1 or not after)
        if usual:
            assert sum(t.output for t in left) >= next_ + sum(t.output for t in after)
            assert sum(t.input for t in left) >= left[0].input + sum(t.input for t in after)
    assert list(dialogue.ahead(replies)) == []


@given(st.integers(3, 10), st.integers(0, 12), st.integers(0, 12), st.booleans())
def test_debate_that_is_cut_anywhere_goes_on_to_the_same_verdict(
    turns: int, until: int, cut: int, readable: bool
) -> None:
    dialogue = debate(turns)

    def answer(call: Call) -> str:
        text = asks_until(until)(call)
        return text if readable or "better idea" not in text else "hm"

    whole = hold(dialogue, answer)
    asked: list[tuple[int, int]] = []

    def counted(call: Call) -> str:
        asked.append((call.turn, call.sample))
        return answer(call)

    resumed = hold(dialogue, counted, whole[:cut])
    assert resumed == whole
    assert asked == [(reply.turn, reply.sample) for reply in whole[cut:]]
    assert dialogue.read(resumed) == dialogue.read(whole)
