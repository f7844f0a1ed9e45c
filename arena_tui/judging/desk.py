"""A desk that keeps replies in memory: for forecasts, audits and whoever asks without a run."""

from __future__ import annotations

from collections.abc import Iterable

from arena_tui.judging.base import FREE, Judge, Question, Reply, Usage, Verdict


class MemoryDesk:
    """Implements `Desk`; nothing is stored and any call is covered."""

    def __init__(self, replies: Iterable[Reply] = ()) -> None:
        self.replies: list[Reply] = list(replies)
        self.lost = 0

    def keep(self, reply: Reply) -> None:
        """Append the reply."""
        self.replies.append(reply)

    async def saved(self) -> None:
        """Memory is all there is."""

    async def cover(self, further: Usage) -> None:
        """No limit is in force."""

    def waits(self, waiting: bool) -> None:
        """Nobody gives anything up."""

    def show(self, speaker: str, text: object, slot: int | None = None) -> None:
        """Nobody watches."""

    @property
    def usage(self) -> Usage:
        """What all replies took together."""
        return sum((reply.usage for reply in self.replies), FREE)


async def judge_alone(judge: Judge, question: Question) -> tuple[Verdict, list[Reply]]:
    """Put one question outside a run: the verdict, and the replies that it was read from."""
    desk = MemoryDesk()
    await judge.ask(question, desk)
    return judge.read(question, desk.replies), desk.replies
