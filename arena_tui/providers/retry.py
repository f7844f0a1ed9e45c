"""When another attempt is made and after how long: exponential backoff with full jitter, bounded.

Pure: the clock, the waiting and the random numbers are the caller's (`client`).
"""

from __future__ import annotations

import random
from dataclasses import dataclass

from arena_tui.providers.base import RETRIED, ProviderError

SPARED = 4


@dataclass(frozen=True, slots=True)
class RetryPolicy:
    """Bounds of one call's attempts; all times in seconds.

    `attempts` and `seconds` (from the first request to the start of the last) bound a call. An attempt
    that was refused for coming too often says little of the call: `SPARED` of them count as one. The backoff
    before attempt n + 1 is drawn from 0 to `base` x 2^(n-1), at most `cap`. A wait that the server asks
    for is kept up to `retry_after_cap`; a server that asks for more is down as far as this call goes.
    """

    attempts: int = 6
    seconds: float = 900.0
    base: float = 1.0
    cap: float = 60.0
    retry_after_cap: float = 300.0

    def delay(self, n: int, retry_after: float | None, rng: random.Random, limited: int = 0) -> float | None:
        """Seconds to wait after the n-th failed attempt, from 1; None: no further attempt is due.

        `limited` of the n were rate limited. Full jitter: uniform between 0 and the backoff, so that calls
        that failed together do not come back together. Never less than `retry_after`, and None when that
        is over its cap.
        """
        if n - limited + limited // SPARED >= self.attempts:
            return None
        if retry_after is not None and retry_after > self.retry_after_cap:
            return None
        backoff = min(self.cap, self.base * 2.0 ** min(n - 1, 60))
        return max(rng.uniform(0.0, backoff), float(retry_after or 0.0))

    def after(
        self, fault: ProviderError, n: int, elapsed: float, rng: random.Random, limited: int = 0
    ) -> float | str:
        """What follows the n-th failed attempt: seconds to wait for the next one, or why none is made.

        `elapsed` is counted from the first request. The reason is "" for a fault that no attempt could
        mend, else the end of a sentence that begins with the fault.
        """
        if fault.kind not in RETRIED:
            return ""
        if self.is_down(fault):
            return (
                f"it asks for a pause of {in_words(fault.retry_after or 0.0)}, "
                f"longer than the {in_words(self.retry_after_cap)} that a call waits"
            )
        wait = self.delay(n, fault.retry_after, rng, limited)
        if wait is None:
            return f"given up after {n} attempts" if n > 1 else "given up after 1 attempt"
        if elapsed + wait > self.seconds:
            return f"given up after {n} attempts, since {in_words(self.seconds)} is the most a call may take"
        return wait

    def is_down(self, fault: ProviderError) -> bool:
        """True when the server asks for a longer wait than a call may take: a person should decide."""
        return (
            fault.kind in RETRIED
            and fault.retry_after is not None
            and fault.retry_after > self.retry_after_cap
        )


def in_words(seconds: float) -> str:
    """A length of time as a sentence says it: `40 s`, `5 min`, `1.5 h`."""
    if seconds < 120:
        return f"{seconds:.3g} s"
    return f"{seconds / 60:.3g} min" if seconds < 7200 else f"{seconds / 3600:.3g} h"
