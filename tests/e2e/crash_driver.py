"""`arena`, with a judge that can be held up and a process that dies at a named point.

Run as a script by the tests, with the arguments of `arena`. Its wishes are JSON in ARENA_DRIVER:
  crash  [point, n]: kill -9 itself the n-th time that this crash point is reached
  making true: kill -9 itself while the database of a new run is being filled
  unplanned  [group, seq]: kill -9 itself when this step is to be written down; all before it is durable
  size   N: files of this process cannot grow beyond N bytes
  calls  FILE: append `asked GROUP SEQ ORIENTATION` before and `replied ...` after each call
  hold   {"seqs": [...], "from": N, "until": FILE}: these calls wait until FILE exists
  inbox  FOLDER: all calls wait until no request is left in this inbox
"""

from __future__ import annotations

import asyncio
import json
import os
import resource
import signal
import sqlite3
from collections.abc import Callable
from pathlib import Path
from typing import Any

from arena_tui import cli
from arena_tui.facts import Step
from arena_tui.judging.base import Desk, Question
from arena_tui.judging.simulated import SimulatedJudge
from arena_tui.store import crash_points, facts, writer
from arena_tui.store.crash_points import CrashPoint

POLL = 0.004  # seconds between looks for a file


def die_at(point: CrashPoint, times: int) -> None:
    left = times

    def hook(reached: CrashPoint) -> None:
        nonlocal left
        if reached is point:
            left -= 1
            if left == 0:
                os.kill(os.getpid(), signal.SIGKILL)

    crash_points.hook = hook


def die_while_making() -> None:
    insert_run = facts.insert_run

    def insert_and_die(conn: sqlite3.Connection, **parts: Any) -> None:
        insert_run(conn, **parts)
        os.kill(os.getpid(), signal.SIGKILL)

    facts.insert_run = insert_and_die


def die_before_plan(group: str, seq: int) -> None:
    insert_plan = facts.insert_plan

    def insert_or_die(conn: sqlite3.Connection, pos: int, step_id: int, match_id: str, step: Step) -> None:
        if (step.group, step.seq) == (group, seq):
            os.kill(os.getpid(), signal.SIGKILL)
        insert_plan(conn, pos, step_id, match_id, step)

    facts.insert_plan = insert_or_die
    writer._BATCH = 1  # so that nothing else is lost with it


async def until(condition: Callable[[], bool]) -> None:
    while not condition():  # noqa: ASYNC110 - other processes set no event
        await asyncio.sleep(POLL)


def held_judge(wishes: dict[str, Any]) -> None:
    """Put noting and waiting around every call of the simulated judge."""
    ask = SimulatedJudge.ask
    hold = wishes.get("hold", {})
    go = Path(hold.get("until", "/"))
    inbox = Path(wishes["inbox"]) if "inbox" in wishes else None
    log = None
    if "calls" in wishes:
        log = os.open(wishes["calls"], os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o600)

    def note(word: str, question: Question) -> None:
        if log is not None:
            os.write(log, f"{word} {question.group} {question.seq} {question.orientation}\n".encode())

    async def held_ask(judge: SimulatedJudge, question: Question, desk: Desk) -> None:
        note("asked", question)
        if question.seq in hold.get("seqs", ()) or question.seq >= hold.get("from", 1 << 60):
            await until(go.exists)
        if inbox is not None:
            await until(lambda: not any(inbox.glob("[0-9]*.request.json")))
        await ask(judge, question, desk)
        note("replied", question)

    SimulatedJudge.ask = held_ask  # type: ignore[method-assign]  # the point of this script


if __name__ == "__main__":
    wanted = json.loads(os.environ["ARENA_DRIVER"])
    if "crash" in wanted:
        die_at(CrashPoint(wanted["crash"][0]), wanted["crash"][1])
    if wanted.get("making"):
        die_while_making()
    if "unplanned" in wanted:
        die_before_plan(*wanted["unplanned"])
    if "size" in wanted:
        resource.setrlimit(resource.RLIMIT_FSIZE, (wanted["size"], resource.RLIM_INFINITY))
    held_judge(wanted)
    cli.main()
