"""Where everything that arena keeps has its place. Imports next to nothing: the first frame waits for it."""

from __future__ import annotations

import os
from pathlib import Path


def data_folder() -> Path:
    """The folder of everything arena keeps: ARENA_HOME, or the place the system has for such data."""
    chosen = os.environ.get("ARENA_HOME")
    if chosen:
        return Path(chosen).expanduser().absolute()
    import platformdirs

    return Path(platformdirs.user_data_dir("arena", appauthor=False))
