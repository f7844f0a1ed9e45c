"""A program that is pure: what it said for the very same input serves again, also in a later run."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from arena_tui import settings
from arena_tui.candidate import Candidate
from arena_tui.errors import JudgeError, UsageError
from arena_tui.judging.base import Question, Reply, Verdict
from arena_tui.judging.build import build_judge
from arena_tui.judging.command import CommandJudge
from arena_tui.judging.desk import MemoryDesk, judge_alone

QUESTION = Question("main", 1, "ab", "pairwise", Candidate("one", "text one"), Candidate("two", "text two"))
SCRIPT = """cat >/dev/null; echo started >>starts; echo '{"winner": "%s"}'\n"""


class Bench:
    """A folder with a judge script and a count of its starts."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.write("first")

    def write(self, winner: str) -> None:
        (self.folder / "judge.sh").write_text(SCRIPT % winner)

    @property
    def starts(self) -> int:
        log = self.folder / "starts"
        return len(log.read_text().split()) if log.exists() else 0

    def judge(self, *argv: str, home: bool = True, **chosen: Any) -> CommandJudge:
        judge = {"kind": "command", "command": ["/bin/sh", "judge.sh", *argv], "pure": True} | chosen
        tournament = settings.validate({"judge": judge})
        made = build_judge(
            tournament, seed=1, candidates=[], folder=self.folder, home=self.folder / "home" if home else None
        )
        assert isinstance(made, CommandJudge)
        return made

    async def ask(self, question: Question = QUESTION, *argv: str, **chosen: Any) -> tuple[Verdict, Reply]:
        """One comparison by a judge of its own, as in a run of its own."""
        judge = self.judge(*argv, **chosen)
        await judge.open()
        verdict, (reply,) = await judge_alone(judge, question)
        await judge.close()
        return verdict, reply


@pytest.fixture
def bench(tmp_path: Path) -> Bench:
    return Bench(tmp_path)


async def test_equal_input_is_judged_once(bench: Bench) -> None:
    for run in range(3):
        verdict, reply = await bench.ask(replace(QUESTION, seq=run))
        assert (verdict, reply.from_cache) == (Verdict("first"), run > 0)
    assert bench.starts == 1


async def test_program_that_is_not_pure_or_has_no_home_is_always_started(bench: Bench) -> None:
    for chosen in ({"pure": False}, {"home": False}):
        for _ in range(2):
            assert not (await bench.ask(**chosen))[1].from_cache
    assert bench.starts == 4
    assert not (bench.folder / "home").exists()


async def test_other_texts_orders_arguments_or_files_are_other_input(bench: Bench) -> None:
    await bench.ask()
    await bench.ask(replace(QUESTION, first=QUESTION.second, second=QUESTION.first))
    await bench.ask(replace(QUESTION, prompt="another"))
    await bench.ask(QUESTION, "--strict")
    bench.write("second")
    assert (await bench.ask())[0] == Verdict("second")
    assert bench.starts == 5
    bench.write("first")
    assert (await bench.ask())[1].from_cache
    assert bench.starts == 5


@pytest.mark.parametrize("script", ["exit 1\n", "echo nonsense\n"])
async def test_failures_and_unreadable_output_are_never_served(bench: Bench, script: str) -> None:
    path = bench.folder / "judge.sh"
    path.write_text("echo started >>starts; " + script)
    for _ in range(2):
        verdict, reply = await bench.ask()
        assert (verdict.winner, reply.from_cache) == ("invalid", False)
    assert bench.starts == 2


async def test_cache_that_cannot_be_used_is_said_at_the_start(bench: Bench) -> None:
    (bench.folder / "home").mkdir()
    (bench.folder / "home" / "replies.db").write_text("not a database, but long enough to be looked at" * 50)
    judge = bench.judge()
    with pytest.raises(UsageError, match="delete it"):
        await judge.open()
    with pytest.raises(JudgeError, match="delete it"):
        await judge.ask(QUESTION, MemoryDesk())
    await judge.close()
