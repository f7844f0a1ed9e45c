"""How well two rankings agree: Kendall's tau-b over all pairs, and whether they name the same best.

Rankings are scores by id, higher is better; ids that only one of the two knows are left out.
Used by reports and benches; pure, standard library only.
"""

from __future__ import annotations

import math
from bisect import bisect_left, bisect_right, insort
from collections import Counter
from collections.abc import Iterable, Mapping


def kendall_tau_b(scores: Mapping[str, float], reference: Mapping[str, float]) -> float | None:
    """Kendall's tau-b in [-1, 1], ties allowed on both sides.

    None where it is not defined: fewer than two common ids, or one side ties them all. Needs
    O(n log n) comparisons. Source: Kendall 1945, "The treatment of ties in ranking problems".
    """
    pairs = sorted((scores[id_], reference[id_]) for id_ in scores if id_ in reference)
    total = math.comb(len(pairs), 2)
    tied_x = _tied_pairs(x for x, _ in pairs)
    tied_y = _tied_pairs(y for _, y in pairs)
    if tied_x == total or tied_y == total:
        return None
    # In order of x, a pair is concordant when its earlier y is smaller, discordant when larger.
    # Equal x would count as one or the other, so each block of them is compared before it is entered.
    balance = 0
    seen: list[float] = []
    start = 0
    while start < len(pairs):
        end = start
        while end < len(pairs) and pairs[end][0] == pairs[start][0]:
            y = pairs[end][1]
            balance += bisect_left(seen, y) - (len(seen) - bisect_right(seen, y))
            end += 1
        for _, y in pairs[start:end]:
            insort(seen, y)
        start = end
    tau = balance / math.sqrt((total - tied_x) * (total - tied_y))
    return max(-1.0, min(1.0, tau))


def top_1_hit(scores: Mapping[str, float], reference: Mapping[str, float]) -> float | None:
    """Chance in [0, 1] that the best by `scores` is the best by `reference`; None without common ids.

    Where `scores` ties several for the best, one of them is taken at random; where `reference`
    does, each of them counts as best.
    """
    common = [id_ for id_ in scores if id_ in reference]
    if not common:
        return None
    best = max(scores[id_] for id_ in common)
    truth = max(reference[id_] for id_ in common)
    leaders = [id_ for id_ in common if scores[id_] == best]
    return sum(reference[id_] == truth for id_ in leaders) / len(leaders)


def _tied_pairs(values: Iterable[float]) -> int:
    return sum(math.comb(count, 2) for count in Counter(values).values())
