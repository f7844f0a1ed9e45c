"""What judges have in common that are asked once a comparison and cost nothing arena could know of."""

from __future__ import annotations

from collections.abc import Sequence

from arena_tui.judging.base import FREE, Question, Reply, Usage


class OneCall:
    """The part of `Judge` that is the same for all of them; what a kind does otherwise it overrides."""

    notes: Sequence[str] = ()

    async def open(self) -> None:
        """Nothing to be made sure of."""

    def planned(self, question: Question) -> None:
        """Nothing to count."""

    def worst_case(self, question: Question, replies: Sequence[Reply] = ()) -> Usage:
        """Nothing that a budget holds."""
        return FREE

    def at_stake(self, question: Question, replies: Sequence[Reply] = ()) -> Usage:
        """The one call."""
        return self.worst_case(question, replies)

    def answered(self, question: Question, replies: Sequence[Reply]) -> bool:
        """One reply is all there is."""
        return bool(replies)

    async def close(self) -> None:
        """Nothing is open."""
