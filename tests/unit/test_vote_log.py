"""Logs of votes are read strictly: what is meant is taken, and every fault is named with its line."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from arena_tui.errors import FileProblems, UsageError
from arena_tui.vote_log import PROBLEMS_SHOWN, VoteLog, column_names, read_votes


def written(folder: Path, *rows: Any, name: str = "log.jsonl") -> Path:
    path = folder / name
    path.write_text("".join(f"{row if isinstance(row, str) else json.dumps(row)}\n" for row in rows))
    return path


def read(folder: Path, *rows: Any) -> VoteLog:
    return read_votes(written(folder, *rows))


def vote(winner: Any = "a", **more: Any) -> dict[str, Any]:
    return {"a": "x", "b": "y", "winner": winner, **more}


@pytest.mark.parametrize(
    ("winner", "masses"),
    [
        ("a", (1, 0, 0)), ("A", (1, 0, 0)), ("x", (1, 0, 0)), ("b", (0, 1, 0)), ("y", (0, 1, 0)),
        ("draw", (0, 0, 1)), ("tie", (0, 0, 1)), ("Tie", (0, 0, 1)), ("tie (bothbad)", (0, 0, 1)),
    ],
)  # fmt: skip
def test_winners_are_understood(tmp_path: Path, winner: str, masses: tuple[int, int, int]) -> None:
    log = read(tmp_path, vote(winner))
    assert (log.ids, log.votes[0].masses, log.skipped) == (("x", "y"), masses, 0)


@pytest.mark.parametrize(
    "row", [vote("invalid"), vote("void"), vote("a", weight=0), vote("invalid", p_a=0.4)]
)
def test_rows_that_say_nothing_are_counted_and_their_ids_kept(tmp_path: Path, row: dict[str, Any]) -> None:
    log = read(tmp_path, row)
    assert (log.ids, log.votes, log.skipped) == (("x", "y"), (), 1)


@pytest.mark.parametrize(
    ("row", "said"),
    [
        (vote(b="x"), "'x' meets itself"),
        (vote("z"), "\"winner\" must be a, b, draw, tie or one of the two ids, 'x' and 'y', not 'z'"),
        (vote(None), '"winner" must be a, b, draw, tie'),
        (vote(weight=-1), '"weight": expected a finite number from 0 to 1'),
        (vote(weight=1e12), '"weight": expected a finite number from 0 to 1'),
        (vote(weight=1e-300), '"weight" must be 0 or at least 1e-06, got 1e-300'),
        (vote(weight="heavy"), '"weight": expected a finite number'),
        (vote(p_a=1.5), '"p_a": expected a finite number from 0 to 1, got 1.5'),
        (vote(first="z"), "\"first\" must be a, b, or one of the two ids, 'x' and 'y', not 'z'"),
        (vote(first="draw"), '"first" must be'),
        (vote(a=""), '"a": expected text'),
        (vote(a="b", b="a"), "\"winner\" 'a' may mean a or b"),
        ('{"a": "x", "b": "y", "winner": "a", "winner": "b"}', "given twice"),
        ('{"a": "x", "b": "y", "winner": "a", "weight": NaN}', "NaN is no finite number"),
        ("[1]", "expected a JSON object"),
    ],
)
def test_faults_are_named_with_their_line(tmp_path: Path, row: Any, said: str) -> None:
    path = written(tmp_path, vote(), "", row, vote("b"))
    with pytest.raises(FileProblems) as refused:
        read_votes(path)
    (problem,) = refused.value.problems
    assert problem.line == 3
    assert said in str(problem)


def test_many_faults_are_counted(tmp_path: Path) -> None:
    with pytest.raises(FileProblems) as refused:
        read(tmp_path, *[vote("z")] * 50)
    assert len(refused.value.problems) == PROBLEMS_SHOWN + 1
    assert "and 30 more such rows" in str(refused.value)


def test_a_table_is_a_log_too(tmp_path: Path) -> None:
    path = tmp_path / "log.csv"
    path.write_text("a;b;winner;weight\nx;y;a;730\nx;y;b;33\n")
    assert [vote.masses for vote in read_votes(path).votes] == [(730, 0, 0), (0, 33, 0)]


def test_foreign_columns_have_foreign_words(tmp_path: Path) -> None:
    path = tmp_path / "log.csv"
    path.write_text("model_a,model_b,winner\nx,y,model_b\nx,y,tie\n")
    log = read_votes(path, column_names("a=model_a, b=model_b"))
    assert [vote.masses for vote in log.votes] == [(0, 1, 0), (0, 0, 1)]
    with pytest.raises(FileProblems, match=r"has no column 'a' .*--columns a=NAME"):
        read_votes(path)
    with pytest.raises(FileProblems, match="has no column 'prompt'"):
        read_votes(path, column_names("a=model_a,b=model_b,group=prompt"))


@pytest.mark.parametrize("given", ["a", "a=", "model=x", "a=x,a=y"])
def test_bad_columns_are_refused(given: str) -> None:
    with pytest.raises(UsageError, match="--columns"):
        column_names(given)


def test_a_vote_is_seen_from_who_was_shown_first(tmp_path: Path) -> None:
    log = read(tmp_path, vote("a", first="y"), vote("a", first="a"), vote("draw", first="b"))
    columns = log.columns()
    assert columns.first.tolist() == [1, 0, 1]
    assert columns.second.tolist() == [0, 1, 0]
    assert (columns.won.tolist(), columns.lost.tolist()) == ([0, 1, 0], [1, 0, 0])
    assert columns.tied.tolist() == [0, 0, 1]
    assert log.unordered == 0
    assert read(tmp_path, vote(), vote(first="a")).unordered == 1


def test_groups_judges_and_matches_are_numbered(tmp_path: Path) -> None:
    rows = [
        vote(group="p", judge="m", match=1),
        vote(group="p", judge="n", match=1),
        vote(group="q", judge="m", match=1),
        vote(group="q", judge="m"),
        vote(group="q", judge="m"),
    ]
    log = read(tmp_path, *rows)
    columns = log.columns()
    assert (log.groups, log.judges) == (("p", "q"), ("m", "n"))
    assert columns.match.tolist() == [0, 0, 1, 2, 3]
    assert columns.cluster.tolist() == [0, 0, 1, 1, 1]
    assert columns.judge.tolist() == [0, 1, 0, 0, 0]


def test_one_group_is_a_log_of_its_own(tmp_path: Path) -> None:
    log = read(tmp_path, vote(group="p"), {"a": "y", "b": "z", "winner": "a", "group": "q"})
    other = log.of_group(1)
    assert (other.ids, len(other.votes)) == (("y", "z"), 1)
    assert (other.votes[0].a, other.votes[0].b) == (0, 1)


def test_soft_outcomes_and_overrules(tmp_path: Path) -> None:
    log = read(
        tmp_path,
        vote("a", p_a=0.75, weight=0.5),
        {"a": "x", "b": "y", "p_a": 0.2},
        vote("a", p_a=0.75, overruled="b", weight=0.5),
        vote("invalid", overruled="draw"),
        vote("a", overruled="void"),
    )
    assert [vote.masses for vote in log.votes] == [
        pytest.approx((0.375, 0.125, 0)),
        pytest.approx((0.2, 0.8, 0)),
        (0, 0.5, 0),
        (0, 0, 1),
    ]
    assert log.skipped == 1


@pytest.mark.parametrize(("name", "text"), [("l.jsonl", ""), ("l.csv", ""), ("l.csv", "a,b,winner\n")])
def test_an_empty_log_is_no_fault(tmp_path: Path, name: str, text: str) -> None:
    path = tmp_path / name
    path.write_text(text)
    log = read_votes(path)
    assert (log.ids, log.votes) == ((), ())
    assert len(log.columns().first) == 0


def test_other_files_are_refused(tmp_path: Path) -> None:
    with pytest.raises(FileProblems, match="no such file"):
        read_votes(tmp_path / "none.jsonl")
    (tmp_path / "log.md").write_text("x beats y")
    with pytest.raises(FileProblems, match=r"of an unknown kind '\.md'"):
        read_votes(tmp_path / "log.md")
