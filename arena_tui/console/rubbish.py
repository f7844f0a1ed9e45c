"""Garbage collection that a person does not feel."""

from __future__ import annotations

import gc

SELDOM = (5_000, 5, 50)  # gc.set_threshold; the usual (700, 10, 10) collects everything twice a second


def settle() -> None:
    """Collect now, and leave all that lives now out of later collections.

    Else each of them goes through some 300,000 objects of modules, widgets and settings, which takes 40 to
    100 ms in the middle of a key. Called when a run's screen has come up; what an earlier call left out is
    looked through again, so that closed screens go.
    """
    gc.unfreeze()
    gc.collect()
    gc.freeze()
    gc.set_threshold(*SELDOM)
