"""`arena audit RUN --by-hand N`: a person judges some of a run's matches blind, and how far both agree.

The texts are shown without names, in an order drawn anew for each match. Questions go to stderr, answers
are lines of stdin, and the result is on stdout; nothing is stored.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Iterable
from typing import Any

from arena_tui import exit_codes
from arena_tui.blind import BlindMatch, BlindSession, blind_session, side_of
from arena_tui.commands.console import has_console
from arena_tui.judging.question_text import answer_of, question_lines, ways
from arena_tui.ratings.agreement import cohen_kappa
from arena_tui.report.judge_report import share
from arena_tui.report.judge_words import interval, percent
from arena_tui.safetext import clean, one_line
from arena_tui.store import folder
from arena_tui.vocabulary import Said, Winner


def judge_by_hand(run: str, number: int, as_json: bool) -> int:
    """Ask about `number` matches of a run, or until the person quits; print the agreement.

    In the console on a terminal, else line by line. Ctrl+c quits too, with its own exit code: what was
    judged by then is told.
    """
    session = blind_session(folder.find_run(run), number)
    answers: list[tuple[BlindMatch, Winner]] = []
    skipped, code = 0, exit_codes.OK
    if has_console():
        answers, skipped, code = _in_console(session)
        return _told(session, answers, skipped, as_json, code)
    try:
        for at, match in enumerate(session.matches, 1):
            _show(session, match, f"{at} of {len(session.matches)}")
            said = _ask(session.draws)
            if said is None:
                break
            if said == "invalid":
                skipped += 1
                continue
            answers.append((match, side_of(said, match.turned)))
    except KeyboardInterrupt:
        print(file=sys.stderr)
        code = exit_codes.EXTERNAL
    return _told(session, answers, skipped, as_json, code)


def _in_console(session: BlindSession) -> tuple[list[tuple[BlindMatch, Winner]], int, int]:
    """(what was judged, how many were skipped, exit code) on a screen for it."""
    from arena_tui.cockpit.judge_view import blind_view
    from arena_tui.commands.console import preferences
    from arena_tui.console.by_hand import BlindMatches
    from arena_tui.console.hand_app import HandApp

    blind = blind_view(session)
    source = BlindMatches(blind.matches, blind.titles)
    preferred = preferences()
    app = HandApp(source, preferred)
    app.run(mouse=preferred.mouse)
    matches = {(match.group, match.seq): match for match in session.matches}
    answers = [(matches[each.key[:2]], each.person) for each in source.judged]
    told = [(match, side_of(said, match.turned)) for match, said in answers]
    code = exit_codes.EXTERNAL if app.interrupted else app.return_code or exit_codes.OK
    return told, len(source.answers) - len(told), code


def _told(
    session: BlindSession,
    answers: list[tuple[BlindMatch, Winner]],
    skipped: int,
    as_json: bool,
    code: int,
) -> int:
    report = _report(session, answers, skipped)
    if as_json:
        print(json.dumps(report))
    else:
        for line in _lines(report, len(session.groups) > 1):
            print(clean(line))
    return code


def _show(session: BlindSession, match: BlindMatch, count: str) -> None:
    told = question_lines(session.question(match), count, session.task, session.criteria)
    print("\n".join(told), file=sys.stderr)


def _ask(draws: bool) -> Said | None:
    """What the person says of the texts as they are shown; None when they stop, as at the end of stdin."""
    while True:
        print(f"Which is better: {ways(draws, 'q to stop')}: ", end="", file=sys.stderr, flush=True)
        line = sys.stdin.readline()
        word = line.strip().lower()
        if not line or word in ("q", "quit"):
            return None
        said = answer_of(word, draws)
        if said is not None:
            return said


def _report(session: BlindSession, answers: list[tuple[BlindMatch, Winner]], skipped: int) -> dict[str, Any]:
    same = sum(match.winner == said for match, said in answers)
    return {
        "run": session.run,
        "judged": len(answers),
        "skipped": skipped,
        "of": len(session.matches),
        "agreement": share(same, len(answers)),
        "kappa": cohen_kappa((match.winner, said) for match, said in answers),
        "disagreements": [
            {
                "group": match.group,
                "match": match.seq,
                "judge": _named(match, match.winner),
                "person": _named(match, said),
            }
            for match, said in answers
            if match.winner != said
        ],
    }


def _named(match: BlindMatch, winner: Winner) -> str:
    """Whom a verdict names, by id."""
    return {"a": match.a, "b": match.b}.get(winner, winner)


def _lines(report: dict[str, Any], many: bool) -> Iterable[str]:
    agreement = report["agreement"]
    if agreement is None:
        yield "nothing was judged"
        return
    yield (
        f"you and the judge agree on {agreement['hits']} of {agreement['n']} matches "
        f"({percent(agreement['rate'])}, {interval(agreement)})"
    )
    if report["kappa"] is not None:
        yield f"Cohen's kappa {report['kappa']:.2f} (1: full agreement, 0: as chance)"
    for row in report["disagreements"]:
        number = f"{one_line(row['group'], 20)}:{row['match']}" if many else f"{row['match']}"
        judge, person = one_line(row["judge"], 40), one_line(row["person"], 40)
        yield f"match {number}: the judge said {judge}, you {person}"
