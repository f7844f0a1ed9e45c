"""Lexical similarity and given vectors: exact values, late texts, and what is unknown."""

from __future__ import annotations

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from arena_tui.candidate import Candidate
from arena_tui.formats.ideas import Ideas
from arena_tui.ratings import similarity
from arena_tui.ratings.similarity import Lexical, Vectors

TEXTS = {
    "one": "mice live longer when mice eat less",
    "two": "worms live longer in the cold",
    "three": "nothing in common here",
    "one_again": "MICE  live longer, when mice eat less!",
    "blank": " ... ",
}
words = st.lists(st.sampled_from(list("abcdefg")), min_size=1, max_size=12).map(" ".join)


def by_hand(texts: dict[str, str], first: str, second: str) -> float:
    """TF-IDF cosine written out over plain dictionaries."""
    split = {hash_: text.split() for hash_, text in texts.items()}

    def row(hash_: str) -> dict[str, float]:
        weights = {}
        for word in split[hash_]:
            df = sum(word in other for other in split.values())
            idf = 1 + math.log((1 + len(texts)) / (1 + df))
            weights[word] = (1 + math.log(split[hash_].count(word))) * idf
        length = math.sqrt(sum(weight**2 for weight in weights.values()))
        return {word: weight / length for word, weight in weights.items()}

    one, other = row(first), row(second)
    return sum(weight * other.get(word, 0.0) for word, weight in one.items())


def test_equal_words_are_fully_alike_and_disjoint_words_not_at_all() -> None:
    lexical = Lexical(TEXTS)
    assert lexical.cosine("one", "one_again") == 1.0
    assert lexical.cosine("one", "three") == 0.0


@given(st.lists(words, min_size=2, max_size=6))
def test_cosine_is_tf_idf_by_hand(texts: list[str]) -> None:
    named = {str(i): text for i, text in enumerate(texts)}
    assert Lexical(named).cosine("0", "1") == pytest.approx(by_hand(named, "0", "1"), abs=2e-6)


@given(st.lists(words, min_size=2, max_size=6))
def test_cosine_is_symmetric_and_bounded(texts: list[str]) -> None:
    lexical = Lexical({str(i): text for i, text in enumerate(texts)})
    cosine = lexical.cosine("0", "1")
    assert cosine is not None
    assert 0.0 <= cosine <= 1.0
    assert lexical.cosine("1", "0") == cosine


def test_unknown_and_wordless_texts_have_no_similarity() -> None:
    lexical = Lexical(TEXTS)
    assert lexical.cosine("one", "never seen") is None
    assert lexical.cosine("one", "blank") is None
    assert Lexical({}).cosine("one", "two") is None


def test_a_late_text_changes_no_earlier_value() -> None:
    lexical = Lexical(TEXTS)
    before = lexical.cosine("one", "two")
    lexical.add("late", "mice live in the cold and mice like it")
    assert lexical.cosine("one", "two") == before
    late = lexical.cosine("one", "late")
    assert late is not None
    assert 0.0 < late < 1.0


def test_the_order_of_late_texts_does_not_matter() -> None:
    late = {"x": "zebra yak live", "y": "yak zebra zebra", "z": "quokka"}
    one, other = Lexical(TEXTS), Lexical(TEXTS)
    for hash_ in late:
        one.add(hash_, late[hash_])
    for hash_ in reversed(late):
        other.add(hash_, late[hash_])
    for hash_ in late:
        for known in (*TEXTS, *late):
            assert one.cosine(hash_, known) == other.cosine(hash_, known)
    assert one.cosine("x", "y") is not None


def test_adding_a_known_text_again_changes_nothing() -> None:
    lexical = Lexical(TEXTS)
    before = lexical.cosine("one", "two")
    lexical.add("one", "something else")
    assert lexical.cosine("one", "two") == before


def test_rows_that_take_turns_give_the_same_values(monkeypatch: pytest.MonkeyPatch) -> None:
    pairs = [(first, second) for first in TEXTS for second in TEXTS]
    roomy = Lexical(TEXTS)
    expected = [roomy.cosine(*pair) for pair in pairs]
    monkeypatch.setattr(similarity, "OPEN_TERMS", 3)
    tight = Lexical(TEXTS)
    assert [tight.cosine(*pair) for pair in pairs] == expected


def test_scripts_without_spaces_are_compared_by_character() -> None:
    lexical = Lexical({"one": "老鼠活得更久", "two": "老鼠吃得更少", "three": "光"})
    near = lexical.cosine("one", "two")
    assert near is not None
    assert 0.3 < near < 0.9
    assert lexical.cosine("one", "three") == 0.0


def test_vectors_give_their_cosine() -> None:
    vectors = Vectors({"x": (2.0, 0.0), "y": (1.0, 1.0), "z": (-3.0, 0.0)})
    assert vectors.cosine("x", "y") == pytest.approx(math.sqrt(0.5), abs=1e-6)
    assert vectors.cosine("x", "x") == 1.0
    assert vectors.cosine("x", "z") == -1.0 == vectors.least


def test_vectors_without_direction_or_of_other_length_are_unknown() -> None:
    vectors = Vectors({"x": (1.0, 0.0), "zero": (0.0, 0.0), "long": (1.0, 0.0, 0.0), "nan": (math.nan, 1.0)})
    for other in ("zero", "long", "nan", "absent"):
        assert vectors.cosine("x", other) is None


def test_a_late_vector_is_known_afterwards() -> None:
    vectors = Vectors({"x": (1.0, 0.0)})
    vectors.add("late", (0.0, 5.0))
    assert vectors.cosine("x", "late") == 0.0


def test_the_characters_ahead_are_those_of_all_texts_that_are_not_read_yet() -> None:
    first = [Candidate("a", "some text"), Candidate("b", "more text")]
    ideas = Ideas(first, similarity="lexical", prefer="distant")
    ideas.add(Candidate("c", "a later text"))
    assert ideas.characters_ahead == 9 + 9 + 12
    assert ideas.cosine(*first) is not None
    ideas.add(Candidate("d", "the last"))
    assert ideas.characters_ahead == 0
