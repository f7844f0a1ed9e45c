"""`arena audit`: a judge against pairs with a gold label, or against a person; nothing is stored."""

from __future__ import annotations

import asyncio
import json
import os
import secrets
import sys
from dataclasses import asdict
from functools import partial
from pathlib import Path
from typing import Any

from arena_tui import auditing, exit_codes
from arena_tui.auditing import Audit
from arena_tui.commands.by_hand import judge_by_hand
from arena_tui.commands.progress import progress
from arena_tui.commands.run import layout
from arena_tui.conventions import CONTRACT
from arena_tui.errors import ArenaError, UsageError
from arena_tui.gold_pairs import GoldPair, conditions, read_gold, read_replies
from arena_tui.judging.base import Question
from arena_tui.judging.build import build_judge
from arena_tui.judging.human import has_person
from arena_tui.judging.verdict import contract_of, parse_verdict
from arena_tui.report.audit_report import audit_lines, audit_report
from arena_tui.report.judge_words import price_words
from arena_tui.report.tables import judge_table
from arena_tui.resumption import overrides
from arena_tui.safetext import clean
from arena_tui.settings import llm_judges
from arena_tui.store.folder import data_folder, find_run
from arena_tui.tournament_file import Loaded, load_file
from arena_tui.values import counted
from arena_tui.vocabulary import Mode

LABELS = {"Output (a)": ("a", "b")}
"""What the texts were called where a contract says so; elsewhere 1 and 2."""


def audit(
    *,
    target: str,
    pairs: str | None,
    votes: str | None,
    contract: str | None,
    where: tuple[str, ...],
    by_hand: int | None,
    limit: int | None,
    assignments: tuple[str, ...],
    as_json: bool,
) -> int:
    """Print what a judge is worth; the process's exit code. See `cli.audit` for the options."""
    if by_hand is not None:
        if pairs or votes or contract or where or limit or assignments:
            raise UsageError("--by-hand goes with a run and no other option but --json")
        return judge_by_hand(target, by_hand, as_json)
    if pairs is None:
        raise UsageError("give --pairs FILE (pairs with a gold label), or --by-hand N and a run")
    if contract is not None and votes is None:
        raise UsageError("--contract says how recorded replies end: give them with --votes FILE")
    _refuse_run(target)
    loaded = load_file(Path(target), overrides=overrides(assignments))
    chosen = conditions(where)
    gold = read_gold(Path(pairs), chosen)[:limit]
    questions = auditing.questions_of(gold, _mode(loaded))
    if votes is not None:
        name = contract or CONTRACT
        contract_of(name)  # an unknown one is refused before anything is read
        read = partial(
            parse_verdict,
            labels=LABELS.get(name, ("1", "2")),
            draws=loaded.tournament.judge.draws,
            contract=name,
        )
        label = f"recorded replies: {Path(votes).name}"
        audited = auditing.read_recorded(questions, read_replies(Path(votes), gold, chosen), read)
    else:
        label, audited = asyncio.run(_ask(loaded, gold, questions))
    mock = votes is None and any(member.is_mock for member in llm_judges(loaded.tournament.judge))
    return _report(label, gold, audited, as_json, mock=mock)


def _refuse_run(target: str) -> None:
    """UsageError when `target` names a run, which --by-hand takes and --pairs does not."""
    if os.path.lexists(target) and not target.endswith(".db"):
        return
    try:
        find_run(target)
    except ArenaError:
        return  # none of either: whoever reads the file says so
    raise UsageError(f"{target} is a run; --pairs needs its tournament file")


def _mode(loaded: Loaded) -> Mode:
    """The judge's mode; what `auto` leaves to a format is pairwise here."""
    mode = loaded.tournament.judge.mode
    return "pairwise" if mode == "auto" else mode


async def _ask(loaded: Loaded, gold: list[GoldPair], questions: list[Question]) -> tuple[str, Audit]:
    tournament = loaded.tournament.model_copy(update={"overview": None})
    judge = build_judge(
        tournament,
        seed=tournament.seed or 0,
        candidates=[candidate for pair in gold for candidate in auditing.candidates_of(pair)],
        folder=loaded.folder,
        secret=secrets.token_bytes(16),
        home=data_folder(),
    )

    def ready() -> None:
        for note in judge.notes:
            print(clean(f"note: {note}"), file=sys.stderr)

    quiet = has_person(tournament.judge)  # who would see it written over the question
    told = (lambda _done: None) if quiet else progress(len(questions), "comparisons")
    return judge.label, await auditing.ask_all(judge, questions, tournament.limits, told, ready)


def _report(label: str, gold: list[GoldPair], audited: Audit, as_json: bool, *, mock: bool) -> int:
    judged = auditing.judged(gold, audited)
    if not judged:
        print(clean(f"no pair was judged in both orders: {audited.stopped}"), file=sys.stderr)
        return exit_codes.LIMIT
    report = {
        "judge": label,
        **audit_report(judged, mock=mock),
        "of": len(gold),
        "stopped": audited.stopped or None,
        "calls": {
            "sent": sum(not reply.from_cache for reply in audited.replies),
            "failed": sum(bool(reply.failure) for reply in audited.replies),
            "from_cache": sum(reply.from_cache for reply in audited.replies),
        },
        "usage": asdict(audited.usage),
    }
    if as_json:
        print(json.dumps(report))
    else:
        for line in _lines(report, gold):
            print(line)
    if len(judged) < len(gold):
        why = f": {audited.stopped}" if audited.stopped else ", for lack of replies"
        print(clean(f"{len(gold) - len(judged)} of {len(gold)} pairs were left out{why}"), file=sys.stderr)
    return exit_codes.LIMIT if audited.stopped else exit_codes.OK


def _lines(report: dict[str, Any], gold: list[GoldPair]) -> list[str]:
    look = layout()
    texts = {pair.id: (pair.first, pair.second) for pair in gold}
    usage = report["usage"]
    cost = f"  {counted(report['calls']['sent'], 'call')}, {price_words(usage)}"
    return [
        clean(f"{report['judge']}, {counted(report['pairs'], 'pair')} in both orders"),
        *audit_lines(report, texts, look["width"]),
        "",
        # What was said in each order is known of every judge; what calls cost only of those that make some.
        judge_table({key: value for key, value in report.items() if key != "calls"}, **look).rstrip("\n"),
        *([cost] if usage["input_tokens"] or usage["output_tokens"] else []),
        *report["warnings"],
    ]
