"""A line to type into that takes keys in the order in which they came, however fast."""

from __future__ import annotations

from textual.binding import Binding
from textual.events import Key
from textual.widgets import Input

_EDITS = {
    key: binding.action
    for binding in Input.BINDINGS
    if isinstance(binding, Binding) and binding.action != "submit"
    for key in binding.key.split(",")
}
"""key -> what it does to the line."""


class Line(Input):
    """An `Input` that edits at once.

    Textual inserts a character as soon as its key reaches the line, and carries out backspace and the like
    only once that key has gone all the way up to the app: of a burst of keys, as slow connections make them,
    corrections would hit what was typed after them.
    """

    async def _on_key(self, event: Key) -> None:
        edit = _EDITS.get(event.key)
        if edit is None:
            await super()._on_key(event)
            return
        event.stop()
        event.prevent_default()
        await self.run_action(edit)
