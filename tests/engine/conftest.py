"""Fixtures of the engine's tests: a fresh database path, and the folders of shared data."""

from __future__ import annotations

from collections.abc import Callable
from itertools import count
from pathlib import Path

import pytest

SHARED = (Path(__file__).parents[2] / "../shared/data").resolve()


@pytest.fixture
def db(tmp_path: Path) -> Path:
    """Where one run's database will be."""
    return tmp_path / "run.db"


@pytest.fixture
def fresh(tmp_path: Path) -> Callable[[], Path]:
    """A new database path at each call."""
    numbers = count(1)
    return lambda: tmp_path / f"run{next(numbers)}.db"


@pytest.fixture
def shared() -> Callable[[str], Path]:
    """A folder of the shared data by its name; skips where there is none."""

    def folder(name: str) -> Path:
        if not (SHARED / name).is_dir():
            pytest.skip(f"the shared data {name} is not beside this repository")
        return SHARED / name

    return folder
