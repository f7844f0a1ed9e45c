"""Which of the matches still owed are played in a round where each has at most one."""

from __future__ import annotations

from collections.abc import Iterable

Key = tuple[int, int, int]  # leg, lower entrant, higher entrant


def matched(owed: Iterable[Key]) -> list[Key]:
    """A maximal matching: who owes most goes first and takes the opponent that owes most.

    Ties go to who stands earlier in `owed`. Of the two legs of a pair at most one is taken.
    """
    theirs: dict[int, list[Key]] = {}
    for key in owed:
        theirs.setdefault(key[1], []).append(key)
        theirs.setdefault(key[2], []).append(key)
    order = {entrant: at for at, entrant in enumerate(sorted(theirs, key=lambda e: -len(theirs[e])))}
    taken: set[int] = set()
    chosen: list[Key] = []
    for entrant in order:
        if entrant in taken:
            continue
        free = [key for key in theirs[entrant] if key[1] not in taken and key[2] not in taken]
        if free:
            key = min(free, key=lambda k: order[k[2] if k[1] == entrant else k[1]])
            taken.update(key[1:])
            chosen.append(key)
    return chosen
