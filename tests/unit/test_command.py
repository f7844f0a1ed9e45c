"""A program as judge: what it is told, what is believed, and that nothing of it outlives its comparison."""

from __future__ import annotations

import asyncio
import json
import os
import sys
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from arena_tui import settings
from arena_tui.candidate import Candidate
from arena_tui.errors import FileProblems, JudgeError
from arena_tui.judging.base import FREE, Question, Reply, Verdict
from arena_tui.judging.build import build_judge
from arena_tui.judging.command import OUTPUT_LIMIT, CommandJudge
from arena_tui.judging.desk import MemoryDesk, judge_alone
from arena_tui.judging.recorded import RecordedJudge
from arena_tui.judging.simulated import SimulatedJudge

FIRST, SECOND = Candidate("one", "text “one”\nnext"), Candidate("two", "text two")
QUESTION = Question("main", 1, "ab", "pairwise", FIRST, SECOND, prompt="the prompt")


def judge_of(folder: Path, *argv: str, **chosen: Any) -> CommandJudge:
    chosen = {"timeout": 20.0} | chosen
    return CommandJudge(
        settings.CommandJudge(command=argv, **chosen), "Which is better?", {"Depth": "how deep"}, folder
    )


def shell(folder: Path, script: str, **chosen: Any) -> CommandJudge:
    return judge_of(folder, "/bin/sh", "-c", script, **chosen)


async def answer(judge: CommandJudge, asked: Question = QUESTION) -> Verdict:
    return (await judge_alone(judge, asked))[0]


async def eventually(condition: Any) -> None:
    """Wait, within a bound, until `condition()` holds."""
    async with asyncio.timeout(20):
        while not condition():  # noqa: ASYNC110 - files and foreign processes set no event
            await asyncio.sleep(0.005)


def is_gone(pid: int) -> bool:
    """No such process, not even as a zombie of ours (an orphan is a zombie of init for a moment)."""
    try:
        state = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    except (FileNotFoundError, ProcessLookupError):
        return True
    return state[0] == "Z" and int(state[1]) != os.getpid()


def children() -> set[int]:
    """Child processes of this one, zombies included."""
    found = set()
    for stat in Path("/proc").glob("[0-9]*/stat"):
        with suppress(FileNotFoundError, ProcessLookupError):
            if stat.read_text().rpartition(")")[2].split()[1] == str(os.getpid()):
                found.add(int(stat.parent.name))
    return found


@pytest.fixture(autouse=True)
def _no_child_is_left() -> Iterator[None]:
    before = children()
    yield
    assert children() <= before


@pytest.mark.parametrize(
    ("out", "verdict"),
    [
        ({"winner": "first"}, Verdict("first")),
        ({"winner": "second", "p_first": 0.25, "reason": "clearer"}, Verdict("second", 0.25, "clearer")),
        ({"winner": "draw", "p_first": None, "reason": None, "more": [1]}, Verdict("draw")),
    ],
)
async def test_verdict_on_stdout_counts(tmp_path: Path, out: dict[str, Any], verdict: Verdict) -> None:
    assert await answer(shell(tmp_path, f"cat >/dev/null; echo '{json.dumps(out)}'")) == verdict


async def test_program_is_told_task_prompt_criteria_and_texts_under_neutral_labels(tmp_path: Path) -> None:
    await shell(tmp_path, """cat >told; echo '{"winner": "draw"}'""").ask(QUESTION, MemoryDesk())
    assert json.loads((tmp_path / "told").read_bytes()) == {
        "task": "Which is better?",
        "prompt": "the prompt",
        "criteria": {"Depth": "how deep"},
        "first": {"id": "first", "text": FIRST.text},
        "second": {"id": "second", "text": SECOND.text},
    }
    await shell(tmp_path, """cat >told; echo '{"winner": "draw"}'""", show_ids=True).ask(
        QUESTION, MemoryDesk()
    )
    told = json.loads((tmp_path / "told").read_bytes())
    assert (told["first"]["id"], told["second"]["id"]) == ("one", "two")


async def test_program_starts_in_the_tournament_folder(tmp_path: Path) -> None:
    program = tmp_path / "judge.sh"
    program.write_text("""#!/bin/sh\n[ -f here ] && echo '{"winner": "'$1'"}'\n""")
    program.chmod(0o755)
    (tmp_path / "here").touch()
    judge = judge_of(tmp_path, "./judge.sh", "first")
    assert await answer(judge) == Verdict("first")
    assert (judge.label, judge.keeps_replies) == ("command: judge.sh", True)


async def test_program_that_ignores_its_input_is_no_error(tmp_path: Path) -> None:
    big = Question("main", 1, "ab", "pairwise", Candidate("x", "y" * 3_000_000), SECOND)
    judge = shell(tmp_path, """echo '{"winner": "second"}'""")
    assert await answer(judge, big) == Verdict("second")


async def test_long_texts_reach_a_program_that_talks_before_it_reads(tmp_path: Path) -> None:
    """Both pipes full at once must not stop both sides."""
    code = (
        "import json, sys; print(' ' * 300_000, end='', flush=True); row = json.load(sys.stdin); "
        "print(json.dumps({'winner': 'first', 'reason': str(len(row['first']['text']))}))"
    )
    big = Question("main", 1, "ab", "pairwise", Candidate("x", "é" * 500_000), SECOND)
    assert await answer(judge_of(tmp_path, sys.executable, "-c", code), big) == Verdict(
        "first", reason="500000"
    )


@pytest.mark.parametrize(
    ("script", "reason"),
    [
        ("exit 3", "exit code 3"),
        ("echo a >&2; echo ' the  cause' >&2; exit 1", "exit code 1: the cause"),
        ("""echo '{"winner": "first"}'; exit 1""", "exit code 1"),
        ("kill -9 $$", "killed by signal 9"),
    ],
)
async def test_program_that_ends_badly_is_not_believed(tmp_path: Path, script: str, reason: str) -> None:
    assert await answer(shell(tmp_path, script)) == Verdict("invalid", reason=reason)


@pytest.mark.parametrize(
    ("out", "reason"),
    [
        ("", "its output is empty"),
        ("better: 1", "not valid JSON: Expecting value at character 1"),
        ('{"winner": "first"} {}', "not valid JSON: Extra data at character 21"),
        ("[1]", "JSON, but not an object"),
        ("{}", 'no "winner" that is "first", "second" or "draw"'),
        ('{"winner": "a"}', 'no "winner" that is "first", "second" or "draw"'),
        ('{"winner": "first", "winner": "second"}', "not usable JSON: the key 'winner' is given twice"),
        ('{"winner": "first", "p_first": 1.01}', '"p_first" must be a number from 0 to 1'),
        ('{"winner": "first", "p_first": true}', '"p_first" must be a number from 0 to 1'),
        ('{"winner": "first", "p_first": NaN}', "not usable JSON: NaN is no finite number"),
        ('{"winner": "first", "reason": 3}', '"reason" must be text'),
    ],
)
async def test_output_without_a_verdict_is_invalid(tmp_path: Path, out: str, reason: str) -> None:
    printed = f", it printed {out!r}" if out else ""
    expected = Verdict("invalid", reason=f"the program printed no verdict: {reason}{printed}")
    assert await answer(judge_of(tmp_path, "/bin/echo", out)) == expected


async def test_of_a_long_output_without_a_verdict_the_beginning_is_told_on_one_line(tmp_path: Path) -> None:
    verdict = await answer(judge_of(tmp_path, "/bin/echo", "The first\nis " + "much " * 500))
    assert verdict.reason.startswith(
        "the program printed no verdict: not valid JSON: Expecting value at character 1,"
        " it printed 'The first is much"
    )
    assert verdict.reason.endswith("…'")
    assert len(verdict.reason) < 200


async def test_draw_is_unusable_when_draws_are_off(tmp_path: Path) -> None:
    verdict = await answer(shell(tmp_path, """echo '{"winner": "draw"}'""", draws=False))
    assert verdict.winner == "invalid"
    assert "judge.draws" in verdict.reason


async def test_reading_a_stored_reply_needs_no_program(tmp_path: Path) -> None:
    judge = shell(tmp_path, "exit 9")
    assert judge.read(QUESTION, [Reply('{"winner": "second"}')]) == Verdict("second")
    assert judge.read(QUESTION, [Reply("[" * 100_000)]).winner == "invalid"
    assert judge.read(QUESTION, [Reply("", failure="exit code 9")]) == Verdict(
        "invalid", reason="exit code 9"
    )


async def test_a_groups_own_criteria_take_the_place_of_the_tournaments(tmp_path: Path) -> None:
    asked = replace(QUESTION, criteria={"Depth": "how far it goes"})
    await shell(tmp_path, """cat >told; echo '{"winner": "draw"}'""").ask(asked, MemoryDesk())
    assert json.loads((tmp_path / "told").read_bytes())["criteria"] == {"Depth": "how far it goes"}


async def test_endless_output_is_cut_off_and_the_program_killed(tmp_path: Path) -> None:
    _, (reply,) = await judge_alone(
        shell(tmp_path, "echo $$ >pid; while :; do echo yyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyy; done"), QUESTION
    )
    assert reply.failure == f"printed more than {OUTPUT_LIMIT:,} bytes"
    assert len(reply.text) == OUTPUT_LIMIT
    assert is_gone(int((tmp_path / "pid").read_text()))


async def test_timeout_kills_the_whole_process_group(tmp_path: Path) -> None:
    script = "sleep 600 & echo $! >child; echo $$ >pid; echo still busy >&2; wait"
    _, (reply,) = await judge_alone(shell(tmp_path, script, timeout=0.3), QUESTION)
    assert reply.failure == "timed out after 0.3 s: still busy"
    assert is_gone(int((tmp_path / "pid").read_text()))
    await eventually(lambda: is_gone(int((tmp_path / "child").read_text())))


async def test_cancelled_comparison_leaves_no_process(tmp_path: Path) -> None:
    script = "sleep 600 & echo $! >child; echo $$ >pid; touch ready; wait"
    task = asyncio.create_task(shell(tmp_path, script).ask(QUESTION, MemoryDesk()))
    await eventually((tmp_path / "ready").exists)
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    assert is_gone(int((tmp_path / "pid").read_text()))
    await eventually(lambda: is_gone(int((tmp_path / "child").read_text())))


async def test_comparison_cancelled_before_its_program_runs_leaves_no_process(tmp_path: Path) -> None:
    for steps in range(6):
        task = asyncio.create_task(shell(tmp_path, "exec sleep 600").ask(QUESTION, MemoryDesk()))
        for _ in range(steps):
            await asyncio.sleep(0)
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task


async def test_comparison_cancelled_while_its_program_starts_leaves_no_process(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The program has children before asyncio has connected its pipes."""
    before = children()
    loop, connected = asyncio.get_running_loop(), asyncio.Event()
    connect = loop.connect_read_pipe

    async def late(*args: Any) -> Any:
        await connected.wait()
        return await connect(*args)

    monkeypatch.setattr(loop, "connect_read_pipe", late)
    script = "sleep 600 & echo $! >child; touch ready; wait"
    for times in (1, 2):
        task = asyncio.create_task(shell(tmp_path, script).ask(QUESTION, MemoryDesk()))
        await eventually((tmp_path / "ready").exists)
        for _ in range(times):
            task.cancel()
            await asyncio.sleep(0)
        connected.set()
        with pytest.raises(asyncio.CancelledError):
            async with asyncio.timeout(10):
                await task
        await eventually(lambda: is_gone(int((tmp_path / "child").read_text())))
        connected.clear()
        (tmp_path / "ready").unlink()
    await eventually(lambda: children() <= before)


async def test_child_that_holds_the_pipes_open_does_not_hold_the_answer(tmp_path: Path) -> None:
    script = """sleep 600 & echo $! >child; echo '{"winner": "first"}'"""
    assert await answer(shell(tmp_path, script)) == Verdict("first")
    await eventually(lambda: is_gone(int((tmp_path / "child").read_text())))


async def test_many_programs_at_once(tmp_path: Path) -> None:
    judge = shell(tmp_path, """cat >/dev/null; echo '{"winner": "first"}'""")
    verdicts = await asyncio.gather(*(answer(judge) for _ in range(24)))
    assert verdicts == [Verdict("first")] * 24


@pytest.mark.parametrize(
    ("command", "says"),
    [
        (["no-such-program-anywhere"], "no program 'no-such-program-anywhere' that can be run on the PATH"),
        (["present.sh"], r"on the PATH \(the one beside the tournament file is written ./present.sh\)"),
        (["./missing.sh"], "no program './missing.sh' that can be run in"),
        (["./presnt.sh"], r"\(did you mean present.sh\?\)"),
        (["."], "no program '.' that can be run on the PATH"),
        (["./plain.txt"], r"./plain.txt is not executable \(chmod \+x ./plain.txt\)$"),
        (["./judge.py"], r"chmod \+x ./judge.py, or start it as \[python3, ./judge.py\]"),
        (["python3", "gone.py"], "no file 'gone.py' for python3 in"),
        (["python3", "judg.py"], r"\(did you mean judge.py\?\)"),
        (["python3", "-u", "gone.py", "judge.py"], "no file 'gone.py'"),
        (["/usr/bin/env", "python3", "gone.py"], "no file 'gone.py'"),
    ],
)
def test_what_a_command_needs_is_found_missing_before_the_run(
    tmp_path: Path, command: list[str], says: str
) -> None:
    for name in ("plain.txt", "judge.py", "present.sh"):
        (tmp_path / name).write_text("x")
    (tmp_path / "present.sh").chmod(0o700)
    with pytest.raises(JudgeError, match=r"judge\.command: .*" + says):
        judge_of(tmp_path, *command)


@pytest.mark.parametrize(
    "command",
    [
        ["./present.sh"],
        ["python3", "present.sh", "gone.py"],
        ["python3", "-c", "import this"],
        ["python3", "-m", "json.tool"],
        ["python3", "-W", "error", "present.sh"],
        ["sh", "-c", "cat gone.txt"],
        ["/bin/echo", "gone.py"],
    ],
)
def test_what_may_well_work_is_not_refused(tmp_path: Path, command: list[str]) -> None:
    (tmp_path / "present.sh").write_text("x")
    (tmp_path / "present.sh").chmod(0o700)
    judge_of(tmp_path, *command)


async def test_program_that_vanishes_during_the_run_is_an_invalid_verdict(tmp_path: Path) -> None:
    program = tmp_path / "judge.sh"
    program.write_text("#!/bin/sh\n")
    program.chmod(0o755)
    judge = judge_of(tmp_path, "./judge.sh")
    program.unlink()
    verdict = await answer(judge)
    assert verdict == Verdict("invalid", reason="could not start ./judge.sh: No such file or directory")
    assert judge.worst_case(QUESTION) == FREE
    await judge.close()


def test_every_kind_of_judge_is_built(tmp_path: Path) -> None:
    def built(**judge: Any) -> object:
        tournament = settings.validate({"judge": judge})
        return build_judge(tournament, seed=1, candidates=[FIRST], folder=tmp_path)

    (tmp_path / "votes.jsonl").write_text("")
    (tmp_path / "inner").mkdir()
    assert isinstance(built(kind="recorded", file="votes.jsonl"), RecordedJudge)
    assert isinstance(built(kind="simulated"), SimulatedJudge)
    command = built(kind="command", command=["/bin/sh"], folder="inner")
    assert isinstance(command, CommandJudge)
    with pytest.raises(FileProblems):
        built(kind="recorded", file="missing.jsonl")
