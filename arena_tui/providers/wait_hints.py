"""How long a server asks to be left alone: `retry-after` in all its forms, and what stands in for it."""

from __future__ import annotations

import math
import time
from collections.abc import Mapping
from email.utils import parsedate_to_datetime
from typing import Any

from arena_tui.providers.json_paths import dig


def retry_after(headers: Mapping[str, str], now: float | None = None) -> float | None:
    """Seconds to wait by the headers of a response; None without a hint that can be understood.

    `retry-after-ms`, then `retry-after` in seconds or as an HTTP date, which counts from `now` (seconds
    since the epoch). A date that has passed is 0; a negative number is garbage, like any other text.
    """
    milliseconds = _number(headers.get("retry-after-ms"))
    if milliseconds is not None:
        return milliseconds / 1000
    text = headers.get("retry-after")
    if text is None:
        return None
    seconds = _number(text)
    if seconds is not None:
        return seconds
    try:
        at = parsedate_to_datetime(text).timestamp()
    except (ValueError, TypeError, OverflowError, OSError):
        return None
    return max(0.0, at - (time.time() if now is None else now))


def retry_delay(body: object) -> float | None:
    """Seconds to wait by a Google error body, whose `RetryInfo` says `"28s"` where others send a header."""
    details = dig(body, "details")
    for detail in details if isinstance(details, list) else ():
        delay = dig(detail, "retryDelay")
        if isinstance(delay, str) and delay.endswith("s"):
            return _number(delay[:-1])
    return None


def _number(text: Any) -> float | None:
    """A finite number that is not negative, or None."""
    try:
        number = float(text)
    except (ValueError, TypeError):
        return None
    return number if math.isfinite(number) and number >= 0 else None
