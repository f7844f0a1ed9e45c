"""Fits of what has been played, made beside the console: rarely enough to leave the processor to others.

A fit takes from a millisecond to many seconds, so it is made in a thread of its own from a copy of the
comparisons, and taken into the ledger on the event loop when it is there. numpy is loaded in that thread.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from threading import Thread

from arena_tui.console.fit_facts import Front, GroupFit
from arena_tui.console.ledger import GroupBoard, Ledger
from arena_tui.errors import StoreError
from arena_tui.ratings.rows import Rows

EVERY = 1.0  # seconds between two fits, at least
SHARE = 0.2  # of the thread's time that goes into fits, at most
PATIENCE = 1.0  # seconds for the fits of an earlier moment; groups that get none show none


@dataclass(frozen=True, slots=True)
class Job:
    """All that a fit of one group depends on."""

    group: str
    applied: int
    ids: Sequence[str]
    classes: Sequence[str | None]
    playing: Sequence[bool]
    rows: Rows
    clustered: bool
    delta: float


def job_of(board: GroupBoard, delta: float) -> Job:
    """The fit that a group's board asks for now."""
    rivals = board.rivals
    return Job(
        group=board.id,
        applied=board.applied,
        ids=[each.id for each in rivals],
        classes=[each.class_ for each in rivals],
        playing=[each.plays for each in rivals],
        rows=board.rows.copy(),
        clustered=len(board.clusters) > 1,
        delta=delta,
    )


def made(job: Job) -> GroupFit:
    """The fit; the same as the engine's after as many outcomes, which draws with that number too."""
    from arena_tui.ratings.estimates import estimate

    found = estimate(
        job.rows,
        len(job.ids),
        classes=job.classes,
        playing=job.playing,
        cluster=job.clustered,
        seed=job.applied,
        delta=job.delta,
    )
    return GroupFit(
        job.group,
        job.applied,
        [
            (each.rating, each.low, each.high, each.rank_low, each.rank_high, each.p_best)
            for each in found.entrants
        ],
        [
            Front(
                leader=job.ids[each.leader],
                runner_up=job.ids[each.runner_up],
                p_best=each.p_best,
                p_runner_up=each.p_runner_up,
                p_near=each.p_near,
                connected=each.connected,
                comparisons=each.comparisons,
                playing=each.playing,
            )
            for each in found.classes.values()
        ],
    )


def fit_all(ledger: Ledger, *, now: Callable[[], float] = time.monotonic) -> None:
    """Fit every group of a ledger that nobody else uses, as far as `PATIENCE` goes; at least the first."""
    until = now() + PATIENCE
    for board in ledger.playing:
        if board.applied:
            ledger.take_fit(made(job_of(board, ledger.rules.delta)))
            if now() > until:
                return


class _Work(Thread):
    """Makes the fits of some groups; nobody waits for it when the process ends."""

    def __init__(self, jobs: Sequence[Job]) -> None:
        super().__init__(name="arena-fits", daemon=True)
        self._jobs = jobs
        self.fits: list[GroupFit] = []
        self.failure = ""
        self.took = 0.0

    def run(self) -> None:
        """Figures that give no fit are told by who looks."""
        begun = time.monotonic()
        try:
            self.fits = [made(job) for job in self._jobs]
        except ValueError as failure:
            self.failure = str(failure)
        self.took = time.monotonic() - begun


class Fits:
    """Keeps the fits of a ledger up to date; `look` is called again and again on the event loop.

    It raises a StoreError when the comparisons give no fit.
    """

    def __init__(self, now: Callable[[], float] = time.monotonic) -> None:
        self._now = now
        self._due = float("-inf")
        self._work: _Work | None = None
        self._ledger: Ledger | None = None
        self._known: dict[str, tuple[int, float]] = {}  # by group: the board's changes, delta

    def look(self, ledger: Ledger) -> bool:
        """Take what is finished and begin what is due; True when the ledger has fits that it had not."""
        if ledger is not self._ledger:
            if self._ledger is not None:
                _carry_over(self._ledger, ledger)
            self._ledger, self._work, self._due = ledger, None, float("-inf")
            self._known = {}
        fresh = self._take(ledger)
        if self._work is None and self._now() >= self._due:
            self._begin(ledger)
        return fresh

    def _take(self, ledger: Ledger) -> bool:
        work = self._work
        if work is None or work.is_alive():
            return False
        self._work = None
        self._due = self._now() + max(EVERY, work.took * (1.0 / SHARE - 1.0))
        if work.failure:
            raise StoreError(f"no intervals: the comparisons of this run give no fit ({work.failure})")
        for fit in work.fits:
            ledger.take_fit(fit)
        return True

    def _begin(self, ledger: Ledger) -> None:
        jobs = []
        for board in ledger.playing:
            wanted = board.changes, ledger.rules.delta
            if board.applied and self._known.get(board.id) != wanted:
                self._known[board.id] = wanted
                jobs.append(job_of(board, ledger.rules.delta))
        if jobs:
            self._work = _Work(jobs)
            self._work.start()


def _carry_over(before: Ledger, after: Ledger) -> None:
    """A ledger that was read anew shows the last fits until it has its own."""
    for board in before.playing:
        if board.fit is not None and board.id in after.groups:
            after.take_fit(board.fit)
