"""A desk in memory whose replies are paid from accounts: for calls outside a run's matches.

Audits and overviews ask through it, so that limits on money and tokens hold for them too.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from arena_tui.engine.budget import NOTHING, Account, Cost
from arena_tui.judging.base import OutOfBudget, Reply, Usage
from arena_tui.judging.desk import MemoryDesk


class PaidDesk(MemoryDesk):
    """A `MemoryDesk` that reserves `worst` in all `accounts` at once, if that fits or not: see `obstacle`."""

    def __init__(self, accounts: Sequence[Account], worst: Cost) -> None:
        super().__init__()
        self._accounts = accounts
        self._reserved = NOTHING
        self._reserve(worst)

    def keep(self, reply: Reply) -> None:
        """Lay down a reply and exchange its part of the reservation for what it took."""
        super().keep(reply)
        actual = Cost.of(reply.usage)
        self._reserve(NOTHING - actual.within(self._reserved))
        for account in self._accounts:
            account.spent += actual

    async def cover(self, further: Usage) -> None:
        """Reserve what is short; OutOfBudget when it does not fit."""
        short = Cost.at_most(further).beyond(self._reserved)
        if short != NOTHING and obstacle(self._accounts, short) is not None:
            raise OutOfBudget
        self._reserve(short)

    def close(self) -> None:
        """Give back what is left."""
        self._reserve(NOTHING - self._reserved)

    def _reserve(self, more: Cost) -> None:
        self._reserved += more
        for account in self._accounts:
            account.reserved += more


def obstacle(accounts: Iterable[Account], worst: Cost) -> str | None:
    """Why a call with this worst case does not fit one of the accounts, in words; None when it fits all."""
    return next((told for account in accounts if (told := account.obstacle(worst, False))), None)
