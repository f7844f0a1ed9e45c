"""The installation behind the console, with real files and runs: reading, forecasting, driving, following."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from pathlib import Path

import pytest

from arena_tui.cockpit.installation import FileOptions, Installation
from arena_tui.console.ports import Session
from arena_tui.errors import FileProblems, RefusedAction, RunLocked, UsageError
from arena_tui.store.folder import list_runs
from arena_tui.store.reader import Reader

FILE = """\
name: plans
task: Which is better?
candidates: [one text, another text, a third text, a fourth text]
format: elo
judge: {kind: simulated, mode: pairwise, latency: 0.01}
limits: {concurrency: 2, matches: 30}
stop: none
seed: 4
"""


@pytest.fixture
def file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    monkeypatch.setenv("ARENA_HOME", str(tmp_path / "home"))
    path = tmp_path / "plans.yaml"
    path.write_text(FILE, encoding="utf-8")
    return str(path)


def write(file: str, text: str) -> None:
    """Another content for the file."""
    Path(file).write_text(text, encoding="utf-8")


async def until(true: Callable[[], bool]) -> None:
    """Wait until something holds."""
    for _ in range(3000):
        if true():
            return
        await asyncio.sleep(0.01)
    raise AssertionError("it never came")


async def driven(arena: Installation, file: str, **limits: str) -> Session:
    """A run that has ended."""
    setup = await arena.setup(file)
    session = await arena.begin(setup, {**setup.limits, **limits})
    await session.live()
    return session


async def test_a_file_is_read_and_nothing_is_made(file: str) -> None:
    setup = await Installation().setup(file)
    assert (setup.name, setup.candidates, setup.groups, setup.format) == ("plans", 4, 1, "elo")
    assert setup.limits == {"matches": "30", "usd": "", "tokens": "", "wall_clock": "", "concurrency": "2"}
    assert setup.simulated
    assert not list_runs()


async def test_every_problem_of_a_file_is_named(file: str) -> None:
    write(file, "task: x\ncandidates: [a]\njudge: {kind: simulate}\nlimts: {}\n")
    with pytest.raises(FileProblems) as raised:
        await Installation().setup(file)
    assert [problem.line for problem in raised.value.problems] == sorted(
        problem.line or 0 for problem in raised.value.problems
    )
    assert "limts" in str(raised.value)


async def test_a_forecast_follows_the_edited_limits(file: str) -> None:
    arena = Installation()
    setup = await arena.setup(file)
    assert (await arena.forecast(setup, setup.limits)).headline.startswith("30 matches")
    edited = {**setup.limits, "matches": "7"}
    assert (await arena.forecast(setup, edited)).headline.startswith("7 matches")
    with pytest.raises(UsageError, match=r"limits\.matches"):
        await arena.forecast(setup, {**setup.limits, "matches": "-1"})


async def test_limits_edited_in_ready_stand_when_the_file_is_opened_again(file: str) -> None:
    arena = Installation()
    session = await driven(arena, file, matches="6")
    assert session.state.stop_reason == "BUDGET"
    setup = await arena.setup(file)
    assert setup.unfinished is not None
    again = await arena.begin(setup, {**setup.limits, "matches": "9"})
    assert again.db == session.db
    await again.live()
    with Reader(again.db) as reader:
        assert reader.counts().planned >= 9
        assert reader.applied() <= 9
    write(file, FILE.replace("matches: 30", "matches: 12"))
    setup = await arena.setup(file)
    last = await arena.begin(setup, setup.limits)
    await last.live()
    assert last.state.started == 12, "what the file asks for anew applies"


async def test_a_run_is_driven_paused_acted_on_and_aborted(file: str) -> None:
    arena = Installation()
    setup = await arena.setup(file)
    session = await arena.begin(setup, setup.limits)
    async with asyncio.TaskGroup() as tasks:
        live = tasks.create_task(session.live())
        await until(lambda: session.state.applied >= 3)
        session.pause()
        assert session.state.phase == "paused", "at once"
        with pytest.raises(RefusedAction, match="no candidate has the id"):
            await session.act("pin", "nobody")
        session.pause()
        assert session.state.phase == "running"
        session.abort("enough", 130)
        assert session.state.phase == "draining"
        ended = await live
    assert ended.exit_code == 130
    assert (session.state.phase, session.state.stop_reason) == ("stopped", "EXTERNAL")


async def test_limits_of_a_run_that_has_ended_change_what_is_shown_and_what_follows(file: str) -> None:
    arena = Installation()
    session = await driven(arena, file)
    assert await session.act("limit", "matches=34") == "limits.matches is now 34"
    assert session.state.match_limit == 34
    again = await arena.open(session.db, resume=True)
    await again.live()
    assert again.state.started == 34


async def test_a_second_installation_follows_and_asks_through_the_inbox(file: str) -> None:
    arena, other = Installation(), Installation()
    setup = await arena.setup(file)
    session = await arena.begin(setup, {**setup.limits, "matches": "2000"})
    async with asyncio.TaskGroup() as tasks:
        live = tasks.create_task(session.live())
        await until(lambda: session.state.applied >= 3)
        with pytest.raises(RunLocked, match="driven by process"):
            await other.open(session.db, resume=True)
        follower = await other.open(session.db)
        following = tasks.create_task(follower.live())
        await until(lambda: follower.state.applied >= 3)
        assert (follower.state.phase, follower.state.match_limit) == ("running", 2000)
        follower.pause()
        await until(lambda: follower.state.phase == session.state.phase == "paused")
        assert await follower.act("limit", "matches=100") == "limits.matches is now 100"
        follower.abort("", 130)
        assert (await live).exit_code == 130
        await until(lambda: follower.state.phase == "stopped")
        assert follower.state.stop_reason == "EXTERNAL"
        assert follower.state.match_limit == 100
        following.cancel()


async def test_home_knows_runs_with_leader_cost_and_share(file: str) -> None:
    arena = Installation()
    await driven(arena, file, matches="20")
    (card,) = await arena.runs()
    assert (card.status, card.stop_reason, card.usd) == ("stopped", "BUDGET", 0.0)
    assert card.share == card.matches / 20
    assert card.leader
    other = await driven(arena, file, matches="24")
    rows = await arena.compare(card.db, other.db)
    assert rows[0][0] == "run"
    target = card.db.with_suffix(".csv")
    assert "written to" in await arena.export(card.db, "matches", target)
    assert target.read_text(encoding="utf-8").count("\n") == card.matches + 5
    await arena.delete(card.db)
    assert not await arena.runs()


async def test_options_of_the_command_line_belong_to_its_file_alone(file: str) -> None:
    arena = Installation(file=file, options=FileOptions(seed=9, assignments=("limits.matches=5",)))
    assert (await arena.setup(file)).limits["matches"] == "5"
    copy = Path(file).with_name("other.yaml")
    copy.write_text(FILE, encoding="utf-8")
    assert (await arena.setup(str(copy))).limits["matches"] == "30"


async def test_the_judge_is_asked_free_of_charge_whether_it_is_there(file: str) -> None:
    arena = Installation()
    assert "needs no server" in await arena.probe(await arena.setup(file))
    model = FILE.replace(
        "{kind: simulated, mode: pairwise, latency: 0.01}", "{kind: llm, model: 'mock:panel'}"
    )
    write(file, model)
    assert "simulated" in await arena.probe(await arena.setup(file))


async def test_examples_begin_with_the_demo() -> None:
    examples = await Installation().examples()
    assert examples[0][1].name == "demo.yaml"
    assert all(words for words, _ in examples)
