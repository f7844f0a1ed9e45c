"""Keys one after the other: the next one is looked at only when all that the one before did is done.

A key goes to the widget that has the focus and from there up to the app, one queue after another. One that
is typed right behind it would go to the old focus, be it a pane that is being left or the line that is
being opened: lost, or taken for a command.
"""

from __future__ import annotations

from collections import deque
from functools import partial
from typing import TypeVar

from textual import events, on
from textual.app import App
from textual.driver import Driver
from textual.message import Message
from textual.message_pump import MessagePump

Result = TypeVar("Result")

_TRIPS = 3  # the key's own; that of what its widget says of it; that of what is said to this in turn
_PATIENCE = 0.5  # seconds after which a key is over whose widget has gone meanwhile


class KeyPassed(Message):
    """Goes the way of a key, behind it and behind all that was said because of it."""

    def __init__(self, number: int, origin: MessagePump, trips: int = _TRIPS) -> None:
        self.number = number
        self.origin = origin
        self.trips = trips
        super().__init__()


class KeyTurns(App[Result]):
    """An app that holds what is typed ahead until its turn comes."""

    _keys_passed = 0
    _is_passing = False

    def __init__(self, driver_class: type[Driver] | None = None) -> None:
        self._typed_ahead: deque[events.Key | events.Paste] = deque()
        super().__init__(driver_class)

    async def on_event(self, event: events.Event) -> None:
        """Let a key or a paste pass, or hold it; all other events as they come."""
        if not isinstance(event, events.Key | events.Paste) or event.is_forwarded:
            await super().on_event(event)
        elif self._is_passing:
            self._typed_ahead.append(event)
        else:
            await self._pass(event)

    async def _pass(self, event: events.Key | events.Paste) -> None:
        origin = self.focused or self.screen
        await super().on_event(event)
        if event.is_forwarded:  # else it was one of the app's own, and is over
            self._keys_passed += 1
            self._is_passing = origin.post_message(KeyPassed(self._keys_passed, origin))
            self.set_timer(_PATIENCE, partial(self._passed, self._keys_passed))

    @on(KeyPassed)
    def _key_passed(self, message: KeyPassed) -> None:
        message.stop()
        trips = message.trips - 1
        if not trips or not message.origin.post_message(KeyPassed(message.number, message.origin, trips)):
            self.call_later(self._passed, message.number)  # behind a change of focus that is on its way

    async def _passed(self, number: int) -> None:
        if number == self._keys_passed and self._is_passing:
            self._is_passing = False
            while self._typed_ahead and not self._is_passing:
                await self._pass(self._typed_ahead.popleft())
