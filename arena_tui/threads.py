"""Waiting for work in a thread that cannot be given up half-way. A leaf module."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import TypeVar

T = TypeVar("T")


async def finished(
    call: Callable[..., T], *arguments: object, discard: Callable[[T], object] = lambda _result: None
) -> T:
    """What `call` returns, run in a thread. Cancelled meanwhile, it still waits for its end, since what the
    thread uses must not be closed under it; `discard` then gets the result that nobody takes."""
    work = asyncio.ensure_future(asyncio.to_thread(call, *arguments))
    try:
        return await asyncio.shield(work)
    except asyncio.CancelledError:
        await asyncio.wait([work])
        if not work.cancelled() and work.exception() is None:
            discard(work.result())
        raise
