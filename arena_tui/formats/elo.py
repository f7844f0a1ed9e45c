"""The Elo tournament: pairs from three buckets, K 32 then 16, one match at a time, open-ended.

A windowed format, planned a lookahead beyond what is applied, and a pure one: step k's random choices come
from `Random(f"{seed}:{group}:{k}")` and the outcomes applied before it; adopting a plan leaves the same state
as having chosen it. Source: the Co-Scientist Elo tournament, and `pairing` where that one is silent.
"""

from __future__ import annotations

from collections.abc import Iterator
from copy import deepcopy
from itertools import compress
from random import Random
from typing import TYPE_CHECKING, Any, Literal

from arena_tui.candidate import Candidate, Group
from arena_tui.facts import Intervention, Leaders, Match, Outcome, Progress, RatingChange, Score, Standing
from arena_tui.formats.elo_tally import Applied, Constants, Tally
from arena_tui.formats.fit_log import DELTA, FitLog, completed
from arena_tui.formats.ideas import Ideas
from arena_tui.formats.ladder import Ladder
from arena_tui.formats.open_ended import OpenEnded
from arena_tui.formats.pairing import Division, Rules, choose_pair, nearest
from arena_tui.formats.requests import Requests
from arena_tui.vocabulary import PLAYING, Mode, Orientation

if TYPE_CHECKING:
    from arena_tui.ratings.estimates import Confidence, Estimates
    from arena_tui.settings import EloFormat

LARGE_GROUP = 2_000  # entrants whose standings take about 5 ms, as does the rarest choice among them
LARGE_TEXT = 20_000  # characters whose words are counted in about 3 ms

Slots = Literal["alternate", "both", "given"]


class EloTournament(OpenEnded):
    """One group's tournament. `mode` and `orders` are the judge's settings of those names.

    `mode` auto: a debate where one of the two has few matches or their ratings are close, else
    pairwise. `orders`: `given` shows the smaller id first; otherwise a coin decides a pair's first
    meeting and the slots alternate from then on; `both` has each match judged in both orders.
    """

    windowed = True

    def __init__(
        self,
        group: Group,
        settings: EloFormat,
        *,
        seed: int,
        mode: Mode | Literal["auto"] = "auto",
        orders: Slots = "alternate",
    ) -> None:
        self._group = group.id
        self._seed = seed
        self._mode = mode
        self._orders = orders
        self._initial_rating = settings.initial_rating
        self._debate_matches = settings.debate_when_matches_lt
        self._debate_gap = settings.debate_when_elo_delta_lt
        self._new_matches = settings.new_matches_lt
        self._rules = Rules(
            p_new=settings.p_new,
            p_close=settings.p_close,
            p_random=settings.p_random,
            close_gap=settings.close_gap,
            rematch_penalty=settings.rematch_penalty,
        )
        self._tally = Tally(Constants(settings.new_threshold, settings.k_new, settings.k_warm))
        self.fit_log = FitLog()
        self.entrants: list[Candidate] = []
        self._index: dict[str, int] = {}
        self._plays = bytearray()
        self._played = bytearray()  # plays, or once did
        self._divisions: dict[str | None, Division] = {}
        self._requests = Requests()
        self._ideas = Ideas(group.entrants, similarity=settings.similarity, prefer=settings.prefer)
        for candidate in group.entrants:
            self._admit(candidate)
        if settings.focus_new_entrants:
            self._requests = Requests((entrant, None) for entrant in self._players())
        self.off_loop = self._is_long()

    def __deepcopy__(self, memo: dict[int, Any]) -> EloTournament:
        """An independent clone; what never changes (texts, their similarities) is shared."""
        clone = object.__new__(EloTournament)
        clone.__dict__.update(self.__dict__)
        clone._tally, clone.fit_log = self._tally.copy(), deepcopy(self.fit_log)
        clone.entrants = self.entrants[:]
        clone._index = self._index.copy()
        clone._plays, clone._played = self._plays[:], self._played[:]
        clone._divisions = {class_: division.copy() for class_, division in self._divisions.items()}
        clone._requests = self._requests.copy()
        return clone

    # -- the format protocol -------------------------------------------------------------------

    def next_steps(self, room: int) -> list[Match]:
        """Up to `room` further matches; fewer when no class has two that may play."""
        steps: list[Match] = []
        while len(steps) < room:
            step = self._choose(self._tally.planned + 1)
            if step is None:
                break
            self.adopt(step)
            steps.append(step)
        if self.off_loop:
            self.off_loop = self._is_long()  # the texts may have been read by now
        return steps

    def adopt(self, step: Match) -> None:
        """Take a plan: it counts as pending, as a meeting, and settles the request it answers.

        Raises ValueError for one that is not the next step.
        """
        if step.seq != self._tally.planned + 1:
            raise ValueError(f"step {step.seq} was planned after step {self._tally.planned}")
        if step.why in ("focus", "asked"):
            request = self._requests.due(self._can_meet)
            if request is not None:
                self._requests.settle(request)
        a, b = self._index[step.a], self._index[step.b]
        before = (self._tally.load(a), self._tally.load(b))
        self._tally.plan(a, b)
        self._reload(a, before[0])
        self._reload(b, before[1])
        self._division(a).planned += 1

    def record(self, outcome: Outcome) -> RatingChange | None:
        """Apply an outcome; one that is applied already changes nothing and gives None.

        A void match, withdrawn or not, releases its pending count and leaves ratings and records
        alone, but the two have met.
        """
        seq = outcome.step.seq
        if not self._tally.is_waiting(seq):
            return None
        a, b = self._tally.players(seq)
        loads = (self._tally.load(a), self._tally.load(b))
        applied = self._tally.apply(seq, outcome.winner)
        self.fit_log.record(outcome, a, b)
        if applied.update is None:
            self._reload(a, loads[0])
            self._reload(b, loads[1])
        else:  # a pending match became a valid one: the loads are the same
            for entrant, before, load in zip(
                (a, b), (applied.before_a, applied.before_b), loads, strict=True
            ):
                if self._plays[entrant]:
                    self._division(entrant).move(entrant, before, self.rating(entrant), load)
        return self._change(applied)

    def intervene(self, action: Intervention) -> None:
        """Take a journaled action; kinds that concern no pairing or rating are let pass."""
        match action.kind:
            case "add" if action.added is not None and action.added.twin_of is None:
                entrant = self._admit(action.added)
                self._ideas.add(action.added)
                self.off_loop = self._is_long()
                if self._plays[entrant]:
                    self._requests.ask(entrant)
            case "pin" | "unpin" | "restore" if action.candidate is not None:
                self._set_playing(self._index[action.candidate], True)
            case "reject" if action.candidate is not None:
                gone = self._index[action.candidate]
                self._set_playing(gone, False)
                self._requests.drop(gone)
            case "focus" if action.candidate is not None:
                self._requests.ask(self._index[action.candidate])
            case "match" if action.candidate is not None and action.other is not None:
                self._requests.ask(self._index[action.candidate], self._index[action.other])
            case "overrule" if action.seq is not None and action.winner is not None:
                if not self._tally.is_waiting(action.seq):
                    self.fit_log.overrule(action.seq, *self._tally.players(action.seq), action.winner)
                self._tally.overrule(action.seq, action.winner)
                self._refile()
            case _:
                pass

    def scores(self) -> Iterator[Score]:
        """Rating and valid matches of everybody who plays or once did."""
        record = self._tally.record
        for entrant in compress(range(len(self.entrants)), self._played):
            yield Score(self.entrants[entrant].id, record.rating[entrant], record.valid[entrant])

    def confidence(self, delta: float) -> list[Confidence]:
        """How sure the leader of each class is by a fit of all comparisons, which depends on no order."""
        return list(self._fit(delta, bars=False).classes.values())

    def standings(self) -> list[Standing]:
        """Class by class in pool order, each ranked from 1 by Elo: best first, those out of play last."""
        tables = {
            class_: division.everyone.best(len(division.everyone))
            for class_, division in self._divisions.items()
        }
        out = [e for e in compress(range(len(self.entrants)), self._played) if not self._plays[e]]
        for entrant in sorted(out, key=lambda entrant: -self.rating(entrant)):
            tables[self.entrants[entrant].class_].append(entrant)
        fit = self.estimates()
        return [
            completed(self._standing(entrant, rank), entrant, fit)
            for table in tables.values()
            for rank, entrant in enumerate(table, start=1)
        ]

    def history(self) -> Iterator[RatingChange]:
        """The rating changes of all applied outcomes, recomputed under the outcomes that count now."""
        return map(self._change, self._tally.history())

    def progress(self) -> Progress:
        """Applied outcomes, of no known number."""
        return Progress(done=self._tally.applied)

    # -- what a stop rule asks -----------------------------------------------------------------

    def leaders(self, count: int) -> Leaders:
        """The best `count` of every class, how many play, and who of them has played least."""
        return Leaders(tuple(self.top(count)), self.playing, self.fewest_matches)

    def top(self, count: int) -> list[tuple[str, float]]:
        """(id, rating) of the best `count` playing entrants of every class, class by class."""
        return [
            (self.entrants[entrant].id, self.rating(entrant))
            for division in self._divisions.values()
            for entrant in division.everyone.best(count)
        ]

    @property
    def playing(self) -> int:
        """How many entrants may play."""
        return self._plays.count(1)

    @property
    def fewest_matches(self) -> int:
        """The least valid matches any playing entrant has; 0 where nobody plays."""
        return min(compress(self._tally.record.valid, self._plays), default=0)

    # -- what pair choice asks (pairing.Table) -------------------------------------------------

    def rating(self, entrant: int) -> float:
        """The entrant's rating now."""
        return self._tally.record.rating[entrant]

    def load(self, entrant: int) -> int:
        """Its valid matches plus planned ones."""
        return self._tally.load(entrant)

    def met(self, one: int, other: int) -> int:
        """How often the two were planned to meet."""
        return self._tally.met(one, other)

    def affinity(self, one: int, other: int) -> float:
        """How much their ideas speak for a meeting, in [0, 1]."""
        return self._ideas.affinity(self.entrants[one], self.entrants[other])

    # -- choosing ------------------------------------------------------------------------------

    def _choose(self, seq: int) -> Match | None:
        rng = Random(f"{self._seed}:{self._group}:{seq}")
        request = self._requests.due(self._can_meet)
        if request is not None:
            one, asked = request
            why = "focus" if asked is None else "asked"
            ladder = self._division(one).everyone
            other = nearest(ladder, one, self, self._rules, unmet=False) if asked is None else asked
        else:
            division = self._next_division()
            if division is None:
                return None
            one, other, why = choose_pair(rng, division, self, self._rules)
        similarity = self._ideas.cosine(self.entrants[one], self.entrants[other])
        a, b = (one, other) if self._goes_first(rng, one, other) else (other, one)
        return Match(
            group=self._group,
            seq=seq,
            a=self.entrants[a].id,
            b=self.entrants[b].id,
            mode=self._mode_of(a, b),
            orders=self._orientations(),
            similarity=similarity,
            why=why,
        )

    def _can_meet(self, one: int, other: int | None) -> bool:
        """Whether a request can be met now."""
        if not self._plays[one]:
            return False
        if other is None:
            return len(self._division(one).everyone) >= 2
        return bool(self._plays[other]) and other != one and self._division(other) is self._division(one)

    def _next_division(self) -> Division | None:
        """The class with the fewest planned matches per playing entrant; the first in the pool on a tie."""
        chosen: Division | None = None
        for division in self._divisions.values():
            size = len(division.everyone)
            if size >= 2 and (
                chosen is None or division.planned * len(chosen.everyone) < chosen.planned * size
            ):
                chosen = division
        return chosen

    def _goes_first(self, rng: Random, one: int, other: int) -> bool:
        if self._orders == "given":
            return self.entrants[one].id < self.entrants[other].id
        if self.met(one, other):
            return not self._tally.was_first(one, other)
        return rng.random() < 0.5

    def _orientations(self) -> tuple[Orientation, ...]:
        return ("ab", "ba") if self._orders == "both" else ("ab",)

    def _mode_of(self, a: int, b: int) -> Mode:
        if self._mode != "auto":
            return self._mode
        few = min(self.load(a), self.load(b)) < self._debate_matches
        close = abs(self.rating(a) - self.rating(b)) < self._debate_gap
        return "debate" if few or close else "pairwise"

    # -- bookkeeping ---------------------------------------------------------------------------

    def _admit(self, candidate: Candidate) -> int:
        entrant = len(self.entrants)
        self.entrants.append(candidate)
        self._index[candidate.id] = entrant
        self._plays.append(0)
        self._played.append(0)
        self._tally.enter(self._initial_rating if candidate.rating is None else candidate.rating)
        if candidate.class_ not in self._divisions:
            self._divisions[candidate.class_] = Division(self._new_matches)
        self._set_playing(entrant, candidate.state in PLAYING)
        return entrant

    def _set_playing(self, entrant: int, plays: bool) -> None:
        if bool(self._plays[entrant]) == plays:
            return
        self._plays[entrant] = plays
        self._played[entrant] = 1
        division = self._division(entrant)
        change = division.enter if plays else division.leave
        change(entrant, self.rating(entrant), self.load(entrant))

    def _players(self) -> Iterator[int]:
        return compress(range(len(self.entrants)), self._plays)

    def _is_long(self) -> bool:
        return len(self.entrants) > LARGE_GROUP or self._ideas.characters_ahead > LARGE_TEXT

    def _division(self, entrant: int) -> Division:
        return self._divisions[self.entrants[entrant].class_]

    def _reload(self, entrant: int, before: int) -> None:
        if self._plays[entrant]:
            self._division(entrant).reload(entrant, self.rating(entrant), before, self.load(entrant))

    def _refile(self) -> None:
        """Sort everyone anew after a refold."""
        for division in self._divisions.values():
            division.everyone, division.warm, division.new = Ladder(), Ladder(), []
        for entrant in self._players():
            self._division(entrant).enter(entrant, self.rating(entrant), self.load(entrant))

    def estimates(self, delta: float = DELTA) -> Estimates:
        """The fit of all comparisons so far, kept until something changes."""
        return self._fit(delta)

    def _fit(self, delta: float, *, bars: bool = True) -> Estimates:
        applied = self._tally.applied
        return self.fit_log.estimates(self.entrants, self._plays, seed=applied, delta=delta, bars=bars)

    def _standing(self, entrant: int, rank: int) -> Standing:
        record = self._tally.record
        return Standing(
            id=self.entrants[entrant].id,
            rank=rank,
            rating=record.rating[entrant],
            wins=record.wins[entrant],
            losses=record.losses[entrant],
            draws=record.draws[entrant],
            matches=record.valid[entrant],
        )

    def _change(self, applied: Applied) -> RatingChange:
        a, b = self.entrants[applied.a].id, self.entrants[applied.b].id
        done = applied.update
        if done is None:
            before_a, before_b = applied.before_a, applied.before_b
            return RatingChange(a, b, before_a, before_a, before_b, before_b)
        return RatingChange(
            a=a,
            b=b,
            a_before=applied.before_a,
            a_after=done.elo_a_after,
            b_before=applied.before_b,
            b_after=done.elo_b_after,
            expected_a=done.expected_a,
            k=done.k,
        )
