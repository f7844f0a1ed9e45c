"""Garbage collection that a person does not feel.

As Python has it, everything that lives is looked through up to twice a second while debates stream: some
300,000 objects of modules, widgets and settings, which takes 40 to 100 ms in the middle of a key.
"""

from __future__ import annotations

import gc

SELDOM = (5_000, 5, 50)  # for gc.set_threshold, whose own are (700, 10, 10): measured with 64 debates


def seldom() -> None:
    """Collect in larger pieces from now on. Called before all else: imports and long journals gain, too."""
    gc.set_threshold(*SELDOM)


def settle() -> None:
    """Collect now, and leave all that lives now out of later collections.

    Called when a run's screen has come up; what an earlier call left out is looked through again, so that
    closed screens go.
    """
    gc.unfreeze()
    gc.collect()
    gc.freeze()
