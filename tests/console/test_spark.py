"""Sparklines, interval bars and the layout of columns: pure, so looked at without a screen."""

from __future__ import annotations

import itertools
import random

from rich.cells import cell_len

from arena_tui.console.columns import Column, aligned, fit, lay_out
from arena_tui.console.glyphs import ASCII, UNICODE
from arena_tui.console.interval_bar import Scale, interval_bar, round_scale
from arena_tui.console.spark import spark

LEVELS = UNICODE.spark


def test_a_sparkline_goes_from_its_lowest_value_to_its_highest() -> None:
    assert spark([1, 2, 3, 4, 5, 6, 7, 8], 8, LEVELS) == "▁▂▃▄▅▆▇█"
    assert spark([8, 1], 8, LEVELS) == "█▁"


def test_a_sparkline_shows_the_last_values() -> None:
    assert spark([100, 1, 2], 2, LEVELS) == "▁█"


def test_no_value_is_no_sparkline_and_equal_values_lie_in_the_middle() -> None:
    assert spark([], 8, LEVELS) == ""
    assert spark([1, 2], 0, LEVELS) == ""
    assert spark([5, 5, 5], 8, LEVELS) == "▅▅▅"


def test_noise_below_the_least_range_looks_flat() -> None:
    assert spark([1200, 1201, 1200], 8, LEVELS, least=100) in ("▄▅▄", "▅▅▅", "▄▄▄")


def test_an_interval_bar_draws_a_line_with_a_point() -> None:
    assert interval_bar(50, 20, 79, Scale(0, 100), 10, ASCII) == "  ---o--  "


def test_without_an_interval_there_is_only_the_point() -> None:
    assert interval_bar(50, None, None, Scale(0, 100), 10, ASCII) == "     o    "
    assert interval_bar(50, 10, None, Scale(0, 100), 10, ASCII) == "     o    "


def test_what_lies_beyond_the_scale_is_drawn_at_its_edge() -> None:
    assert interval_bar(-50, -90, 20, Scale(0, 100), 5, ASCII) == "o-   "
    assert interval_bar(500, None, None, Scale(0, 100), 5, ASCII) == "    o"
    assert interval_bar(100, None, None, Scale(0, 100), 5, ASCII) == "    o"
    assert interval_bar(1, None, None, Scale(0, 100), 0, ASCII) == ""


def test_a_scale_holds_its_values_has_round_edges_and_never_vanishes() -> None:
    rng = random.Random(7)
    for _ in range(500):
        low = rng.uniform(-3000, 3000)
        high = low + rng.choice([0.0, 0.001, 1.0, 37.0, 400.0, 5000.0]) * rng.random()
        scale = round_scale(low, high)
        assert scale.low <= low
        assert high <= scale.high
        assert scale.low < scale.high
    assert round_scale(1113, 1388) == Scale(1100, 1400)


def test_a_scale_stays_while_ratings_move_a_little() -> None:
    assert round_scale(1113, 1388) == round_scale(1108, 1393)


def column(id_: str, width: int, *, flexible: bool = False, wide: int = 0) -> Column[str, None]:
    return Column(
        id_,
        lambda look, cells: id_,
        lambda look: width,
        lambda item, look, cells: [(item, "")],
        flexible=flexible,
        wide=(lambda look: wide) if wide else None,
    )


COLUMNS = (column("a", 4), column("text", 10, flexible=True), column("b", 6, wide=20), column("none", 0))
ORDER = ("text", "b", "a", "none")


def test_columns_find_room_in_the_order_of_their_importance_and_stand_in_their_own() -> None:
    assert [place.column.id for place in lay_out(COLUMNS, ORDER, None, 80)] == ["a", "text", "b"]
    assert [place.column.id for place in lay_out(COLUMNS, ORDER, None, 19)] == ["text", "b"]
    assert [place.column.id for place in lay_out(COLUMNS, ORDER, None, 12)] == ["text"]


def test_columns_fill_the_width_exactly() -> None:
    for width in range(1, 200):
        placed = lay_out(COLUMNS, ORDER, None, width)
        assert placed[-1].x + placed[-1].width == width
        for left, right in itertools.pairwise(placed):
            assert left.x + left.width + 1 == right.x


def test_a_wide_column_grows_only_when_the_text_has_enough() -> None:
    narrow = {place.column.id: place.width for place in lay_out(COLUMNS, ORDER, None, 40)}
    roomy = {place.column.id: place.width for place in lay_out(COLUMNS, ORDER, None, 120)}
    assert (narrow["b"], roomy["b"]) == (6, 20)


def test_a_text_is_cut_by_cells_not_by_characters() -> None:
    assert fit("混合混合", 8, "…") == "混合混合"
    assert cell_len(fit("混合混合", 7, "…")) <= 7
    assert fit("混合混合", 7, "~").endswith("~")
    assert fit("abc", 0, "…") == ""


def test_pieces_are_padded_or_cut_to_their_column() -> None:
    def told(pieces: object, **how: bool) -> str:
        return "".join(text for text, _ in aligned(pieces, 6, ellipsis="~", right=how["right"]))  # type: ignore[arg-type]

    assert told([("ab", ""), ("c", "x")], right=False) == "abc   "
    assert told([("ab", ""), ("c", "x")], right=True) == "   abc"
    assert told([("abcd", "x"), ("efgh", "")], right=True) == "abcde~"
