"""What a run will take, in figures and in words: simulations of the real format, gathered for people.

`arena plan` prints it, the console shows it before anything starts. Needs no key and sends nothing.
"""

from __future__ import annotations

from typing import Any

from arena_tui.amounts import duration
from arena_tui.candidate import Pool
from arena_tui.engine.forecast import MOST_PER_CANDIDATE, Range, Simulated, simulate
from arena_tui.engine.forecast_judge import REPLY_SHARE, assumptions
from arena_tui.errors import FileProblems, JudgeError, Problem, UsageError
from arena_tui.running import model_problems, prove_judge
from arena_tui.settings import PanelJudge, Tournament, binding_limits, llm_judges
from arena_tui.text_files import label_of
from arena_tui.tournament_file import Loaded

SIMULATIONS = 20
SAMPLED = 2_000  # entrants; a larger pool is simulated fewer times


def judge_problems(loaded: Loaded) -> list[Problem]:
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


async def simulations(tournament: Tournament, pool: Pool, most: int = SIMULATIONS) -> list[Simulated]:
    """At most `most` simulated runs, each with a seed of its own."""
    first = tournament.seed or 0
    entrants = sum(len(group.entrants) for group in pool.playable)
    times = max(1, min(most, SIMULATIONS * SAMPLED // max(1, entrants * 10)))
    return [await simulate(tournament, pool, first + number) for number in range(times)]


def forecast(tournament: Tournament, runs: list[Simulated]) -> dict[str, Any]:
    """The figures of simulated runs, JSON-able; unknown ones are None."""

    def span(values: list[float]) -> dict[str, float]:
        found = Range.over(values)
        return {"low": found.low, "median": found.middle, "high": found.high}

    judge = tournament.judge
    members = judge.judges if isinstance(judge, PanelJudge) else (judge,)
    counts = any(member.kind in ("simulated", "llm") for member in members)
    priced = counts and all(run.usage.usd is not None for run in runs)
    debates = [run.debates / run.matches if run.matches else 0.0 for run in runs]
    return {
        "format": tournament.format.kind,
        "simulations": len(runs),
        "matches": span([run.matches for run in runs]),
        "comparisons": span([run.comparisons for run in runs]),
        "debate_share": span(debates),
        "seconds": span([run.seconds for run in runs]),
        "tokens": span([run.usage.tokens for run in runs]) if counts else None,
        "usd": span([run.usage.usd or 0.0 for run in runs]) if priced else None,
        "assumed": assumptions(tournament),
        "stop_reasons": sorted({reason for run in runs for reason in run.stop_reasons}),
        "ended": sum(run.ended for run in runs),
    }


def forecast_lines(tournament: Tournament, told: dict[str, Any]) -> list[tuple[str, str]]:
    """The figures for people as (label, text): median (least to most). The first says what ran."""

    def span(key: str, digits: int = 0) -> str:
        low, middle, high = (told[key][part] for part in ("low", "median", "high"))
        return f"{middle:.{digits}f} ({low:.{digits}f} to {high:.{digits}f})"

    seconds = told["seconds"]
    limits = tournament.limits
    assumed = f", assuming {', '.join(told['assumed'])}" if told["assumed"] else ""
    models = llm_judges(tournament.judge)
    lines = [
        ("", f"{told['format']}, {told['simulations']} simulated runs: median (least to most)"),
        ("matches", span("matches")),
        ("comparisons", span("comparisons")),
        ("debates", f"{told['debate_share']['median']:.0%} of the matches"),
        (
            "time",
            f"{duration(seconds['median'])} ({duration(seconds['low'])} to {duration(seconds['high'])}) "
            f"at {limits.concurrency} in flight{assumed}",
        ),
    ]
    if told["usd"] is not None and told["usd"]["high"] > 0:
        dear = ", without discounts of prompt caches" if models else ""
        lines.append(("cost", f"{span('usd', 4)} USD{dear}"))
    if told["usd"] is None and models:
        lines.append(("cost", "not known: a model has no known price"))
    if told["tokens"] is not None and told["tokens"]["high"] > 0:
        share = f", assuming replies of {REPLY_SHARE:.0%} of max_tokens" if models else ""
        lines.append(("tokens", f"{span('tokens')}{share}"))
    lines.append(("ends by", ", ".join(told["stop_reasons"]) or "nothing that was simulated"))
    if told["ended"] < told["simulations"]:
        bound = binding_limits(tournament)
        later = f"only limits.{' or limits.'.join(bound)} ends them" if bound else "set limits.matches"
        endless = told["simulations"] - told["ended"]
        lines.append(
            (
                "note:",
                f"{endless} of {told['simulations']} runs were given up after {MOST_PER_CANDIDATE} matches a "
                f"candidate, and the figures stop there: {later}",
            )
        )
    return lines


def headline(tournament: Tournament, told: dict[str, Any]) -> str:
    """The forecast in one breath: "120 matches, about 2.1 USD, 9 min"."""
    parts = [f"{told['matches']['median']:.0f} matches"]
    if told["usd"] is not None and told["usd"]["high"] > 0:
        parts.append(f"about {told['usd']['median']:.2g} USD")
    elif told["usd"] is None and llm_judges(tournament.judge):
        parts.append("at an unknown price")
    if told["seconds"]["high"] > 0:
        parts.append(duration(told["seconds"]["median"]))
    return ", ".join(parts)
