"""Tournament files: every problem at its file, line and key; what is refused outright; overrides."""

from __future__ import annotations

import json
import os
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import yaml
from hypothesis import given
from hypothesis import strategies as st

from arena_tui.errors import FileProblems, Problem, UsageError
from arena_tui.settings import CommandJudge, PanelJudge, RecordedJudge, SimulatedJudge
from arena_tui.tournament_file import check_file, load_file, load_mapping
from arena_tui.yaml_text import plain_scalar, read_yaml, write_yaml

GOOD = """\
task: Which is better?
candidates: pool.jsonl
judge: {kind: simulated}
"""


@pytest.fixture(autouse=True)
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Every test works in a folder of its own that holds a pool of two."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "pool.jsonl").write_text('{"id": "a", "text": "one"}\n{"id": "b", "text": "two"}\n')
    return tmp_path


def write(text: str, name: str = "t.yaml") -> str:
    """Write a tournament file into the working folder; its name."""
    Path(name).write_text(text, "utf-8")
    return name


def problems(text: str) -> list[str]:
    """What `check` says of a file with this text."""
    return [str(problem) for problem in check_file(write(text))]


def test_a_whole_file_is_read(here: Path) -> None:
    write("Is it new?\n", "task.md")
    write("Intro\n## Novelty\nIs it new?\n\nReally?\n```\n## no heading\n```\n## Clarity ##\n", "criteria.md")
    write('{"id": "main", "prompt": "P"}\n', "groups.jsonl")
    write("""{"a": "a", "b": "b", "winner": "a"}\n""", "votes.jsonl")
    path = write(
        """\
# a comment
name: 2024
task: {file: task.md}
criteria: criteria.md
candidates: {files: pool.jsonl, columns: {title: id}}
groups: groups.jsonl
compare: candidates
schedule: depth
format: {kind: elo, k_new: '40'}
judge:
  kind: recorded
  file: votes.jsonl
  draws: no
limits: {matches: 400, wall_clock: 30m, concurrency: 2, lookahead: null, per_group: {}}
stop: {rule: none}
seed: 42
"""
    )
    loaded = load_file(path)
    tournament = loaded.tournament
    assert (tournament.name, tournament.task, tournament.seed) == ("2024", "Is it new?", 42)
    assert tournament.criteria == {
        "Novelty": "Is it new?\n\nReally?\n```\n## no heading\n```",
        "Clarity": "Clarity",
    }
    assert (tournament.format.k_new, tournament.limits.wall_clock, tournament.judge.draws) == (
        40,
        1800,
        False,
    )
    assert isinstance(tournament.judge, RecordedJudge)
    assert tournament.judge.file == str(here.resolve() / "votes.jsonl")
    assert [c.title for c in loaded.pool.groups[0].candidates] == ["a", "b"]
    assert loaded.pool.groups[0].prompt == "P"
    assert (loaded.path, loaded.folder, loaded.notes) == (here.resolve() / "t.yaml", here.resolve(), ())


def test_a_short_file_takes_its_name_from_the_file(here: Path) -> None:
    tournament = load_file(write(GOOD, "my ideas.yaml")).tournament
    found = tournament.name, tournament.format.kind, tournament.stop.rule
    assert found == ("my ideas", "adaptive", "confident")
    assert check_file("my ideas.yaml") == []


def test_paths_start_from_the_files_folder_not_from_the_working_folder(
    here: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    write(GOOD)
    (here / "elsewhere").mkdir()
    monkeypatch.chdir(here / "elsewhere")
    assert len(load_file("../t.yaml").pool.groups[0].candidates) == 2


def test_inline_candidates_are_located_by_line() -> None:
    text = (
        "judge: simulated\ncandidates:\n  - one\n  - id: x\n    text: two\n  - {id: x, text: three}\n  - 4\n"
    )
    assert problems(text) == [
        "t.yaml:6: the id 'x' is given twice, first at t.yaml:4",
        "t.yaml:7: expected a text or a mapping, got 4 (put a text in quotes)",
    ] or problems(text) == [
        "t.yaml:7: expected a text or a mapping, got 4 (put a text in quotes)",
        "t.yaml:6: the id 'x' is given twice, first at t.yaml:4",
    ]


def test_check_lists_every_problem_with_file_and_line() -> None:
    write('{"text": ""}\n{"text": "a", "rating": "x"}\n', "bad.jsonl")
    said = problems(
        """\
task: {file: gone.md}
criteria: gone_too.md
candidates: bad.jsonl
judge:
  kind: recorded
  file: votes.jsonl
  nois: 1
limits:
  matches: 2.5
  matchs: 3
  usd: .nan
limits: {}
zeed: 4
"""
    )
    assert said == [
        "t.yaml:1: task.file: gone.md no such file",
        "t.yaml:2: criteria: gone_too.md no such file",
        "t.yaml:7: unknown key judge.nois (did you mean judge.orders?)",
        "t.yaml:9: limits.matches: expected a whole number of at least 1, got 2.5",
        "t.yaml:10: unknown key limits.matchs (did you mean limits.matches?)",
        "t.yaml:11: limits.usd: expected a finite number above 0 and at most 1,000,000,000, got nan",
        "t.yaml:12: the key 'limits' is given twice, first on line 8 (keep one of them)",
        "t.yaml:13: unknown key zeed (did you mean seed?)",
        "bad.jsonl:1: text: expected text, got an empty one",
        "bad.jsonl:2: rating: expected a finite number, got 'x'",
    ]


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("", "t.yaml: is empty, expected a tournament file (YAML)"),
        ("# only a comment\n", "t.yaml:1: expected keys such as task: and candidates:, got nothing (null)"),
        ("just words\n", "t.yaml:1: expected keys such as task: and candidates:, got 'just words'"),
        ("[1, 2]\n", "t.yaml:1: expected keys such as task: and candidates:, got a list"),
        ("a: &x [1]\n", "t.yaml:1: anchors and aliases (& and *) are not allowed"),
        ("judge: simulated\na: *x\n", "t.yaml:2: anchors and aliases"),
        ("a: !!python/object:os.system x\n", "t.yaml:1: YAML tags such as"),
        ("a: 1\n---\nb: 2\n", "t.yaml:2: a second YAML document begins here"),
        ("? [a, b]\n: 1\n", "t.yaml:1: a key is a list or a mapping"),
        ("a: 'open\n", "not valid YAML"),
        ("task: Which: is it\n", "t.yaml:1: not valid YAML: mapping values are not allowed"),
        ("judge:\n\tkind: simulated\n", "YAML indents with spaces, not tabs"),
        ("a: " + "[" * 100_000, "t.yaml:1: n"),
        ("x: " + "{a: " * 60 + "}" * 60, "t.yaml:1: nested deeper than 40 levels"),
        ("- " * 100_000, "t.yaml:1: nested deeper than 40 levels"),
    ],
)
def test_what_is_no_tournament_file_gets_one_sentence(text: str, sentence: str) -> None:
    (said,) = problems(text)
    assert sentence in said
    assert "\n" not in said


@pytest.mark.parametrize(
    "make",
    [
        lambda path: path.mkdir(),
        lambda path: None,
        lambda path: path.write_bytes(b"\x7fELF\x02\x01\x01\x00" * 50),
        lambda path: path.write_bytes(os.urandom(64) + b"\x00\x01"),
        lambda path: path.symlink_to(path),
        lambda path: path.symlink_to("/dev/zero"),
        lambda path: os.mkfifo(path),
    ],
    ids=["folder", "missing", "program", "random", "circle", "device", "pipe"],
)
def test_what_is_no_file_of_text_gets_one_sentence(here: Path, make: Callable[[Path], Any]) -> None:
    make(here / "t.yaml")
    (problem,) = check_file("t.yaml")
    assert str(problem).startswith("t.yaml:")
    assert "\n" not in str(problem)


@pytest.mark.parametrize("name", ["x" * 5000, "a\0b", ""])
def test_impossible_names_get_one_sentence(name: str) -> None:
    (problem,) = check_file(name)
    assert problem.message


def test_a_huge_file_is_not_read(here: Path) -> None:
    for name in ("t.yaml", "pool.bin"):
        with open(name, "wb") as file:
            file.truncate(200_000_000)
        (problem,) = check_file(name)
        assert str(problem) == f"{name}: is 200.0 MB, expected a tournament file (YAML) of at most 1.0 MB"


def test_a_yaml_bomb_is_refused_at_once() -> None:
    bomb = "a: &a [x, x, x, x, x, x, x, x, x]\n" + "".join(
        f"{chr(98 + n)}: &{chr(98 + n)} [{', '.join([f'*{chr(97 + n)}'] * 9)}]\n" for n in range(9)
    )
    started = time.perf_counter()
    (said,) = problems(bomb)
    assert "t.yaml:1: anchors and aliases" in said
    assert time.perf_counter() - started < 1


@pytest.mark.parametrize("name", ["p.jsonl", "p.csv", "p.md", "p.txt", "my pool.json"])
def test_a_pool_given_as_file_is_shown_the_file_it_needs(here: Path, name: str) -> None:
    (here / name).write_text("\n".join(f"line {n}" for n in range(4)))
    with pytest.raises(UsageError) as refused:
        load_file(name)
    first, *example = str(refused.value).split("\n")
    assert first.startswith(f"{name} is a pool of texts, not a tournament file.")
    shown = yaml.safe_load("\n".join(example))
    assert shown["candidates"] == str(here.resolve() / name)
    assert len(example) == 4


def test_the_file_that_a_pool_is_shown_runs(here: Path) -> None:
    with pytest.raises(UsageError) as refused:
        load_file("pool.jsonl")
    write("\n".join(str(refused.value).split("\n")[1:]))
    assert check_file("t.yaml") == []


def test_a_folder_of_texts_and_a_yaml_list_are_pools_too(here: Path) -> None:
    (here / "ideas").mkdir()
    (here / "ideas" / "a.md").write_text("x")
    write("- one\n- two\n", "list.yaml")
    for name in ("ideas", "list.yaml"):
        with pytest.raises(UsageError, match="is a pool of texts"):
            load_file(name)


SECRET = "sk-ant-api03-abcdefgh1234567890"


@pytest.mark.parametrize(
    "text",
    [
        f"{GOOD}name: {SECRET}\n",
        f"{GOOD}api_key: hunter2\n",
        f"{GOOD}limits: {{usd: {SECRET}}}\n",
        GOOD.replace("simulated}", f"command, command: [python3, --key, {SECRET}]}}"),
        GOOD.replace("simulated}", "simulated, password: hunter2}"),
        f"{GOOD}criteria: [ghp_abcdefghij0123456789abcdefghij012345]\n",
    ],
)
def test_secrets_are_refused_and_not_repeated(text: str) -> None:
    said = "\n".join(problems(text))
    assert "a secret does not belong in a tournament file" in said
    for secret in (SECRET, "hunter2", "ghp_abc", "sk-ant"):
        assert secret not in said


def test_words_that_only_look_like_secrets_are_not() -> None:
    text = GOOD.replace("pool.jsonl", "[{text: sk-ant-api03-abcdefgh1234567890, meta: {token: 1}}, b]")
    text += "criteria: {Password: is it safe?, sk-learn-and-other-libraries: used?}\nlimits: {tokens: 5000}\n"
    assert problems(text) == []


def test_missing_parts_are_named() -> None:
    assert problems("task: x\n") == [
        "t.yaml:1: candidates: missing, expected a file, a folder, a list or {files: ...}",
        "t.yaml:1: judge: missing, expected who judges, such as judge: {kind: simulated} "
        "(kinds of this version: recorded, simulated, command, llm, human, panel)",
    ]


@pytest.mark.parametrize(
    ("judge", "sentence"),
    [
        ("{kind: recorded, file: gone.jsonl}", "t.yaml:3: judge.file: no such file: "),
        (
            "{kind: command, command: [no-such-program-here]}",
            "judge.command: no program 'no-such-program-here'",
        ),
        (
            "{kind: command, command: [./gone.sh]}",
            "judge.command: no program './gone.sh' that can be run in ",
        ),
        ("{kind: command, command: [python3], folder: gone}", "t.yaml:3: judge.folder: no such folder: "),
        (
            "{kind: command, command: [python3, gone.py]}",
            "t.yaml:3: judge.command: no file 'gone.py' for python3",
        ),
        (
            "{kind: command, command: [./near.py]}",
            "judge.command: ./near.py is not executable (chmod +x ./near.py",
        ),
        ("{kind: recorded, file: nears.py}", "(did you mean near.py?)"),
        (
            "{kind: panel, judges: [{kind: simulated}, {kind: recorded, file: gone.jsonl}]}",
            "t.yaml:3: judge.judges[1].file: no such file: ",
        ),
        (
            "{kind: panel, judges: [{kind: command, command: [./gone.sh]}]}",
            "judge.judges[0].command: no program './gone.sh' that can be run in ",
        ),
    ],
)
def test_what_a_judge_needs_must_be_there(here: Path, judge: str, sentence: str) -> None:
    (here / "near.py").write_text("")
    (said,) = problems(GOOD.replace("{kind: simulated}", judge))
    assert sentence in said


def test_paths_of_a_panels_members_start_at_the_file_too(here: Path) -> None:
    (here / "votes.jsonl").write_text("")
    members = "[{kind: recorded, file: votes.jsonl}, {kind: command, command: [sh]}]"
    judge = load_file(
        write(GOOD.replace("{kind: simulated}", f"{{kind: panel, judges: {members}}}"))
    ).tournament.judge
    assert isinstance(judge, PanelJudge)
    assert [getattr(m, "file", getattr(m, "folder", None)) for m in judge.judges] == [
        str(here.resolve() / "votes.jsonl"),
        str(here.resolve()),
    ]


def test_a_program_starts_in_the_files_folder(here: Path) -> None:
    (here / "judge.sh").write_text("#!/bin/sh\n")
    (here / "judge.sh").chmod(0o700)
    judge = load_file(
        write(GOOD.replace("simulated}", "command, command: [./judge.sh, 3]}"))
    ).tournament.judge
    assert isinstance(judge, CommandJudge)
    assert (judge.command, judge.folder) == (("./judge.sh", "3"), str(here.resolve()))


def test_what_only_shows_with_the_pool_is_checked() -> None:
    elo = GOOD + "format: elo\n"
    (said,) = problems(elo + "stop: {min_ideas_before_stable: 3}\n")
    assert "t.yaml:5: stop.min_ideas_before_stable: this tournament could never end" in said
    assert problems(elo + "stop: {min_ideas_before_stable: 3}\nlimits: {matches: 4}\n") == []
    (said,) = problems(GOOD + "format: {similarity: embedding}\n")
    assert "t.yaml:4: format.similarity: 'embedding' needs candidates with an embedding" in said
    loaded = load_file(write(GOOD.replace("simulated}", "simulated, strengths: {a: 1, z: 2}}")))
    assert loaded.notes == ("judge.strengths names no candidate of the pool with 'z'",)


def test_a_tournament_that_could_never_end_is_refused_at_its_line() -> None:
    (said,) = problems(GOOD + "limits: {usd: 3}\nstop:\n  rule: none\n")
    assert said.startswith("t.yaml:6: stop.rule: this tournament could never end")


def test_criteria_files_without_or_with_repeated_criteria_are_refused() -> None:
    write("# Title\ntext\n", "none.md")
    assert problems(GOOD + "criteria: none.md\n") == [
        "none.md: has no criteria, expected a line '## Name' for each, its text below"
    ]
    write("## A\n## A\n", "twice.md")
    assert problems(GOOD + "criteria: twice.md\n") == ["twice.md:2: the criterion 'A' is given twice"]


def test_overrides_win_over_the_file_and_the_seed_over_all() -> None:
    path = write(GOOD + "format: elo\nlimits: {matches: 3, concurrency: 4}\n")
    overrides = {
        "limits.matches": "400",
        "limits.wall_clock": "30m",
        "format.preset": "co_scientist",
        "judge.strengths": "{a: 1.5}",
        "criteria.New": "is it: new?",
        "name": "[draft] 1",
        "seed": "5",
    }
    tournament = load_file(path, overrides=overrides, seed=7).tournament
    assert (tournament.limits.matches, tournament.limits.wall_clock, tournament.limits.concurrency) == (
        400,
        1800,
        4,
    )
    assert (tournament.judge.orders, tournament.format.kind, tournament.seed) == ("given", "elo", 7)
    assert (tournament.criteria, tournament.name) == ({"New": "is it: new?"}, "[draft] 1")
    assert isinstance(tournament.judge, SimulatedJudge)
    assert tournament.judge.strengths == {"a": 1.5}
    assert load_file(path, overrides={"limits.matches": "null"}).tournament.limits.matches is None
    assert load_file(path, overrides={"candidates": "[x, y, z]"}).pool.groups[0].candidates[2].text == "z"


@pytest.mark.parametrize(
    ("key", "value", "sentence"),
    [
        (
            "limits.matches",
            "2.5",
            "--set: limits.matches: expected a whole number of at least 1",
        ),
        (
            "limits.matchs",
            "2",
            "--set limits.matchs: unknown key limits.matchs (did you mean limits.matches?)",
        ),
        ("format.kind", "evolution", "--set format.kind: format kind 'evolution' is not"),
        ("judge.strengths", "{a: ", "--set judge.strengths: judge.strengths: cannot read '{a: '"),
        ("candidates", "gone.jsonl", "--set candidates: no such file or folder: 'gone.jsonl'"),
        ("", "x", "--set : unknown key"),
    ],
)
def test_wrong_overrides_are_named_as_such(key: str, value: str, sentence: str) -> None:
    with pytest.raises(FileProblems) as refused:
        load_file(write(GOOD), overrides={key: value})
    assert str(refused.value).startswith(sentence)
    assert "\n" not in str(refused.value)


def test_a_mapping_is_a_tournament_too_and_problems_name_the_key(here: Path) -> None:
    mapping = {
        "judge": {"kind": "simulated"},
        "candidates": ["one", {"id": "x", "text": "two", "group": "main"}],
        "format": {"preset": "co_scientist"},
    }
    before = json.dumps(mapping)
    loaded = load_mapping(mapping)
    assert json.dumps(mapping) == before
    assert [c.id for c in loaded.pool.groups[0].candidates] == ["one", "x"]
    assert (loaded.path, loaded.folder, loaded.tournament.name) == (None, here.resolve(), "tournament")
    assert load_mapping({"judge": "simulated", "candidates": "pool.jsonl"}, here).pool.playable
    with pytest.raises(FileProblems) as refused:
        load_mapping(
            {"judge": {"kind": "simulated", "nois": 1}, "candidates": ["a", {"txt": "b"}], "limit": 3}
        )
    assert str(refused.value).split("\n") == [
        "tournament: unknown key judge.nois (did you mean judge.noise?)",
        "tournament: unknown key limit (did you mean limits?)",
        "tournament: candidates[1]: unknown field 'txt' (did you mean text?)",
    ]
    with pytest.raises(UsageError, match="expected a mapping with a tournament file's keys, got a list"):
        load_mapping([1])  # type: ignore[arg-type]  # what a caller may get wrong


def test_stored_settings_written_as_yaml_run_again_as_they_are(here: Path) -> None:
    loaded = load_file(write(GOOD + "format: {preset: co_scientist}\nlimits: {wall_clock: 30m}\nseed: 3\n"))
    stored = loaded.tournament.model_dump(mode="json")
    candidates = [{"id": c.id, "text": c.text} for g in loaded.pool.groups for c in g.candidates]
    path = write(write_yaml({**stored, "candidates": candidates}), "again.yaml")
    again = load_file(path)
    assert again.tournament == loaded.tournament
    assert [c.id for c in again.pool.groups[0].candidates] == ["a", "b"]


@pytest.mark.parametrize(
    ("written", "value"),
    [
        ("no", "no"),
        ("007", "007"),
        ("1:30", "1:30"),
        ("2024-01-01", "2024-01-01"),
        ("1_000", "1_000"),
        ("0x1F", "0x1F"),
        ("12", 12),
        ("-1.5e3", -1500.0),
        ("1e3", 1000.0),
        ("True", True),
        ("~", None),
        ("", None),
        ("+", "+"),
        (".", "."),
        ("1.0.0", "1.0.0"),
    ],
)
def test_plain_words_mean_what_yaml_1_2_says(written: str, value: Any) -> None:
    assert plain_scalar(written) == value
    assert type(plain_scalar(written)) is type(value)


_SCALARS = st.none() | st.booleans() | st.integers(-(10**9), 10**9) | st.text(max_size=20)
_DATA = st.recursive(
    _SCALARS,
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=6), inner, max_size=4),
    max_leaves=10,
)


@given(_DATA)
def test_what_is_written_as_yaml_is_read_back_equal(value: Any) -> None:
    shared = {"one": value, "two": value}  # no anchors, though both are the same object
    assert read_yaml(write_yaml(shared), "f") == (shared, [])


@pytest.mark.parametrize(
    "word", ["1e3", "no", "~", "", "007", ".nan", "true", "a: b", "- a", " x ", "a\nb", "\x85"]
)
def test_words_that_plain_yaml_would_change_are_quoted(word: str) -> None:
    assert read_yaml(write_yaml({word: [word]}), "f") == ({word: [word]}, [])


@given(content=st.binary(max_size=200) | st.text(max_size=200).map(lambda t: t.encode("utf-8", "ignore")))
def test_any_bytes_are_a_tournament_or_problems(content: bytes) -> None:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "t.yaml")
        path.write_bytes(content)
        found = check_file(path)
        assert found
        assert all(isinstance(problem, Problem) and problem.message for problem in found)


@given(st.text(alphabet="task: cndiejugklmso[]{}'\"\n-#&*!|>%@`0123.,", max_size=120))
def test_any_yaml_like_text_is_a_tournament_or_problems(text: str) -> None:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "t.yaml")
        path.write_text(GOOD + text)
        assert all(problem.message for problem in check_file(path))
