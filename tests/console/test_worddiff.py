"""The words that one text has and the other has not."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from arena_tui.console.worddiff import difference, share

WORDS = st.lists(st.sampled_from(["sleep", "clears", "tau", "the", "mice.", "\n", "混合"]), max_size=30).map(
    " ".join
)


def parts(first: str, second: str) -> tuple[list[str], list[str]]:
    found = difference(first, second)
    return [first[a:b] for a, b in found.first], [second[a:b] for a, b in found.second]


def test_the_words_that_differ_are_told_on_both_sides() -> None:
    assert parts("Sleep clears tau in 24 mice.", "Fasting clears tau in twelve old mice.") == (
        ["Sleep", "24"],
        ["Fasting", "twelve old"],
    )


@pytest.mark.parametrize(
    ("one", "other"),
    [("1,000", "1,500"), ("3.5", "3.7"), ("12%", "18%"), ("2.5kg", "2.8kg"), ("10:30", "10:45")],
)
def test_a_number_with_its_separators_is_one_word(one: str, other: str) -> None:
    assert parts(f"in {one} trees.", f"in {other} trees.") == ([one], [other])


def test_no_number_is_cut_in_long_texts_either() -> None:
    for line, count in (("It takes {} of it. ", 1_500), ("{}\n", 5_000)):
        first = [line.format(f"{number}.5") for number in range(count)]
        second = [*first[:700], line.format("700.75"), *first[701:]]
        assert parts("".join(first), "".join(second)) == (["700.5"], ["700.75"])


def test_the_share_of_the_words_that_differ_is_that_of_both_texts() -> None:
    for first, second, expected in (
        ("a b", "a b", 0.0),
        ("a b", "c d", 1.0),
        ("a b c", "a", 0.5),
        ("", "", 0.0),
    ):
        assert share(first, second, difference(first, second)) == expected


def test_equal_texts_do_not_differ_and_blanks_do_not_count() -> None:
    assert parts("a b", "a b") == ([], [])
    assert parts("a  b", "a b\n") == ([], [])
    assert parts("", "new words") == ([], ["new words"])


@given(WORDS, WORDS)
def test_what_is_left_after_taking_the_differences_out_is_the_same(first: str, second: str) -> None:
    found = difference(first, second)
    left = [
        "".join(char for at, char in enumerate(text) if not any(a <= at < b for a, b in ranges)).split()
        for text, ranges in ((first, found.first), (second, found.second))
    ]
    assert left[0] == left[1]


@given(WORDS, WORDS)
def test_parts_are_in_order_and_do_not_overlap(first: str, second: str) -> None:
    for ranges in (difference(first, second).first, difference(first, second).second):
        edges = [edge for each in ranges for edge in each]
        assert edges == sorted(edges)
        assert all(a < b for a, b in ranges)


def test_long_texts_are_compared_by_sentences_first() -> None:
    sentences = [f"Sentence {number} says something of mouse {number}. " for number in range(1_200)]
    changed = list(sentences)
    changed[600] = "Sentence 600 says nothing of mouse 600. "
    assert parts("".join(sentences), "".join(changed)) == (["something"], ["nothing"])
    assert not difference("".join(sentences), "".join(changed)).coarse


def test_long_texts_without_anything_in_common_are_marked_as_a_whole() -> None:
    first = " ".join(f"a{number}" for number in range(9_000))
    second = " ".join(f"b{number}" for number in range(9_000))
    found = difference(first, second)
    assert found.coarse
    assert (found.first, found.second) == (((0, len(first)),), ((0, len(second)),))


@pytest.mark.parametrize("text", ["\n" * 64_000, "a.\n" * 20_000, "x" * 64_000, "[" * 64_000])
def test_monotonous_texts_are_compared_too(text: str) -> None:
    other = f"{text[:30_000]} other {text[30_000:]}"
    found = difference(text, other)
    assert found.second
    assert all(b <= len(other) for _, b in found.second)
