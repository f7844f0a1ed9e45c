"""From the settings of a tournament to its judge. The one place that knows every kind."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

from arena_tui import settings
from arena_tui.candidate import Candidate
from arena_tui.judging.base import Judge
from arena_tui.judging.command import CommandJudge
from arena_tui.judging.function import CallableJudge
from arena_tui.judging.recorded import RecordedJudge
from arena_tui.judging.simulated import SimulatedJudge

__all__ = ["CallableJudge", "build_judge"]


def build_judge(
    tournament: settings.Tournament, *, seed: int, candidates: Iterable[Candidate], folder: Path
) -> Judge:
    """The judge that `tournament` asks for. Relative paths of its settings start at `folder`.

    `candidates` are those of all groups as the run started, on a resume too. Raises `FileProblems`
    for bad recorded verdicts and `JudgeError` for a program that does not exist.
    """
    match tournament.judge:
        case settings.RecordedJudge() as chosen:
            return RecordedJudge(chosen, folder)
        case settings.SimulatedJudge() as chosen:
            return SimulatedJudge(chosen, seed=seed, candidates=candidates)
        case settings.CommandJudge() as chosen:
            home = folder / chosen.folder  # an absolute one, as stored with a run, stands for itself
            return CommandJudge(chosen, tournament.task, tournament.criteria, home)
