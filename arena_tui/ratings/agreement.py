"""How well two rankings agree, two people's or judges' verdicts agree, and a set of results with itself.

Rankings are scores by id, higher is better; ids that only one of the two knows are left out.
Used by reports, audits and benches; pure, standard library only.
"""

from __future__ import annotations

import math
from bisect import bisect_left, bisect_right, insort
from collections import Counter
from collections.abc import Hashable, Iterable, Mapping


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


def cohen_kappa(verdicts: Iterable[tuple[Hashable, Hashable]]) -> float | None:
    """Cohen's kappa of two judges: the share of agreement beyond what their habits alone would give.

    Each item is what the two said of one thing. 1 is full agreement, 0 what chance gives, below 0 less
    than chance. None where it is not defined: nothing was judged, or both always said the same one thing.
    Source: Cohen 1960, "A coefficient of agreement for nominal scales".
    """
    table = Counter(verdicts)
    n = sum(table.values())
    if not n:
        return None
    rows: Counter[Hashable] = Counter()
    columns: Counter[Hashable] = Counter()
    for (one, other), count in table.items():
        rows[one] += count
        columns[other] += count
    same = sum(count for (one, other), count in table.items() if one == other)
    by_chance = sum(rows[word] * columns[word] for word in rows)  # times n * n
    if by_chance == n * n:
        return None
    return (n * same - by_chance) / (n * n - by_chance)


def cyclic_triads(beaten: Iterable[tuple[str, str]]) -> tuple[int, int]:
    """(triads in a circle, triads with all three pairs decided) of results (winner, loser).

    Each pair of entrants at most once. Coin tosses put a quarter of all triads in a circle, a judge
    that orders by one quality none. Source: Kendall and Babington Smith 1940.
    """
    place: dict[str, int] = {}
    results = [tuple(place.setdefault(id_, len(place)) for id_ in result) for result in beaten]
    won, lost = [0] * len(place), [0] * len(place)  # whom each has beaten or lost to, one bit an entrant
    for winner, loser in results:
        won[winner] |= 1 << loser
        lost[loser] |= 1 << winner
    circles = triads = 0
    for winner, loser in results:
        circles += (won[loser] & lost[winner]).bit_count()
        triads += ((won[winner] | lost[winner]) & (won[loser] | lost[loser])).bit_count()
    return circles // 3, triads // 3  # each triad was met at each of its three pairs


def _tied_pairs(values: Iterable[float]) -> int:
    return sum(math.comb(count, 2) for count in Counter(values).values())
