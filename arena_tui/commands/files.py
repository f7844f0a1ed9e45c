"""`arena check` and `arena plan`: looking at a tournament file without starting anything."""

from __future__ import annotations

import asyncio
import json
from pathlib import Path
from typing import Any

from arena_tui import exit_codes
from arena_tui.commands.run import overrides
from arena_tui.engine.forecast import MOST_PER_CANDIDATE, Range, Simulated, simulate
from arena_tui.engine.forecast_judge import REPLY_SHARE, assumptions
from arena_tui.errors import FileProblems, JudgeError, Problem, UsageError
from arena_tui.judging.build import check_models, refuse_long_texts
from arena_tui.judging.llm import NO_PROBABILITIES
from arena_tui.report.plain import duration
from arena_tui.running import model_problems, prove_judge
from arena_tui.safetext import clean
from arena_tui.settings import HumanJudge, LlmJudge, PanelJudge, Tournament, binding_limits, llm_judges
from arena_tui.text_files import label_of
from arena_tui.tournament_file import Loaded, load_file
from arena_tui.tournament_file import check_file as problems_of
from arena_tui.values import counted

SIMULATIONS = 20
SAMPLED = 2_000  # entrants; a larger pool is simulated fewer times


def check_file(file: str) -> int:
    """Print every problem of a tournament file; exit 2 when there is one."""
    problems = problems_of(Path(file)) or _model_and_judge_problems(load_file(Path(file)))
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


def _model_and_judge_problems(loaded: Loaded) -> list[Problem]:
    """What only shows when the judge is built, such as a bad line of recorded votes or a missing key."""
    if problems := model_problems(loaded):
        return problems
    try:
        prove_judge(loaded.tournament, loaded.pool, loaded.folder, person="queue")
    except FileProblems as error:
        return list(error.problems)
    except (JudgeError, UsageError) as error:
        return [Problem(label_of(loaded.path or loaded.folder), None, str(error))]
    return []


def plan_file(file: str, seed: int | None, assignments: tuple[str, ...], as_json: bool) -> None:
    """Forecast a run over some simulations and print the ranges. Needs no key, sends nothing."""
    loaded = load_file(Path(file), overrides=overrides(assignments), seed=seed)
    if problems := model_problems(loaded, key=False):
        raise FileProblems(problems)
    for judge in llm_judges(loaded.tournament.judge):
        refuse_long_texts(judge, (c for group in loaded.pool.groups for c in group.candidates))
    runs = asyncio.run(_simulations(loaded))
    told = _told(loaded, runs)
    if as_json:
        print(json.dumps(told))
        return
    for line in _lines(loaded, told):
        print(clean(line))


async def _simulations(loaded: Loaded) -> list[Simulated]:
    first = loaded.tournament.seed or 0
    entrants = sum(len(group.entrants) for group in loaded.pool.playable)
    times = max(1, min(SIMULATIONS, SIMULATIONS * SAMPLED // max(1, entrants * 10)))
    return [await simulate(loaded.tournament, loaded.pool, first + number) for number in range(times)]


def _told(loaded: Loaded, runs: list[Simulated]) -> dict[str, Any]:
    def span(values: list[float]) -> dict[str, float]:
        found = Range.over(values)
        return {"low": found.low, "median": found.middle, "high": found.high}

    judge = loaded.tournament.judge
    members = judge.judges if isinstance(judge, PanelJudge) else (judge,)
    counts = any(member.kind in ("simulated", "llm") for member in members)
    priced = counts and all(run.usage.usd is not None for run in runs)
    debates = [run.debates / run.matches if run.matches else 0.0 for run in runs]
    return {
        "format": loaded.tournament.format.kind,
        "simulations": len(runs),
        "matches": span([run.matches for run in runs]),
        "comparisons": span([run.comparisons for run in runs]),
        "debate_share": span(debates),
        "seconds": span([run.seconds for run in runs]),
        "tokens": span([run.usage.tokens for run in runs]) if counts else None,
        "usd": span([run.usage.usd or 0.0 for run in runs]) if priced else None,
        "assumed": assumptions(loaded.tournament),
        "stop_reasons": sorted({reason for run in runs for reason in run.stop_reasons}),
        "ended": sum(run.ended for run in runs),
    }


def _lines(loaded: Loaded, told: dict[str, Any]) -> list[str]:
    def span(key: str, digits: int = 0) -> str:
        low, middle, high = (told[key][part] for part in ("low", "median", "high"))
        return f"{middle:.{digits}f} ({low:.{digits}f} to {high:.{digits}f})"

    seconds = told["seconds"]
    limits = loaded.tournament.limits
    assumed = f", assuming {', '.join(told['assumed'])}" if told["assumed"] else ""
    models = llm_judges(loaded.tournament.judge)
    lines = [
        f"{told['format']}, {told['simulations']} simulated runs: median (least to most)",
        f"matches      {span('matches')}",
        f"comparisons  {span('comparisons')}",
        f"debates      {told['debate_share']['median']:.0%} of the matches",
        f"time         {duration(seconds['median'])} ({duration(seconds['low'])} to "
        f"{duration(seconds['high'])}) at {limits.concurrency} in flight{assumed}",
    ]
    if told["usd"] is not None and told["usd"]["high"] > 0:
        dear = ", without discounts of prompt caches" if models else ""
        lines.append(f"cost         {span('usd', 4)} USD{dear}")
    if told["usd"] is None and models:
        lines.append("cost         not known: a model has no known price")
    if told["tokens"] is not None and told["tokens"]["high"] > 0:
        share = f", assuming replies of {REPLY_SHARE:.0%} of max_tokens" if models else ""
        lines.append(f"tokens       {span('tokens')}{share}")
    lines.append(f"ends by      {', '.join(told['stop_reasons']) or 'nothing that was simulated'}")
    if told["ended"] < told["simulations"]:
        bound = binding_limits(loaded.tournament)
        later = f"only limits.{' or limits.'.join(bound)} ends them" if bound else "set limits.matches"
        lines.append(
            f"note: {told['simulations'] - told['ended']} of {told['simulations']} runs were given up after "
            f"{MOST_PER_CANDIDATE} matches a candidate, and the figures stop there: {later}"
        )
    return lines
