"""`arena runs`, `show`, `verify` and `delete`: looking at runs, none of which drives one."""

from __future__ import annotations

import json
import sys

import click

from arena_tui import exit_codes
from arena_tui.commands.run import layout, print_result
from arena_tui.engine.refolding import refold
from arena_tui.engine.replay import replay
from arena_tui.errors import UsageError
from arena_tui.report.endings import ending_lines
from arena_tui.report.match_text import match_lines
from arena_tui.report.result import RunRow
from arena_tui.report.tables import judge_table, runs_table
from arena_tui.safetext import clean
from arena_tui.store import folder
from arena_tui.store.reader import Reader
from arena_tui.store.verify import open_reservations, structural
from arena_tui.summary import summarize
from arena_tui.values import counted, shown


def list_runs(as_json: bool) -> None:
    """All runs, newest first."""
    infos = folder.list_runs()
    rows = [
        RunRow(
            info.run,
            info.name,
            info.format,
            info.status,
            info.stop_reason,
            info.matches,
            info.created_at,
            str(info.db),
        )
        for info in infos
    ]
    if as_json:
        print(json.dumps([row.to_dict() for row in rows]))
    elif rows:
        print(runs_table(rows, **layout()), end="")
    else:
        print(f"no runs in {folder.data_folder()} yet: start one with `arena FILE`", file=sys.stderr)


def show_run(run: str | None, as_json: bool) -> None:
    """The result of a run as it stands."""
    path = folder.find_run(run)
    with Reader(path) as reader, reader.frozen():
        result = summarize(replay(reader), reader, path)
    print_result(result, as_json, sys.stdout)
    if as_json:
        return
    print(judge_table(result.judge, **layout()), end="")
    info = folder.run_info(path)
    status = "" if info is None else info.status
    for line in ending_lines(result, status):
        print(line)
    if status == "interrupted" and (count := open_reservations(path)):
        print(f"{counted(count, 'comparison')} under way when it was cut off; the cost counts as spent")


def show_match(run: str | None, which: str, as_json: bool) -> None:
    """One applied match with everything that was said of it; `which` is its number, or GROUP:NUMBER."""
    path = folder.find_run(run)
    group, _, number = which.rpartition(":")
    with Reader(path) as reader, reader.frozen():
        groups = [each.id for each in reader.groups() if each.skipped is None]
        if not group and len(groups) == 1:
            group = groups[0]
        if group not in groups or not (number.isascii() and number.isdigit()):
            raise UsageError(
                f"--match {shown(which)} names no match; give its number in the group, as in {groups[0]}:12"
            )
        number = number.lstrip("0") or "0"
        found = reader.exported_match(group, int(number)) if len(number) < 19 else None
        if found is None:
            raise UsageError(f"{path.stem} has no match {group}:{number} with an outcome")
        row, said = found
    if as_json:
        print(json.dumps({**row, "comparisons": said}))
        return
    for line in match_lines(row, said):
        print(line)


def verify_run(run: str | None) -> int:
    """Say what is wrong with a run's database; exit code 1 when anything is."""
    path = folder.find_run(run)
    problems = structural(path)
    if not problems:
        with Reader(path) as reader, reader.frozen():
            problems = refold(reader)
            applied = reader.counts().applied
    for problem in problems:
        print(clean(problem))
    if problems:
        return exit_codes.ERROR
    matches = counted(applied, "applied match", "applied matches")
    print(f"{path.stem}: sound; {matches} refolded to the stored verdicts, outcomes and ratings, bit for bit")
    return exit_codes.OK


def delete_run(run: str, yes: bool) -> int:
    """Delete a run after asking."""
    path = folder.find_run(run)
    if not yes and not click.confirm(f"Delete {path} for good?", err=True):
        return exit_codes.EXTERNAL
    folder.delete_run(path)
    print(f"deleted {path}", file=sys.stderr)
    return exit_codes.OK
