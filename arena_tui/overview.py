"""At the end of a run a model writes the case of its best texts, from the reasons that decided their matches.

One call a group, outside the matches: it is paid from the run's limits, booked in the run's meta before it is
made, and never decides how the run ended. Whatever goes wrong becomes a sentence. Called by `running`.
"""

from __future__ import annotations

import asyncio
import sqlite3
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

from arena_tui.engine.budget import Account, Budget, Cost
from arena_tui.engine.course import Course
from arena_tui.errors import StoreError, UsageError
from arena_tui.judging import prompts
from arena_tui.judging.base import FREE, OutOfBudget, Reply, Usage
from arena_tui.judging.labels import Disguise, disguise
from arena_tui.judging.long_texts import without_middle
from arena_tui.judging.models import Models
from arena_tui.judging.shown_texts import criteria_lines
from arena_tui.overview_book import Book, Written
from arena_tui.overview_cases import Case, cases_of
from arena_tui.paid_desk import PaidDesk, obstacle
from arena_tui.providers.base import TERMINAL, Message, ProviderError, Request
from arena_tui.providers.client import Attempt, ModelClient
from arena_tui.report.result import StandingRow
from arena_tui.store.booked import OVERVIEW
from arena_tui.store.reader import Reader

TEXT_TOKENS = 3_000
"""The longest text, in estimated tokens, that is shown whole; of a longer one the middle is left out."""


async def write_overview(
    course: Course,
    db: Path,
    standings: Sequence[StandingRow],
    budget: Budget,
    *,
    home: Path,
    told: Callable[[str], None] = lambda _trouble: None,
) -> None:
    """Write and store the overview that the tournament asks for; nothing when it asks for none.

    `budget` is the run's own, with what is spent and its limits; `home` holds the cache of replies,
    `told` hears when some could not be kept there. Never
    raises for the model, the limits or the storage: the stored overview says in a note what is missing.
    Cancelling it keeps what was written by then.
    """
    chosen = course.tournament.overview
    if chosen is None:
        return
    models = Models(home, told)
    try:
        cases, meta = await asyncio.to_thread(_evidence, db, standings, chosen.top_k)
        book = Book(db, chosen, course.applied, meta.get(OVERVIEW))
        for group in course.groups:
            if group not in cases:
                book.notes[group] = "no match was decided with a reason"
        await _write_all(course, cases, meta, book, budget, models)
    except* (StoreError, sqlite3.Error):
        pass  # the run and its end are stored; an overview is all that is missing
    finally:
        await models.close()


def _evidence(
    db: Path, standings: Sequence[StandingRow], top_k: int
) -> tuple[dict[str, Case], dict[str, str]]:
    with Reader(db) as reader:
        cases = cases_of(standings, reader.matches(), top_k)
        return {case.group: case for case in cases}, reader.meta()


async def _write_all(
    course: Course,
    cases: Mapping[str, Case],
    meta: Mapping[str, str],
    book: Book,
    budget: Budget,
    models: Models,
) -> None:
    tournament = course.tournament
    assert tournament.overview is not None
    try:
        template = prompts.load("overview")
        client = await models.client(tournament.overview.model, cache="on")
    except UsageError as error:
        book.notes[""] = str(error)
        await book.store()
        return
    book.simulated = client.provider.simulated
    await book.store()
    secret = bytes.fromhex(meta.get("secret", ""))
    writer = _Writer(client, course, _Words(course, template, secret), budget, book)
    slots = asyncio.Semaphore(tournament.limits.concurrency)
    async with asyncio.TaskGroup() as tasks:
        for case in cases.values():
            tasks.create_task(writer.write(case, slots))


class _Writer:
    """Asks for one group's overview after the other, within the limits."""

    def __init__(
        self, client: ModelClient, course: Course, words: _Words, budget: Budget, book: Book
    ) -> None:
        self._client = client
        self._limits = course.tournament.limits
        self._words = words
        self._budget = budget
        self._book = book
        self._refused = ""

    async def write(self, case: Case, slots: asyncio.Semaphore) -> None:
        """Ask, check what is cited, store."""
        async with slots:
            disguised = self._words.disguise(case)
            request = self._words.request(case, disguised)
            tokens, usd = self._client.worst_cost(request)
            worst = Usage(tokens.input, 0, tokens.output, usd)
            accounts = (self._budget.run, self._budget.groups[case.group])
            hindered = self._refused or self._hindered(worst, accounts)
            if hindered:
                await self._book.keep(case, Written("", hindered), FREE)
                return
            desk = PaidDesk(accounts, Cost.at_most(worst))
            try:
                await self._book.begin(case, worst)
                written = await self._ask(case, request, disguised, desk, worst)
            finally:
                desk.close()
            await self._book.keep(case, written, desk.usage, desk.replies)

    async def _ask(
        self, case: Case, request: Request, disguised: Disguise, desk: PaidDesk, worst: Usage
    ) -> Written:
        def failed(attempt: Attempt) -> None:
            desk.keep(_reply(attempt))

        async def before() -> None:
            await desk.cover(worst)
            await self._book.begin(case, desk.usage + worst)

        try:
            attempt = await self._client.complete(
                request, hide=disguised.hide, reveal=disguised.reveal, on_attempt=failed, before=before
            )
        except ProviderError as error:
            self._refused = str(error)
            return Written("", str(error))
        except (OutOfBudget, UsageError) as error:
            return Written("", str(error) or "the limits leave no room for another attempt")
        if attempt.completion is None:
            return Written("", str(attempt.fault))
        desk.keep(_reply(attempt))
        done = attempt.completion
        if not done.text.strip():
            return Written("", f"{self._client.provider.name} sent an empty reply")
        note = "" if done.stop_reason in TERMINAL else f"the text is not whole ({done.stop_reason})"
        return Written(done.text, note)

    def _hindered(self, worst: Usage, accounts: Sequence[Account]) -> str:
        """Why the limits do not allow the call, or nothing."""
        limits = self._limits
        money = limits.usd is not None or limits.per_group.usd is not None
        if worst.usd is None and money and limits.unknown_cost == "refuse":
            return f"the limit on money cannot be kept: {self._client.provider.name} has no known price"
        told = obstacle(accounts, Cost.at_most(worst))
        return "" if told is None else told.replace("the next match", "writing it")


class _Words:
    """The prompt of a group's overview."""

    def __init__(self, course: Course, template: prompts.Template, secret: bytes) -> None:
        self._course = course
        self._template = template
        self._secret = secret

    def disguise(self, case: Case) -> Disguise:
        """Fences that no text could know, the same whenever this overview is written again."""
        texts = "\0".join(self._course.candidate(case.group, row.id).text for row in case.best)
        reasons = [exhibit.reason for exhibit in case.exhibits]
        prompt = self._course.groups[case.group].group.prompt or ""
        return disguise(self._secret, "overview", texts, labels="digits", also=[prompt, *reasons])

    def request(self, case: Case, disguised: Disguise) -> Request:
        """What the writer is asked."""
        tournament = self._course.tournament
        group = self._course.groups[case.group].group
        criteria = group.criteria or tournament.criteria
        system, user = self._template.fill(
            task=tournament.task,
            criteria=criteria_lines(criteria),
            prompt=disguised.fence("prompt", "-", group.prompt) if group.prompt else "",
            texts="\n\n".join(self._shown(case, row, disguised) for row in case.best),
            matches="\n\n".join(
                f"match {exhibit.number}: {case.named(exhibit.winner)} beat {case.named(exhibit.loser)}\n"
                + disguised.fence("turn", f"match-{exhibit.number}", exhibit.reason)
                for exhibit in case.exhibits
            ),
        )
        assert tournament.overview is not None
        return Request(system, (Message("user", user),), tournament.overview.model.max_tokens)

    def _shown(self, case: Case, row: StandingRow, disguised: Disguise) -> str:
        text = without_middle(self._course.candidate(case.group, row.id).text, TEXT_TOKENS)
        label = case.labels[row.id]
        record = f"rank {row.rank}, {row.wins} won, {row.draws} drawn, {row.losses} lost"
        return f"text {label}: {record}\n{disguised.fence('text', label, text)}"


def _reply(attempt: Attempt) -> Reply:
    tokens = attempt.tokens
    return Reply(
        "",
        Usage(tokens.input, tokens.cached_input, tokens.output, attempt.usd),
        "" if attempt.completion is not None else str(attempt.fault),
        from_cache=attempt.from_cache,
    )
