"""What a judge is worth on pairs with a known better text: accuracy, agreement, bias, and its worst mistakes.

Pure: verdicts in, figures and lines out. `arena audit` prints it.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from arena_tui.ratings.agreement import cohen_kappa
from arena_tui.ratings.proportions import mean_of_pairs
from arena_tui.report.judge_report import SaidByOrder, share
from arena_tui.report.judge_words import LEAST_PAIRS, doubts, end_of, interval, percent
from arena_tui.safetext import one_line
from arena_tui.store.judge_rows import OrderCount
from arena_tui.values import counted
from arena_tui.vocabulary import Said

WORST = 5  # mistakes that are shown
DISBELIEF = "This judge should not be believed"
MOCK = "A mock cannot read, so these figures say nothing of a model"
_TURNED: Mapping[Said, Said] = {"first": "second", "second": "first", "draw": "draw", "invalid": "invalid"}


@dataclass(frozen=True, slots=True)
class Judged:
    """One pair, judged in both orders. `gold` and `ab` speak of the pair as it was given; in `ba` the
    second text was shown first, and `first` means that one. `p_first` and the reasons go with each."""

    id: str
    gold: Said
    ab: Said
    ba: Said
    p_ab: float | None = None
    p_ba: float | None = None
    reason_ab: str = ""
    reason_ba: str = ""

    @property
    def named(self) -> tuple[Said, Said]:
        """Whom the two orders named, both in terms of the pair as it was given."""
        return self.ab, _TURNED[self.ba]

    @property
    def right(self) -> int:
        """How many of the two orders gave the gold verdict."""
        return sum(named == self.gold for named in self.named)

    @property
    def wrongness(self) -> tuple[int, float]:
        """What makes one mistake worse than another: orders that named a wrong side, then how surely."""
        named = self.named
        wrong = sum(verdict not in (self.gold, "invalid") for verdict in named)
        given = [p for p in (self.p_ab, None if self.p_ba is None else 1 - self.p_ba) if p is not None]
        surely = 0.0
        if given and self.gold != "draw":
            p_first = sum(given) / len(given)
            surely = 1 - p_first if self.gold == "first" else p_first
        return wrong + (wrong == 2 and named[0] == named[1]), surely


def audit_report(judged: Sequence[Judged], *, mock: bool = False) -> dict[str, Any]:
    """The figures of an audit, JSON-able; `judged` holds at least one pair.

    `accuracy` is the share of single comparisons that name the gold verdict (its interval knows that the
    two orders of a pair hang together), `right_ab`, `right_ba` and `right_both` count pairs. An unusable
    verdict is not right. `kappa` is over the usable verdicts. The other keys are those of a judge report.
    A `mock` is no judge to be disbelieved.
    """
    n = len(judged)
    said = SaidByOrder.of(
        OrderCount(ab, ba, m) for (ab, ba), m in Counter((p.ab, p.ba) for p in judged).items()
    )
    mean = mean_of_pairs(pair.right for pair in judged)
    assert mean is not None
    report: dict[str, Any] = {
        "pairs": n,
        "accuracy": dict(zip(("rate", "low", "high"), mean, strict=True)),
        "right_ab": share(sum(pair.ab == pair.gold for pair in judged), n),
        "right_ba": share(sum(pair.named[1] == pair.gold for pair in judged), n),
        "right_both": share(sum(pair.right == 2 for pair in judged), n),
        "kappa": cohen_kappa(
            (named, pair.gold) for pair in judged for named in pair.named if named != "invalid"
        ),
        **said.figures(),
    }
    reasons, remarks = doubts(report)
    if n >= LEAST_PAIRS and mean[1] <= 0.5:
        figures = f"{percent(mean[0])}, {interval(report['accuracy'])}"
        reasons.insert(0, f"it is right no more often than coin tosses may be ({figures})")
    told = [f"{MOCK if mock else DISBELIEF}: {'; '.join(reasons)}."] if reasons else []
    return {**report, "believable": not reasons, "warnings": told + remarks, "worst": _worst(judged)}


def _worst(judged: Sequence[Judged]) -> list[dict[str, Any]]:
    """The worst mistakes, those in both orders first; equally bad ones in the order of the file."""
    wrong = sorted((pair for pair in judged if pair.right < 2), key=lambda pair: pair.wrongness, reverse=True)
    return [
        {
            "id": pair.id,
            "gold": pair.gold,
            "ab": pair.named[0],
            "ba": pair.named[1],
            "reason_ab": pair.reason_ab,
            "reason_ba": pair.reason_ba,
        }
        for pair in wrong[:WORST]
    ]


def audit_lines(report: Mapping[str, Any], texts: Mapping[str, tuple[str, str]], width: int) -> Iterator[str]:
    """The accuracy and the worst mistakes in words; `texts` are the two texts of each pair by its id."""
    accuracy, both = report["accuracy"], report["right_both"]
    right = percent(accuracy["rate"])
    yield f"right         {right} of {2 * report['pairs']} verdicts ({interval(accuracy)})"
    yield (
        f"right in both {percent(both['rate'])} of {counted(both['n'], 'pair')} ({interval(both)}); "
        f"{report['right_ab']['hits']} as given, {report['right_ba']['hits']} turned round"
    )
    if report["kappa"] is not None:
        yield f"Cohen's kappa {report['kappa']:.2f} (1: as the gold labels, 0: as chance)"
    if report["invalid"]["hits"]:
        yield f"{report['invalid']['hits']} unusable verdicts count as wrong"
    if report["worst"]:
        yield ""
        yield "worst mistakes"
    for pair in report["worst"]:
        said = pair["ab"] if pair["ab"] == pair["ba"] else f"{pair['ab']}, and turned round {pair['ba']}"
        yield f"  {one_line(pair['id'], 40)}: {pair['gold']} is better, the judge said {said}"
        for name, text in zip(("first", "second"), texts[pair["id"]], strict=True):
            yield f"    {name:<7} {one_line(text[:2000], width - 12)}"
        reason = pair["reason_ab"] or pair["reason_ba"]
        if reason:
            yield f"    reason  {one_line(_end(reason), width - 12)}"


def _end(reason: str) -> str:
    """The end of a reason, where the judgment stands."""
    return end_of(reason, 300)
