"""The one thread on which calls into formats run that would hold up the event loop, one after the other."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import TypeVar

from arena_tui.engine.group import GroupRun
from arena_tui.engine.refitting import fitted_of
from arena_tui.store.fitted_rows import Fitted

T = TypeVar("T")


class Planner(ThreadPoolExecutor):
    """An executor of one thread that knows which calls need it."""

    def __init__(self) -> None:
        super().__init__(1, "arena-planner")

    async def call(self, group: GroupRun, call: Callable[..., T], *args: object) -> T:
        """Call into a group's format: here and now, or on the thread where it may take long."""
        if group.off_loop:
            return await asyncio.get_running_loop().run_in_executor(self, call, *args)
        return call(*args)

    async def fitted(self, group: GroupRun, pos: int) -> Fitted:
        """The fit with which a group ends, on the thread: to load what makes the first one takes long."""
        return await asyncio.get_running_loop().run_in_executor(self, fitted_of, group, pos)
