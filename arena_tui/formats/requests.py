"""Matches that somebody asked for, in the order of asking: an entrant's next one, or one against another."""

from __future__ import annotations

from collections.abc import Callable, Iterable

Request = tuple[int, int | None]  # an entrant that is owed a match, and whom it asked for


class Requests:
    """The requests that are still open. Entrants are numbers."""

    def __init__(self, first: Iterable[Request] = ()) -> None:
        self._open = list(first)

    def copy(self) -> Requests:
        """An independent copy."""
        return Requests(self._open)

    def ask(self, entrant: int, other: int | None = None) -> None:
        """One more, after all others."""
        self._open.append((entrant, other))

    def drop(self, entrant: int) -> None:
        """Forget all that concern an entrant."""
        self._open = [request for request in self._open if entrant not in request]

    def due(self, can_meet: Callable[[int, int | None], bool]) -> Request | None:
        """The first that can be met now; others keep their place."""
        return next((request for request in self._open if can_meet(*request)), None)

    def settle(self, request: Request) -> None:
        """It is met."""
        self._open.remove(request)
