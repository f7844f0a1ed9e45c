"""What has happened in a Swiss tournament: its rounds, who sat out and why, and the scores that follow.

Everything is a fold of the field's meetings under the outcomes that count now, the planned rounds, and who
was rejected in the middle of one.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from arena_tui.formats.field import Field
from arena_tui.formats.meetings import Meeting
from arena_tui.formats.swiss_rounds import EXCUSED, Pair, Round
from arena_tui.formats.swiss_scores import ScoreSheet

VOID_SCORE = 0.5  # of both, for pairing: they have met, and nothing speaks for either


class SwissHistory:
    """The rounds of one group. `rest` are the pairs of the last one that were not handed out yet."""

    def __init__(self, field: Field, bye_points: float) -> None:
        self.field = field
        self.rounds: list[Round] = []
        self.rest: list[Pair] = []
        self._bye_points = bye_points
        self._pairs: list[Pair] = []  # handed out, by seq - 1
        self._withdrawn: dict[int, tuple[int, ...]] = {}  # by seq: who was rejected before the outcome
        self._dropped: list[tuple[int, int, int]] = []  # as `_walkovers`, whose pair was never handed out

    def copy(self, field: Field) -> SwissHistory:
        """An independent copy over a copy of the field; pairs and rounds never change."""
        twin = SwissHistory(field, self._bye_points)
        twin.rounds, twin.rest, twin._pairs = self.rounds[:], self.rest[:], self._pairs[:]
        twin._withdrawn, twin._dropped = self._withdrawn.copy(), self._dropped[:]
        return twin

    @property
    def number(self) -> int:
        """The number of the last planned round; 0 before the first."""
        return self.rounds[-1].number if self.rounds else 0

    @property
    def is_open(self) -> bool:
        """True while the last round has matches without an outcome."""
        return bool(self.rest) or self.field.planned > self.field.applied

    def schedule(self, class_: str | None) -> tuple[int, int] | None:
        """The rounds a class has taken part in, and all that it has; None before its first."""
        of_class = [round_.brackets[class_] for round_ in self.rounds if class_ in round_.brackets]
        return (len(of_class), of_class[0].rounds) if of_class else None

    def begin(self, round_: Round) -> None:
        """The next round is planned."""
        self.rounds.append(round_)
        self.rest = list(round_.pairs)

    def hand_out(self) -> None:
        """The first pair of the rest is a planned match now."""
        self._pairs.append(self.rest.pop(0))

    def left(self, entrant: int) -> None:
        """An entrant was rejected: its match of this round is not held."""
        for pair in [pair for pair in self.rest if entrant in (pair.a, pair.b)]:
            self.rest.remove(pair)
            self._dropped.append((self.number, pair.b if pair.a == entrant else pair.a, entrant))
        if self.field.pending[entrant]:  # one at most, and its latest
            meeting = next(m for m in reversed(self.field.meetings) if entrant in (m.a, m.b))
            gone = self._withdrawn.get(meeting.seq, ())
            self._withdrawn[meeting.seq] = (*gone, entrant)

    def sheet(self) -> ScoreSheet:
        """Scores, meetings, byes and slots so far. Games before byes: equal records give equal bits."""
        sheet = ScoreSheet(len(self.field))
        for meeting in self.field.meetings:
            if self._is_withdrawn(meeting):
                sheet.forfeited(meeting.a, meeting.b, 0.0, 0.0)
                continue
            if meeting.winner is None:
                share = 0.0, 0.0
            else:
                share = self.field.share(meeting) or (VOID_SCORE, VOID_SCORE)
            sheet.played(meeting.a, meeting.b, *share)
            sheet.stood(meeting.a, meeting.b, both=len(meeting.orders) == 2)
        for round_ in self.rounds:
            for bracket in round_.brackets.values():
                if bracket.bye is not None:
                    sheet.idle(bracket.bye, self._bye_points, assigned=True)
                for entrant in bracket.excused:
                    sheet.idle(entrant, self._bye_points, assigned=False)
        for _, entrant, _ in self._walkovers():
            sheet.idle(entrant, self._bye_points, assigned=False)
        return sheet

    def _is_withdrawn(self, meeting: Meeting) -> bool:
        return meeting.seq in self._withdrawn and meeting.winner in (None, "void")

    def _walkovers(self) -> Iterator[tuple[int, int, int]]:
        """(round, entrant, the opponent that was rejected in mid-round): byes that bar no other."""
        yield from self._dropped
        for seq, gone in self._withdrawn.items():
            meeting = self.field.meeting(seq)
            if self._is_withdrawn(meeting):
                for entrant in (meeting.a, meeting.b):
                    if entrant not in gone:
                        yield meeting.round or 0, entrant, gone[0]

    # -- what is told of it ----------------------------------------------------------------------

    def idle(self, class_: str | None) -> dict[str, list[list[str]]]:
        """The ids of those of a class that sat out, by kind and round: one list for every round so far."""
        id_ = self.field.id
        byes, excused, walkovers = ([list[str]() for _ in range(self.number)] for _ in range(3))
        for round_ in self.rounds:
            bracket = round_.brackets.get(class_)
            if bracket is not None:
                byes[round_.number - 1] += [] if bracket.bye is None else [id_(bracket.bye)]
                excused[round_.number - 1] += map(id_, bracket.excused)
        for number, entrant, _ in self._walkovers():
            if self.field.entrants[entrant].class_ == class_:
                walkovers[number - 1].append(id_(entrant))
        return {"byes": byes, "excused": excused, "walkovers": walkovers}

    def order_consistency(self) -> float | None:
        """The share of the matches read in both orders whose two verdicts agreed."""
        said = [meeting.consistent for meeting in self.field.meetings]
        known = [each for each in said if each is not None]
        return sum(known) / len(known) if known else None

    def pairings(self) -> Iterator[dict[str, Any]]:
        """Round by round: every match with the scores that made it, then those who sat out, and why."""
        rows: dict[int, list[dict[str, Any]]] = {round_.number: [] for round_ in self.rounds}
        for meeting, pair in zip(self.field.meetings, self._pairs, strict=True):
            step = meeting.step
            row = self._row(step.round or 0, pair.a, step.why, pair.score_a)
            row |= {"seq": step.seq, "b": step.b, "score_b": pair.score_b, "orders": "+".join(step.orders)}
            rows[row["round"]].append(row | {"order_consistent": meeting.consistent})
        for round_ in self.rounds:
            for bracket in round_.brackets.values():
                if bracket.bye is not None:
                    rows[round_.number].append(self._row(round_.number, bracket.bye, bracket.why_bye))
                rows[round_.number] += [self._row(round_.number, e, EXCUSED) for e in bracket.excused]
        for number, entrant, gone in self._walkovers():
            rows[number].append(self._row(number, entrant, f"bye: {self.field.id(gone)} was rejected"))
        for of_round in rows.values():
            yield from of_round

    def _row(self, number: int, entrant: int, why: str, score: float | None = None) -> dict[str, Any]:
        candidate = self.field.entrants[entrant]
        return {
            "group": self.field.group,
            "class": candidate.class_,
            "round": number,
            "seq": None,
            "a": candidate.id,
            "b": None,
            "why": why,
            "score_a": score,
            "score_b": None,
            "orders": None,
            "order_consistent": None,
        }
