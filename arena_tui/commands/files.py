"""`arena check` and `arena plan`: looking at a tournament file without starting anything."""

from __future__ import annotations

import asyncio
import json
import sys
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from arena_tui import exit_codes
from arena_tui.commands.progress import progress
from arena_tui.errors import FileProblems
from arena_tui.forecasting import (
    OTHERS,
    forecast,
    forecast_lines,
    judge_problems,
    other_formats,
    simulations,
)
from arena_tui.judging.build import check_models, refuse_long_texts
from arena_tui.judging.llm import NO_PROBABILITIES
from arena_tui.report.plan_report import formats_table
from arena_tui.resumption import overrides
from arena_tui.running import model_problems
from arena_tui.safetext import clean
from arena_tui.settings import HumanJudge, LlmJudge, PanelJudge, Tournament, llm_judges
from arena_tui.tournament_file import check_file as problems_of
from arena_tui.tournament_file import load_file
from arena_tui.values import counted


def check_file(file: str) -> int:
    """Print every problem of a tournament file; exit 2 when there is one."""
    problems = problems_of(Path(file)) or judge_problems(load_file(Path(file)))
    for problem in problems:
        print(clean(str(problem)))
    if problems:
        return exit_codes.USAGE
    loaded = load_file(Path(file))
    for note in (*loaded.notes, *_notes(loaded.tournament)):
        print(clean(f"note: {note}"))
    groups = loaded.pool.playable
    entrants = sum(len(group.entrants) for group in groups)
    print(clean(f"{file}: ready to run; {counted(entrants, 'candidate')} in {counted(len(groups), 'group')}"))
    return exit_codes.OK


def _notes(tournament: Tournament) -> list[str]:
    """What should be known of the judge before a run."""
    notes = check_models(tournament)[1]
    members = tournament.judge.judges if isinstance(tournament.judge, PanelJudge) else (tournament.judge,)
    if any(isinstance(member, HumanJudge) for member in members):
        from arena_tui.judging.terminal import has_terminal

        if not has_terminal():
            notes.append("a person judges: start the run in a terminal, this process has none")
    for member in members:
        if isinstance(member, LlmJudge) and member.mode == "score" and _vendor(member) == "anthropic":
            notes.append(NO_PROBABILITIES.format(model=member.model.model))
    return list(dict.fromkeys(notes))


def _vendor(judge: LlmJudge) -> str:
    return judge.model.model.partition(":")[0]


def plan_file(file: str, seed: int | None, assignments: tuple[str, ...], as_json: bool) -> None:
    """Forecast a run over some simulations and print the ranges. Needs no key, sends nothing."""
    loaded = load_file(Path(file), overrides=overrides(assignments), seed=seed)
    if problems := model_problems(loaded, key=False):
        raise FileProblems(problems)
    for judge in llm_judges(loaded.tournament.judge):
        refuse_long_texts(judge, (c for group in loaded.pool.groups for c in group.candidates))
    tournament, pool = loaded.tournament, loaded.pool
    told = forecast(tournament, asyncio.run(simulations(tournament, pool, leaders=True)))
    if not as_json:
        _print_forecast(tournament, told, loaded.notes)
    others = asyncio.run(other_formats(tournament, pool, progress(len(OTHERS) - 1, "other formats")))
    if as_json:
        print(json.dumps({**told, "formats": dict(others), "notes": list(loaded.notes)}))
        return
    for line in formats_table([(tournament.format.kind, told), *others]):
        print(clean(line))


def _print_forecast(tournament: Tournament, told: dict[str, Any], notes: Iterable[str]) -> None:
    for label, text in forecast_lines(tournament, told):
        print(
            clean(text if not label else f"{label} {text}" if label.endswith(":") else f"{label:<13}{text}")
        )
    for note in notes:
        print(clean(f"note: {note}"))
    sys.stdout.flush()
