"""Limits on matches, tokens and money: reserve the worst case before a call, settle after it.

The promise is spent + reserved <= limit at every instant, also across a crash: reservations that
were open when a process died come back as spent. Money is kept in whole nano-dollars, so that sums
do not depend on the order in which replies arrive. Pure accounting; the store keeps the rows.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, field

from arena_tui.judging.base import Usage
from arena_tui.settings import Limits
from arena_tui.values import counted

NANO = 1_000_000_000


@dataclass(frozen=True, slots=True)
class Cost:
    """What one comparison takes at most, or took: tokens, and money in nano-dollars."""

    tokens: int = 0
    nano_usd: int = 0

    @classmethod
    def at_most(cls, usage: Usage) -> Cost:
        """The reservation for a worst case; money is rounded up."""
        return cls(usage.tokens, math.ceil((usage.usd or 0.0) * NANO - 1e-3))

    @classmethod
    def of(cls, usage: Usage) -> Cost:
        """What a reply took, to the nearest nano-dollar; an unknown price books nothing."""
        return cls(usage.tokens, round((usage.usd or 0.0) * NANO))

    def __add__(self, other: Cost) -> Cost:
        return Cost(self.tokens + other.tokens, self.nano_usd + other.nano_usd)

    def __sub__(self, other: Cost) -> Cost:
        return Cost(self.tokens - other.tokens, self.nano_usd - other.nano_usd)

    def within(self, bound: Cost) -> Cost:
        """The part of this that `bound` covers, tokens and money each for itself."""
        return Cost(min(self.tokens, bound.tokens), min(self.nano_usd, bound.nano_usd))

    def beyond(self, bound: Cost) -> Cost:
        """The part of this that `bound` does not cover."""
        return self - self.within(bound)

    @property
    def usd(self) -> float:
        """Money in dollars."""
        return self.nano_usd / NANO


NOTHING = Cost()


@dataclass(frozen=True, slots=True)
class Reserve:
    """What is reserved for the rest of a comparison, and the part that its calls under way may cost."""

    all: Cost
    stake: Cost


@dataclass(frozen=True, slots=True)
class Caps:
    """Upper bounds of one scope (the run, or each group); None is no limit."""

    usd: float | None = None
    tokens: int | None = None
    matches: int | None = None


@dataclass(slots=True)
class Account:
    """What one scope has used and reserved: a group's account if `of_group`, else the run's."""

    caps: Caps
    spent: Cost = NOTHING
    reserved: Cost = NOTHING
    matches: int = 0  # started ones; void ones count, withdrawn ones do not
    of_group: bool = False

    def obstacle(self, worst: Cost, new_match: bool) -> str | None:
        """Why a match with this worst case does not fit now, in words; None when it fits."""
        caps, total = self.caps, self.spent + self.reserved + worst
        if new_match and caps.matches is not None and self.matches >= caps.matches:
            each = " for each group" if self.of_group else ""
            return f"the limit of {counted(caps.matches, 'match', 'matches')}{each} is used up"
        where = " in its group" if self.of_group else ""
        if caps.tokens is not None and total.tokens > caps.tokens:
            return (
                f"the next match may take {worst.tokens:,} tokens, and "
                f"{self.spent.tokens:,} of {caps.tokens:,} are spent{where}"
            )
        if caps.usd is not None and total.nano_usd > round(caps.usd * NANO):
            return (
                f"the next match may cost {worst.usd:.6g} USD, and "
                f"{self.spent.usd:.6g} of {caps.usd:.6g} USD are spent{where}"
            )
        return None


@dataclass(slots=True)
class Budget:
    """The run's account and one per group; a match must fit both. `peak` is the most ever committed."""

    run: Account
    groups: dict[str, Account] = field(default_factory=dict)
    peak: Cost = NOTHING

    def cap(self, limits: Limits) -> None:
        """Put limits in force."""
        self.run.caps = Caps(limits.usd, limits.tokens, limits.matches)
        each = limits.per_group
        for account in self.groups.values():
            account.caps = Caps(each.usd, each.tokens, each.matches)

    def start(self, group: str, worst: Cost, new_match: bool) -> None:
        """Book the start of a match whose comparisons take at most `worst` together."""
        for account in (self.run, self.groups[group]):
            account.matches += new_match
            account.reserved += worst
        committed = self.run.spent + self.run.reserved
        self.peak = Cost(max(self.peak.tokens, committed.tokens), max(self.peak.nano_usd, committed.nano_usd))

    def settle(self, group: str, worst: Cost, actual: Cost) -> None:
        """Exchange one comparison's reservation for what it took."""
        for account in (self.run, self.groups[group]):
            account.reserved -= worst
            account.spent += actual

    def withdraw(self, group: str) -> None:
        """A started match was withdrawn: it does not count against the limit on matches."""
        for account in (self.run, self.groups[group]):
            account.matches -= 1
