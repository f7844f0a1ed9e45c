"""The text of a reply while it streams: cheap to add to, whole when somebody looks."""

from __future__ import annotations


class LiveText:
    """Grows by pieces; `str(live)` is all of it so far.

    Adding a piece costs the same however long the text is. The pieces are joined only when the text is
    read, once for all that came since the last reading, so a writer may hand the same object to a screen
    after every token and the screen pays for what it looks at. One event loop writes and reads.
    """

    __slots__ = ("_length", "_pieces")

    def __init__(self, text: str = "") -> None:
        self._pieces: list[str] = [text] if text else []
        self._length = len(text)

    def append(self, piece: str) -> None:
        """Add what came."""
        self._pieces.append(piece)
        self._length += len(piece)

    def __len__(self) -> int:
        """Characters so far, without joining anything."""
        return self._length

    def __str__(self) -> str:
        if len(self._pieces) > 1:
            self._pieces = ["".join(self._pieces)]
        return self._pieces[0] if self._pieces else ""
