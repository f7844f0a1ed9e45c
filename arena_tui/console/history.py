"""Reading the facts of a run into a ledger: the whole journal, or as it was at an earlier position.

For the thread that holds the reader. All is read in pieces, so that no transaction stays open for long
beside a live writer.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from arena_tui.console.ledger import Ledger
from arena_tui.ratings.elo import k_factor, update
from arena_tui.store import board_rows
from arena_tui.store.board_rows import ActFact, EntrantFact, FlagFact, GroupFact, MatchFact, MatchRow, Rules
from arena_tui.store.reader import Reader
from arena_tui.store.records import Acted
from arena_tui.store.schema import readable
from arena_tui.vocabulary import Winner

SPAN = 4_000  # journal positions a piece: some 20 ms
_SCORES: dict[Winner, float] = {"a": 1.0, "b": 0.0, "draw": 0.5}


@dataclass(frozen=True, slots=True)
class Piece:
    """What the journal says from one position to another, `upto`, beyond which there is `more` or not.

    `flags` come from the comparisons up to number `compared`.
    """

    upto: int
    more: bool
    matches: Sequence[MatchRow]
    acts: Sequence[ActFact]
    added: Sequence[EntrantFact]
    groups: Sequence[GroupFact]
    flags: Sequence[FlagFact]
    compared: int
    rules: Rules

    def overruled(self, since: int) -> bool:
        """An outcome was changed at a position above `since`: earlier matches are not what they were."""
        return any(act.kind == "overrule" and act.pos > since for act in self.acts)

    def in_order(self) -> Iterator[ActFact | EntrantFact | Sequence[MatchRow]]:
        """Additions, actions and the runs of matches between them, in journal order."""
        others: list[ActFact | EntrantFact] = [*self.added, *self.acts]
        others.sort(key=_pos)
        start, matches = 0, self.matches
        for other in others:
            end = start
            while end < len(matches) and matches[end][0] < _pos(other):
                end += 1
            if end > start:
                yield matches[start:end]
            yield other
            start = end
        if start < len(matches):
            yield matches[start:] if start else matches


def _pos(fact: ActFact | EntrantFact) -> int:
    return (fact.pos if isinstance(fact, ActFact) else fact.added_pos) or 0


def read_piece(reader: Reader, after: int, compared: int, rules: Rules, last: int | None = None) -> Piece:
    """The next piece of the journal, all of one moment; not beyond `last`. `rules` are those known so far."""
    with reader.frozen():
        end = reader.last_pos() if last is None else last
        upto = min(end, after + SPAN)
        flags, compared = reader.facts(board_rows.flags, compared)
        acts = reader.facts(board_rows.acts, after, upto)
        if any(act.kind == "settings" for act in acts):
            rules = reader.facts(board_rows.rules)
        return Piece(
            upto=upto,
            more=upto < end,
            matches=reader.facts(board_rows.matches, after, upto, rules),
            acts=acts,
            added=reader.facts(board_rows.added, after, upto),
            groups=reader.facts(board_rows.groups),
            flags=flags,
            compared=compared,
            rules=rules,
        )


def fold(ledger: Ledger, fact: ActFact | EntrantFact | Sequence[MatchRow]) -> None:
    """Hand a fact of a piece to the ledger."""
    if isinstance(fact, ActFact):
        ledger.act(fact)
    elif isinstance(fact, EntrantFact):
        ledger.admit(fact)
    else:
        ledger.apply(fact)


def settle(ledger: Ledger, piece: Piece) -> None:
    """Hand over what of a piece has no place in the journal: where groups stand, and flags."""
    ledger.rules = piece.rules
    for group in piece.groups:
        ledger.open_group(group)
    for group_id, candidate, flag in piece.flags:
        entrant = ledger.find(group_id, candidate)
        if entrant is not None and flag not in entrant.flags:
            ledger.flag(group_id, candidate, (*entrant.flags, flag))
    ledger.reach(piece.upto)


def begin(reader: Reader) -> Ledger:
    """A ledger with the groups and the candidates that were there from the start."""
    with reader.frozen():
        ledger = Ledger(reader.facts(board_rows.rules))
        groups, entrants = reader.facts(board_rows.groups), reader.facts(board_rows.entrants)
    for group in groups:
        ledger.open_group(group)
    for entrant in entrants:
        ledger.admit(entrant)
    return ledger


def load(reader: Reader) -> tuple[Ledger, int]:
    """The ledger of the whole journal, and the number of the last comparison whose flags it has."""
    with readable(reader.path, "the journal"):
        while True:
            known, ledger, compared = reader.last_pos(), begin(reader), 0
            piece = read_piece(reader, 0, compared, ledger.rules)
            overruled = False
            while True:
                overruled = overruled or piece.overruled(known)
                for fact in piece.in_order():
                    fold(ledger, fact)
                settle(ledger, piece)
                compared = piece.compared
                if not piece.more:
                    break
                piece = read_piece(reader, piece.upto, compared, piece.rules)
            if not overruled:  # else rows were rewritten while others of them were being read
                return ledger, compared


def load_at(reader: Reader, pos: int) -> Ledger:
    """The ledger as it was at a journal position: outcomes, ratings, states and candidates as then.

    Groups that play are shown open before the last position.
    """
    with readable(reader.path, "the journal"):
        last, ledger = reader.last_pos(), begin(reader)
        overrules = _overrules(reader)
        then = _Then(reader, ledger, pos, overrules)
        after = compared = 0
        while after < min(pos, last):
            piece = read_piece(reader, after, compared, ledger.rules, min(pos, last))
            for fact in piece.in_order():
                fold(ledger, fact if isinstance(fact, ActFact | EntrantFact) else then.rows(fact))
            settle(ledger, piece)
            after, compared = piece.upto, piece.compared
        if pos < last:
            for group in [board for board in ledger.groups.values() if board.state == "closed"]:
                ledger.open_group(GroupFact(group.id, group.prompt, "open", None, ""))
        if len(_overrules(reader)) == len(overrules):
            return ledger
    return load_at(reader, pos)  # rows were rewritten while others of them were being read


def _overrules(reader: Reader) -> list[Acted]:
    return [act for act in reader.interventions() if act.intervention.kind == "overrule"]


class _Then:
    """Matches as they counted at an earlier position: overrules since then are taken back.

    An overrule rewrites all ratings, or points, of its group that came after the match; they are computed
    anew here, by the same arithmetic in the same order, so they come out as they were to the last bit.
    """

    def __init__(self, reader: Reader, ledger: Ledger, pos: int, overrules: Sequence[Acted]) -> None:
        self._ledger = ledger
        self._outcomes: dict[tuple[str, int], tuple[Winner, bool]] = {}
        self._records: dict[str, dict[str, tuple[float, int]]] = {}
        for later in reversed([act for act in overrules if act.pos > pos]):
            self._undo(later, [act for act in overrules if act.pos <= pos])
        rules = json.loads(reader.meta().get("tournament", "{}")).get("format", {})
        self._constants = {
            name: rules[name] for name in ("new_threshold", "k_new", "k_warm") if name in rules
        }

    def _undo(self, later: Acted, earlier: Iterable[Acted]) -> None:
        action = later.intervention
        if action.group is not None and action.seq is not None:
            which = (action.group, action.seq)
            still = any((act.intervention.group, act.intervention.seq) == which for act in earlier)
            self._outcomes[which] = (action.values["was"], still)
            self._records.setdefault(action.group, {})

    def rows(self, matches: Sequence[MatchRow]) -> Sequence[MatchRow]:
        """These matches as they counted then."""
        return [self._row(MatchFact._make(row)) for row in matches] if self._records else matches

    def _row(self, row: MatchFact) -> MatchRow:
        record = self._records.get(row.group)
        if record is None:
            return row
        winner, overruled = self._outcomes.get((row.group, row.seq), (row.winner, bool(row.overruled)))
        a_before, a_played = record.get(row.a) or self._start(row.group, row.a)
        b_before, b_played = record.get(row.b) or self._start(row.group, row.b)
        a_after, b_after = a_before, b_before
        if winner != "void":
            if self._ledger.rules.kind == "elo":
                k = k_factor(min(a_played, b_played), **self._constants)
                done = update(a_before, b_before, _SCORES[winner], k=k)
                a_after, b_after = done.elo_a_after, done.elo_b_after
            else:
                share = self._share(row, winner, overruled)
                a_after, b_after = a_before + share, b_before + (1.0 - share)
            record[row.a], record[row.b] = (a_after, a_played + 1), (b_after, b_played + 1)
        return row._replace(
            winner=winner,
            a_before=a_before,
            a_after=a_after,
            b_before=b_before,
            b_after=b_after,
            overruled=overruled,
        )

    def _share(self, row: MatchFact, winner: Winner, overruled: bool) -> float:
        """What a match is worth to a: a pivot tournament takes the judge's probability where there is one."""
        soft = self._ledger.rules.kind == "pivot" and row.ab_p is not None
        if soft and row.ab_p is not None and (not overruled or winner == row.played):
            return row.ab_p
        return _SCORES[winner]

    def _start(self, group: str, id_: str) -> tuple[float, int]:
        entrant = self._ledger.find(group, id_)
        if entrant is None:
            raise LookupError(f"a match of {id_!r}, who is not in the group")
        return entrant.start, 0
