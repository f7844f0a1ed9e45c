"""One match as text for people: who met, what was decided, the ratings, the flags, and all that was said.

Pure: rows as `arena export` has them in, lines out, cleaned.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from arena_tui.safetext import clean, one_line


def match_lines(row: Mapping[str, Any], comparisons: Sequence[Mapping[str, Any]]) -> Iterator[str]:
    """A match (a row of `export --what matches`) and its comparisons (rows of `--what comparisons`)."""
    name = f"{one_line(row['group'], 200)}:{row['seq']}"
    yield f"match {name}, {row['mode']}, applied as number {row['applied_no']}"
    for side in "ab":
        yield f"  {side}  {one_line(row[f'hyp_{side}'], 200)}{_rating(row, side)}"
    yield f"outcome: {_outcome(row)}"
    if row["p_a"] is not None:
        yield f"chance that a is better: {row['p_a']:.2f}"
    if row["flags"]:
        yield f"flags: {one_line(', '.join(row['flags']), 2000)}"
    for said in comparisons:
        yield ""
        yield f"--- {one_line(said['a'], 200)} was shown first: {_verdict(said)} ---"
        if said["flags"]:
            yield f"flags: {one_line(', '.join(said['flags']), 2000)}"
        yield clean(said["reason"]) or "(no reason given)"
    if row["rationale"] and not any(row["rationale"] in said["reason"] for said in comparisons):
        yield ""
        yield f"--- rationale ---\n{clean(row['rationale'])}"


def _rating(row: Mapping[str, Any], side: str) -> str:
    before, after = row[f"elo_{side}_before"], row[f"elo_{side}_after"]
    if before is None or after is None:
        return ""
    return f"  {before:.1f} -> {after:.1f} ({after - before:+.1f})"


def _outcome(row: Mapping[str, Any]) -> str:
    winner = row["winner"]
    told = f"{winner}, {one_line(row[f'hyp_{winner}'], 200)}" if winner in ("a", "b") else str(winner)
    return f"{told} (overruled)" if row["overruled_by"] is not None else told


def _verdict(said: Mapping[str, Any]) -> str:
    winner = said["winner"]
    told = f"{one_line(said[winner], 200)} is better" if winner in ("a", "b") else str(winner)
    return told if said["p_a"] is None else f"{told} (chance of the first {said['p_a']:.2f})"
