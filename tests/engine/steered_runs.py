"""Runs that a test acts on at one known moment: the whole window is planned, asked and unanswered."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from scripted_runs import (
    Desk,
    ScriptedJudge,
    Sitting,
    coin,
    create,
    run,
)

from arena_tui.candidate import Candidate
from arena_tui.engine.actions import Action
from arena_tui.facts import Intervention
from arena_tui.judging.base import Question
from arena_tui.store.reader import Reader

APPLIED = 12  # outcomes before the actions; a whole window of further steps is planned and asked by then
WINDOW = 8
TOTAL = 36


def a_run(db: Path, candidates: int | list[dict[str, Any]] = 6, **more: Any) -> Path:
    limits = {"matches": TOTAL, "concurrency": WINDOW, "lookahead": WINDOW, **more.pop("limits", {})}
    judge = {"kind": "simulated", "mode": "pairwise"}
    return create(db, candidates, judge=judge, limits=limits, **more)


def later(question: Question) -> bool:
    return question.seq > APPLIED


def a_judge() -> ScriptedJudge:
    return ScriptedJudge(coin, Desk(hold=later))


def steered(
    db: Path, *actions: Action, judge: ScriptedJudge | None = None, in_flight: int = WINDOW
) -> Sitting:
    """Act after `APPLIED` outcomes, all in flight, and go on to the end."""

    async def script(sitting: Sitting) -> None:
        await sitting.at_rest(APPLIED, in_flight)
        for action in actions:
            answer = await sitting.act(action.verb, *action.args, candidates=action.candidates)
            assert answer[0], answer
        sitting.judge.desk.open_up()

    return run(db, judge or a_judge(), script)


def actions_of(db: Path) -> list[Intervention]:
    with Reader(db) as reader:
        return [entry.intervention for entry in reader.interventions()]


def newcomer(id_: str = "new", text: str = "a wholly different text", **fields: Any) -> Candidate:
    return Candidate(id_, text, title=id_, **fields)
