"""Whether a run should end, why, with which exit code; and how the end is stored."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Mapping
from dataclasses import dataclass

from arena_tui import exit_codes
from arena_tui.engine.calls import Calls
from arena_tui.engine.events import RunStopped
from arena_tui.engine.gate import Gate
from arena_tui.engine.journal import Journal
from arena_tui.engine.lane import Lane
from arena_tui.engine.stopping import Closing, first_reason
from arena_tui.errors import DiskTrouble, StoreError

BREATH = 0.25  # seconds between looks at whether the end is stored
UNUSABLE_GROUPS = 3  # groups in a row whose judge gave nothing usable end the run


@dataclass(frozen=True, slots=True)
class Ending:
    """How the run ended for now; `held` counts outcomes that are stored, but behind a gap in the order."""

    closing: Closing
    exit_code: int
    held: int


async def store_end(
    journal: Journal,
    ending: Ending,
    *,
    pos: int,
    applied: int,
    elapsed: float,
    trouble: Callable[[], str],
    wake: asyncio.Event,
) -> None:
    """Make the end durable, with all that comes before it.

    `trouble` says what storage suffers from once nobody waits for it any longer: then DiskTrouble.
    """
    closing = ending.closing
    journal.book_lost()
    journal.meta(
        {
            "elapsed": f"{elapsed:.3f}",
            "stop_reason": closing.reason,
            "stop_detail": closing.detail,
            "exit_code": str(ending.exit_code),
        }
    )
    ticket = journal.event(
        RunStopped(pos, closing.reason, closing.detail, ending.exit_code, applied, ending.held)
    )
    while ticket > journal.committed or journal.untold:
        if why := trouble():
            raise DiskTrouble(
                f"{journal.unsaved} results could not be saved ({why}); "
                "what was saved can be resumed once there is room"
            )
        if journal.failure is not None:
            raise StoreError(f"the run's database refused a result ({journal.failure})")
        wake.clear()
        try:
            async with asyncio.timeout(BREATH):
                await wake.wait()
        except TimeoutError:
            continue
    await asyncio.sleep(0)  # callbacks that needed no commit run before the run returns


class Endings:
    """Knows which groups are open and what else may end the run. `final` ends it before they have."""

    def __init__(self, lanes: Mapping[str, Lane], gate: Gate, calls: Calls) -> None:
        self.final: Closing | None = None
        self._lanes = lanes
        self._gate = gate
        self._calls = calls
        self._open = {id_ for id_, lane in lanes.items() if lane.group.is_open}
        self._unusable_streak = 0

    def is_open(self, group: str) -> bool:
        """True while the group was not told to be closed."""
        return group in self._open

    def closed(self, group: str, closing: Closing) -> None:
        """A group ended; the third in a row without a usable verdict ends the run."""
        self._open.discard(group)
        self._unusable_streak = self._unusable_streak + 1 if closing.unusable else 0
        if self._unusable_streak >= UNUSABLE_GROUPS:
            self.final = closing

    def reopened(self, group: str) -> None:
        """A closed group goes on."""
        self._open.add(group)

    def closing(self, *, at_rest: bool) -> Closing | None:
        """Why the run should end now, if it should; calls in flight may still be running.

        `at_rest`: nothing is in flight, unread or waiting to be applied, as BUDGET requires.
        """
        if self._gate.reason is not None:
            return Closing(self._gate.reason, self._gate.detail)
        if self._calls.error is not None:
            return Closing("IDLE", str(self._calls.error), unusable=True)
        if self.final is not None:
            return self.final
        if not self._open:
            closings = (lane.group.closing for lane in self._lanes.values())
            return first_reason([closing for closing in closings if closing is not None])
        if self._calls.blocked and at_rest:
            return Closing("BUDGET", self._calls.blocked)
        return None

    def ending(self, closing: Closing) -> Ending:
        """The end that `closing` makes of the run."""
        match closing.reason:
            case "EXTERNAL" | "WALL_CLOCK":
                code = self._gate.exit_code
            case "BUDGET":
                code = exit_codes.LIMIT
            case _:
                code = exit_codes.ERROR if closing.unusable else exit_codes.OK
        return Ending(closing, code, sum(len(lane.held()) for lane in self._lanes.values()))
