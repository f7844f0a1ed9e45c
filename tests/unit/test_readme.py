"""What README.md tells a newcomer to write and type works as it stands there."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import pytest
import yaml

import arena_tui
from arena_tui.cli import arena
from arena_tui.tournament_file import check_file

README = (Path(__file__).parents[2] / "README.md").read_text(encoding="utf-8")


def blocks(language: str) -> list[str]:
    """The fenced blocks of a language, in order."""
    return re.findall(rf"^```{language}\n(.*?)^```$", README, re.MULTILINE | re.DOTALL)


@pytest.fixture(autouse=True)
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A newcomer's folder: texts, and every file that the README writes down with its name."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("ARENA_HOME", str(tmp_path / "home"))
    (tmp_path / "plans").mkdir()
    for number, text in enumerate(
        ("It will work.", "It will, because we know how.", "Because. Just because.")
    ):
        (tmp_path / "plans" / f"plan{number}.md").write_text(text)
    for block in (*blocks("yaml"), *blocks("python")):
        if named := re.match(r"# (\S+\.\w+)$", block.partition("\n")[0]):
            (tmp_path / named[1]).write_text(block)
    return tmp_path


def test_tournament_file_runs_as_it_stands_with_the_judge_beside_it(here: Path) -> None:
    (file,) = here.glob("*.yaml")
    assert (here / "judge.py").exists()
    assert check_file(file) == []
    result = arena_tui.run(arena_tui.load(file), limits__matches=6)
    assert (result.stop_reason, sum(result.matches.values()), result.matches["void"]) == ("BUDGET", 6, 0)
    assert result.standings[0].id != "plan0", "the judge looked at the texts"


def test_every_yaml_block_is_a_tournament_file(here: Path) -> None:
    for number, block in enumerate(blocks("yaml")):
        file = here / f"block{number}.yaml"
        pool = "" if "candidates:" in block else "candidates: plans/\n"  # a part of a file
        file.write_text(block + pool)
        assert check_file(file) == [], block


def test_mapped_columns_are_read_as_the_readme_writes_them(here: Path) -> None:
    (written,) = re.findall(r"`(candidates: \{files.*?\})`", README)
    (here / "out").mkdir()
    (here / "out" / "a.csv").write_text("body,model,topic\none,m1,t1\ntwo,m2,t2\n")
    tournament = arena_tui.load(yaml.safe_load(written) | {"judge": "simulated"})
    (group,) = tournament.pool.groups
    assert [(c.title, c.text) for c in group.candidates] == [("m1: t1", "one"), ("m2: t2", "two")]


@pytest.mark.parametrize("number", range(len(blocks("python"))))
def test_python_blocks_run(here: Path, number: int) -> None:
    block = blocks("python")[number]
    question = '{"first": {"text": "because"}, "second": {"text": ""}}'
    done = subprocess.run(
        [sys.executable, "-W", "error", "-c", block],
        input=question, capture_output=True, text=True, timeout=60, cwd=here,
        env={"ARENA_HOME": str(here / "home"), "PYTHONPATH": str(Path(__file__).parents[2])},
    )  # fmt: skip
    assert (done.returncode, done.stderr) == (0, ""), done.stderr
    assert done.stdout.strip()


def test_every_command_and_option_that_is_named_exists() -> None:
    words = {name for name, command in arena.commands.items() if not command.hidden}
    options = {option for command in arena.commands.values() for p in command.params for option in p.opts}
    prose = re.sub(r"^```.*?^```$", "", README, flags=re.MULTILINE | re.DOTALL)
    spans = re.findall(r"`([^`]+)`", prose)
    told = {option for span in spans for option in re.findall(r"--[a-z][a-z-]*", span)}
    assert told <= options
    named = {found[1] for span in spans if (found := re.match(r"arena ([a-z]+)(?![\w./-])", span))}
    assert named <= words
    assert named >= {"check", "plan", "resume", "runs", "act", "export", "verify", "delete"}


def test_fields_of_candidates_are_all_named() -> None:
    from arena_tui.pool_fields import CANDIDATE_FIELDS

    (section,) = re.findall(r"^### Candidates\n(.*?)^#", README, re.MULTILINE | re.DOTALL)
    assert set(CANDIDATE_FIELDS) <= set(re.findall(r"`(\w+)`", section))
