"""The keys that act on a candidate, for whatever has one: under a cursor, or on its own screen."""

from __future__ import annotations

from textual.widget import Widget

from arena_tui.console.deeds import Deed, deed_on
from arena_tui.console.ledger import Entrant, Ledger
from arena_tui.console.messages import EntrantActed
from arena_tui.console.widgets.plain import notify


class EntrantKeys(Widget):
    """The acts of the place "entrant": each posts `EntrantActed`, or says why it cannot be.

    Named after the widget it is mixed into, since Textual takes styles from the first base.
    """

    def acted_on(self) -> tuple[Entrant | None, Ledger]:
        """The candidate that is meant, None when there is none, and the facts it is of."""
        raise NotImplementedError

    def action_pin(self) -> None:
        """Pin, or unpin what is pinned."""
        self._act("pin")

    def action_reject(self) -> None:
        """Reject, or restore what is rejected."""
        self._act("reject")

    def action_focus_on(self) -> None:
        """Have it play next."""
        self._act("focus")

    def action_diff(self) -> None:
        """The words that differ from the parent's."""
        self._act("diff")

    def _act(self, deed: Deed) -> None:
        entrant, ledger = self.acted_on()
        if entrant is None:
            notify(self.app, "there is no candidate here")
            return
        verb, refusal = deed_on(deed, entrant, ledger)
        if refusal:
            notify(self.app, refusal, severity="warning")
        else:
            self.post_message(EntrantActed(verb, entrant))
