"""What was written becomes paragraphs: nothing is lost, nothing is decoded, nothing lives."""

from __future__ import annotations

from itertools import pairwise

import pytest
from console_facts import HOSTILE
from hypothesis import given
from hypothesis import strategies as st
from rich.cells import cell_len

from arena_tui.console.glyphs import ASCII, UNICODE
from arena_tui.console.lines import Block, rows_of
from arena_tui.console.speech import blocks_of, inline, plain_blocks, whole
from arena_tui.console.widgets.plain import CUT, TURN_CHARACTERS


def shown(text: str) -> str:
    return "\n".join(f"{block.first}{block.plain}" for block in blocks_of(text))


@given(st.text(alphabet="ab1 *_~`#>[]()-+.\n|", max_size=200))
def test_no_letter_is_lost_whatever_the_marks(text: str) -> None:
    assert [c for c in shown(text) if c in "ab1"] == [c for c in text if c in "ab1"]


@given(st.text(alphabet="ab *_~`[]()", max_size=80))
def test_spans_lie_within_the_line(line: str) -> None:
    plain, spans = inline(line)
    assert all(0 <= start < end <= len(plain) for start, end, _ in spans)


@given(st.text(alphabet="ab 混合é\u0301👩\u200d", max_size=120), st.integers(1, 30))
def test_rows_hold_every_character_but_the_blanks_they_break_at(text: str, width: int) -> None:
    rows = rows_of(text, width)
    assert rows[0][0] == 0
    assert not text[rows[-1][1] :].strip(" ")
    for (_, end), (start, _) in pairwise(rows):
        assert text[end:start] in ("", " ")
    assert all(cell_len(text[start:end]) <= max(width, 2) for start, end in rows)


@given(st.text(alphabet="ab 混é", max_size=80), st.text(alphabet="ab 混é", max_size=40), st.integers(2, 20))
def test_what_comes_behind_changes_no_row_but_the_last(text: str, more: str, width: int) -> None:
    assert rows_of(text + more, width)[: len(rows_of(text, width)) - 1] == rows_of(text, width)[:-1]


def test_marks_become_styles() -> None:
    plain, spans = inline("a **bold** and *thin* `code` ~~gone~~ [here](https://example.org/x)")
    assert plain == "a bold and thin code gone here (https://example.org/x)"
    assert [(plain[start:end], style) for start, end, style in spans] == [
        ("bold", "strong"),
        ("thin", "em"),
        ("code", "code"),
        ("gone", "strike"),
        ("here (https://example.org/x)", "link"),
    ]


def test_snake_case_and_sums_are_not_emphasis() -> None:
    for line in ("the my_long_name and its_other_name", "2 * 3 * 4 = 24", "x[1](not y)"):
        assert inline(line)[0] == line


def test_lists_and_quotes_hang() -> None:
    blocks = blocks_of("- one\n  1. two\n> said\n# Head #\n---\n```py\n**x**\n```\n| a | b |")
    assert [(block.first, block.plain, block.style) for block in blocks] == [
        ("• ", "one", ""),
        ("  1. ", "two", ""),
        ("│ ", "said", "quote"),
        ("", "Head", "heading"),
        ("", "─", "dim"),
        ("  ", "py", "dim"),
        ("  ", "**x**", "code"),
        ("", "| a | b |", ""),
    ]
    assert blocks_of("- one", ASCII)[0].first == "- "


def test_a_fence_that_never_ends_loses_nothing() -> None:
    assert [block.plain for block in blocks_of("```\na\n\nb")] == ["a", "", "b"]


@pytest.mark.parametrize(
    "text", ["&#x202e;x", "&#27;]52;c;x", "<https://example.org/%1b%5d>", "<b>x</b>", "[a]: http://b"]
)
def test_entities_escapes_and_html_stand_as_they_were_written(text: str) -> None:
    assert shown(text) == text


@pytest.mark.parametrize("text", HOSTILE)
def test_a_hostile_text_has_no_control_character_left(text: str) -> None:
    for blocks in (blocks_of(whole(text)), plain_blocks(whole(text))):
        assert all(char.isprintable() or char == "\u200d" for block in blocks for char in block.plain)


def test_a_text_is_cut_where_a_screen_bears_no_more() -> None:
    assert whole("x" * (TURN_CHARACTERS + 1)).endswith(CUT)
    assert whole("word " * 1_000) == "word " * 1_000


def test_empty_lines_at_the_ends_do_not_count() -> None:
    assert blocks_of("\n\n a\n\n\n\nb\n\n", UNICODE) == [Block("a", (), " ", " "), Block(""), Block("b")]
