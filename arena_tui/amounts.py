"""Amounts as people read them: lengths of time, ages, money, tokens; the same words on every display.

A leaf module of the standard library; what reads amounts back is in `values`.
"""

from __future__ import annotations

from datetime import UTC, datetime


def duration(seconds: float) -> str:
    """A length of time in the unit a person would choose."""
    if seconds < 100:
        return f"{seconds:.0f} s"
    return f"{seconds / 60:.0f} min" if seconds < 6000 else f"{seconds / 3600:.1f} h"


def span(low: float, high: float) -> str:
    """Two lengths of time as a range, or as one where a person would see no difference: 4 to 7 min."""
    first, last = duration(low), duration(high)
    if first == last:
        return f"about {first}"
    number, _, unit = first.partition(" ")
    return f"{number} to {last}" if unit == last.partition(" ")[2] else f"{first} to {last}"


def usd(amount: float) -> str:
    """An amount of USD, without its unit: cents from a cent on, below that two figures that count."""
    if amount and abs(amount) < 0.01:
        return f"{amount:.2g}" if abs(amount) >= 1e-4 else f"{amount:.1g}"
    return f"{amount:,.2f}"


def tokens(count: int) -> str:
    """A number of tokens in at most five characters: 950, 12.5k, 840k, 1.25M."""
    if count < 1_000:
        return str(count)
    if count < 100_000:
        return f"{count / 1_000:.1f}k"
    if count < 999_500:
        return f"{count / 1_000:.0f}k"
    millions = count / 1_000_000
    return (
        f"{millions:.2f}M" if millions < 10 else f"{millions:.1f}M" if millions < 100 else f"{millions:,.0f}M"
    )


def rate(per_second: float) -> str:
    """How often something happens, in the unit a person would choose: 12.4/min, 3.1/s."""
    return f"{per_second:.1f}/s" if per_second >= 1 else f"{per_second * 60:.1f}/min"


def age(created_at: str, now: float) -> str:
    """How long ago a moment in ISO 8601 was, `now` in seconds since the epoch; "" for what is no moment."""
    try:
        then = datetime.fromisoformat(created_at)
    except ValueError:
        return ""
    if then.tzinfo is None:
        then = then.replace(tzinfo=UTC)
    past = now - then.timestamp()
    if past < 60:
        return "just now"
    for size, unit in ((86_400, "d"), (3_600, "h"), (60, "min")):
        if past >= size:
            return f"{past // size:,.0f} {unit} ago"
    return ""
