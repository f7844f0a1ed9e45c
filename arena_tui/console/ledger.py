"""A run as its journal tells it, for screens: a pure fold of facts into boards, records and histories.

Live, followed from another process, reopened next week or replayed at an earlier moment, it is the same
fold over the same facts; `feed` brings them. Figures lie in arrays: 100,000 matches take some 7 MB.
"""

from __future__ import annotations

from array import array
from collections.abc import Iterable, Iterator, Sequence
from heapq import merge
from itertools import count

from arena_tui.console.boards import GroupBoard, MatchLine
from arena_tui.console.entrants import (
    MOVEMENT,
    Entrant,
    Table,
    Twin,
    count_dealt,
    count_met,
    count_round,
    count_unplayed,
)
from arena_tui.console.fit_facts import GroupFit, fit_rows
from arena_tui.store.board_rows import USUAL, ActFact, EntrantFact, GroupFact, MatchRow, Rules
from arena_tui.vocabulary import ARENA, PLAYING, Mode, Winner

__all__ = ["MOVEMENT", "Entrant", "GroupBoard", "Ledger", "MatchLine"]

_WINNERS: tuple[Winner, ...] = ("a", "b", "draw", "void", "void")
_WITHDRAWN = 4
_MODES: tuple[Mode, ...] = ("pairwise", "debate", "score")
_series = count()
_WINNER_CODE = {"a": 0, "b": 1, "draw": 2, "void": 3}
_MODE_CODE = {mode: code for code, mode in enumerate(_MODES)}


class Ledger:
    """The fold. `revision` grows with every fact that changes something, and no two ledgers share one, so
    that a screen never takes one for another; `pos` is the journal position it has reached, `rules` what of
    the settings matters here."""

    def __init__(self, rules: Rules = USUAL) -> None:
        self.rules = rules
        self.revision = next(_series) << 40
        self.pos = 0
        self.groups: dict[str, GroupBoard] = {}
        self.entrants: list[Entrant] = []
        self.acts: list[tuple[int, ActFact]] = []  # each with how many outcomes were applied before it
        self._boards: list[GroupBoard] = []
        self._match_pos = array("I")
        self._match_group = array("I")
        self._match_seq = array("I")
        self._match_a = array("I")
        self._match_b = array("I")
        self._match_mode = array("B")
        self._match_winner = array("B")
        self._match_a_change = array("d")
        self._match_b_change = array("d")
        self._match_overruled = array("B")
        self._match_at = array("I")  # 0: nowhere else
        self._places: list[str | None] = [None]
        self._place_of: dict[str | None, int] = {None: 0}

    # --- facts ---------------------------------------------------------------------------------

    def open_group(self, fact: GroupFact) -> None:
        """A group of the run, or its end: told again it replaces state and stop reason."""
        board = self.groups.get(fact.id)
        if board is None:
            board = GroupBoard(fact.id, len(self._boards), fact.prompt, category=fact.category)
            self.groups[fact.id] = board
            self._boards.append(board)
        elif (board.state, board.stop_reason, board.stop_detail) == fact[2:5]:
            return
        board.state, board.stop_reason, board.stop_detail = fact.state, fact.stop_reason, fact.stop_detail
        for table in board.tables.values():
            table.over = board.stop_reason == "COMPLETED"
            table.recount()
        self.revision += 1

    def admit(self, fact: EntrantFact) -> Entrant:
        """A candidate that is there from the start, or was added later."""
        board = self.groups[fact.group]
        number = len(self.entrants)
        title = fact.title if fact.title.strip() else fact.id
        original = None if fact.twin_of is None else board.by_id.get(fact.twin_of)
        entrant: Entrant
        if original is not None:
            entrant = Twin(original, number, title, fact)
            board.twins.setdefault(original.id, []).append(entrant)
        else:
            table = board.tables.get(fact.class_)
            if table is None:
                table = board.tables[fact.class_] = Table(board.recent, self.rules)
            entrant = Entrant(
                number=number,
                group=fact.group,
                id=fact.id,
                title=title,
                class_=fact.class_,
                system=fact.system,
                parent_ids=fact.parent_ids,
                generation=fact.generation,
                twin_of=fact.twin_of,
                state=fact.state,
                start=fact.start,
                rating=fact.start,
                table=table,
                entered=fact.state in PLAYING and board.state != "skipped",
                index=len(board.rivals),
            )
            table.over = board.stop_reason == "COMPLETED"
            if fact.added_pos is not None:
                table.sitting.changed(fact.added_pos, number, False)
                table.recount()
            board.rivals.append(entrant)
            board.changes += 1
            table.touch(entrant)
        self.entrants.append(entrant)
        board.entrants.append(entrant)
        board.by_id[fact.id] = entrant
        for parent in dict.fromkeys(fact.parent_ids):
            board.children.setdefault(parent, []).append(entrant)
        self.revision += 1
        return entrant

    def apply(self, facts: Iterable[MatchRow]) -> None:
        """Applied matches in journal order, under the outcomes in force."""
        groups = self.groups
        first = index = self.match_count
        add_pos, add_group, add_seq = self._match_pos.append, self._match_group.append, self._match_seq.append
        add_a, add_b = self._match_a.append, self._match_b.append
        add_mode, add_winner = self._match_mode.append, self._match_winner.append
        add_a_change, add_b_change = self._match_a_change.append, self._match_b_change.append
        add_overruled, add_at = self._match_overruled.append, self._match_at.append
        played: dict[str, GroupBoard] = {}
        for (
            pos,
            group,
            seq,
            a_id,
            b_id,
            mode,
            winner,
            a_before,
            a_after,
            b_before,
            b_after,
            overruled,
            withdrawn,
            said,
            ab,
            ab_p,
            ba,
            ba_p,
            round_,
            at_group,
            planned,
        ) in facts:
            board = played[group] = groups[group]
            a, b = board.by_id[a_id], board.by_id[b_id]
            code = _WITHDRAWN if withdrawn else _WINNER_CODE[winner]
            a_change = b_change = 0.0
            if code >= 3 or a_after is None or b_after is None:
                for each in (a, b):
                    if each.unrated_at is None:
                        each.unrated_at = array("I")
                    each.unrated_at.append(index)
                    each.voids += code == 3
                if round_ is not None and planned is None:
                    count_unplayed(a, b, round_, withdrawn=code == _WITHDRAWN)
            else:
                a_change, b_change = a_after - (a_before or 0.0), b_after - (b_before or 0.0)
                a.rating = a_after
                a.history.append(a_after)
                a.history_at.append(index)
                a.table.touch(a)
                b.rating = b_after
                b.history.append(b_after)
                b.history_at.append(index)
                b.table.touch(b)
                if code == 0:
                    a.wins += 1
                    b.losses += 1
                elif code == 1:
                    a.losses += 1
                    b.wins += 1
                else:
                    a.draws += 1
                    b.draws += 1
                if round_ is not None and planned is None:
                    count_round(a, b, round_, code)
                if at_group is not None:
                    count_dealt(a, b, at_group, code)
            if round_ is not None and planned is not None:
                count_met(a, b, round_, planned, withdrawn=code == _WITHDRAWN)
            cluster = board.clusters.setdefault(at_group, len(board.clusters))
            rows = fit_rows(a.index, b.index, winner, said if overruled else None, ab, ab_p, ba, ba_p)
            if rows:
                board.rows.add(seq, rows, cluster=cluster)
            add_pos(pos)
            add_group(board.number)
            add_seq(seq)
            add_a(a.number)
            add_b(b.number)
            add_mode(_MODE_CODE[mode])
            add_winner(code)
            add_a_change(a_change)
            add_b_change(b_change)
            add_overruled(overruled)
            add_at(0 if at_group is None else self._placed(at_group))
            index += 1
            at = board.at
            if seq > len(at):
                at.frombytes(bytes(at.itemsize * (seq - len(at))))
            at[seq - 1] = index
            if code != _WITHDRAWN:
                board.recent.append((index - 1, a, b))
            board.applied += 1
        if played:
            self.revision += index - first
            self.pos = max(self.pos, self._match_pos[-1])
        for board in played.values():
            board.changes += 1
            for table in board.tables.values():
                table.aged()

    def _placed(self, group: str) -> int:
        number = self._place_of.get(group)
        if number is None:
            number = self._place_of[group] = len(self._places)
            self._places.append(group)
        return number

    def take_fit(self, fit: GroupFit) -> None:
        """What the comparisons of a group say of its candidates, as of some moment up to now."""
        board = self.groups[fit.group]
        board.fit = fit
        ordered = self.rules.kind not in ("elo", "pivot")
        for entrant, told in zip(board.rivals, fit.entrants, strict=False):
            entrant.fitted, entrant.low, entrant.high, entrant.rank_low, entrant.rank_high, entrant.p_best = (
                told
            )
            if ordered:
                entrant.table.touch(entrant)
        self.revision += 1

    def act(self, fact: ActFact) -> None:
        """A journaled action: kept in `acts`, and a change of a candidate's state shows."""
        self.pos = max(self.pos, fact.pos)
        self.acts.append((self.match_count, fact))
        if fact.candidate is None or fact.state is None or fact.group not in self.groups:
            return
        entrant = self.groups[fact.group].by_id.get(fact.candidate)
        if entrant is not None and entrant.state != fact.state:
            before = entrant.plays
            entrant.state = fact.state
            if not isinstance(entrant, Twin) and entrant.plays != before:
                entrant.table.sitting.changed(fact.pos, entrant.number, before)
                entrant.table.recount()
            self.groups[fact.group].changes += 1
            self.revision += 1
            if not isinstance(entrant, Twin):
                entrant.entered = entrant.entered or entrant.plays
                entrant.table.touch(entrant)

    def flag(self, group: str, id_: str, flags: tuple[str, ...]) -> None:
        """What the judges' verdicts say of a candidate's text; replaces what was known."""
        entrant = self.find(group, id_)
        if entrant is not None and entrant.flags != flags:
            entrant.flags = flags
            self.revision += 1

    def reach(self, pos: int) -> None:
        """All facts up to that journal position are told; what else stands there shows nowhere."""
        self.pos = max(self.pos, pos)

    # --- views ---------------------------------------------------------------------------------

    @property
    def playing(self) -> list[GroupBoard]:
        """The groups that hold matches: all that were not skipped."""
        return [board for board in self._boards if board.state != "skipped"]

    @property
    def several(self) -> bool:
        """True when a match has to be told by its group too."""
        return len(self.groups) > 1 and not (self.rules.dealt and len(self.playing) == 1)

    def group_name(self, group: str) -> str:
        """What people read for a group's id; not cleaned."""
        return "all groups" if self.rules.dealt and group == ARENA else group

    def find(self, group: str, id_: str) -> Entrant | None:
        """The entrant, None when there is none of that name."""
        board = self.groups.get(group)
        return None if board is None else board.by_id.get(id_)

    def children(self, entrant: Entrant) -> Sequence[Entrant]:
        """Those that name it as a parent, in admission order."""
        return self.groups[entrant.group].children.get(entrant.id, ())

    def twins(self, entrant: Entrant) -> Sequence[Entrant]:
        """The later candidates of equal text."""
        return self.groups[entrant.group].twins.get(entrant.id, ())

    def board(self, group: str | None = None) -> list[Entrant]:
        """Everybody of a group as standings have them: class after class, best first, then those out of play,
        then those who never played (rank 0), each followed by its twins. None: all groups that were not
        skipped, one after the other."""
        boards = self.playing if group is None else [self.groups[group]]
        shown: list[Entrant] = []
        for board in boards:
            for table in board.tables.values():
                if board.twins:
                    for entrant in table.ranked():
                        shown.append(entrant)
                        shown += board.twins.get(entrant.id, ())
                else:
                    shown += table.ranked()
        return shown

    @property
    def match_count(self) -> int:
        """How many outcomes are applied."""
        return len(self._match_seq)

    def match(self, index: int) -> MatchLine:
        """The applied match of that index, from 0 in journal order; IndexError beyond the last."""
        return MatchLine(
            index if index >= 0 else index + self.match_count,
            self._match_pos[index],
            self._boards[self._match_group[index]].id,
            self._match_seq[index],
            self.entrants[self._match_a[index]],
            self.entrants[self._match_b[index]],
            _MODES[self._match_mode[index]],
            _WINNERS[self._match_winner[index]],
            self._match_a_change[index],
            self._match_b_change[index],
            bool(self._match_overruled[index]),
            self._match_winner[index] == _WITHDRAWN,
            self._places[self._match_at[index]],
        )

    def indices_of(self, group: str, since: int = 0) -> list[int]:
        """The indices, from `since` on, of the applied matches of a group."""
        number = self.groups[group].number
        return [index for index, each in enumerate(self._match_group[since:], since) if each == number]

    def find_match(self, group: str, seq: int) -> MatchLine | None:
        """The applied match number `seq` of a group; None before it is applied."""
        board = self.groups.get(group)
        index = 0 if board is None or not 0 < seq <= len(board.at) else board.at[seq - 1]
        return self.match(index - 1) if index else None

    def matches_of(self, entrant: Entrant) -> Iterator[MatchLine]:
        """Its applied matches, newest first; void and withdrawn ones included."""
        for index in merge(reversed(entrant.history_at), reversed(entrant.unrated_at or ()), reverse=True):
            yield self.match(index)
