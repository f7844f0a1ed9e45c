"""How the benchmarks say what they found: one line a figure, its floor and its bar beside it.

Nothing here fails: a machine is shared and noisy, so a missed bar is printed, not raised.
"""

from __future__ import annotations

import os
import statistics
import time
from collections.abc import Sequence
from pathlib import Path


def heading(text: str) -> None:
    """What the lines that follow are about."""
    print(f"\n{text}  (load {os.getloadavg()[0]:.1f} on {os.cpu_count()} processors)")


def show(
    what: str,
    figure: float,
    unit: str = "",
    *,
    floor: float | None = None,
    floor_is: str = "",
    at_most: float | None = None,
    at_least: float | None = None,
    ratio_at_most: float | None = None,
) -> None:
    """One line: the figure, the floor measured in the same run (same unit), their ratio, the bar."""
    parts = [f"  {what:<44} {_number(figure)} {unit}".rstrip()]
    ratio = figure / floor if floor else None
    if floor is not None:
        parts.append(f"floor {_number(floor)} {unit}".rstrip() + (f" ({floor_is})" if floor_is else ""))
    if ratio is not None:
        parts.append(f"ratio {ratio:.2f}")
    if at_most is not None:
        parts.append(f"bar <= {_number(at_most)} {unit}".rstrip() + _verdict(figure <= at_most))
    if at_least is not None:
        parts.append(f"bar >= {_number(at_least)} {unit}".rstrip() + _verdict(figure >= at_least))
    if ratio_at_most is not None and ratio is not None:
        parts.append(f"bar: ratio <= {ratio_at_most:g}" + _verdict(ratio <= ratio_at_most))
    print(" | ".join(parts))


def _verdict(met: bool) -> str:
    return ": met" if met else ": MISSED"


def _number(value: float) -> str:
    return f"{value:,.0f}" if abs(value) >= 100 else f"{value:.3g}"


def quantile(values: Sequence[float], share: float) -> float:
    """The smallest value that at least `share` of `values` do not exceed."""
    ordered = sorted(values)
    return ordered[min(len(ordered) - 1, int(len(ordered) * share))]


def fdatasync_seconds(folder: Path) -> float:
    """The median time to make 8 KB durable at the end of a file of `folder`."""
    times = []
    with open(folder / "floor", "wb", buffering=0) as file:
        for _ in range(200):
            file.write(b"\0" * 8192)
            start = time.perf_counter()
            os.fdatasync(file.fileno())
            times.append(time.perf_counter() - start)
    return statistics.median(times)
