"""Grades of a judge's rationales: read strictly from a grader's JSON, weighted so that a gap never flatters.

The rubric is the Co-Scientist seed's RANKING_RUBRIC, with one difference: there a criterion the grader left
out fell out of the mean, here it counts nothing. Pure; `arena rubric` prints it.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from arena_tui.report.judge_words import end_of
from arena_tui.safetext import one_line
from arena_tui.values import counted

RANKING_RUBRIC: Mapping[str, float] = {
    "verdict_clarity": 1.0,
    "reasoning_quality": 1.0,
    "order_independence": 0.5,
}
"""Criterion and its weight: does the rationale end in a plain verdict, does it argue from concrete
differences, would the verdict be the same with the texts in the other order. Source:
the ranking rubric of the Co-Scientist tournament."""
LEAST, MOST = 1, 5
"""The scale of every criterion, whole points."""
SHOWN = 5  # rationales with the lowest grades that are shown
STARTS = 64  # braces in a reply at which its object may begin


@dataclass(frozen=True, slots=True)
class Grades:
    """What a grader said of one rationale: points by criterion; a missing or unreadable one is not there."""

    points: Mapping[str, int]

    @property
    def total(self) -> float:
        """The weighted share of all points there are, in [0, 1]; what is missing counts 0."""
        got = sum(weight * self.points.get(name, 0) for name, weight in RANKING_RUBRIC.items())
        return got / (MOST * sum(RANKING_RUBRIC.values()))


@dataclass(frozen=True, slots=True)
class Graded:
    """One match's rationale with its grades."""

    group: str
    seq: int
    rationale: str
    grades: Grades


def read_grades(reply: str) -> Grades:
    """The grades in a grader's reply: one JSON object, bare, fenced, or the last thing it says.

    Points are whole numbers from 1 to 5, or `{"score": points}`. Anything else is missing, and so is
    everything when a key is given twice. Never raises.
    """
    found = _object(reply)
    points = {}
    for name in RANKING_RUBRIC:
        value = found.get(name)
        if isinstance(value, dict):
            value = value.get("score")
        if isinstance(value, float) and value.is_integer():
            value = int(value)
        if isinstance(value, int) and not isinstance(value, bool) and LEAST <= value <= MOST:
            points[name] = value
    return Grades(points)


def _object(reply: str) -> dict[str, Any]:
    """The object that a reply is, or that it ends with; empty when there is none."""
    text = reply.strip().removesuffix("```").rstrip()
    at = -1
    for _ in range(STARTS):
        at = text.find("{", at + 1)
        if at < 0:
            break
        try:
            value, end = _DECODER.raw_decode(text, at)
        except (ValueError, RecursionError):
            continue
        if end == len(text):
            return dict(value)
        at = end - 1
    return {}


def _unique(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    row = dict(pairs)
    if len(row) < len(pairs):
        raise ValueError("a key is given twice")
    return row


_DECODER = json.JSONDecoder(object_pairs_hook=_unique)


def rubric_report(graded: Sequence[Graded]) -> dict[str, Any]:
    """The mean grade in [0, 1] and the mean points of each criterion; None where nothing was graded.

    `mean` of a criterion is over the rationales that have it, `missing` counts the others, which lower
    the `grade` all the same.
    """
    n = len(graded)
    criteria = {}
    for name, weight in RANKING_RUBRIC.items():
        given = [g.grades.points[name] for g in graded if name in g.grades.points]
        mean = sum(given) / len(given) if given else None
        criteria[name] = {"weight": weight, "mean": mean, "missing": n - len(given)}
    lowest = sorted(graded, key=lambda g: g.grades.total)[:SHOWN]
    return {
        "graded": n,
        "grade": sum(g.grades.total for g in graded) / n if n else None,
        "criteria": criteria,
        "lowest": [
            {"group": g.group, "match": g.seq, "grade": g.grades.total, "points": dict(g.grades.points)}
            for g in lowest
        ],
    }


def rubric_lines(report: Mapping[str, Any], graded: Iterable[Graded], width: int) -> Iterator[str]:
    """The grades in words, the lowest with the end of their rationales, where the verdict stands."""
    if report["grade"] is None:
        yield "nothing was graded"
        return
    yield f"grade {report['grade']:.2f} of 1 over {counted(report['graded'], 'rationale')}"
    for name, row in report["criteria"].items():
        mean = "never given" if row["mean"] is None else f"{row['mean']:.2f} of {MOST}"
        missing = f", missing {row['missing']} times (counts 0)" if row["missing"] else ""
        yield f"  {name:<20}{mean}, weight {row['weight']:g}{missing}"
    texts = {(g.group, g.seq): g.rationale for g in graded}
    many = len({group for group, _ in texts}) > 1
    yield "lowest"
    for row in report["lowest"]:
        where = f"{one_line(row['group'], 20)}:{row['match']}" if many else f"{row['match']}"
        told = end_of(texts[row["group"], row["match"]], max(20, width - 30 - len(where)))
        yield f"  {row['grade']:.2f}  match {where}: {one_line(told, width)}"
