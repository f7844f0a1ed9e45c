"""What `arena verify` adds to the structural check: does the journal give what the database says?

The journal is replayed and each applied match is compared with it: its outcome with what was said in
its comparisons, the outcome in force with the overrules, its rating change with the one computed anew.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import zip_longest

from arena_tui.engine.course import Course
from arena_tui.engine.group import Applied, GroupRun
from arena_tui.engine.refitting import departures
from arena_tui.engine.replay import replay
from arena_tui.engine.stored_state import differences
from arena_tui.errors import StoreError
from arena_tui.facts import WITHDRAWN, Intervention, RatingChange
from arena_tui.judging.base import Verdict
from arena_tui.judging.orders import Combined, combine
from arena_tui.store.applied_rows import AppliedRow
from arena_tui.store.fitted_rows import Fitted
from arena_tui.store.reader import Reader
from arena_tui.store.records import Snapshot
from arena_tui.values import shown, whole_text
from arena_tui.vocabulary import Orientation, Winner

SHOWN = 20  # problems that are named

Key = tuple[str, int]  # a match: its group, and its number there as planned or as applied


class Witness:
    """What only the replay itself sees. `withdrawn` holds matches (as planned) that were withdrawn when
    their turn came, `overruled` the outcomes in force (as planned) with the journal positions of the
    overrules, `unrated` matches (as applied) of which the ratings were told nothing, `snapshots` those
    that the outcomes caused, `misplaced` what is wrong with the places of actions, `refits` with the fits
    that were kept."""

    def __init__(self, fitted: Iterable[Fitted] = ()) -> None:
        self.refits: list[str] = []
        self._fitted = list(fitted)[::-1]  # the first is the last one in here
        self.withdrawn: set[Key] = set()
        self.overruled: dict[Key, tuple[Winner, int]] = {}
        self.unrated: set[Key] = set()
        self.snapshots: list[Snapshot] = []
        self.misplaced: list[str] = []

    def reached(self, course: Course) -> None:
        """The course is where its position says: fits that were kept there are made again."""
        while self._fitted and self._fitted[-1].pos <= course.pos:
            stored = self._fitted.pop()
            group = course.groups.get(stored.group)
            if group is None:
                self.refits.append(f"group {stored.group}: a fit is stored, and it plays no match")
            else:
                self.refits += departures(stored, group)

    def applied(self, group: GroupRun, seq: int, applied: Applied, *, withdrawn: bool) -> None:
        """An outcome was applied."""
        taken, number = applied.snapshot, applied.outcome.applied_no
        if taken is not None:
            self.snapshots.append(Snapshot(group.id, number, taken.top, taken.stable))
        if withdrawn:
            self.withdrawn.add((group.id, seq))
        if applied.change is None:
            self.unrated.add((group.id, applied.outcome.applied_no))

    def at_end(self) -> None:
        """The journal is read."""
        self.refits += [
            f"group {each.group}: its fit is stored for position {each.pos}, which the journal does not have"
            for each in self._fitted
        ]

    def acted(self, pos: int, stored: int, after: int) -> None:
        """An action took effect `after` applied outcomes; `stored` is what its row says."""
        if stored != after:
            self.misplaced.append(
                f"the action at position {pos} took effect after {after} outcomes, its row says {stored}"
            )

    def overruled_by(self, action: Intervention, pos: int, first: int) -> None:
        """An outcome was overruled; from application number `first` on all ratings were written anew."""
        assert action.group is not None
        assert action.seq is not None
        assert action.winner is not None
        self.overruled[action.group, action.seq] = (action.winner, pos)
        self.unrated = {key for key in self.unrated if key[0] != action.group or key[1] < first}


def refold(reader: Reader) -> list[str]:
    """What differs between the database and a refold of its journal, one sentence each."""
    witness = Witness(reader.fitted())
    try:
        course = replay(reader, witness=witness)
        witness.at_end()
    except StoreError as error:
        return [str(error)]
    problems = [*witness.misplaced, *witness.refits, *differences(reader, course, witness.snapshots)][:SHOWN]
    stored = reader.ratings()
    for group in course.groups.values():
        for problem in _of_matches(reader, group, witness):
            problems.append(problem)
            if len(problems) == SHOWN:
                return [*problems, "... and perhaps more"]
        for score in group.format.scores():
            rating = stored.get((group.id, score.id))
            if rating != (score.rating, score.matches):
                problems.append(
                    f"group {group.id}, {score.id}: stored rating {rating} differs from the "
                    f"journal's {(score.rating, score.matches)}"
                )
    return problems


def _of_matches(reader: Reader, group: GroupRun, witness: Witness) -> Iterator[str]:
    rows = reader.applied_rows(group.id)
    for number, (row, change) in enumerate(zip_longest(rows, group.format.history()), 1):
        if row is None or change is None:
            yield f"group {group.id}, match {number}: the journal and the matches hold different outcomes"
            return
        where = f"group {group.id}, match {row.applied_no}"
        for problem in (*_of_outcome(row, group.id, witness), *_of_ratings(row, change, group.id, witness)):
            yield f"{where}: {problem}"


def _of_outcome(row: AppliedRow, group: str, witness: Witness) -> Iterator[str]:
    """The outcome against what was said; a withdrawn match is void whatever was said of it."""
    if (group, row.seq) in witness.withdrawn:
        said = Combined("void", None, WITHDRAWN, (), None, "")
    elif set(row.said) != set(row.orders):
        yield f"verdicts are stored for {_orders(row.said)}, planned were {_orders(row.orders)}"
        return
    else:
        verdicts = {order: Verdict(v.verdict, v.p_first, v.reason, v.flags) for order, v in row.said.items()}
        said = combine(verdicts, row.mode)
    for what, stored, expected in (
        ("outcome", row.played, said.winner),
        ("probability", row.p_a, said.p_a),
        ("reason", row.reason, whole_text(said.reason)),
        ("rationale", row.rationale, whole_text(said.rationale)),
        ("flags", row.flags, said.flags),
        ("order consistency", row.order_consistent, said.order_consistent),
    ):
        if stored != expected:
            yield f"its stored {what} {_short(stored)} differs from what was said, {_short(expected)}"
    winner, pos = witness.overruled.get((group, row.seq), (row.played, None))
    if (row.winner, row.overruled_by) != (winner, pos):
        yield (
            f"the stored outcome in force {(row.winner, row.overruled_by)} differs from the "
            f"journal's {(winner, pos)}"
        )


def _of_ratings(row: AppliedRow, change: RatingChange, group: str, witness: Witness) -> Iterator[str]:
    expected: tuple[float | None, ...] = (None,) * 6
    if (group, row.applied_no) not in witness.unrated:
        c = change
        expected = (c.a_before, c.a_after, c.b_before, c.b_after, c.expected_a, c.k)
    if row.numbers != expected:
        yield f"stored ratings {list(row.numbers)} differ from the journal's {list(expected)}"


def _short(value: object) -> str:
    return shown(value) if isinstance(value, str) else repr(value)


def _orders(orders: Iterable[Orientation]) -> str:
    return " and ".join(orders) or "no order"
