"""Scores as letters and their probabilities: the Verifier's reward, and what is no score."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import pytest
from dialogues import hold, request, said, shown
from hypothesis import given
from hypothesis import strategies as st

from arena_tui.conventions import SCALE, points
from arena_tui.judging.base import Reply
from arena_tui.judging.conversation import REASKED
from arena_tui.judging.letters import expected, letter_tokens, letters_in, plain, reward
from arena_tui.judging.score import (
    LEFT_OUT,
    LEVEL,
    Scoring,
    repeats_of,
    shared_between_orders,
    win_probability,
)
from arena_tui.judging.verdict_text import Unreadable
from arena_tui.providers.base import TokenLogprobs
from arena_tui.providers.mock_scores import letter_for, logprobs
from arena_tui.providers.request_key import worst_case

LABELS = ("1", "2")
LETTERS = st.sampled_from(SCALE)


def scoring(names: Sequence[str] = ("overall",), repeats: int = 1, **more: Any) -> Scoring:
    chosen = {"labels": LABELS, "words": "the lines only", "floor": 0.5, "draws": True} | more
    return Scoring(lambda number: request(f"by {names[number]}"), names, repeats=repeats, **chosen)


def lines(first: str, second: str) -> str:
    return f"Because.\nscore 1: {first}\nscore 2: {second}"


def ln(**chances: float) -> tuple[tuple[str, float], ...]:
    return tuple((text, math.log(chance)) for text, chance in chances.items())


def with_probabilities(first: dict[str, float], second: dict[str, float], turn: int = 0) -> Reply:
    pairs = tuple((next(iter(side)), ln(**side)) for side in (first, second))
    return said(lines(*(name.strip()[0] for name, _ in pairs)), turn, logprobs=pairs)


# Letters and rewards.


@pytest.mark.parametrize(
    ("letter", "value"),
    [("A", 1.0), ("T", 0.0), ("J", 0.526316), ("K", 0.473684), ("b", 0.947368), ("C", 0.894737)],
)
def test_reward_of_a_letter_is_the_verifiers(letter: str, value: float) -> None:
    assert reward(plain(letter.upper()).points) == pytest.approx(value, abs=1e-6)


def test_expectation_is_over_valid_letters_only_and_renormalised() -> None:
    score = expected("A", [*ln(A=0.5, B=0.3, T=0.1), ("other", math.log(0.1))])
    assert reward(score.points) == pytest.approx(0.871345, abs=1e-6)
    assert score.mass == pytest.approx(0.9)


def test_spellings_of_one_letter_add_up() -> None:
    score = expected("A", [("A", math.log(0.2)), (" A", math.log(0.5)), ("a", math.log(0.1)), *ln(T=0.3)])
    assert reward(score.points) == pytest.approx(0.727273, abs=1e-6)
    for spelling in ("A", " A", "\nA", "a", " a", ">A", ": A", "**A", "Ġa", "▁A", "A\n"):
        alone = expected("A", [(spelling, math.log(0.9)), (">T", math.log(0.1))])
        assert reward(alone.points) == pytest.approx(0.9), repr(spelling)


def test_words_and_other_letters_are_no_scores() -> None:
    score = expected("C", [("Cat", -0.1), ("U", -3.0), ("AB", -3.0), ("", -3.0), ("\n", -4.0)])
    assert (score.mass, score.points) == (0.0, points("C"))


@given(st.dictionaries(LETTERS, st.floats(-20, 0), min_size=1))
def test_expectation_lies_between_the_letters_it_is_made_of(chances: dict[str, float]) -> None:
    score = expected(min(chances), list(chances.items()))
    worth = [points(letter) for letter in chances]
    assert min(worth) - 1e-9 <= score.points <= max(worth) + 1e-9
    assert score.mass is not None
    assert 0 < score.mass <= 1


@pytest.mark.parametrize(
    "text",
    [
        "score 1: C\nscore 2: g",
        "I think so.\n\n**score 1: C**\n**score 2:** G.",
        "score 1: A\nNo, wait.\nscore 1: C\nscore 2: G",
        "<think>score 1: A</think>\nscore 1: C\nscore 2: G\n",
        "- Score 1:  `C`\n- Score 2:  [G]",
        "> score 1: A\n> score 2: A\nscore 1: C\nscore 2: G",
        "```\nscore 1: A\nscore 2: A\n```\nscore 1: C\nscore 2: G",
    ],
)
def test_last_score_line_of_each_text_counts(text: str) -> None:
    assert letters_in(text, LABELS) == ("C", "G")


@pytest.mark.parametrize(
    "text",
    [
        "",
        "score 1: C",
        "score 1: C\nscore 2:",
        "score 1: C\nscore 2: Z",
        "score 1: C\nscore 2: A+B",
        "score 1: C\nscore 2: 17",
        "score 1: C\nscore 2: G\nscore 2: unsure",
        "score 11: C\nscore 2: G",
        "<think>score 1: C\nscore 2: G",
        "score 1: C\nscore 2: \u202eG",
    ],
)
def test_reply_without_two_plain_letters_is_unreadable(text: str) -> None:
    with pytest.raises(Unreadable):
        letters_in(text, LABELS)


def test_random_labels_are_told_apart_from_others() -> None:
    assert letters_in("score 1: A\nscore K7: B\nscore Q2: C", ("K7", "Q2")) == ("B", "C")


def tokens(*pieces: str) -> list[TokenLogprobs]:
    return [TokenLogprobs(piece, -0.1, ((piece, -0.1), (" B", -2.5))) for piece in pieces]


@pytest.mark.parametrize(
    "pieces",
    [
        ["Well", "\n", "score", " ", "1", ":", " C", "\n", "score", " ", "2", ":", " G"],
        ["score 1:", " C", "\nscore 2", ": G"],
        ["score 1: A\nscore 2: A\n", "score", " 1", ": ", "C", "\n", "score", " 2", ": ", "G", "\n\n"],
    ],
)
def test_tokens_of_the_letters_are_found_however_the_text_is_cut(pieces: list[str]) -> None:
    first, second = letter_tokens(tokens(*pieces), LABELS, ("C", "G"))
    assert (first[0].strip(" :"), second[0].strip(" :")) == ("C", "G")


@pytest.mark.parametrize(
    "pieces",
    [
        [],
        ["score 1: C\nscore 2: G"],  # no token is a letter
        ["score 1:", " C", "\nscore 2:", " H"],  # not what the text says
    ],
)
def test_letters_without_tokens_of_their_own_have_no_probabilities(pieces: list[str]) -> None:
    assert letter_tokens(tokens(*pieces), LABELS, ("C", "G")) == ()


def test_chosen_token_counts_even_when_it_is_not_among_the_most_likely() -> None:
    made = [TokenLogprobs("score 1:", 0.0), TokenLogprobs(" C", -3.0, ((" A", -0.1),))]
    made += [TokenLogprobs("\nscore 2:", 0.0), TokenLogprobs(" G", -0.5, ((" G", -0.5),))]
    (first, second) = letter_tokens(made, LABELS, ("C", "G"))
    assert first == (" C", ((" A", -0.1), (" C", -3.0)))
    assert second == (" G", ((" G", -0.5),))


# Comparisons.


def test_chance_is_the_verifiers_sigma_without_a_temperature() -> None:
    assert win_probability(1.0, 0.0) == pytest.approx(0.731059, abs=1e-6)
    assert win_probability(0.0, 1.0) == pytest.approx(0.268941, abs=1e-6)


def test_verdict_follows_the_rewards_and_tells_them() -> None:
    told = scoring().read([said(lines("A", "T"))])
    assert (told.winner, told.p_first, told.flags) == ("first", pytest.approx(0.731059, abs=1e-6), ())
    assert "reward 1.000 against 0.000" in told.reason
    assert "Because." in told.reason
    assert scoring().read([said(lines("K", "C"))]).winner == "second"


def test_probabilities_decide_where_there_are_any_and_their_mass_is_told() -> None:
    told = scoring().read([with_probabilities({"B": 0.6, "A": 0.4}, {"B": 0.6, "T": 0.3})])
    first, second = (19 * 0.6 + 20 * 0.4 - 1) / 19, ((19 * 0.6 + 1 * 0.3) / 0.9 - 1) / 19
    assert told.p_first == pytest.approx(win_probability(first, second))
    assert told.winner == "first", "both said B"
    assert "90% covered" in told.reason


def test_even_scores_are_a_draw_where_draws_are_on_and_else_no_verdict() -> None:
    replies = [said(lines("C", "G"), 0), said(lines("G", "C"), 1)]
    told = scoring(("x", "y")).read(replies)
    assert (told.winner, told.p_first) == ("draw", 0.5)
    told = scoring(("x", "y"), draws=False).read(replies)
    assert (told.winner, told.p_first, told.reason) == ("invalid", None, LEVEL)


@given(st.permutations("ABCDEFGHI"))
def test_equal_means_are_exactly_equal_however_they_come(letters: list[str]) -> None:
    names = tuple(map(str, range(len(letters))))
    replies = [
        said(lines(a, b), turn) for turn, (a, b) in enumerate(zip(letters, sorted(letters), strict=True))
    ]
    assert scoring(names).read(replies).p_first == 0.5


def test_too_little_probability_on_the_scale_is_no_score() -> None:
    replies = [with_probabilities({"A": 0.9}, {"T": 0.04, "the": 0.9})]
    dialogue = scoring()
    assert dialogue.next(replies) == (), "asking again would not change it"
    told = dialogue.read(replies)
    assert told.winner == "invalid"
    assert "only 4.0% of the probability" in told.reason
    assert scoring(floor=0.03).read(replies).winner == "first"


def test_first_call_goes_alone_and_the_others_together() -> None:
    dialogue = scoring(("x", "y"), repeats=2)
    (first,) = dialogue.next([])
    assert (first.turn, first.repeat, first.speaker) == (0, 0, "x")
    rest = dialogue.next([said(lines("A", "B"))])
    assert [(call.turn, call.repeat, call.speaker) for call in rest] == [
        (1, 0, "y"),
        (2, 1, "x"),
        (3, 1, "y"),
    ]
    assert first.request == rest[1].request, "a repeat asks the very same thing"


def test_unreadable_score_is_asked_again_beside_the_calls_that_are_left() -> None:
    dialogue = scoring(("x", "y"))
    again, other = dialogue.next([said("hm")])
    assert ((again.turn, again.sample), (other.turn, other.sample)) == ((0, 1), (1, 0))
    assert shown(again)[1:] == [("assistant", "hm"), ("user", "the lines only")]
    told = dialogue.read([said("hm"), said(lines("A", "B"), 1), said(lines("A", "B"), 0, 1)])
    assert (told.winner, told.flags) == ("first", (REASKED,))


def test_score_that_stays_unreadable_is_left_out_and_never_counts_as_one_half() -> None:
    replies = [said("hm", 0), said("hm", 0, 1), said(lines("A", "T"), 1)]
    told = scoring(repeats=2).read(replies)
    assert (told.p_first, told.flags) == (pytest.approx(0.731059, abs=1e-6), (REASKED, LEFT_OUT))


def test_criterion_without_a_readable_score_makes_the_comparison_invalid_and_ends_it() -> None:
    dialogue = scoring(("x", "y"), repeats=2)
    failed = [said(lines("A", "B"), 0), Reply("", turn=1, failure="HTTP 400")]
    assert len(dialogue.next(failed)) == 2
    replies = [*failed, Reply("", turn=3, failure="HTTP 400")]
    assert dialogue.next(replies) == ()
    assert list(dialogue.ahead(replies)) == []
    told = dialogue.read(replies)
    assert (told.winner, told.reason) == ("invalid", "no readable score for y: HTTP 400")


@pytest.mark.parametrize(("n", "both", "each"), [(1, False, 1), (2, True, 1), (3, False, 3), (8, True, 4)])
def test_even_number_of_evaluations_is_shared_between_the_orders(n: int, both: bool, each: int) -> None:
    assert (shared_between_orders(n), repeats_of(n)) == (both, each)


def test_worst_case_is_every_call_and_every_repetition() -> None:
    dialogue = scoring(("x", "y"), repeats=2)
    assert len(list(dialogue.ahead([]))) == 8
    unreadable, readable = said("word " * 50), said(lines("A", "B"), 2)
    after = list(dialogue.ahead([unreadable, readable]))
    assert len(after) == 5
    before = [worst_case(request).input for request in dialogue.ahead([])]
    assert sum(before) >= sum(worst_case(request).input for request in after)


@given(st.integers(1, 3), st.integers(1, 3), st.integers(0, 20), st.randoms(use_true_random=False))
def test_scores_cut_anywhere_go_on_to_the_same_verdict(
    criteria: int, repeats: int, cut: int, rng: Any
) -> None:
    dialogue = scoring(tuple("xyz"[:criteria]), repeats)
    answers: dict[tuple[int, int], str] = {}

    def answer(call: Any) -> str:
        said_so = lines(rng.choice(SCALE), rng.choice(SCALE)) if rng.random() < 0.8 else "hm"
        return answers.setdefault((call.turn, call.sample), said_so)

    whole = hold(dialogue, answer)
    kept = rng.sample(whole, min(cut, len(whole)))
    resumed = hold(dialogue, answer, kept)
    # Fewer, where a criterion that was given up meanwhile makes the calls beside it useless.
    assert len(resumed) <= len(whole)
    assert dialogue.read(resumed) == dialogue.read(whole)


def test_mock_scores_are_read_with_their_probabilities() -> None:
    import random

    strong, weak = (letter_for(strength, random.Random(1)) for strength in (2.0, -2.0))
    text = lines(strong.said, weak.said)
    made = letter_tokens(logprobs(text, [strong, weak], 20), LABELS, letters_in(text, LABELS))
    told = scoring().read([said(text, logprobs=made)])
    assert told.winner == "first"
    assert told.p_first is not None
    assert told.p_first > 0.6
