"""The moments of a run, one after each applied match of a scope, and what is marked along them. Pure."""

from __future__ import annotations

from bisect import bisect_left

from arena_tui.console.ledger import Entrant, Ledger


class Moments:
    """Moment n is the one after the n-th applied match of a group (None: of the run); 0 is the start."""

    def __init__(self, group: str | None) -> None:
        self.group = group
        self._ledger: Ledger | None = None
        self._seen = 0
        self._indices: list[int] = []

    def look(self, ledger: Ledger) -> None:
        """Take up what a ledger has beyond the last look, or another ledger."""
        if ledger is not self._ledger:
            self._ledger, self._seen, self._indices = ledger, 0, []
        if self.group is not None and self.group in ledger.groups:
            self._indices += ledger.indices_of(self.group, self._seen)
        self._seen = ledger.match_count

    @property
    def indices(self) -> list[int] | None:
        """The indices of the matches counted; None when all are."""
        return None if self.group is None else self._indices

    @property
    def last(self) -> int:
        """The newest moment."""
        return self._seen if self.group is None else len(self._indices)

    def index(self, moment: int) -> int:
        """The index of the match after which a moment above 0 is."""
        return moment - 1 if self.group is None else self._indices[moment - 1]

    def pos(self, moment: int) -> int:
        """The journal position of a moment; 0 for the start."""
        if moment == 0 or self._ledger is None:
            return 0
        return self._ledger.match(self.index(moment)).pos

    def words(self, moment: int | None) -> str:
        """Which moment that is (None: now); not cleaned."""
        if moment is None or self._ledger is None:
            return f"now: after {self.last:,} matches"
        if moment == 0:
            return f"the start, before the first of {self.last:,} matches"
        line = self._ledger.match(self.index(moment))
        told = {"a": "beat", "b": "lost to", "draw": "drew with", "void": "met (void)"}[line.winner]
        return f"after match {moment:,} of {self.last:,}: {line.a.title} {told} {line.b.title}"

    def of_ledger(self, past: Ledger) -> int:
        """The moment at which an earlier ledger stands."""
        if self.group is None:
            return min(past.match_count, self.last)
        return min(past.groups[self.group].applied, self.last) if self.group in past.groups else self.last

    def after(self, count: int) -> int:
        """The moment reached when so many outcomes of the run were applied."""
        return count if self.group is None else bisect_left(self._indices, count)

    def marks(self) -> tuple[tuple[float, str], ...]:
        """Journaled actions, and where each generation first played; as (moment, words not cleaned)."""
        ledger = self._ledger
        if ledger is None:
            return ()
        marks: dict[int, list[str]] = {}
        begun: dict[int, int] = {}
        for entrant in ledger.entrants:
            if entrant.generation > 0 and entrant.history_at and self.group in (None, entrant.group):
                first = self.after(entrant.history_at[0])
                begun[entrant.generation] = min(first, begun.get(entrant.generation, first))
        for generation, first in sorted(begun.items()):
            marks.setdefault(first, []).append(f"gen {generation}")
        for count, act in ledger.acts:
            if act.group is not None and self.group not in (None, act.group):
                continue
            whom = None if act.candidate is None else ledger.find(act.group or "", act.candidate)
            named = act.candidate if whom is None else whom.title
            marks.setdefault(self.after(count), []).append(
                act.kind if named is None else f"{act.kind} {named}"
            )
        return tuple((moment, ", ".join(words)) for moment, words in sorted(marks.items()))

    def began(self, entrant: Entrant) -> int:
        """The moment from which a candidate was there: 0, or that of the action that added it."""
        if self._ledger is not None:
            for count, act in self._ledger.acts:
                if act.kind == "add" and (act.group, act.candidate) == (entrant.group, entrant.id):
                    return self.after(count)
        return 0


def leading(ledger: Ledger, group: str | None, count: int) -> list[Entrant]:
    """The `count` best that have a rank, of several groups the first of each before the second of any."""
    if group is not None and group not in ledger.groups:
        return []
    ranked = [each for each in ledger.board(group) if each.twin_of is None and each.rank]
    if ledger.several or len({each.class_ for each in ranked}) > 1:
        ranked.sort(key=lambda each: (not each.plays, each.rank))
    return ranked[:count]
