"""What a mock model makes of texts: it finds their strengths here, since it cannot read.

The strengths are those that a simulated judge would go by: of the settings, of the pool, inherited from
parents, or drawn from the seed and the text.
"""

from __future__ import annotations

import math
from collections.abc import Iterable
from typing import TYPE_CHECKING

from arena_tui import settings
from arena_tui.candidate import Candidate
from arena_tui.judging.base import Question
from arena_tui.judging.score import repeats_of
from arena_tui.judging.simulated import SimulatedJudge
from arena_tui.providers.mock_stage import Faults, Stage

if TYPE_CHECKING:
    from arena_tui.vocabulary import Mode


class MockStrengths:
    """The strengths of texts by the texts themselves. Late candidates are learned as they are planned."""

    def __init__(self, chosen: settings.Mock, seed: int, candidates: Iterable[Candidate]) -> None:
        everyone = list(candidates)
        simulated = settings.SimulatedJudge(strengths=chosen.strengths, noise=chosen.noise)
        self._simulated = SimulatedJudge(simulated, seed=seed, candidates=everyone)
        self._by_text: dict[str, float] = {}
        for candidate in everyone:
            self._learn(candidate)

    def strength(self, text: str) -> float | None:
        """The strength of a text in logits; None for a text that is no candidate's."""
        return self._by_text.get(text)

    def planned(self, question: Question) -> None:
        """Learn the candidates of a question."""
        self._learn(question.first)
        self._learn(question.second)

    def _learn(self, candidate: Candidate) -> None:
        if candidate.text not in self._by_text:
            self._by_text[candidate.text] = self._simulated.strength(candidate)


def stage_of(judge: settings.LlmJudge, strengths: MockStrengths, seed: int, criteria: int) -> Stage:
    """The stage for a mock judge. `criteria` is the number of scores a text gets in score mode.

    `latency` of the settings is that of a comparison; a call gets its share of it, so that the calls that
    follow one another take that long together. An unreadable reply is asked for again, hence the root.
    """
    chosen = judge.mock or settings.Mock()
    in_a_row: dict[Mode, int] = {
        "pairwise": 1,
        "debate": 1 if judge.single_call else judge.debate_turns,
        "score": min(2, max(1, criteria) * repeats_of(judge.n_evaluations)),
    }
    return Stage(
        seed=seed,
        strength=strengths.strength,
        noise=chosen.noise,
        first_slot_bias=chosen.first_slot_bias,
        draw_rate=chosen.draw_rate,
        latency={
            mode: (spread.mean / in_a_row[mode], spread.cv * math.sqrt(in_a_row[mode]))
            for mode, spread in judge.latency.items()
        },
        faults=Faults(unreadable=math.sqrt(chosen.invalid_rate)),
    )
