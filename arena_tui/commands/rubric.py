"""`arena rubric`: a model grades the rationales of a run's matches. The run is only read."""

from __future__ import annotations

import asyncio
import json
import sys
from collections.abc import Callable, Iterator
from dataclasses import asdict, dataclass, field
from functools import partial

from arena_tui import exit_codes
from arena_tui.commands.progress import progress
from arena_tui.commands.run import layout
from arena_tui.engine.replay import origin_of
from arena_tui.errors import JudgeError, UsageError
from arena_tui.judging import prompts
from arena_tui.judging.base import FREE, Usage
from arena_tui.judging.labels import disguise
from arena_tui.judging.long_texts import without_middle
from arena_tui.judging.models import Models, check_model
from arena_tui.model_families import model_family
from arena_tui.providers.base import TERMINAL, Message, ProviderError, Request
from arena_tui.providers.client import Attempt, ModelClient
from arena_tui.report.judge_words import price_words
from arena_tui.report.rubric_report import Graded, read_grades, rubric_lines, rubric_report
from arena_tui.safetext import clean
from arena_tui.settings import Model, Tournament, llm_judges
from arena_tui.store import folder
from arena_tui.store.reader import Reader
from arena_tui.values import counted

RATIONALE_TOKENS = 6_000
"""The longest rationale, in estimated tokens, that is shown whole; of a longer one the middle is left out."""


@dataclass(frozen=True, slots=True)
class _Rationale:
    """A match's rationale, to be graded."""

    group: str
    seq: int
    text: str


@dataclass(slots=True)
class _Grading:
    """What came of it: grades, why some rationales have none, and what all calls took."""

    graded: list[Graded] = field(default_factory=list)
    faults: list[str] = field(default_factory=list)
    usage: Usage = FREE
    sent: int = 0
    from_cache: int = 0
    failed: int = 0

    def book(self, attempt: Attempt) -> None:
        """Count an attempt."""
        tokens = attempt.tokens
        self.usage += Usage(tokens.input, tokens.cached_input, tokens.output, attempt.usd)
        self.sent += not attempt.from_cache
        self.from_cache += attempt.from_cache
        self.failed += attempt.completion is None


def grade_run(*, run: str | None, model: str, base_url: str | None, limit: int | None, as_json: bool) -> int:
    """Print the grades; the process's exit code. See `cli.rubric` for the options."""
    path = folder.find_run(run)
    with Reader(path) as reader:
        origin = origin_of(reader)
        secret = bytes.fromhex(reader.meta().get("secret", ""))
        chosen, total = _chosen(reader, limit)
    if not chosen:
        raise UsageError(f"{path.stem} has no match with a rationale to grade")
    grader = _grader(origin.tournament, model, base_url)
    warnings = [*check_model(grader), *_kinship(origin.tournament, model)]
    for warning in warnings:
        print(clean(f"note: {warning}"), file=sys.stderr)
    found = asyncio.run(_grade_all(origin.tournament, grader, secret, chosen))
    simulated = model.startswith("mock:")
    report = {
        "run": origin.run,
        "model": model,
        "simulated": simulated,
        **rubric_report(found.graded),
        "of": total,
        "ungraded": len(found.faults),
        "warnings": warnings,
        "calls": {"sent": found.sent, "failed": found.failed, "from_cache": found.from_cache},
        "usage": asdict(found.usage),
    }
    if as_json:
        print(json.dumps(report))
    else:
        print(
            clean(f"graded by {model}{' (SIMULATED)' * simulated}: {len(found.graded)} of {total} rationales")
        )
        for line in rubric_lines(report, found.graded, layout()["width"]):
            print(line)
        print(_cost(found))
    for fault in dict.fromkeys(found.faults):
        print(clean(f"{found.faults.count(fault)} not graded: {fault}"), file=sys.stderr)
    return exit_codes.OK if found.graded else exit_codes.ERROR


def _chosen(reader: Reader, limit: int | None) -> tuple[list[_Rationale], int]:
    """The rationales to grade, evenly spread over the run, and how many there are."""
    total = sum(1 for _ in _rationales(reader))
    wanted = total if limit is None else min(limit, total)
    places = {place * total // wanted for place in range(wanted)}
    return [told for place, told in enumerate(_rationales(reader)) if place in places], total


def _rationales(reader: Reader) -> Iterator[_Rationale]:
    for row in reader.matches():
        if row["winner"] != "void" and row["rationale"].strip():
            yield _Rationale(row["group"], row["seq"], row["rationale"])


def _grader(tournament: Tournament, model: str, base_url: str | None) -> Model:
    """The settings of the grader: those of the judge when it is the same model, else the defaults."""
    for judge in llm_judges(tournament.judge):
        if judge.model.model == model and base_url is None:
            return judge.model
    return Model(model=model, base_url=base_url)


def _kinship(tournament: Tournament, model: str) -> list[str]:
    """A sentence for a judge of the grader's own family, which it may well favour; a mock has no taste."""
    if model.startswith("mock:"):
        return []
    family = model_family(model)
    kin = [
        judge.model.model
        for judge in llm_judges(tournament.judge)
        if model_family(judge.model.model) == family
    ]
    return [
        f"{model} and the judge {judge} are of one family ({family}): a model tends to favour its own kind, "
        "so let another one grade"
        for judge in dict.fromkeys(kin)
    ]


async def _grade_all(
    tournament: Tournament, grader: Model, secret: bytes, chosen: list[_Rationale]
) -> _Grading:
    template = prompts.load("rubric")
    models = Models(folder.data_folder())
    found = _Grading()
    told = progress(len(chosen), "rationales")
    slots = asyncio.Semaphore(tournament.limits.concurrency)
    try:
        client = await models.client(grader, cache="on")
        async with asyncio.TaskGroup() as tasks:
            for rationale in chosen:
                request_of = partial(_request, template, tournament.task, grader.max_tokens, secret)
                tasks.create_task(_grade(client, request_of, rationale, slots, found, told))
    except* ProviderError as refused:
        raise JudgeError(str(refused.exceptions[0])) from refused
    finally:
        await models.close()
    order = {(r.group, r.seq): place for place, r in enumerate(chosen)}
    found.graded.sort(key=lambda graded: order[graded.group, graded.seq])
    return found


Asked = tuple[Request, Callable[[str], str], Callable[[str], str]]


def _request(
    template: prompts.Template, task: str, max_tokens: int, secret: bytes, rationale: _Rationale
) -> Asked:
    """The request for one rationale, with what hides and reveals its fences."""
    text = without_middle(rationale.text, RATIONALE_TOKENS)
    disguised = disguise(secret, "rubric", text, labels="digits", also=[task])
    fenced = disguised.fence("reply", f"match-{rationale.seq}", text)
    system, user = template.fill(task=task, rationale=fenced)
    return Request(system, (Message("user", user),), max_tokens), disguised.hide, disguised.reveal


async def _grade(
    client: ModelClient,
    request_of: Callable[[_Rationale], Asked],
    rationale: _Rationale,
    slots: asyncio.Semaphore,
    found: _Grading,
    told: Callable[[int], None],
) -> None:
    request, hide, reveal = request_of(rationale)
    async with slots:
        attempt = await client.complete(request, hide=hide, reveal=reveal, on_attempt=found.book)
    done = attempt.completion
    if done is None:
        found.faults.append(str(attempt.fault))
    else:
        found.book(attempt)
        grades = read_grades(done.text if done.stop_reason in TERMINAL else "")
        if grades.points:
            found.graded.append(Graded(rationale.group, rationale.seq, rationale.text, grades))
        else:  # the grader's failure says nothing of the judge
            await client.forget(attempt.request_hash)
            found.faults.append("the grader's reply holds no grades")
    told(len(found.graded) + len(found.faults))


def _cost(found: _Grading) -> str:
    cached = f", {found.from_cache} from the cache" if found.from_cache else ""
    return f"{counted(found.sent, 'call')}{cached}; {price_words(asdict(found.usage))}"
