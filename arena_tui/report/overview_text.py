"""The overview a model wrote at the end of a run, with every citation of a match checked. Pure.

A citation is `#12`, or the word match before a number. Whoever reads the overview must be able to look the
match up, so one that does not exist, or whose reasons the writer was never shown, is marked in the text.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from typing import Any, Literal

from arena_tui.safetext import clean, one_line

CitationState = Literal["given", "not given", "no such match"]

_CITED = re.compile(r"(?<![\w&#])#(?P<sign>\d{1,9})\b|\bmatch(?:es)?\s+#?(?P<word>\d{1,9})\b", re.IGNORECASE)
_MARKS: Mapping[str, str] = {
    "not given": " [a match that was not shown to the writer]",
    "no such match": " [there is no such match]",
}


def citations(text: str, given: Iterable[int], played: Iterable[int]) -> dict[int, CitationState]:
    """The matches that `text` cites, in order, each with what is known of it.

    `given` are the numbers the writer was shown, `played` all that exist.
    """
    shown, known = frozenset(given), frozenset(played)
    found: dict[int, CitationState] = {}
    for cited in _CITED.finditer(text):
        number = _number(cited)
        found[number] = "given" if number in shown else "not given" if number in known else "no such match"
    return found


def marked(text: str, cited: Mapping[int, CitationState]) -> str:
    """`text` with a remark behind every citation that nobody could follow."""
    return _CITED.sub(lambda found: found[0] + _MARKS.get(cited.get(_number(found), ""), ""), text)


def overview_lines(overview: Mapping[str, Any] | None) -> Iterator[str]:
    """The `overview` of a result, for people: each group's texts by name, then what was written."""
    if overview is None:
        return
    many = len(overview["groups"]) > 1
    simulated = " (SIMULATED)" if overview["simulated"] else ""
    for group, written in overview["groups"].items():
        yield f"overview of {one_line(group, 40)}{simulated}" if many else f"overview{simulated}"
        for label, candidate in written["candidates"].items():
            title = candidate["title"] or candidate["id"]
            named = "" if title == candidate["id"] else f" ({one_line(candidate['id'], 40)})"
            yield f"  text {label}: {one_line(title, 80)}{named}"
        yield ""
        cited = {int(number): state for number, state in written["citations"].items()}
        yield clean(marked(written["text"], cited)).strip()
        yield ""


def overview_notes(overview: Mapping[str, Any] | None, matches: int) -> Iterator[str]:
    """What is missing of the overview, and whether more was played since; `matches` are there by now."""
    if overview is None:
        return
    notes: dict[str, list[str]] = {}
    for group, note in overview["notes"].items():
        notes.setdefault(note, []).append(group)
    for note, groups in notes.items():
        many = len(groups) > 1 or len(overview["groups"]) + len(overview["notes"]) > 1
        of = f" of {len(groups)} groups ({', '.join(groups[:3])}, ...)" if len(groups) > 3 else ""
        named = of or (f" of {', '.join(groups)}" if many and groups != [""] else "")
        yield clean(f"the overview{named} is missing or not whole: {note}")
    if overview["after_matches"] < matches:
        yield f"the overview was written after {overview['after_matches']} of these {matches} matches"


def _number(found: re.Match[str]) -> int:
    return int(found["sign"] or found["word"])
