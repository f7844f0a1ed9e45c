"""One call for a verdict: read, asked again once for the format, or invalid for a stated reason."""

from __future__ import annotations

import pytest
from dialogues import MAX_TOKENS, hold, parse, request, said, shown, verdict

from arena_tui.judging.base import Reply, Verdict
from arena_tui.judging.conversation import REASKED, RETRIED
from arena_tui.judging.pairwise import UNFINISHED, Pairwise
from arena_tui.providers.request_key import worst_case

DIALOGUE = Pairwise(request("Which?"), "the line only", parse)


def test_readable_verdict_takes_one_call() -> None:
    (call,) = DIALOGUE.next([])
    assert (call.turn, call.sample, call.speaker, shown(call)) == (0, 0, "judge", [("user", "Which?")])
    replies = [said(verdict(2))]
    assert DIALOGUE.next(replies) == ()
    assert DIALOGUE.read(replies) == Verdict("second", reason=verdict(2))


def test_unreadable_reply_is_quoted_and_asked_again_for_the_format() -> None:
    (call,) = DIALOGUE.next([said("Both have merits.")])
    assert (call.turn, call.sample) == (0, 1)
    assert shown(call) == [("user", "Which?"), ("assistant", "Both have merits."), ("user", "the line only")]
    replies = [said("Both have merits."), said("better idea: 1", sample=1)]
    assert DIALOGUE.next(replies) == ()
    assert DIALOGUE.read(replies) == Verdict(
        "first", reason="Both have merits.\n\nbetter idea: 1", flags=(REASKED,)
    )


def test_second_unreadable_reply_is_invalid_with_both_reasons() -> None:
    replies = [said("Hm."), said("better idea: both", sample=1)]
    assert DIALOGUE.next(replies) == ()
    told = DIALOGUE.read(replies)
    assert (told.winner, told.flags) == ("invalid", (REASKED,))
    assert "no line of the form" in told.reason
    assert "asked again" in told.reason


@pytest.mark.parametrize(
    ("stop_reason", "words", "again"),
    [
        ("max_tokens", "cut off at the limit of tokens", True),
        ("refusal", "refused to answer", False),
        ("pause_turn", "paused", True),
        ("tool_calls", "asked for a tool", True),
        ("other", "unknown reason ('other')", True),
    ],
)
def test_reply_that_did_not_end_well_says_nothing_even_with_a_verdict_in_it(
    stop_reason: str, words: str, again: bool
) -> None:
    replies = [said(verdict(1), stop_reason=stop_reason)]
    assert bool(DIALOGUE.next(replies)) is again
    told = DIALOGUE.read(replies)
    assert told.winner == "invalid"
    assert words in told.reason


def test_empty_reply_is_quoted_with_a_word_since_no_server_takes_an_empty_turn() -> None:
    (call,) = DIALOGUE.next([said(" \n", stop_reason="max_tokens")])
    assert shown(call)[1] == ("assistant", "(no words)")


def test_failed_attempt_leaves_the_call_open_until_nothing_more_is_tried() -> None:
    failed = Reply("", failure="HTTP 500", stop_reason=RETRIED)
    assert [call.sample for call in DIALOGUE.next([failed])] == [0]
    assert DIALOGUE.read([failed]).reason == UNFINISHED
    ended = Reply("", failure="HTTP 500: given up after 6 attempts", attempt=2)
    assert DIALOGUE.next([failed, ended]) == ()
    assert DIALOGUE.read([failed, ended]) == Verdict("invalid", reason="HTTP 500: given up after 6 attempts")


def test_failure_when_asked_again_is_told_beside_the_first_reason() -> None:
    told = DIALOGUE.read([said("Hm."), Reply("", failure="HTTP 500", sample=1)])
    assert (told.winner, "asked again: HTTP 500" in told.reason) == ("invalid", True)


def test_worst_case_holds_for_whatever_is_said() -> None:
    ahead = [worst_case(asked) for asked in DIALOGUE.ahead([])]
    assert len(ahead) == 1, "asking again is covered when it comes to that"
    # A reply of MAX_TOKENS tokens in English has some five bytes a token.
    first = said("word " * MAX_TOKENS)
    (call,) = DIALOGUE.next([first])
    (left,) = DIALOGUE.ahead([first])
    assert worst_case(left) == worst_case(call.request)
    assert worst_case(call.request).output == MAX_TOKENS
    assert list(DIALOGUE.ahead([said(verdict())])) == []


def test_held_to_its_end_it_needs_at_most_two_calls() -> None:
    assert len(hold(DIALOGUE, lambda call: "who knows")) == 2
