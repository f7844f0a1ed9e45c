"""Few groups that stand for many in a forecast: which, under what limits, and how their figures are scaled.

A run's limits and its slots are shared by all groups, so the few get their share of them.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from random import Random
from typing import TYPE_CHECKING, Any

from arena_tui.candidate import Pool
from arena_tui.engine.course import usual_lookahead
from arena_tui.systems import chosen_groups, is_dealt

if TYPE_CHECKING:
    from arena_tui.engine.forecast import Simulated
    from arena_tui.settings import Tournament

SAMPLE = 20
"""Groups that are simulated where more take part."""


@dataclass(frozen=True, slots=True)
class Sample:
    """What is simulated, and how many times as much, and as long, the whole run takes."""

    tournament: Tournament
    pool: Pool
    of: int
    """Groups that take part in the run; 0: all of them are simulated."""
    times: float = 1.0
    longer: float = 1.0

    def whole(self, run: Simulated) -> Simulated:
        """The figures of a simulation of the sample, scaled to all groups."""
        if not self.of:
            return run
        used, times = run.usage, self.times
        return replace(
            run,
            matches=round(run.matches * times),
            comparisons=round(run.comparisons * times),
            debates=round(run.debates * times),
            calls=round(run.calls * times),
            seconds=run.seconds * self.longer,
            usage=replace(
                used,
                input_tokens=round(used.input_tokens * times),
                cached_input_tokens=round(used.cached_input_tokens * times),
                output_tokens=round(used.output_tokens * times),
                usd=None if used.usd is None else used.usd * times,
            ),
            stands_for=self.of,
        )


def sampled(tournament: Tournament, pool: Pool, seed: int) -> Sample:
    """The sample of a run: drawn from `seed`, in the order of the pool; the run itself where it is small.

    With fewer groups than slots, slots stay idle that the whole run would use: then the sample has as many as
    its groups can fill, and takes accordingly longer.
    """
    groups = [group for group in chosen_groups(pool.groups, tournament, seed) if group.skipped is None]
    if is_dealt(tournament) or len(groups) <= SAMPLE:
        return Sample(tournament, pool, 0)
    drawn = sorted(Random(f"{seed}:forecast").sample(range(len(groups)), SAMPLE))
    times = len(groups) / SAMPLE
    limits = tournament.limits
    lookahead = usual_lookahead(tournament, Pool(tuple(groups)))
    slots = min(limits.concurrency, SAMPLE * lookahead)
    longer = times * slots / limits.concurrency
    changed: dict[str, Any] = {"concurrency": slots, "lookahead": lookahead}
    for name, share in (("usd", times), ("tokens", times), ("matches", times), ("wall_clock", longer)):
        most = getattr(limits, name)
        if most is not None:
            changed[name] = max(1, round(most / share)) if isinstance(most, int) else most / share
    few = tournament.model_copy(update={"limits": limits.model_copy(update=changed), "groups_sample": None})
    return Sample(few, Pool(tuple(groups[place] for place in drawn)), len(groups), times, longer)
