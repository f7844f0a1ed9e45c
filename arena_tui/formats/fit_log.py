"""A format's comparisons as a fit takes them, and the fit, made when asked for and kept until it is stale."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from arena_tui.candidate import Candidate
from arena_tui.facts import Outcome, Standing
from arena_tui.ratings.rows import Rows
from arena_tui.verdict_rows import masses_of, rows_of
from arena_tui.vocabulary import Winner

if TYPE_CHECKING:
    from arena_tui.ratings.estimates import Estimates

DELTA = 0.3  # logits


class FitLog:
    """The rows of one group. Entrants are numbers in the order of admission, matches go by their step.

    Matches that were dealt to several groups form clusters: their intervals allow for what a group does to
    all of its matches.
    """

    def __init__(self) -> None:
        self.rows = Rows()
        self._made: tuple[tuple[Any, ...], Estimates] | None = None
        self._version = 0
        self._clusters: dict[str | None, int] = {}  # by the group a match was dealt to
        self._void: dict[int, int] = {}  # the clusters of matches that brought no row

    def __deepcopy__(self, memo: dict[int, Any]) -> FitLog:
        """An independent clone."""
        twin = FitLog()
        twin.rows, twin._made, twin._version = self.rows.copy(), self._made, self._version
        twin._clusters, twin._void = self._clusters.copy(), self._void.copy()
        return twin

    def record(self, outcome: Outcome, a: int, b: int) -> None:
        """The comparisons of an applied match."""
        cluster = self._clusters.setdefault(outcome.step.at, len(self._clusters))
        rows = rows_of(outcome, a, b)
        if rows:
            self.rows.add(outcome.step.seq, rows, cluster=cluster)
            self._version += 1
        elif cluster:
            self._void[outcome.step.seq] = cluster

    def overrule(self, seq: int, a: int, b: int, winner: Winner) -> None:
        """Let an applied match count as `winner`."""
        if self.rows.knows(seq):
            self.rows.overrule(seq, a, masses_of(winner))
        elif winner != "void":
            self.rows.add(seq, [(a, b, masses_of(winner))], cluster=self._void.get(seq, 0))
        self._version += 1

    def estimates(
        self,
        entrants: Sequence[Candidate],
        plays: Sequence[int],
        *,
        seed: int,
        delta: float = DELTA,
        bars: bool = True,
    ) -> Estimates:
        """The fit of all comparisons so far. `plays`: 1 for those who may still be paired; `seed` draws.

        Without `bars` its intervals are not meant to be looked at.
        """
        key = (self._version, len(entrants), bytes(plays), delta, seed, bars)
        if self._made is None or self._made[0] != key:
            from arena_tui.ratings.estimates import estimate

            made = estimate(
                self.rows,
                len(entrants),
                classes=[candidate.class_ for candidate in entrants],
                playing=[bool(each) for each in plays],
                cluster=len(self._clusters) > 1,
                seed=seed,
                delta=delta,
                bars=bars,
            )
            self._made = key, made
        return self._made[1]

    def clusters(self) -> list[str | None]:
        """The groups that matches were dealt to, by the number of their cluster."""
        return list(self._clusters)


def completed(standing: Standing, entrant: int, fit: Estimates) -> Standing:
    """A standing with what the fit says of its entrant; nothing before there is a comparison.

    Who was never compared has the mean and long bars: it may yet be the best.
    """
    if not fit.fit.comparisons:
        return standing
    found = fit.entrants[entrant]
    return replace(
        standing,
        fitted=found.rating,
        low=found.low,
        high=found.high,
        rank_low=found.rank_low,
        rank_high=found.rank_high,
        p_best=found.p_best,
    )
