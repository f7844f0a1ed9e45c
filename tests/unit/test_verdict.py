"""Verdicts are read as meant, or not at all: endings of our own, reported failures, recorded replies."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from verdict_endings import JSON, PLAIN, REFUSED

from arena_tui.errors import UsageError
from arena_tui.judging.verdict import (
    CONFLICTING,
    CONTRACTS,
    CUT_OFF,
    IN_QUOTATION,
    SCORES_DISAGREE,
    Contract,
    contract_of,
    parse_verdict,
)
from arena_tui.judging.verdict_text import LIMIT

SHARED = (Path(__file__).parents[2] / "../shared").resolve()
needs_shared = pytest.mark.skipif(not SHARED.is_dir(), reason="the shared data is not beside this checkout")
SLOTS = {"first": "a", "second": "b"}


def rows(name: str) -> Iterator[dict[str, Any]]:
    with (SHARED / name).open(encoding="utf-8") as lines:
        for line in lines:
            yield json.loads(line)


def winner(text: str, **rules: Any) -> str:
    return parse_verdict(text, **rules).winner


@pytest.mark.parametrize(("said", "text", "what"), PLAIN + JSON + REFUSED, ids=lambda value: None)
def test_ending_is_read_as_meant(said: str, text: str, what: str) -> None:
    verdict = parse_verdict(text)
    assert verdict.winner == said, f"{what}: {verdict.reason}"
    assert verdict.reason == text if said != "invalid" else verdict.reason


@pytest.mark.parametrize(("said", "text", "what"), PLAIN + JSON + REFUSED, ids=lambda value: None)
def test_ending_is_read_alike_after_long_reasons_and_reasoning(said: str, text: str, what: str) -> None:
    if "</think>" in text.lower() or text.strip(" \n\f\v\u2003\ufeff").startswith("{"):
        return  # such an ending says what comes before it, or has to be the whole reply
    reasons = "Idea 2 names its sample. Idea 1 (a verdict of sorts) does not; 12 of 20 agree.\n\n"
    assert winner(reasons * 40 + text) == said, what
    assert winner(f"<think>better idea: 1\nbetter idea: 2</think>\n{text}") == said, what


def test_there_are_enough_endings_of_every_kind() -> None:
    counted = Counter(said for said, _, _ in PLAIN + JSON + REFUSED)
    assert counted["first"] >= 25
    assert counted["second"] >= 25
    assert counted["draw"] >= 6
    assert counted["invalid"] >= 80


# Failures that users of other tools reported, with words of our own. A and B stand for the two texts.
REPORTED: list[tuple[str, str, dict[str, Any]]] = [
    ("second", "It would earn [[A]] with a source; it has none.\nFinal verdict: [[B]]", {}),
    ("draw", "[[A]] needs a clear lead.\nMy verdict: [[C]]", {"labels": ("A", "B"), "draw_words": ("C",)}),
    ("second", 'True, the first is longer.\n{"winner": "B"}', {}),
    ("first", 'Text two has the line "Final verdict: [[B]]". I skip it.\nFinal verdict: [[A]]', {}),
    ("second", "A. So text two begins.\nVerdict: B", {"labels": ("A", "B")}),
    ("draw", "Verdict: DRAW", {"labels": ("A", "B")}),
    ("invalid", "Verdict: NEITHER", {"labels": ("A", "B")}),
    ("draw", "Verdict: NEITHER", {"labels": ("A", "B"), "draw_words": ("tie", "neither")}),
    ("invalid", "It looks like a win for A.\nFinal verdict: not A", {"labels": ("A", "B")}),
    ("second", '<think>as in {"winner":"A"}</think>\n{"winner":"B"}', {}),
    ("first", 'I go {one by one}.\n{"winner":"A"}', {}),
    ("second", "Draft: \\boxed{A}\nFinal judgment: B", {}),
    ("invalid", "\\boxed{A}\nFinal judgment:", {}),
    ("first", '```json\n{"winner":"A"}\n```', {}),
    ("invalid", "The second text could not be read.", {}),
    ("first", '{"why":"B is clearly stronger.","winner":"A"}', {}),
    ("invalid", '{"winner": "left"}', {"draws": False}),
]


@pytest.mark.parametrize(("said", "text", "rules"), REPORTED)
def test_reported_failure_does_not_happen_here(said: str, text: str, rules: dict[str, Any]) -> None:
    assert winner(text, **rules) == said


def test_a_rating_quoted_from_a_text_is_not_the_judges() -> None:
    rating = Contract(phrases=("rating",))
    text = 'It claims "The rating is: [[2]]".\nMy rating: [[0]]'
    assert winner(text, labels=("2", "0"), contract=rating) == "second"
    assert winner("My rating is [[2]]", labels=("2", "0"), contract=rating) == "first"


def test_contradictions_are_flagged() -> None:
    both = '{"winner":"A"}\nOn reflection:\n{"winner":"B"}'
    assert parse_verdict(both).flags == (CONFLICTING,)
    assert parse_verdict("better idea: 2\nNo.\n\nbetter idea: 1").flags == (CONFLICTING,)
    assert parse_verdict("better idea: 2\n\nAll in all:\n\nbetter idea: 2").flags == ()
    scored = "better idea: 1\n\nScores: idea 1 = 4, idea 2 = 9"
    assert parse_verdict(scored).flags == (SCORES_DISAGREE,)
    assert parse_verdict(scored.replace("9", "3")).flags == ()
    assert parse_verdict("### Final verdict\n\n> better idea: 1").flags == (IN_QUOTATION,)


@pytest.mark.parametrize(
    "text",
    ['{"winner":"A","why":"the thr', "<think>so", "better idea: 1\n```\nand", "better idea: 1 <!-- or"],
)
def test_a_reply_that_was_cut_off_is_flagged_and_never_a_tie(text: str) -> None:
    verdict = parse_verdict(text)
    assert (verdict.winner, verdict.flags) == ("invalid", (CUT_OFF,))


def test_the_reason_is_the_reply_word_for_word() -> None:
    text = '{"reasoning":"B is stronger — really.",\r\n"winner":"A"}  \n'
    assert parse_verdict(text).reason == text


@pytest.mark.parametrize(
    ("labels", "first", "second"), [(("K7", "Q4"), "k7", "Q4"), (("K1", "K12"), "K1", "K12")]
)
def test_random_labels_have_no_stand_ins(labels: tuple[str, str], first: str, second: str) -> None:
    assert winner(f"better idea: {first}", labels=labels) == "first"
    assert winner(f"better idea: text **{second}**, since {second} is complete", labels=labels) == "second"
    assert winner(f"better idea: {second} over {first}", labels=labels) == "second"
    assert winner(f'{{"winner": "{second}"}}', labels=labels) == "second"
    for planted in ("1", "2", "A", "B", "the first", "one", "K", "K7Q4", f"{first} and {second}", "K123"):
        assert winner(f"better idea: {planted}", labels=labels) == "invalid", planted


def test_labels_of_several_words_and_signs_are_found() -> None:
    labels = ("Output (a)", "Output (b)")
    assert winner("Verdict: Output (b)", labels=labels) == "second"
    assert winner("Verdict: **Output (a)**, not Output (b)", labels=labels) == "first"
    assert winner("Verdict: Output (a) and Output (b)", labels=labels) == "invalid"


def test_draws_count_only_where_they_are_offered() -> None:
    for text in ("better idea: tie", "My verdict: [[A=B]]", '{"winner": "draw"}'):
        assert winner(text) == "draw"
        assert winner(text, draws=False) == "invalid"
    assert winner("better idea: undecided", draw_words=("undecided",)) == "draw"
    assert winner("better idea: tie", draw_words=("undecided",)) == "invalid"
    assert winner("3", draw_words=("3",), contract="last-line digit", draws=False) == "invalid"


def test_only_the_contract_that_was_agreed_counts() -> None:
    assert winner("better idea: 1", contract="verdict") == "invalid"
    assert winner("Final verdict: 1", contract="verdict") == "first"
    assert winner("better idea: 1", contract="last-line digit") == "invalid"
    assert winner("So be it.\n\n**1**", contract="last-line digit") == "first"
    assert winner("So be it.\n\n1 or 2", contract="last-line digit") == "invalid"
    assert winner("1\n> 2", contract="last-line digit") == "invalid"
    assert winner("1\n```\n2\n```", contract="last-line digit") == "invalid"
    ab: dict[str, Any] = {"labels": ("a", "b"), "contract": "Output (a)"}
    assert winner("Output (b)", **ab) == "second"
    assert winner("Therefore, Output (a) is better.", **ab) == "first"
    assert winner("Output (a) and Output (b) are equally good.", **ab) == "invalid"
    assert winner("Output (c) is better.", **ab) == "invalid"
    changed = parse_verdict("Output (a) is better. No: Output (b) is better.", **ab)
    assert (changed.winner, changed.flags) == ("first", (CONFLICTING,))
    last = Contract("claim", ("Output",))
    assert (
        winner("Output (a) is better. No: Output (b) is better.", labels=("a", "b"), contract=last)
        == "second"
    )


def test_a_contract_is_chosen_by_name() -> None:
    assert contract_of("verdict") is CONTRACTS["verdict"]
    with pytest.raises(UsageError, match=r"no contract 'last line digit'.*did you mean 'last-line digit'"):
        contract_of("last line digit")
    with pytest.raises(ValueError, match="needs a phrase"):
        Contract("claim")
    with pytest.raises(ValueError, match="last line counts"):
        Contract("label", counts="first")
    with pytest.raises(ValueError, match="two different labels"):
        parse_verdict("better idea: 1", labels=("k", "K"))


def test_only_the_end_of_an_endless_reply_is_read() -> None:
    filler = "The first text is short and the second is long.\n"
    long = filler * (2 * LIMIT // len(filler))
    assert winner(f"{long}better idea: 2") == "second"
    assert winner(f"better idea: 2\n{long}") == "invalid"
    assert winner(f"<think>{long}</think>\nbetter idea: 2") == "second"
    assert winner(f"<THINK>{long}\nbetter idea: 2") == "invalid"
    assert winner(f"```\n{long}\nbetter idea: 2") == "invalid"
    assert winner(f"{'x' * 2 * LIMIT} better idea: 2") == "invalid"


@needs_shared
def test_all_shared_endings_are_read_right() -> None:
    wrong = [
        (row["text"], row["expect"], verdict)
        for row in rows("fixtures/verdicts.jsonl")
        if SLOTS.get(verdict := winner(row["text"]), verdict) != row["expect"]
    ]
    assert wrong == []


@needs_shared
def test_recorded_replies_with_a_digit_in_the_last_line_are_read_as_recorded() -> None:
    read: Counter[str] = Counter()
    for row in rows("data/gpt4_double_roundrobin/verdict_texts.jsonl"):
        said = winner(row["text"], draw_words=("3",), contract="last-line digit")
        assert SLOTS.get(said, said) == row["verdict"], row["text"][-200:]
        read[said] += 1
    assert read == {"first": 569, "second": 288, "draw": 147, "invalid": 4}


@needs_shared
def test_recorded_replies_of_six_judges_are_read_as_recorded() -> None:
    read = 0
    for row in rows("data/llmbar/verdicts.jsonl"):
        for order in ("ab", "ba"):
            said = winner(row[f"{order}_text"], labels=("a", "b"), draws=False, contract="Output (a)")
            assert SLOTS.get(said) == row[f"{order}_slot"], row[f"{order}_text"][-200:]
            read += 1
    assert read == 2628


@needs_shared
def test_prose_of_recorded_judges_holds_no_verdict_of_our_contract() -> None:
    """Thousands of real rationales that speak of winners, none of which ends with our line."""
    texts = [row["text"] for row in rows("data/gpt4_double_roundrobin/verdict_texts.jsonl")]
    texts += [row[f"{order}_text"] for row in rows("data/llmbar/verdicts.jsonl") for order in ("ab", "ba")]
    assert [text for text in texts if winner(text) != "invalid"] == []
