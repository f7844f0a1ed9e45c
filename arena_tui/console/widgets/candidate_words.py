"""What the candidate screen says: the record in figures, the page of text, the reason of a match."""

from __future__ import annotations

from collections.abc import Sequence

from rich.text import Text

from arena_tui.candidate import Candidate
from arena_tui.console.figures import score_words
from arena_tui.console.ledger import Entrant, Ledger
from arena_tui.console.widgets.lineage_row import rated
from arena_tui.console.widgets.plain import safe, safe_line
from arena_tui.store.board_rows import TextFact
from arena_tui.store.match_rows import MatchRecord
from arena_tui.values import counted


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
    figures = [rank, *_scores(who, ledger.rules.kind), f"{who.wins}-{who.draws}-{who.losses} won-drawn-lost"]
    if who.voids:
        figures.append(f"{who.voids} void")
    if who.p_best is not None:
        figures.append(f"best with {who.p_best:.0%}")
    known = [f"generation {entrant.generation}"] if entrant.generation else []
    if ledger.several:
        known.append(f"group {entrant.group}")
    if entrant.system is not None and not ledger.rules.dealt:
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


def _scores(who: Entrant, kind: str) -> list[str]:
    """What it is ranked and rated by, with the interval behind the rating that it belongs to."""
    told = []
    if kind == "elo":
        told.append(f"rating {who.rating:.0f}")
    elif kind == "pivot":
        told.append("w/c unknown" if who.share is None else f"w/c {who.share:.3f}")
    elif kind == "knockout":
        told.append(counted(int(who.score), "round won", "rounds won"))
    elif kind != "adaptive":
        told.append(f"{score_words(who.score, kind)} points")
    if who.fitted is not None and who.matches:
        fitted = f"{'BT' if kind == 'elo' else 'rating'} {who.fitted:.0f}"
        if who.low is not None and who.high is not None:
            fitted += f" [{who.low:.0f}, {who.high:.0f}]"
        told.append(fitted)
    return told


def system_page(who: Entrant, texts: Sequence[TextFact], width: int) -> Text:
    """The record of a system by category, then how its texts begin, each with the record over it."""
    dealt = who.dealt or {}
    by_category: dict[str, list[int]] = {}
    for fact in texts:
        record = dealt.get(fact.group, [0, 0, 0])
        total = by_category.setdefault(fact.category or "", [0, 0, 0])
        for place, count in enumerate(record):
            total[place] += count
    page = Text()
    if set(by_category) - {""}:
        page.append("Won, drawn, lost by category\n", "bold")
        for category, total in by_category.items():
            page.append(f"{_record(total):>12}  {safe_line(category, 80) or '(none)'}\n")
        page.append("\n")
    page.append("Its texts, with won, drawn, lost over each\n", "bold")
    for fact in texts:
        page.append(f"{_record(dealt.get(fact.group, [0, 0, 0])):>12}  ")
        page.append(safe_line(fact.group, 24), "bold")
        page.append(f"  {safe_line(_begins(fact, who), max(20, width))}\n")
    return page


def _begins(fact: TextFact, who: Entrant) -> str:
    """Title and beginning of a text; one of them where the title is the system's name or how it begins."""
    title, text = (" ".join(told.split()) for told in (fact.title, fact.beginning))
    repeated = title == who.id or text.startswith(title.rstrip("….").rstrip())
    return text if repeated else f"{title}: {text}"


def _record(counts: Sequence[int]) -> str:
    return "-".join(str(each) for each in counts) if any(counts) else ""


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
