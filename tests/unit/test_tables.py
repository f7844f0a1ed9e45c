"""What is printed and exported of a result: aligned, disarmed, said in words, the same bytes every time."""

from __future__ import annotations

import csv
import io
import json
import re
from dataclasses import replace
from itertools import pairwise
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from rich.cells import cell_len

from arena_tui.errors import UsageError
from arena_tui.report.export import ExportFormat, suffix_format, write_rows
from arena_tui.report.result import STANDING_COLUMNS, Result, RunRow, StandingRow
from arena_tui.report.tables import runs_table, standings_table
from arena_tui.safetext import clean, one_line

ROWS = [
    StandingRow(1, "cool", 1312.44, title="Keep one room cool", wins=9, losses=2, matches=11),
    StandingRow(2, "kühl-漢字", 1290.0, title="漢字のタイトル😀", state="pinned", wins=8, draws=1, matches=9),
    StandingRow(2, "copy", 1290.0, title="the same", twin_of="kühl-漢字", wins=8, draws=1, matches=9),
    StandingRow(3, "fans", 1100.0, title="\x1b[31mFans\x1b[0m for\nall", state="rejected", flags=("late",)),
]  # fmt: skip
result = Result(
    run="r1", name="n", format="elo", compare="candidates", seed=42, stop_reason="ELO_STABLE",
    stop_detail="stable", db="/x.db",
    matches={"held": 0, "void": 2, "draw": 3, "b": 51, "a": 60}, comparisons=116,
    calls={"failed": 4, "sent": 130, "from_cache": 0},
    usage={"usd": None, "output_tokens": 3, "input_tokens": 1, "cached_input_tokens": 2},
    groups={"total": 1, "finished": 1, "stop_reasons": {}, "skipped": [], "later_key": 1},
    standings=ROWS,
    judge={"first_slot_rate": 0.55, "order_consistency": None, "invalid_rate": 0.02, "slot_effect": None},
    details={"closest_races": []},
)  # fmt: skip


def test_result_is_the_documented_json_object_in_order() -> None:
    told = result.to_dict()
    assert list(told) == [
        *("run", "name", "format", "compare", "seed", "stop_reason", "stop_detail", "db", "matches"),
        *("comparisons", "calls", "usage", "groups", "standings", "judge", "details", "overview"),
    ]
    assert list(told["matches"].items()) == [("a", 60), ("b", 51), ("draw", 3), ("void", 2), ("held", 0)]
    assert list(told["calls"]) == ["sent", "failed", "from_cache"]
    assert list(told["usage"]) == ["input_tokens", "cached_input_tokens", "output_tokens", "usd"]
    assert list(told["groups"]) == ["total", "finished", "stop_reasons", "skipped", "later_key"]
    assert list(told["standings"][0]) == [
        *("rank", "rank_low", "rank_high", "group", "class", "id", "title", "system", "state", "rating"),
        *("low", "high", "p_best", "wins", "losses", "draws", "matches"),
        *("twin_of", "parent_ids", "generation", "flags", "fitted", "score"),
    ]
    assert told["standings"][3]["flags"] == ["late"]
    assert told["usage"]["usd"] is None
    assert json.loads(json.dumps(told)) == told


def test_standings_say_who_won_and_who_is_set_apart() -> None:
    assert standings_table(ROWS, color=False, width=100) == (
        "rank  title               id         rating  W-D-L  matches  state\n"
        "   1  Keep one room cool  cool       1312.4  9-0-2       11\n"
        "   2  漢字のタイトル😀    kühl-漢字  1290.0  8-1-0        9  pinned\n"
        "   2  the same            copy       1290.0  8-1-0        9  twin of kühl-漢字\n"
        "   3  Fans for all        fans       1100.0  0-0-0        0  rejected, late\n"
    )


def test_intervals_are_shown_once_they_are_known() -> None:
    row = StandingRow(
        1, "x", 1200.0, rank_low=1, rank_high=3, low=1450.4, high=1549.6, p_best=0.815, fitted=1500.0,
        wins=3, losses=1, matches=4,
    )  # fmt: skip
    head, line = standings_table([row], color=False, width=80, format_kind="elo").splitlines()
    assert re.split("  +", head) == [
        *("rank", "range", "id", "Elo", "BT", "95 %", "P(best)", "W-D-L", "matches"),
    ]
    assert line.split() == ["1", "1-3", "x", "1200.0", "1500.0", "1450..1550", "82%", "3-0-1", "4"]


@pytest.mark.parametrize(
    ("kind", "score", "name", "told"),
    [
        ("swiss", 2.5, "points", "2.5"),
        ("pivot", 2 / 3, "w/c", "0.667"),
        ("knockout", 3.0, "rounds won", "3"),
        ("round_robin", 4.0, "points", "4"),
    ],
)
def test_score_has_the_name_that_its_format_gives_it(kind: str, score: float, name: str, told: str) -> None:
    row = StandingRow(1, "x", 1530.0, fitted=1530.0, score=score, wins=1, matches=1)
    head, line = standings_table([row], color=False, width=80, format_kind=kind).splitlines()
    assert re.split("  +", head) == ["rank", "id", "rating", name, "W-D-L", "matches"]
    assert line.split() == ["1", "x", "1530.0", told, "1-0-0", "1"]


def test_rating_of_one_never_compared_is_left_open_once_others_were() -> None:
    rows = [
        StandingRow(1, "x", 1530.0, fitted=1530.0, draws=1, matches=1),
        StandingRow(2, "y", 1500.0),
    ]
    _, *lines = standings_table(rows, color=False, width=80, format_kind="adaptive").splitlines()
    assert [line.split()[2] for line in lines] == ["1530.0", "0-0-0"]


def test_columns_that_say_least_go_first_where_there_is_no_room() -> None:
    row = StandingRow(
        1, "cool", 1312.4, title="Keep one room cool", fitted=1600.0, rank_low=1, rank_high=3, low=1500.4,
        high=1699.6, p_best=0.815, wins=9, losses=2, matches=11,
    )  # fmt: skip
    gone, before = [], ""
    for width in range(100, 20, -1):
        head, line = standings_table([row], color=False, width=width, format_kind="elo").splitlines()
        assert "1312.4" in line
        assert "cool" in line
        gone += [name for name in re.split("  +", before) if name and name not in re.split("  +", head)]
        before = head
    assert gone == ["matches", "W-D-L", "95 %", "BT", "P(best)", "range"]


def test_colour_adds_nothing_but_colour() -> None:
    plain, colored = (standings_table(ROWS, color=on, width=100) for on in (False, True))
    assert "\x1b" not in plain
    assert re.sub(r"\x1b\[\d*m", "", colored) == plain
    dim = [line for line in colored.splitlines() if line.startswith("\x1b[2m")]
    assert len(dim) == 2  # the twin and the rejected one, which say so in words


def test_each_group_stands_under_its_name() -> None:
    rows = [StandingRow(1, "a", 1200.0, group="g1"), StandingRow(1, "b", 1200.0, group="g\x1b[2J2")]
    lines = standings_table(rows, color=False, width=60).splitlines()
    assert [lines[0], lines[3], lines[4]] == ["g1", "", "g2"]


def test_nothing_to_show_is_said() -> None:
    assert standings_table([], color=True, width=80) == "no candidates\n"
    assert runs_table([], color=True, width=80) == "no runs yet\n"


def test_list_of_runs() -> None:
    run = RunRow("ab12", "heat", "elo", "stopped", "ELO_STABLE", 112, "2024-05-01T10:20:30+00:00", "/d")
    other = RunRow("cd34", "evil\x1b]0;x\x07", "elo", "running", None, 7, "2024-04-30T09:00:00+00:00", "/e")
    assert runs_table([run, other], color=False, width=100) == (
        "run   name  format  status               matches  created\n"
        "ab12  heat  elo     stopped, ELO_STABLE      112  2024-05-01 10:20\n"
        "cd34  evil  elo     running                    7  2024-04-30 09:00\n"
    )
    assert list(run.to_dict()) == [
        *("run", "name", "format", "status", "stop_reason", "matches", "created_at", "db"),
    ]


PAYLOADS = ["漢" * 30, "x" * 200, "\x1b]52;c;eA==\x07", "a\nb"]
hostile_text = st.one_of(st.text(max_size=40), st.sampled_from(PAYLOADS))
standing_rows = st.builds(
    StandingRow,
    rank=st.integers(1, 10_000),
    id=hostile_text,
    title=hostile_text,
    group=st.sampled_from(["g1", "漢" * 60]),
    rating=st.floats(-1e5, 1e5),
    wins=st.integers(0, 10**6),
    twin_of=st.none() | hostile_text,
    flags=st.lists(hostile_text, max_size=2).map(tuple),
)


@given(st.lists(standing_rows, min_size=1, max_size=5), st.integers(40, 140))
def test_no_line_acts_on_the_terminal_and_no_id_is_cut(rows: list[StandingRow], width: int) -> None:
    table = standings_table(rows, color=False, width=width)
    assert clean(table) == table
    lines = table.splitlines()
    groups = 1 + sum(a.group != b.group for a, b in pairwise(rows))
    assert len(lines) == len(rows) + (groups if groups == 1 else 3 * groups - 1)
    assert all(one_line(row.id, 1000) in table and one_line(row.twin_of or "", 1000) in table for row in rows)


@given(st.lists(standing_rows, min_size=1, max_size=5), st.integers(60, 140))
def test_titles_give_way_so_that_no_line_is_wider_than_the_terminal(
    rows: list[StandingRow], width: int
) -> None:
    rows = [replace(row, id=f"c{n}", twin_of=None, flags=(), group="g") for n, row in enumerate(rows)]
    assert all(
        cell_len(line) <= width for line in standings_table(rows, color=False, width=width).splitlines()
    )


def test_ids_are_whole_however_narrow_the_terminal() -> None:
    run, id_, group = "a-run-with-a-long-name-1130-2248-k3f9-2", "an-id-of-" + "x" * 48, "group-" + "y" * 60
    row = RunRow(run, "name", "elo", "stopped", "BUDGET", 7, "2024-05-01T10:20:30+00:00", "/d")
    for width in (40, 80, 100, 200):
        assert run in runs_table([row], color=False, width=width)
        rows = [StandingRow(1, id_, 1200.0, group=group), StandingRow(1, "b", 1200.0, twin_of=id_)]
        table = standings_table(rows, color=False, width=width)
        assert table.count(id_) == 2
        assert group in table


def test_simulation_is_named_in_the_heading_and_nowhere_else() -> None:
    head, *lines = standings_table(ROWS, color=False, width=100, simulated=True).splitlines()
    assert head == "rank  title               id         rating  W-D-L  matches  state  SIMULATED"
    assert lines == standings_table(ROWS, color=False, width=100).splitlines()[1:]


def exported(rows: list[dict[str, Any]], columns: list[str], fmt: ExportFormat) -> str:
    stream = io.StringIO(newline="")
    write_rows(rows, columns, fmt, stream)
    return stream.getvalue()


MATCH = {
    "seq": 1, "hyp_a": "x", "hyp_b": "=y", "elo_a_before": 1200.0, "elo_a_after": 1216.0000004, "p_a": 0.1,
    "round": None, "rationale": "a | b\nsecond \"line\" [x](http://y) <b>", "flags": ["f", "g"],
    "overruled": True, "expected_a": float("nan"),
}  # fmt: skip


def test_export_prints_rating_changes_to_six_decimals_in_every_format() -> None:
    columns = list(MATCH)
    assert (
        exported([MATCH], columns, "csv").splitlines()[1].startswith("1,x,'=y,1200.000000,1216.000000,0.1,,")
    )
    line = exported([MATCH], columns, "jsonl")
    assert line.startswith('{"seq": 1, "hyp_a": "x", "hyp_b": "=y", "elo_a_before": 1200.000000, ')
    assert '"round": null' in line
    assert line.endswith('"flags": ["f", "g"], "overruled": true, "expected_a": null}\n')
    assert exported([MATCH], columns, "md").splitlines()[2] == (
        "| 1 | x | =y | 1200.000000 | 1216.000000 | 0.1 |  | "
        r'a \| b<br>second "line" \[x](http://y) \<b> | f, g | true |  |'
    )


def test_standings_export_has_fitted_figures_to_four_decimals() -> None:
    fitted: dict[str, Any] = {"low": 1150.0, "high": 1250.123456, "p_best": 0.5, "fitted": 1201.00004}
    row = StandingRow(1, "x", 1200.0, **fitted, score=2 / 3, parent_ids=("p",)).to_dict()
    head, line = exported([row], list(STANDING_COLUMNS), "csv").splitlines()
    told = dict(zip(head.split(","), next(csv.reader([line])), strict=True))
    assert (told["rating"], told["score"]) == ("1200.000000", "0.666667")
    assert [told[key] for key in fitted] == ["1150.0000", "1250.1235", "0.5000", "1201.0000"]
    assert (told["parent_ids"], told["system"]) == ('["p"]', "")


@pytest.mark.parametrize("text", ["=1+1", "+1", "-1", "@SUM(A1)", "'=1", "\t=1"])
def test_text_that_a_spreadsheet_would_evaluate_gets_an_apostrophe(text: str) -> None:
    assert exported([{"x": text}], ["x"], "csv") == f"x\n'{text}\n"
    assert exported([{"x": -1.5}], ["x"], "csv") == "x\n-1.5\n"
    assert json.loads(exported([{"x": text}], ["x"], "jsonl")) == {"x": text}


@pytest.mark.parametrize("fmt", ["csv", "md"])
def test_exported_text_cannot_act_on_a_terminal(fmt: ExportFormat) -> None:
    told = exported([{"x\x1b[2J": "a\x1b]52;c;eA==\x07b\r\nc\u202e"}], ["x\x1b[2J"], fmt)
    assert "\x1b" not in told
    assert "\u202e" not in told
    assert "\r" not in told


@pytest.mark.parametrize(
    ("path", "fmt"), [("a/b.csv", "csv"), ("b.JSONL", "jsonl"), ("x.tar.md", "md"), (".x.csv", "csv")]
)
def test_suffix_names_the_format(path: str, fmt: str) -> None:
    assert suffix_format(path) == fmt


@pytest.mark.parametrize("path", ["a.json", "a.xlsx", "csv", "a.", ".csv"])
def test_unknown_suffix_is_refused_naming_the_three(path: str) -> None:
    with pytest.raises(UsageError, match=r"\.csv, \.jsonl or \.md"):
        suffix_format(path)


def test_mistyped_suffix_gets_the_nearest_one_named() -> None:
    with pytest.raises(UsageError, match=r"\(did you mean .csv\?\)"):
        suffix_format("table.cvs")


def unformula(cell: str) -> str:
    """What a reader of such a CSV does: take one apostrophe off a guarded text."""
    return cell[1:] if re.match(r"'+[=+\-@\t]", cell) else cell


COLUMNS = ["one", "two, three", "four"]
texts = st.text(st.characters(exclude_categories=["Cs"]), max_size=30)
texts |= st.sampled_from(["=x", "''=", "'tis", "|", "\\|", "`"])
values = st.none() | texts | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.booleans()
rows_of_values = st.lists(st.fixed_dictionaries(dict.fromkeys(COLUMNS, values)), max_size=5)


@given(rows_of_values)
def test_json_lines_read_back_as_they_were(rows: list[dict[str, Any]]) -> None:
    told = exported(rows, COLUMNS, "jsonl")
    assert told.isascii()
    assert "\x7f" not in told
    assert [json.loads(line) for line in told.split("\n")[:-1]] == rows


@given(rows_of_values)
def test_csv_reads_back_as_cleaned_text(rows: list[dict[str, Any]]) -> None:
    told = exported(rows, COLUMNS, "csv")
    head, *read = csv.reader(io.StringIO(told, newline=""), strict=True)
    assert head == COLUMNS

    def expected(value: Any) -> str:
        if value is None:
            return ""
        if isinstance(value, bool):
            return str(value).lower()
        return clean(value) if isinstance(value, str) else repr(value)

    for row, line in zip(rows, read, strict=True):
        given = [row[name] for name in COLUMNS]
        cells = [unformula(c) if isinstance(v, str) else c for v, c in zip(given, line, strict=True)]
        assert cells == [expected(value) for value in given]


@given(rows_of_values)
def test_markdown_keeps_its_columns_whatever_the_texts(rows: list[dict[str, Any]]) -> None:
    lines = exported(rows, COLUMNS, "md").split("\n")[:-1]
    assert len(lines) == len(rows) + 2
    assert all(len(re.findall(r"(?<!\\)(?:\\\\)*\|", line)) == 4 for line in lines)


def test_rows_are_written_as_they_come() -> None:
    """A cut export is a prefix of the whole one."""
    rows = [{"x": n} for n in range(4)]
    for fmt in ("csv", "jsonl", "md"):
        assert exported(rows, ["x"], fmt).startswith(exported(rows[:2], ["x"], fmt))
