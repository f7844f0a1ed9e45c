"""Who meets whom in one round of a Swiss tournament: a pure search over a list ordered by score.

Nobody meets a second time, and of an odd number one sits out. A depth-first search pairs each with the
next below it and steps back where that leaves somebody without an opponent; its steps are counted, not
timed, so that it gives up at the same place on every replay. Then a minimum-cost perfect matching by
Edmonds' blossom algorithm decides, in which the bye is one more vertex: what it finds is legal, or
nothing is.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from math import gcd
from random import Random

STEPS_PER_ENTRANT = 20  # measured: a search over log2 N rounds takes 1 to 2
NEAREST = 24  # opponents next below that the matching is first tried with: a full graph of 256 takes 5 s

Pairs = tuple[tuple[int, int], ...]


@dataclass(frozen=True, slots=True)
class Paired:
    """A legal round: pairs in the order of the list (the higher first) and who sits out, if one must.

    `matched`: the search gave up, and the matching decided.
    """

    pairs: Pairs
    bye: int | None
    matched: bool = False


def pair_round(
    order: Sequence[int],
    scores: Sequence[float],
    met: Sequence[Collection[int]],
    byes: Sequence[int],
    *,
    steps_per_entrant: int = STEPS_PER_ENTRANT,
) -> Paired | None:
    """Pair all of `order` (best score first), one bye excepted where their number is odd; None: impossible.

    `scores`, `met` (whom one may not meet again) and `byes` (those assigned before) are by entrant. The
    bye goes to the lowest in the list that leaves a legal round, among those with the fewest byes so far:
    nobody has a second one while anybody has none. Pairs have small gaps of score, top down.
    """
    size = len(order)
    at = {entrant: position for position, entrant in enumerate(order)}
    closed = [{at[other] for other in met[entrant] if other in at} for entrant in order]
    eligible: list[int] = []
    if size % 2:
        fewest = min(byes[entrant] for entrant in order)
        eligible = [p for p in reversed(range(size)) if byes[order[p]] == fewest]
    steps = steps_per_entrant * size
    for tried, bye in enumerate(eligible or [None]):
        pairs, steps = _search(size, closed, bye, steps)
        if pairs is not None:
            return _named(order, pairs, bye, matched=False)
        if steps <= 0:
            found = _match(size, [scores[entrant] for entrant in order], closed, eligible[tried:])
            return None if found is None else _named(order, *found, matched=True)
    return None


def _named(order: Sequence[int], pairs: Pairs, bye: int | None, *, matched: bool) -> Paired:
    named = tuple((order[one], order[other]) for one, other in sorted(pairs))
    return Paired(named, None if bye is None else order[bye], matched)


def _search(
    size: int, closed: Sequence[Collection[int]], bye: int | None, steps: int
) -> tuple[Pairs | None, int]:
    """All positions but `bye` paired, top down, each with the nearest below that works; and the steps left.

    No pairs and steps left: there is no way to pair them. No steps left: unknown.
    """
    # The unpaired positions as a linked list after Knuth's dancing links; `size` is its head and its end.
    after = [*range(1, size + 1), 0]
    before = [size, *range(size)]

    def take(position: int) -> None:
        after[before[position]], before[after[position]] = after[position], before[position]

    def give_back(position: int) -> None:
        after[before[position]] = before[after[position]] = position

    if bye is not None:
        take(bye)
    chosen: list[tuple[int, int]] = []
    one = after[size]
    other = after[one]
    while one != size:
        while other != size and other in closed[one]:
            other = after[other]
            steps -= 1
        steps -= 1
        if steps <= 0:
            return None, 0
        if other != size:
            take(one)
            take(other)
            chosen.append((one, other))
            one = after[size]
            other = after[one]
        elif chosen:
            one, other = chosen.pop()
            give_back(other)
            give_back(one)
            other = after[other]
        else:
            return None, steps
    return tuple(chosen), steps


def _match(
    size: int, scores: Sequence[float], closed: Sequence[Collection[int]], eligible: Sequence[int]
) -> tuple[Pairs, int | None] | None:
    """The legal round of the least sum of gaps: (pairs, bye), or None when there is none.

    Near opponents are tried first; the answer stands if it is legal and its bye is the first eligible one.
    """
    nearest = NEAREST
    while 2 * nearest < size:
        found = _blossom(size, scores, closed, eligible, nearest)
        if found is not None and found[1] == (eligible[0] if eligible else None):
            return found
        nearest *= 2
    return _blossom(size, scores, closed, eligible, size)


def _blossom(
    size: int,
    scores: Sequence[float],
    closed: Sequence[Collection[int]],
    eligible: Sequence[int],
    nearest: int,
) -> tuple[Pairs, int | None] | None:
    """A perfect matching of the open pairs of least cost, each position with at most its `nearest` below.

    A position later in `eligible` is a dearer bye than any sum of gaps. Costs are whole numbers, and the
    lowest bits of each edge are its own: by the isolation lemma of Mulmuley, Vazirani and Vazirani one
    matching is the cheapest, so that no other release of the library can find another.
    """
    from networkx import Graph, max_weight_matching

    gaps: dict[tuple[int, int], int] = {}
    for one in range(size):
        open_ = (other for other in range(one + 1, size) if other not in closed[one])
        for other, _ in zip(open_, range(nearest), strict=False):
            gaps[one, other] = round(abs(scores[one] - scores[other]) * 1_000_000)
    unit = gcd(*gaps.values()) or 1
    scale = (size + 1) << 40
    dearer = scale * (size * max(gaps.values(), default=0) // unit + 1)
    own = Random(size)
    graph: Graph[int] = Graph()
    graph.add_nodes_from(range(size + bool(eligible)))
    for (one, other), gap in gaps.items():
        graph.add_edge(one, other, weight=-(gap // unit * scale + own.getrandbits(40)))
    for rank, position in enumerate(eligible):
        graph.add_edge(position, size, weight=-rank * dearer)
    matching = {(min(pair), max(pair)) for pair in max_weight_matching(graph, maxcardinality=True)}
    if 2 * len(matching) != len(graph):
        return None
    byes = [one for one, other in matching if other == size]
    return tuple(pair for pair in matching if pair[1] != size), byes[0] if byes else None
