"""How far a judge can be believed: rates with intervals from stored rows.

Pure: counts in, figures out (`judge_words` says what follows from them). What cannot be computed is None,
never invented. A run's result, `arena show`, the console and `arena audit` take their figures from here.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import asdict, dataclass
from sys import intern
from typing import Any

from arena_tui.ratings.agreement import cyclic_triads
from arena_tui.ratings.proportions import PairTally, Proportion, SlotEffect, sign_test, slot_effect
from arena_tui.report.judge_words import CHANCE_OF_CIRCLE, DISBELIEF, doubts
from arena_tui.store.judge_rows import QUANTILES, CallFigures, JudgeRows, OrderCount


@dataclass(frozen=True, slots=True)
class SaidByOrder:
    """Verdicts counted over comparisons, and over pairs of comparisons that show both orders.

    A pair counts when both its orders could be read: `agreed` ones name the same text (or both a draw),
    `first_flips` name whichever was shown first, `second_flips` the other, the rest differ by a draw.
    """

    first: int = 0
    second: int = 0
    draw: int = 0
    invalid: int = 0
    pairs: int = 0
    agreed: int = 0
    first_flips: int = 0
    second_flips: int = 0

    @classmethod
    def of(cls, counts: Iterable[OrderCount]) -> SaidByOrder:
        """Add up matches that were asked about in one order or both."""
        said: dict[str, int] = defaultdict(int)
        for ab, ba, matches in counts:
            for verdict in (ab, ba):
                if verdict is not None:
                    said[verdict] += matches
            if ab is None or ba is None or "invalid" in (ab, ba):
                continue
            said["pairs"] += matches
            if {ab, ba} in ({"draw"}, {"first", "second"}):
                said["agreed"] += matches
            elif ab == ba:
                said[f"{ab}_flips"] += matches
        return cls(**said)

    @property
    def decided(self) -> int:
        """Comparisons that name a side."""
        return self.first + self.second

    @property
    def comparisons(self) -> int:
        """All comparisons."""
        return self.decided + self.draw + self.invalid

    def figures(self) -> dict[str, Any]:
        """As the keys of a report: see `judge_report`."""
        return {
            "first_slot": share(self.first, self.decided),
            "consistency": share(self.agreed, self.pairs),
            "flips": {
                "first_slot": self.first_flips,
                "second_slot": self.second_flips,
                "by_draw": self.pairs - self.agreed - self.first_flips - self.second_flips,
                "signed_preference": (self.first_flips - self.second_flips) / self.pairs,
                "p": sign_test(self.first_flips, self.second_flips),
            }
            if self.pairs
            else None,
            "draws": share(self.draw, self.comparisons - self.invalid),
            "invalid": share(self.invalid, self.comparisons),
        }


def judge_report(
    rows: JudgeRows, *, orders: str = "alternate", slot: SlotEffect | None = None
) -> dict[str, Any]:
    """The `judge` part of a result: the documented keys, then shares, flips, circles, calls, `warnings`.

    Shares are `{hits, n, rate, low, high}` with 95 % Wilson intervals, None without any trial. The
    interval of the first slot is wider than it need be where both orders were asked, since the two
    are no independent trials. `orders` is the setting: with `given`, being shown first may well go
    with being better. `slot` is what a fit of strengths says the first slot adds; without one the pairs
    that were seen in both orders tell it, if any.
    """
    said = SaidByOrder.of(rows.orders)
    beaten: dict[str, list[tuple[str, str]]] = defaultdict(list)
    by_pairs = slot_effect(_noting(rows.pairs, beaten))
    effect = slot or by_pairs
    figures = said.figures()
    report: dict[str, Any] = {
        "first_slot_rate": _rate(figures["first_slot"]),
        "order_consistency": _rate(figures["consistency"]),
        "invalid_rate": _rate(figures["invalid"]),
        "slot_effect": None if effect is None else effect.logits,
        "slot_effect_se": None if effect is None else effect.se,
        "slot_effect_z": None if effect is None else effect.z,
        **figures,
        "asked_again": share(rows.calls.asked_again, rows.calls.asked),
        "circles": _circles(beaten.values()),
        "longer_won": share(*rows.longer_won),
        "calls": _calls(rows.calls),
    }
    reasons, remarks = doubts(report, orders=orders)
    told = [f"{DISBELIEF}: {'; '.join(reasons)}."] if reasons else []
    return {**report, "believable": not reasons if said.comparisons else None, "warnings": told + remarks}


def share(hits: int, n: int) -> dict[str, Any] | None:
    """A share with its interval as a JSON object, None without any trial."""
    return asdict(Proportion.of(hits, n)) if n else None


def _rate(found: Mapping[str, Any] | None) -> float | None:
    return None if found is None else float(found["rate"])


def _noting(
    pairs: Iterable[tuple[str, str, str, PairTally]], beaten: dict[str, list[tuple[str, str]]]
) -> Iterator[PairTally]:
    """The tallies of `pairs`; on the way who has beaten whom more often than not goes into `beaten`."""
    for group, x, y, tally in pairs:
        if tally.x_won != tally.y_won:
            x, y = intern(x), intern(y)  # one text for an id, however many pairs it is in
            beaten[group].append((x, y) if tally.x_won > tally.y_won else (y, x))
        yield tally


def _circles(beaten: Iterable[list[tuple[str, str]]]) -> dict[str, Any] | None:
    """Circles among triads of one group whose three pairs each have a majority."""
    counted = [cyclic_triads(results) for results in beaten]
    found = share(sum(circles for circles, _ in counted), sum(triads for _, triads in counted))
    return None if found is None else {**found, "by_chance": CHANCE_OF_CIRCLE}


def _calls(calls: CallFigures) -> dict[str, Any] | None:
    """Latency and cost of calls that were really made."""
    if not calls.real:
        return None
    names = [f"p{100 * quantile:g}" for quantile in QUANTILES]
    return {
        "n": calls.real,
        "seconds": None if calls.seconds is None else dict(zip(names, calls.seconds, strict=True)),
        "usd": None if calls.usd is None else dict(zip(names, calls.usd, strict=True)),
    }
