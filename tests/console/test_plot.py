"""Curves of dots and letters, cell by cell."""

from __future__ import annotations

from array import array

from console_facts import entrant, ledger_of, play

from arena_tui.console.plot import Cell, margins, marks_line, plot
from arena_tui.console.widgets.curves import by_all_matches, by_own_matches


def chars(lines: list[list[Cell]]) -> list[str]:
    return ["".join(char for char, _ in line) for line in lines]


TWO = [[(0, 1200), (2, 1230), (5, 1210), (9, 1260)], [(1, 1200), (3, 1180), (7, 1220)]]


def test_a_step_goes_up_where_its_point_is() -> None:
    assert chars(plot([[(0, 1), (1, 3)]], 12, 6, x_range=(0, 1), signs="a")) == [
        "3 ┤      ⢸ a",
        "  │      ⢸  ",
        "  │      ⢸  ",
        "1 ┤⣀⣀⣀⣀⣀⣀⡸  ",
        "  └───────  ",
        "   0     1  ",
    ]


def test_letters_draw_without_dots_or_colours() -> None:
    assert chars(plot(TWO, 30, 8, x_range=(0, 10), signs="ab", ascii_only=True)) == [
        "1260 +                   aaa a",
        "     |                        ",
        "     |    aaaaaa              ",
        "     |          aaaaaaaaabbb b",
        "     |aaaabb                  ",
        "1180 +      bbbbbbbbb         ",
        "     +----------------------  ",
        "      0         5         10  ",
    ]


def test_the_first_series_lies_on_top_and_each_cell_knows_its_series() -> None:
    same = [[(0, 5), (1, 9)], [(0, 5), (1, 9)]]
    lines = plot(same, 14, 5, x_range=(0, 1), signs="ab", letters=True)
    assert {cell for line in lines[:3] for cell in line[3:-2]} == {(" ", None), ("a", 0)}
    dots = plot(same, 14, 5, x_range=(0, 1), signs="ab")
    assert {number for line in dots for _, number in line} == {None, 0, 1}  # 1 only as the sign at its end


def test_where_two_curves_end_in_one_row_both_signs_are_shown() -> None:
    lines = chars(plot([[(0, 5)], [(0, 5)], [(0, 5)]], 14, 6, x_range=(0, 1), signs="abc"))
    assert sorted(line[-1] for line in lines if line[-1] != " ") == ["a", "b", "c"]


def test_a_curve_begins_where_its_first_point_is_and_holds_its_last_value() -> None:
    line = chars(plot([[(5, 7)]], 24, 3, x_range=(0, 10), signs="a", ascii_only=True))[0]
    field = line[line.index("+") + 1 : -2]
    assert field.strip() == "a" * field.count("a")
    assert field.endswith("a")
    assert field.startswith(" " * 7)


def test_the_ruler_stands_where_no_curve_is() -> None:
    lines = chars(plot(TWO, 30, 8, x_range=(0, 10), signs="ab", ascii_only=True, ruler=5))
    at = [line.find(":") for line in lines]
    assert set(at) == {-1, 16}
    assert lines[3][16] == "a"


def test_every_line_has_the_width_asked_for_at_any_size() -> None:
    for width in range(1, 40):
        for height in range(1, 12):
            for ascii_only in (False, True):
                lines = chars(plot(TWO, width, height, x_range=(0, 10), signs="ab", ascii_only=ascii_only))
                assert [len(line) for line in lines] == [width] * height


def test_no_series_and_no_change_are_drawn_too() -> None:
    assert chars(plot([], 12, 4, x_range=(0, 0), signs=""))[-1].split() == ["0", "0"]
    flat = chars(plot([[(0, 1200)]], 20, 5, x_range=(0, 3), signs="a", ascii_only=True))
    assert flat[1].endswith("a a")


def test_margins_say_where_the_columns_of_the_curves_are() -> None:
    lines = plot(TWO, 30, 8, x_range=(0, 10), signs="ab")
    assert margins(lines) == (6, 22)
    assert margins([]) == (0, 0)


def test_marks_stand_at_their_x_with_as_many_words_as_there_is_room_for() -> None:
    marks = [(0, "start"), (5, "reject Alpha"), (6, "gen 1")]
    assert marks_line(marks, (0, 10), 31, "^") == "^start         ^  ^gen 1       "
    assert marks_line([(5, "x"), (5, "y"), (11, "beyond")], (0, 10), 11, "^") == "     ^x, y "
    assert marks_line([(9, "混合混合")], (0, 10), 11, "^") == "         ^ "


def test_words_of_marks_are_never_cut_and_never_touch() -> None:
    marks = [(0, "settings"), (3, "settings, reject Tau spreads alone"), (10, "pin")]
    told = marks_line(marks, (0, 10), 41, "^")
    assert told == "^settings   ^settings, reject Tau       ^"
    assert marks_line(marks, (0, 10), 21, "^") == "^     ^settings     ^"
    assert marks_line(marks, (0, 10), 11, "^") == "^  ^      ^"


def test_a_candidates_curve_has_a_point_for_each_rated_match() -> None:
    ledger = ledger_of([entrant("a"), entrant("b"), entrant("c")], 30)
    a = ledger.entrants[0]
    assert by_own_matches(a)[0] == (0, a.start)
    assert by_own_matches(a)[-1] == (len(a.history), a.rating)
    assert [y for _, y in by_own_matches(a)[1:]] == list(a.history)
    assert [x for x, _ in by_all_matches(a, None)[1:]] == [index + 1 for index in a.history_at]


def test_a_curve_against_one_groups_matches_counts_only_those() -> None:
    ledger = ledger_of(
        [entrant(id_, group=group) for group in ("one", "two") for id_ in "ab"], groups=("one", "two")
    )
    play(ledger, 40)
    indices = ledger.indices_of("two")
    a = ledger.find("two", "a")
    points = by_all_matches(a, indices)
    rated = [place for place, index in enumerate(indices, 1) if index in a.history_at]
    assert [x for x, _ in points[1:]] == rated


def test_a_long_history_is_thinned_and_keeps_its_end() -> None:
    ledger = ledger_of([entrant("a"), entrant("b")])
    a = ledger.entrants[0]
    a.history = array("d", range(100_001))
    a.history_at = array("I", range(100_001))
    points = by_all_matches(a, None)
    assert len(points) < 5_000
    assert points[-1] == (100_001, 100_000)
