"""The Probabilistic Pivot Tournament: a ring of all, then everybody against the few best of the ring.

Round 1 is the ring, round 2 the pivots'. An entrant is worth its win mass by its comparisons, w/c; a
judge's probability counts as it is, a plain verdict 1, 1/2 or 0, a void match neither in w nor in c.
Without the preset a pair that the ring has had is asked in the other order, and both sides of the pivots'
matches take turns in the first slot. Source: the seed of that name, with its original's order of matches.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from random import Random
from typing import TYPE_CHECKING, Any

from arena_tui.candidate import Group
from arena_tui.facts import Progress, Standing
from arena_tui.formats.pivot_slots import Pair, shared_slots
from arena_tui.formats.planned_rounds import LARGE_FIELD, Draft, Orders, Pairing, PlannedRounds
from arena_tui.vocabulary import Mode, Orientation

if TYPE_CHECKING:
    from arena_tui.settings import PivotFormat

RING, PIVOTS = 1, 2
Class = str | None


def comparisons(n: int, k: int, *, to_the_letter: bool = False) -> int:
    """How many comparisons a tournament of `n` with `k` pivots makes when nobody comes or goes.

    `to_the_letter`: under the preset, where the only pair of two is asked a third time.
    """
    k = min(k, n)
    if n < 2:
        return 0
    if n == 2 and not to_the_letter:
        return 2
    return n + k * (n - k) + k * (k - 1) // 2


def cheaper_as_round_robin(n: int, k: int, *, to_the_letter: bool = False) -> str | None:
    """The note that a round robin would cost no more, or None where this format is the cheaper one."""
    ours, all_pairs = comparisons(n, k, to_the_letter=to_the_letter), n * (n - 1) // 2
    if n < 2 or ours < all_pairs:
        return None
    made = f"{all_pairs} comparison{'s' if all_pairs > 1 else ''}"
    saved = "as many" if ours == all_pairs else f"only {made}"
    return (
        f"{n} candidates with {k} pivot{'s' if k != 1 else ''} make {ours} comparisons; a round robin "
        f"(format: round_robin) makes {saved} and lets everybody meet everybody"
    )


@dataclass(slots=True)
class Stage:
    """Where a class is: its ring in order, and its pivots, best first, once they are chosen."""

    ring: list[int]
    pivots: list[int] | None = None


@dataclass(slots=True)
class PivotDraft(Draft):
    """A round, with the stages that it brings about."""

    stages: dict[Class, Stage]


class PivotTournament(PlannedRounds[PivotDraft]):
    """One group's pivot tournament. It directs its pairs itself, one comparison a match, whatever `orders`.

    Who comes after the ring meets the pivots only; a pivot that is rejected is not replaced.
    """

    def __init__(
        self,
        group: Group,
        settings: PivotFormat,
        *,
        seed: int,
        mode: Mode = "pairwise",
        orders: Orders = "alternate",
    ) -> None:
        super().__init__(group, seed=seed, mode=mode, orders=orders, soft=True)
        self._k = settings.pivots
        self._to_the_letter = settings.preset == "seed"
        self._stages: dict[Class, Stage] = {}

    @property
    def off_loop(self) -> bool:
        """True when drawing the pivots' matches may take longer than 5 ms: some 1,000 of them."""
        return len(self.field) * max(2, min(self._k, len(self.field))) > 2 * LARGE_FIELD

    # -- rounds ----------------------------------------------------------------------------------

    def draw(self) -> PivotDraft | None:
        """Rings for the classes that have none, pivots for those whose ring is done."""
        stages: dict[Class, Stage] = {}
        pairings: list[Pairing] = []
        for class_, members in self.field.classes().items():
            stage = self._stages.get(class_)
            if stage is None and len(members) >= 2:
                ring = self._ring(class_, members)
                stages[class_] = Stage(ring)
                pairings += [
                    Pairing(RING, a, b, "ring") for a, b in zip(ring, [*ring[1:], ring[0]], strict=True)
                ]
            elif stage is not None and stage.pivots is None:
                pivots = self._best(members)[: self._k]
                pairs = self._against(pivots, members)
                if pairs:
                    stages[class_] = Stage(stage.ring, pivots)
                    pairings += [Pairing(PIVOTS, a, b, self._why(a, b, pivots)) for a, b in pairs]
        if not pairings:
            return None
        return PivotDraft(max(pairing.round for pairing in pairings), pairings, [], stages)

    def begin(self, draft: PivotDraft) -> None:
        """Rings and pivots stand from now on."""
        self._stages.update(draft.stages)

    def entered(self, entrant: int) -> None:
        """Once the pivots are chosen, a late entrant meets them at once; earlier it waits for them."""
        class_ = self.field.entrants[entrant].class_
        stage = self._stages.get(class_)
        if stage is None or stage.pivots is None:
            return
        members = self.field.classes()[class_]
        theirs = [pair for pair in self._pairs(stage.pivots, members) if entrant in pair]
        held = {frozenset((m.a, m.b)) for m in self.in_force() if m.round == PIVOTS}
        held |= {frozenset((pairing.a, pairing.b)) for pairing in self.queue if pairing.round == PIVOTS}
        owed = [pair for pair in theirs if frozenset(pair) not in held]
        for a, b in self._directed(owed, set(stage.pivots)):
            self.queue.append(Pairing(PIVOTS, a, b, f"late: {self._why(a, b, stage.pivots)}"))

    def orientations(self) -> tuple[Orientation, ...]:
        """Every match is one comparison."""
        return ("ab",)

    def _ring(self, class_: Class, members: list[int]) -> list[int]:
        stream = self.seed if self._to_the_letter else f"{self.seed}:{self.field.group}:ring:{class_ or ''}"
        ring = members[:]
        Random(stream).shuffle(ring)
        return ring

    def _best(self, members: list[int]) -> list[int]:
        """By falling w/c, ties and then those without a count in the order of admission."""
        worth = self._worth()
        return sorted(members, key=lambda e: (worth[e] is None, -(worth[e] or 0.0), e))

    def _against(self, pivots: list[int], members: list[int]) -> list[Pair]:
        return self._directed(self._pairs(pivots, members), set(pivots))

    def _pairs(self, pivots: list[int], members: list[int]) -> list[Pair]:
        """Others against pivots in rank order, then pivots among themselves; as the original directs them."""
        ours = [pivot for pivot in pivots if self.field.plays(pivot)]
        others = [(e, pivot) for e in members if e not in set(pivots) for pivot in ours]
        low_first = sorted(ours)
        return others + [(a, b) for at, a in enumerate(low_first) for b in low_first[at + 1 :]]

    def _directed(self, pairs: list[Pair], pivots: set[int]) -> list[Pair]:
        if self._to_the_letter:
            return pairs
        asked = {(m.a, m.b) for m in self.in_force()} | {(p.a, p.b) for p in self.queue}
        return shared_slots(pairs, pivots, asked)

    def _why(self, a: int, b: int, pivots: list[int]) -> str:
        names = [f"pivot {pivots.index(e) + 1}" for e in (a, b) if e in pivots]
        return " v ".join(names) if len(names) == 2 else f"against {names[0]}"

    # -- what came of it -------------------------------------------------------------------------

    def _worth(self) -> list[float | None]:
        """w/c by entrant; None without a comparison that counts."""
        field = self.field
        counts = [field.valid(e) for e in range(len(field))]
        return [field.points[e] / c if c else None for e, c in enumerate(counts)]

    def standings(self) -> list[Standing]:
        """By w/c, which is the score shown; the fitted rating stands beside it and decides nothing."""
        worth = self._worth()
        key: list[tuple[float, ...]] = [(-1.0,) if each is None else (each,) for each in worth]
        return self.field.standings(key, worth)

    def progress(self) -> Progress:
        """Matches done of those planned and foreseen."""
        ahead = len(self.queue)
        for class_, members in self.field.classes().items():
            stage, n, k = self._stages.get(class_), len(members), min(self._k, len(members))
            if stage is None:
                ahead += comparisons(n, k, to_the_letter=self._to_the_letter)
            elif stage.pivots is None and (n > 2 or self._to_the_letter):
                ahead += k * (n - k) + k * (k - 1) // 2
        phase = {0: "", RING: "ring", PIVOTS: "pivots"}[self.round]
        return Progress(self.field.applied, self.field.planned + ahead, phase)

    def details(self) -> dict[str, Any]:
        """Pivots in rank order, counts, and the winner (null when nothing counted); by class where there
        are several: `{"classes": {class: {...}}}`, a candidate without a class under ""."""
        classes = self.field.classes()
        told = {class_ or "": self._told(class_, members) for class_, members in classes.items()}
        if len(told) == 1:
            return next(iter(told.values()))
        return {"classes": told}

    def _told(self, class_: Class, members: list[int]) -> dict[str, Any]:
        field, stage, worth = self.field, self._stages.get(class_), self._worth()
        everyone = list(self._ever(class_))
        pivots = stage.pivots if stage else None
        if stage is not None and pivots is None and not self.queue and not self.pending:
            pivots = self._best(members)[: self._k]  # nobody is left for them to meet
        leader = self._best(members)[0] if members else None
        alone = everyone == members and len(members) == 1  # it wins without a comparison
        if alone and self._to_the_letter:
            worth[members[0]] = 1.0
        if leader is not None and worth[leader] is None and not alone:
            leader = None
        return {
            "pivots": [field.id(e) for e in pivots or ()],
            "n_comparisons": sum(
                m.winner is not None and field.entrants[m.a].class_ == class_ for m in self.in_force()
            ),
            "scores": {field.id(e): worth[e] for e in everyone},
            "wins": {field.id(e): field.points[e] for e in everyone},
            "counts": {field.id(e): field.valid(e) for e in everyone},
            "ring": [field.id(e) for e in stage.ring] if stage else [],
            "winner": None if leader is None else field.id(leader),
        }

    def _ever(self, class_: Class) -> Iterator[int]:
        """The entrants of a class that play or have been asked about."""
        field = self.field
        asked = {entrant for m in field.meetings for entrant in (m.a, m.b)}
        for entrant, candidate in enumerate(field.entrants):
            if candidate.class_ == class_ and (field.plays(entrant) or entrant in asked):
                yield entrant
