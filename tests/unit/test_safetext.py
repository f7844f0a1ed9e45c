"""The gate: what passes `safetext` cannot act on a terminal, and plain text passes unchanged."""

from __future__ import annotations

import random
import re
import subprocess
import sys

import pytest
from hypothesis import given
from hypothesis import strategies as st
from rich.cells import cell_len

from arena_tui.safetext import MARKS_LIMIT, STRING_LIMIT, Cleaner, clean, one_line

DANGEROUS = re.compile(
    "[\x00-\x08\x0b-\x1f\x7f-\x9f\u061c\u200b\u200e\u200f\u2028-\u202e\u2060-\u2064\u2066-\u2069\ufeff"
    "\ud800-\udfff\U000e0000-\U000e007f]"
)
ESC = "\x1b"
PIECES = [
    *"ab [];0mJ\\\n\t\r(B{~",
    ESC, "\x07", "\x08", "\x18", "\x1a", "\x00", "\x7f", "\x85", "\x90", "\x9b", "\x9c", "\x9d",
    "\u200b", "\u200d", "\u202e", "\u2028", "\ufeff", "\U000e0041", "\ud83d", "\ude00", "é", "漢", "😀",
    f"{ESC}]", f"{ESC}P", f"{ESC}[", f"{ESC}\\", "\r\n",
]  # fmt: skip
hostile = st.lists(st.sampled_from(PIECES), max_size=60).map("".join)


def streamed(chunks: list[str]) -> str:
    cleaner = Cleaner()
    return "".join([*map(cleaner.feed, chunks), cleaner.close()])


@pytest.mark.parametrize(
    ("payload", "shown"),
    [
        (f"a{ESC}[31mred{ESC}[0m", "ared"),
        (f"a{ESC}]52;c;ZXZpbA=={ESC}\\b", "ab"),
        (f"a{ESC}]8;;https://example.org\x07link{ESC}]8;;\x07", "alink"),
        (f"a{ESC}]0;new title\x07b", "ab"),
        (f"a{ESC}Pq#0~~{ESC}\\b", "ab"),
        (f"a{ESC}_payload{ESC}\\b", "ab"),
        (f"a{ESC}(0lqk{ESC}(B", "alqk"),
        (f"a{ESC}cb{ESC}7c", "abc"),
        (f"a{ESC}{ESC}[2Jb", "ab"),
        (f"a{ESC}]52;c;half\nnext line", "a\nnext line"),
        (f"a{ESC}]2;x{ESC}[31mb", "ab"),
        (f"a{ESC}]2;x\x18b", "ab"),
        (f"a{ESC}[12\nb", "a\nb"),
        (f"a{ESC}[é", "aé"),
        (f"a{ESC}é", "aé"),
        (f"a{ESC}", "a"),
        ("a\x9b31mb", "a31mb"),
        ("one\r\ntwo\rthree\n", "one\ntwo\nthree\n"),
        ("a\x08\x07\x00\x7fb\x0bc", "abc"),
        ("user\u202egpj.exe\u200b\ufeff", "usergpj.exe"),
        ("tag\U000e0041\U000e007fs", "tags"),
        ("half \ud83d pair", "half \ufffd pair"),
    ],
)
def test_payload_is_disarmed(payload: str, shown: str) -> None:
    assert clean(payload) == shown


@pytest.mark.parametrize(
    "text",
    [
        "",
        "plain\twith tab\nand line",
        "[red]markup[/red] [/] arr[i]",
        "👩‍👩‍👧 zwj",
        "می‌خواهم zwnj",
        "naïve 漢字 café",
    ],
)
def test_plain_text_passes_unchanged(text: str) -> None:
    assert clean(text) == text
    assert streamed(list(text)) == text


def test_mojibake_quote_swallows_nothing_after_it() -> None:
    """UTF-8 quotation marks read as Latin-1 hold U+009D, which is OSC to a terminal in 8-bit mode."""
    assert clean("“quoted” and more".encode().decode("latin-1")) == "âquotedâ and more"


@pytest.mark.parametrize("introducer", ["]", "P", "[", "("])
def test_endless_sequence_gives_text_back_after_the_bound(introducer: str) -> None:
    filler = "(" if introducer == "(" else "1"
    filler = "!" if introducer == "(" else filler
    payload = f"{ESC}{introducer}" + filler * STRING_LIMIT + "seen"
    assert clean(payload) == "seen"
    assert streamed(list(payload)) == "seen"


def test_20_000_random_splits_give_what_the_whole_gives() -> None:
    draw = random.Random(43)
    for _ in range(20_000):
        text = "".join(draw.choices(PIECES, k=draw.randrange(1, 24)))
        cuts = sorted(draw.choices(range(len(text) + 1), k=draw.randrange(5)))
        chunks = [text[a:b] for a, b in zip([0, *cuts], [*cuts, len(text)], strict=True)]
        assert streamed(chunks) == clean(text), ascii(chunks)


@given(hostile)
def test_no_control_survives_and_cleaning_twice_changes_nothing(text: str) -> None:
    shown = clean(text)
    assert not DANGEROUS.search(shown)
    assert clean(shown) == shown
    assert streamed(list(text)) == shown


@given(st.text())
def test_no_control_survives_any_text(text: str) -> None:
    assert not DANGEROUS.search(clean(text))


@given(st.text().filter(lambda text: not DANGEROUS.search(text)))
def test_text_without_anything_dangerous_is_untouched(text: str) -> None:
    assert clean(text) == text


@given(st.one_of(st.text(), hostile), st.integers(-1, 30))
def test_one_line_is_one_line_of_at_most_the_width(text: str, cells: int) -> None:
    line = one_line(text, cells)
    assert "\n" not in line
    assert "\t" not in line
    assert cell_len(line) <= max(0, cells)
    assert not DANGEROUS.search(line)


@pytest.mark.parametrize(
    ("text", "cells", "shown"),
    [
        ("short", 10, "short"),
        ("exactly ten", 11, "exactly ten"),
        ("exactly ten", 10, "exactly t…"),
        ("cut at a space", 5, "cut…"),
        ("two\n\n  lines\tand tab", 40, "two lines and tab"),
        ("  kept  inside ", 40, "kept  inside"),
        ("漢字漢字漢字", 6, "漢字…"),
        ("漢字漢字漢字", 12, "漢字漢字漢字"),
        ("anything", 0, ""),
        ("anything", 1, "…"),
        (f"{ESC}[2Jtitle", 20, "title"),
    ],
)
def test_one_line_cuts_by_cells(text: str, cells: int, shown: str) -> None:
    assert one_line(text, cells) == shown


def test_tower_of_combining_marks_is_cut_down() -> None:
    tower = "a" + "\u0301" * 500 + "b" + "\u0302" * 3
    assert one_line(tower, 10) == "a" + "\u0301" * MARKS_LIMIT + "b" + "\u0302" * 3
    assert one_line("\u200c" * 500 + "x", 10) == "\u200c" * MARKS_LIMIT + "x"


def test_joiners_tie_emoji_but_hide_no_letters() -> None:
    assert one_line("👩‍👩‍👧 and 🏳️‍🌈", 20) == "👩‍👩‍👧 and 🏳️‍🌈"
    assert one_line("\u200d".join("letters"), 20) == "letters"
    assert len(one_line("\u200d".join("👩" * 1000), 6)) <= 9 * 6


def test_a_megabyte_without_a_line_end_is_cut_at_once() -> None:
    assert one_line("é" * 1_000_000, 5) == "éééé…"
    assert one_line("é" + "\u0301" * 1_000_000, 5) == "é" + "\u0301" * MARKS_LIMIT


def test_the_gate_itself_imports_no_rich() -> None:
    code = (
        "import sys, arena_tui.safetext as s; s.clean('x\\x1b[2J'); "
        "sys.exit(any(m.split('.')[0] == 'rich' for m in sys.modules))"
    )
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0
