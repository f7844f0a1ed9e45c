"""Amounts that depend on the number of candidates, as typed: `93`, `3N`, `3N-3`, `N/4`, `NlogN`."""

from __future__ import annotations

import math
import re

from arena_tui.errors import UsageError
from arena_tui.values import shown

_FORM = re.compile(r"(?P<times>\d+)?(?P<size>N(?P<log>logN)?)?(?:/(?P<over>[1-9]\d*))?(?:-(?P<less>\d+))?")


def amount(text: str, n: int, what: str) -> int:
    """What `text` means among `n` candidates, rounded up; the logarithm is that to base 2.

    Raises UsageError that names `what` for anything else, and for what is below 1.
    """
    found = _FORM.fullmatch(text.replace(" ", ""))
    if not text or found is None or (found["times"] is None and found["size"] is None):
        raise UsageError(
            f"{what}: expected a number or a multiple of N (93, 3N, 3N-3, N/4, NlogN), got {shown(text)}"
        )
    value = float(found["times"] or 1)
    if found["size"]:
        value *= n * (math.log2(n) if found["log"] else 1.0)
    value /= int(found["over"] or 1)
    meant = math.ceil(value - 1e-9) - int(found["less"] or 0)
    if meant < 1:
        raise UsageError(f"{what}: expected at least 1, got {shown(text)} ({meant} with {n} candidates)")
    return meant
