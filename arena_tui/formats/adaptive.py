"""The adaptive tournament: always the pair whose verdict teaches most about what the goal asks. Open-ended.

A windowed format, and a pure one. It goes by a fit of all outcomes applied at the last boundary: one comes
after every max(1, N // 8) applied outcomes (N who play) and after every intervention. Matches planned and
not in that fit shrink its covariance, in plan order, whatever their verdicts will be. A fit is made when a
choice needs it, so a journal is replayed without any. Random choices: `Random(f"{seed}:{group}:0")` shuffles
the opening, `Random(f"{seed}:{group}:{k}")` is the coin for slot 1 of step k, and the draws of a fit come
from (seed, group, outcomes applied at its boundary, number of the class).
"""

from __future__ import annotations

import hashlib
from array import array
from bisect import bisect_left
from collections import Counter
from itertools import islice
from random import Random
from typing import TYPE_CHECKING, Any, Literal

from arena_tui.candidate import Group
from arena_tui.facts import Intervention, Match, Outcome, Progress
from arena_tui.formats.applied_counts import AppliedCounts
from arena_tui.formats.fielded import Fielded
from arena_tui.formats.meetings import Meeting
from arena_tui.formats.requests import Requests
from arena_tui.verdict_rows import rows_of
from arena_tui.vocabulary import Mode, StopReason

if TYPE_CHECKING:
    from arena_tui.ratings.information_gain import PairGains
    from arena_tui.ratings.posterior import Posterior
    from arena_tui.settings import AdaptiveFormat

LARGE_FIELD = 64  # entrants whose fit, or rarest choice, takes about 5 ms
REFITS = 8  # per round of matches of everybody

ClassName = str | None


class AdaptiveTournament(Fielded):
    """One group's tournament. `mode` and `orders` are the judge's settings of those names.

    Every class opens with a random perfect matching; whoever is left over, or enters late, comes next,
    against the opponent that teaches most. `orders`: `given` shows the smaller id first, `both` has each
    match judged in both orders; otherwise a pair takes the order it has had less often, else the one whose
    first slots exceed its second ones by less goes first: counted without the second ones, the strong, who
    play most, would mostly be shown second. Classes take turns by planned matches per playing entrant.
    """

    windowed = True

    def __init__(
        self,
        group: Group,
        settings: AdaptiveFormat,
        *,
        seed: int,
        mode: Mode = "pairwise",
        orders: Literal["alternate", "both", "given"] = "alternate",
    ) -> None:
        super().__init__(group)
        self._goal = settings.goal
        self._seed, self._mode, self._orders = seed, mode, orders
        self._requests = Requests()
        self._counts = AppliedCounts()
        self._boundary = 0  # outcomes applied when the fit in force was due
        self._outside: dict[int, tuple[int, int]] = {}  # steps not applied by then, in plan order
        self._applied_since: list[int] = []
        self._orders_had: Counter[tuple[int, int]] = Counter()  # planned matches by (first, second)
        self._planned, self._surplus = array("i"), array("i")  # by entrant; first slots less second slots
        self._planned_in: dict[ClassName, int] = {}
        self._classes: dict[ClassName, list[int]] = {}
        self._period = 1
        self._posterior: Posterior | None = None
        self._gains: dict[ClassName, PairGains] = {}
        self._gather()
        self._opening = self._shuffled()

    @property
    def off_loop(self) -> bool:
        """True when a fit, or the choice after one, may take longer than 5 ms."""
        return len(self.field) > LARGE_FIELD

    # -- the format protocol ---------------------------------------------------------------------

    def next_steps(self, room: int) -> list[Match]:
        """Up to `room` further matches; fewer when no class has two that may play."""
        steps: list[Match] = []
        while len(steps) < room:
            step = self._choose(self.field.planned + 1)
            if step is None:
                break
            self.adopt(step)
            steps.append(step)
        return steps

    def adopt(self, step: Match) -> None:
        """Take a plan; it settles the request it answers. ValueError for one that is not the next step."""
        meeting = self.field.plan(step)
        if step.why in ("focus", "asked"):
            request = self._requests.due(self._can_meet)
            if request is not None:
                self._requests.settle(request)
        a, b = meeting.a, meeting.b
        self._orders_had[a, b] += 1
        self._planned[a] += 1
        self._planned[b] += 1
        self._surplus[a] += 1
        self._surplus[b] -= 1
        class_ = self.field.entrants[a].class_
        self._planned_in[class_] = self._planned_in.get(class_, 0) + 1
        self._outside[step.seq] = a, b
        if class_ in self._gains:
            self._expect(class_, a, b)

    def intervene(self, action: Intervention) -> None:
        """Take a journaled action; what comes after it goes by a fit of all that is applied."""
        super().intervene(action)
        self._gather()
        self._settle()

    def objection(self, action: Intervention) -> str | None:
        """None: it takes everything."""
        return None

    def finished(self) -> StopReason | None:
        """Never: there is always one more verdict that teaches something."""
        return None

    def progress(self) -> Progress:
        """Applied outcomes, of no known number."""
        return Progress(done=self.field.applied)

    def details(self) -> dict[str, Any]:
        """What the schedule was after."""
        return {"goal": self._goal}

    # -- what it remembers -----------------------------------------------------------------------

    def recorded(self, meeting: Meeting, outcome: Outcome) -> None:
        """An outcome was applied: every so often a new fit is due."""
        self._counts.add(rows_of(outcome, meeting.a, meeting.b))
        self._applied_since.append(outcome.step.seq)
        if self.field.applied - self._boundary >= self._period:
            self._settle()

    def overruled(self, meeting: Meeting) -> None:
        """An applied match counts otherwise now."""
        self._counts.restate(self.field.fit_log.rows.columns())

    def entered(self, entrant: int) -> None:
        """One who never was to meet anybody comes next."""
        if self.field.plays(entrant) and (entrant >= len(self._planned) or not self._planned[entrant]):
            self._requests.ask(entrant)

    def left(self, entrant: int) -> None:
        """Nobody is owed a match with one who is out."""
        self._requests.drop(entrant)

    def asked(self, entrant: int, other: int | None) -> None:
        """Somebody asked for a match of `entrant` (against `other`)."""
        self._requests.ask(entrant, other)

    def _gather(self) -> None:
        """Who may be paired with whom, and how often to fit."""
        more = len(self.field) - len(self._planned)
        for counts in (self._planned, self._surplus):
            counts.extend([0] * more)
        self._classes = self.field.classes()
        self._period = max(1, sum(map(len, self._classes.values())) // REFITS)

    def _settle(self) -> None:
        """A boundary: the next choice goes by a fit of all that is applied now."""
        self._counts.settle()
        self._boundary = self.field.applied
        for seq in self._applied_since:
            del self._outside[seq]
        self._applied_since.clear()
        self._posterior = None
        self._gains = {}

    # -- choosing --------------------------------------------------------------------------------

    def _choose(self, seq: int) -> Match | None:
        request = self._requests.due(self._can_meet)
        if request is None:
            members = self._next_class()
            if members is None:
                return None
            one, other, why = self._next_pair(members)
        elif request[1] is None:
            why = "focus"
            one, other = self._best(self._classes[self._class(request[0])], including=request[0])
        else:
            one, other, why = request[0], request[1], "asked"
        a, b = self._slots(seq, one, other)
        return Match(
            group=self.field.group,
            seq=seq,
            a=self.field.id(a),
            b=self.field.id(b),
            mode=self._mode,
            orders=("ab", "ba") if self._orders == "both" else ("ab",),
            why=why,
        )

    def _can_meet(self, one: int, other: int | None) -> bool:
        """Whether a request can be met now."""
        field = self.field
        if not field.plays(one):
            return False
        if other is None:
            return len(self._classes[self._class(one)]) >= 2
        return other != one and field.plays(other) and self._class(one) == self._class(other)

    def _next_class(self) -> list[int] | None:
        """Of the class with the fewest planned matches per playing entrant, those who play.

        The first in the pool on a tie; None where no class has two.
        """
        chosen: list[int] | None = None
        planned = 0
        for class_, members in self._classes.items():
            own = self._planned_in.get(class_, 0)
            if len(members) >= 2 and (chosen is None or own * len(chosen) < planned * len(members)):
                chosen, planned = members, own
        return chosen

    def _next_pair(self, members: list[int]) -> tuple[int, int, str]:
        opening = self._opening.get(self._class(members[0]), [])
        while opening and not self._opens(opening[-1]):
            opening.pop()  # one who was out of play meets somebody on request once it is back
        fresh = list(islice(filter(self._opens, reversed(opening)), 2))
        if len(fresh) >= 2:
            return fresh[0], fresh[1], "opening"
        if fresh:
            return *self._best(members, including=fresh[0]), "opening"
        return *self._best(members), "information"

    def _opens(self, entrant: int) -> bool:
        return not self._planned[entrant] and self.field.plays(entrant)

    def _shuffled(self) -> dict[ClassName, list[int]]:
        """Who opens, class by class; neighbours meet, from the end."""
        rng = Random(f"{self._seed}:{self.field.group}:0")
        opening = {class_: members[:] for class_, members in self._classes.items()}
        for members in opening.values():
            rng.shuffle(members)
        return opening

    def _slots(self, seq: int, one: int, other: int) -> tuple[int, int]:
        """The two, the one for slot 1 first."""
        if self._orders == "given":
            turned = self.field.id(other) < self.field.id(one)
        else:
            lead = self._orders_had[one, other] - self._orders_had[other, one]
            lead = lead or self._surplus[one] - self._surplus[other]
            key = f"{self._seed}:{self.field.group}:{seq}"
            turned = lead > 0 if lead else Random(key).random() < 0.5
        return (other, one) if turned else (one, other)

    def _class(self, entrant: int) -> ClassName:
        return self.field.entrants[entrant].class_

    # -- what a verdict would teach --------------------------------------------------------------

    def _best(self, members: list[int], including: int | None = None) -> tuple[int, int]:
        """The most instructive pair of a class (with `including`), lower number first."""
        class_ = self._class(members[0])
        if class_ not in self._gains:
            self._gains[class_] = self._weighed(class_, members)
            for pair in self._outside.values():
                if self._class(pair[0]) == class_:
                    self._expect(class_, *pair)
        found = self._gains[class_].best(None if including is None else bisect_left(members, including))
        return members[found[0]], members[found[1]]

    def _weighed(self, class_: ClassName, members: list[int]) -> PairGains:
        import numpy as np

        from arena_tui.ratings.information_gain import DRAWS, PairGains, place_weights
        from arena_tui.ratings.posterior import posterior

        if self._posterior is None:
            self._posterior = posterior(len(self.field), self._counts.counts())
        fit = self._posterior
        mean = fit.mean[members]
        spread = fit.variance[members] if fit.covariance is None else fit.covariance[np.ix_(members, members)]
        key = f"{self._seed}:{self.field.group}:{self._boundary}:{list(self._classes).index(class_)}"
        bits = int.from_bytes(hashlib.sha256(key.encode()).digest()[:8], "big")
        draws = np.random.Generator(np.random.PCG64(bits)).standard_normal((DRAWS, len(members)))
        return PairGains(mean, spread, place_weights(self._goal, mean, spread, draws))

    def _expect(self, class_: ClassName, a: int, b: int) -> None:
        """A verdict on the two is on its way; one who is out of play teaches nothing any more."""
        members = self._classes[class_]
        at = bisect_left(members, a), bisect_left(members, b)
        if all(i < len(members) and members[i] == who for i, who in zip(at, (a, b), strict=True)):
            self._gains[class_].expect(*at)
