"""The Swiss tournament: few rounds, in which those of equal score meet, and nobody twice.

A round is planned when the one before is applied, for all classes at once. It is a function of what
happened before it and of the recorded seed, so an adopted plan is made again and compared. Bradley-Terry
strengths rank; scores, in which a bye counts, only pair. Source: the Swiss pairing task, T5.8.
"""

from __future__ import annotations

from collections.abc import Iterable
from random import Random
from typing import TYPE_CHECKING, Any, Literal, NamedTuple

from arena_tui.candidate import Group
from arena_tui.facts import Match, Outcome, Progress, Standing
from arena_tui.formats.fielded import Fielded
from arena_tui.formats.meetings import Meeting
from arena_tui.formats.swiss_history import SwissHistory
from arena_tui.formats.swiss_pairing import pair_round
from arena_tui.formats.swiss_rounds import (
    ALL_PLAYED,
    EXCUSED_TOO_MANY,
    NO_LEGAL_ROUND,
    TOO_FEW,
    Bracket,
    Pair,
    Round,
    why_bye,
    why_paired,
)
from arena_tui.formats.swiss_scores import ScoreSheet
from arena_tui.vocabulary import Mode, Orientation, StopReason

if TYPE_CHECKING:
    from arena_tui.settings import SwissFormat

MANY_ENTRANTS = 500  # whose round is planned in about 5 ms
LONG_SCHEDULE = 12  # entrants from which a round may take as long once most of them have met


class _Ahead(NamedTuple):
    """The round that would be planned now, and why the classes that are not in it are not."""

    round: Round | None
    absent: dict[str | None, str]


class SwissTournament(Fielded):
    """One group's Swiss tournament. `mode` and `orders` are the judge's settings of those names.

    Those of equal score stand in the order of a shuffle: each entrant, late ones too, draws its place from
    `Random(f"{seed}:{group}:shuffle:{id}")`. A class has ceil(log2 G) rounds, G being those that play when
    its first is planned, and ends early where no legal round is left. Slots: `given` shows the smaller id
    first; otherwise they are balanced, ties by a coin of step k's own randomness, which also draws the
    pairs of `both_sample`.
    """

    windowed = False

    def __init__(
        self,
        group: Group,
        settings: SwissFormat,
        *,
        seed: int,
        mode: Mode = "pairwise",
        orders: Literal["alternate", "both", "given"] = "both",
    ) -> None:
        super().__init__(group)
        self._seed = seed
        self._mode: Mode = mode
        self._orders = orders
        self._asked_rounds = settings.rounds
        self._both_sample = settings.both_sample
        self._excused = {id_: frozenset(rounds) for id_, rounds in settings.excused.items()}
        self._draws: list[float] = []  # by entrant: its place among those of equal score
        self._history = SwissHistory(self.field, settings.bye_points)
        self._ahead: _Ahead | None = None
        self._outlook: tuple[int, int] | None = None  # rounds and matches to come

    def __deepcopy__(self, memo: dict[int, Any]) -> SwissTournament:
        """An independent clone; what never changes is shared."""
        twin = object.__new__(SwissTournament)
        twin.__dict__.update(self.__dict__)
        twin.field = self.field.__deepcopy__(memo)
        twin._draws = self._draws[:]
        twin._history = self._history.copy(twin.field)
        return twin

    @property
    def off_loop(self) -> bool:
        """True when planning a round may take long: many entrants, or so many rounds that most have met."""
        size = len(self.field)
        long_ = size > LONG_SCHEDULE and (self._asked_rounds or 0) > size.bit_length()
        return long_ or size > MANY_ENTRANTS

    # -- the schedule ----------------------------------------------------------------------------

    def next_steps(self, room: int) -> list[Match]:
        """Up to `room` further matches of the round; none while it waits for outcomes, or at the end."""
        steps: list[Match] = []
        while len(steps) < room:
            step = self.foreseen()
            if step is None:
                break
            self._take(step)
            steps.append(step)
        return steps

    def adopt(self, step: Match) -> None:
        """Take a journaled plan; ValueError when it is not the match that this state leads to."""
        foreseen = self.foreseen()
        if foreseen is None:
            raise ValueError(f"step {step.seq} ({step.a} against {step.b}) was planned where none is due")
        if _identity(step) != _identity(foreseen):
            raise ValueError(f"{_told(step)} was planned, but this state leads to {_told(foreseen)}")
        self._take(step)

    def foreseen(self) -> Match | None:
        """The match that would be handed out next; nothing changes."""
        if self._history.rest:
            pair, number = self._history.rest[0], self._history.number
        else:
            round_ = self._next_round()
            if round_ is None:
                return None
            pair, number = round_.pairs[0], round_.number
        a, b = self.field.id(pair.a), self.field.id(pair.b)
        seq = self.field.planned + 1
        return Match(self.field.group, seq, a, b, self._mode, pair.orders, number, why=pair.why)

    def finished(self) -> StopReason | None:
        """COMPLETED when every class has played its rounds, or has no legal one left."""
        return None if self._history.is_open or self._look_ahead().round is not None else "COMPLETED"

    def _take(self, step: Match) -> None:
        if not self._history.rest:
            round_ = self._look_ahead().round
            assert round_ is not None, "a match was foreseen"
            self._history.begin(round_)
        self._history.hand_out()
        self.field.plan(step)
        self._ahead = self._outlook = None

    def _next_round(self) -> Round | None:
        """The round after the last one; None while that is open, and at the end."""
        return None if self._history.is_open else self._look_ahead().round

    def _look_ahead(self) -> _Ahead:
        if self._ahead is None:
            sheet = self._history.sheet()
            number = self._history.number + 1
            round_, absent = self._plan(number, sheet)
            while not round_.pairs and EXCUSED_TOO_MANY in absent.values():
                number += 1  # they are back sooner or later
                round_, absent = self._plan(number, sheet)
            self._ahead = _Ahead(round_ if round_.pairs else None, absent)
        return self._ahead

    def _plan(self, number: int, sheet: ScoreSheet) -> tuple[Round, dict[str | None, str]]:
        """The round of that number, and why a class has no part in it. A class plays all or not at all."""
        pairs: list[Pair] = []
        brackets: dict[str | None, Bracket] = {}
        absent: dict[str | None, str] = {}
        for class_, members in self.field.classes().items():
            played, rounds = self._schedule(class_, len(members))
            if len(members) < 2 or played >= rounds:
                absent[class_] = TOO_FEW if len(members) < 2 else ALL_PLAYED
                continue
            excused = self._excused_in(number, members)
            order = [entrant for entrant in members if entrant not in excused]
            order.sort(key=lambda entrant: (-sheet.scores[entrant], self._draw(entrant), entrant))
            found = pair_round(order, sheet.scores, sheet.met, sheet.byes)
            if found is None or not found.pairs:
                absent[class_] = EXCUSED_TOO_MANY if excused else NO_LEGAL_ROUND
                continue
            for one, other in found.pairs:
                a, b, orders = self._slots(self.field.planned + len(pairs) + 1, one, other, sheet)
                scores = sheet.scores[a], sheet.scores[b]
                why = why_paired(*scores, first=not played, matched=found.matched)
                pairs.append(Pair(a, b, orders, *scores, why))
            why = "" if found.bye is None else _why_bye(found.bye, order, sheet)
            brackets[class_] = Bracket(rounds, found.bye, why, excused)
        return Round(number, tuple(pairs), brackets), absent

    def _schedule(self, class_: str | None, playing: int) -> tuple[int, int]:
        """The rounds a class has taken part in, and all it has: fixed with its first."""
        begun = self._history.schedule(class_)
        if begun is not None:
            return begun
        return 0, (self._asked_rounds or (playing - 1).bit_length()) if playing > 1 else 0

    def _excused_in(self, number: int, members: list[int]) -> tuple[int, ...]:
        if not self._excused:
            return ()
        return tuple(e for e in members if number in self._excused.get(self.field.id(e), ()))

    def _slots(
        self, seq: int, one: int, other: int, sheet: ScoreSheet
    ) -> tuple[int, int, tuple[Orientation, ...]]:
        """Who stands in slot 1 of the first comparison, who in slot 2, and the orders to be judged."""
        rng = Random(f"{self._seed}:{self.field.group}:{seq}")
        coin, sampled = rng.random() < 0.5, rng.random()
        both = self._orders == "both" if self._both_sample is None else sampled < self._both_sample
        if self._orders == "given" and self._both_sample is None:
            first: int | None = min(one, other, key=self.field.id)
        else:
            first = sheet.first_of(one, other)
        if first is None:
            first = one if coin else other
        return first, other if first == one else one, ("ab", "ba") if both else ("ab",)

    def _draw(self, entrant: int) -> float:
        while len(self._draws) <= entrant:
            id_ = self.field.id(len(self._draws))
            self._draws.append(Random(f"{self._seed}:{self.field.group}:shuffle:{id_}").random())
        return self._draws[entrant]

    # -- what happens ----------------------------------------------------------------------------

    def recorded(self, meeting: Meeting, outcome: Outcome) -> None:
        """Scores have changed."""
        self._ahead = None

    def overruled(self, meeting: Meeting) -> None:
        """Scores have changed; rounds that are planned stand."""
        self._ahead = None

    def entered(self, entrant: int) -> None:
        """It is paired from the next round on."""
        self._ahead = self._outlook = None

    def left(self, entrant: int) -> None:
        """Its opponent of this round gets a bye."""
        self._history.left(entrant)
        self._ahead = self._outlook = None

    # -- what is told ----------------------------------------------------------------------------

    def standings(self) -> list[Standing]:
        """Class by class, by the fitted rating; `score` is the one for pairing, byes included."""
        return self.field.standings(score=list(self._history.sheet().scores))

    def progress(self) -> Progress:
        """Applied matches of all that are foreseen as long as nobody comes or goes."""
        rounds, matches = (0, 0) if self.finished() else self._to_come()
        number = self._history.number
        phase = f"round {max(number, 1)} of {number + rounds}" if number + rounds else "nobody to pair"
        expected = self.field.planned + len(self._history.rest) + matches
        return Progress(self.field.applied, expected, phase)

    def _to_come(self) -> tuple[int, int]:
        """Rounds after the last planned one, and their matches: at most as many as anybody has opponents."""
        if self._outlook is None:
            sheet, number = self._history.sheet(), self._history.number
            most = matches = 0
            for class_, members in self.field.classes().items():
                played, rounds = self._schedule(class_, len(members))
                met_least = min((len(sheet.met[e].intersection(members)) for e in members), default=0)
                possible = len(members) - 1 - met_least + len(members) % 2
                left = max(0, min(rounds - played, possible))
                most = max(most, left)
                for later in range(number + 1, number + left + 1):
                    matches += (len(members) - len(self._excused_in(later, members))) // 2
            self._outlook = most, matches
        return self._outlook

    def details(self) -> dict[str, Any]:
        """Of each class (one without a name is "") what it was paired from, and who sat out by round.

        `rounds` is the length of its schedule, `played` how far it is, `ended` why it has no further round;
        `shuffle` is the order among equal scores. See `SwissHistory.order_consistency`.
        """
        field, history = self.field, self._history
        brackets = {}
        for class_, playing in field.classes().items():
            members = [e for e, candidate in enumerate(field.entrants) if candidate.class_ == class_]
            played, rounds = self._schedule(class_, len(playing))
            brackets[class_ or ""] = {
                "seed": self._seed,
                "rounds": rounds,
                "played": played,
                **history.idle(class_),
                "shuffle": [field.id(entrant) for entrant in sorted(members, key=self._draw)],
                "ended": None if history.is_open else self._look_ahead().absent.get(class_),
            }
        return {"brackets": brackets, "order_consistency": history.order_consistency()}

    def pairings(self) -> Iterable[dict[str, Any]]:
        """Round by round: every match with the scores that made it, then those who sat out, and why."""
        return self._history.pairings()


def _why_bye(bye: int, order: list[int], sheet: ScoreSheet) -> str:
    below = order[order.index(bye) + 1 :]
    passed = sum(sheet.byes[entrant] == sheet.byes[bye] for entrant in below)
    return why_bye(sheet.scores[bye], passed=passed, again=sheet.byes[bye] > 0)


def _identity(step: Match) -> tuple[Any, ...]:
    return step.seq, step.a, step.b, step.orders, step.round


def _told(step: Match) -> str:
    orders = " and ".join(step.orders)
    return f"step {step.seq} of round {step.round}, {step.a} against {step.b} ({orders})"
