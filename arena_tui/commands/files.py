"""`arena check` and `arena plan`: looking at a tournament file without starting anything."""

from __future__ import annotations

import asyncio
import json
from pathlib import Path
from typing import Any

from arena_tui import exit_codes
from arena_tui.commands.run import overrides
from arena_tui.engine.forecast import MOST_PER_CANDIDATE, Range, Simulated, assumed_seconds, simulate
from arena_tui.errors import FileProblems, JudgeError, Problem, UsageError
from arena_tui.report.plain import duration
from arena_tui.running import prove_judge
from arena_tui.safetext import clean
from arena_tui.settings import binding_limits
from arena_tui.text_files import label_of
from arena_tui.tournament_file import Loaded, load_file
from arena_tui.tournament_file import check_file as problems_of
from arena_tui.values import counted

SIMULATIONS = 20
SAMPLED = 2_000  # entrants; a larger pool is simulated fewer times


def check_file(file: str) -> int:
    """Print every problem of a tournament file; exit 2 when there is one."""
    problems = problems_of(Path(file)) or _judge_problems(load_file(Path(file)))
    for problem in problems:
        print(clean(str(problem)))
    if problems:
        return exit_codes.USAGE
    loaded = load_file(Path(file))
    for note in loaded.notes:
        print(clean(f"note: {note}"))
    groups = loaded.pool.playable
    entrants = sum(len(group.entrants) for group in groups)
    print(clean(f"{file}: ready to run; {counted(entrants, 'candidate')} in {counted(len(groups), 'group')}"))
    return exit_codes.OK


def _judge_problems(loaded: Loaded) -> list[Problem]:
    """What only shows when the judge is built, such as a bad line of recorded votes or a missing key."""
    try:
        prove_judge(loaded.tournament, loaded.pool, loaded.folder)
    except FileProblems as error:
        return list(error.problems)
    except (JudgeError, UsageError) as error:
        return [Problem(label_of(loaded.path or loaded.folder), None, str(error))]
    return []


def plan_file(file: str, seed: int | None, assignments: tuple[str, ...], as_json: bool) -> None:
    """Forecast a run over some simulations and print the ranges."""
    loaded = load_file(Path(file), overrides=overrides(assignments), seed=seed)
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

    priced = loaded.tournament.judge.kind == "simulated"
    debates = [run.debates / run.matches if run.matches else 0.0 for run in runs]
    return {
        "format": loaded.tournament.format.kind,
        "simulations": len(runs),
        "matches": span([run.matches for run in runs]),
        "comparisons": span([run.comparisons for run in runs]),
        "debate_share": span(debates),
        "seconds": span([run.seconds for run in runs]),
        "tokens": span([run.usage.tokens for run in runs]) if priced else None,
        "usd": span([run.usage.usd or 0.0 for run in runs]) if priced else None,
        "stop_reasons": sorted({reason for run in runs for reason in run.stop_reasons}),
        "ended": sum(run.ended for run in runs),
    }


def _lines(loaded: Loaded, told: dict[str, Any]) -> list[str]:
    def span(key: str, digits: int = 0) -> str:
        low, middle, high = (told[key][part] for part in ("low", "median", "high"))
        return f"{middle:.{digits}f} ({low:.{digits}f} to {high:.{digits}f})"

    seconds = told["seconds"]
    limits = loaded.tournament.limits
    guesses = ", ".join(f"{time:g} s {mode}" for mode, time in assumed_seconds(loaded.tournament).items())
    assumed = f", assuming {guesses}" if guesses else ""
    lines = [
        f"{told['format']}, {told['simulations']} simulated runs: median (least to most)",
        f"matches      {span('matches')}",
        f"comparisons  {span('comparisons')}",
        f"debates      {told['debate_share']['median']:.0%} of the matches",
        f"time         {duration(seconds['median'])} ({duration(seconds['low'])} to "
        f"{duration(seconds['high'])}) at {limits.concurrency} in flight{assumed}",
    ]
    if told["usd"] is not None and told["usd"]["high"] > 0:
        lines.append(f"cost         {span('usd', 4)} USD")
    if told["tokens"] is not None and told["tokens"]["high"] > 0:
        lines.append(f"tokens       {span('tokens')}")
    lines.append(f"ends by      {', '.join(told['stop_reasons']) or 'nothing that was simulated'}")
    if told["ended"] < told["simulations"]:
        bound = binding_limits(loaded.tournament)
        later = f"only limits.{' or limits.'.join(bound)} ends them" if bound else "set limits.matches"
        lines.append(
            f"note: {told['simulations'] - told['ended']} of {told['simulations']} runs were given up after "
            f"{MOST_PER_CANDIDATE} matches a candidate, and the figures stop there: {later}"
        )
    return lines
