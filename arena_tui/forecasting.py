"""What a run will take, in figures and in words: simulations of the real format, gathered for people.

`arena plan` prints it, the console shows it before anything starts. Needs no key and sends nothing.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from arena_tui.amounts import duration
from arena_tui.candidate import Pool
from arena_tui.engine.forecast import MOST_PER_CANDIDATE, Range, Simulated, simulate
from arena_tui.engine.forecast_judge import REPLY_SHARE, assumptions
from arena_tui.engine.forecast_sample import SAMPLE, sampled
from arena_tui.errors import FileProblems, JudgeError, Problem, UsageError
from arena_tui.running import model_problems, prove_judge
from arena_tui.settings import (
    PanelJudge,
    Tournament,
    binding_limits,
    in_format,
    llm_judges,
)
from arena_tui.text_files import label_of
from arena_tui.tournament_file import Loaded

SIMULATIONS = 20
OTHERS = ("adaptive", "swiss", "pivot", "round_robin", "knockout", "elo")
FEWER = 6  # simulations of another format that fits decide the end of, which takes its time
SAMPLED = 200  # entrants; a larger pool is simulated fewer times
FITS = 6  # times as many, where fits decide when a group ends


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


async def simulations(
    tournament: Tournament, pool: Pool, most: int = SIMULATIONS, *, leaders: bool = False
) -> list[Simulated]:
    """At most `most` simulated runs, each with a seed of its own; some groups stand for very many.

    `leaders`: also look whether the strongest comes out first.
    """
    first = tournament.seed or 0
    sample = sampled(tournament, pool, first)
    entrants = sum(len(group.entrants) for group in sample.pool.playable)
    dear = entrants * (FITS if tournament.stop.rule == "confident" else 1)
    times = max(1, min(most, SIMULATIONS * SAMPLED // max(1, dear)))
    return [
        sample.whole(await simulate(sample.tournament, sample.pool, first + number, leaders=leaders))
        for number in range(times)
    ]


async def other_formats(
    tournament: Tournament, pool: Pool, told: Callable[[int], None]
) -> list[tuple[str, dict[str, Any]]]:
    """(kind, forecast) of every other format for the same pool, limits and judge, with its own defaults.

    Of one that cannot play this pool the forecast
    holds only `error`, a sentence. `told` hears how many are done.
    """
    found: list[tuple[str, dict[str, Any]]] = []
    for kind in OTHERS:
        if kind == tournament.format.kind:
            continue
        try:
            other = in_format(tournament, kind)
            times = FEWER if other.stop.rule == "confident" else SIMULATIONS
            runs = await simulations(other, pool, times, leaders=True)
            found.append((kind, forecast(other, runs)))
        except UsageError as error:
            found.append((kind, {"error": str(error)}))
        told(len(found))
    return found


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
    right = [run.leaders_right for run in runs if run.leaders_right is not None]
    scaled = max(run.stands_for for run in runs)
    return {
        "format": tournament.format.kind,
        "simulations": len(runs),
        "matches": span([run.matches for run in runs]),
        "comparisons": span([run.comparisons for run in runs]),
        "calls": span([run.calls for run in runs]),
        "debate_share": span(debates),
        "seconds": span([run.seconds for run in runs]),
        "tokens": span([run.usage.tokens for run in runs]) if counts else None,
        "usd": span([run.usage.usd or 0.0 for run in runs]) if priced else None,
        "assumed": assumptions(tournament),
        "stop_reasons": sorted({reason for run in runs for reason in run.stop_reasons}),
        "ended": sum(run.ended for run in runs),
        "top1": sum(right) / len(right) if right else None,
        "groups": {"simulated": SAMPLE, "of": scaled} if scaled else None,
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
        *([("calls", span("calls"))] if told["calls"]["high"] > 0 else []),
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
    if told["top1"] is not None:
        lines.append(("top-1", f"{told['top1']:.0%} end with the strongest in front, by simulated strengths"))
    lines.append(("ends by", ", ".join(told["stop_reasons"]) or "nothing that was simulated"))
    if told["groups"] is not None:
        few, many = told["groups"]["simulated"], told["groups"]["of"]
        lines.append(("note:", f"{few} groups were simulated; figures are scaled to all {many}"))
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
