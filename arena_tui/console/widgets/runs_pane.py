"""The pane of all runs, and what its foot tells of the one under the cursor."""

from __future__ import annotations

from typing import Any, ClassVar

from textual.message import Message

from arena_tui.amounts import usd
from arena_tui.console.ports import RunCard
from arena_tui.console.status_words import reason_words
from arena_tui.console.widgets.list_pane import ListPane
from arena_tui.console.widgets.plain import safe_line
from arena_tui.values import counted

_MEANING = {
    "running": "another process drives it; Enter watches",
    "paused": "paused by the process that drives it; Enter watches",
    "interrupted": "its process is gone; R goes on where it stood",
    "damaged": "the file is damaged and cannot be opened",
}
"""What a status without a stop reason means."""


class RunsPane(ListPane):
    """The runs in a frame with their filter line."""

    help_title: ClassVar[str] = "Home"
    help_text: ClassVar[str] = (
        "All runs, newest first. Enter opens one: what another process drives is watched, what has stopped "
        "is shown as it stands. R goes on with a stopped one. c marks a run, and on a second one compares "
        "the two. A new run begins with n and a tournament file."
    )

    class Opened(Message):
        """Enter on a run."""

        def __init__(self, card: RunCard) -> None:
            self.card = card
            super().__init__()

    class Reached(Message):
        """The cursor is on another run, or on the same one with other figures."""

    def heading(self) -> str:
        """How many runs there are."""
        return f"arena: {counted(self.rows.total, 'run')}" if self.rows.total else "arena"

    def opened(self, item: Any) -> None:
        """Say so."""
        self.post_message(self.Opened(item))

    def reached(self, item: Any) -> None:
        """Say so."""
        self.post_message(self.Reached())


def detail_lines(card: RunCard | None, width: int, note: str = "") -> list[str]:
    """What the foot of the list tells of a run: who it is, where it stands, its files; `note` comes first."""
    if card is None:
        return []
    stands = reason_words(card.stop_reason) or _MEANING.get(card.status, card.status)
    figures = [counted(card.matches, "match", "matches")]
    if card.usd is None:
        figures.append("at an unknown price")
    elif card.usd:
        figures.append(f"{usd(card.usd)} USD")
    if card.leader:
        figures.append(f"leader {card.leader}")
    made = f"made {card.created_at[:16].replace('T', ' ')} UTC" if card.created_at else ""
    lines = [
        note,
        stands,
        ", ".join(part for part in (card.format, *figures, made) if part),
        f"file {card.source}" if card.source else "",
        f"run  {card.db}",
    ]
    return [safe_line(line, width) for line in lines if line]
