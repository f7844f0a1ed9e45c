"""A bench on recorded votes: the pool and the votes of a tournament file, its truth the fit of all votes.

Where a pair has several votes of one order, each seed hears them in an order of its own, and again from the
start once they are used up.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from random import Random

from arena_tui.bench.worlds import Contest
from arena_tui.candidate import Candidate, Group, Pool
from arena_tui.errors import UsageError
from arena_tui.judging.base import Question, Verdict
from arena_tui.judging.recorded import NOT_RECORDED, RecordedJudge
from arena_tui.ratings.rows import Rows
from arena_tui.settings import RecordedJudge as RecordedSettings
from arena_tui.settings import Tournament
from arena_tui.systems import Texts
from arena_tui.verdict_rows import rows_between
from arena_tui.vocabulary import Orientation, Said


def recorded_world(tournament: Tournament, pool: Pool, folder: Path) -> RecordedWorld:
    """The world of a tournament file; UsageError when its judge is not `recorded`."""
    if not isinstance(tournament.judge, RecordedSettings):
        raise UsageError(
            f"a bench of a file replays recorded votes, and its judge is {tournament.judge.kind!r}: set "
            "judge.kind to recorded and judge.file to the votes, or leave the file out for simulated judges"
        )
    judge = RecordedJudge(tournament.judge, folder)
    judge.refuse_strangers(pool.playable)
    systems = tournament.compare == "systems"
    parts = (pool.playable,) if systems else tuple((group,) for group in pool.playable)
    symmetric = tournament.judge.symmetric
    return RecordedWorld(parts, judge, symmetric, "systems" if systems else "candidates")


@dataclass(frozen=True)
class RecordedWorld:
    """Each arena is a group, or with `compare: systems` all groups together. See `worlds.World`."""

    parts: tuple[tuple[Group, ...], ...]
    judge: RecordedJudge
    symmetric: bool
    compare: str

    @property
    def arenas(self) -> int:
        """See `World.arenas`."""
        return len(self.parts)

    def size(self, arena: int) -> int:
        """See `World.size`."""
        return len(self._entrants(arena))

    def contest(self, arena: int, seed: int) -> Contest:
        """See `World.contest`."""
        return Contest(self.parts[arena], RecordedVoice(self.judge, seed), self._truths[arena])

    def _entrants(self, arena: int) -> tuple[Candidate, ...]:
        groups = self.parts[arena]
        return Texts(groups).arena.entrants if self.compare == "systems" else groups[0].entrants

    @cached_property
    def _truths(self) -> tuple[Mapping[str, float], ...]:
        return tuple(self._truth(arena) for arena in range(self.arenas))

    def _truth(self, arena: int) -> dict[str, float]:
        """Bradley-Terry strengths by all votes on the arena's pairs, a draw half a win each, prior by EM.

        Without a slot term where an order stands for the other as well.
        """
        from arena_tui.ratings.bradley_terry import fit

        names = [candidate.id for candidate in self._entrants(arena)]
        index = {name: number for number, name in enumerate(names)}
        rows = Rows()
        match = 0
        for group in self.parts[arena]:
            numbers = {
                candidate.id: index[candidate.system or "" if self.compare == "systems" else candidate.id]
                for candidate in group.candidates
                if self.compare == "systems" or candidate.id in index
            }
            for a, b, verdict in self.judge.votes(group.id):
                if verdict.winner == "invalid" or not {a, b} <= numbers.keys():
                    continue
                said: list[tuple[Orientation, Said, float | None]] = [("ab", verdict.winner, verdict.p_first)]
                first, second = numbers[a], numbers[b]
                if first != second:
                    rows.add(match, rows_between(first, second, "draw", said))
                    match += 1
        found = fit(len(names), rows.columns(), slot=not self.symmetric)
        return dict(zip(names, found.strength.tolist(), strict=True))


class RecordedVoice:
    """Says what is on record, vote by vote."""

    def __init__(self, judge: RecordedJudge, seed: int) -> None:
        self._judge, self._seed = judge, seed
        self._asked: Counter[tuple[str, str, str]] = Counter()

    def verdict(self, question: Question) -> Verdict:
        """The pair's next vote in the seed's order; invalid where nobody voted."""
        votes = self._judge.answers(question)
        if not votes:
            return Verdict("invalid", reason=NOT_RECORDED)
        key = question.first.group, question.first.id, question.second.id
        at = self._asked[key] % len(votes)
        self._asked[key] += 1
        if len(votes) > 1:
            Random(f"bench:{self._seed}:{':'.join(key)}").shuffle(votes)
        return votes[at]
