"""Who is in the run and in which state; which interventions each state allows.

Candidate states change only by journaled interventions. Everything is checked here *before* it is
journaled, so that a format never meets an action it has to refuse.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable
from dataclasses import replace
from itertools import islice

from arena_tui.candidate import Candidate, Group
from arena_tui.errors import RefusedAction
from arena_tui.facts import Intervention
from arena_tui.values import did_you_mean
from arena_tui.vocabulary import PLAYING, CandidateState

COMPARED = 2_000  # ids that an unknown one is compared with: some 0.1 s
TRANSITIONS: dict[str, dict[CandidateState, CandidateState]] = {
    "pin": {"in_tournament": "pinned"},
    "unpin": {"pinned": "in_tournament"},
    "reject": {
        "draft": "rejected",
        "reviewed": "rejected",
        "in_tournament": "rejected",
        "pinned": "rejected",
        "quarantined": "rejected",
    },
    "restore": {"rejected": "in_tournament", "quarantined": "in_tournament", "retired": "in_tournament"},
}
"""action -> state before -> state after; every pair that is not here is refused by name."""


def unknown_group(group: str, known: Collection[str]) -> RefusedAction:
    """The refusal of a group that the run does not have, with the near one or the first few it has."""
    has = did_you_mean(group, known) or f"it has {', '.join(list(known)[:5])}"
    return RefusedAction(f"the run has no group {group!r}; {has}")


class Roster:
    """All candidates of a run by (group, id), twins among them, with their present states.

    `acted_on` are the groups whose candidates actions may name; None: all.
    """

    def __init__(self, groups: Iterable[Group], acted_on: Collection[str] | None = None) -> None:
        self._groups: dict[str, dict[str, Candidate]] = {}
        self._states: dict[tuple[str, str], CandidateState] = {}
        self._by_text: dict[tuple[str, str, str | None], str] = {}
        self._acted_on = acted_on
        for group in groups:
            members = self._groups[group.id] = {}
            for candidate in group.candidates:
                members[candidate.id] = candidate
                self._states[group.id, candidate.id] = candidate.state
                self._by_text.setdefault((group.id, candidate.text_hash, candidate.class_), candidate.id)

    def get(self, group: str, id_: str) -> Candidate:
        """The candidate as it was admitted."""
        return self._groups[group][id_]

    def members(self, group: str) -> Iterable[Candidate]:
        """The group's candidates in the order of their admission."""
        return self._groups[group].values()

    def state(self, group: str, id_: str) -> CandidateState:
        """The present state."""
        return self._states[group, id_]

    def plays(self, group: str, id_: str) -> bool:
        """True for entrants that may be paired."""
        return self._states[group, id_] in PLAYING and self._groups[group][id_].twin_of is None

    def locate(self, id_: str, group: str | None = None) -> tuple[str, Candidate]:
        """The one candidate that `id_` (or `group:id`) names, or RefusedAction saying what is known."""
        groups = {n: m for n, m in self._groups.items() if self._acted_on is None or n in self._acted_on}
        found = [
            (name, members[id_])
            for name, members in groups.items()
            if id_ in members and group in (None, name)
        ]
        if not found and group is None and ":" in id_:
            for name, members in groups.items():
                rest = id_.removeprefix(f"{name}:")
                if rest != id_ and rest in members:
                    found.append((name, members[rest]))
        if not found and id_.endswith("…"):  # a shortened id, as a screen shows it
            found = [
                (name, candidate)
                for name, members in groups.items()
                if group in (None, name)
                for candidate in members.values()
                if len(id_) > 1 and candidate.id.startswith(id_[:-1])
            ]
            if len(found) > 1:
                named = ", ".join(candidate.id for _, candidate in found[:3])
                raise RefusedAction(f"{id_!r} is the beginning of {len(found)} ids, give more of it: {named}")
        if not found:
            everyone = (known for members in groups.values() for known in members)
            near = did_you_mean(id_, islice(everyone, COMPARED)) if len(id_) < 200 else ""
            raise RefusedAction(f"no candidate has the id {id_!r}; {near or '`arena show RUN` lists them'}")
        if len(found) > 1:
            names = ", ".join(f"{name}:{id_}" for name, _ in found[:3])
            raise RefusedAction(f"the id {id_!r} stands in {len(found)} groups; say which, as in {names}")
        return found[0]

    def new_state(self, action: Intervention) -> CandidateState | None:
        """The state the action's candidate gets, None when it does not change one; refuses by name."""
        table = TRANSITIONS.get(action.kind)
        if table is None or action.group is None or action.candidate is None:
            return None
        self._refuse_twin(action.group, action.candidate, action.kind)
        before = self.state(action.group, action.candidate)
        if before not in table:
            allowed = ", ".join(sorted(table))
            raise RefusedAction(
                f"{action.candidate!r} is {before} and cannot be {_PAST[action.kind]}; "
                f"that takes one that is {allowed}"
            )
        return table[before]

    def require_playing(self, group: str, id_: str, action: str) -> None:
        """Refuse `focus` and `match` for one who may not play."""
        self._refuse_twin(group, id_, action)
        if not self.plays(group, id_):
            raise RefusedAction(f"{id_!r} is {self.state(group, id_)} and plays no match; restore it first")

    def admit(self, group: str, candidate: Candidate) -> Candidate:
        """`candidate` as it will stand in `group`: a twin if its text is there already."""
        if group not in self._groups:
            raise unknown_group(group, self._groups)
        if candidate.id in self._groups[group]:
            raise RefusedAction(f"the group {group!r} already has a candidate {candidate.id!r}")
        original = self._by_text.get((group, candidate.text_hash, candidate.class_))
        return replace(candidate, group=group, twin_of=original)

    def apply(self, action: Intervention) -> None:
        """Fold a journaled intervention into the states."""
        if action.kind == "add" and action.added is not None and action.group is not None:
            added = action.added
            self._groups[action.group][added.id] = added
            self._states[action.group, added.id] = added.state
            self._by_text.setdefault((action.group, added.text_hash, added.class_), added.id)
            return
        state = self.new_state(action)
        if state is not None and action.group is not None and action.candidate is not None:
            self._states[action.group, action.candidate] = state

    def _refuse_twin(self, group: str, id_: str, action: str) -> None:
        original = self.get(group, id_).twin_of
        if original is not None:
            raise RefusedAction(f"{id_!r} is a twin of {original!r} (equal text): {action} that one")


_PAST = {"pin": "pinned", "unpin": "unpinned", "reject": "rejected", "restore": "restored"}
