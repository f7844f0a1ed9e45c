"""A match as a fit takes it, and what a fit says, as the ledger keeps both. Pure."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass

from arena_tui.verdict_rows import masses_of, rows_between
from arena_tui.vocabulary import Orientation, Said, Winner


@dataclass(frozen=True, slots=True)
class Front:
    """How sure a fit is of the leader of a class: see `ratings.estimates.Confidence`. Entrants by id."""

    leader: str
    runner_up: str
    p_best: float
    p_runner_up: float
    p_near: float
    connected: bool
    comparisons: int
    playing: int


@dataclass(frozen=True, slots=True)
class GroupFit:
    """A fit of one group after `applied` outcomes: by `Entrant.index` the fitted rating, its interval, the
    ranks and the chance to be the best; and the front of every class in which two or more play."""

    group: str
    applied: int
    entrants: Sequence[tuple[float, float | None, float | None, int | None, int | None, float | None]]
    fronts: Sequence[Front]


def fit_rows(
    a: int,
    b: int,
    winner: Winner,
    overruled: Winner | None,
    ab: Said | None,
    ab_p: float | None,
    ba: Said | None,
    ba_p: float | None,
) -> Collection[tuple[int, int, tuple[float, float, float]]]:
    """The comparisons of a match as a fit takes them.

    `overruled` is the outcome that was played where an action put `winner` in its place, of which each
    comparison then has an equal share; None where nobody did.
    """
    said: list[tuple[Orientation, Said, float | None]] = []
    if ab is not None:
        said.append(("ab", ab, ab_p))
    if ba is not None:
        said.append(("ba", ba, ba_p))
    if overruled is None:
        return rows_between(a, b, winner, said)
    if winner == "void":
        return ()
    played = rows_between(a, b, overruled, said)
    orders = [row[:2] for row in played] or [(a, b)]
    won, lost, tied = (mass / len(orders) for mass in masses_of(winner))
    return [
        (first, second, (won, lost, tied) if first == a else (lost, won, tied)) for first, second in orders
    ]
