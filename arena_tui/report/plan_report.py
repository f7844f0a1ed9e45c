"""What a pool would take in each format, as the lines of a table. Nothing here prints."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from arena_tui.amounts import duration

_HEADINGS = ("runs", "matches", "comparisons", "calls", "tokens", "USD", "time", "top-1")


def formats_table(told: Sequence[tuple[str, Mapping[str, Any]]]) -> Iterator[str]:
    """A line for each (kind, forecast), the file's own format first; medians.

    Columns of which nothing is known for any format are left out. A format that cannot play the pool says so.
    """
    yield ""
    yield "the same pool in each format with its defaults (medians; top-1: the strongest ends in front):"
    cells = [(kind, _cells(each)) for kind, each in told if "error" not in each]
    shown = [at for at in range(len(_HEADINGS)) if any(row[at] != "-" for _, row in cells)]
    widths = {at: max(len(_HEADINGS[at]), *(len(row[at]) for _, row in cells)) for at in shown}
    first = max(len(kind) for kind, _ in told)
    yield f"{'':<{first}}" + "".join(f"  {_HEADINGS[at]:>{widths[at]}}" for at in shown) + "  ends by"
    for kind, each in told:
        if "error" in each:
            yield f"{kind:<{first}}  {each['error']}"
            continue
        row = _cells(each)
        ends = ", ".join(each["stop_reasons"]) if each["ended"] else "no end within sight"
        yield f"{kind:<{first}}" + "".join(f"  {row[at]:>{widths[at]}}" for at in shown) + f"  {ends}"


def _cells(told: Mapping[str, Any]) -> tuple[str, ...]:
    def median(name: str, form: str = ",.0f") -> str:
        known = told[name] is not None and told[name]["high"] > 0
        return f"{told[name]['median']:{form}}" if known else "-"

    return (
        str(told["simulations"]),
        median("matches"),
        median("comparisons"),
        median("calls"),
        median("tokens"),
        median("usd", ".2f"),
        duration(told["seconds"]["median"]) if told["seconds"]["high"] > 0 else "-",
        "-" if told["top1"] is None else f"{told['top1']:.0%}",
    )
