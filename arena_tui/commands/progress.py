"""How far a long command is: one line that is rewritten on a terminal, a few lines elsewhere."""

from __future__ import annotations

import sys
from collections.abc import Callable

TOLD = 4  # times that it is told where no terminal shows it


def progress(total: int, what: str) -> Callable[[int], None]:
    """A function to be told how many of `total` are done; it writes to stderr."""
    tty = sys.stderr.isatty()

    def told(done: int) -> None:
        if tty:
            print(
                f"\r{done} of {total} {what}", end="\n" if done == total else "", file=sys.stderr, flush=True
            )
        elif done == total or done % -(-total // TOLD) == 0:
            print(f"{done} of {total} {what}", file=sys.stderr, flush=True)

    return told
