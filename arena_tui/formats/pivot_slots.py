"""Who stands first in the pivots' matches, so that a judge's liking for a slot is charged to nobody.

A pair that was asked before is asked in the other order. Since the ring gives everybody each slot once,
that leaves every pivot even; the other pairs are directed so that each entrant stands first in half of
its matches, within 1 wherever those pairs allow it.
"""

from __future__ import annotations

from collections import defaultdict, deque
from collections.abc import Iterable, Set
from itertools import pairwise

Pair = tuple[int, int]


def shared_slots(pairs: list[Pair], pivots: Set[int], asked: Set[Pair]) -> list[Pair]:
    """The unordered `pairs` in their order, each directed; those asked in both orders are left out.

    Each pair has a pivot in its second place. `asked` are the directed pairs so far, whose slots count.
    """
    balance: defaultdict[int, int] = defaultdict(int)  # firsts minus seconds
    _count(balance, asked)
    directed: dict[Pair, Pair] = {}
    open_: defaultdict[int, list[Pair]] = defaultdict(list)  # by who is no pivot
    among: list[Pair] = []
    for pair in pairs:
        turned = pair[::-1]
        if pair in asked and turned in asked:
            continue
        if pair in asked or turned in asked:
            directed[pair] = turned if pair in asked else pair
        elif pair[0] in pivots:
            among.append(pair)
        else:
            open_[pair[0]].append(pair)
    _count(balance, directed.values())
    for number, (entrant, its) in enumerate(open_.items()):
        for pair in _firsts(number, entrant, its, balance):
            directed[pair] = pair
        for pair in its:
            directed.setdefault(pair, pair[::-1])
        _count(balance, (directed[pair] for pair in its))
    for low, high in among:
        directed[low, high] = (low, high) if balance[low] <= balance[high] else (high, low)
        _count(balance, [directed[low, high]])
    free = [pair for its in open_.values() for pair in its] + among
    for turned in _evened([directed[pair] for pair in free], balance):
        pair = turned if turned in directed else turned[::-1]
        directed[pair] = turned
    return [directed[pair] for pair in pairs if pair in directed]


def _evened(free: list[Pair], balance: dict[int, int]) -> list[Pair]:
    """The free pairs, with chains of them turned round that lead from one with two firsts too many to one
    with too few, or the other way; whoever is in between keeps its balance."""
    after: defaultdict[int, dict[int, None]] = defaultdict(dict)  # by who is first: the seconds
    before: defaultdict[int, dict[int, None]] = defaultdict(dict)
    for first, second in free:
        after[first][second] = before[second][first] = None
    for entrant in list(after) + list(before):
        while abs(balance[entrant]) >= 2:
            sign = 1 if balance[entrant] > 0 else -1
            ahead, back = (after, before) if sign > 0 else (before, after)
            chain = _chain(entrant, ahead, {e for e, b in balance.items() if b * sign < 0})
            if not chain:
                break
            for one, other in pairwise(chain):
                del ahead[one][other], back[other][one]
                ahead[other][one] = back[one][other] = None
            balance[chain[0]] -= 2 * sign
            balance[chain[-1]] += 2 * sign
    return [(first, second) for first, seconds in after.items() for second in seconds]


def _chain(start: int, ahead: dict[int, dict[int, None]], ends: Set[int]) -> list[int]:
    """The shortest way from `start` to one of `ends`; empty when there is none."""
    came: dict[int, int | None] = {start: None}
    queue = deque([start])
    while queue:
        at = queue.popleft()
        if at in ends:
            chain = [at]
            while (previous := came[chain[-1]]) is not None:
                chain.append(previous)
            return chain[::-1]
        for other in ahead[at]:
            if other not in came:
                came[other] = at
                queue.append(other)
    return []


def _firsts(number: int, entrant: int, its: list[Pair], balance: dict[int, int]) -> list[Pair]:
    """The pairs in which the entrant goes first: half of them, against the pivots that led most often."""
    wanted = len(its) - balance[entrant]  # twice as many as its firsts should be
    weight = sum(balance[pivot] for _, pivot in its)
    if wanted % 2:  # one more or one less serves the entrant alike
        wanted += 1 if weight > 0 or (weight == 0 and number % 2 == 0) else -1
    turn = number % len(its)
    ranked = its[turn:] + its[:turn]
    ranked.sort(key=lambda pair: -balance[pair[1]])
    return ranked[: max(0, wanted // 2)]


def _count(balance: defaultdict[int, int], directed: Iterable[Pair]) -> None:
    for first, second in directed:
        balance[first] += 1
        balance[second] -= 1
