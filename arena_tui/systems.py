"""`compare: systems`: the systems that made the candidates compete, over the texts of all groups.

Formats without a schedule of rounds (elo, adaptive) and the round robin run once, over the systems, and
each of their matches is dealt to a group; the others run in every group, and one fit pools them.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from random import Random
from typing import TYPE_CHECKING

from arena_tui.candidate import Candidate, Group
from arena_tui.errors import UsageError
from arena_tui.values import counted
from arena_tui.vocabulary import ARENA, ARENA_META

if TYPE_CHECKING:
    from arena_tui.settings import Tournament

DEALT = ("elo", "adaptive", "round_robin")
NOT_SAMPLED = "not among the groups drawn for groups_sample"


def is_dealt(tournament: Tournament) -> bool:
    """True when one format runs over the systems; else a comparison of systems pools what groups played."""
    return tournament.compare == "systems" and tournament.format.kind in DEALT


def chosen_groups(groups: Sequence[Group], tournament: Tournament, seed: int) -> tuple[Group, ...]:
    """The groups as they take part: those that `groups_sample` leaves out are skipped, with that reason."""
    playable = [group.id for group in groups if group.skipped is None]
    wanted = tournament.groups_sample
    if wanted is None or is_dealt(tournament) or wanted >= len(playable):
        return tuple(groups)
    drawn = set(Random(f"{seed}:groups_sample").sample(playable, wanted))
    return tuple(
        replace(group, skipped=NOT_SAMPLED) if group.skipped is None and group.id not in drawn else group
        for group in groups
    )


class Texts:
    """Who wrote what: the systems as entrants of one `arena`, and their text in every group.

    Of several texts of a system in a group the first counts. Raises UsageError where a candidate names no
    system or two systems share no group.
    """

    def __init__(self, groups: Sequence[Group]) -> None:
        self._groups = {group.id: group for group in groups}
        self._texts: dict[str, dict[str, Candidate]] = {}  # by system, by group
        if ARENA in self._groups:
            raise UsageError(f"compare: systems: a group cannot be called {ARENA!r}: rename it in the pool")
        for group in groups:
            for candidate in group.candidates:
                if candidate.system is None:
                    raise UsageError(
                        f"compare: systems needs to know who made each text: candidate {candidate.id!r} of "
                        f"group {group.id!r} names no system (candidates: columns: {{system: ...}})"
                    )
                self._texts.setdefault(candidate.system, {}).setdefault(group.id, candidate)
        self.arena = Group(ARENA, tuple(self._entrant(name) for name in self._texts), meta=ARENA_META)

    def text(self, group: str, system: str) -> Candidate:
        """What the system wrote in the group."""
        return self._texts[system][group]

    def by_group(self) -> dict[tuple[str, str], Candidate]:
        """Every text that may be shown, by (group, system)."""
        return {(group, name): text for name, own in self._texts.items() for group, text in own.items()}

    @property
    def groups(self) -> list[Group]:
        """The groups whose texts are shown, in their order."""
        return list(self._groups.values())

    def group(self, id_: str) -> Group:
        """The group of that id."""
        return self._groups[id_]

    def written_by(self, system: str) -> list[Candidate]:
        """All of a system's texts that are shown, in the order of the groups."""
        return list(self._texts[system].values())

    def shared(self) -> dict[tuple[str, str], list[str]]:
        """By pair of systems (a, b), in both orders: the groups where both have a text, and not the same one.

        UsageError for two that share none: they could never meet.
        """
        found: dict[tuple[str, str], list[str]] = {}
        names = list(self._texts)
        for place, a in enumerate(names):
            for b in names[place + 1 :]:
                ours, theirs = self._texts[a], self._texts[b]
                both = [g for g in self._groups if g in ours and g in theirs]
                both = [g for g in both if ours[g].text_hash != theirs[g].text_hash] or both
                if not both:
                    raise UsageError(
                        f"the systems {a!r} and {b!r} have no group in common, so they could never meet: "
                        "leave one out, or use format swiss, which plays within the groups"
                    )
                found[a, b] = found[b, a] = both
        return found

    def _entrant(self, system: str) -> Candidate:
        texts = self._texts[system]
        classes = {candidate.class_ for candidate in texts.values()}
        if len(classes) > 1:
            several = counted(len(classes), "class", "classes")
            raise UsageError(
                f"compare: systems: the texts of {system!r} belong to {several}, so it is not clear whom it "
                "may meet: leave the classes out, or compare candidates"
            )
        return Candidate(id=system, text="", title=system, group=ARENA, system=system, class_=classes.pop())
