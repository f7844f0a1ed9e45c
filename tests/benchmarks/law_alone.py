"""The order of outcomes alone, in virtual time: what its law costs when nothing else takes any time.

Judges answer after given lengths, the engine does its part in no time at all, and only the law decides
when a step may be planned and when an outcome may be applied.
"""

from __future__ import annotations

import heapq
from collections import deque
from collections.abc import Callable, Sequence

from engine_runs import IN_FLIGHT

from arena_tui.engine.order import AppliedOrder, Ordering
from arena_tui.facts import Match
from arena_tui.settings import Durations
from arena_tui.vocabulary import Mode

Calls = list[tuple[float, float]]  # (start, length) of every comparison, in seconds


def busy_share(calls: Calls) -> float:
    """Slot seconds that judges needed, by those there were, until the last comparison started."""
    begun, until = calls[0][0], max(start for start, _ in calls)
    used = sum(min(start + length, until) - start for start, length in calls)
    return used / (IN_FLIGHT * (until - begun))


def finish(calls: Calls) -> float:
    """Seconds from the first start to the last reply."""
    return max(start + length for start, length in calls) - calls[0][0]


def play(
    lengths: Sequence[float], mode_of: Callable[[int], Mode], ordering: Ordering, lookahead: int
) -> Calls:
    """When each comparison starts, if step k takes `lengths[k - 1]` seconds and has mode `mode_of(k)`."""
    order = AppliedOrder(
        ordering=ordering, durations=Durations().by_mode(), lookahead=lookahead, windowed=True
    )
    waiting: deque[Match] = deque()
    running: list[tuple[float, int, Match]] = []
    finished: set[int] = set()
    calls: Calls = []
    now, planned = 0.0, 0
    while len(calls) < len(lengths) or running:
        while True:
            while order.room() and planned < len(lengths):
                planned += 1
                step = Match("main", planned, "a", "b", mode_of(planned))
                order.plan(step)
                waiting.append(step)
            due = order.due()
            if due is None or due.seq not in finished:
                break
            order.apply(due)
        while waiting and len(running) < IN_FLIGHT:
            step = waiting.popleft()
            calls.append((now, lengths[step.seq - 1]))
            heapq.heappush(running, (now + lengths[step.seq - 1], step.seq, step))
        now, seq, step = heapq.heappop(running)
        finished.add(seq)
        order.arrive(step)
    return calls
