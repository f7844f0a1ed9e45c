"""Named moments at which a crash must lose nothing: the tests stop the process at each of them.

Production code calls `reached`; it does nothing unless a test driver has put its own function in
`hook`. The enum is the list from which the crash tests are made, so a new point is never untested.
"""

from __future__ import annotations

from collections.abc import Callable
from enum import StrEnum


class CrashPoint(StrEnum):
    """Where a process may be killed; the first five lie in the writer, the others in the engine."""

    BEFORE_BEGIN = "before_begin"
    IN_BATCH = "in_batch"  # one unit of the batch has run, nothing is committed
    BEFORE_COMMIT = "before_commit"
    AFTER_COMMIT = "after_commit"  # durable, nobody knows it yet
    AFTER_RESOLVE = "after_resolve"  # durable and told
    IN_RECORD = "in_record"
    IN_REFOLD = "in_refold"
    BEFORE_CALL = "before_call"
    AFTER_CALL = "after_call"
    INTERVENTION_QUEUED = "intervention_queued"


def nothing(point: CrashPoint) -> None:
    """The hook of every real run."""


hook: Callable[[CrashPoint], None] = nothing


def reached(point: CrashPoint) -> None:
    """Say that the process is at `point`."""
    hook(point)
