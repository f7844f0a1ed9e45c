"""What a bench found, as a table for people and as JSON. Nothing here prints."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

FIGURES = ("tau", "top1", "top3", "ndcg", "coverage")
_HEADINGS = ("tau", "top-1", "top-3", "nDCG@10", "coverage")
_LEGEND = (
    "each figure: mean and standard error over the seeds; every call is one verdict",
    "tau: Kendall's, of the whole order; top-1: the first is the best; top-3: share of the three best found",
)
_COVERAGE = {
    "simulated": "the true centred strength, in log-odds of decisive verdicts (those that are no tie)",
    "recorded": "the centred strength by all votes on record, a draw half a win each",
}


def bench_json(rows: Iterable[Mapping[str, Any]]) -> list[dict[str, Any]]:
    """The rows with every figure at the top level and the standard errors under `se`."""
    return [
        {
            "format": row["format"],
            "goal": row["goal"],
            "row": row["row"],
            "orders": row["orders"],
            "lookahead": row["lookahead"],
            "budget": row["budget"],
            "calls": row["mean"]["calls"],
            **{name: row["mean"][name] for name in FIGURES},
            "se": {name: row["se"][name] for name in FIGURES},
        }
        for row in rows
    ]


def bench_table(rows: Sequence[Mapping[str, Any]]) -> Iterator[str]:
    """The lines of the table, under a line for each budget where there are several."""
    width = max([len("format"), *(len(row["row"]) for row in rows)])
    budgets = list(dict.fromkeys(row["budget"] for row in rows))
    head = f"{'format':<{width}}  {'calls':>6}" + "".join(f"  {name:>12}" for name in _HEADINGS)
    for budget in budgets:
        if len(budgets) > 1:
            yield f"{budget} calls"
        yield head
        for row in rows:
            if row["budget"] == budget:
                figures = "".join(f"  {_cell(row, name):>12}" for name in FIGURES)
                yield f"{row['row']:<{width}}  {row['calls']:>6.4g}{figures}"
        if budget != budgets[-1]:
            yield ""


def legend(judge: str) -> Iterator[str]:
    """What the figures mean, where the judge is of this kind."""
    yield from _LEGEND
    yield f"coverage: share of the fit's 95 % intervals that hold {_COVERAGE[judge]}"


def _cell(row: Mapping[str, Any], name: str) -> str:
    mean, se = row[name], row["se"][name]
    if mean is None:
        return "-"
    return f"{mean:.3f}" if se is None else f"{mean:.3f} ±{se:.3f}"
