"""The figure that a format counts beside ratings, as its result has it: points with byes, rounds won. Pure.

The journal holds matches alone. Who sat out a Swiss round, and who passed a round of a bracket without
winning a game of it, follows from who was in play and met nobody.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field

from arena_tui.store.board_rows import Rules

SCORE_HEADINGS: Mapping[str, str] = {"swiss": "points", "round_robin": "points", "knockout": "rounds won"}
"""What a person counts along, by kind of format; the pivot's is a share of the comparisons."""
VOID_POINTS = 0.5  # of both, in a Swiss: they have met, and nothing speaks for either
WALKOVER = -1  # in place of a number of games: the opponent was rejected in the middle of it


def rounds_won(rounds: Mapping[int, int], games: Mapping[int, int], best_of: int) -> int:
    """The rounds of a bracket that one has won, walkovers included; a bye in the first is none.

    `rounds`: games won less games lost by round; `games`: its valid games by round, 0 where all were void, or
    `WALKOVER`. A round is passed too by who plays a later one; after the first that is lost, which is no
    more than a match for the third place, none counts.
    """
    deepest = max(games, default=0)
    won = 0
    for number in range(1, deepest + 1):
        net, played = rounds.get(number, 0), games.get(number)
        decided = abs(net) > max(0, best_of - (played or 0))
        if net < 0 and (decided or number < deepest):
            break
        if number < deepest:
            won += number > 1 or played is not None
        else:
            won += played == WALKOVER or (net > 0 and decided)
    return won


@dataclass(slots=True)
class _Round:
    """A round as far as its matches are applied: who has met somebody, and the journal position at which the
    first of these matches was planned."""

    planned: int
    met: set[int] = field(default_factory=set)


class SatOut:
    """How often each entrant of a class sat out a Swiss round, by number: assigned byes, requested ones, and
    opponents that were rejected in the middle of a round."""

    __slots__ = ("_changes", "_known", "_rounds", "_walkovers", "rules")

    def __init__(self, rules: Rules) -> None:
        self.rules = rules
        self._rounds: dict[int, _Round] = {}
        self._changes: list[tuple[int, int, bool]] = []  # journal position, who, played before it
        self._walkovers: Counter[int] = Counter()
        self._known: dict[int, tuple[int, ...]] = {}  # by round that is over

    def met(self, round_: int, planned: int, *entrants: int) -> None:
        """Two have met, or were to meet, in a round; the match was planned at that journal position."""
        found = self._rounds.get(round_)
        if found is None:
            found = self._rounds[round_] = _Round(planned)
        found.planned = min(found.planned, planned)
        found.met.update(entrants)

    def walked_over(self, entrant: int) -> None:
        """Its match was not held, since the other was rejected."""
        self._walkovers[entrant] += 1

    def changed(self, pos: int, entrant: int, before: bool) -> None:
        """At that position it came into play or left it; `before`: it was in play until then."""
        self._changes.append((pos, entrant, before))

    def count(self, entrants: Mapping[int, tuple[str, bool]], over: bool) -> Counter[int]:
        """How often each sat out. `entrants`: id and whether it plays now, by number; `over`: the schedule is
        played. A round that is under way counts once only one can be left without a match."""
        total = Counter(self._walkovers)
        numbers = sorted(self._rounds)
        for place, number in enumerate(numbers):
            idle = self._known.get(number)
            if idle is None:
                following = self._rounds[numbers[place + 1]].planned if place + 1 < len(numbers) else None
                idle, complete = self._idle(number, entrants, following, over)
                if complete:
                    self._known[number] = idle
            total.update(idle)
        return total

    def _idle(
        self, number: int, entrants: Mapping[int, tuple[str, bool]], following: int | None, over: bool
    ) -> tuple[tuple[int, ...], bool]:
        """Who sat out a round, and whether that is certain."""
        round_ = self._rounds[number]
        members = self._playing_at(round_.planned, entrants)
        excused = {each for each in members if (entrants[each][0], number) in self.rules.excused}
        left = members - excused - round_.met
        if len(left) <= (len(members) - len(excused)) % 2:
            return tuple(sorted(left | excused)), True
        if following is None and not over:
            return tuple(sorted(excused)), False
        stayed = self._playing_at(following, entrants) if following is not None else _now(entrants)
        return tuple(sorted((left & stayed) | excused)), following is not None

    def _playing_at(self, pos: int, entrants: Mapping[int, tuple[str, bool]]) -> set[int]:
        playing = _now(entrants)
        for at, entrant, before in reversed(self._changes):
            if at <= pos:
                break
            (playing.add if before else playing.discard)(entrant)
        return playing


def _now(entrants: Mapping[int, tuple[str, bool]]) -> set[int]:
    return {number for number, (_, plays) in entrants.items() if plays}


def idle_points(rules: Rules, sat_out: int, voids: int) -> float:
    """The points of a Swiss that come from no outcome."""
    return rules.bye_points * sat_out + VOID_POINTS * voids
