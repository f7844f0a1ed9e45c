"""The public Python API: what is exported, and running a tournament from Python."""

from __future__ import annotations

import inspect
import json
from pathlib import Path
from typing import Any

import pytest

import arena_tui
from arena_tui.errors import FileProblems, UsageError

TOURNAMENT: dict[str, Any] = {
    "name": "from Python",
    "candidates": [{"id": id_, "text": f"text {id_}", "title": id_.upper()} for id_ in "abcd"],
    "judge": {"kind": "simulated", "mode": "pairwise"},
    "format": {"kind": "elo", "similarity": "none"},
    "limits": {"matches": 20, "concurrency": 4},
    "stop": {"rule": "none"},
    "seed": 3,
}


@pytest.fixture(autouse=True)
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("ARENA_HOME", str(tmp_path / "home"))
    monkeypatch.chdir(tmp_path)
    return tmp_path / "home"


def runs(home: Path) -> list[Path]:
    return sorted((home / "runs").glob("*.db"))


def test_all_is_what_is_exported() -> None:
    assert arena_tui.__all__ == sorted(arena_tui.__all__)
    for name in arena_tui.__all__:
        assert getattr(arena_tui, name) is not None
    assert set(arena_tui.__all__) <= set(dir(arena_tui))
    public = {name for name in dir(arena_tui) if not name.startswith("_")}
    modules = {name for name in public if inspect.ismodule(getattr(arena_tui, name))}
    assert public - modules - set(arena_tui.__all__) <= {"annotations", "TYPE_CHECKING"}
    with pytest.raises(AttributeError, match="'nothing'"):
        arena_tui.nothing  # noqa: B018 - reading it is the test


def test_everything_exported_says_what_it_is() -> None:
    for name in set(arena_tui.__all__) - {"__version__", "Usage", "Verdict"}:
        assert inspect.getdoc(getattr(arena_tui, name)), name


def test_mapping_and_file_are_loaded_and_run_to_the_same_result(tmp_path: Path) -> None:
    (tmp_path / "t.yaml").write_text(json.dumps(TOURNAMENT))
    of_mapping = arena_tui.run(arena_tui.load(TOURNAMENT))
    of_file = arena_tui.run(arena_tui.load("t.yaml"))
    assert of_mapping.stop_reason == of_file.stop_reason == "BUDGET"
    assert sum(of_mapping.matches.values()) == 20
    assert [row.to_dict() for row in of_mapping.standings] == [row.to_dict() for row in of_file.standings]
    assert of_mapping.run != of_file.run, "a run started from Python is fresh"
    assert json.loads(json.dumps(of_mapping.to_dict()))["name"] == "from Python"


async def test_arun_runs_inside_a_running_loop(home: Path) -> None:
    result = await arena_tui.arun(arena_tui.load(TOURNAMENT))
    assert sum(result.matches.values()) == 20
    assert len(runs(home)) == 1


async def test_run_refuses_a_running_loop_and_names_arun(home: Path) -> None:
    with pytest.raises(UsageError, match="arun"):
        arena_tui.run(arena_tui.load(TOURNAMENT))
    assert runs(home) == []


@pytest.mark.parametrize(
    ("says", "best"),
    [
        (lambda a, b: "first" if a.id < b.id else "second", "a"),
        (lambda a, b: float(a.id > b.id), "d"),
    ],
)
def test_judge_may_be_a_callable(says: Any, best: str) -> None:
    result = arena_tui.run(arena_tui.load(TOURNAMENT), judge=says)
    assert result.standings[0].id == best
    assert result.standings[0].losses == 0
    assert result.matches["void"] == 0


def test_judge_may_be_an_async_callable_and_is_called_once_a_comparison() -> None:
    asked = []

    async def judge(a: arena_tui.Candidate, b: arena_tui.Candidate) -> str:
        asked.append((a.id, b.id))
        return "draw"

    result = arena_tui.run(arena_tui.load(TOURNAMENT), judge=judge)
    assert result.matches["draw"] == 20
    assert len(asked) == 20


def test_callable_that_gives_no_verdict_makes_void_matches_with_the_reason() -> None:
    result = arena_tui.run(arena_tui.load(TOURNAMENT), judge=lambda a, b: "perhaps")
    assert result.matches["void"] == 10
    assert result.stop_reason == "IDLE"
    assert "perhaps" in result.stop_detail


def test_overrides_are_settings_with_double_underscores(home: Path) -> None:
    result = arena_tui.run(arena_tui.load(TOURNAMENT), limits__matches=7, seed=99, name="other")
    assert (sum(result.matches.values()), result.seed, result.name) == (7, 99, "other")
    with pytest.raises(UsageError, match=r"limits\.matches"):
        arena_tui.run(arena_tui.load(TOURNAMENT), limits__matchs=7)
    assert len(runs(home)) == 1


def test_db_names_the_run_and_goes_on_with_it(tmp_path: Path, home: Path) -> None:
    db = tmp_path / "mine.db"
    first = arena_tui.run(arena_tui.load(TOURNAMENT), db=db)
    assert (first.db, home.exists()) == (str(db), False)
    again = arena_tui.run(arena_tui.load(TOURNAMENT), db=db, limits__matches=30)
    assert again.run == first.run
    assert sum(again.matches.values()) == 30
    with pytest.raises(UsageError, match="seed"):
        arena_tui.run(arena_tui.load(TOURNAMENT), db=db, seed=5)


def test_what_was_overridden_once_is_the_tournaments_own_again_the_next_time(tmp_path: Path) -> None:
    db, tournament = tmp_path / "mine.db", arena_tui.load(TOURNAMENT)

    def played(**overrides: Any) -> int:
        return sum(arena_tui.run(tournament, db=db, **overrides).matches.values())

    assert played(limits={"matches": 5, "concurrency": 2}) == 5
    assert played() == 20
    assert played(limits__matches=25) == 25
    assert arena_tui.run(tournament, db=db).stop_detail == "the limit of 20 matches is used up"


def test_the_file_of_a_run_is_told_whole(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    assert arena_tui.run(arena_tui.load(TOURNAMENT), db="mine.db").db == str(tmp_path / "mine.db")


def longer(first: arena_tui.Candidate, second: arena_tui.Candidate) -> str:
    return "first" if len(first.text) > len(second.text) else "second"


def shorter(first: arena_tui.Candidate, second: arena_tui.Candidate) -> str:
    return "second" if longer(first, second) == "first" else "first"


def test_db_of_another_tournament_is_refused_and_not_taken_for_this_one(tmp_path: Path) -> None:
    db = tmp_path / "mine.db"
    arena_tui.run(arena_tui.load(TOURNAMENT), db=db)
    other = {
        "candidates": [*TOURNAMENT["candidates"][:3], {"id": "x", "text": "another text"}],
        "task": "Another question?",
        "seed": 4,
        "format": {"kind": "elo", "similarity": "none", "k_new": 40},
    }
    for part, value in other.items():
        with pytest.raises(
            UsageError, match=rf"differs from the tournament given in its {part}, .* leave db out"
        ):
            arena_tui.run(arena_tui.load(TOURNAMENT | {part: value}), db=db)
    assert sum(arena_tui.run(arena_tui.load(TOURNAMENT), db=db).matches.values()) == 20


def test_limits_that_the_tournament_has_gained_apply_to_the_run_in_db(tmp_path: Path) -> None:
    db = tmp_path / "mine.db"
    arena_tui.run(arena_tui.load(TOURNAMENT), db=db)
    more = TOURNAMENT | {"limits": {"matches": 25, "concurrency": 4}}
    assert sum(arena_tui.run(arena_tui.load(more), db=db).matches.values()) == 25


def test_a_seed_given_later_must_be_the_one_that_was_drawn(tmp_path: Path) -> None:
    db = tmp_path / "mine.db"
    unseeded = arena_tui.load({key: value for key, value in TOURNAMENT.items() if key != "seed"})
    drawn = arena_tui.run(unseeded, db=db).seed
    assert arena_tui.run(unseeded, db=db, seed=drawn).seed == drawn
    with pytest.raises(UsageError, match="in its seed"):
        arena_tui.run(unseeded, db=db, seed=drawn + 1)


def test_run_keeps_the_judge_it_was_begun_with(tmp_path: Path) -> None:
    mine, own = tmp_path / "mine.db", tmp_path / "own.db"
    tournament = arena_tui.load(TOURNAMENT)
    arena_tui.run(tournament, judge=longer, db=mine)
    with pytest.raises(UsageError, match=r"Python judge 'longer'.*judge=\.\.\., db="):
        arena_tui.run(tournament, db=mine)
    with pytest.raises(UsageError, match="begun with the Python judge 'longer', not with 'shorter'"):
        arena_tui.run(tournament, judge=shorter, db=mine)
    arena_tui.run(tournament, db=own)
    with pytest.raises(UsageError, match="begun with the judge of its tournament, not with 'longer'"):
        arena_tui.run(tournament, judge=longer, db=own)
    again = arena_tui.run(tournament, judge=longer, db=mine, limits__matches=25)
    assert sum(again.matches.values()) == 25


def test_result_says_who_judged_and_whether_that_was_simulated() -> None:
    tournament = arena_tui.load(TOURNAMENT)
    for judge, told in ((None, ("simulated", True)), (longer, ("python", False))):
        result = arena_tui.run(tournament, judge=judge)
        assert (result.judge["kind"], result.judge["simulated"]) == told


@pytest.mark.parametrize(
    ("judge", "says"),
    [
        ("simulated", "got 'simulated'; a kind of judge is a setting"),
        ({"kind": "simulated"}, "got a mapping"),
        (arena_tui.Judge, "got the class Judge"),
        (lambda text: "first", "takes two candidates"),
        (lambda: "first", "takes two candidates"),
    ],
)
def test_what_cannot_be_a_judge_is_refused_before_anything_is_made(home: Path, judge: Any, says: str) -> None:
    with pytest.raises(UsageError, match=says):
        arena_tui.run(arena_tui.load(TOURNAMENT), judge=judge)
    assert not home.exists()


@pytest.mark.parametrize("answer", ["a", True, None, 2, ["first"]])
def test_result_has_the_reasons_why_verdicts_are_invalid(answer: Any) -> None:
    result = arena_tui.run(arena_tui.load(TOURNAMENT), judge=lambda a, b: answer, limits__matches=3)
    assert (result.stop_reason, result.matches["void"]) == ("BUDGET", 3)
    (told,) = result.judge["invalid_reasons"]
    assert told["comparisons"] == 3
    assert told["reason"].startswith(f"the function returned {answer!r}; expected 'first'")


def test_what_is_no_tournament_is_a_sentence(home: Path) -> None:
    for source in ([TOURNAMENT], 3, None):
        with pytest.raises(
            UsageError, match="load: expected the path of a tournament file or a mapping, got"
        ):
            arena_tui.load(source)  # type: ignore[arg-type]  # what is tested
    for tournament in (TOURNAMENT, "t.yaml", None):
        with pytest.raises(UsageError, match=r"expected a tournament, got .*run\(load"):
            arena_tui.run(tournament)  # type: ignore[arg-type]  # what is tested
    assert not home.exists()


def test_mapping_may_leave_the_judge_to_run(home: Path) -> None:
    tournament = arena_tui.load({key: value for key, value in TOURNAMENT.items() if key != "judge"})
    with pytest.raises(UsageError, match=r"names no judge: give run\(\) one"):
        arena_tui.run(tournament)
    assert not home.exists()
    result = arena_tui.run(tournament, judge=longer)
    assert (result.judge["kind"], result.judge["simulated"]) == ("python", False)
    with pytest.raises(arena_tui.ArenaError, match=r"judge\.kind: missing"):
        arena_tui.load(TOURNAMENT | {"judge": {"draws": False}})


def test_judge_that_cannot_work_leaves_no_run(home: Path, tmp_path: Path) -> None:
    (tmp_path / "votes.jsonl").write_text('{"a": "a", "b": "b", "winner": "c"}\n')
    (tmp_path / "strangers.jsonl").write_text('{"a": "x", "b": "y", "winner": "a"}\n')
    for file, says in (
        ("votes.jsonl", "winner"),
        ("strangers.jsonl", "no recorded verdict is on two candidates"),
    ):
        tournament = arena_tui.load(TOURNAMENT | {"judge": {"kind": "recorded", "file": file}})
        with pytest.raises(FileProblems, match=says):
            arena_tui.run(tournament)
    assert not home.exists()


def test_result_has_the_fields_of_the_json_object_as_attributes() -> None:
    result = arena_tui.run(arena_tui.load(TOURNAMENT))
    given = result.to_dict()
    assert all(hasattr(result, key) for key in given)
    assert (result.seed, result.compare, result.standings[0].rank) == (3, "candidates", 1)
    row = given["standings"][0]
    assert row["title"] == result.standings[0].title
    assert list(row)[:4] == ["rank", "rank_low", "rank_high", "group"]


def test_bad_tournaments_raise_what_the_command_line_says(home: Path) -> None:
    with pytest.raises(FileProblems) as caught:
        arena_tui.load(TOURNAMENT | {"limits": {"matchs": 3}, "seed": "x"})
    assert len(caught.value.problems) == 2
    assert isinstance(caught.value, arena_tui.ArenaError)
    with pytest.raises(arena_tui.ArenaError, match="no such file"):
        arena_tui.load("missing.yaml")
    assert not home.exists()
