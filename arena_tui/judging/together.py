"""Several calls of one comparison at once, none of which is cut off because another one cannot go on."""

from __future__ import annotations

import asyncio
from collections.abc import Coroutine, Iterable
from typing import Any

from arena_tui.errors import JudgeError
from arena_tui.judging.base import OutOfBudget


async def together(work: Iterable[Coroutine[Any, Any, None]]) -> list[JudgeError | OutOfBudget | None]:
    """Run all of `work` at once to its end; what stopped each of it, in order, None for what was done.

    JudgeError and OutOfBudget are results, since calls beside it are paid for and their replies are
    wanted. Any other exception, and a cancellation, cancels the rest; the first one is raised.
    """
    try:
        async with asyncio.TaskGroup() as tasks:
            running = [tasks.create_task(_stopped_by(each)) for each in work]
    except BaseExceptionGroup as failures:
        raise failures.exceptions[0] from failures
    return [task.result() for task in running]


async def _stopped_by(work: Coroutine[Any, Any, None]) -> JudgeError | OutOfBudget | None:
    try:
        await work
    except (JudgeError, OutOfBudget) as stop:
        return stop
    return None
