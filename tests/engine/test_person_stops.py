"""A question to a person is no paid call: the first stop gives it up, however long the grace is."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from scripted_runs import Sitting, create, run

from arena_tui import settings
from arena_tui.judging.base import Judge
from arena_tui.judging.human import HumanJudge
from arena_tui.judging.panel import PanelJudge
from arena_tui.judging.simulated import SimulatedJudge


def a_person() -> HumanJudge:
    return HumanJudge(settings.HumanJudge(), "Which is better?", {})


def a_panel() -> PanelJudge:
    chosen = settings.PanelJudge(judges=(settings.HumanJudge(), settings.SimulatedJudge()))
    other = SimulatedJudge(settings.SimulatedJudge(), seed=1, candidates=())
    return PanelJudge(chosen, [a_person(), other])


@pytest.mark.parametrize("made", [a_person, a_panel])
@pytest.mark.parametrize("ask", ["signal", "abort"])
def test_a_question_to_a_person_is_cancelled_at_once(db: Path, made: Any, ask: str) -> None:
    create(db, limits={"matches": 6, "concurrency": 2, "grace": 3600})
    judge: Judge = made()

    async def script(sitting: Sitting) -> None:
        await sitting.until(lambda: len(sitting.engine.state.in_flight) == 2)
        if ask == "signal":
            sitting.engine.stop("ctrl+c")
        else:
            assert (await sitting.act("abort"))[0]

    ended = run(db, judge, script)  # type: ignore[arg-type]  # any judge will do
    assert (ended.reason, ended.code) == ("EXTERNAL", 130)
    assert ended.result.matches["void"] == 0
