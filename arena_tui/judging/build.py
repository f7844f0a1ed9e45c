"""From the settings of a tournament to its judge. The one place that knows every kind.

What only some kinds need (providers, terminals) is imported where it is built, so that a run with another
judge loads none of it.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property, partial
from pathlib import Path
from typing import TYPE_CHECKING, Literal

from arena_tui import settings
from arena_tui.candidate import Candidate
from arena_tui.errors import FileProblems, JudgeError, Problem, UsageError
from arena_tui.judge_settings import AnyJudge
from arena_tui.judging.base import Judge
from arena_tui.judging.command import CommandJudge
from arena_tui.judging.function import CallableJudge
from arena_tui.judging.recorded import RecordedJudge
from arena_tui.judging.simulated import SimulatedJudge

if TYPE_CHECKING:
    from arena_tui.judging.models import Models

__all__ = ["CallableJudge", "Person", "build_judge", "check_judge", "check_models", "refuse_long_texts"]

Key = tuple[str | int, ...]
"""The path of a setting."""
Person = Literal["terminal", "queue"]
"""How a person is asked: at the terminal that the process has, or by whoever looks at the judge's queue."""
PROBLEMS_SHOWN = 20


def build_judge(
    tournament: settings.Tournament,
    *,
    seed: int,
    candidates: Iterable[Candidate],
    folder: Path,
    secret: bytes = b"",
    home: Path | None = None,
    person: Person = "terminal",
    told: Callable[[str], None] = lambda _trouble: None,
) -> Judge:
    """The judge that `tournament` asks for. Relative paths of its settings start at `folder`.

    `candidates` are those of all groups as the run started, on a resume too. `secret` is the run's, from
    which a model's prompts get what no candidate can guess. `home` holds the replies that may serve again;
    without it none do. `told` hears of trouble that stops nothing.

    Raises `FileProblems` for bad recorded verdicts and for texts that are too long for a model,
    `UsageError` for a model that cannot be asked (its key is missing), and `JudgeError` for a program that
    does not exist and a person who cannot be asked.
    """
    notes = check_judge(tournament, person=person)
    site = _Site(tournament, folder, secret, home, person, tuple(notes), told)
    everyone, chosen = list(candidates), tournament.judge
    if not isinstance(chosen, settings.PanelJudge):
        return site.judge(chosen, seed, everyone)
    from arena_tui.judging.panel import PanelJudge

    everyone = _with_strengths(seed, everyone)
    members = [
        site.judge(member, _own_seed(seed, number), everyone) for number, member in enumerate(chosen.judges)
    ]
    return PanelJudge(chosen, members)


def check_judge(tournament: settings.Tournament, *, person: Person = "terminal") -> list[str]:
    """What should be said before the judge is used, usually nothing; nothing is made or reached for it.

    The model that writes the overview is looked at too: a missing key is better known before the run.
    Raises what `build_judge` raises for models and persons, and `UsageError` when a limit on money cannot
    be kept because a price is unknown.
    """
    judge = tournament.judge
    faults, notes = check_models(tournament)
    if faults:
        raise UsageError("\n".join(dict.fromkeys(fault for _, fault in faults)))
    members = judge.judges if isinstance(judge, settings.PanelJudge) else (judge,)
    if person == "terminal" and any(isinstance(member, settings.HumanJudge) for member in members):
        from arena_tui.judging.terminal import NO_TERMINAL, has_terminal

        if not has_terminal():
            raise JudgeError(NO_TERMINAL)
    return list(dict.fromkeys(notes))


def check_models(
    tournament: settings.Tournament, *, key: bool = True
) -> tuple[list[tuple[Key, str]], list[str]]:
    """Why the models of a tournament cannot be used, each with the key that names it, and what to note.

    Those that judge, write the overview and make vectors. Not `key`: keys may be missing.
    """
    judge, limits = tournament.judge, tournament.limits
    chosen: list[tuple[Key, settings.Model]] = []
    if isinstance(judge, settings.PanelJudge):
        for number, member in enumerate(judge.judges):
            if isinstance(member, settings.LlmJudge):
                chosen.append((("judge", "judges", number, "model"), member.model))
    elif isinstance(judge, settings.LlmJudge):
        chosen.append((("judge", "model"), judge.model))
    if tournament.overview is not None:
        chosen.append((("overview", "model"), tournament.overview.model))
    faults: list[tuple[Key, str]] = []
    notes: list[str] = []
    if not chosen and tournament.embeddings is None:
        return faults, notes
    from arena_tui.judging.models import check_embeddings, check_model

    given = {"limits.usd": limits.usd, "limits.per_group.usd": limits.per_group.usd}
    money = [name for name, usd in given.items() if usd is not None]
    needs_price = money[0] if money and limits.unknown_cost == "refuse" else ""
    for where, model in chosen:
        try:
            notes += check_model(model, needs_price=needs_price, key=key)
        except UsageError as error:
            faults.append((where, str(error)))
    if tournament.embeddings is not None:
        try:
            check_embeddings(tournament.embeddings, key=key)
        except UsageError as error:
            faults.append((("embeddings", "model"), str(error)))
    return faults, notes


@dataclass(frozen=True)
class _Site:
    """What all judges of one tournament are built from."""

    tournament: settings.Tournament
    folder: Path
    secret: bytes
    home: Path | None
    person: Person
    notes: tuple[str, ...]
    told: Callable[[str], None]

    @cached_property
    def models(self) -> Models:
        """One limit for each model, however many members of a panel ask it, and one cache."""
        from arena_tui.judging.models import Models

        return Models(self.home, self.told)

    def judge(self, chosen: AnyJudge, seed: int, candidates: Sequence[Candidate]) -> Judge:
        task, criteria = self.tournament.task, self.tournament.criteria
        match chosen:
            case settings.RecordedJudge():
                return RecordedJudge(chosen, self.folder)
            case settings.SimulatedJudge():
                return SimulatedJudge(chosen, seed=seed, candidates=candidates)
            case settings.CommandJudge():
                home = self.folder / chosen.folder  # an absolute one, as stored with a run, stands for itself
                cache = self.models.cache if chosen.pure else None
                return CommandJudge(chosen, task, criteria, home, cache)
            case settings.HumanJudge():
                return self._human(chosen)
            case settings.LlmJudge():
                return self._llm(chosen, seed, candidates)
        raise AssertionError(f"no judge is known by {chosen.kind!r}")

    def _human(self, chosen: settings.HumanJudge) -> Judge:
        from arena_tui.judging.human import HumanJudge
        from arena_tui.judging.terminal import TerminalPrompt

        prompt = TerminalPrompt() if self.person == "terminal" else None
        return HumanJudge(chosen, self.tournament.task, self.tournament.criteria, prompt)

    def _llm(self, chosen: settings.LlmJudge, seed: int, candidates: Sequence[Candidate]) -> Judge:
        from arena_tui.judging.llm import LlmJudge

        refuse_long_texts(chosen, candidates)
        stage, planned, cache = None, None, chosen.cache
        if chosen.is_mock:
            cache = "off"  # what it says also depends on its seed and strengths, which no request shows
            from arena_tui.judging.mock_strengths import MockStrengths, stage_of

            strengths = MockStrengths(chosen.mock or settings.Mock(), seed, candidates)
            stage = stage_of(chosen, strengths, seed, len(self.tournament.criteria))
            planned = strengths.planned
        return LlmJudge(
            chosen,
            secret=self.secret,
            task=self.tournament.task,
            criteria=self.tournament.criteria,
            client=partial(self.models.client, chosen.model, cache=cache, stage=stage),
            planned=planned,
            closing=self.models.close,
            notes=self.notes,
        )


def _own_seed(seed: int, number: int) -> int:
    """A member's own source of chance; the first member's is the run's."""
    if not number:
        return seed
    return int.from_bytes(hashlib.sha256(f"{seed}:member:{number}".encode()).digest()[:7], "big")


def _with_strengths(seed: int, candidates: Sequence[Candidate]) -> list[Candidate]:
    """The candidates with the strengths that simulated members go by, so that all see the same truth."""
    drawn = SimulatedJudge(settings.SimulatedJudge(), seed=seed, candidates=candidates)
    return [replace(candidate, strength=drawn.strength(candidate)) for candidate in candidates]


def refuse_long_texts(chosen: settings.LlmJudge, candidates: Iterable[Candidate]) -> None:
    """Raise FileProblems that name the texts which the judge is not to read whole, nor cut."""
    most = chosen.max_text_tokens
    if most is None or chosen.overflow != "refuse":
        return
    from arena_tui.providers.estimates import estimated_tokens

    problems = [
        Problem(
            f"candidate {candidate.id!r}",
            None,
            f"about {size:,} tokens, and judge.max_text_tokens is {most:,}",
            "shorten it, or leave the middle of long texts out with judge.overflow: middle",
        )
        for candidate in candidates
        if candidate.twin_of is None and (size := estimated_tokens(candidate.text)) > most
    ]
    if len(problems) > PROBLEMS_SHOWN:
        rest = len(problems) - PROBLEMS_SHOWN
        problems[PROBLEMS_SHOWN:] = [Problem("candidates", None, f"{rest} more texts are too long")]
    if problems:
        raise FileProblems(problems)
