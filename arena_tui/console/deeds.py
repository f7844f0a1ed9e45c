"""What a key asks of a candidate, by the state it is in. Pure; widgets tell the verb or the refusal."""

from __future__ import annotations

from typing import Literal

from arena_tui.console.ledger import Entrant, Ledger

Deed = Literal["pin", "reject", "focus", "diff"]


def deed_on(deed: Deed, entrant: Entrant, ledger: Ledger) -> tuple[str, str]:
    """The verb (pin, unpin, reject, restore, focus, diff) and "", or "" and the sentence that says why not.

    The sentence may hold a title that was not cleaned.
    """
    if deed == "diff":
        return ("diff", "") if entrant.parent_ids else ("", f"{entrant.title} has no parent to differ from")
    if entrant.twin_of is not None:
        original = ledger.find(entrant.group, entrant.twin_of)
        shown = entrant.twin_of if original is None else original.title
        return "", f"{entrant.title} is a twin: act on its original, {shown}"
    if deed == "pin":
        return ("unpin" if entrant.state == "pinned" else "pin"), ""
    if deed == "reject":
        return ("restore" if entrant.state == "rejected" else "reject"), ""
    return deed, ""
