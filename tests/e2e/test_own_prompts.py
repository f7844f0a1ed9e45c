"""Templates of the user's own: `judge.prompts` names their folder, and a run keeps what stands in them."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest
from arena_cli import ROOT, Arena

from arena_tui.identity import identity
from arena_tui.judging.base import Question
from arena_tui.judging.wording import Wording
from arena_tui.settings import LlmJudge
from arena_tui.tournament_file import load_file

LLM = {"kind": "llm", "model": "mock:panel", "mode": "pairwise", "prompts": "mine"}


@pytest.fixture
def own(arena: Arena) -> Path:
    """A copy of one shipped template, changed."""
    folder = arena.folder / "mine"
    folder.mkdir()
    shutil.copy(ROOT / "prompts" / "pairwise.md", folder)
    change(folder, "<!-- user -->", "Take your time over wombats.\n<!-- user -->")
    return folder


def change(folder: Path, old: str, new: str) -> None:
    file = folder / "pairwise.md"
    text = file.read_text(encoding="utf-8")
    assert old in text
    file.write_text(text.replace(old, new, 1), encoding="utf-8")


def test_what_a_judge_is_asked_comes_from_the_folder(arena: Arena, own: Path) -> None:
    loaded = load_file(arena.tournament(judge=LLM))
    judge = loaded.tournament.judge
    assert isinstance(judge, LlmJudge)
    assert judge.prompts == str(own), "absolute, so that a stored run finds it from anywhere"
    first, second = loaded.pool.groups[0].candidates[:2]
    wording = Wording(judge, secret=b"s", task="Which?", criteria={})
    (call,) = wording.of(Question("main", 1, "ab", "pairwise", first, second)).dialogue.next(())
    assert "wombats" in "".join(part.text for part in call.request.system)


def test_a_run_keeps_the_templates_that_it_began_with(arena: Arena, own: Path) -> None:
    file = arena.tournament(judge=LLM, limits={"matches": 3})
    loaded = load_file(file)
    before = identity(loaded.tournament, loaded.pool)
    assert arena.run(file).code == 3
    change(own, "wombats", "weasels")
    after = identity(loaded.tournament, loaded.pool)
    assert [part for part in before if before[part] != after[part]] == ["prompts"]
    again = arena.run(file)
    assert (again.code, "differs from the file in its prompts" in again.err) == (2, True)
    resumed = arena.run("resume", "--add-matches", 3)
    assert (resumed.code, "judge.prompts have changed" in resumed.err) == (2, True)
    change(own, "weasels", "wombats")
    assert arena.run("resume", "--add-matches", 3).code == 3


def test_what_is_wrong_with_the_folder_is_found_by_check(arena: Arena, own: Path) -> None:
    file = arena.tournament(judge=LLM)
    assert arena.run("check", file).code == 0
    change(own, "{{first}}", "the first text")
    shutil.copy(own / "pairwise.md", own / "overview.md")
    found = arena.run("check", file)
    assert found.code == 2
    assert "judge.prompts" in found.out
    assert "it leaves out {{first}}" in found.out
    assert "overview.md is no prompt of a judge" in found.out
    shutil.rmtree(own)
    assert "no such folder" in arena.run("check", file).out
