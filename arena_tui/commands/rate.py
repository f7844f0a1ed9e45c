"""`arena rate`: standings with intervals from anyone's log of votes; nothing is stored."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

from arena_tui.commands.run import layout
from arena_tui.errors import UsageError
from arena_tui.report.rate_report import Method, Options, named, rate_lines, rate_report
from arena_tui.safetext import clean, one_line
from arena_tui.values import counted
from arena_tui.vote_log import VoteLog, column_names, read_votes


def rate(
    *,
    log: str,
    method: Method,
    prior: str,
    cluster: bool,
    inflate: bool,
    per_group: bool,
    columns: str | None,
    as_json: bool,
) -> None:
    """Print what a log amounts to. See `cli.rate` for the options."""
    if method == "elo" and (cluster or inflate or prior == "none"):
        raise UsageError("Elo has no prior and no intervals: leave out --prior, --cluster and --inflate")
    if cluster and per_group:
        raise UsageError("--per-group rates each group alone, so there are no clusters: leave out --cluster")
    votes = read_votes(Path(log), column_names(columns))
    if votes.votes and (cluster or per_group) and len(votes.groups) < 2:
        option = "--cluster" if cluster else "--per-group"
        raise UsageError(f"{option} needs two groups or more, and {votes.label} has {len(votes.groups)}")
    options = Options(method, prior == "map", cluster, inflate)
    _say_what_was_left_out(votes, options)
    if per_group and votes.groups:
        reports = {
            group: _report(votes.of_group(number), options) for number, group in enumerate(votes.groups)
        }
        if as_json:
            print(json.dumps({"groups": reports, "skipped": votes.skipped}))
            return
        for number, (group, report) in enumerate(reports.items()):
            print(("\n" if number else "") + one_line(group, layout()["width"]))
            _print(report)
        return
    report = _report(votes, options)
    if as_json:
        print(json.dumps(report))
    else:
        _print(report)


def _report(votes: VoteLog, options: Options) -> dict[str, Any]:
    if options.prior or options.method == "elo":
        return rate_report(votes, options)
    from arena_tui.ratings.bradley_terry import NoMaximum

    try:
        return rate_report(votes, options)
    except NoMaximum as error:
        whom = [
            f"{named([votes.ids[index] for index in indices])} {said} every comparison"
            for indices, said in ((error.undefeated, "won"), (error.winless, "lost"))
            if indices
        ]
        why = " and ".join(whom) if whom else error.reason
        raise UsageError(
            f"{votes.label}: without a prior there is no finite fit, for {why}; use --prior map"
        ) from None


def _print(report: dict[str, Any]) -> None:
    for line in rate_lines(report, **layout()):
        print(line)


def _say_what_was_left_out(votes: VoteLog, options: Options) -> None:
    if votes.skipped:
        told = f"{counted(votes.skipped, 'row')} left out: invalid, void or without weight"
        print(clean(told), file=sys.stderr)
    if 0 < votes.unordered < len(votes.votes) and options.method != "elo":
        silent = f"{counted(votes.unordered, 'row')} {'says' if votes.unordered == 1 else 'say'} nothing"
        print(f"no slot term: {silent} of who was shown first", file=sys.stderr)
