"""What the candidate screen says: the record in figures, the page of text, the reason of a match."""

from __future__ import annotations

from rich.text import Text

from arena_tui.candidate import Candidate
from arena_tui.console.ledger import Entrant, Ledger
from arena_tui.console.widgets.lineage_row import rated
from arena_tui.console.widgets.plain import safe, safe_line
from arena_tui.store.match_rows import MatchRecord


def record_of(entrant: Entrant, ledger: Ledger) -> Text:
    """Title and id, then the figures, then what else is known; every part from outside is cleaned."""
    who = rated(ledger, entrant)
    text = Text.assemble((safe_line(entrant.title, 200), "bold"))
    if entrant.title != entrant.id:
        text.append(f"  {safe_line(entrant.id, 80)}", "dim")
    if entrant.state != "in_tournament":
        text.append(f"  [{entrant.state}]", "bold")
    rank = f"rank {who.rank}" if who.rank else "no rank"
    if who.rank_low is not None and who.rank_high is not None and who.rank_low != who.rank_high:
        rank += f" ({who.rank_low} to {who.rank_high})"
    rating = f"rating {who.rating:.0f}"
    if who.low is not None and who.high is not None:
        rating += f" [{who.low:.0f}, {who.high:.0f}]"
    figures = [rank, rating, f"{who.wins}-{who.draws}-{who.losses} won-drawn-lost"]
    if who.voids:
        figures.append(f"{who.voids} void")
    if who.p_best is not None:
        figures.append(f"best with {who.p_best:.0%}")
    known = [f"generation {entrant.generation}"] if entrant.generation else []
    if len(ledger.groups) > 1:
        known.append(f"group {entrant.group}")
    if entrant.system is not None:
        known.append(f"system {entrant.system}")
    if entrant.class_ is not None:
        known.append(f"class {entrant.class_}")
    if entrant.flags:
        known.append("flags: " + ", ".join(entrant.flags))
    if entrant.twin_of is not None:
        original = ledger.find(entrant.group, entrant.twin_of)
        shown = entrant.twin_of if original is None else original.title
        known.append(f"twin of {shown}, whose record it shares")
    text.append("\n" + safe_line(", ".join((*figures, *known)), 600))
    return text


def page_of(candidate: Candidate) -> Text:
    """The text as it is (it may be code, so nothing is rendered), then review and meta under headings."""
    page = Text(safe(candidate.text))
    if candidate.review:
        page.append("\n\nReview\n", "bold")
        page.append(safe(candidate.review))
    if candidate.meta:
        page.append("\n\nMeta\n", "bold")
        page.append("\n".join(safe_line(f"{key}: {value}") for key, value in candidate.meta.items()))
    return page


def reason_of(record: MatchRecord | None) -> str:
    """Why a match came out as it did; not cleaned."""
    if record is None:
        return "nothing is stored of it"
    if record.void_reason:
        return f"void, {record.void_reason}"
    reasons = list(dict.fromkeys(said.reason.strip() for said in record.said if said.reason.strip()))
    flags = f" (flags: {', '.join(record.flags)})" if record.flags else ""
    return (" / ".join(reasons) or "no reason was given") + flags
