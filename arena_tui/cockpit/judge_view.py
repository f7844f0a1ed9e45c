"""What the console shows of a judge: its providers' limits, questions for a person, its health in words."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from arena_tui.console.ports import Blind, ProviderView, Waiting
from arena_tui.vocabulary import Orientation

if TYPE_CHECKING:
    from arena_tui.blind import BlindSession
    from arena_tui.judging.base import Judge, Question
    from arena_tui.judging.human import Asked, HumanJudge

Key = tuple[str, int, Orientation]


def members_of(judge: Judge) -> Sequence[Judge]:
    """The judges that decide: those of a panel, else the judge itself."""
    return getattr(judge, "members", (judge,))


def provider_views(judge: Judge) -> tuple[ProviderView, ...]:
    """One view a model in use."""
    from arena_tui.judging.llm import LlmJudge

    views = []
    for member in members_of(judge):
        status = member.status() if isinstance(member, LlmJudge) else None
        if status is None:
            continue
        limit = status.limit
        waits = f"rate limited, {limit.blocked:.0f} s" if limit.blocked > 0 else ""
        views.append(
            ProviderView(
                status.model,
                limit.in_use,
                limit.current,
                limit.waiting,
                waits,
                status.sent,
                status.from_cache,
            )
        )
    return tuple(views)


def question_view(person: HumanJudge, asked: Asked) -> Waiting:
    """A question as a person sees it: without names, ids and ratings."""
    return _waiting(asked.key, asked.question, person.task, person.criteria, draws=person.draws)


def blind_view(session: BlindSession) -> Blind:
    """Matches to be judged blind, each with what its judge said of the texts as they are shown."""
    matches, titles = [], {}
    for match in session.matches:
        question = session.question(match)
        key: Key = (match.group, match.seq, "ba" if match.turned else "ab")
        waiting = _waiting(key, question, session.task, session.criteria, draws=session.draws)
        matches.append((waiting, match.said))
        first, second = question.first, question.second
        titles[key] = first.title or first.id, second.title or second.id
    return Blind(tuple(matches), titles)


def _waiting(key: Key, question: Question, task: str, criteria: Mapping[str, str], *, draws: bool) -> Waiting:
    """`criteria` stand where the question's group has none of its own."""
    return Waiting(
        key=key,
        task=task,
        prompt=question.prompt,
        criteria=criteria if question.criteria is None else question.criteria,
        first=question.first.text,
        second=question.second.text,
        first_review=question.first.review,
        second_review=question.second.review,
        draws=draws,
    )


def judge_words(db: Path) -> list[str]:
    """The judge report of a run as lines: its health in one line, then every figure. Reads the file."""
    from arena_tui.report.judge_report import judge_report
    from arena_tui.report.judge_words import judge_lines, percent
    from arena_tui.store.reader import Reader

    with Reader(db) as reader:
        orders = json.loads(reader.meta()["tournament"])["judge"].get("orders", "both")
        report = judge_report(reader.about_judge(), orders=orders)
    warnings = list(report.get("warnings", ()))
    parts = [
        f"{name} {percent(found['rate'])}"
        for name, found in (
            ("first slot", report["first_slot"]),
            ("consistent", report["consistency"]),
            ("invalid", report["invalid"]),
        )
        if found
    ]
    health = warnings[0] if warnings else ", ".join(parts) or "no verdicts yet"
    width = max((len(label) for label, _ in judge_lines(report)), default=0)
    lines = [f"{label:<{width}}  {text}" for label, text in judge_lines(report)]
    return [health, *warnings[1:], *lines]
