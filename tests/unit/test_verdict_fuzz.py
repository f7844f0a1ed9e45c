"""No text makes the reader of verdicts fail, and none without a contract line makes it name a winner."""

from __future__ import annotations

import re
import time

import pytest
from hypothesis import assume, example, given, settings
from hypothesis import strategies as st
from verdict_endings import JSON, PLAIN, REFUSED

from arena_tui.judging.suspicions import suspicions
from arena_tui.judging.verdict import CONTRACTS, Contract, parse_verdict
from arena_tui.judging.verdict_text import fold

ENDINGS = [text for _, text, _ in PLAIN + JSON + REFUSED]
_DIRT = (
    "\n \r \r\n \f \v \x1c \x85 \u2028 \t \u200b \u202e \u2066 \ufeff \x1b[1m \x00 \U000e0031 \u0301 "
    "\ufe0f \ud800 ``` ~~~ > | <!-- --> <think> </think> [THINK] { } [[ ]] \" ' “ ” ** __ ~~ "
    "\\boxed{ $ < > </b> 🥇 ❌"
)
_WORDS = """
1 2 A B C a b one two first second the idea ideas option #1 1st 2nd 1.5 ½ K7 Q4 tie draw equal not never
neither both or and over than because is : = -> - – , . ; ? ! ( ) my final therefore overall says reads
better idea verdict judgment winner Output (a) (b) score
"""
DIRT, WORDS = _DIRT.split(" "), _WORDS.split()
CONTRACT_WORDS = [
    "better idea",
    "better idea:",
    "Better Idea: ",
    "verdict: ",
    "final judgment:",
    '{"winner": ',
    '"better_idea": 1}',
    "Output (a) is better",
    "ｂetter idea：",
]
pieces = st.sampled_from([*DIRT, *WORDS, *CONTRACT_WORDS]) | st.sampled_from(ENDINGS) | st.text(max_size=8)
replies = st.lists(pieces, max_size=30).flatmap(
    lambda parts: st.lists(
        st.sampled_from(["", " ", "\n", "\n\n"]), min_size=len(parts), max_size=len(parts)
    ).map(lambda gaps: "".join(part + gap for part, gap in zip(parts, gaps, strict=True)))
)
rules = st.fixed_dictionaries(
    {
        "labels": st.sampled_from(
            [("1", "2"), ("A", "B"), ("K7", "Q4"), ("K1", "K12"), ("a", "b"), ("ß", "ı")]
        ),
        "draws": st.booleans(),
        "draw_words": st.sampled_from([("draw", "tie", "equal"), (), ("C",), ("no winner",)]),
        "contract": st.sampled_from([*CONTRACTS, Contract(phrases=("rating",))]),
    }
)
# Without these no contract can be met: its phrases, the keys of JSON, and a label alone in a line.
MET = re.compile(r"better[\s_*-]*idea|verdict|judge?ment|winner", re.IGNORECASE)


@settings(max_examples=300)
@given(st.text() | replies, rules)
def test_any_text_gives_a_verdict(text, rules):
    verdict = parse_verdict(text, **rules)
    assert verdict.winner in ("first", "second", "draw", "invalid")
    assert verdict.p_first is None
    assert verdict.reason == text if verdict.winner != "invalid" else verdict.reason
    assert rules["draws"] or verdict.winner != "draw"
    assert parse_verdict(text, **rules) == verdict


@settings(max_examples=300)
@given(replies)
@example("1")
@example("[[A]]")
@example("The second, clearly.\n\n2")
@example("\\boxed{2}")
@example("Answer: 2")
@example("better  answer: 1")
@example("better\tideas: 1")
def test_a_text_without_a_contract_line_names_no_winner(text):
    assume(not MET.search(fold(text)))
    assert parse_verdict(text).winner == "invalid"
    assert parse_verdict(text, labels=("K7", "Q4")).winner == "invalid"


@settings(max_examples=200)
@given(replies)
def test_stand_ins_and_numbers_never_win_under_random_labels(text):
    shown = re.sub(r"(?i)k7|q4", "", text)
    said = parse_verdict(shown, labels=("K7", "Q4"), draws=False)
    assert said.winner == "invalid"


@settings(max_examples=200)
@given(replies, st.sampled_from(["1", "2"]))
def test_the_last_line_decides_or_nothing_does(text, label):
    """Whatever came before, a plain contract line at the end is never read as the other side."""
    said = parse_verdict(f"{text}\n\nbetter idea: {label}").winner
    assert said in ({"1": "first", "2": "second"}[label], "invalid")


@settings(max_examples=200)
@given(st.lists(st.sampled_from([*DIRT, *WORDS]), min_size=1, max_size=3))
def test_what_is_put_into_a_value_never_turns_it_around(inserted):
    for label, other in (("1", "second"), ("2", "first")):
        others = {
            "1": {"2", "B", "b", "(b)", "two", "second", "2nd"},
            "2": {"1", "A", "a", "(a)", "one", "first", "#1", "1st"},
        }
        assume(not others[label] & set(inserted))
        assert parse_verdict(f"better idea: {''.join(inserted)}{label}").winner != other
        assert parse_verdict(f"better idea: {label}{' '.join(inserted)}").winner != other


SHAPES = {
    "prose": "Idea 2 names a control that idea 1 lacks. ",
    "blank lines": "\n",
    "short lines": "x\n",
    "spaces": " ",
    "verdict lines": "better idea: 1\nbetter idea: 2\n",
    "phrases in one line": "better idea: ",
    "quoted lines": "> better idea: 1\n",
    "open tags": "<think>",
    "closing tags": "</think>",
    "angle brackets": "<",
    "fences": "```\nx\n",
    "backticks": "`",
    "comments": "<!--",
    "braces": "{\n",
    "nested JSON": '{"a":',
    "JSON lines": '{"winner":"A"}\n',
    "open texts": '{"a":"',
    "lead-in words": "my final verdict is ",
    "nouns": "the idea ",
    "labels": "1 2 ",
    "negations": "not 1 ",
    "rankings": "1 > ",
    "speech": "it says ",
    "combining marks": "\u0301\u0327",
    "long ligatures": "\ufdfa",
    "overrides": "\u202e",
    "escapes": "\x1b[",
    "zero width": "\u200b",
    "emoji": "🥇",
    "Chinese": "中",
}


@pytest.mark.benchmark
def test_one_megabyte_of_anything_takes_milliseconds():
    size = 1_000_000
    print(f"\nreading {size:,} characters, best of 3, ms: alone, before a verdict line, in its value; flags")
    for name, unit in SHAPES.items():
        text = (unit * (size // len(unit) + 1))[:size]
        timed = [text, f"{text[:-20]}\nbetter idea: 1", f"x\nbetter idea: 1, {text[:23_000]}"]
        figures = [_best(lambda text=text: parse_verdict(text)) for text in timed]
        flags = _best(lambda text=text: suspicions.__wrapped__(text))
        print(f"{name:22}" + "".join(f"{figure:8.2f}" for figure in (*figures, flags)))


def _best(call) -> float:
    times = []
    for _ in range(3):
        start = time.perf_counter()
        call()
        times.append(time.perf_counter() - start)
    return 1e3 * min(times)
