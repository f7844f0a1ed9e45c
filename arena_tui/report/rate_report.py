"""What a log of votes amounts to: standings with bars, who cannot be compared, and what they rest on.

Pure: a log in, figures and lines out. `arena rate` prints it.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from textwrap import wrap
from typing import Any, Literal

from arena_tui.ratings.elo import k_factor, update
from arena_tui.report.result import StandingRow
from arena_tui.report.tables import standings_table
from arena_tui.safetext import one_line
from arena_tui.values import counted
from arena_tui.vote_log import VoteLog

Method = Literal["auto", "bt", "davidson", "elo"]

ELO_START = 1200.0
NAMED = 8  # ids that a line names before it only counts
_EQUAL = 9  # decimals below which two strengths or ratings share a rank
_COLUMNS = (
    *("rank", "id", "rating", "rank_low", "rank_high", "low", "high", "p_best"),
    *("wins", "losses", "draws", "matches"),
)


@dataclass(frozen=True, slots=True)
class Options:
    """How to rate; see `arena rate --help`. `prior`: strengths have one."""

    method: Method = "auto"
    prior: bool = True
    cluster: bool = False
    inflate: bool = False


@dataclass(frozen=True, slots=True)
class _Found:
    """Rows of standings by place, the values that order them, and what they rest on."""

    rows: list[dict[str, Any]]
    order: list[float]
    about: dict[str, Any]


def rate_report(log: VoteLog, options: Options) -> dict[str, Any]:
    """The figures of a log, JSON-able; NoMaximum where without a prior there are none.

    Standings come component by component, the largest first; ranks, rank ranges and P(best) are within
    a component, for nothing orders two of them. Records count matches, whatever they weigh. Strengths and
    standard errors are in logits.
    """
    from arena_tui.ratings.cells import cells_of, components, tally

    cells = cells_of(len(log.ids), log.columns(), slots=False)
    groups = sorted(components(cells), key=lambda group: (-len(group), group)) if log.votes else []
    record = tally(cells)
    found = _elo(log) if options.method == "elo" else _fitted(log, options, groups)
    records = _records(log)
    standings = []
    for number, group in enumerate(groups):
        for rank, index in _ranked(group, found.order):
            standings.append({"rank": rank} | found.rows[index] | records[index] | {"component": number + 1})
    return {
        "standings": standings,
        "components": [[log.ids[index] for index in group] for group in groups],
        "undefeated": [log.ids[index] for index in record.undefeated],
        "winless": [log.ids[index] for index in record.winless],
        **found.about,
        "comparisons": len(log.votes),
        "skipped": log.skipped,
    }


def _ranked(group: Sequence[int], values: Sequence[float]) -> Iterator[tuple[int, int]]:
    """(rank, place) of each member, best first; equal values share a rank, in the order of first mention."""
    rank, last = 0, math.inf
    for number, index in enumerate(sorted(group, key=lambda index: (-round(values[index], _EQUAL), index))):
        value = round(values[index], _EQUAL)
        if value != last:
            rank, last = number + 1, value
        yield rank, index


def _fitted(log: VoteLog, options: Options, groups: Sequence[Sequence[int]]) -> _Found:
    """Bradley-Terry: each component is a class of its own, so that ranks stay within it."""
    from arena_tui.ratings.estimates import estimate

    columns = log.columns()
    method = options.method
    if method == "auto":
        method = "davidson" if columns.tied.any() else "bt"
    part = {index: number for number, group in enumerate(groups) for index in group}
    estimates = estimate(
        columns,
        len(log.ids),
        classes=[part[index] for index in range(len(log.ids))],
        playing=[True] * len(log.ids),
        ties="davidson" if method == "davidson" else "half",
        prior="em" if options.prior else None,
        slot=bool(log.votes) and not log.unordered,
        inflate=options.inflate,
        cluster=options.cluster,
    )
    fit, strengths = estimates.fit, estimates.fit.strength.tolist()
    rows = [
        {
            "id": id_,
            "rating": each.rating,
            "low": each.low,
            "high": each.high,
            "rank_low": each.rank_low,
            "rank_high": each.rank_high,
            "p_best": each.p_best,
            "strength": strength,
            "se": None if each.low is None else se,
        }
        for id_, each, strength, se in zip(
            log.ids, estimates.entrants, strengths, estimates.se.tolist(), strict=True
        )
    ]
    slots = {
        log.judges[judge] if log.judges else "": {"logits": slot.logits, "se": slot.se, "z": slot.z}
        for judge, slot in fit.slot.items()
    }
    about = {
        "slot_effect": slots if len(slots) > 1 else next(iter(slots.values()), None),
        "method": method,
        "prior": "map" if options.prior else "none",
        "prior_scale": fit.prior_scale,
        "nu": fit.nu,
        "log_likelihood": fit.log_likelihood,
        "pair_variance": estimates.pair_variance if options.inflate else None,
        "clusters": len(log.groups) if options.cluster else None,
    }
    return _Found(rows, strengths, about)


def _elo(log: VoteLog) -> _Found:
    """Sequential Elo over the matches, in the order of the log; weights do not enter."""
    ratings, played = [ELO_START] * len(log.ids), [0] * len(log.ids)
    for a, b, lead in _matches(log):
        change = update(ratings[a], ratings[b], (lead + 1) / 2, k=k_factor(min(played[a], played[b])))
        ratings[a], ratings[b] = change.elo_a_after, change.elo_b_after
        played[a] += 1
        played[b] += 1
    unknown = dict.fromkeys(("low", "high", "rank_low", "rank_high", "p_best", "strength", "se"))
    rows = [{"id": id_, "rating": rating} | unknown for id_, rating in zip(log.ids, ratings, strict=True)]
    return _Found(rows, ratings, {"slot_effect": None, "method": "elo", "prior": None})


def _records(log: VoteLog) -> list[dict[str, int]]:
    """Wins, losses, draws and matches by place; a match goes to the side that has more of its mass."""
    records = [dict.fromkeys(("wins", "losses", "draws", "matches"), 0) for _ in log.ids]
    for a, b, lead in _matches(log):
        for side, sign in ((a, lead), (b, -lead)):
            records[side]["wins" if sign > 0 else "losses" if sign < 0 else "draws"] += 1
            records[side]["matches"] += 1
    return records


def _matches(log: VoteLog) -> list[tuple[int, int, int]]:
    """(a, b, sign of a's lead) of each match, in the order of their first rows."""
    leads: dict[tuple[int, int, int], float] = {}
    for vote in log.votes:
        won, lost, _ = vote.masses
        turned = (vote.match, vote.b, vote.a)
        if turned in leads:
            leads[turned] += lost - won
        else:
            key = vote.match, vote.a, vote.b
            leads[key] = leads.get(key, 0.0) + won - lost
    return [(a, b, 0 if abs(lead) < 1e-9 else 1 if lead > 0 else -1) for (_, a, b), lead in leads.items()]


def rate_lines(report: Mapping[str, Any], *, color: bool, width: int) -> Iterator[str]:
    """The table, and under it what it rests on, line by line."""
    if not report["standings"]:
        yield "no usable votes, so there is nothing to rate"
        return
    fitted = report["method"] != "elo"
    rows = [
        StandingRow(
            **{key: row[key] for key in _COLUMNS},
            group=f"set {row['component']}",
            fitted=row["rating"] if fitted else None,
        )
        for row in report["standings"]
    ]
    yield standings_table(rows, color=color, width=width, format_kind=report["method"]).rstrip("\n")
    yield ""
    for line in _grounds(report):
        yield from wrap(line, max(40, width))


def _grounds(report: Mapping[str, Any]) -> Iterator[str]:
    """How the figures came about, sentence by sentence."""
    made = counted(report["comparisons"], "comparison")
    if report["method"] == "elo":
        yield (
            f"Elo over {made} in the order of the log, K 32 and 16 from the sixth match on. Another order "
            "gives other ratings, and there are no intervals; --method auto depends on no order."
        )
    else:
        yield from _model(report, made)
    if len(report["components"]) > 1:
        number = len(report["components"])
        yield f"These are {number} sets that never met, even through others: nothing orders them."


def _model(report: Mapping[str, Any], made: str) -> Iterator[str]:
    """What was fitted, and what the bars mean."""
    ties, prior = "a tie is half a win for each", "no prior"
    if report["nu"] is not None:
        ties = f"a tie is an outcome of its own (Davidson, nu {report['nu']:.3g})"
    if report["prior_scale"] is not None:
        scale = f"{report['prior_scale']:.2f}"
        prior = f"strengths have a normal prior of scale {scale} logits, learnt from the log"
    yield f"Bradley-Terry over {made}: {ties}; {prior}. Rating = 1500 + 400 / ln 10 x centred strength."
    allowed = []
    if report["clusters"] is not None:
        allowed.append(f"what each of {counted(report['clusters'], 'group')} has of its own")
    if report["pair_variance"]:
        allowed.append(f"what pairs have of their own (variance {report['pair_variance']:.3g})")
    if report["pair_variance"] is not None and report["prior_scale"] is not None:
        allowed.append("a learnt scale that few comparisons leave too small")
    bars = (
        f"The 95 % intervals allow for {', and for '.join(allowed)}"
        if allowed
        else "The 95 % intervals trust the model"
    )
    yield f"{bars}. They are on this judge's own scale and know nothing of whether the judge is right."
    slots = report["slot_effect"]
    if slots is not None:
        for judge, slot in {"": slots}.items() if "logits" in slots else slots.items():
            whose = f" ({one_line(judge, 40)})" if judge else ""
            yield (
                f"Being shown first is worth {slot['logits']:+.2f} logits{whose}, standard error "
                f"{slot['se']:.2f}, z {slot['z']:+.1f}."
            )
    for key, said in (("undefeated", "won"), ("winless", "lost")):
        if report[key]:
            yield f"{named(report[key])} {said} every comparison: only the prior bounds such a strength."


def named(ids: Sequence[str]) -> str:
    """Some ids in a sentence, and how many more."""
    shown = ", ".join(one_line(id_, 60) for id_ in ids[:NAMED])
    return shown if len(ids) <= NAMED else f"{shown} and {len(ids) - NAMED:,} more"
