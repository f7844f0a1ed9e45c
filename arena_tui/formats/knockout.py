"""The knockout: who loses a meeting is out; what is left after the last round is the champion.

Seeds stand in a bracket so that the best meet late; byes go to the best seeds. The two halves of a
meeting are the entrants of a match; it is a best of some games, a void game is asked once more, and where
nothing decides the higher seed passes, flagged. One bracket a class; a bracket once drawn takes nobody in.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator
from dataclasses import dataclass, replace
from random import Random
from typing import TYPE_CHECKING, Any

from arena_tui.candidate import Group
from arena_tui.facts import Intervention, Outcome, Progress, Standing
from arena_tui.formats.bracket import (
    BYE,
    LEVEL,
    VOID,
    WALKOVER,
    Bracket,
    Duel,
    Result,
    Stand,
    next_round,
    stand,
)
from arena_tui.formats.meetings import Meeting
from arena_tui.formats.planned_rounds import Bye, Draft, Orders, Pairing, PlannedRounds, round_of
from arena_tui.vocabulary import Mode, Winner

if TYPE_CHECKING:
    from arena_tui.settings import KnockoutFormat


@dataclass(slots=True)
class KnockoutDraft(Draft):
    """The next rounds of the brackets, by bracket; the last one is played, the others walked over."""

    brackets: list[Bracket]
    rounds: list[list[list[Duel]]]


class KnockoutTournament(PlannedRounds[KnockoutDraft]):
    """One group's knockout; see the module's docstring."""

    def __init__(
        self,
        group: Group,
        settings: KnockoutFormat,
        *,
        seed: int,
        mode: Mode = "pairwise",
        orders: Orders = "alternate",
    ) -> None:
        super().__init__(group, seed=seed, mode=mode, orders=orders)
        self._best_of = settings.best_of
        self._third_place = settings.third_place
        self._by_rating = settings.seeding != "random"
        self._brackets: list[Bracket] = []  # empty before the first match
        self._where: dict[int, tuple[int, int, int]] = {}  # by seq: the bracket, the round, the meeting in it

    # -- the bracket -----------------------------------------------------------------------------

    def draw(self) -> KnockoutDraft | None:
        """The next round in which somebody plays, of all brackets."""
        brackets, rounds, plays = self._ahead()
        if not plays:
            return None
        number = self.round + max(map(len, rounds))
        pairings: list[Pairing] = []
        byes: list[Bye] = []
        for at, (bracket, rows) in enumerate(zip(brackets, rounds, strict=True)):
            for offset, duels in enumerate(rows, 1):
                byes += self._byes_of(self.round + offset, duels)
            if self.round + len(rows) == number:
                for place, duel in enumerate(rows[-1]):
                    pairings += self._games(at, number, place, bracket, duel, stand(self._best_of, {}))
        return KnockoutDraft(number, pairings, byes, brackets, rounds)

    def begin(self, draft: KnockoutDraft) -> None:
        """What earlier rounds came to stands from now on."""
        self._brackets = draft.brackets
        for bracket, rows in zip(self._brackets, draft.rounds, strict=True):
            bracket.rounds += rows
            for number, duels in enumerate(bracket.rounds[:-1], 1):
                for duel in duels:
                    duel.result = self._result(bracket, number, duel)

    def planned(self, pairing: Pairing, meeting: Meeting) -> None:
        """A game of a meeting was handed out."""
        at, place, number = pairing.key
        self._brackets[at].rounds[pairing.round - 1][place].games.append((number, meeting.seq))
        self._where[meeting.seq] = at, pairing.round, place

    def _ahead(self) -> tuple[list[Bracket], list[list[list[Duel]]], bool]:
        """(brackets, the rounds that follow for each, whether the last of these has a match).

        Rounds without a match follow one upon another; the state is left as it is.
        """
        brackets = self._brackets or self._seeded()
        rounds: list[list[list[Duel]]] = [[] for _ in brackets]
        number = self.round
        while True:
            number += 1
            due = [at for at, bracket in enumerate(brackets) if number <= bracket.total]
            if not due:
                return brackets, rounds, False
            for at in due:
                bracket = brackets[at]
                before = (bracket.rounds + rounds[at])[-1:]
                if before:
                    results = [self._result(bracket, number - 1, duel) for duel in before[0]]
                    duels = next_round(results, third_place=self._third_place)
                else:
                    duels = bracket.first_round()
                rounds[at].append([self._with_first(at, number, n, duel) for n, duel in enumerate(duels)])
            if any(self._meet(duel) for at in due for duel in rounds[at][-1]):
                return brackets, rounds, True

    def _seeded(self) -> list[Bracket]:
        """Better ratings first, those without one last, equals in seeded order."""
        brackets = []
        for class_, members in self.field.classes().items():
            seeds = members[:]
            Random(f"{self.seed}:{self.field.group}:seeds:{class_ or ''}").shuffle(seeds)
            if self._by_rating:
                rated = [self.field.entrants[entrant].rating for entrant in range(len(self.field))]
                seeds.sort(key=lambda e: (rated[e] is None, -(rated[e] or 0.0)))
            if seeds:
                brackets.append(Bracket(class_, seeds))
        return brackets

    def _with_first(self, at: int, number: int, place: int, duel: Duel) -> Duel:
        """The meeting, with a coin's choice of who stands first in its odd games."""
        if duel.both is None:
            return duel
        coin = Random(f"{self.seed}:{self.field.group}:{number}:{at}:{place}")
        return replace(duel, first=duel.both[coin.randrange(2)])

    def _games(
        self, at: int, round_: int, place: int, bracket: Bracket, duel: Duel, stood: Stand
    ) -> Iterator[Pairing]:
        """The games that a meeting needs next."""
        if duel.both is None or not self._meet(duel):
            return
        for number in stood.needed:
            one, other = duel.both
            if self.orders == "given":
                straight = self.first_of(one, other) == one
            else:
                straight = (duel.first == one) == (number % 2 == 1)
            a, b = (one, other) if straight else (other, one)
            yield Pairing(round_, a, b, self._why(bracket, round_, duel, number), (at, place, number))

    def _why(self, bracket: Bracket, round_: int, duel: Duel, number: int) -> str:
        seeds = " v ".join(f"seed {seed}" for seed in sorted(bracket.seed(e) for e in duel.both or ()))
        stage = "third place" if duel.third_place else f"round {round_} of {bracket.total}"
        game = f", game {number} of {self._best_of}" if self._best_of > 1 else ""
        if number > self._best_of:
            game = ", level: one more game"
        again = ", void: asked again" if any(number == n for n, _ in duel.games) else ""
        return f"{stage}: {seeds}{game}{again}"

    def _byes_of(self, round_: int, duels: list[Duel]) -> Iterator[Bye]:
        """Who has no match in a round that begins."""
        for duel in duels:
            for entrant, other in ((duel.a, duel.b), (duel.b, duel.a)):
                if entrant is None or not self.field.plays(entrant) or self._meet(duel):
                    continue
                if other is not None:
                    why = f"{self.field.id(other)} was rejected"
                else:
                    why = "the best seeds have no opponent" if round_ == 1 else "nobody is left to meet it"
                yield Bye(round_, entrant, f"bye: {why}")

    # -- meetings --------------------------------------------------------------------------------

    def _meet(self, duel: Duel) -> bool:
        return duel.both is not None and all(self.field.plays(entrant) for entrant in duel.both)

    def _stand(self, duel: Duel) -> Stand:
        """Where a meeting stands when none of its games is under way."""
        games: dict[int, list[Winner]] = {}
        for number, seq in duel.games:
            meeting = self.field.meeting(seq)
            if meeting.winner is None:
                return Stand(None)
            straight = meeting.a == duel.a
            games.setdefault(number, []).append(meeting.winner if straight else _TURNED[meeting.winner])
        return stand(self._best_of, games)

    def _result(self, bracket: Bracket, round_: int, duel: Duel) -> Result:
        """How the meeting ended, all None while it is undecided. Who was rejected does not pass."""
        if duel.result is not None:
            return duel.result
        if duel.both is None:
            one = duel.a if duel.b is None else duel.b
            if one is None:
                return Result(None, None, None)
            return Result(
                one if self.field.plays(one) else None,
                None,
                BYE if round_ == 1 or duel.third_place else WALKOVER,
            )
        a, b = duel.both
        if not self._meet(duel):
            return Result(next((e for e in duel.both if self.field.plays(e)), None), None, WALKOVER)
        won_by = self._stand(duel).won_by
        if won_by is None:
            return Result(None, None, None)
        if won_by in ("a", "b"):
            return Result(a, b, None) if won_by == "a" else Result(b, a, None)
        higher = bracket.higher(a, b)
        return Result(higher, a + b - higher, LEVEL if won_by == "draw" else VOID)

    def recorded(self, meeting: Meeting, outcome: Outcome) -> None:
        """Once a meeting has no game under way, the games that it still needs follow."""
        self._go_on(meeting.seq)

    def overruled(self, meeting: Meeting) -> None:
        """A meeting of the present round may be decided, or open, by another outcome."""
        at, round_, place = self._where[meeting.seq]
        bracket = self._brackets[at]
        if round_ < len(bracket.rounds):
            return
        if self._stand(bracket.rounds[round_ - 1][place]).won_by is not None:
            self.queue = deque(each for each in self.queue if not self._is_of(each, at, round_, place))
        self._go_on(meeting.seq)

    def _go_on(self, seq: int) -> None:
        at, round_, place = self._where[seq]
        bracket = self._brackets[at]
        duel = bracket.rounds[round_ - 1][place]
        if not any(self._is_of(each, at, round_, place) for each in self.queue):
            self.queue.extend(self._games(at, round_, place, bracket, duel, self._stand(duel)))

    @staticmethod
    def _is_of(pairing: Pairing, at: int, round_: int, place: int) -> bool:
        return pairing.round == round_ and pairing.key[:2] == (at, place)

    # -- interventions ---------------------------------------------------------------------------

    def objection(self, action: Intervention) -> str | None:
        """Nobody joins a bracket that is drawn, and who has played on stays the winner."""
        if action.kind == "restore" or (
            action.kind == "add" and action.added is not None and action.added.twin_of is None
        ):
            if self._brackets:
                return "the bracket is drawn and takes nobody in: start a new run, or use format swiss"
        elif action.kind == "overrule" and action.seq in self._where:
            at, round_, _ = self._where[action.seq]
            if round_ < len(self._brackets[at].rounds):
                return (
                    f"its winner has played on in round {round_ + 1}, which is drawn: "
                    "a match can be overruled until then"
                )
        return super().objection(action)

    # -- what came of it -------------------------------------------------------------------------

    def _outlook(self) -> list[Bracket]:
        """The brackets as far as they are certain: rounds that nobody has to play any more included."""
        if self.queue or self.pending:
            return self._brackets
        brackets, rounds, plays = self._ahead()
        if plays:
            return brackets
        return [
            Bracket(bracket.class_, bracket.seeds, bracket.rounds + rows)
            for bracket, rows in zip(brackets, rounds, strict=True)
        ]

    def _champion(self, bracket: Bracket) -> int | None:
        if bracket.total == 0:
            return next((entrant for entrant in bracket.seeds if self.field.plays(entrant)), None)
        if len(bracket.rounds) < bracket.total:
            return None
        return self._result(bracket, bracket.total, bracket.rounds[-1][0]).winner

    def _third(self, bracket: Bracket) -> int | None:
        """Who won the match for the third place, or is the only one to have lost a semi-final."""
        if bracket.total < 2 or len(bracket.rounds) < bracket.total:
            return None
        if len(bracket.rounds[-1]) > 1:
            return self._result(bracket, bracket.total, bracket.rounds[-1][1]).winner
        semis = [self._result(bracket, bracket.total - 1, duel) for duel in bracket.rounds[-2]]
        losers = [result.loser for result in semis if result.loser is not None]
        return losers[0] if len(losers) == 1 and self.field.plays(losers[0]) else None

    def standings(self) -> list[Standing]:
        """By place in the bracket: rounds passed, those still in first, the third before the fourth; else by
        the fitted rating. The score shown is the rounds won: a walkover is a win, a bye is none."""
        size = len(self.field)
        passed, won, third, alive = [0.0] * size, [0.0] * size, [0.0] * size, [1.0] * size
        for bracket in self._outlook():
            for number, duels in enumerate(bracket.rounds, 1):
                for duel in duels:
                    result = self._result(bracket, number, duel)
                    if result.winner is None or duel.third_place:
                        continue
                    passed[result.winner] += 1
                    won[result.winner] += result.flag != BYE
                    for entrant in (duel.a, duel.b):
                        if entrant is not None and entrant != result.winner:
                            alive[entrant] = 0.0
            best_of_the_beaten = self._third(bracket)
            if best_of_the_beaten is not None:
                third[best_of_the_beaten] = 1.0
        fit = self.field.estimates().entrants
        key: list[tuple[float, ...]] = [(passed[e], alive[e], third[e], fit[e].rating) for e in range(size)]
        return self.field.standings(key, list(won))

    def progress(self) -> Progress:
        """Matches done of those planned and the least that must follow."""
        duels = 0
        for bracket in () if self.finished() else self._brackets or self._seeded():
            begun = len(bracket.rounds)
            if begun == bracket.total:
                continue
            row = [duel for duel in bracket.rounds[-1] if not duel.third_place] if begun else []
            left = sum(duel.a is not None or duel.b is not None for duel in row) or len(bracket.seeds)
            duels += left - 1
            semis = begun == bracket.total - 1
            beaten = sum(duel.both is not None for duel in row) if semis and begun else 2 * (left >= 4)
            duels += self._third_place and beaten == 2
        total = max((bracket.total for bracket in self._brackets), default=0)
        ahead = len(self.queue) + duels * (self._best_of // 2 + 1)
        phase = round_of(self.round, total) if self.round else ""
        return Progress(self.field.applied, self.field.planned + ahead, phase)

    def details(self) -> dict[str, Any]:
        """`{"brackets": {class: {seeds, rounds, champion, third}}}`, the class "" for candidates without one.

        A round is its meetings, the match for the third place last: a and b (null: nobody), winner (null:
        undecided), its games in the order in which they were planned, and a flag where no game decided.
        """
        name = self._name
        return {
            "brackets": {
                bracket.class_ or "": {
                    "seeds": [name(entrant) for entrant in bracket.seeds],
                    "rounds": [
                        [self._told(bracket, number, duel) for duel in duels]
                        for number, duels in enumerate(bracket.rounds, 1)
                    ],
                    "champion": name(self._champion(bracket)),
                    "third": name(self._third(bracket)),
                }
                for bracket in self._outlook()
            }
        }

    def _told(self, bracket: Bracket, round_: int, duel: Duel) -> dict[str, Any]:
        result = self._result(bracket, round_, duel)
        return {
            "a": self._name(duel.a),
            "b": self._name(duel.b),
            "winner": self._name(result.winner),
            "games": [{"seq": seq, "winner": self._won(seq)} for _, seq in duel.games],
            "flag": result.flag,
            "third_place": duel.third_place,
        }

    def _won(self, seq: int) -> str | None:
        """Who won a game: an id, "draw" or "void"; None before it is applied."""
        meeting = self.field.meeting(seq)
        sides = {"a": meeting.step.a, "b": meeting.step.b}
        return None if meeting.winner is None else sides.get(meeting.winner, meeting.winner)

    def _name(self, entrant: int | None) -> str | None:
        return None if entrant is None else self.field.id(entrant)


_TURNED: dict[Winner, Winner] = {"a": "b", "b": "a", "draw": "draw", "void": "void"}
