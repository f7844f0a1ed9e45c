"""What a format without a schedule answers when it is asked about one."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from arena_tui.facts import Intervention
from arena_tui.vocabulary import StopReason


class OpenEnded:
    """The shared part of formats that go on until a rule or a limit ends them."""

    def objection(self, action: Intervention) -> str | None:
        """None: it takes every action."""
        return None

    def details(self) -> dict[str, Any]:
        """Nothing of its own."""
        return {}

    def pairings(self) -> Iterator[dict[str, Any]]:
        """None is kept: a match says in the export of matches why it was held."""
        return iter(())

    def finished(self) -> StopReason | None:
        """Never."""
        return None
